#include <dirent.h>
#include <string.h>

#include "base/path.h"
#include "base/version.h"
#include "core/bundle_tar.h"
#include "core/local_place.h"
#include "core/pyurl.h"
#include "core/redist.h"
#include "core/redist_mirrors.h"
#include "ext/html.h"

static const char label_start[] = "redistrib_", label_end[] = ".json";

/* The label in the name of a manifest; anything else is left out. */
static void add_label(struct strlist *out, const char *file)
{
	struct version v;
	size_t n = strlen(file), ns = sizeof label_start - 1, ne = sizeof label_end - 1;
	if (n <= ns + ne || strncmp(file, label_start, ns) != 0 ||
	    strcmp(file + n - ne, label_end) != 0 || !version_parse(file + ns, n - ns - ne, &v))
		return;
	autofree char *label = xstrndup(file + ns, n - ns - ne);
	if (!strlist_has(out, label))
		strlist_add(out, label);
}

static void on_link(void *ctx, const struct html_link *l)
{
	autofree char *url = xstrndup(l->url, strcspn(l->url, "?#"));
	add_label(ctx, path_base(url));
}

static bool labels_of_folder(const char *path, struct strlist *out)
{
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		add_label(out, e->d_name);
	return out->n > 0;
}

/* base: <bundle>/<folder>/ */
static bool labels_of_bundle(const char *base, struct strlist *out)
{
	autobundle struct bundle_index x = {0};
	autofree char *file = NULL;
	struct err ignored;
	if (!local_place_split(base, &file) || !bundle_index_read(file, &x, &ignored))
		return false;
	const char *folder = base + strlen(file) + 1;
	size_t n = strlen(folder);
	for (size_t i = 0; i < x.n; i++)
		if (!strncmp(x.members[i].name, folder, n) && !strchr(x.members[i].name + n, '/'))
			add_label(out, x.members[i].name + n);
	return out->n > 0;
}

static bool labels_of(const struct source_ctx *ctx, const char *base, struct strlist *out,
		      struct err *err)
{
	struct fetch_opts o = redist_fetch_opts(ctx);
	struct fetch_answer a = {.body = BUF_INIT(MANIFEST_MAX)};
	struct html_page page;
	autofree char *path = pyurl_to_path(base);
	if (path)
		return labels_of_folder(path, out) || labels_of_bundle(path, out);
	bool ok = fetch_memory(base, "text/html", &o, &a, err) &&
		  html_links(buf_str(&a.body), a.body.len, a.url, on_link, out, &page, err);
	fetch_answer_clear(&a);
	return ok && out->n > 0;
}

bool redist_labels(const struct source_ctx *ctx, const char *product, struct strlist *out,
		   struct err *err)
{
	autostrlist struct strlist mirrors = {0}, bases = {0};
	struct err first = {0};
	redist_mirrors(ctx, &mirrors);
	for (size_t i = 0; i < mirrors.n; i++)
		redist_folders(mirrors.items[i], product, &bases);
	for (size_t i = 0; i < bases.n; i++) {
		struct err e = {0};
		if (labels_of(ctx, bases.items[i], out, &e))
			return true;
		if (e.code && !first.code)
			first = e;
		if (e.code == ERR_INTERRUPTED)
			break;
	}
	autofree char *shown = fetch_mask(mirrors.items[0]);
	*err = first;
	return first.code ? false
			  : err_set(err, ERR_NO_VERSION, "no mirror lists releases (asked: '%s')",
				    shown);
}
