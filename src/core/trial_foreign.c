/* What the compile read: nothing of another toolkit may have helped. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/path.h"
#include "core/trial.h"

enum { PREPROCESSED_MAX = 256 << 20 };

/* Names that only a CUDA toolkit's include folder has. */
static bool is_toolkit_header(const char *path)
{
	static const char *const starts[] = {
		"cuda",
		"device_",
		"driver_functions",
		"driver_types",
		"host_config",
		"host_defines",
		"sm_",
		"surface_",
		"texture_",
		"vector_functions",
		"vector_types",
		"builtin_types.h",
		"channel_descriptor.h",
		"common_functions.h",
		"library_types.h",
		"math_functions.h",
	};
	const char *base = path_base(path);
	if (strstr(path, "/include/crt/") || strstr(path, "/include/nv/") || strstr(path, "/cccl/"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(base, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool is_toolkit_library(const char *path)
{
	static const char *const starts[] = {"libcudart", "libcudadevrt", "libculibos"};
	const char *base = path_base(path);
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(base, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Looks at what stands between `start` at the beginning of a line and `end` behind it. */
static bool foreign_in(const char *file, const char *start, char end, const char *prefix,
		       bool (*ours)(const char *path), char *out, size_t cap)
{
	struct err err;
	char path[PATH_MAX];
	autobuf struct buf text = BUF_INIT(PREPROCESSED_MAX);
	size_t plen = strlen(prefix);
	if (!io_read_file(file, &text, &err))
		return false;
	for (const char *s = buf_str(&text); s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, start, strlen(start)))
			continue;
		const char *from = s + strlen(start);
		/* A line marker has a number before the name. */
		from += strspn(from, "0123456789 \"");
		const char *to = strchr(from, end);
		if (*from != '/' || !to || (size_t)(to - from) >= sizeof path)
			continue;
		memcpy(path, from, (size_t)(to - from));
		path[to - from] = '\0';
		if (ours(path) && (strncmp(path, prefix, plen) || path[plen] != '/')) {
			snprintf(out, cap, "%s", path);
			return true;
		}
	}
	return false;
}

bool trial_foreign(const struct trial *t, const char *prefix, char *out, size_t cap)
{
	char path[PATH_MAX];
	autodir DIR *d = opendir(t->dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		if (n < 4 || !path_join(path, sizeof path, t->dir, e->d_name))
			continue;
		if (!strcmp(e->d_name + n - 3, ".ii") &&
		    foreign_in(path, "# ", '"', prefix, is_toolkit_header, out, cap))
			return true;
		if (!strcmp(e->d_name, "hello.map") &&
		    foreign_in(path, "LOAD ", '\n', prefix, is_toolkit_library, out, cap))
			return true;
	}
	return false;
}
