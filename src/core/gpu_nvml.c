/* What libnvidia-ml.so.1 tells of the GPUs. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/gpu_ask.h"
#include "core/gpulib.h"

/* Numbers and structs of nvml.h, fixed for ever. */
enum { NVML_CLOCK_MEM = 2 };

/* nvmlPciInfo_t since nvmlDeviceGetPciInfo_v3. */
struct nvml_pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char text[32];
};
struct nvml_memory {
	unsigned long long total, free, used;
};
typedef void *nvml_device;

struct nvml {
	int (*count)(unsigned *), (*handle)(unsigned, nvml_device *);
	int (*name)(nvml_device, char *, unsigned), (*uuid)(nvml_device, char *, unsigned);
	int (*pci)(nvml_device, struct nvml_pci *), (*memory)(nvml_device, struct nvml_memory *);
	int (*gen)(nvml_device, unsigned *), (*width)(nvml_device, unsigned *);
	int (*gen_max)(nvml_device, unsigned *), (*width_max)(nvml_device, unsigned *);
	int (*bus)(nvml_device, unsigned *), (*clock)(nvml_device, int, unsigned *);
	int (*ecc)(nvml_device, unsigned *, unsigned *),
		(*mig)(nvml_device, unsigned *, unsigned *);
	int (*mode)(nvml_device, int *), (*cc)(nvml_device, int *, int *);
};

static void load_nvml(struct nvml *m, const struct gpulib *l)
{
	GPULIB_SYMBOL(l, "nvmlDeviceGetCount_v2", m->count);
	GPULIB_SYMBOL(l, "nvmlDeviceGetHandleByIndex_v2", m->handle);
	GPULIB_SYMBOL(l, "nvmlDeviceGetName", m->name);
	GPULIB_SYMBOL(l, "nvmlDeviceGetUUID", m->uuid);
	GPULIB_SYMBOL(l, "nvmlDeviceGetPciInfo_v3", m->pci);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMemoryInfo", m->memory);
	GPULIB_SYMBOL(l, "nvmlDeviceGetCurrPcieLinkGeneration", m->gen);
	GPULIB_SYMBOL(l, "nvmlDeviceGetCurrPcieLinkWidth", m->width);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMaxPcieLinkGeneration", m->gen_max);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMaxPcieLinkWidth", m->width_max);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMemoryBusWidth", m->bus);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMaxClockInfo", m->clock);
	GPULIB_SYMBOL(l, "nvmlDeviceGetEccMode", m->ecc);
	GPULIB_SYMBOL(l, "nvmlDeviceGetMigMode", m->mig);
	GPULIB_SYMBOL(l, "nvmlDeviceGetComputeMode", m->mode);
	GPULIB_SYMBOL(l, "nvmlDeviceGetCudaComputeCapability", m->cc);
}

static int number(int (*fn)(nvml_device, unsigned *), nvml_device h)
{
	unsigned v = 0;
	return fn && fn(h, &v) == 0 && v <= INT_MAX ? (int)v : 0;
}

static enum gpu_state state(int (*fn)(nvml_device, unsigned *, unsigned *), nvml_device h,
			    enum gpu_state otherwise)
{
	unsigned now = 0, later = 0;
	return fn && fn(h, &now, &later) == 0 ? (now ? GPU_ON : GPU_OFF) : otherwise;
}

/* What NVML knows of a GPU; what libcuda told of it already stays. */
static void ask_nvml_device(struct gpu *d, const struct nvml *m, nvml_device h, int index)
{
	char text[96] = "";
	int major = 0, minor = 0, mode = 0;
	unsigned clock = 0;
	struct nvml_memory memory = {0};
	d->index = index;
	if (!d->name[0] && m->name && m->name(h, text, sizeof text - 1) == 0)
		gpu_ask_text(d->name, sizeof d->name, text);
	text[0] = '\0';
	if (!d->uuid[0] && m->uuid && m->uuid(h, text, sizeof text - 1) == 0)
		gpu_ask_text(d->uuid, sizeof d->uuid, text);
	if (!d->memory && m->memory && m->memory(h, &memory) == 0)
		d->memory = memory.total;
	if (!d->cc && m->cc && m->cc(h, &major, &minor) == 0)
		d->cc = major * 10 + minor;
	d->pcie_gen = number(m->gen, h);
	d->pcie_width = number(m->width, h);
	d->pcie_gen_max = number(m->gen_max, h);
	d->pcie_width_max = number(m->width_max, h);
	if (!d->memory_bus)
		d->memory_bus = number(m->bus, h);
	if (!d->memory_clock && m->clock && m->clock(h, NVML_CLOCK_MEM, &clock) == 0 &&
	    clock < INT_MAX / 1000)
		d->memory_clock = (int)clock * 1000;
	d->ecc = state(m->ecc, h, d->ecc);
	d->mig = state(m->mig, h, d->mig);
	/* All that programs see of such a GPU are its instances. */
	if (d->mig == GPU_ON && d->ordinal >= 0 && !strncmp(d->uuid, "GPU-", 4))
		memcpy(d->uuid, "MIG-", 4);
	if (m->mode && m->mode(h, &mode) == 0)
		d->compute_mode = mode;
}

static void ask_nvml_devices(struct gpus *g, const struct gpulib *l)
{
	struct nvml m = {0};
	unsigned n = 0;
	load_nvml(&m, l);
	if (!m.count || !m.handle || m.count(&n) != 0)
		return;
	for (unsigned i = 0; i < n && i < GPUS_MAX; i++) {
		nvml_device h = NULL;
		struct nvml_pci pci = {0};
		char id[sizeof g->items[0].pci] = "";
		bool known = false;
		if (m.handle(i, &h) != 0)
			continue;
		if (m.pci && m.pci(h, &pci) == 0)
			snprintf(id, sizeof id, "%04x:%02x:%02x.0", pci.domain, pci.bus,
				 pci.device);
		/* With MIG several devices of CUDA are one GPU. */
		for (size_t j = 0; j < g->n; j++)
			if (id[0] && !strcmp(g->items[j].pci, id)) {
				ask_nvml_device(&g->items[j], &m, h, (int)i);
				known = true;
			}
		struct gpu *d = known ? NULL : gpu_ask_add(g);
		if (d) {
			snprintf(d->pci, sizeof d->pci, "%s", id);
			ask_nvml_device(d, &m, h, (int)i);
		}
	}
}

void gpu_ask_nvml(struct gpus *g, const char *const *names)
{
	int (*init)(void), (*version)(char *, unsigned);
	char text[96] = "";
	struct gpulib l;
	gpu_ask_step(g, "loading libnvidia-ml.so.1");
	gpulib_open(&l, names);
	snprintf(g->libnvml, sizeof g->libnvml, "%s", l.path);
	if (!l.lib)
		return;
	GPULIB_SYMBOL(&l, "nvmlInit_v2", init);
	GPULIB_SYMBOL(&l, "nvmlSystemGetDriverVersion", version);
	gpu_ask_step(g, "nvmlInit");
	if (init)
		g->nvml_code = init();
	if (g->nvml_code != 0)
		return;
	gpu_ask_step(g, "nvmlDeviceGet");
	if (version && version(text, sizeof text - 1) == 0)
		gpu_ask_text(g->nvml_driver, sizeof g->nvml_driver, text);
	ask_nvml_devices(g, &l);
}
