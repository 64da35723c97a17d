#include "core/gpu_ask.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/gpulib.h"

/* CUdevice_attribute of cuda.h, fixed for ever. */
enum {
	ATTR_COMPUTE_MODE = 20,
	ATTR_ECC = 32,
	ATTR_PCI_BUS = 33,
	ATTR_PCI_DEVICE = 34,
	ATTR_MEMORY_CLOCK = 36,
	ATTR_MEMORY_BUS = 37,
	ATTR_PCI_DOMAIN = 50,
	ATTR_CC_MAJOR = 75,
	ATTR_CC_MINOR = 76,
};
void gpu_ask_step(struct gpus *g, const char *name)
{
	snprintf(g->step, sizeof g->step, "%s", name);
}

void gpu_ask_text(char *out, size_t cap, const char *text)
{
	snprintf(out, cap, "%s", text);
	err_sanitize(out);
}

struct gpu *gpu_ask_add(struct gpus *g)
{
	if (g->n == GPUS_MAX)
		return NULL;
	struct gpu *d = &g->items[g->n++];
	*d = (struct gpu){.index = -1,
			  .ordinal = -1,
			  .ecc = GPU_UNKNOWN,
			  .mig = GPU_UNKNOWN,
			  .compute_mode = -1};
	return d;
}

/* 16 bytes as "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx". */
static void set_uuid(struct gpu *d, const unsigned char u[16])
{
	size_t n = (size_t)snprintf(d->uuid, sizeof d->uuid, "GPU-");
	for (int i = 0; i < 16; i++)
		n += (size_t)snprintf(d->uuid + n, sizeof d->uuid - n, "%s%02x",
				      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
}

struct cuda {
	int (*attribute)(int *, int, int);
	int (*name)(char *, int, int);
	int (*uuid)(unsigned char *, int);
	int (*memory)(size_t *, int);
};

static int attribute(const struct cuda *c, int which, int device, int none)
{
	int v = none;
	return c->attribute && c->attribute(&v, which, device) == 0 ? v : none;
}

static void ask_cuda_device(struct gpu *d, const struct cuda *c, int dev)
{
	char name[sizeof d->name] = "";
	unsigned char uuid[16] = {0};
	size_t memory = 0;
	if (c->name && c->name(name, sizeof name - 1, dev) == 0)
		gpu_ask_text(d->name, sizeof d->name, name);
	if (c->uuid && c->uuid(uuid, dev) == 0)
		set_uuid(d, uuid);
	if (c->memory && c->memory(&memory, dev) == 0)
		d->memory = memory;
	d->cc = attribute(c, ATTR_CC_MAJOR, dev, 0) * 10 + attribute(c, ATTR_CC_MINOR, dev, 0);
	d->compute_mode = attribute(c, ATTR_COMPUTE_MODE, dev, -1);
	d->memory_clock = attribute(c, ATTR_MEMORY_CLOCK, dev, 0);
	d->memory_bus = attribute(c, ATTR_MEMORY_BUS, dev, 0);
	d->ecc = (enum gpu_state)attribute(c, ATTR_ECC, dev, GPU_UNKNOWN);
	int bus = attribute(c, ATTR_PCI_BUS, dev, -1);
	if (bus >= 0)
		snprintf(d->pci, sizeof d->pci, "%04x:%02x:%02x.0",
			 (unsigned)attribute(c, ATTR_PCI_DOMAIN, dev, 0), (unsigned)bus,
			 (unsigned)attribute(c, ATTR_PCI_DEVICE, dev, 0));
}

static void ask_cuda_devices(struct gpus *g, const struct gpulib *l)
{
	int (*count)(int *), (*get)(int *, int), n = 0, dev;
	struct cuda c;
	GPULIB_SYMBOL(l, "cuDeviceGetCount", count);
	GPULIB_SYMBOL(l, "cuDeviceGet", get);
	GPULIB_SYMBOL(l, "cuDeviceGetAttribute", c.attribute);
	GPULIB_SYMBOL(l, "cuDeviceGetName", c.name);
	GPULIB_SYMBOL(l, "cuDeviceTotalMem_v2", c.memory);
	/* The second form tells a MIG instance from its GPU. */
	GPULIB_SYMBOL(l, "cuDeviceGetUuid_v2", c.uuid);
	if (!c.uuid)
		GPULIB_SYMBOL(l, "cuDeviceGetUuid", c.uuid);
	gpu_ask_step(g, "cuDeviceGet");
	if (!count || !get || count(&n) != 0)
		return;
	for (int i = 0; i < n; i++) {
		struct gpu *d = get(&dev, i) == 0 ? gpu_ask_add(g) : NULL;
		if (d) {
			d->ordinal = i;
			ask_cuda_device(d, &c, dev);
		}
	}
}

static void open_cuda(struct gpus *g, struct gpulib *l, const char *const *names)
{
	int (*version)(int *), n = 0;
	gpu_ask_step(g, "loading libcuda.so.1");
	gpulib_open(l, names);
	snprintf(g->libcuda, sizeof g->libcuda, "%s", l->path);
	snprintf(g->why, sizeof g->why, "%s", l->why);
	snprintf(g->stub, sizeof g->stub, "%s", l->stub);
	if (!l->lib)
		return;
	GPULIB_SYMBOL(l, "cuDriverGetVersion", version);
	gpu_ask_step(g, "cuDriverGetVersion");
	if (version && version(&n) == 0 && n >= 1000)
		g->cuda = n;
}

static void init_cuda(struct gpus *g, const struct gpulib *l)
{
	int (*init)(unsigned);
	if (!l->lib)
		return;
	GPULIB_SYMBOL(l, "cuInit", init);
	gpu_ask_step(g, "cuInit");
	if (init)
		g->code = init(0);
	if (g->code == 0)
		ask_cuda_devices(g, l);
}

/*
 * Whether cuInit, which takes longer than all else, would tell no more than NVML did: nothing is hidden or
 * parted, and the GPUs are alike, so that their order does not matter.
 */
static bool nvml_suffices(const struct gpus *g)
{
	if (!g->libcuda[0] || !g->n || getenv("CUDA_VISIBLE_DEVICES"))
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].mig == GPU_ON || !g->items[i].cc || !g->items[i].uuid[0] ||
		    strcmp(g->items[i].name, g->items[0].name) != 0)
			return false;
	return true;
}

void gpu_ask(struct gpus *g, const struct gpu_places *at)
{
	struct gpulib cuda;
	open_cuda(g, &cuda, at->libcuda);
	if (at->quick) {
		gpu_ask_nvml(g, at->libnvml);
		if (nvml_suffices(g)) {
			for (size_t i = 0; i < g->n; i++)
				g->items[i].ordinal = (int)i;
			gpu_ask_step(g, "");
			return;
		}
		g->n = 0;
	}
	init_cuda(g, &cuda);
	gpu_ask_nvml(g, at->libnvml);
	gpu_ask_step(g, "");
	/* Neither is closed: the driver has threads and handlers at exit, and the child ends at once. */
}
