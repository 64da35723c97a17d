#include "core/aptrepo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "core/config.h"
#include "core/pyurl.h"

enum { OS_RELEASE_MAX = 64 << 10 };

/* Suites with the release that each had in 2026; one release a suite. */
static const struct suite {
	const char *name, *label, *component;
} suites[] = {
	{"trixie", "12.4.1", "non-free"},   {"bookworm", "11.8.0", "non-free"},
	{"bullseye", "11.2.2", "non-free"}, {"noble", "12.0.1", "multiverse"},
	{"jammy", "11.5.1", "multiverse"},  {"focal", "10.1.243", "multiverse"},
};
/* Other names by which one knows whose mirror it is. */
static const struct {
	const char *name, *component;
} others[] = {
	{"stable", "non-free"},	    {"oldstable", "non-free"}, {"oldoldstable", "non-free"},
	{"testing", "non-free"},    {"unstable", "non-free"},  {"sid", "non-free"},
	{"forky", "non-free"},	    {"buster", "non-free"},    {"duke", "non-free"},
	{"oracular", "multiverse"}, {"plucky", "multiverse"},  {"questing", "multiverse"},
	{"resolute", "multiverse"}, {"bionic", "multiverse"},  {"devel", "multiverse"},
};

const char *aptrepo_arch(const char *arch)
{
	static const char *const names[][2] = {{"x86_64", "amd64"},
					       {"sbsa", "arm64"},
					       {"aarch64", "arm64"},
					       {"ppc64le", "ppc64el"}};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(arch, names[i][0]))
			return names[i][1];
	return arch;
}

static void add(struct aptrepos *r, const char *base, const char *suite, const char *component,
		const char *label, const struct aptsource *source)
{
	for (size_t i = 0; i < r->n; i++) {
		const char *has = r->items[i].suite;
		if (!strcmp(r->items[i].base, base) && !suite == !has &&
		    (!suite || !strcmp(suite, has)))
			return;
	}
	r->items = array_grow(r->items, r->n, sizeof *r->items);
	r->items[r->n++] = (struct aptrepo){
		.base = xstrdup(base),
		.suite = suite ? xstrdup(suite) : NULL,
		.component = component,
		.label = label,
		.source = source,
	};
}

/* The component of the distribution that a suite belongs to: "bookworm-updates" is Debian's. NULL: of none. */
static const char *component_of(const char *suite)
{
	size_t n = strcspn(suite, "-");
	if (strstr(suite, "security"))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(suites); i++)
		if (strlen(suites[i].name) == n && !strncmp(suites[i].name, suite, n))
			return suites[i].component;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (strlen(others[i].name) == n && !strncmp(others[i].name, suite, n))
			return others[i].component;
	return NULL;
}

/* component NULL: of all distributions. */
static void add_suites(struct aptrepos *r, const char *base, const char *component,
		       const struct aptsource *source)
{
	for (size_t i = 0; i < ARRAY_LEN(suites); i++)
		if (!component || !strcmp(suites[i].component, component))
			add(r, base, suites[i].name, suites[i].component, suites[i].label, source);
}

/* "./" and "x86_64/" behind the URI, with $(ARCH) in it. */
static void add_flat(struct aptrepos *r, const struct aptsource *s, const char *arch)
{
	struct buf b = BUF_INIT(4096);
	const char *dir = s->suite;
	buf_adds(&b, s->uri);
	buf_addc(&b, '/');
	while (*dir == '/' || (dir[0] == '.' && dir[1] == '/'))
		dir += dir[0] == '/' ? 1 : 2;
	for (const char *at; (at = strstr(dir, "$(ARCH)")); dir = at + 7) {
		buf_add(&b, dir, (size_t)(at - dir));
		buf_adds(&b, aptrepo_arch(arch));
	}
	buf_adds(&b, dir);
	while (b.len && b.data[b.len - 1] == '/')
		buf_cut(&b, b.len - 1);
	autofree char *base = buf_take(&b);
	add(r, base, NULL, NULL, NULL, s);
}

static bool is_flat(const struct aptsource *s)
{
	return s->suite[strlen(s->suite) - 1] == '/';
}

static bool for_arch(const struct aptsource *s, const char *arch)
{
	return !s->archs.n || strlist_has(&s->archs, aptrepo_arch(arch));
}

static void add_sources(struct aptrepos *r, const char *arch)
{
	for (size_t i = 0; i < r->sources.n; i++)
		if (is_flat(&r->sources.items[i]) && for_arch(&r->sources.items[i], arch))
			add_flat(r, &r->sources.items[i], arch);
	for (size_t i = 0; i < r->sources.n; i++) {
		const struct aptsource *s = &r->sources.items[i];
		const char *component = is_flat(s) ? NULL : component_of(s->suite);
		if (!component || !strlist_has(&s->components, "main"))
			continue;
		/* The suite of this machine, if it is none that is known already: "sid", "forky". */
		size_t n = strcspn(s->suite, "-");
		add_suites(r, s->uri, component, s);
		if (!s->suite[n])
			add(r, s->uri, s->suite, component, NULL, s);
	}
}

/* "debian12", "ubuntu2204": NVIDIA's word for this machine. NULL: not told. */
static char *nvidia_name(void)
{
	struct err err;
	char id[32] = "", version[32] = "";
	autobuf struct buf text = BUF_INIT(OS_RELEASE_MAX);
	if (!io_read_file("/etc/os-release", &text, &err))
		return NULL;
	for (const char *s = buf_str(&text); *s; s += strcspn(s, "\n"), s += *s == '\n') {
		if (!strncmp(s, "ID=", 3))
			snprintf(id, sizeof id, "%.*s", (int)strcspn(s + 3, "\n"), s + 3);
		if (!strncmp(s, "VERSION_ID=", 11))
			snprintf(version, sizeof version, "%.*s", (int)strcspn(s + 11, "\n"),
				 s + 11);
	}
	struct buf b = BUF_INIT(80);
	for (const char *s = id; *s; s++)
		if (*s != '"')
			buf_addc(&b, *s);
	for (const char *s = version; *s; s++)
		if (!strchr("\".", *s))
			buf_addc(&b, *s);
	return buf_take(&b);
}

/* A mirror of NVIDIA's host, a flat repository, or one of a distribution: whatever it answers as. */
static void add_mirror(struct aptrepos *r, const char *url, const char *arch)
{
	autofree char *name = nvidia_name();
	add(r, url, NULL, NULL, NULL, NULL);
	if (name && !strstr(url, "/repos/")) {
		autofree char *flat = xasprintf("%s/cuda/repos/%s/%s", url, name, arch);
		add(r, flat, NULL, NULL, NULL, NULL);
	}
	add_suites(r, url, NULL, NULL);
}

static void add_mirrors(struct aptrepos *r, const struct source_ctx *ctx, const char *arch)
{
	const char *s = config_get(ctx->config, CONFIG_MIRROR);
	/* Else it is one of NVIDIA's archives. */
	if (strcmp(config_get(ctx->config, CONFIG_SOURCE), source_deb.name) != 0)
		return;
	while (*(s += strspn(s, " ,\t"))) {
		size_t n = strcspn(s, " ,\t"), len = n;
		while (len > 1 && s[len - 1] == '/')
			len--;
		autofree char *word = xstrndup(s, len);
		autofree char *url = *word == '/' ? pyurl_from_path(word) : xstrdup(word);
		add_mirror(r, url, arch);
		s += n;
	}
}

void aptrepos_load(struct aptrepos *r, const struct source_ctx *ctx, const char *arch)
{
	*r = (struct aptrepos){0};
	aptconf_load(&r->conf, ctx->events);
	aptsources_load(&r->sources, &r->conf, ctx->events);
	add_mirrors(r, ctx, arch);
	add_sources(r, arch);
}

void aptrepos_clear(struct aptrepos *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].base);
		free(r->items[i].suite);
	}
	free(r->items);
	aptsources_clear(&r->sources);
	aptconf_clear(&r->conf);
	*r = (struct aptrepos){0};
}

char *aptrepo_folder(const struct aptrepo *r)
{
	return r->suite ? xasprintf("%s/dists/%s/", r->base, r->suite) : xasprintf("%s/", r->base);
}

char *aptrepo_words(const struct aptrepo *r)
{
	autofree char *shown = fetch_mask(r->base);
	return r->suite ? xasprintf("%s %s/%s", shown, r->suite, r->component) : xstrdup(shown);
}

struct fetch_opts aptrepo_fetch_opts(const struct aptrepos *all, const struct aptrepo *r,
				     const struct source_ctx *ctx, char **proxy)
{
	struct fetch_opts o = {.offline = ctx->offline, .events = ctx->events};
	*proxy = aptconf_proxy(&all->conf, r->base);
	o.proxy = *proxy;
	o.ca_file = aptconf_get(&all->conf, "acquire::https::cainfo");
	if (ctx->quick) {
		o.retries = 1;
		o.retry_wait_ms = 200;
		o.low_speed_s = 8;
		o.quick = true;
	}
	return o;
}
