#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/version.h"
#include "core/syslink.h"
#include "core/syslink_priv.h"
#include "core/syslink_record.h"

/* What is never replaced. */
static bool check_owner(const struct syslink *s, struct err *err)
{
	switch (s->owner) {
	case SYSLINK_FOLDER:
		err_set(err, ERR_USAGE, "'%s' is a real folder%s%s", s->path,
			s->package ? " of the package " : "", s->package ? s->package : "");
		return err_hint(err, "move it away yourself, or give another place: --path PATH");
	case SYSLINK_FILE:
		return err_set(err, ERR_USAGE, "'%s' is there, and it is no link", s->path);
	case SYSLINK_PACKAGE:
		err_set(err, ERR_USAGE, "the link '%s' belongs to the package %s", s->path,
			s->package);
		return err_hint(
			err, "its next update would put it back; give another place: --path PATH");
	case SYSLINK_ABSENT:
	case SYSLINK_OURS:
	case SYSLINK_ALTERNATIVES:
	case SYSLINK_FOREIGN:
	case SYSLINK_DANGLING:
		break;
	}
	return true;
}

static bool check_rights(const struct syslink *s, struct err *err)
{
	autofree char *folder = syslink_parent(s->path);
	struct stat st;
	if (s->writable)
		return true;
	if (stat(folder, &st) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot change '%s'", s->path);
		return err_hint(err, "there is no folder '%s': make it first", folder);
	}
	errno = access(folder, W_OK) < 0 ? errno : EACCES;
	return err_sys(err, ERR_FILESYSTEM, "cannot change '%s'", s->path);
}

/* 124 for 12.4, as NVIDIA's packages count. */
static int priority_of(const char *name)
{
	struct version v;
	size_t n = strcspn(name, "0123456789");
	if (!version_parse(name + n, strspn(name + n, "0123456789."), &v) || v.part[0] > 1000)
		return 1;
	return (int)(v.part[0] * 10 + (v.n > 1 && v.part[1] < 10 ? v.part[1] : 0));
}

/* What is there now is what to go back to, unless that is ours: then what was kept before stays. */
static bool keep_former(const struct layout *l, const struct syslink *s, const char *prefix,
			struct err *err)
{
	struct syslink_former f = s->former;
	char set[PATH_MAX];
	snprintf(set, sizeof set, "%s", prefix);
	f.set = set;
	if (s->former.kept && s->ours)
		return syslink_record_write(l, s->path, &f, err);
	bool group = s->owner == SYSLINK_ALTERNATIVES;
	struct syslink_former now = {
		.set = set,
		.target = group ? NULL : s->target,
		.group = group ? s->group.name : NULL,
		.choice = group ? s->group.current : NULL,
		.manual = group && s->group.manual,
	};
	return syslink_record_write(l, s->path, &now, err);
}

/* A version of ours that is no longer the choice needs no place in the group. */
static bool drop_others(const struct layout *l, const struct syslink *s, const char *prefix,
			struct err *err)
{
	for (size_t i = 0; i < s->group.choices.n; i++) {
		const char *choice = s->group.choices.items[i];
		autofree char *version = syslink_version(l, choice);
		bool own = version || (s->former.kept && syslink_same(s->former.set, choice));
		if (own && !syslink_same(choice, prefix) &&
		    !syslink_same(choice, s->former.choice) &&
		    !alternatives_drop(s->root, &s->group, choice, err))
			return false;
	}
	return true;
}

bool syslink_set(const struct layout *l, const struct syslink *s, const char *name,
		 const char *prefix, bool *changed, struct err *err)
{
	if (syslink_same(prefix, s->path))
		return err_set(err, ERR_USAGE, "'%s' is '%s' itself", name, s->path);
	if (!check_owner(s, err))
		return false;
	*changed = !syslink_same(syslink_aim(s), prefix) || !s->leads;
	if (!*changed)
		return true;
	if (!check_rights(s, err) || !keep_former(l, s, prefix, err))
		return false;
	if (s->owner != SYSLINK_ALTERNATIVES)
		return atomic_symlink(prefix, s->path, err);
	return alternatives_set(s->root, &s->group, prefix, priority_of(name), err) &&
	       drop_others(l, s, prefix, err);
}

static bool restore_group(const struct syslink *s, struct err *err)
{
	const struct syslink_former *f = &s->former;
	bool back = f->manual && f->choice && strlist_has(&s->group.choices, f->choice);
	return alternatives_choose(s->root, &s->group, back ? f->choice : NULL, err) &&
	       (syslink_same(f->set, f->choice) ||
		alternatives_drop(s->root, &s->group, f->set, err));
}

static bool restore_link(const struct syslink *s, struct err *err)
{
	if (s->former.target)
		return atomic_symlink(s->former.target, s->path, err);
	return unlink(s->path) == 0 || errno == ENOENT ||
	       err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", s->path);
}

/* Somebody else's change since then is not undone. */
static bool check_unchanged(const struct syslink *s, struct err *err)
{
	const struct syslink_former *f = &s->former;
	bool group = s->owner == SYSLINK_ALTERNATIVES, folder = s->owner == SYSLINK_FOLDER;
	if (group == (f->group != NULL) && syslink_same(syslink_aim(s), f->set))
		return true;
	if (folder || s->owner == SYSLINK_FILE) {
		err_set(err, ERR_FAILED, "'%s' was changed by somebody else since; it is a %s",
			s->path, folder ? "real folder" : "file");
		return err_hint(err, "move it away yourself");
	}
	err_set(err, ERR_FAILED, "'%s' was changed by somebody else since; it %s%s", s->path,
		syslink_aim(s) ? "leads to " : "is ",
		syslink_aim(s) ? syslink_aim(s) : syslink_owner_word(s->owner));
	return err_hint(err, "'cudaenv system-link VERSION' takes it again");
}

/* Nothing is left to do: the link is as it was, or a stop came before it was changed. */
static bool is_former(const struct syslink *s)
{
	const struct syslink_former *f = &s->former;
	if (s->owner == SYSLINK_ALTERNATIVES)
		return f->group && syslink_same(f->choice, s->group.current) &&
		       f->manual == s->group.manual;
	return !f->group &&
	       (f->target ? syslink_same(f->target, s->target) : s->owner == SYSLINK_ABSENT);
}

bool syslink_restore(const struct layout *l, const struct syslink *s, struct err *err)
{
	if (!s->former.kept) {
		err_set(err, ERR_FAILED, "cudaenv has not changed '%s'", s->path);
		return err_hint(err, "'cudaenv system-link --status' tells whose it is");
	}
	if (!is_former(s)) {
		if (!check_unchanged(s, err) || !check_rights(s, err))
			return false;
		if (!(s->former.group ? restore_group(s, err) : restore_link(s, err)))
			return false;
	}
	return syslink_record_remove(l, s->path, err);
}
