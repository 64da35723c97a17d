#include "core/judge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_CAP = 400 };

/*
 * CUDA 13.0 is the first whose headers leave sinpi and cospi to glibc 2.41; 13.5 leaves rsqrt
 * to 2.42 as well, 13.0 does not. nvcc up to 11.5 cannot read <functional> of gcc 11.2 and newer.
 */
#define OLD_HEADERS(release)                                                                       \
	"the C library is newer than this toolkit's headers: take CUDA " release
#define OLD_PARSER "this nvcc cannot read the C++ library of gcc 11.2 and newer: install g++-10"

/* In this order: a broken tree also makes the linker fail, a refused compiler also fails in
 * headers. */
static const struct cause {
	const char *text;  /* in a line of the output */
	const char *text2; /* in the same line as well; NULL: not asked for */
	const char *word, *hint;
} causes[] = {
	{"unsupported GNU version", NULL, "host-compiler-refused", NULL},
	{"unsupported clang version", NULL, "host-compiler-refused", NULL},
	{"UNSUPPORTED COMPILER", NULL, "host-compiler-refused", NULL},
	{"Failed to preprocess host compiler properties", NULL, "host-compiler-refused", NULL},
	{"Cannot find compiler", NULL, "host-compiler-refused", NULL},
	{"gcc: not found", NULL, "host-compiler-refused", NULL},
	{"g++: not found", NULL, "host-compiler-refused", NULL},
	{"gcc: command not found", NULL, "host-compiler-refused", NULL},
	{"g++: command not found", NULL, "host-compiler-refused", NULL},
	{"cc1plus", "cannot execute", "host-compiler-refused", NULL},
	{"cc1plus", "No such file", "host-compiler-refused", NULL},
	{"exception specification is incompatible", "cospi", "libc-headers",
	 OLD_HEADERS("13.0 or newer")},
	{"exception specification is incompatible", "sinpi", "libc-headers",
	 OLD_HEADERS("13.0 or newer")},
	{"exception specification is incompatible", "rsqrt", "libc-headers",
	 OLD_HEADERS("13.5 or newer")},
	{"parameter packs not expanded", NULL, "host-compiler-refused", OLD_PARSER},
	{"cicc", "not found", "tree-incomplete", NULL},
	{"cicc", "Permission denied", "tree-incomplete", NULL},
	{"ptxas", "not found", "tree-incomplete", NULL},
	{"fatbinary", "not found", "tree-incomplete", NULL},
	{"nvlink", "not found", "tree-incomplete", NULL},
	{"cudafe++", "not found", "tree-incomplete", NULL},
	{"libdevice", NULL, "tree-incomplete", NULL},
	{"link.stub", "No such file", "tree-incomplete", NULL},
	{"cannot find -lcuda", NULL, "tree-incomplete", NULL},
	{"crt/", "No such file", "tree-incomplete", NULL},
	{"nv/", "No such file", "tree-incomplete", NULL},
	{"cuda", ".h: No such file", "tree-incomplete", NULL},
	{"_functions.h", "No such file", "tree-incomplete", NULL},
	{"_types.h", "No such file", "tree-incomplete", NULL},
	{"_intrinsics.h", "No such file", "tree-incomplete", NULL},
	{"host_", ".h: No such file", "tree-incomplete", NULL},
	{"crt1.o", NULL, "compile-failed", "install the C library's development files"},
	{"fatal error: ", ".h: No such file", "compile-failed",
	 "install the C library's development files (apt-get install g++)"},
};

static bool contains(const char *s, size_t n, const char *what)
{
	return memmem(s, n, what, strlen(what)) != NULL;
}

static bool is_cause(const struct cause *c, const char *s, size_t n)
{
	return contains(s, n, c->text) && (!c->text2 || contains(s, n, c->text2));
}

/* Length of a whole UTF-8 character at s, 0 for what is none. */
static size_t utf8(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80		   ? 1
		     : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		     : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						   : 0;
	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (len == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)))
		return 0;
	if (len == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)))
		return 0;
	return len;
}

void judge_line(const char *s, size_t n, char *out, size_t cap)
{
	size_t len = 0;
	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	while (n) {
		size_t c = utf8((const unsigned char *)s, n);
		bool plain = c > 1 || (c == 1 && *s >= 0x20 && *s != 0x7f);
		if (len + (c ? c : 1) >= cap)
			break;
		if (plain)
			memcpy(out + len, s, c);
		else
			out[len] = '?';
		len += c ? c : 1;
		s += c ? c : 1;
		n -= c ? c : 1;
	}
	out[len] = '\0';
}

void judge_replace(char *text, size_t cap, const char *from, const char *to)
{
	size_t nf = strlen(from), nt = strlen(to);
	if (!nf)
		return;
	for (char *p = text; (p = strstr(p, from)); p += nt) {
		size_t rest = strlen(p + nf);
		size_t at = (size_t)(p - text);
		if (at + nt >= cap) {
			*p = '\0';
			return;
		}
		if (at + nt + rest >= cap)
			rest = cap - at - nt - 1;
		memmove(p + nt, p + nf, rest);
		p[nt + rest] = '\0';
		memcpy(p, to, nt);
	}
}

/* Calls for each line of the text until fn says true. */
typedef bool line_fn(const char *s, size_t n, struct verdict *v);
static bool each_line(const char *text, line_fn *fn, struct verdict *v)
{
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		if (n && fn(s, n, v))
			return true;
		s += n + (s[n] == '\n');
	}
	return false;
}

static void add_libc(struct verdict *v)
{
	char libc[64];
	size_t n = confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc);
	size_t len = strlen(v->detail);
	if (n && n <= sizeof libc)
		snprintf(v->detail + len, sizeof v->detail - len, " (%s)", libc);
}

static bool judge_known(const char *s, size_t n, struct verdict *v)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (is_cause(&causes[i], s, n)) {
			snprintf(v->word, sizeof v->word, "%s", causes[i].word);
			judge_line(s, n, v->detail, LINE_CAP);
			if (!strcmp(causes[i].word, "libc-headers"))
				add_libc(v);
			if (causes[i].hint)
				snprintf(v->hint, sizeof v->hint, "%s", causes[i].hint);
			return true;
		}
	return false;
}

static bool judge_error(const char *s, size_t n, struct verdict *v)
{
	static const char *const signs[] = {
		": error",     "fatal", "rror:", "not found", "cannot find", "undefined reference",
		"No such file"};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (contains(s, n, signs[i])) {
			judge_line(s, n, v->detail, LINE_CAP);
			return true;
		}
	return false;
}

static bool judge_any(const char *s, size_t n, struct verdict *v)
{
	judge_line(s, n, v->detail, LINE_CAP);
	return true;
}

void judge_compile(const struct proc_result *r, struct verdict *v)
{
	const char *texts[] = {buf_str(&r->err), buf_str(&r->out)};
	v->detail[0] = v->hint[0] = '\0';
	if (r->timed_out) {
		snprintf(v->word, sizeof v->word, "timeout");
		snprintf(v->detail, sizeof v->detail, "nvcc did not end before the deadline");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (each_line(texts[i], judge_known, v))
			return;
	snprintf(v->word, sizeof v->word, "compile-failed");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (each_line(texts[i], judge_error, v))
			return;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (each_line(texts[i], judge_any, v))
			return;
	char words[64];
	snprintf(v->detail, sizeof v->detail, "nvcc: %s",
		 proc_result_words(r, words, sizeof words));
}
