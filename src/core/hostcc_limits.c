#include "core/hostcc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"

/*
 * host_config.h refuses compilers by lines such as
 *   #if __GNUC__ > 15
 *   #if (__clang_major__ >= 21) || (__clang_major__ < 3) || ((__clang_major__ == 3) && ...)
 * inside blocks for one compiler each. Blocks for compilers that are not ours (Grace clang, HOS,
 * icc, xlC) hold lines of the same form: a block under defined(X) counts only for the names below,
 * and so does a line.
 */
enum { HEADER_MAX = 1 << 20, NESTING_MAX = 64, LINE_MAX_LEN = 1024 };

static const char *const ours[] = {
	"defined",	   "__GNUC__",	      "__GNUC_MINOR__", "__clang__",
	"__clang_major__", "__clang_minor__", "__CUDACC__",	"__HOST_CONFIG_H__",
	"__linux__",	   "__cplusplus",     "__CUDACC_RTC__", "__NV_NO_HOST_COMPILER_CHECK",
};

static bool is_ours(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (strlen(ours[i]) == n && !strncmp(ours[i], s, n))
			return true;
	return false;
}

static size_t word(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* Takes out "!defined(X)" and "!X", which only narrow a block. */
static void drop_negations(char *s)
{
	for (char *p = s; (p = strchr(p, '!')); p++) {
		if (p[1] == '=')
			continue;
		char *e = p + 1;
		size_t n = word(e);
		bool defined = n == strlen("defined") && !strncmp(e, "defined", n);
		e += n;
		if (defined) {
			e += strspn(e, " (");
			e += word(e);
		}
		memset(p, ' ', (size_t)(e - p));
	}
}

/* A condition that speaks of a compiler or system which is not ours. */
static bool is_foreign(const char *cond)
{
	for (const char *p = cond; *p;) {
		size_t n = word(p);
		if (n && !isdigit((unsigned char)*p) && !is_ours(p, n))
			return true;
		p += n ? n : 1;
	}
	return false;
}

/* Reads "NAME op number" wherever it stands in the condition; what it refuses gives the limits. */
static void read_bounds(const char *cond, const char *name, int *min, int *max)
{
	for (const char *p = cond; (p = strstr(p, name)); p += strlen(name)) {
		const char *op = p + strlen(name);
		op += strspn(op, " \t");
		size_t oplen = strspn(op, "<>=!");
		char *end;
		long n = strtol(op + oplen, &end, 10);
		if (end == op + oplen || n <= 0 || n > 999)
			continue;
		if (oplen == 1 && *op == '>')
			*max = (int)n;
		else if (oplen == 2 && op[0] == '>' && op[1] == '=')
			*max = (int)n - 1;
		else if (oplen == 1 && *op == '<')
			*min = (int)n;
		else if (oplen == 2 && op[0] == '!' && op[1] == '=')
			*min = *max = (int)n;
	}
}

static void read_line(char *line, bool foreign[NESTING_MAX], int *depth, struct hostcc_limits *out)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return;
	line += 1 + strspn(line + 1, " \t");
	if (!strncmp(line, "endif", 5) && *depth > 0)
		(*depth)--;
	/* #elif and #else are not read: none of these headers has one around its checks. */
	if (strncmp(line, "if", 2) || *depth >= NESTING_MAX - 1)
		return;
	bool negated = !strncmp(line, "ifndef", 6);
	char *cond = line + word(line);
	char *comment = strstr(cond, "/*");
	if (comment)
		*comment = '\0';
	drop_negations(cond);
	bool outer = *depth > 0 && foreign[*depth - 1];
	foreign[*depth] = outer || (!negated && is_foreign(cond));
	if (!foreign[(*depth)++]) {
		read_bounds(cond, "__GNUC__", &out->gcc_min, &out->gcc_max);
		read_bounds(cond, "__clang_major__", &out->clang_min, &out->clang_max);
	}
}

/* A condition may go on in the next line behind a backslash. */
static size_t take_line(const char **text, char *line)
{
	size_t n = 0;
	const char *p = *text;
	for (; *p; p++) {
		if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
			p += p[1] == '\r' ? 2 : 1;
			continue;
		}
		if (*p == '\n')
			break;
		if (n < LINE_MAX_LEN - 1 && *p != '\r')
			line[n++] = *p;
	}
	line[n] = '\0';
	*text = *p ? p + 1 : p;
	return n;
}

bool hostcc_limits(const char *prefix, struct hostcc_limits *out)
{
	/* Before CUDA 9.2 the header was not in crt/. */
	static const char *const places[] = {"crt/host_config.h", "host_config.h"};
	*out = (struct hostcc_limits){0};
	for (size_t i = 0; i < ARRAY_LEN(places) && !out->gcc_max; i++) {
		struct err err;
		char line[LINE_MAX_LEN];
		bool foreign[NESTING_MAX];
		int depth = 0;
		autobuf struct buf text = BUF_INIT(HEADER_MAX);
		autofree char *path = xasprintf("%s/include/%s", prefix, places[i]);
		if (!io_read_file(path, &text, &err))
			continue;
		for (const char *p = buf_str(&text); *p;) {
			take_line(&p, line);
			read_line(line, foreign, &depth, out);
		}
	}
	if (!out->gcc_max)
		*out = (struct hostcc_limits){0};
	return out->gcc_max != 0;
}
