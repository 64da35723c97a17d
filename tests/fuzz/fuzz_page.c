/* An answer of a package index: refused, or files with safe names whose URLs lead nowhere local. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "core/pypage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says what the server calls it. */
static const char *const types[] = {"", "text/html", "application/vnd.pypi.simple.v1+json"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pyfiles files = {0};
	struct err err = {0};
	if (!size)
		return 0;
	struct pypage page = {.text = (const char *)data + 1,
			      .len = size - 1,
			      .content_type = types[data[0] % ARRAY_LEN(types)],
			      .url = "https://index.example/simple/cuda-toolkit/"};
	if (!pypage_parse(&page, "cuda-toolkit", "x86_64", &files, &err) && !err.msg[0])
		abort();
	for (size_t i = 0; i < files.n; i++) {
		const struct pyfile *f = &files.files[i];
		if (!path_safe_component(f->file) || f->path || !f->url ||
		    !strncasecmp(f->url, "file:", 5) || (f->sha256[0] && strlen(f->sha256) != 64))
			abort();
	}
	pyfiles_clear(&files);
	return 0;
}
