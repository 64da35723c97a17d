#include "core/wheelname.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"

enum { FILE_MAX = 255, GLIBC_MAX = 99 };

struct slice {
	const char *p;
	size_t n;
};

bool wheelname_project(const char *s, size_t len, char out[PEP440_TEXT])
{
	char name[PEP440_TEXT];
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];
		bool sep = ch == '-' || ch == '_' || ch == '.';
		if (!isalnum(ch) && !sep)
			return false;
		if (sep && (n == 0 || name[n - 1] == '-'))
			continue;
		if (n + 1 == sizeof name)
			return false;
		name[n++] = sep ? '-' : (char)tolower(ch);
	}
	if (n && name[n - 1] == '-')
		n--;
	name[n] = '\0';
	if (n)
		memcpy(out, name, n + 1);
	return n > 0;
}

/* The next tag of a set joined by '.'. */
static bool next_tag(struct slice *set, struct slice *tag)
{
	if (!set->n)
		return false;
	const char *dot = memchr(set->p, '.', set->n);
	tag->p = set->p;
	tag->n = dot ? (size_t)(dot - set->p) : set->n;
	size_t used = tag->n + (dot != NULL);
	set->p += used;
	set->n -= used;
	return true;
}

static bool is(struct slice s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.p, word, s.n);
}

static bool has_tag(struct slice set, const char *word)
{
	struct slice tag;
	while (next_tag(&set, &tag))
		if (is(tag, word))
			return true;
	return false;
}

/* Minor number of the oldest glibc for this platform tag, 0 for any; -1: for another platform. */
static int tag_glibc(struct slice tag, const char *machine)
{
	static const struct {
		const char *name;
		int glibc;
	} old[] = {{"manylinux1", 5}, {"manylinux2010", 12}, {"manylinux2014", 17}, {"linux", 0}};
	char text[64];
	int minor;
	if (is(tag, "any"))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(old); i++) {
		snprintf(text, sizeof text, "%s_%s", old[i].name, machine);
		if (is(tag, text))
			return old[i].glibc;
	}
	if (tag.n >= sizeof text || memcmp(tag.p, "manylinux_2_", tag.n < 12 ? tag.n : 12) != 0)
		return -1;
	memcpy(text, tag.p, tag.n);
	text[tag.n] = '\0';
	char *end = text + tag.n;
	if (tag.n > 12 && isdigit((unsigned char)text[12])) {
		minor = (int)strtol(text + 12, &end, 10);
		if (*end == '_' && !strcmp(end + 1, machine) && minor > 0 && minor <= GLIBC_MAX)
			return minor;
	}
	return -1;
}

static bool fits_platform(struct slice set, const char *machine, int *glibc)
{
	struct slice tag;
	int best = -1;
	while (next_tag(&set, &tag)) {
		int g = tag_glibc(tag, machine);
		if (g >= 0 && (best < 0 || g < best))
			best = g;
	}
	*glibc = best < 0 ? 0 : best;
	return best >= 0;
}

/* At '-'; the fields of a wheel hold none themselves. */
static size_t split(const char *s, size_t len, struct slice *out, size_t cap)
{
	size_t n = 0;
	for (;;) {
		const char *dash = memchr(s, '-', len);
		if (n == cap)
			return 0;
		out[n] = (struct slice){s, dash ? (size_t)(dash - s) : len};
		if (!out[n++].n)
			return 0;
		if (!dash)
			return n;
		len -= (size_t)(dash + 1 - s);
		s = dash + 1;
	}
}

bool wheelname_parse(const char *file, const char *arch, struct wheelname *out, bool *fits)
{
	const char *machine = !strcmp(arch, "sbsa") ? "aarch64" : arch;
	struct wheelname w = {0};
	struct slice f[6];
	size_t len = strlen(file);
	if (len < 5 || len > FILE_MAX || strcmp(file + len - 4, ".whl") != 0 ||
	    !path_safe_component(file) || file[0] == '.')
		return false;
	size_t n = split(file, len - 4, f, ARRAY_LEN(f));
	if (n < 5 || f[1].n >= sizeof w.version || !wheelname_project(f[0].p, f[0].n, w.project) ||
	    !pep440_parse(f[1].p, f[1].n, &w.v))
		return false;
	memcpy(w.version, f[1].p, f[1].n);
	if (n == 6) {
		if (!isdigit((unsigned char)f[2].p[0]))
			return false;
		w.build = (unsigned)strtoul(f[2].p, NULL, 10);
	}
	*fits = fits_platform(f[n - 1], machine, &w.glibc) && has_tag(f[n - 2], "none") &&
		has_tag(f[n - 3], "py3");
	*out = w;
	return true;
}
