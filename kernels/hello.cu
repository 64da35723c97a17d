/*
 * The first proof: any nvcc from 9 to 13.5 compiles it, with only what a toolkit itself brings.
 *
 * Each thread writes one value that depends on its index and counts itself. The buffer holds another
 * pattern before, so an old or untouched buffer cannot pass; the count says that the launch really ran,
 * once. fmod comes from libdevice, half from the header that also needs nv/target; <vector> makes nvcc's
 * front end agree with the host compiler's library.
 *
 * Output and exit status: proof.h, which is not included, so that this file serves alone.
 */
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { COUNT = 1 << 16, BLOCK = 256, PATTERN = 0x5a };
enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_CALL = 3 };

__host__ __device__ static unsigned expected(unsigned i)
{
	return i * 2654435761u + (unsigned)fmod((double)i, 7.0);
}

__global__ void hello(unsigned *out, unsigned n, unsigned *ran)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	out[i] = expected(i) + (unsigned)__half2float(__float2half(1.0f)) - 1u;
	atomicAdd(ran, 1u);
}

static int device; /* the one at work */

static int failed(const char *call, cudaError_t e)
{
	printf("{\"test\": \"hello\", \"ok\": false, \"device\": %d, \"call\": \"%s\", \"code\": "
	       "%d, "
	       "\"name\": \"%s\", \"text\": \"%s\"}\n",
	       device, call, (int)e, cudaGetErrorName(e), cudaGetErrorString(e));
	return EXIT_CALL;
}

static int wrong(const char *what, unsigned index, unsigned value, unsigned right)
{
	printf("{\"test\": \"hello\", \"ok\": false, \"device\": %d, \"what\": \"%s\", \"index\": "
	       "%u, "
	       "\"value\": %u, \"expected\": %u}\n",
	       device, what, index, value, right);
	return EXIT_WRONG;
}

#define TRY(name, ...)                                                                             \
	do {                                                                                       \
		cudaError_t e_ = (__VA_ARGS__);                                                    \
		if (e_ != cudaSuccess)                                                             \
			return failed(name, e_);                                                   \
	} while (0)

/* The count of threads stands behind the values. */
static int run(unsigned *buffer, std::vector<unsigned> &host)
{
	const size_t bytes = host.size() * sizeof(unsigned);
	TRY("cudaMemset", cudaMemset(buffer, PATTERN, COUNT * sizeof *buffer));
	TRY("cudaMemset", cudaMemset(buffer + COUNT, 0, sizeof *buffer));
	hello<<<(COUNT + BLOCK - 1) / BLOCK, BLOCK>>>(buffer, COUNT, buffer + COUNT);
	TRY("launch", cudaGetLastError());
	TRY("cudaDeviceSynchronize", cudaDeviceSynchronize());
	TRY("cudaMemcpy", cudaMemcpy(&host[0], buffer, bytes, cudaMemcpyDeviceToHost));
	if (host[COUNT] != COUNT)
		return wrong("threads", 0, host[COUNT], COUNT);
	for (unsigned i = 0; i < COUNT; i++)
		if (host[i] != expected(i))
			return wrong("value", i, host[i], expected(i));
	return EXIT_OK;
}

/* One line of output for one device. */
static int prove(bool last)
{
	int runtime = 0, driver = 0;
	unsigned *buffer = NULL;
	cudaDeviceProp prop;
	std::vector<unsigned> host(COUNT + 1);

	TRY("cudaSetDevice", cudaSetDevice(device));
	TRY("cudaGetDeviceProperties", cudaGetDeviceProperties(&prop, device));
	TRY("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&runtime));
	TRY("cudaDriverGetVersion", cudaDriverGetVersion(&driver));
	TRY("cudaMalloc", cudaMalloc((void **)&buffer, (COUNT + 1) * sizeof *buffer));
	int status = run(buffer, host);
	if (status)
		return status;
	TRY("cudaFree", cudaFree(buffer));
	printf("{\"test\": \"hello\", \"ok\": true, \"device\": %d, \"gpu\": \"%s\", \"cc\": "
	       "\"%d.%d\", "
	       "\"runtime\": %d, \"driver\": %d, \"threads\": %u%s}\n",
	       device, prop.name, prop.major, prop.minor, runtime, driver, (unsigned)COUNT,
	       last ? ", \"done\": true" : "");
	return EXIT_OK;
}

int main()
{
	int count = 0, status = EXIT_OK;
	TRY("cudaGetDeviceCount", cudaGetDeviceCount(&count));
	TRY("cudaGetDeviceCount", count ? cudaSuccess : cudaErrorNoDevice);
	for (; device < count && !status; device++)
		status = prove(device == count - 1);
	return status;
}
