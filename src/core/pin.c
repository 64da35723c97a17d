#include "core/pin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/pinfile.h"
#include "base/product.h"
#include "base/resolve.h"
#include "base/tree.h"

/* One line of a version file: [text, text + len) without its end, which begins there. */
struct line {
	const char *text;
	size_t len;
	size_t all; /* with "\n" or "\r\n" */
};

static bool next_line(const char **p, const char *end, struct line *out)
{
	if (*p == end)
		return false;
	const char *nl = memchr(*p, '\n', (size_t)(end - *p));
	out->text = *p;
	out->all = nl ? (size_t)(nl + 1 - *p) : (size_t)(end - *p);
	out->len = nl ? (size_t)(nl - *p) : out->all;
	if (out->len && out->text[out->len - 1] == '\r')
		out->len--;
	*p += out->all;
	return true;
}

static size_t blanks(const char *s, size_t len)
{
	size_t n = 0;
	while (n < len && (s[n] == ' ' || s[n] == '\t'))
		n++;
	return n;
}

/* Where the comment begins (or the blanks before it, or at the end of the line). */
static size_t content_end(const struct line *l)
{
	size_t n = l->len;
	for (size_t i = 0; i < n; i++)
		if (l->text[i] == '#' && (i == 0 || blanks(l->text + i - 1, 1)))
			n = i;
	while (n && blanks(l->text + n - 1, 1))
		n--;
	return n;
}

/* The key of "key = value" and where its value begins; false for other lines. */
static bool key_line(const struct line *l, const char *key, size_t *value)
{
	size_t at = blanks(l->text, l->len), n = 0;
	while (at + n < l->len && ((l->text[at + n] >= 'a' && l->text[at + n] <= 'z') ||
				   l->text[at + n] == '_' || l->text[at + n] == '-'))
		n++;
	size_t eq = at + n + blanks(l->text + at + n, l->len - at - n);
	if (!n || eq == l->len || l->text[eq] != '=')
		return false;
	*value = eq + 1 + blanks(l->text + eq + 1, l->len - eq - 1);
	return !key || (n == strlen(key) && !memcmp(l->text + at, key, n));
}

/* The file's way to end a line. */
static const char *line_end(const struct buf *b)
{
	const char *nl = b->len ? memchr(b->data, '\n', b->len) : NULL;
	return nl && nl > b->data && nl[-1] == '\r' ? "\r\n" : "\n";
}

static void add_line(struct buf *out, const char *eol, const char *a, const char *b, const char *c)
{
	if (out->len && out->data[out->len - 1] != '\n')
		buf_adds(out, eol);
	buf_adds(out, a);
	buf_adds(out, b);
	buf_adds(out, c);
	buf_adds(out, eol);
}

/* [0, from) of the line, the text, and what stood behind `to`. */
static void add_changed(struct buf *out, const struct line *l, size_t from, const char *text,
			size_t to)
{
	buf_add(out, l->text, from);
	buf_adds(out, text);
	buf_add(out, l->text + to, l->all - to);
}

static void replace_version(const struct buf *in, struct buf *out, const char *spec)
{
	const char *p = buf_str(in), *end = p + in->len, *eol = line_end(in);
	bool done = false;
	struct line l;
	if (in->len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) {
		buf_add(out, p, 3);
		p += 3;
	}
	while (next_line(&p, end, &l)) {
		size_t value, to = content_end(&l);
		if (done || !to) {
			buf_add(out, l.text, l.all);
			continue;
		}
		done = true;
		if (key_line(&l, NULL, &value)) {
			buf_addf(out, "%s%s", spec, eol);
			buf_add(out, l.text, l.all);
		} else {
			add_changed(out, &l, blanks(l.text, l.len), spec, to);
		}
	}
	if (!done)
		add_line(out, eol, spec, "", "");
}

static void replace_key(const struct buf *in, struct buf *out, const char *key, const char *value)
{
	const char *p = buf_str(in), *end = p + in->len;
	struct line l;
	while (next_line(&p, end, &l)) {
		size_t from, to = content_end(&l);
		if (!key_line(&l, key, &from)) {
			buf_add(out, l.text, l.all);
		} else if (value) {
			add_changed(out, &l, from, value, to > from ? to : from);
			value = NULL; /* once: of several lines the reader takes the last */
		}
	}
	if (value)
		add_line(out, line_end(in), key, "=", value);
}

/* An empty text when there is no such file; *mode: the one it has. */
static bool read_old(const char *path, struct buf *out, mode_t *mode, struct err *err)
{
	struct stat st;
	if (!io_read_file(path, out, err))
		return err->sys == ENOENT;
	if (stat(path, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", path);
	*mode = st.st_mode & 0777;
	return true;
}

static bool write_new(const char *path, const struct buf *text, mode_t mode, struct err *err)
{
	struct pinfile check;
	char where[WHERE_TEXT];
	pinfile_where(path, where);
	if (text->full)
		return err_set(err, ERR_USAGE, "%s would be longer than %d bytes", where,
			       PINFILE_MAX);
	/* The reader must understand what we leave behind. */
	if (!pinfile_parse(buf_str(text), text->len, where, &check, err))
		return err_prefix(err, "cannot change it");
	autofree char *real = realpath(path, NULL);
	return atomic_write(real ? real : path, buf_str(text), text->len, mode, err);
}

bool pin_write(const char *path, const char *spec, struct err *err)
{
	autobuf struct buf old = BUF_INIT(PINFILE_MAX), text = BUF_INIT(PINFILE_MAX);
	mode_t mode = 0666;
	if (!read_old(path, &old, &mode, err))
		return false;
	replace_version(&old, &text, spec);
	return write_new(path, &text, mode, err);
}

bool pin_set_key(const char *path, const char *key, const char *value, struct err *err)
{
	autobuf struct buf old = BUF_INIT(PINFILE_MAX), text = BUF_INIT(PINFILE_MAX);
	mode_t mode = 0666;
	if (!read_old(path, &old, &mode, err))
		return false;
	replace_key(&old, &text, key, value);
	return write_new(path, &text, mode, err);
}

static bool remove_file(const char *path, struct err *err)
{
	return unlink(path) == 0 || errno == ENOENT ||
	       err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", path);
}

bool pin_global(const struct layout *l, const char *spec, struct err *err)
{
	char path[PATH_MAX];
	if (!layout_path(l, path, sizeof path, "version"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	return (spec ? pin_write(path, spec, err) : remove_file(path, err)) && pin_refresh(l, err);
}

/* The prefix that <root>/version selects; "" where it selects none, or cannot be read: whoever asks
 * what it selects is told why. */
static void global_prefix(const struct layout *l, struct selection *s)
{
	char path[PATH_MAX];
	struct pinfile pins = {0};
	struct err ignored;
	if (!layout_path(l, path, sizeof path, "version") || !pinfile_read(path, &pins, &ignored))
		pins.versions = 0;
	for (int i = 0; i < pins.versions; i++) {
		struct spec spec;
		const char *word = pins.version[i];
		if (spec_parse(word, strlen(word), path, &spec, &ignored) &&
		    resolve_installed(l, &spec, s, &ignored))
			return;
	}
	s->prefix[0] = '\0';
}

/* cudnn/current, for IDEs: the cuDNN of the global pin. */
static bool refresh_cudnn(const struct layout *l, const struct selection *s, struct err *err)
{
	char path[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
	struct product_selection cudnn = {0};
	struct pinfile pins;
	struct version cuda;
	struct err ignored;
	if (!layout_path(l, path, sizeof path, "cudnn/current") ||
	    !layout_path(l, folder, sizeof folder, "cudnn") ||
	    !layout_path(l, file, sizeof file, "version"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	bool any = s->prefix[0] && pinfile_read(file, &pins, &ignored) && pins.cudnn[0] &&
		   product_cuda_of(s->prefix, s->name, &cuda) &&
		   product_find(l, "cudnn", pins.cudnn, file, &cuda, &cudnn, &ignored);
	if (!any)
		return remove_file(path, err);
	size_t n = strlen(l->root);
	bool own = !strncmp(cudnn.prefix, l->root, n) && cudnn.prefix[n] == '/';
	/* One of a shared root: ours may have none yet. */
	return tree_mkdirs(folder, err) &&
	       atomic_symlink(own ? cudnn.name : cudnn.prefix, path, err);
}

bool pin_refresh(const struct layout *l, struct err *err)
{
	char path[PATH_MAX];
	struct selection s;
	if (!layout_path(l, path, sizeof path, "current"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	global_prefix(l, &s);
	if (!refresh_cudnn(l, &s, err))
		return false;
	if (!s.prefix[0])
		return remove_file(path, err);
	/* Relative below our own root, so that the root can be moved. */
	size_t n = strlen(l->root);
	bool own = !strncmp(s.prefix, l->root, n) && s.prefix[n] == '/';
	return atomic_symlink(own ? s.prefix + n + 1 : s.prefix, path, err);
}
