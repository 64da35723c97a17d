/* What each visible GPU is, and how it hangs on its host. Output and exit status: proof.h. */
#include "nvml.h"

#define TEST "device"

enum { LINK_BYTES = 16 << 20, LINK_COPIES = 4 };

struct link {
	int gen, width, gen_max, width_max; /* -1: cannot be told */
	const char *from;
};

/* "16.0 GT/s PCIe" -> 4 */
static int generation(const char *speed)
{
	static const double rates[] = {2.5, 5, 8, 16, 32, 64, 128};
	const double rate = atof(speed);
	for (int i = 0; i < (int)(sizeof rates / sizeof *rates); i++)
		if (rate > rates[i] - 0.1 && rate < rates[i] + 0.1)
			return i + 1;
	return -1;
}

static bool sysfs(const char *id, const char *file, char *out, int cap)
{
	char path[128];
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", id, file);
	FILE *f = fopen(path, "re");
	const bool ok = f && fgets(out, cap, f);
	if (f)
		fclose(f);
	return ok;
}

static int sysfs_width(const char *id, const char *file)
{
	char text[64];
	const int width = sysfs(id, file, text, sizeof text) ? atoi(text) : 0;
	return width > 0 && width <= 32 ? width : -1;
}

/* An idle link may run slower, so it is asked while copies are under way. */
static int read_link(const struct nvml *n, void *device, const char *id, struct link *l)
{
	char text[64];
	char *to = NULL, *from = NULL;
	PROOF_TRY(cudaMalloc, (void **)&to, LINK_BYTES);
	PROOF_TRY(cudaHostAlloc, (void **)&from, LINK_BYTES, cudaHostAllocDefault);
	for (int i = 0; i < LINK_COPIES; i++)
		PROOF_TRY(cudaMemcpyAsync, to, from, LINK_BYTES, cudaMemcpyHostToDevice, 0);
	l->gen = nvml_number(n, device, NVML_GEN);
	l->width = nvml_number(n, device, NVML_WIDTH);
	l->gen_max = nvml_number(n, device, NVML_GEN_MAX);
	l->width_max = nvml_number(n, device, NVML_WIDTH_MAX);
	l->from = "nvml";
	if (l->gen < 0 || l->width < 0) {
		l->gen = sysfs(id, "current_link_speed", text, sizeof text) ? generation(text) : -1;
		l->gen_max = sysfs(id, "max_link_speed", text, sizeof text) ? generation(text) : -1;
		l->width = sysfs_width(id, "current_link_width");
		l->width_max = sysfs_width(id, "max_link_width");
		l->from = l->gen < 0 ? NULL : "sysfs";
	}
	PROOF_TRY(cudaDeviceSynchronize);
	PROOF_TRY(cudaFree, to);
	PROOF_TRY(cudaFreeHost, from);
	return PROOF_OK;
}

/* The driver's own number, from the library or from its kernel module. */
static bool driver_version(const struct nvml *n, char *out, int cap)
{
	if (n->driver && n->driver(out, (unsigned)cap) == 0)
		return true;
	FILE *f = fopen("/sys/module/nvidia/version", "re");
	const bool ok = f && fgets(out, cap, f);
	if (f)
		fclose(f);
	out[ok ? strcspn(out, "\n") : 0] = '\0';
	return ok;
}

static void print_number(const char *key, long long value)
{
	if (value < 0)
		printf(", \"%s\": null", key);
	else
		printf(", \"%s\": %lld", key, value);
}

static void print_flag(const char *key, int value)
{
	printf(", \"%s\": %s", key, value < 0 ? "null" : value ? "true" : "false");
}

static void print_text(const char *key, const char *value)
{
	printf(", \"%s\": ", key);
	if (value)
		proof_text(value);
	else
		printf("null");
}

static long long attribute(cudaDeviceAttr what, int device)
{
	int value = 0;
	return cudaDeviceGetAttribute(&value, what, device) == cudaSuccess ? value : -1;
}

static void print_uuid(const cudaDeviceProp *prop)
{
#if CUDART_VERSION >= 10000
	const unsigned char *u = (const unsigned char *)prop->uuid.bytes;
	printf(", \"uuid\": "
	       "\"GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\"",
	       u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
	       u[13], u[14], u[15]);
#else
	(void)prop;
	print_text("uuid", NULL);
#endif
}

static void print_chip(const cudaDeviceProp *prop, int device)
{
	static const char *const modes[] = {"default", "exclusive-thread", "prohibited",
					    "exclusive-process"};
	const long long mode = attribute(cudaDevAttrComputeMode, device);
	printf(", \"cc\": \"%d.%d\", \"memory\": %zu", prop->major, prop->minor,
	       prop->totalGlobalMem);
	print_number("multiprocessors", prop->multiProcessorCount);
	print_number("l2", attribute(cudaDevAttrL2CacheSize, device));
	print_number("memory_clock_khz", attribute(cudaDevAttrMemoryClockRate, device));
	print_number("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth, device));
	print_flag("ecc", (int)attribute(cudaDevAttrEccEnabled, device));
	print_flag("integrated", (int)attribute(cudaDevAttrIntegrated, device));
	print_text("compute_mode", mode >= 0 && mode < 4 ? modes[mode] : NULL);
}

static void print_peers(int device, int count)
{
	printf(", \"peers\": [");
	for (int i = 0, n = 0; i < count; i++) {
		int can = 0;
		if (i != device && cudaDeviceCanAccessPeer(&can, device, i) == cudaSuccess && can)
			printf("%s%d", n++ ? ", " : "", i);
	}
	printf("]");
}

static int describe(const struct nvml *n, int device, int count)
{
	cudaDeviceProp prop;
	char id[32] = "", version[96] = "";
	int runtime = 0, driver = 0;
	struct link link = {-1, -1, -1, -1, NULL};
	PROOF_TRY(cudaSetDevice, device);
	PROOF_TRY(cudaGetDeviceProperties, &prop, device);
	PROOF_TRY(cudaRuntimeGetVersion, &runtime);
	PROOF_TRY(cudaDriverGetVersion, &driver);
	PROOF_TRY(cudaDeviceGetPCIBusId, id, sizeof id, device);
	for (char *c = id; *c; c++)
		if (*c >= 'A' && *c <= 'F')
			*c += 'a' - 'A';
	void *handle = nvml_device(n, id);
	int status = read_link(n, handle, id, &link);
	if (status)
		return status;
	proof_begin(TEST, device, prop.name);
	print_uuid(&prop);
	print_text("pci", id);
	print_chip(&prop, device);
	print_flag("mig", nvml_mig(n, handle));
	print_number("pcie_gen", link.gen);
	print_number("pcie_width", link.width);
	print_number("pcie_gen_max", link.gen_max);
	print_number("pcie_width_max", link.width_max);
	print_text("pcie_from", link.from);
	print_text("driver_version", driver_version(n, version, sizeof version) ? version : NULL);
	print_number("runtime", runtime);
	print_number("driver", driver);
	print_peers(device, count);
	printf("}\n");
	return PROOF_OK;
}

int main()
{
	struct nvml n;
	int count = 0, status = PROOF_OK;
	PROOF_TRY(cudaGetDeviceCount, &count);
	if (!count)
		return proof_failed_cuda(TEST, "cudaGetDeviceCount", cudaErrorNoDevice);
	nvml_open(&n);
	for (int i = 0; i < count && !status; i++)
		status = describe(&n, i, count);
	if (status)
		return status;
	printf("{\"test\": \"device\", \"ok\": true, \"devices\": %d, \"done\": true}\n", count);
	return PROOF_OK;
}
