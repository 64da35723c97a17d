/*
 * Stands for libcuda.so.1 and libnvidia-ml.so.1 of any driver. Environment:
 *   FAKE_CUDA_VERSION  cuDriverGetVersion's number (12070)
 *   FAKE_DRIVER        the driver's version (565.77)
 *   FAKE_CUINIT        cuInit's result (0), or "hang", "crash", "exit"
 *   FAKE_NVMLINIT      nvmlInit's result (0), or the same words
 *   FAKE_GPUS          compute capabilities, one for each GPU ("90"; "90 89" are two; "" none)
 *   FAKE_MODE          compute mode (0)      FAKE_MIG  1: MIG is on
 * CUDA_VISIBLE_DEVICES hides devices as the driver does it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
enum { MAX = 8, SECOND = 1000 };

static const char *word(const char *name, const char *preset)
{
	const char *s = getenv(name);
	return s ? s : preset;
}

static int number(const char *name, int preset)
{
	return (int)strtol(word(name, ""), NULL, 10) + (getenv(name) ? 0 : preset);
}

/* Does what the word says, or gives the number. */
static int outcome(const char *name)
{
	const char *s = word(name, "0");
	if (!strcmp(s, "hang"))
		for (;;)
			pause();
	if (!strcmp(s, "crash"))
		abort();
	if (!strcmp(s, "exit"))
		_exit(3);
	return number(name, 0);
}

static int gpus(int cc[MAX])
{
	int n = 0;
	const char *s = word("FAKE_GPUS", "90");
	for (char *end; n < MAX; s = end) {
		long v = strtol(s, &end, 10);
		if (end == s)
			break;
		cc[n++] = (int)v;
	}
	return n;
}

static void uuid_text(int i, char out[48])
{
	snprintf(out, 48, "GPU-%02x000000-0000-0000-0000-0000000000%02x", 0xa0 + i, i);
}

/* The GPU that a word of CUDA_VISIBLE_DEVICES names, -1 none. */
static int named(const char *s, size_t n, int have)
{
	char id[48], *end;
	for (int i = 0; i < have && n > 4; i++) {
		uuid_text(i, id);
		if (!strncmp(id, s, n))
			return i;
	}
	long v = strtol(s, &end, 10);
	return end == s + n && n && v >= 0 && v < have ? (int)v : -1;
}

/* The list ends at the first word that names nothing; one that comes twice (-1) is an error. */
static int visible(int index[MAX])
{
	int cc[MAX], have = gpus(cc), n = 0;
	const char *s = getenv("CUDA_VISIBLE_DEVICES");
	for (int i = 0; !s && i < have; i++)
		index[n++] = i;
	while (s && *s && n < MAX) {
		size_t len = strcspn(s, ",");
		int g = named(s, len, have);
		if (g < 0)
			break;
		for (int i = 0; i < n; i++)
			if (index[i] == g)
				return -1;
		index[n++] = g;
		s += len + (s[len] == ',');
	}
	return n;
}

API int cuDriverGetVersion(int *version);
API int cuInit(unsigned flags);
API int cuDeviceGetCount(int *n);
API int cuDeviceGet(int *device, int ordinal);
API int cuDeviceGetName(char *name, int cap, int device);
API int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
API int cuDeviceTotalMem_v2(size_t *bytes, int device);
API int cuDeviceGetAttribute(int *v, int attribute, int device);

int cuDriverGetVersion(int *version)
{
	*version = number("FAKE_CUDA_VERSION", 12070);
	return 0;
}

int cuInit(unsigned flags)
{
	int index[MAX], r = outcome("FAKE_CUINIT");
	(void)flags;
	int n = visible(index);
	return r ? r : n > 0 ? 0 : n < 0 ? 101 : 100;
}

int cuDeviceGetCount(int *n)
{
	int index[MAX];
	*n = visible(index);
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	int index[MAX];
	if (ordinal < 0 || ordinal >= visible(index))
		return 101;
	*device = index[ordinal];
	return 0;
}

int cuDeviceGetName(char *name, int cap, int device)
{
	snprintf(name, (size_t)cap, "Fake GPU %d", device);
	return 0;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
	memset(uuid, 0, 16);
	uuid[0] = (unsigned char)(0xa0 + device);
	uuid[15] = (unsigned char)device;
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	*bytes = (size_t)(80 + device) << 30;
	return 0;
}

int cuDeviceGetAttribute(int *v, int attribute, int device)
{
	int cc[MAX];
	gpus(cc);
	switch (attribute) {
	case 20:
		*v = number("FAKE_MODE", 0);
		return 0;
	case 32:
		*v = 1;
		return 0;
	case 33:
		*v = 0x19 + device;
		return 0;
	case 34:
	case 50:
		*v = 0;
		return 0;
	case 36:
		*v = 2619000;
		return 0;
	case 37:
		*v = 5120;
		return 0;
	case 75:
		*v = cc[device] / 10;
		return 0;
	case 76:
		*v = cc[device] % 10;
		return 0;
	default:
		return 1;
	}
}

struct pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char text[32];
};

API int nvmlInit_v2(void);
API int nvmlShutdown(void);
API int nvmlSystemGetDriverVersion(char *text, unsigned cap);
API int nvmlDeviceGetCount_v2(unsigned *n);
API int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **h);
API int nvmlDeviceGetName(void *h, char *text, unsigned cap);
API int nvmlDeviceGetUUID(void *h, char *text, unsigned cap);
API int nvmlDeviceGetPciInfo_v3(void *h, struct pci *p);
API int nvmlDeviceGetCurrPcieLinkGeneration(void *h, unsigned *v);
API int nvmlDeviceGetCurrPcieLinkWidth(void *h, unsigned *v);
API int nvmlDeviceGetMaxPcieLinkGeneration(void *h, unsigned *v);
API int nvmlDeviceGetMaxPcieLinkWidth(void *h, unsigned *v);
API int nvmlDeviceGetMigMode(void *h, unsigned *now, unsigned *later);
API int nvmlDeviceGetCudaComputeCapability(void *h, int *major, int *minor);

int nvmlInit_v2(void)
{
	return outcome("FAKE_NVMLINIT");
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned cap)
{
	snprintf(text, cap, "%s", word("FAKE_DRIVER", "565.77"));
	return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
	int cc[MAX];
	*n = (unsigned)gpus(cc);
	return 0;
}

/* A handle is the index and one. */
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **h)
{
	*h = (void *)(uintptr_t)(i + 1);
	return 0;
}

static int index_of(void *h)
{
	return (int)(uintptr_t)h - 1;
}

int nvmlDeviceGetName(void *h, char *text, unsigned cap)
{
	snprintf(text, cap, "Fake GPU %d", index_of(h));
	return 0;
}

int nvmlDeviceGetUUID(void *h, char *text, unsigned cap)
{
	char id[48];
	uuid_text(index_of(h), id);
	snprintf(text, cap, "%s", id);
	return 0;
}

int nvmlDeviceGetPciInfo_v3(void *h, struct pci *p)
{
	*p = (struct pci){.bus = 0x19 + (unsigned)index_of(h)};
	return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *h, unsigned *v)
{
	(void)h;
	*v = 1;
	return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void *h, unsigned *v)
{
	(void)h;
	*v = 16;
	return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *h, unsigned *v)
{
	(void)h;
	*v = 5;
	return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *h, unsigned *v)
{
	(void)h;
	*v = 16;
	return 0;
}

int nvmlDeviceGetMigMode(void *h, unsigned *now, unsigned *later)
{
	(void)h;
	*now = *later = (unsigned)number("FAKE_MIG", 0);
	return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *h, int *major, int *minor)
{
	int cc[MAX];
	gpus(cc);
	*major = cc[index_of(h)] / 10;
	*minor = cc[index_of(h)] % 10;
	return 0;
}
