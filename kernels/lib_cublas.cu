/* A matrix product of cuBLAS, against one that the host made. Output and exit status: proof.h. */
#include <vector>

#include <cublas_v2.h>

#include "proof.h"

#define TEST "cublas"

/* No two alike, none a multiple of a tile. */
enum { M = 193, N = 161, K = 257 };

/* Whole and small: every sum is exact in any order and in any precision of the inputs. */
static float value(int row, int column, int salt)
{
	return (float)((row * 7 + column * 3 + salt) % 9 - 4);
}

static std::vector<float> matrix(int rows, int columns, int salt)
{
	std::vector<float> m((size_t)rows * columns);
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			m[(size_t)j * rows + i] = value(i, j, salt);
	return m;
}

static int check(const std::vector<float> &c)
{
	for (int j = 0; j < N; j++)
		for (int i = 0; i < M; i++) {
			float sum = 0;
			for (int k = 0; k < K; k++)
				sum += value(i, k, 1) * value(k, j, 2);
			if (c[(size_t)j * M + i] != sum)
				return proof_wrong(TEST, "element of the product",
						   (double)j * M + i, c[(size_t)j * M + i], sum);
		}
	return PROOF_OK;
}

int main(int argc, char **argv)
{
	const float one = 1, zero = 0;
	const std::vector<float> a = matrix(M, K, 1), b = matrix(K, N, 2);
	std::vector<float> c((size_t)M * N, -1.0f);
	float *da = NULL, *db = NULL, *dc = NULL;
	cublasHandle_t handle;
	int version = 0, status = proof_start(TEST, argc, argv);
	if (status)
		return status;
	PROOF_TRY_LIB(cublasCreate, &handle);
	PROOF_TRY_LIB(cublasGetVersion, handle, &version);
	PROOF_TRY(cudaMalloc, (void **)&da, a.size() * sizeof(float));
	PROOF_TRY(cudaMalloc, (void **)&db, b.size() * sizeof(float));
	PROOF_TRY(cudaMalloc, (void **)&dc, c.size() * sizeof(float));
	PROOF_TRY_LIB(cublasSetMatrix, M, K, sizeof(float), a.data(), M, da, M);
	PROOF_TRY_LIB(cublasSetMatrix, K, N, sizeof(float), b.data(), K, db, K);
	PROOF_TRY_LIB(cublasSetMatrix, M, N, sizeof(float), c.data(), M, dc, M);
	PROOF_TRY_LIB(cublasSgemm, handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, da, M, db, K,
		      &zero, dc, M);
	PROOF_TRY_LIB(cublasGetMatrix, M, N, sizeof(float), dc, M, c.data(), M);
	if ((status = check(c)))
		return status;
	PROOF_TRY_LIB(cublasDestroy, handle);
#ifdef CUBLAS_VERSION
	return proof_library(TEST, version, CUBLAS_VERSION, "sgemm 193x161x257");
#else
	return proof_library(TEST, version, CUBLAS_VER_MAJOR * 10000L, "sgemm 193x161x257");
#endif
}
