/* A convolution of cuDNN, against one that the host made. Output and exit status: proof.h. */
#include <vector>

#include <cudnn.h>

#include "proof.h"

#define TEST "cudnn"

enum { IMAGES = 2, IN = 3, OUT = 5, HEIGHT = 19, WIDTH = 23, SIDE = 3, PAD = 1 };

#define TRY_CUDNN(call, ...)                                                                       \
	do {                                                                                       \
		cudnnStatus_t s_ = call(__VA_ARGS__);                                              \
		if (s_ != CUDNN_STATUS_SUCCESS)                                                    \
			return proof_failed(TEST, #call, (int)s_, cudnnGetErrorString(s_), "");    \
	} while (0)

/* Whole and small: every sum is exact in any order and in any precision of the inputs. */
static std::vector<float> numbers(int n, int salt)
{
	std::vector<float> v(n);
	for (int i = 0; i < n; i++)
		v[i] = (float)((i * 7 + salt) % 9 - 4);
	return v;
}

static float expected(const std::vector<float> &x, const std::vector<float> &w, int image, int out,
		      int row, int column)
{
	float sum = 0;
	for (int c = 0; c < IN; c++)
		for (int i = 0; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++) {
				const int r = row + i - PAD, s = column + j - PAD;
				if (r >= 0 && r < HEIGHT && s >= 0 && s < WIDTH)
					sum += x[((image * IN + c) * HEIGHT + r) * WIDTH + s] *
					       w[((out * IN + c) * SIDE + i) * SIDE + j];
			}
	return sum;
}

static int check(const std::vector<float> &x, const std::vector<float> &w,
		 const std::vector<float> &y)
{
	for (int i = 0; i < (int)y.size(); i++) {
		const float right =
			expected(x, w, i / (OUT * HEIGHT * WIDTH), i / (HEIGHT * WIDTH) % OUT,
				 i / WIDTH % HEIGHT, i % WIDTH);
		if (y[i] != right)
			return proof_wrong(TEST, "element of the convolution", i, y[i], right);
	}
	return PROOF_OK;
}

static int upload(const std::vector<float> &v, float **device)
{
	PROOF_TRY(cudaMalloc, (void **)device, v.size() * sizeof(float));
	PROOF_TRY(cudaMemcpy, *device, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
	return PROOF_OK;
}

static int convolve(cudnnHandle_t handle, const float *x, const float *w, float *y)
{
	const float one = 1, zero = 0;
	cudnnTensorDescriptor_t in, out;
	cudnnFilterDescriptor_t filter;
	cudnnConvolutionDescriptor_t convolution;
	TRY_CUDNN(cudnnCreateTensorDescriptor, &in);
	TRY_CUDNN(cudnnCreateTensorDescriptor, &out);
	TRY_CUDNN(cudnnCreateFilterDescriptor, &filter);
	TRY_CUDNN(cudnnCreateConvolutionDescriptor, &convolution);
	TRY_CUDNN(cudnnSetTensor4dDescriptor, in, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, IMAGES, IN,
		  HEIGHT, WIDTH);
	TRY_CUDNN(cudnnSetTensor4dDescriptor, out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, IMAGES, OUT,
		  HEIGHT, WIDTH);
	TRY_CUDNN(cudnnSetFilter4dDescriptor, filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, OUT, IN,
		  SIDE, SIDE);
	TRY_CUDNN(cudnnSetConvolution2dDescriptor, convolution, PAD, PAD, 1, 1, 1, 1,
		  CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
	TRY_CUDNN(cudnnConvolutionForward, handle, &one, in, x, filter, w, convolution,
		  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, out, y);
	PROOF_TRY(cudaDeviceSynchronize);
	TRY_CUDNN(cudnnDestroyConvolutionDescriptor, convolution);
	TRY_CUDNN(cudnnDestroyFilterDescriptor, filter);
	TRY_CUDNN(cudnnDestroyTensorDescriptor, out);
	TRY_CUDNN(cudnnDestroyTensorDescriptor, in);
	return PROOF_OK;
}

int main(int argc, char **argv)
{
	const std::vector<float> x = numbers(IMAGES * IN * HEIGHT * WIDTH, 1),
				 w = numbers(OUT * IN * SIDE * SIDE, 2);
	std::vector<float> y(IMAGES * OUT * HEIGHT * WIDTH, -1.0f);
	float *dx = NULL, *dw = NULL, *dy = NULL;
	cudnnHandle_t handle;
	int status = proof_start(TEST, argc, argv);
	if (status || (status = upload(x, &dx)) || (status = upload(w, &dw)) ||
	    (status = upload(y, &dy)))
		return status;
	TRY_CUDNN(cudnnCreate, &handle);
	if ((status = convolve(handle, dx, dw, dy)))
		return status;
	PROOF_TRY(cudaMemcpy, y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
	if ((status = check(x, w, y)))
		return status;
	TRY_CUDNN(cudnnDestroy, handle);
	return proof_library(TEST, (long)cudnnGetVersion(), CUDNN_VERSION,
			     "convolution 3x3, 2x3x19x23 to 5");
}
