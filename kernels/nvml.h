#pragma once
/*
 * The few calls of libnvidia-ml.so.1 that device.cu asks, found at run time: the driver brings the
 * library, and a toolkit that only compiles has no header for it. Signatures as in nvml.h, whose ABI
 * is kept since its version 1. Each getter leaves its output alone when it cannot tell.
 */
#include <dlfcn.h>

#include "proof.h"

struct nvml {
	void *library;
	int (*by_bus)(const char *id, void **device);
	int (*driver)(char *version, unsigned length);
	int (*mig)(void *device, unsigned *now, unsigned *pending);
	int (*number[4])(void *device, unsigned *value);
};

enum nvml_number { NVML_GEN, NVML_WIDTH, NVML_GEN_MAX, NVML_WIDTH_MAX };

template <typename function>
static inline void nvml_find(struct nvml *n, const char *name, function *f)
{
	*f = (function)dlsym(n->library, name);
}

static inline void nvml_open(struct nvml *n)
{
	static const char *const numbers[] = {
		"nvmlDeviceGetCurrPcieLinkGeneration", "nvmlDeviceGetCurrPcieLinkWidth",
		"nvmlDeviceGetMaxPcieLinkGeneration", "nvmlDeviceGetMaxPcieLinkWidth"};
	int (*init)(void) = NULL;
	memset(n, 0, sizeof *n);
	n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	if (!n->library)
		return;
	nvml_find(n, "nvmlInit_v2", &init);
	if (!init || init())
		return;
	nvml_find(n, "nvmlDeviceGetHandleByPciBusId_v2", &n->by_bus);
	nvml_find(n, "nvmlSystemGetDriverVersion", &n->driver);
	nvml_find(n, "nvmlDeviceGetMigMode", &n->mig);
	for (int i = 0; i < 4; i++)
		nvml_find(n, numbers[i], &n->number[i]);
}

static inline void *nvml_device(const struct nvml *n, const char *bus_id)
{
	void *device = NULL;
	return n->by_bus && n->by_bus(bus_id, &device) == 0 ? device : NULL;
}

/* -1: cannot be told. */
static inline int nvml_number(const struct nvml *n, void *device, enum nvml_number what)
{
	unsigned value = 0;
	return device && n->number[what] && n->number[what](device, &value) == 0 && value
		       ? (int)value
		       : -1;
}

static inline int nvml_mig(const struct nvml *n, void *device)
{
	unsigned now = 0, pending = 0;
	return device && n->mig && n->mig(device, &now, &pending) == 0 ? (int)now : -1;
}
