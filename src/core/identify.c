#include "core/identify.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/proc.h"
#include "core/identify_package.h"

enum { HEADER_MAX = 4 << 20, JSON_MAX = 1 << 20, NVCC_WAIT_MS = 20000 };

static bool read_text(const char *prefix, const char *file, struct buf *out)
{
	struct err ignored;
	autofree char *path = xasprintf("%s/%s", prefix, file);
	return io_read_file(path, out, &ignored) && out->len == strlen(buf_str(out));
}

bool identify_number(const char *s, char out[VERSION_TEXT])
{
	struct version v;
	size_t n = strspn(s, "0123456789.");
	while (n && s[n - 1] == '.')
		n--;
	if (n >= VERSION_TEXT || !version_parse(s, n, &v))
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

bool identify_component(const char *prefix, const char *component, char out[VERSION_TEXT])
{
	autobuf struct buf text = BUF_INIT(JSON_MAX);
	const char *version = NULL;
	json_t *root = read_text(prefix, "version.json", &text)
			       ? json_loadb(buf_str(&text), text.len, 0, NULL)
			       : NULL;
	bool ok = root && json_unpack(root, "{s{ss}}", component, "version", &version) == 0 &&
		  identify_number(version, out);
	json_decref(root);
	return ok;
}

static bool from_text(const char *prefix, char out[VERSION_TEXT])
{
	static const char word[] = "CUDA Version ";
	autobuf struct buf text = BUF_INIT(JSON_MAX);
	const char *at =
		read_text(prefix, "version.txt", &text) ? strstr(buf_str(&text), word) : NULL;
	return at && identify_number(at + sizeof word - 1, out);
}

/* #define CUDA_VERSION 12040 */
static bool from_header(const char *prefix, const char *file, char out[VERSION_TEXT])
{
	static const char word[] = "#define CUDA_VERSION ";
	autobuf struct buf text = BUF_INIT(HEADER_MAX);
	const char *at = read_text(prefix, file, &text) ? strstr(buf_str(&text), word) : NULL;
	long n = at ? strtol(at + sizeof word - 1, NULL, 10) : 0;
	if (n < 1000 || n > 1000000)
		return false;
	snprintf(out, VERSION_TEXT, "%ld.%ld", n / 1000, n % 1000 / 10);
	return true;
}

/* conda has the headers below targets/ alone. */
static bool from_headers(const char *prefix, char out[VERSION_TEXT])
{
	static const char *const files[] = {"include/cuda.h", "targets/x86_64-linux/include/cuda.h",
					    "targets/sbsa-linux/include/cuda.h"};
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (from_header(prefix, files[i], out))
			return true;
	return false;
}

/* "Cuda compilation tools, release 12.4, V12.4.131": the first of the two. */
static bool from_nvcc(const char *prefix, char out[VERSION_TEXT])
{
	static const char word[] = "release ";
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	const char *const argv[] = {nvcc, "--version", NULL};
	autoproc struct proc_result r = {0};
	struct err ignored;
	struct proc p = {.argv = argv, .deadline_ms = NVCC_WAIT_MS};
	if (!proc_run(&p, &r, &ignored) || r.status != 0)
		return false;
	const char *at = strstr(buf_str(&r.out), word);
	return at && identify_number(at + sizeof word - 1, out);
}

bool identify_release(const char *root, const char *prefix, bool run, struct identity *out)
{
	struct identity id = {0};
	if (identify_component(prefix, "cuda", id.release))
		id.by = "version.json";
	else if (from_text(prefix, id.release))
		id.by = "version.txt";
	else if (identify_package(root, prefix, run, id.release))
		id.by = "package";
	else if (from_headers(prefix, id.release))
		id.by = "cuda.h";
	else if (run && from_nvcc(prefix, id.release))
		id.by = "nvcc";
	else
		return false;
	*out = id;
	return true;
}
