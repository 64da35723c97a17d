#include "base/mesonlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scan.h"

/* The text behind `start`; NULL: the line begins otherwise. */
static const char *behind(const char *line, const char *start)
{
	size_t n = strlen(start);
	return strncmp(line, start, n) == 0 ? line + n : NULL;
}

/* "Cuda compiler for the host machine: ccache nvcc (nvcc 12.4.131": Meson 1.0 ends the line there. */
static void log_line(void *ctx, char *line)
{
	struct mesonlog *out = ctx;
	const char *value = behind(line, "Source dir: ");
	if (value && strlen(value) < sizeof out->source) {
		memcpy(out->source, value, strlen(value) + 1);
	} else if (behind(line, "Cuda compiler for the ") && (value = strstr(line, "(nvcc "))) {
		char *end;
		long major = strtol(value + strlen("(nvcc "), &end, 10);
		long minor = *end == '.' ? strtol(end + 1, NULL, 10) : -1;
		if (major > 0 && major < 1000 && minor >= 0 && minor < 100)
			out->cuda = (int)(major * 1000 + minor * 10);
	}
}

bool mesonlog_read(struct mesonlog *out, const char *folder)
{
	char path[PATH_MAX];
	*out = (struct mesonlog){0};
	return path_join(path, sizeof path, folder, "meson-logs/meson-log.txt") &&
	       scan_lines(path, log_line, out) && out->source[0];
}

static void header_line(void *ctx, char *line)
{
	const char *value = behind(line, "#define CUDA_VERSION ");
	if (value)
		*(int *)ctx = (int)strtol(value, NULL, 10);
}

int mesonlog_number(const char *prefix)
{
	char path[PATH_MAX];
	int number = 0;
	if (path_join(path, sizeof path, prefix, "include/cuda.h"))
		scan_lines(path, header_line, &number);
	return number;
}
