#include "cli/component.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/table.h"
#include "core/component.h"
#include "core/component_files.h"

bool component_open(struct app *app, const char *spec, struct component_version *v, struct err *err)
{
	if (!resolve_select(&app->layout, spec, &v->s, err))
		return false;
	if (!v->s.prefix[0]) {
		err_set(err, ERR_USAGE, "no version of cudaenv is selected here");
		return err_hint(err, "name one, as in 'cudaenv component list 13.0'");
	}
	if (!record_read(v->s.prefix, &v->record, err)) {
		if (err->sys != ENOENT)
			return false;
		return err_set(err, ERR_USAGE,
			       "'%s' was not installed by cudaenv: its components are not known",
			       v->s.name);
	}
	v->root = app->layout;
	snprintf(v->root.root, sizeof v->root.root, "%.*s",
		 (int)(strlen(v->s.prefix) - strlen("/versions/") - strlen(v->s.name)),
		 v->s.prefix);
	return true;
}

struct source_ctx component_ctx(struct app *app)
{
	return (struct source_ctx){
		.catalog = &app->catalog,
		.config = &app->config,
		.layout = &app->layout,
		.cache_dir = config_get(&app->config, CONFIG_CACHE_DIR),
		.offline = config_bool(&app->config, CONFIG_OFFLINE),
		.events = &app->events,
	};
}

/* Where output goes: rows of a table, or a JSON list. */
struct listing {
	const struct component_version *v;
	struct table *table;
	json_t *list;
};

static void list_one(struct listing *l, const struct component *c, bool installed)
{
	char size[PRINT_TEXT] = "", disk[PRINT_TEXT] = "";
	uint64_t bytes = installed ? component_bytes(&l->v->root, c->sha256) : 0;
	if (l->list) {
		json_array_append_new(
			l->list,
			json_pack("{so so so sI sb sI}", "name", print_json_text(c->name),
				  "package", print_json_text(c->package), "version",
				  print_json_text(c->version), "size", (json_int_t)c->size,
				  "installed", (int)installed, "bytes", (json_int_t)bytes));
		return;
	}
	if (c->size)
		print_size(c->size, size);
	if (bytes)
		print_size(bytes, disk);
	table_row(l->table, (const char *const[]){c->name, c->version, size, disk,
						  installed ? "installed" : ""});
}

static int by_name(const void *a, const void *b)
{
	const struct component *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* Both lists in one, by name. */
static void list_both(struct listing *l, const struct release *has, const struct release *all)
{
	autofree const struct component **rows = xcalloc(has->n + all->n, sizeof *rows);
	size_t n = 0;
	for (size_t i = 0; i < has->n; i++)
		rows[n++] = &has->components[i];
	for (size_t i = 0; i < all->n; i++)
		if (!release_find(has, all->components[i].name))
			rows[n++] = &all->components[i];
	qsort(rows, n, sizeof *rows, by_name);
	for (size_t i = 0; i < n; i++)
		list_one(l, rows[i], release_find(has, rows[i]->name) != NULL);
}

bool component_list(struct app *app, char **operands, struct err *err)
{
	struct component_version v;
	struct release all = {0};
	struct err why;
	autotable struct table table = TABLE_INIT(5);
	if (!component_open(app, operands[0], &v, err))
		return false;
	struct source_ctx ctx = component_ctx(app);
	bool known = component_all(&ctx, &v.record.release, &all, &why);
	struct listing l = {&v, &table, app->json ? json_array() : NULL};
	table.right = 3u << 2;
	table_row(&table, (const char *const[]){"COMPONENT", "VERSION", "ARCHIVE", "ON DISK", ""});
	list_both(&l, &v.record.release, &all);
	if (l.list)
		print_json(stdout, l.list);
	else
		table_print(&table, stdout);
	if (!known)
		event_note(&app->events, "what is not installed cannot be listed: %s", why.msg);
	release_clear(&all);
	record_clear(&v.record);
	return true;
}

/* Where a name without a folder may be meant to stand. */
static const char *const places[] = {"",	 "bin/",	"lib64/",
				     "include/", "nvvm/lib64/", "pkg-config/"};

/*
 * The path of the file itself below the prefix, links (lib64, libcublas.so) followed; NULL: the
 * version has none.
 */
static char *path_inside(const char *prefix, const char *file)
{
	autofree char *top = realpath(prefix, NULL);
	size_t n = top ? strlen(top) : 0;
	for (size_t i = 0; top && i < ARRAY_LEN(places); i++) {
		autofree char *path =
			*file == '/' ? xstrdup(file) : xasprintf("%s/%s%s", top, places[i], file);
		autofree char *real = realpath(path, NULL);
		if (real && !strncmp(real, top, n) && real[n] == '/')
			return xstrdup(real + n + 1);
	}
	return NULL;
}

struct finds {
	struct app *app;
	json_t *list; /* NULL: lines */
	size_t n;
};

static void found(struct finds *f, const char *component, const char *path, bool installed)
{
	f->n++;
	if (f->list)
		json_array_append_new(f->list, json_pack("{so so sb}", "component",
							 print_json_text(component), "path",
							 print_json_text(path), "installed",
							 (int)installed));
	else
		printf("%s%s%s\n", component, path ? "\t" : "", path ? path : "");
}

static void look_into_version(struct finds *f, const struct component_version *v, const char *file)
{
	const struct release *r = &v->record.release;
	for (size_t i = 0; i < r->n; i++) {
		autofree char *name = NULL;
		autofree char *path =
			component_file(&v->root, r->components[i].sha256, file, &name);
		if (path)
			found(f, r->components[i].name, path, true);
	}
}

/* Of another version that has it: the component of that name is the one to add here. */
static bool look_into_store(struct finds *f, const struct component_version *v, const char *file)
{
	autofree char *store = xasprintf("%s/store", v->root.root);
	autodir DIR *d = opendir(store);
	for (struct dirent *e; d && !f->n && (e = readdir(d));) {
		autofree char *name = NULL;
		autofree char *path = e->d_name[0] == '.'
					      ? NULL
					      : component_file(&v->root, e->d_name, file, &name);
		if (path && !release_find(&v->record.release, name)) {
			found(f, name, path, false);
			event_note(&f->app->events,
				   "%s does not have it: cudaenv component add %s %s", v->s.name,
				   v->s.name, name);
		}
	}
	return f->n > 0;
}

static bool guess(struct finds *f, const struct component_version *v, const char *file)
{
	const char *name = component_guess(file);
	if (!name || release_find(&v->record.release, name))
		return false;
	found(f, name, NULL, false);
	event_note(&f->app->events, "%s does not have it: cudaenv component add %s %s", v->s.name,
		   v->s.name, name);
	return true;
}

static bool find(struct finds *f, const struct component_version *v, const char *file,
		 struct err *err)
{
	autofree char *inside = path_inside(v->s.prefix, file);
	look_into_version(f, v, inside ? inside : file);
	if (!f->n && inside)
		return err_set(err, ERR_NO_TOOL,
			       "'%s' of %s is in no component: it was made when that was installed",
			       inside, v->s.name);
	if (f->n || look_into_store(f, v, file) || guess(f, v, file))
		return true;
	err_set(err, ERR_NO_TOOL, "no component that is here has '%s'", file);
	return err_hint(err, "'cudaenv component list %s' shows those that are not installed",
			v->s.name);
}

bool component_which_has(struct app *app, char **operands, struct err *err)
{
	struct component_version v;
	struct finds f = {.app = app};
	const char *spec = operands[1] ? operands[0] : NULL;
	if (!component_open(app, spec, &v, err))
		return false;
	f.list = app->json ? json_array() : NULL;
	bool ok = find(&f, &v, operands[spec != NULL], err);
	if (ok && f.list)
		print_json(stdout, json_incref(f.list));
	json_decref(f.list);
	record_clear(&v.record);
	return ok;
}
