/* A tone through cuFFT: one line in the spectrum, and itself again. Output and exit status: proof.h. */
#include <cmath>
#include <vector>

#include <cufft.h>

#include "proof.h"

#define TEST "cufft"

/* 2, 3, 5 and 7 among the factors: more than one of the library's kernels takes part. */
enum { LENGTH = 2520, BATCH = 8 };
static const double TOLERANCE = 1e-3;

static cufftComplex tone(int i, int batch)
{
	const double angle =
		2 * 3.14159265358979323846 * ((long)i * (batch + 11) % LENGTH) / LENGTH;
	cufftComplex c;
	c.x = (float)cos(angle);
	c.y = (float)sin(angle);
	return c;
}

static int compare(const char *what, int index, double got, double expected, double tolerance)
{
	return fabs(got - expected) <= tolerance ? PROOF_OK
						 : proof_wrong(TEST, what, index, got, expected);
}

static int check_spectrum(const std::vector<cufftComplex> &v)
{
	int status = PROOF_OK;
	for (int i = 0; i < LENGTH * BATCH && !status; i++) {
		const bool peak = i % LENGTH == i / LENGTH + 11;
		status = compare("real part of the spectrum", i, v[i].x, peak ? LENGTH : 0,
				 TOLERANCE * LENGTH);
		if (!status)
			status = compare("imaginary part of the spectrum", i, v[i].y, 0,
					 TOLERANCE * LENGTH);
	}
	return status;
}

static int check_inverse(const std::vector<cufftComplex> &v)
{
	int status = PROOF_OK;
	for (int i = 0; i < LENGTH * BATCH && !status; i++) {
		const cufftComplex t = tone(i % LENGTH, i / LENGTH);
		status = compare("real part of the inverse", i, v[i].x / LENGTH, t.x, TOLERANCE);
		if (!status)
			status = compare("imaginary part of the inverse", i, v[i].y / LENGTH, t.y,
					 TOLERANCE);
	}
	return status;
}

int main(int argc, char **argv)
{
	const size_t bytes = sizeof(cufftComplex) * LENGTH * BATCH;
	std::vector<cufftComplex> v(LENGTH * BATCH);
	cufftComplex *data = NULL;
	cufftHandle plan;
	int version = 0, status = proof_start(TEST, argc, argv);
	if (status)
		return status;
	for (int i = 0; i < LENGTH * BATCH; i++)
		v[i] = tone(i % LENGTH, i / LENGTH);
	PROOF_TRY_LIB(cufftGetVersion, &version);
	PROOF_TRY(cudaMalloc, (void **)&data, bytes);
	PROOF_TRY(cudaMemcpy, data, v.data(), bytes, cudaMemcpyHostToDevice);
	PROOF_TRY_LIB(cufftPlan1d, &plan, LENGTH, CUFFT_C2C, BATCH);
	PROOF_TRY_LIB(cufftExecC2C, plan, data, data, CUFFT_FORWARD);
	PROOF_TRY(cudaMemcpy, v.data(), data, bytes, cudaMemcpyDeviceToHost);
	if ((status = check_spectrum(v)))
		return status;
	PROOF_TRY_LIB(cufftExecC2C, plan, data, data, CUFFT_INVERSE);
	PROOF_TRY(cudaMemcpy, v.data(), data, bytes, cudaMemcpyDeviceToHost);
	if ((status = check_inverse(v)))
		return status;
	PROOF_TRY_LIB(cufftDestroy, plan);
#ifdef CUFFT_VERSION
	return proof_library(TEST, version, CUFFT_VERSION, "c2c 2520x8, forward and inverse");
#else
	return proof_library(TEST, version, version, "c2c 2520x8, forward and inverse");
#endif
}
