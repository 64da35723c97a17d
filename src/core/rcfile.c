#include "core/rcfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"

static const char begin_marker[] = "# >>> cudaenv >>>";
static const char end_marker[] = "# <<< cudaenv <<<";
/* First in a block where the file had no newline at its end. */
static const char joined_marker[] = "# the newline in front of this block belongs to it";

enum { RCFILE_MAX = 1 << 22 };

static bool line_is(const char *line, size_t len, const char *marker)
{
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	return len == strlen(marker) && !memcmp(line, marker, len);
}

static void add_block(struct buf *out, const char *text, bool joined)
{
	if (text)
		buf_addf(out, "%s\n%s%s%s%s\n", begin_marker, joined ? joined_marker : "",
			 joined ? "\n" : "", text, end_marker);
}

/* false: a block has no end. */
static bool edit(const struct buf *old, const char *text, struct buf *out)
{
	const char *p = buf_str(old), *end = p + old->len;
	bool inside = false, done = false, joined = false;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
		if (!inside && line_is(p, len, begin_marker)) {
			inside = true;
		} else if (!inside) {
			/* The newline in front of a block above is theirs now. */
			buf_add(out, p, len);
			joined = false;
		} else if (line_is(p, len, joined_marker)) {
			joined = true;
		} else if (line_is(p, len, end_marker)) {
			add_block(out, done ? NULL : text, joined);
			inside = false;
			done = true;
		}
		p += len;
	}
	if (!text && joined && out->len && out->data[out->len - 1] == '\n')
		buf_cut(out, out->len - 1);
	if (!done && text) {
		joined = out->len && out->data[out->len - 1] != '\n';
		buf_adds(out, joined ? "\n" : "");
		add_block(out, text, joined);
	}
	return !inside;
}

bool rcfile_block(const char *path, const char *text, bool *changed, struct err *err)
{
	autobuf struct buf old = BUF_INIT(RCFILE_MAX), new = BUF_INIT(RCFILE_MAX);
	struct stat st;
	/* Many keep these files in a repository, with a link where the shell looks. */
	autofree char *real = realpath(path, NULL);
	const char *to = real ? real : path;
	bool there = stat(to, &st) == 0;
	if (!there && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	if (!there && text && lstat(path, &st) == 0) {
		err_set(err, ERR_FILESYSTEM, "'%s' is a link to a file that is not there", path);
		return err_hint(err, "make that file, or remove the link");
	}
	if (there && !io_read_file(to, &old, err))
		return false;
	if (!edit(&old, text, &new)) {
		err_set(err, ERR_FAILED, "'%s' has a line '%s', but no '%s' behind it", path,
			begin_marker, end_marker);
		return err_hint(err, "take what is left of that block out by hand");
	}
	if (new.full)
		return err_set(err, ERR_FAILED, "'%s' would be longer than %d bytes", path,
			       RCFILE_MAX);
	*changed = old.len != new.len || memcmp(buf_str(&old), buf_str(&new), old.len) != 0;
	/* The folder would let us replace it. */
	if (*changed && there && access(to, W_OK) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	return !*changed ||
	       atomic_write(to, buf_str(&new), new.len, there ? st.st_mode & 0777 : 0644, err);
}
