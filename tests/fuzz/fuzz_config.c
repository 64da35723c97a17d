/* A config.ini from anywhere: refused with a message, or every key has a value of its type. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/io.h"
#include "core/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct layout layout = {.root = "/nonexistent"};
	struct config c;
	struct err err = {0};
	char path[32];
	autoclose int fd = memfd_create("config.ini", MFD_CLOEXEC);

	if (fd < 0 || !io_write_all(fd, data, size))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!config_load_from(&c, &layout, path, &err)) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	for (int k = 0; k < CONFIG_KEYS; k++)
		if (!config_get(&c, (enum config_key)k) || !c.v[k].origin[0])
			abort();
	if (config_number(&c, CONFIG_JOBS) < 0 ||
	    config_number(&c, CONFIG_JOBS) > CONFIG_NUMBER_MAX)
		abort();
	config_bool(&c, CONFIG_OFFLINE);
	config_clear(&c);
	return 0;
}
