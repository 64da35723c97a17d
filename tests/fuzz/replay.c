/* Stands in for a fuzzing engine: feeds every file of the folders named to the target. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
	const char *folder;
	unsigned long files;
};

static bool feed(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct replay *r = ctx;
	if (!S_ISREG(st->st_mode))
		return true;
	autofree char *path = xasprintf("%s/%s", r->folder, rel);
	autobuf struct buf b = BUF_INIT(64 << 20);
	if (!io_read_file(path, &b, err))
		return false;
	/* A block of exactly this size, so that a sanitizer sees a read behind its end. */
	autofree uint8_t *copy = xmalloc(b.len);
	memcpy(copy, buf_str(&b), b.len);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(copy, b.len);
	r->files++;
	return true;
}

int main(int argc, char **argv)
{
	struct err err;
	for (int i = 1; i < argc; i++) {
		struct replay r = {.folder = argv[i]};
		if (!tree_walk(argv[i], feed, &r, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
		if (!r.files) {
			fprintf(stderr, "no input in '%s'\n", argv[i]);
			return 1;
		}
	}
	return argc > 1 ? 0 : 2;
}
