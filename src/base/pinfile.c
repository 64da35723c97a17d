#include "base/pinfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_text(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)s[i] < 0x20 && s[i] != '\n' && !is_blank(s[i])) || s[i] == 0x7f)
			return false;
	return true;
}

/* Cuts blanks at both ends and a comment, which begins with a '#' at the start of a word. */
static void trim(const char **s, size_t *len)
{
	while (*len && is_blank(**s)) {
		++*s;
		--*len;
	}
	for (size_t i = 0; i < *len; i++)
		if ((*s)[i] == '#' && (i == 0 || is_blank((*s)[i - 1])))
			*len = i;
	while (*len && is_blank((*s)[*len - 1]))
		--*len;
}

static bool copy(char *out, size_t cap, const char *s, size_t len)
{
	if (len >= cap)
		return false;
	memcpy(out, s, len);
	out[len] = '\0';
	return true;
}

bool pinfile_words(const char *s, size_t len, const char *where, struct pinfile *out,
		   struct err *err)
{
	const char *end = s + len;
	out->versions = 0;
	for (;;) {
		const char *word;
		while (s < end && is_blank(*s))
			s++;
		if (s == end)
			return true;
		for (word = s; s < end && !is_blank(*s);)
			s++;
		if (out->versions == PINFILE_VERSIONS)
			return err_set(err, ERR_USAGE, "%s names more than %d versions", where,
				       PINFILE_VERSIONS);
		if (!copy(out->version[out->versions++], VERSION_TEXT, word, (size_t)(s - word)))
			return err_set(err, ERR_USAGE, "'%.*s...' in %s is too long for a version",
				       VERSION_TEXT, word, where);
	}
}

/* What is left of '=' in "key = value", when the line has that form; a range (">=12") has not. */
static size_t key_length(const char *s, size_t len)
{
	size_t n = 0;
	while (n < len && ((s[n] >= 'a' && s[n] <= 'z') || s[n] == '_' || s[n] == '-'))
		n++;
	size_t end = n;
	while (end < len && is_blank(s[end]))
		end++;
	return n && end < len && s[end] == '=' ? n : 0;
}

static bool set_key(struct pinfile *out, const char *key, size_t klen, const char *val, size_t vlen,
		    const char *where, struct err *err)
{
	const struct {
		const char *name;
		char *to;
		size_t cap;
	} keys[] = {{"cudnn", out->cudnn, sizeof out->cudnn},
		    {"profile", out->profile, sizeof out->profile},
		    {"components", out->components, sizeof out->components},
		    {"ccbin", out->ccbin, sizeof out->ccbin}};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (klen != strlen(keys[i].name) || memcmp(key, keys[i].name, klen) != 0)
			continue;
		if (copy(keys[i].to, keys[i].cap, val, vlen))
			return true;
		return err_set(err, ERR_USAGE, "the value of '%s' in %s is too long", keys[i].name,
			       where);
	}
	if (!out->unknown_key[0])
		copy(out->unknown_key, sizeof out->unknown_key, key,
		     klen < VERSION_TEXT ? klen : VERSION_TEXT - 1);
	return true;
}

static bool parse_line(const char *s, size_t len, int line, const char *where, struct pinfile *out,
		       struct err *err)
{
	trim(&s, &len);
	if (len == 0)
		return true;
	size_t key = key_length(s, len);
	if (!key && !out->versions)
		return pinfile_words(s, len, where, out, err);
	if (!key) {
		err_set(err, ERR_USAGE, "line %d of %s, '%.*s', is not 'key=value'", line, where,
			(int)(len < VERSION_TEXT ? len : VERSION_TEXT), s);
		return err_hint(err,
				"fallbacks stand on the line of the version: '12.4 12.3 system'");
	}
	const char *value = memchr(s, '=', len);
	size_t vlen = len - (size_t)(++value - s);
	trim(&value, &vlen);
	return set_key(out, s, key, value, vlen, where, err);
}

static void clear(struct pinfile *p)
{
	/* Not all of it: the shim pays for each page it touches. */
	p->versions = 0;
	p->cudnn[0] = p->profile[0] = p->unknown_key[0] = p->components[0] = p->ccbin[0] = '\0';
}

bool pinfile_parse(const char *text, size_t len, const char *where, struct pinfile *out,
		   struct err *err)
{
	const char *end = text + len;
	if (!is_text(text, len))
		return err_set(err, ERR_USAGE,
			       "%s has control characters, so it is not a version file", where);
	if (len >= 3 && !memcmp(text, "\357\273\277", 3))
		text += 3;
	clear(out);
	for (int line = 1; text < end; line++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;
		if (!parse_line(text, (size_t)(stop - text), line, where, out, err))
			return false;
		text = nl ? nl + 1 : end;
	}
	if (out->versions)
		return true;
	err_set(err, ERR_USAGE, "%s names no version", where);
	return err_hint(err, "write one with 'cudaenv local', or remove the file");
}

/* At most PINFILE_MAX bytes of a regular file: the number, or -1 with err set. */
static ssize_t read_file(const char *path, char *buf, struct err *err)
{
	struct stat st;
	size_t have = 0;
	/* openat: musl's open() makes a second call for O_CLOEXEC. */
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, ERR_USAGE, "'%s' is %s, not a version file", path,
			S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
		return -1;
	}
	while (have <= PINFILE_MAX) {
		ssize_t n = read(fd, buf + have, PINFILE_MAX + 1 - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
			return -1;
		}
		have += (size_t)n;
		if (have <= PINFILE_MAX && (n == 0 || have == (size_t)st.st_size))
			return (ssize_t)have;
	}
	err_set(err, ERR_USAGE, "'%s' is longer than %d bytes, so it is not a version file", path,
		PINFILE_MAX);
	return -1;
}

void pinfile_where(const char *path, char out[WHERE_TEXT])
{
	size_t len = strnlen(path, WHERE_TEXT - 3);
	out[0] = '\'';
	memcpy(out + 1, path, len);
	memcpy(out + 1 + len, "'", 2);
}

bool pinfile_read(const char *path, struct pinfile *out, struct err *err)
{
	char text[PINFILE_MAX + 1], where[WHERE_TEXT];
	ssize_t n = read_file(path, text, err);
	if (n < 0)
		return false;
	pinfile_where(path, where);
	return pinfile_parse(text, (size_t)n, where, out, err);
}

bool pinfile_find(char *path, size_t cap)
{
	static const char name[] = "/.cuda-version";
	struct stat st;
	if (!getcwd(path, cap))
		return false;
	size_t len = strlen(path);
	if (len + sizeof name > cap) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (len -= len == 1;;) {
		memcpy(path + len, name, sizeof name);
		if (lstat(path, &st) == 0)
			return true;
		if (len == 0)
			break;
		while (path[--len] != '/')
			;
	}
	errno = 0;
	return false;
}
