#pragma once
/*
 * What the programs in this folder share: how they report, and how they are built.
 *
 * Each is one .cu file for any nvcc from 9 to 13.5 in its own C++ dialect (C++11 is enough):
 *   nvcc -gencode arch=compute_90,code=sm_90 [-gencode arch=compute_90,code=compute_90] X.cu -o X ...
 * hello.cu includes nothing of this folder; the others need it (-I, or side by side).
 *
 *   program         proves                                          link with   needs in the prefix
 *   hello.cu        a kernel runs and gives the right values        -           -
 *   device.cu       nothing: it says what each GPU is               -           -
 *   bandwidth.cu    copies arrive whole; says how fast              -           -
 *   lib_cublas.cu   a matrix product against one made by the host   -lcublas    include/cublas_v2.h
 *   lib_cufft.cu    forward and inverse give back the input         -lcufft     include/cufft.h
 *   lib_curand.cu   mean and variance of uniform and normal         -lcurand    include/curand.h
 *   lib_nvrtc.cu    compiles a kernel at run time and runs it       -lnvrtc -ldl  include/nvrtc.h
 *   lib_cudnn.cu    a convolution against one made by the host      -lcudnn     include/cudnn.h
 * device.cu opens libnvidia-ml.so.1 and lib_nvrtc.cu libcuda.so.1 by dlopen: -ldl before glibc 2.34.
 *
 * Arguments: none for hello and device, which take every visible device; the others --device N
 * (default: bandwidth takes every one, a library test 0); bandwidth also --quick (three sizes instead
 * of eleven, under 2 s) and --max-bytes N.
 *
 * Output: stdout, one JSON object a line, ASCII, and nothing else. In each line:
 *   "test"    program without "lib_": hello device bandwidth cublas cufft curand nvrtc cudnn
 *   "ok"      true or false; after a false line the program ends
 *   "done"    true in the last line of a run that went through; a run without it was cut short
 * What failed, "ok": false:
 *   a call    "call", "code" (number), "name" (cudaErrorNoDevice, of the library if it has names),
 *             "text"
 *   a value   "what", "index", "value", "expected" (numbers)
 *             hello's also "device"
 * Lines that are ok:
 *   hello     a line for each device: "device" "gpu" "cc" ("9.0") "runtime" "driver" (13000)
 *             "threads"; "done" in the last
 *   device    "device" "gpu" "uuid" "pci" (0000:0b:00.0) "cc" "memory" (bytes) "multiprocessors"
 *             "l2" (bytes) "memory_clock_khz" "memory_bus_bits" "ecc" "mig" "integrated" (booleans)
 *             "compute_mode" (default exclusive-thread prohibited exclusive-process)
 *             "pcie_gen" "pcie_width" (now, read while copying) "pcie_gen_max" "pcie_width_max"
 *             (what GPU and slot can) "pcie_from" (nvml sysfs) "driver_version" ("580.65.06")
 *             "runtime" "driver" "peers" (array of device numbers it can reach directly).
 *             What cannot be told is null. A last line has "devices" and "done".
 *   bandwidth "device" "gpu" "kind" "memory" "method" "bytes" "gbps" "us" "samples";
 *             kind: h2d d2h both (sum of the two directions, two streams)   memory: pinned pageable
 *                   d2d (bytes read + written)  memory: device, or cache where a copy is no larger than
 *                   twice the L2, whose speed it then shows
 *                   p2p p2p-both, memory: device (with "peer": to which device; "direct": without the host)
 *             method: memcpy, and for d2d also kernel
 *             "gbps" is 1e9 bytes/s, of the median of the samples; "us" microseconds of one copy of
 *             "bytes". The contents were checked on the side that received. A last line has
 *             "seconds" and "done".
 *   cublas... "version" (of the library that was loaded, 130000) "header" (that it was compiled
 *             with) "detail" "done"
 * Exit status: 0 fine, 1 wrong result, 2 usage, 3 a CUDA (or library) call failed.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

enum { PROOF_OK = 0, PROOF_WRONG = 1, PROOF_USAGE = 2, PROOF_CALL = 3 };

/* A JSON string, quotes included; what is not plain ASCII becomes '?'. */
static inline void proof_text(const char *s)
{
	putchar('"');
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else
			putchar(*s >= 0x20 && *s < 0x7f ? *s : '?');
	putchar('"');
}

static inline int proof_failed(const char *test, const char *call, int code, const char *name,
			       const char *text)
{
	printf("{\"test\": \"%s\", \"ok\": false, \"call\": \"%s\", \"code\": %d, \"name\": ", test,
	       call, code);
	proof_text(name);
	printf(", \"text\": ");
	proof_text(text);
	printf("}\n");
	return PROOF_CALL;
}

static inline int proof_failed_cuda(const char *test, const char *call, cudaError_t e)
{
	return proof_failed(test, call, (int)e, cudaGetErrorName(e), cudaGetErrorString(e));
}

static inline int proof_wrong(const char *test, const char *what, double index, double value,
			      double expected)
{
	printf("{\"test\": \"%s\", \"ok\": false, \"what\": \"%s\", \"index\": %.0f, \"value\": "
	       "%.9g, "
	       "\"expected\": %.9g}\n",
	       test, what, index, value, expected);
	return PROOF_WRONG;
}

/* In a function that returns an exit status, in a file that defines TEST. */
#define PROOF_TRY(call, ...)                                                                       \
	do {                                                                                       \
		cudaError_t proof_e_ = call(__VA_ARGS__);                                          \
		if (proof_e_ != cudaSuccess)                                                       \
			return proof_failed_cuda(TEST, #call, proof_e_);                           \
	} while (0)

/* The same for a library whose calls return a number, 0 for success. */
#define PROOF_TRY_LIB(call, ...)                                                                   \
	do {                                                                                       \
		int proof_e_ = (int)call(__VA_ARGS__);                                             \
		if (proof_e_ != 0)                                                                 \
			return proof_failed(TEST, #call, proof_e_, "", "");                        \
	} while (0)

/* A whole number from 0 to max; false: none. */
static inline bool proof_number(const char *s, unsigned long long max, unsigned long long *out)
{
	char *end;
	if (!s || *s < '0' || *s > '9')
		return false;
	*out = strtoull(s, &end, 10);
	return !*end && *out <= max;
}

/* The start of a line about a device, up to its name. */
static inline void proof_begin(const char *test, int device, const char *gpu)
{
	printf("{\"test\": \"%s\", \"ok\": true, \"device\": %d, \"gpu\": ", test, device);
	proof_text(gpu);
}

static inline const char *proof_gpu(int device)
{
	static cudaDeviceProp prop;
	return cudaGetDeviceProperties(&prop, device) == cudaSuccess ? prop.name : "";
}

/* For the library tests: no argument, or --device N; the device is made current. */
static inline int proof_start(const char *test, int argc, char **argv)
{
	unsigned long long device = 0;
	if (argc != 1 &&
	    (argc != 3 || strcmp(argv[1], "--device") || !proof_number(argv[2], 1023, &device))) {
		fprintf(stderr, "usage: %s [--device N]\n", test);
		return PROOF_USAGE;
	}
	cudaError_t e = cudaSetDevice((int)device);
	if (e == cudaSuccess)
		e = cudaFree(NULL);
	return e == cudaSuccess ? PROOF_OK : proof_failed_cuda(test, "cudaSetDevice", e);
}

/* The closing line of a library test. */
static inline int proof_library(const char *test, long version, long header, const char *detail)
{
	printf("{\"test\": \"%s\", \"ok\": true, \"version\": %ld, \"header\": %ld, \"detail\": ",
	       test, version, header);
	proof_text(detail);
	printf(", \"done\": true}\n");
	return PROOF_OK;
}
