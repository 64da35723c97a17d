#include "core/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "ext/inifile.h"

struct reading {
	config_file_fn *fn;
	void *ctx;
};

static bool on_entry(void *ctx, const struct inifile_entry *e, struct err *err)
{
	const struct reading *r = ctx;
	if (!e->key)
		return inifile_fail(e, err, "section '%s': this file has none", e->section);
	return r->fn(r->ctx, e->key, e->value, e->file, e->line, err);
}

bool config_file_read(const char *path, config_file_fn *fn, void *ctx, struct err *err)
{
	struct reading r = {fn, ctx};
	struct err e = {0};
	if (inifile_read(path, CONFIG_FILE_MAX, on_entry, &r, &e))
		return true;
	if (e.sys == ENOENT || e.sys == ENOTDIR)
		return true;
	*err = e;
	return false;
}

struct wanted {
	const char *key, *value;
	bool found;
};

static bool on_written(void *ctx, const char *key, const char *value, const char *file, int line,
		       struct err *err)
{
	struct wanted *w = ctx;
	if (!strcmp(key, w->key))
		w->found = w->value && !strcmp(value, w->value);
	return true;
}

/* Whether this line gives key a value; the same reading of it as inih's. */
static bool line_is(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);
	const char *end = line + len;
	while (line < end && isspace((unsigned char)*line))
		line++;
	if ((size_t)(end - line) <= n || memcmp(line, key, n) != 0)
		return false;
	for (line += n; line < end && isblank((unsigned char)*line); line++)
		;
	return line < end && (*line == '=' || *line == ':');
}

static void edit(const struct buf *old, const char *key, const char *value, struct buf *out)
{
	const char *p = buf_str(old), *end = p + old->len;
	bool done = !value;
	if (old->len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) {
		buf_add(out, p, 3);
		p += 3;
	}
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
		if (!line_is(p, len, key)) {
			buf_add(out, p, len);
		} else if (!done) {
			buf_addf(out, "%s = %s\n", key, value);
			done = true;
		}
		p += len;
	}
	if (!done && out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
	if (!done)
		buf_addf(out, "%s = %s\n", key, value);
}

bool config_file_write(const char *path, const char *key, const char *value, struct err *err)
{
	autobuf struct buf old = BUF_INIT(CONFIG_FILE_MAX), new = BUF_INIT(CONFIG_FILE_MAX);
	struct wanted w = {key, value, !value};
	struct reading r = {on_written, &w};
	struct err e = {0};
	struct stat st;
	/* A link, as people keep their settings in a repository, is followed and stays one. */
	autofree char *real = realpath(path, NULL);
	const char *to = real ? real : path;
	bool there = stat(to, &st) == 0;
	if (!there && (errno != ENOENT || !value))
		return errno == ENOENT || err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	if (there && !io_read_file(to, &old, err))
		return false;
	edit(&old, key, value, &new);
	if (new.full)
		return err_set(err, ERR_USAGE, "'%s' would be longer than %d bytes", path,
			       CONFIG_FILE_MAX);
	if (!inifile_parse(path, buf_str(&new), new.len, on_entry, &r, &e) || !w.found) {
		err_set(err, ERR_USAGE, "the value of '%s' cannot stand in '%s'", key, path);
		return err_hint(err, "%s",
				e.msg[0] ? e.msg : "blanks at its ends or ' ;' in it are lost");
	}
	return atomic_write(to, buf_str(&new), new.len, there ? st.st_mode & 0777 : 0644, err);
}
