#include "core/catalog.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/nearest.h"
#include "base/path.h"
#include "core/place.h"
#include "ext/inifile.h"

static const char general[] = "catalog"; /* the section that is no release */
static const char *const arches[] = {"x86_64", "sbsa", "aarch64", "ppc64le", NULL};

/* How a value is checked and where it goes. */
enum value_kind { VALUE_DATE, VALUE_PLATFORMS, VALUE_SHA256, VALUE_VERSION, VALUE_NUMBERS };

static const struct key {
	const char *name;
	enum value_kind kind;
	size_t offset; /* of the char * in the release; unused for date and platforms */
} keys[] = {
	{"date", VALUE_DATE, 0},
	{"platforms", VALUE_PLATFORMS, 0},
	{"manifest_sha256", VALUE_SHA256, offsetof(struct catalog_release, manifest_sha256)},
	{"driver_min", VALUE_VERSION, offsetof(struct catalog_release, driver_min)},
	{"driver_floor", VALUE_VERSION, offsetof(struct catalog_release, driver_floor)},
	{"wheels", VALUE_VERSION, offsetof(struct catalog_release, wheels)},
	{"gcc_min", VALUE_VERSION, offsetof(struct catalog_release, gcc_min)},
	{"gcc_max", VALUE_VERSION, offsetof(struct catalog_release, gcc_max)},
	{"clang_min", VALUE_VERSION, offsetof(struct catalog_release, clang_min)},
	{"clang_max", VALUE_VERSION, offsetof(struct catalog_release, clang_max)},
	{"sm", VALUE_NUMBERS, offsetof(struct catalog_release, sm)},
};

static bool known_arch(const char *s, size_t len)
{
	for (const char *const *a = arches; *a; a++)
		if (strlen(*a) == len && !memcmp(*a, s, len))
			return true;
	return false;
}

static bool hex_valid(const char *s, size_t len)
{
	return strlen(s) == len && strspn(s, "0123456789abcdef") == len;
}

static bool version_valid(const char *s)
{
	struct version v;
	return version_parse(s, strlen(s), &v);
}

static bool date_valid(const char *s)
{
	static const char shape[] = "0000-00-00";
	for (size_t i = 0; i < sizeof shape; i++)
		if (shape[i] == '0' ? !isdigit((unsigned char)s[i]) : s[i] != shape[i])
			return false;
	return true;
}

/* "75 80 90": compute capabilities without the dot, two or three digits, one blank between. */
static bool numbers_valid(const char *s)
{
	for (;;) {
		size_t n = strspn(s, "0123456789");
		if (n < 2 || n > 3 || (s[n] && s[n] != ' '))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

static bool platforms_add(struct strlist *l, const char *value)
{
	static const char prefix[] = "linux-";
	for (const char *p = value; *p;) {
		size_t n = strcspn(p, " ");
		if (n < sizeof prefix || strncmp(p, prefix, sizeof prefix - 1) != 0 ||
		    !known_arch(p + sizeof prefix - 1, n - (sizeof prefix - 1)))
			return false;
		autofree char *word = xstrndup(p, n);
		strlist_add(l, word);
		p += n + (p[n] == ' ');
	}
	return l->n > 0;
}

static bool bad_value(const struct inifile_entry *e, const char *wanted, struct err *err)
{
	return inifile_fail(e, err, "'%s' of '%s' is not %s: '%s'", e->key, e->section, wanted,
			    e->value);
}

static bool unknown_key(const struct inifile_entry *e, struct err *err)
{
	const char *names[] = {"format", "wheels_nvcc", "driver_only", NULL};
	const char *release_names[ARRAY_LEN(keys) + 2] = {"runfile.x86_64"};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		release_names[i + 1] = keys[i].name;
	const char *near = nearest(e->key, !strcmp(e->section, general) ? names : release_names);
	if (!near)
		return inifile_fail(e, err, "unknown key '%s'", e->key);
	return inifile_fail(e, err, "unknown key '%s', did you mean '%s'?", e->key, near);
}

/* "runfile.<arch>", "runfile.<arch>.sha256", "runfile.<arch>.md5"; the path stands first. */
static bool set_runfile(struct catalog_release *r, const struct inifile_entry *e, struct err *err)
{
	const char *arch = e->key + strlen("runfile.");
	size_t n = strcspn(arch, ".");
	const char *part = arch + n;
	struct catalog_runfile *f = NULL;
	if (!known_arch(arch, n))
		return unknown_key(e, err);
	for (size_t i = 0; i < r->n_runfiles; i++)
		if (strlen(r->runfiles[i].arch) == n && !memcmp(r->runfiles[i].arch, arch, n))
			f = &r->runfiles[i];
	if (!*part) {
		const char *rest = !strncmp(e->value, "https://", 8) ? e->value + 8 : e->value;
		if (!path_safe_relative(rest))
			return bad_value(e, "a path or an https URL", err);
		r->runfiles = array_grow(r->runfiles, r->n_runfiles, sizeof *r->runfiles);
		f = &r->runfiles[r->n_runfiles++];
		memcpy(f->arch, arch, n);
		f->path = xstrdup(e->value);
		f->file = path_base(f->path);
		return true;
	}
	bool sha = !strcmp(part, ".sha256");
	if (!sha && strcmp(part, ".md5") != 0)
		return unknown_key(e, err);
	if (!f)
		return inifile_fail(e, err, "'%s' stands before 'runfile.%.*s'", e->key, (int)n,
				    arch);
	if (!hex_valid(e->value, sha ? 64 : 32))
		return bad_value(e, sha ? "a sha256" : "an md5", err);
	*(sha ? &f->sha256 : &f->md5) = xstrdup(e->value);
	return true;
}

static bool set_release(struct catalog_release *r, const struct inifile_entry *e, struct err *err)
{
	if (!strncmp(e->key, "runfile.", strlen("runfile.")))
		return set_runfile(r, e, err);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].name, e->key) != 0)
			continue;
		switch (keys[i].kind) {
		case VALUE_DATE:
			if (!date_valid(e->value))
				return bad_value(e, "a date (YYYY-MM-DD)", err);
			memcpy(r->date, e->value, sizeof r->date);
			return true;
		case VALUE_PLATFORMS:
			return platforms_add(&r->platforms, e->value) ||
			       bad_value(e, "a list of platforms", err);
		case VALUE_SHA256:
			if (!hex_valid(e->value, 64))
				return bad_value(e, "a sha256", err);
			break;
		case VALUE_VERSION:
			if (!version_valid(e->value))
				return bad_value(e, "a version", err);
			break;
		case VALUE_NUMBERS:
			if (!numbers_valid(e->value))
				return bad_value(e, "a list of compute capabilities", err);
			break;
		}
		*(char **)((char *)r + keys[i].offset) = xstrdup(e->value);
		return true;
	}
	return unknown_key(e, err);
}

static bool set_general(struct catalog *c, const struct inifile_entry *e, struct err *err)
{
	size_t len = strlen(e->value);
	if (!strcmp(e->key, "format"))
		return !strcmp(e->value, "1") ||
		       bad_value(e, "1, the format that is known here", err);
	if (!strcmp(e->key, "wheels_nvcc"))
		return version_parse(e->value, len, &c->wheels_nvcc) ||
		       bad_value(e, "a version", err);
	if (strcmp(e->key, "driver_only") != 0)
		return unknown_key(e, err);
	for (const char *p = e->value; *p;) {
		size_t n = strcspn(p, " ");
		if (c->n_driver_only == ARRAY_LEN(c->driver_only) ||
		    !version_parse(p, n, &c->driver_only[c->n_driver_only]))
			return bad_value(e, "a short list of versions", err);
		c->n_driver_only++;
		p += n + (p[n] == ' ');
	}
	return true;
}

static bool on_entry(void *ctx, const struct inifile_entry *e, struct err *err)
{
	struct catalog *c = ctx;
	if (!*e->section)
		return inifile_fail(e, err, "'%s' stands before the first section", e->key);
	bool about_all = !strcmp(e->section, general);
	if (e->key)
		return about_all ? set_general(c, e, err)
				 : set_release(&c->releases[c->n - 1], e, err);
	if (about_all)
		return true;
	struct version v;
	size_t len = strlen(e->section);
	if (len >= sizeof c->releases->label || !version_parse(e->section, len, &v) || v.n != 3)
		return inifile_fail(e, err, "section '%s' is neither '%s' nor a release",
				    e->section, general);
	c->releases = array_grow(c->releases, c->n, sizeof *c->releases);
	c->releases[c->n].v = v;
	memcpy(c->releases[c->n].label, e->section, len + 1);
	c->n++;
	return true;
}

static int by_version(const void *a, const void *b)
{
	const struct catalog_release *x = a, *y = b;
	return version_compare(&x->v, &y->v);
}

bool catalog_parse(struct catalog *c, const char *file, const char *text, size_t len,
		   struct err *err)
{
	struct catalog new = {0};
	if (!inifile_parse(file, text, len, on_entry, &new, err)) {
		catalog_clear(&new);
		return false;
	}
	if (!new.n)
		return err_set(err, ERR_USAGE, "'%s' names no release", file);
	qsort(new.releases, new.n, sizeof *new.releases, by_version);
	*c = new;
	return true;
}

bool catalog_load(struct catalog *c, const char *path, struct err *err)
{
	autobuf struct buf text = BUF_INIT(CATALOG_MAX);
	autofree char *found = path ? NULL : place_find("CUDAENV_CATALOG", DATADIR "/versions.ini");
	if (!path)
		path = found;
	if (!io_read_file(path, &text, err)) {
		err_prefix(err, "no catalog of releases");
		return err_hint(err, "install cudaenv again, or set CUDAENV_CATALOG to a "
				     "versions.ini");
	}
	return catalog_parse(c, path, buf_str(&text), text.len, err);
}

static void release_free(struct catalog_release *r)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].offset)
			free(*(char **)((char *)r + keys[i].offset));
	for (size_t i = 0; i < r->n_runfiles; i++) {
		free(r->runfiles[i].path);
		free(r->runfiles[i].sha256);
		free(r->runfiles[i].md5);
	}
	free(r->runfiles);
	strlist_clear(&r->platforms);
}

void catalog_clear(struct catalog *c)
{
	for (size_t i = 0; i < c->n; i++)
		release_free(&c->releases[i]);
	free(c->releases);
	*c = (struct catalog){0};
}

const struct catalog_release *catalog_find(const struct catalog *c, const char *label)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->releases[i].label, label))
			return &c->releases[i];
	return NULL;
}
