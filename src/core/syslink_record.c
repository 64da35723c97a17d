#include "core/syslink_record.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"

enum { RECORD_MAX = 64 << 10, FORMAT = 1 };

static char *folder_of(const struct layout *l)
{
	return xasprintf("%s/system-link", l->root);
}

/* The path as one name. */
static char *file_of(const struct layout *l, const char *path)
{
	autofree char *folder = folder_of(l);
	autobuf struct buf name = BUF_INIT(3 * PATH_MAX);
	for (const char *p = path; *p; p++)
		if (*p == '/' || *p == '%')
			buf_addf(&name, "%%%02X", (unsigned)*p);
		else
			buf_addc(&name, *p);
	return xasprintf("%s/%s.json", folder, buf_str(&name));
}

void syslink_former_clear(struct syslink_former *f)
{
	free(f->set);
	free(f->target);
	free(f->group);
	free(f->choice);
	*f = (struct syslink_former){0};
}

static char *copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

bool syslink_record_read(const struct layout *l, const char *path, struct syslink_former *f,
			 struct err *err)
{
	autobuf struct buf text = BUF_INIT(RECORD_MAX);
	autofree char *file = file_of(l, path);
	int format = 0, manual = 0;
	const char *set = NULL, *target = NULL, *group = NULL, *choice = NULL;
	if (access(file, F_OK) < 0 && errno == ENOENT) {
		*f = (struct syslink_former){0};
		return true;
	}
	if (!io_read_file(file, &text, err))
		return false;
	json_t *o = json_loadb(buf_str(&text), text.len, 0, NULL);
	bool ok =
		o &&
		json_unpack(o, "{si ss s?s s?s s?s s?b}", "format", &format, "set", &set, "target",
			    &target, "group", &group, "choice", &choice, "manual", &manual) == 0 &&
		format == FORMAT;
	if (ok)
		*f = (struct syslink_former){true,	  copy(set),	copy(target),
					     copy(group), copy(choice), manual != 0};
	json_decref(o);
	return ok || err_set(err, ERR_FAILED, "cannot understand '%s'", file);
}

/* What root writes into a folder of somebody else is for that one to change later. */
static void give_to_owner(const struct layout *l, const char *path)
{
	struct stat st;
	if (geteuid() == 0 && stat(l->root, &st) == 0 && st.st_uid != 0 &&
	    lchown(path, st.st_uid, st.st_gid) < 0)
		return;
}

static void add(json_t *o, const char *key, const char *value)
{
	if (value)
		json_object_set_new(o, key, json_string(value));
}

bool syslink_record_write(const struct layout *l, const char *path, const struct syslink_former *f,
			  struct err *err)
{
	autofree char *folder = folder_of(l), *file = file_of(l, path);
	json_t *o = json_pack("{si ss ss sb}", "format", FORMAT, "path", path, "set", f->set,
			      "manual", f->manual);
	if (!o)
		return err_set(err, ERR_USAGE, "'%s' is not UTF-8", path);
	add(o, "target", f->target);
	add(o, "group", f->group);
	add(o, "choice", f->choice);
	autofree char *text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	if (strlen(path_base(file)) > NAME_MAX)
		return err_set(err, ERR_USAGE, "'%s' is too long", path);
	if (!tree_mkdirs(folder, err) || !atomic_write(file, text, strlen(text), 0644, err))
		return false;
	/* The lock that was taken for this may be new as well. */
	autofree char *lock = xasprintf("%s/lock", l->root);
	const char *const written[] = {folder, file, lock};
	for (size_t i = 0; i < ARRAY_LEN(written); i++)
		give_to_owner(l, written[i]);
	return true;
}

bool syslink_record_remove(const struct layout *l, const char *path, struct err *err)
{
	autofree char *file = file_of(l, path);
	return unlink(file) == 0 || errno == ENOENT ||
	       err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", file);
}

struct listing {
	const char *folder;
	struct strlist *out;
};

static bool add_path(void *ctx, const char *name, unsigned char type)
{
	struct listing *to = ctx;
	struct err ignored;
	const char *path;
	autobuf struct buf text = BUF_INIT(RECORD_MAX);
	autofree char *file = xasprintf("%s/%s", to->folder, name);
	json_t *o = name[0] != '.' && io_read_file(file, &text, &ignored)
			    ? json_loadb(buf_str(&text), text.len, 0, NULL)
			    : NULL;
	if (o && json_unpack(o, "{ss}", "path", &path) == 0)
		strlist_add(to->out, path);
	json_decref(o);
	return true;
}

void syslink_record_list(const struct layout *l, struct strlist *out)
{
	autofree char *folder = folder_of(l);
	struct listing to = {folder, out};
	scan_folder(folder, add_path, &to);
}
