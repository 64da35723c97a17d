#include "core/record_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"

enum { FILE_MAX = 4 << 20 };

void record_file_now(char *out, size_t cap)
{
	time_t t = time(NULL);
	struct tm tm;
	if (!gmtime_r(&t, &tm) || !strftime(out, cap, "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = '\0';
}

bool record_file_write(const char *prefix, const char *name, const json_t *root, struct err *err)
{
	autofree char *dir = xasprintf("%s/.cudaenv", prefix);
	autofree char *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	if (stat(prefix, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	if (mkdir(dir, 0755) == 0) {
		if (chmod(dir, 0755) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", dir);
	} else if (errno != EEXIST) {
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", dir);
	}
	autofree char *text = json_dumps(root, JSON_INDENT(2));
	if (!text)
		return err_set(err, ERR_FAILED, "cannot write '%s': a value is not UTF-8", path);
	autofree char *line = xasprintf("%s\n", text);
	if (!atomic_write(path, line, strlen(line), 0644, err))
		return false;
	if (chmod(path, 0644) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", path);
	return true;
}

json_t *record_file_read(const char *path, struct err *err)
{
	autobuf struct buf text = BUF_INIT(FILE_MAX);
	json_error_t e;
	if (!io_read_file(path, &text, err)) {
		err->code = ERR_FAILED;
		return NULL;
	}
	json_t *root = json_loadb(buf_str(&text), text.len, JSON_REJECT_DUPLICATES, &e);
	if (!root)
		err_set(err, ERR_FAILED, "'%s' line %d: %s", path, e.line, e.text);
	return root;
}

bool record_file_text(const json_t *o, const char *key, char *out, size_t cap, bool required)
{
	const char *s = json_string_value(json_object_get(o, key));
	if (!s)
		s = "";
	if ((required && !s[0]) || strlen(s) >= cap)
		return false;
	memcpy(out, s, strlen(s) + 1);
	return true;
}
