/*
 * How fast this machine moves data: host and device in both directions, from pinned and pageable
 * memory, one at a time and both at once, inside a device and between devices. Every size is checked
 * for what arrived. Arguments, output and exit status: proof.h.
 */
#include <sched.h>

#include "copies.h"

enum { FULL_SAMPLES = 9, QUICK_SAMPLES = 5, PATIENCE = 5 };
static const double ROW_US = 3000, POINT_SECONDS = 0.4;
/* A size whose samples would take longer than this is left out: a slow link, seen at a smaller one. */
static const double SIZE_SECONDS = 1.0;

static const size_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
static const size_t full_sizes[] = {KiB,     4 * KiB,  16 * KiB, 64 * KiB,  256 * KiB, MiB,
				    4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB, GiB};
static const size_t quick_sizes[] = {MiB, 32 * MiB, 256 * MiB};
static const size_t peer_sizes[] = {MiB, 16 * MiB, 256 * MiB};

struct sizes {
	const size_t *each;
	int n, samples;
};

struct bench {
	int device;
	const char *gpu;
	size_t max,
		cached; /* a copy inside the device of up to `cached` bytes may stay in its cache */
	struct sizes sizes;
	char *memory[2]; /* of the device */
};

static unsigned next_salt = 1;

static void print_rate(const struct bench *b, const char *kind, const char *memory,
		       const char *method, size_t bytes, double moved, const struct copy_time *t)
{
	proof_begin(TEST, b->device, b->gpu);
	printf(", \"kind\": \"%s\", \"memory\": \"%s\", \"method\": \"%s\", \"bytes\": %zu, "
	       "\"gbps\": %.6g, \"us\": %.6g, \"samples\": %d",
	       kind, memory, method, bytes, moved / t->us / 1e3, t->us, t->samples);
}

/* A host source was filled with salt; a device source is filled anew for each size. */
static int measure(const struct bench *b, const struct copy *c, size_t bytes, unsigned salt,
		   struct copy_time *t)
{
	int status = copy_prepare(c, bytes, salt);
	if (!status)
		status = copy_measure(c, bytes, b->sizes.samples, ROW_US, POINT_SECONDS, t);
	return status ? status : copy_check(c, bytes, salt);
}

static bool too_slow(const struct copy_time *t, size_t bytes, size_t next)
{
	return t->us * 1e-6 * PATIENCE * ((double)next / bytes) > SIZE_SECONDS;
}

static int sweep_host(const struct bench *b, const char *kind, const char *memory, struct copy *c,
		      unsigned salt)
{
	int status = copy_open(c);
	struct copy_time t = {0, 0};
	for (int i = 0; i < b->sizes.n && b->sizes.each[i] <= b->max && !status; i++) {
		const size_t bytes = b->sizes.each[i];
		if (i && too_slow(&t, b->sizes.each[i - 1], bytes))
			break;
		status = measure(b, c, bytes, salt, &t);
		if (status)
			return status;
		print_rate(b, kind, memory, "memcpy", bytes, (double)c->ways * bytes, &t);
		printf("}\n");
	}
	return status ? status : copy_close(c);
}

/* from and to: host memory that the copies read and write; `both` needs them apart. */
static int sweep_memory(const struct bench *b, const char *memory, char *from, char *to, bool both)
{
	const unsigned salt = next_salt += 2;
	struct copy c = {};
	c.ways = 1;
	c.owner[0] = c.owner[1] = b->device;
	c.from[0] = {from, -1};
	c.to[0] = {b->memory[0], b->device};
	c.from[1] = {b->memory[1], b->device};
	c.to[1] = {to, -1};
	pattern_fill_host(from, b->max, salt);
	int status = sweep_host(b, "h2d", memory, &c, salt);
	if (both && !status) {
		c.ways = 2;
		status = sweep_host(b, "both", memory, &c, salt);
	}
	if (status)
		return status;
	c.ways = 1;
	std::swap(c.from[0], c.from[1]);
	std::swap(c.to[0], c.to[1]);
	return sweep_host(b, "d2h", memory, &c, salt + 2);
}

static int sweep_pinned(const struct bench *b)
{
	char *pinned[2];
	for (int i = 0; i < 2; i++)
		PROOF_TRY(cudaHostAlloc, (void **)&pinned[i], b->max, cudaHostAllocPortable);
	int status = sweep_memory(b, "pinned", pinned[0], pinned[1], true);
	if (status)
		return status;
	for (int i = 0; i < 2; i++)
		PROOF_TRY(cudaFreeHost, pinned[i]);
	return PROOF_OK;
}

static int sweep_pageable(const struct bench *b)
{
	char *memory = (char *)malloc(b->max);
	if (!memory)
		return proof_failed(TEST, "malloc", 0, "", "out of memory");
	int status = sweep_memory(b, "pageable", memory, memory, false);
	free(memory);
	return status;
}

/* The copy engine's way, and the better one of two shapes of a kernel. Bytes count read and written. */
static int sweep_device(const struct bench *b)
{
	struct copy c = {};
	c.ways = 1;
	c.owner[0] = b->device;
	c.from[0] = {b->memory[0], b->device};
	c.to[0] = {b->memory[1], b->device};
	int status = copy_open(&c);
	for (int i = 0; i < b->sizes.n && b->sizes.each[i] <= b->max; i++) {
		const size_t bytes = b->sizes.each[i];
		struct copy_time t[3];
		for (int m = COPY_MEMCPY; m <= COPY_TILES && !status; m++) {
			c.method = (enum copy_method)m;
			status = measure(b, &c, bytes, next_salt++, &t[m]);
		}
		if (status)
			return status;
		if (t[COPY_TILES].us > t[COPY_RESIDENT].us)
			t[COPY_TILES] = t[COPY_RESIDENT];
		const char *memory = bytes <= b->cached ? "cache" : "device";
		print_rate(b, "d2d", memory, "memcpy", bytes, 2.0 * bytes, &t[COPY_MEMCPY]);
		printf("}\n");
		print_rate(b, "d2d", memory, "kernel", bytes, 2.0 * bytes, &t[COPY_TILES]);
		printf("}\n");
	}
	return status ? status : copy_close(&c);
}

/* Clocks rise when there is work. */
static int wake(const struct bench *b)
{
	const double until = copy_clock() + 0.05;
	while (copy_clock() < until) {
		PROOF_TRY(cudaMemcpy, b->memory[1], b->memory[0], b->max, cudaMemcpyDeviceToDevice);
		PROOF_TRY(cudaDeviceSynchronize);
	}
	return PROOF_OK;
}

static unsigned long long number_in(const char *path, const char *key)
{
	char line[256];
	unsigned long long n = 0;
	FILE *f = fopen(path, "re");
	while (f && !n && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			n = strtoull(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return n;
}

/* An eighth of what the host can give, since pinned memory is taken twice. */
static size_t host_room(void)
{
	unsigned long long room = number_in("/proc/meminfo", "MemAvailable:") * KiB;
	const unsigned long long limits[] = {
		number_in("/sys/fs/cgroup/memory.max", ""),
		number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "")};
	for (unsigned long long limit : limits)
		if (limit && (!room || limit < room))
			room = limit;
	return room ? room / 8 : 256 * MiB;
}

/* Pinned memory should lie beside the device: on its side of a host with several processors. */
static void move_near(int device)
{
	char id[32] = "", path[96], line[1024] = "";
	cpu_set_t now, near;
	if (cudaDeviceGetPCIBusId(id, sizeof id, device) != cudaSuccess ||
	    sched_getaffinity(0, sizeof now, &now) < 0)
		return;
	for (char *c = id; *c; c++)
		if (*c >= 'A' && *c <= 'F')
			*c += 'a' - 'A';
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpulist", id);
	FILE *f = fopen(path, "re");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f)
		fclose(f);
	CPU_ZERO(&near);
	for (char *s = line; *s >= '0' && *s <= '9'; s += *s == ',') {
		unsigned long first = strtoul(s, &s, 10), last = first;
		if (*s == '-')
			last = strtoul(s + 1, &s, 10);
		for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
			CPU_SET(i, &near);
	}
	CPU_AND(&near, &near, &now);
	if (CPU_COUNT(&near))
		sched_setaffinity(0, sizeof near, &near);
}

/* The largest size that host and device have room for, as far as `max`. */
static int fit(struct bench *b, size_t max)
{
	size_t free_bytes = 0, total = 0;
	int l2 = 0;
	PROOF_TRY(cudaMemGetInfo, &free_bytes, &total);
	PROOF_TRY(cudaDeviceGetAttribute, &l2, cudaDevAttrL2CacheSize, b->device);
	b->cached = 2 * (size_t)l2;
	const size_t room = std::min(std::min(max, free_bytes / 4), host_room());
	b->max = KiB;
	for (int i = 0; i < b->sizes.n; i++)
		if (b->sizes.each[i] <= room)
			b->max = b->sizes.each[i];
	return PROOF_OK;
}

static int run_device(int device, bool quick, size_t max)
{
	cpu_set_t cpus;
	const bool has = sched_getaffinity(0, sizeof cpus, &cpus) == 0;
	struct bench b = {};
	b.device = device;
	b.sizes.each = quick ? quick_sizes : full_sizes;
	b.sizes.n = quick ? (int)(sizeof quick_sizes / sizeof *quick_sizes)
			  : (int)(sizeof full_sizes / sizeof *full_sizes);
	b.sizes.samples = quick ? QUICK_SAMPLES : FULL_SAMPLES;
	PROOF_TRY(cudaSetDevice, device);
	b.gpu = proof_gpu(device);
	move_near(device);
	int status = fit(&b, max);
	if (status)
		return status;
	for (int i = 0; i < 2; i++)
		PROOF_TRY(cudaMalloc, (void **)&b.memory[i], b.max);
	if ((status = wake(&b)) || (status = sweep_pinned(&b)) || (status = sweep_pageable(&b)) ||
	    (status = sweep_device(&b)))
		return status;
	for (int i = 0; i < 2; i++)
		PROOF_TRY(cudaFree, b.memory[i]);
	if (has)
		sched_setaffinity(0, sizeof cpus, &cpus);
	return PROOF_OK;
}

enum { DEVICES_MAX = 16 };

/* direct[a][b]: a reaches b without the host. */
static int enable_peers(int count, int (*direct)[DEVICES_MAX])
{
	for (int a = 0; a < count; a++)
		for (int b = 0; b < count; b++) {
			direct[a][b] = 0;
			if (a == b)
				continue;
			PROOF_TRY(cudaDeviceCanAccessPeer, &direct[a][b], a, b);
			if (!direct[a][b])
				continue;
			PROOF_TRY(cudaSetDevice, a);
			PROOF_TRY(cudaDeviceEnablePeerAccess, b, 0);
		}
	return PROOF_OK;
}

/* One direction, or both: memory[i][0] is read and memory[i][1] written. */
static int sweep_pair(const struct bench *b, int peer, char *(*memory)[2], int ways, bool direct)
{
	struct copy c = {};
	c.ways = ways;
	for (int i = 0; i < 2; i++) {
		const int from = i ? peer : b->device, to = i ? b->device : peer;
		c.owner[i] = from;
		c.from[i] = {memory[from][0], from};
		c.to[i] = {memory[to][1], to};
	}
	int status = copy_open(&c);
	for (int i = 0; i < b->sizes.n && b->sizes.each[i] <= b->max && !status; i++) {
		struct copy_time t;
		const size_t bytes = b->sizes.each[i];
		if ((status = measure(b, &c, bytes, next_salt += 2, &t)))
			return status;
		print_rate(b, ways == 2 ? "p2p-both" : "p2p", "device", "memcpy", bytes,
			   (double)ways * bytes, &t);
		printf(", \"peer\": %d, \"direct\": %s}\n", peer, direct ? "true" : "false");
	}
	return status ? status : copy_close(&c);
}

static int run_peers(int count, size_t max)
{
	char *memory[DEVICES_MAX][2];
	struct bench b = {};
	int direct[DEVICES_MAX][DEVICES_MAX];
	count = std::min(count, (int)DEVICES_MAX);
	int status = enable_peers(count, direct);
	if (status)
		return status;
	b.max = max;
	b.sizes.each = peer_sizes;
	b.sizes.n = (int)(sizeof peer_sizes / sizeof *peer_sizes);
	b.sizes.samples = QUICK_SAMPLES;
	for (int i = 0; i < count; i++) {
		size_t free_bytes = 0, total = 0;
		PROOF_TRY(cudaSetDevice, i);
		PROOF_TRY(cudaMemGetInfo, &free_bytes, &total);
		b.max = std::min(std::min(b.max, free_bytes / 4), 256 * MiB);
		for (int j = 0; j < 2; j++)
			PROOF_TRY(cudaMalloc, (void **)&memory[i][j], b.max);
	}
	for (int i = 0; i < count; i++) {
		b.device = i;
		b.gpu = proof_gpu(i);
		for (int j = 0; j < count; j++) {
			if (i == j)
				continue;
			if ((status = sweep_pair(&b, j, memory, 1, direct[i][j])) ||
			    (i < j &&
			     (status = sweep_pair(&b, j, memory, 2, direct[i][j] && direct[j][i]))))
				return status;
		}
	}
	return PROOF_OK;
}

static int usage(void)
{
	fprintf(stderr, "usage: bandwidth [--quick] [--device N] [--max-bytes N]\n");
	return PROOF_USAGE;
}

int main(int argc, char **argv)
{
	const double start = copy_clock();
	unsigned long long device = 0, max = GiB;
	bool quick = false, one = false;
	int count = 0, status = PROOF_OK;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--quick"))
			quick = true;
		else if (!strcmp(argv[i], "--device") && proof_number(argv[i + 1], 1023, &device))
			one = ++i;
		else if (!strcmp(argv[i], "--max-bytes") && proof_number(argv[i + 1], GiB, &max) &&
			 max >= KiB)
			i++;
		else
			return usage();
	PROOF_TRY(cudaGetDeviceCount, &count);
	/* All sizes on the first device; the others show whether they are like it. */
	for (int i = one ? (int)device : 0; i < (one ? (int)device + 1 : count) && !status; i++)
		status = run_device(i, quick || (!one && i), max);
	if (!status && !one && count > 1)
		status = run_peers(count, max);
	if (status)
		return status;
	printf("{\"test\": \"bandwidth\", \"ok\": true, \"seconds\": %.3f, \"done\": true}\n",
	       copy_clock() - start);
	return PROOF_OK;
}
