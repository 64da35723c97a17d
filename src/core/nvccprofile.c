#include "core/nvccprofile.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"

enum { PROFILE_MAX = 1 << 16 };

/* Whether the text (n bytes) names the folder, and not one whose name only begins so. */
static bool names(const char *line, size_t n, const char *folder)
{
	size_t len = strlen(folder);
	const char *at = memmem(line, n, folder, len);
	size_t left = at ? n - (size_t)(at - line) - len : 0;
	return at && (left == 0 || strchr("/\" \t\r\n", at[len]));
}

static bool sets(const char *line, const char *variable)
{
	size_t n = strlen(variable);
	line += strspn(line, " \t");
	return !strncmp(line, variable, n) && line[n] && strchr(" \t=+?", line[n]);
}

bool nvccprofile_set(const char *prefix, const char *own, const char *lines, const char *unless,
		     struct err *err)
{
	autofree char *path = xasprintf("%s/bin/nvcc.profile", prefix);
	autofree char *folder = xasprintf(NVCCPROFILE_OWN "%s", own);
	autobuf struct buf old = BUF_INIT(PROFILE_MAX), new = BUF_INIT(2 * PROFILE_MAX);
	bool foreign = false;
	size_t place = SIZE_MAX; /* of what was there, so that setting it again changes nothing */
	if (!io_read_file(path, &old, err))
		return false;
	for (const char *s = buf_str(&old); *s;) {
		size_t n = strcspn(s, "\n");
		n += s[n] == '\n';
		if (names(s, n, folder)) {
			place = place < new.len ? place : new.len;
		} else {
			buf_add(&new, s, n);
			foreign |= unless && sets(s, unless);
		}
		s += n;
	}
	if (lines[0] && !foreign) {
		autofree char *rest = xstrdup(place < new.len ? buf_str(&new) + place : "");
		new.len -= strlen(rest);
		if (new.len &&new.data[new.len - 1] != '\n')
			buf_addc(&new, '\n');
		buf_adds(&new, lines);
		buf_adds(&new, rest);
	}
	if (new.len == old.len && !memcmp(buf_str(&new), buf_str(&old), new.len))
		return true;
	if (!atomic_write(path, buf_str(&new), new.len, 0644, err))
		return false;
	if (chmod(path, 0644) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", path);
	return true;
}
