/* Stands for libcuda.so.1 and libnvidia-ml.so.1 of a driver 565.77 (CUDA 12.7). */
#include <string.h>

int cuDriverGetVersion(int *version);
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned cap);

int cuDriverGetVersion(int *version)
{
	*version = 12070;
	return 0;
}

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned cap)
{
	if (cap < sizeof "565.77")
		return 7;
	memcpy(text, "565.77", sizeof "565.77");
	return 0;
}
