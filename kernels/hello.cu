/*
 * The bundled proof kernel: any nvcc from 9 to 13 compiles it, with only what a toolkit itself brings.
 *
 * Each thread writes one value that depends on its index. The buffer holds another pattern before, so an
 * old or untouched buffer cannot pass, and every value and the result of every call are checked.
 * fmod comes from libdevice, half from the header that also needs nv/target; <vector> makes nvcc's front
 * end agree with the host compiler's library.
 *
 * Prints one line of JSON. Exit status: 0 all right, 1 a call failed, 2 a wrong value, 3 no device.
 */
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { COUNT = 1 << 16, BLOCK = 256, PATTERN = 0x5a };
enum { EXIT_CALL = 1, EXIT_VALUE = 2, EXIT_NO_DEVICE = 3 };

__host__ __device__ static unsigned expected(unsigned i)
{
	return i * 2654435761u + (unsigned)fmod((double)i, 7.0);
}

__global__ void hello(unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = expected(i) + (unsigned)__half2float(__float2half(1.0f)) - 1u;
}

static int failed(const char *call, cudaError_t e)
{
	printf("{\"result\": \"failed\", \"call\": \"%s\", \"error\": %d, \"text\": \"%s\"}\n", call,
	       (int)e, cudaGetErrorString(e));
	return e == cudaErrorNoDevice ? EXIT_NO_DEVICE : EXIT_CALL;
}

#define TRY(name, ...)                                                                             \
	do {                                                                                       \
		cudaError_t e_ = (__VA_ARGS__);                                                    \
		if (e_ != cudaSuccess)                                                             \
			return failed(name, e_);                                                   \
	} while (0)

static int run(unsigned *device, std::vector<unsigned> &host)
{
	const size_t bytes = host.size() * sizeof(unsigned);
	TRY("cudaMemset", cudaMemset(device, PATTERN, bytes));
	hello<<<(COUNT + BLOCK - 1) / BLOCK, BLOCK>>>(device, COUNT);
	TRY("launch", cudaGetLastError());
	TRY("cudaDeviceSynchronize", cudaDeviceSynchronize());
	TRY("cudaMemcpy", cudaMemcpy(&host[0], device, bytes, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < COUNT; i++)
		if (host[i] != expected(i)) {
			printf("{\"result\": \"wrong\", \"index\": %u, \"value\": %u, \"expected\": "
			       "%u}\n",
			       i, host[i], expected(i));
			return EXIT_VALUE;
		}
	return 0;
}

int main()
{
	int count = 0, device = 0, runtime = 0, driver = 0;
	unsigned *buffer = NULL;
	cudaDeviceProp prop;
	std::vector<unsigned> host(COUNT);

	TRY("cudaGetDeviceCount", cudaGetDeviceCount(&count));
	TRY("cudaGetDeviceCount", count ? cudaSuccess : cudaErrorNoDevice);
	TRY("cudaGetDevice", cudaGetDevice(&device));
	TRY("cudaGetDeviceProperties", cudaGetDeviceProperties(&prop, device));
	TRY("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&runtime));
	TRY("cudaDriverGetVersion", cudaDriverGetVersion(&driver));
	TRY("cudaMalloc", cudaMalloc((void **)&buffer, COUNT * sizeof *buffer));
	int status = run(buffer, host);
	if (status)
		return status;
	TRY("cudaFree", cudaFree(buffer));
	printf("{\"result\": \"ok\", \"device\": \"%s\", \"cc\": \"%d.%d\", \"runtime\": %d, "
	       "\"driver\": %d}\n",
	       prop.name, prop.major, prop.minor, runtime, driver);
	return 0;
}
