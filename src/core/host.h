#pragma once
/*
 * Facts about this machine. Nothing here needs CUDA: the driver is read from /proc and /sys first, then by
 * dlopen of libcuda.so.1 and libnvidia-ml.so.1 (never from a stubs folder).
 */
#include <stdbool.h>

#include "base/err.h"
#include "core/catalog.h"

struct host {
	char arch[16];           /* of the toolkit: "x86_64", "sbsa", "aarch64" (Jetson), "ppc64le" */
	char driver[32];         /* "580.95.05"; "" none */
	int cuda;                /* cuDriverGetVersion: 13000; 0 unknown */
};

void host_probe(struct host *h);
/* "linux-x86_64" for redist and the platform tag words of wheels are made from arch by the sources. */
bool host_arch_known(const char *arch);

/* Whether this driver can run programs of the release; *why (borrowed, may be NULL) in a few words. */
bool host_driver_serves(const struct host *h, const struct catalog_release *r, const char **why);
/* The newest release that driver (and, later, GPU and compiler) can use. ERR_HOST with the reason. */
must_check bool host_supported(const struct host *h, const struct catalog *c, const char *source,
			       const struct catalog_release **out, struct err *err);
