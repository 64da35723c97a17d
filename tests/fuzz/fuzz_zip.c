/* A wheel from anywhere: refused with a message, or every entry has a safe name and can be read or
 * refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "core/wheelmap.h"
#include "core/wheelrecord.h"
#include "ext/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const struct zip_entry *e)
{
	size_t n = strlen(e->name);
	autofree char *name = xstrdup(e->name);
	if (n && name[n - 1] == '/')
		name[n - 1] = '\0';
	if (!path_safe_relative(name) || e->mode & ~(mode_t)07777)
		abort();
	autofree char *to = strcmp(name, e->name) ? NULL : wheelmap(name, "x86_64", "fuzz");
	if (to && !path_safe_relative(to))
		abort();
}

static void read_all(struct zip *z)
{
	const struct zip_entry *entries;
	size_t n = zip_entries(z, &entries);
	wheel_sha256 *digests;
	struct err err = {0};
	for (size_t i = 0; i < n; i++) {
		autobuf struct buf text = BUF_INIT(1 << 16);
		check_name(&entries[i]);
		if (zip_find(z, entries[i].name) != &entries[i])
			abort();
		if (zip_read(z, &entries[i], &text, &err) ? text.len != entries[i].size
							  : !err.msg[0])
			abort();
	}
	if (wheelrecord_read(z, "fuzz.whl", &digests, &err))
		free(digests);
	else if (!err.msg[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct zip *z;
	struct err err = {0};
	autoclose int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || !io_write_all(fd, data, size))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!zip_open(&z, path, &err)) {
		if (err.code != ERR_INTEGRITY || !err.msg[0])
			abort();
		return 0;
	}
	read_all(z);
	zip_close(z);
	return 0;
}
