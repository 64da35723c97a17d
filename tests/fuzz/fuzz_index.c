/* Answers of an index: what is accepted has safe names, allowed URLs and whole digests. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "core/pyindex.h"
#include "core/pyurl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct pyfile *f, bool own_login)
{
	size_t digest = strlen(f->sha256);
	if (strchr(f->file, '/') || strchr(f->url, '#') || f->path ||
	    (digest && (digest != 64 || strspn(f->sha256, "0123456789abcdef") != 64)) ||
	    !(pyurl_has_scheme(f->url, "https") || pyurl_has_scheme(f->url, "http")))
		abort();
	/* A login is given to its own host alone. */
	if (!own_login && strstr(f->url, "secret") &&
	    strncasecmp(f->url, "https://me:secret@i.example", 27) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = {"text/html", "application/json", ""};
	struct pyspec any = {0};
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct pyfiles files = {0};
		struct err err = {0};
		struct pypage page = {.text = (const char *)data,
				      .len = size,
				      .content_type = types[i],
				      .url = "https://i.example/simple/x/",
				      .login = "https://me:secret@i.example/simple/x/"};
		if (!pypage_parse(&page, NULL, "x86_64", &files, &err) &&
		    (err.code != ERR_NETWORK || !err.msg[0] || files.n))
			abort();
		bool own_login = memmem(data, size, "secret", 6) != NULL;
		for (size_t k = 0; k < files.n; k++)
			check(&files.files[k], own_login);
		const struct pyfile *best = pyfiles_pick(&files, &any, true);
		if (best && (best->yanked || !best->fits))
			abort();
		pyfiles_clear(&files);
	}
	return 0;
}
