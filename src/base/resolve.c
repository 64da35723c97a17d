#include "base/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/path.h"
#include "base/scan.h"

enum { ALIAS_DEPTH = 8 };

#define SITE_VERSION "/etc/cudaenv/version"

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void set_text(char *out, const char *s)
{
	memcpy(out, s, strlen(s) + 1);
}

/* A folder (or a link to one) of exactly this name, in the first root that has it. */
static bool find_name(const struct layout *l, const char *name, struct selection *out)
{
	for (int i = 0; layout_root_path(l, i, "versions", name, out->prefix, sizeof out->prefix);
	     i++)
		if (is_folder(out->prefix)) {
			set_text(out->name, name);
			return true;
		}
	return false;
}

struct newest {
	const struct spec *spec;
	struct version v; /* n == 0: none yet */
	char name[VERSION_TEXT];
	int root, best_root;
};

static bool consider(void *ctx, const char *name, unsigned char type)
{
	struct newest *best = ctx;
	struct version v;
	size_t len = strlen(name);
	if ((type != DT_DIR && type != DT_LNK && type != DT_UNKNOWN) || len >= VERSION_TEXT ||
	    !version_parse(name, len, &v) || !spec_matches(best->spec, &v))
		return true;
	int order = version_compare(&v, &best->v);
	if (order > 0 || best->v.n == 0 ||
	    (order == 0 && best->root == best->best_root && v.n > best->v.n)) {
		best->v = v;
		best->best_root = best->root;
		set_text(best->name, name);
	}
	return true;
}

static bool find_newest(const struct layout *l, const struct spec *spec, struct selection *out)
{
	struct newest best = {.spec = spec};
	for (; layout_root(l, best.root, out->prefix, sizeof out->prefix); best.root++)
		if (path_join(out->prefix, sizeof out->prefix, out->prefix, "versions"))
			scan_folder(out->prefix, consider, &best);
	if (!best.v.n)
		return false;
	set_text(out->name, best.name);
	return layout_root_path(l, best.best_root, "versions", best.name, out->prefix,
				sizeof out->prefix);
}

/* The text of aliases/<name> in the first root that has it; 0: none, -1: too long. */
static int read_alias(const struct layout *l, const char *name, char *text, size_t cap)
{
	char path[PATH_MAX];
	for (int i = 0; layout_root_path(l, i, "aliases", name, path, sizeof path); i++) {
		ssize_t n = readlink(path, text, cap);
		if (n >= 0)
			return (size_t)n < cap ? (int)n : -1;
	}
	return 0;
}

/* A folder that may not be read hides what is in it. */
static bool is_hidden(const struct layout *l, struct err *err)
{
	char path[PATH_MAX];
	for (int i = 0; layout_root(l, i, path, sizeof path); i++)
		if (path_join(path, sizeof path, path, "versions") &&
		    access(path, R_OK | X_OK) != 0 && errno != ENOENT && errno != ENOTDIR) {
			err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
			return true;
		}
	return false;
}

static bool not_installed(const struct layout *l, const struct spec *spec, struct err *err)
{
	struct installed have;
	char list[512];
	if (is_hidden(l, err))
		return false;
	installed_list(l, NULL, &have);
	installed_words(&have, list, sizeof list);
	if (spec->kind == SPEC_NAME) {
		err_set(err, ERR_NOT_INSTALLED,
			"'%s' is neither installed nor an alias (installed: %s)", spec->text, list);
		return err_hint(err,
				"write a version like 12.4.1, or name a tree: cudaenv link %s PATH",
				spec->text);
	}
	err_set(err, ERR_NOT_INSTALLED, "version '%s' is not installed (installed: %s)", spec->text,
		list);
	const char *quote = spec->kind == SPEC_RANGE ? "'" : "";
	return err_hint(err, "cudaenv install %s%s%s", quote, spec->text, quote);
}

/* versions/<name> is there but leads nowhere. */
static bool is_dangling(const struct layout *l, const char *name, struct err *err)
{
	char path[PATH_MAX];
	struct stat st;
	for (int i = 0; layout_root_path(l, i, "versions", name, path, sizeof path); i++)
		if (lstat(path, &st) == 0) {
			err_set(err, ERR_NOT_INSTALLED,
				"'%s' is not a folder, nor a link to one that is there", path);
			err_hint(err, "cudaenv unlink %s", name);
			return true;
		}
	return false;
}

static bool find_spec(const struct layout *l, const struct spec *spec, int depth,
		      struct selection *out, struct err *err);

static bool find_alias(const struct layout *l, const struct spec *spec, int depth,
		       struct selection *out, struct err *err)
{
	struct spec to;
	char text[VERSION_TEXT], where[VERSION_TEXT + 16];
	int n = read_alias(l, spec->text, text, sizeof text);
	if (n == 0)
		return !is_dangling(l, spec->text, err) && not_installed(l, spec, err);
	snprintf(where, sizeof where, "alias '%s'", spec->text);
	if (n < 0)
		return err_set(err, ERR_USAGE, "%s is too long for a version", where);
	if (depth == ALIAS_DEPTH) {
		err_set(err, ERR_USAGE, "%s leads back to itself, or through too many others",
			where);
		return err_hint(err, "cudaenv unalias %s", spec->text);
	}
	return spec_parse(text, (size_t)n, where, &to, err) &&
	       find_spec(l, &to, depth + 1, out, err);
}

static bool find_spec(const struct layout *l, const struct spec *spec, int depth,
		      struct selection *out, struct err *err)
{
	switch (spec->kind) {
	case SPEC_SYSTEM:
		set_text(out->name, "system");
		out->prefix[0] = '\0';
		return true;
	case SPEC_SUPPORTED:
		err_set(err, ERR_USAGE,
			"'supported' depends on the driver and selects nothing by itself");
		return err_hint(err,
				"cudaenv local supported writes the version that it stands for");
	case SPEC_NAME:
		return find_name(l, spec->text, out) || find_alias(l, spec, depth, out, err);
	case SPEC_VERSION:
	case SPEC_LATEST:
	case SPEC_RANGE:
		break;
	}
	if (spec->kind == SPEC_VERSION && spec->v.n >= 3 && find_name(l, spec->text, out))
		return true;
	if (!find_newest(l, spec, out))
		return not_installed(l, spec, err);
	return is_folder(out->prefix) ||
	       (!is_dangling(l, out->name, err) && not_installed(l, spec, err));
}

bool resolve_installed(const struct layout *l, const struct spec *spec, struct selection *out,
		       struct err *err)
{
	set_text(out->spec, spec->text);
	return find_spec(l, spec, 0, out, err);
}

/* Adds who asked; in front of the hint's line, behind what failed. */
static bool asked_by(const struct selection *s, struct err *err)
{
	char by[sizeof err->msg];
	size_t n = strlen(err->msg);
	snprintf(err->msg + n, sizeof err->msg - n, ", %s", origin_words(s, by, sizeof by));
	err_sanitize(err->msg);
	return false;
}

static bool select_word(const struct layout *l, const char *word, const char *where,
			struct selection *out, struct err *err)
{
	struct spec spec;
	return spec_parse(word, strlen(word), where, &spec, err) &&
	       resolve_installed(l, &spec, out, err);
}

static bool select_list(const struct layout *l, const struct pinfile *pins, struct selection *out,
			struct err *err)
{
	char where[WHERE_TEXT];
	if (out->origin_path[0])
		pinfile_where(out->origin_path, where);
	else
		set_text(where, "CUDAENV_VERSION");
	if (select_word(l, pins->version[0], where, out, err))
		return true;
	if (err->code != ERR_NOT_INSTALLED)
		return false;
	char first[VERSION_TEXT];
	set_text(first, out->spec);
	for (int i = 1; i < pins->versions; i++) {
		struct err other;
		if (select_word(l, pins->version[i], where, out, &other))
			return true;
		if (other.code != ERR_NOT_INSTALLED) {
			*err = other;
			return false;
		}
	}
	set_text(out->spec, first);
	return asked_by(out, err);
}

static bool select_file(const struct layout *l, enum origin origin, struct selection *out,
			struct err *err)
{
	struct pinfile pins;
	out->origin = origin;
	return pinfile_read(out->origin_path, &pins, err) && select_list(l, &pins, out, err);
}

/* *done: CUDAENV_VERSION says something. */
static bool select_env(const struct layout *l, struct selection *out, bool *done, struct err *err)
{
	struct pinfile pins;
	const char *env = getenv("CUDAENV_VERSION");
	*done = false;
	if (!env || !*env)
		return true;
	if (!pinfile_words(env, strlen(env), "CUDAENV_VERSION", &pins, err))
		return false;
	*done = pins.versions > 0;
	out->origin = ORIGIN_ENV;
	return !*done || select_list(l, &pins, out, err);
}

static bool select_pinned(const struct layout *l, struct selection *out, struct err *err)
{
	if (pinfile_find(out->origin_path, sizeof out->origin_path))
		return select_file(l, ORIGIN_FILE, out, err);
	if (errno && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot tell the working directory");
	if (!layout_path(l, out->origin_path, sizeof out->origin_path, "version"))
		return err_set(err, ERR_USAGE, "CUDAENV_ROOT is too long");
	if (select_file(l, ORIGIN_GLOBAL, out, err))
		return true;
	if (err->sys != ENOENT)
		return false;
	set_text(out->origin_path, SITE_VERSION);
	if (select_file(l, ORIGIN_SITE, out, err))
		return true;
	if (err->sys != ENOENT)
		return false;
	out->origin = ORIGIN_DEFAULT;
	out->origin_path[0] = '\0';
	set_text(out->spec, "system");
	set_text(out->name, "system");
	out->prefix[0] = '\0';
	return true;
}

bool resolve_select(const struct layout *l, const char *spec_arg, struct selection *out,
		    struct err *err)
{
	bool done;
	out->origin_path[0] = '\0';
	if (spec_arg) {
		out->origin = ORIGIN_ARGUMENT;
		return select_word(l, spec_arg, "the command line", out, err);
	}
	if (!select_env(l, out, &done, err))
		return false;
	return done || select_pinned(l, out, err);
}

const char *origin_words(const struct selection *s, char *out, size_t cap)
{
	switch (s->origin) {
	case ORIGIN_ARGUMENT:
		snprintf(out, cap, "asked for here");
		break;
	case ORIGIN_ENV:
		snprintf(out, cap, "set by CUDAENV_VERSION");
		break;
	case ORIGIN_FILE:
	case ORIGIN_GLOBAL:
	case ORIGIN_SITE:
		snprintf(out, cap, "set by '%s'", s->origin_path);
		break;
	case ORIGIN_DEFAULT:
		snprintf(out, cap, "nothing selects a version");
		break;
	}
	return out;
}
