/* Numbers of cuRAND: their mean and variance. Output and exit status: proof.h. */
#include <cmath>
#include <vector>

#include <curand.h>

#include "proof.h"

#define TEST "curand"

enum { COUNT = 1 << 20, SEED = 20180917 };

/* The tolerances are more than five standard deviations of each figure over COUNT numbers. */
static int judge(const char *what, const std::vector<float> &v, double mean, double variance,
		 double tolerance)
{
	double sum = 0, squares = 0;
	for (int i = 0; i < COUNT; i++)
		sum += v[i];
	const double m = sum / COUNT;
	for (int i = 0; i < COUNT; i++)
		squares += (v[i] - m) * (v[i] - m);
	if (!(fabs(m - mean) <= tolerance))
		return proof_wrong(TEST, what, 0, m, mean);
	if (!(fabs(squares / COUNT - variance) <= tolerance))
		return proof_wrong(TEST, what, 1, squares / COUNT, variance);
	return PROOF_OK;
}

int main(int argc, char **argv)
{
	const size_t bytes = COUNT * sizeof(float);
	std::vector<float> v(COUNT);
	float *numbers = NULL;
	curandGenerator_t generator;
	int version = 0, status = proof_start(TEST, argc, argv);
	if (status)
		return status;
	PROOF_TRY_LIB(curandGetVersion, &version);
	PROOF_TRY(cudaMalloc, (void **)&numbers, bytes);
	PROOF_TRY_LIB(curandCreateGenerator, &generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
	PROOF_TRY_LIB(curandSetPseudoRandomGeneratorSeed, generator, SEED);
	PROOF_TRY_LIB(curandGenerateUniform, generator, numbers, COUNT);
	PROOF_TRY(cudaMemcpy, v.data(), numbers, bytes, cudaMemcpyDeviceToHost);
	for (int i = 0; i < COUNT; i++)
		if (!(v[i] > 0 && v[i] <= 1))
			return proof_wrong(TEST, "uniform number", i, v[i], 0.5);
	if ((status = judge("mean (0) and variance (1), uniform", v, 0.5, 1.0 / 12, 0.002)))
		return status;
	PROOF_TRY_LIB(curandGenerateNormal, generator, numbers, COUNT, 0.0f, 1.0f);
	PROOF_TRY(cudaMemcpy, v.data(), numbers, bytes, cudaMemcpyDeviceToHost);
	if ((status = judge("mean (0) and variance (1), normal", v, 0, 1, 0.01)))
		return status;
	PROOF_TRY_LIB(curandDestroyGenerator, generator);
#ifdef CURAND_VERSION
	return proof_library(TEST, version, CURAND_VERSION, "philox, uniform and normal");
#else
	return proof_library(TEST, version, version, "philox, uniform and normal");
#endif
}
