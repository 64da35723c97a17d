#include "core/syslink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "core/package.h"
#include "core/syslink_priv.h"
#include "core/syslink_record.h"

const char *syslink_owner_word(enum syslink_owner o)
{
	static const char *const words[] = {
		[SYSLINK_ABSENT] = "absent",
		[SYSLINK_OURS] = "ours",
		[SYSLINK_ALTERNATIVES] = "alternatives",
		[SYSLINK_FOLDER] = "folder",
		[SYSLINK_FILE] = "file",
		[SYSLINK_FOREIGN] = "foreign",
		[SYSLINK_DANGLING] = "dangling",
		[SYSLINK_PACKAGE] = "package",
	};
	return words[o];
}

bool syslink_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static char *link_text(const char *path)
{
	char text[PATH_MAX];
	ssize_t n = readlink(path, text, sizeof text - 1);
	return n < 0 ? NULL : xstrndup(text, (size_t)n);
}

char *syslink_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* The path without needless slashes. */
static char *clean_path(const struct layout *l, const char *path, struct err *err)
{
	size_t n = 0, root = strlen(l->root);
	autofree char *clean = xstrdup(path);
	for (const char *p = path; *p; p++)
		if (*p != '/' || !n || clean[n - 1] != '/')
			clean[n++] = *p;
	n -= n > 1 && clean[n - 1] == '/';
	clean[n] = '\0';
	if (path[0] != '/' || n >= PATH_MAX || !path_safe_relative(clean + 1)) {
		err_set(err, ERR_USAGE, "'%s' is no place for the link", path);
		err_hint(err, "give an absolute path without '.' and '..', like /usr/local/cuda");
		return NULL;
	}
	if (!strncmp(clean, l->root, root) && (clean[root] == '/' || !clean[root])) {
		err_set(err, ERR_USAGE, "'%s' lies within cudaenv's own folder", path);
		err_hint(err, "'%s/current' always leads to the global version", l->root);
		return NULL;
	}
	return take_ptr(clean);
}

char *syslink_version(const struct layout *l, const char *text)
{
	char versions[PATH_MAX];
	for (int i = 0; text && layout_root(l, i, versions, sizeof versions); i++) {
		autofree char *top = xasprintf("%s/versions", versions);
		autofree char *real = realpath(top, NULL);
		const char *const at[] = {top, real};
		for (size_t j = 0; j < ARRAY_LEN(at) && at[j]; j++) {
			size_t n = strlen(at[j]);
			if (!strncmp(text, at[j], n) && text[n] == '/' && text[n + 1])
				return xstrndup(text + n + 1, strcspn(text + n + 1, "/"));
		}
	}
	return NULL;
}

const char *syslink_aim(const struct syslink *s)
{
	return s->owner == SYSLINK_ALTERNATIVES ? s->group.current : s->target;
}

static enum syslink_owner link_owner(const struct syslink *s)
{
	if (!s->leads)
		return SYSLINK_DANGLING;
	if (s->ours)
		return SYSLINK_OURS;
	return s->package ? SYSLINK_PACKAGE : SYSLINK_FOREIGN;
}

/* A group owns the link when it leads through it, and what is not there while the group has it. */
static bool group_owns(const struct syslink *s, bool there)
{
	autofree char *through = xasprintf("%s/etc/alternatives/%s", s->root, s->group.name);
	return !there || syslink_same(s->target, through);
}

static void fill_owner(const struct layout *l, struct syslink *s)
{
	struct stat st;
	bool there = lstat(s->path, &st) == 0;
	s->target = there ? link_text(s->path) : NULL;
	s->leads = realpath(s->path, NULL);
	s->owner = SYSLINK_ABSENT;
	if (alternatives_find(s->root, s->path, &s->group)) {
		if (group_owns(s, there))
			s->owner = SYSLINK_ALTERNATIVES;
		else
			alternatives_clear(&s->group);
	}
	s->version = syslink_version(l, syslink_aim(s));
	if (!s->version)
		s->version = syslink_version(l, s->leads);
	s->ours = s->version || (s->former.kept && syslink_same(s->former.set, syslink_aim(s)));
	if (!there || s->owner == SYSLINK_ALTERNATIVES)
		return;
	s->package = package_owner(s->root, s->path, true);
	s->owner = s->target ? link_owner(s) : S_ISDIR(st.st_mode) ? SYSLINK_FOLDER : SYSLINK_FILE;
}

static bool may_write(const struct syslink *s)
{
	autofree char *folder = syslink_parent(s->path);
	return access(folder, W_OK) == 0 &&
	       (s->owner != SYSLINK_ALTERNATIVES || alternatives_writable(s->root, &s->group));
}

bool syslink_look(const struct layout *l, const char *root, const char *path, struct syslink *out,
		  struct err *err)
{
	struct syslink s = {0};
	s.path = clean_path(l, path, err);
	if (!s.path)
		return false;
	s.root = xstrdup(root);
	if (!syslink_record_read(l, s.path, &s.former, err)) {
		syslink_clear(&s);
		return false;
	}
	fill_owner(l, &s);
	s.writable = may_write(&s);
	*out = s;
	return true;
}

void syslink_clear(struct syslink *s)
{
	free(s->path);
	free(s->root);
	free(s->target);
	free(s->leads);
	free(s->version);
	free(s->package);
	alternatives_clear(&s->group);
	syslink_former_clear(&s->former);
	*s = (struct syslink){0};
}

char *syslink_prefix(const char *version_prefix, struct err *err)
{
	autofree char *text = link_text(version_prefix);
	if (!text)
		return xstrdup(version_prefix);
	char *real = realpath(version_prefix, NULL);
	if (!real)
		err_sys(err, ERR_FILESYSTEM, "cannot follow '%s'", version_prefix);
	return real;
}

char *syslink_barrier(const char *path, const char *prefix)
{
	struct stat st;
	autofree char *real = realpath(prefix, NULL);
	autofree char *folder = syslink_parent(path);
	autofree char *beside = realpath(folder, NULL);
	for (char *p = real; p; p = strchr(p + 1, '/')) {
		size_t n = (size_t)(p - real);
		autofree char *at = xstrndup(real, n ? n : 1);
		if (stat(at, &st) < 0 || (st.st_mode & S_IXOTH))
			continue;
		/* Who cannot come to the link need not come to the prefix. */
		bool behind = beside && !strncmp(beside, at, n) && (!beside[n] || beside[n] == '/');
		if (!behind)
			return take_ptr(at);
	}
	return real && stat(real, &st) == 0 && !(st.st_mode & S_IXOTH) ? take_ptr(real) : NULL;
}

char *syslink_user(const struct layout *l, const char *prefix)
{
	autostrlist struct strlist paths = {0};
	autofree char *wanted = realpath(prefix, NULL);
	strlist_add(&paths, "/usr/local/cuda");
	syslink_record_list(l, &paths);
	for (size_t i = 0; wanted && i < paths.n; i++) {
		autofree char *leads = realpath(paths.items[i], NULL);
		if (syslink_same(leads, wanted))
			return xstrdup(paths.items[i]);
	}
	return NULL;
}
