/* link, unlink: existing trees under a name. They are never changed and never deleted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"
#include "base/version.h"
#include "cli/cmd.h"
#include "cli/select.h"
#include "core/refresh.h"
#include "core/syslink.h"
#include "core/toolkits.h"

/*
 * The text of the link. A path that leads on by links of its own (/usr/local/cuda) goes on doing so, but not under the
 * number of a release: that it stays.
 */
static char *absolute(const char *path, const char *name, struct err *err)
{
	char real[PATH_MAX];
	struct version number;
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (path[0] == '/' && !version_parse(name, strlen(name), &number) &&
	    !strstr(path, "/../") && !strstr(path, "/./") && !strstr(path, "//"))
		return xstrndup(path, n);
	if (realpath(path, real))
		return xstrdup(real);
	err_sys(err, ERR_FILESYSTEM, "cannot link '%s'", path);
	return NULL;
}

static bool check_tree(const char *path, struct err *err)
{
	struct stat st;
	autofree char *nvcc = xasprintf("%s/bin/nvcc", path);
	if (stat(path, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot link '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_FILESYSTEM, "cannot link '%s': it is not a folder", path);
	if (stat(nvcc, &st) == 0 && S_ISREG(st.st_mode) && access(nvcc, X_OK) == 0)
		return true;
	err_set(err, ERR_FILESYSTEM, "cannot link '%s': it has no program 'bin/nvcc'", path);
	return err_hint(err,
			"name the folder above the bin that holds nvcc, like /usr/local/cuda-12.4");
}

/*
 * A distribution's packages lie among everything else: /usr/bin first on PATH and /usr/include as a folder of CUDA's
 * headers spoil builds. adopt makes a prefix of links to what is CUDA's.
 */
static bool check_own_folder(const char *path, struct err *err)
{
	if (!scan_same(path, "/usr") && !scan_same(path, "/"))
		return true;
	err_set(err, ERR_USAGE, "'%s' holds much else than CUDA", path);
	return err_hint(err, "cudaenv adopt /usr links what is CUDA's, under a name of its own");
}

/* A tree that is one of ours already would be its own link, or a second name for it. */
static bool check_foreign(const struct layout *l, const char *path, struct err *err)
{
	char versions[PATH_MAX];
	autofree char *real = realpath(path, NULL);
	for (int i = 0; real && layout_root(l, i, versions, sizeof versions); i++) {
		autofree char *top = path_join(versions, sizeof versions, versions, "versions")
					     ? realpath(versions, NULL)
					     : NULL;
		size_t n = top ? strlen(top) : 0;
		if (!n || strncmp(real, top, n) != 0 || real[n] != '/')
			continue;
		err_set(err, ERR_USAGE, "'%s' is installed by cudaenv", path);
		return err_hint(err, "a second name for it: cudaenv alias NAME %s",
				path_base(real));
	}
	return true;
}

static bool check_free(const struct layout *l, const char *name, const char *link,
		       const char *target, struct err *err)
{
	char old[PATH_MAX], alias[PATH_MAX];
	struct stat st;
	if (layout_root_path(l, 0, "aliases", name, alias, sizeof alias) &&
	    lstat(alias, &st) == 0) {
		err_set(err, ERR_USAGE, "'%s' is an alias", name);
		return err_hint(err, "cudaenv unalias %s, or take another name", name);
	}
	ssize_t n = readlink(link, old, sizeof old - 1);
	if (n < 0 && errno == ENOENT)
		return true;
	if (n < 0) {
		err_set(err, ERR_USAGE, "version '%s' is installed", name);
		return err_hint(err, "take another name");
	}
	old[n] = '\0';
	if (strcmp(old, target) == 0)
		return true;
	err_set(err, ERR_USAGE, "'%s' is linked to '%s'", name, old);
	return err_hint(err, "cudaenv unlink %s, or take another name", name);
}

/* Another CUDA is never taken in place of the one that is asked for: a number must be the tree's own. */
static bool check_number(const char *name, const char *target, const char *release, struct err *err)
{
	struct version want, have;
	if (!version_parse(name, strlen(name), &want) ||
	    !version_parse(release, strlen(release), &have))
		return true;
	for (int i = 0; i < want.n && i < have.n; i++)
		if (want.part[i] != have.part[i]) {
			err_set(err, ERR_USAGE, "'%s' is CUDA %s, not %s", target, release, name);
			return err_hint(err, "take the name %s, or one with a letter", release);
		}
	return true;
}

static bool run_link(struct app *app, const struct args *args, struct err *err)
{
	char link[PATH_MAX], folder[PATH_MAX], release[VERSION_TEXT];
	const char *name = args->pos[0];
	if (!select_name(name, err))
		return false;
	autofree char *target = absolute(args->pos[1], name, err);
	if (!target || !check_own_folder(target, err) || !check_tree(target, err) ||
	    !check_foreign(&app->layout, target, err))
		return false;
	if (!layout_path(&app->layout, folder, sizeof folder, "versions") ||
	    !path_join(link, sizeof link, folder, name))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	bool known = toolkit_release(target, release);
	if (!check_free(&app->layout, name, link, target, err) ||
	    (known && !check_number(name, target, release, err)) || !tree_mkdirs(folder, err) ||
	    !atomic_symlink(target, link, err) || !refresh_root(&app->layout, &app->events, err))
		return false;
	if (known)
		event_note(&app->events, "'%s' is CUDA %s in '%s'", name, release, target);
	else
		event_warn(&app->events, NULL, "'%s' does not say which CUDA release it is",
			   target);
	return true;
}

const struct command cmd_link = {
	.name = "link",
	.args = "NAME PATH",
	.summary = "use an existing toolkit under a name",
	.about = "The tree is used as it is: never changed, never deleted. A name that is the "
		 "number of a release "
		 "(12.4.1) is found by '12.4' too.",
	.min_args = 2,
	.max_args = 2,
	.needs = NEED_ROOT | NEED_LOCK,
	.run = run_link,
};

/* The links that adopt made: away in one step, then removed. */
static bool drop_prefix(const struct layout *l, const char *prefix, struct err *err)
{
	autofree char *staging = xasprintf("%s/staging", l->root);
	autofree char *trash = xasprintf("%s/unlink.%ld", staging, (long)getpid());
	return tree_mkdirs(staging, err) && atomic_remove(prefix, trash, err);
}

static bool remove_link(const char *link, struct err *err)
{
	return unlink(link) == 0 || err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", link);
}

/* ROOT/current is "versions/NAME". */
static bool points_to(const char *current, const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlink(current, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	return !strncmp(text, "versions/", 9) && !strcmp(text + 9, name);
}

/* The pin stays: which version is to come in its place nobody said. */
static void warn_if_used(struct app *app, const char *name, bool global, const char *led)
{
	if (global)
		event_warn(&app->events,
			   "choose another one with 'cudaenv global', or cudaenv global --unset",
			   "'%s' was the global version", name);
	if (led)
		event_warn(&app->events, "lead it elsewhere with 'cudaenv system-link --path'",
			   "'%s' led to '%s'", led, name);
}

static bool run_unlink(struct app *app, const struct args *args, struct err *err)
{
	const char *name = args->pos[0];
	char link[PATH_MAX];
	struct stat st;
	if (!path_safe_component(name))
		return err_set(err, ERR_USAGE, "'%s' is not a name", name);
	if (!layout_root_path(&app->layout, 0, "versions", name, link, sizeof link))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	if (lstat(link, &st) < 0) {
		err_set(err, ERR_NOT_INSTALLED, "nothing is linked as '%s'", name);
		return err_hint(err, "'cudaenv versions' lists what there is");
	}
	autofree char *adopted = toolkit_adopted(link);
	if (!S_ISLNK(st.st_mode) && !adopted) {
		err_set(err, ERR_USAGE, "'%s' is installed, not linked", name);
		return err_hint(err, "cudaenv uninstall %s", name);
	}
	autofree char *current = xasprintf("%s/current", app->layout.root);
	autofree char *led = adopted ? syslink_user(&app->layout, link) : NULL;
	bool global = points_to(current, name);
	if (!(S_ISLNK(st.st_mode) ? remove_link(link, err)
				  : drop_prefix(&app->layout, link, err)) ||
	    !refresh_root(&app->layout, &app->events, err))
		return false;
	warn_if_used(app, name, global, led);
	return true;
}

const struct command cmd_unlink = {
	.name = "unlink",
	.args = "NAME",
	.summary = "forget a linked toolkit; the tree stays",
	.min_args = 1,
	.max_args = 1,
	.needs = NEED_ROOT | NEED_LOCK,
	.run = run_unlink,
};
