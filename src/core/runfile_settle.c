#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/tree.h"
#include "core/merge.h"
#include "core/runfilemap.h"
#include "ext/runmanifest.h"

struct settle {
	const char *tree;
	struct strlist components; /* names of folders below builds/ */
	struct runmanifest manifest;
};

static void list_folder(const char *path, struct strlist *out)
{
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strlist_add(out, e->d_name);
}

static bool read_manifest(struct settle *s, struct err *err)
{
	autofree char *folder = xasprintf("%s/manifests", s->tree);
	autostrlist struct strlist files = {0};
	list_folder(folder, &files);
	for (size_t i = 0; i < files.n; i++) {
		autobuf struct buf text = BUF_INIT(RUNMANIFEST_MAX);
		size_t n = strlen(files.items[i]);
		if (n < 4 || strcmp(files.items[i] + n - 4, ".xml") != 0)
			continue;
		autofree char *path = xasprintf("%s/%s", folder, files.items[i]);
		if (!io_read_file(path, &text, err))
			return false;
		return runmanifest_parse(&s->manifest, buf_str(&text), text.len, err);
	}
	return true;
}

static bool is_rule_of(const struct runmanifest_rule *r, const char *component)
{
	return !strncmp(r->build, "builds/", 7) && !strcmp(r->build + 7, component);
}

/* <file dir="D">REGEX</file>: files of a component that fit go to a folder of it. */
struct reroute {
	const regex_t *pattern;
	struct strlist files;
};

static bool on_file(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct reroute *r = ctx;
	regmatch_t whole;
	if (!S_ISDIR(st->st_mode) && regexec(r->pattern, rel, 1, &whole, 0) == 0 &&
	    whole.rm_so == 0 && !rel[whole.rm_eo])
		strlist_add(&r->files, rel);
	return true;
}

static bool move_files(const char *component, const char *dir, const struct strlist *files,
		       struct err *err)
{
	size_t n = strlen(dir);
	for (size_t i = 0; i < files->n; i++) {
		const char *rel = files->items[i];
		if (!strncmp(rel, dir, n) && rel[n] == '/')
			continue;
		autofree char *from = xasprintf("%s/%s", component, rel);
		autofree char *to = xasprintf("%s/%s/%s", component, dir, rel);
		autofree char *parent = xstrndup(to, (size_t)(strrchr(to, '/') - to));
		if (!tree_mkdirs(parent, err))
			return false;
		if (rename(from, to) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", from, to);
	}
	return true;
}

static bool reroute(const char *component, const struct runmanifest_rule *rule, struct err *err)
{
	regex_t pattern;
	struct reroute r = {.pattern = &pattern};
	/* A pattern in a dialect that is not known here: the files stay as they lie. */
	if (!rule->dir || regcomp(&pattern, rule->pattern ? rule->pattern : ".*", REG_EXTENDED))
		return true;
	bool ok = tree_walk(component, on_file, &r, err) &&
		  move_files(component, rule->dir, &r.files, err);
	strlist_clear(&r.files);
	regfree(&pattern);
	return ok;
}

/* The folder of the toolkit that a component goes to; -1 with *err. */
static int open_place(const struct settle *s, const char *install, struct err *err)
{
	autofree char *path =
		xasprintf("%s%s%s", s->tree, install ? "/" : "", install ? install : "");
	if (!tree_mkdirs(path, err))
		return -1;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", path);
	return fd;
}

static bool place(const struct settle *s, const struct merge_source *sources, size_t i,
		  struct err *err)
{
	const char *install = NULL;
	for (size_t k = 0; k < s->manifest.n; k++) {
		const struct runmanifest_rule *rule = &s->manifest.rules[k];
		if (!is_rule_of(rule, sources[i].name))
			continue;
		install = rule->install ? rule->install : install;
		if (!reroute(sources[i].tree, rule, err))
			return false;
	}
	autoclose int to = open_place(s, install, err);
	return to >= 0 && merge_tree(sources, i, to, err);
}

static bool place_all(const struct settle *s, struct err *err)
{
	size_t n = s->components.n;
	struct merge_source *sources = xcalloc(n, sizeof *sources);
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		sources[i] = (struct merge_source){
			s->components.items[i],
			xasprintf("%s/builds/%s", s->tree, s->components.items[i])};
	for (size_t i = 0; ok && i < n; i++)
		ok = place(s, sources, i, err);
	for (size_t i = 0; i < n; i++)
		free(sources[i].tree);
	free(sources);
	return ok;
}

/* Files beside the components go to the top; the folders are the components. */
static bool split(struct settle *s, struct err *err)
{
	autofree char *builds = xasprintf("%s/builds", s->tree);
	autostrlist struct strlist names = {0};
	list_folder(builds, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct stat st;
		autofree char *from = xasprintf("%s/%s", builds, names.items[i]);
		autofree char *to = xasprintf("%s/%s", s->tree, names.items[i]);
		if (lstat(from, &st) == 0 && S_ISDIR(st.st_mode))
			strlist_add(&s->components, names.items[i]);
		else if (rename(from, to) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", from, to);
	}
	if (s->components.n)
		return true;
	return err_set(err, ERR_INTEGRITY, "the runfile has no toolkit in it");
}

static bool remove_rest(const struct settle *s, struct err *err)
{
	autofree char *builds = xasprintf("%s/builds", s->tree);
	autofree char *manifests = xasprintf("%s/manifests", s->tree);
	return tree_remove(builds, err) && tree_remove(manifests, err);
}

static bool is_program(const char *path)
{
	char magic[4] = "";
	autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && io_pread_all(fd, magic, sizeof magic, 0) > 0 &&
	       (!memcmp(magic, "\177ELF", 4) || !memcmp(magic, "#!", 2));
}

static bool fix_mode(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	autofree char *path = xasprintf("%s/%s", (const char *)ctx, rel);
	if (!S_ISREG(st->st_mode))
		return true;
	mode_t mode = is_program(path) ? 0555 : 0444;
	if ((st->st_mode & 0777) == mode || chmod(path, mode) == 0)
		return true;
	return err_sys(err, ERR_FILESYSTEM, "cannot set the mode of '%s'", path);
}

bool runfile_settle(const char *tree, struct err *err)
{
	struct settle s = {.tree = tree};
	bool ok = read_manifest(&s, err) && split(&s, err) && place_all(&s, err) &&
		  remove_rest(&s, err) && tree_walk(tree, fix_mode, (void *)(uintptr_t)tree, err);
	strlist_clear(&s.components);
	runmanifest_clear(&s.manifest);
	return ok;
}
