#pragma once
/* The driver's libraries, by dlopen: libcuda.so.1 and libnvidia-ml.so.1, never those of a stubs folder. */
#include <stddef.h>

/* Names for dlopen, tried in order, NULL-ended. */
extern const char *const gpulib_cuda[], *const gpulib_nvml[];

struct gpulib {
	void *lib;	 /* NULL: none; for dlsym and dlclose */
	char path[4096]; /* what was loaded, "" none */
	char stub[4096]; /* a stub that was passed over, "" none */
	char why[256];	 /* the loader's words on the first name, "" when loaded */
};
void gpulib_open(struct gpulib *l, const char *const *names);
void gpulib_close(struct gpulib *l);

/* ISO C has no conversion from void * to a function; dlsym's manual shows this one. */
#define GPULIB_SYMBOL(l, name, fn) (*(void **)&(fn) = dlsym((l)->lib, name))
