/* A bundle's form and its list: whatever comes, no member lies outside of the file, and what was read reads back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "core/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bundle_index x;
	struct bundle b;
	struct err err = {0};
	autoclose int fd = memfd_create("bundle", MFD_CLOEXEC);
	autofree char *path = xasprintf("/proc/self/fd/%d", fd);
	if (fd < 0 || !io_write_all(fd, data, size))
		abort();
	if (!bundle_index_read(path, &x, &err)) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < x.n; i++)
		if (x.members[i].offset > size || x.members[i].size > size - x.members[i].offset ||
		    !path_safe_relative(x.members[i].name) ||
		    bundle_index_find(&x, x.members[i].name) != &x.members[i])
			abort();
	bundle_index_clear(&x);
	if (bundle_open(path, &b, &err)) {
		autofree char *text = bundle_text(&b);
		if (!b.n || strlen(text) < 20)
			abort();
		bundle_clear(&b);
	}
	return 0;
}
