#pragma once
/*
 * Facts about this machine. Nothing here needs CUDA: the driver is read from /proc and /sys first,
 * then by dlopen of libnvidia-ml.so.1 and libcuda.so.1 (never from a stubs folder).
 */
#include <stdbool.h>

#include "base/err.h"
#include "core/catalog.h"

struct host {
	char arch[16];	 /* of the toolkit: "x86_64", "sbsa", "aarch64" (Jetson), "ppc64le", else
			    uname's */
	char driver[32]; /* "580.95.05"; "" none */
	int cuda;	 /* cuDriverGetVersion: 13000; 0 unknown */
	bool wsl;	 /* the driver is that of Windows, whose numbers are others; */
	bool jetson;	 /* that of the board's system: the same */
};

/* Where to look; host_probe looks at the real places. */
struct host_places {
	const char *root;			     /* in front of /proc, /sys and /etc; "" */
	const char *machine;			     /* uname's word */
	const char *const *libcuda, *const *libnvml; /* for dlopen, tried in order, NULL-ended */
};

void host_probe(struct host *h);
void host_probe_at(struct host *h, const struct host_places *at);
/* The version of the kernel's driver, without any library; root: in front of /proc and /sys. false: none. */
bool host_kernel_driver(const char *root, char *out, size_t cap);

/* Whether toolkits are made for it: one of the four above. */
bool host_arch_known(const char *arch);

enum host_fit {
	HOST_FIT_UNKNOWN, /* no driver here, or what the release needs is not known */
	HOST_FIT_NONE,	  /* the driver is too old */
	HOST_FIT_MINOR,	  /* by minor-version compatibility: machine code runs, its own PTX does not
			   */
	HOST_FIT_FULL,
};
/*
 * FULL: the driver is at least driver_min of the release notes, or reports a CUDA number not lower
 * than the release's. MINOR: it is at least driver_floor. In WSL and on Jetson the CUDA number alone counts, and its major for MINOR.
 */
enum host_fit host_fit(const struct host *h, const struct catalog_release *r);

/*
 * The newest release for this driver and architecture (and, later, GPU and compiler): the newest of
 * those that fit fully, else the newest that minor-version compatibility serves. A newer one in the
 * same major would run as well, but programs for it that carry only PTX would not. source as in
 * catalog_select. ERR_HOST with the reason: no driver, driver too old, architecture without
 * toolkits.
 */
must_check bool host_supported(const struct host *h, const struct catalog *c, const char *source,
			       const struct catalog_release **out, struct err *err);
