#include "cli/envformat.h"

#include <string.h>

static void escaped(FILE *to, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s))
			fputc('\\', to);
		fputc(*s, to);
	}
}

bool envformat_dotenv(FILE *to, const struct toolenv *t, struct err *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./:@%+,=-";
	for (size_t i = 0; i < t->n; i++) {
		const struct toolenv_var *v = &t->vars[i];
		if (v->bookkeeping || !v->value)
			continue;
		if (strchr(v->value, '\n'))
			return err_set(err, ERR_USAGE,
				       "%s has a line break, which this format cannot hold",
				       v->name);
		fprintf(to, "%s=", v->name);
		if (!v->value[strspn(v->value, plain)]) {
			fputs(v->value, to);
		} else {
			fputc('\'', to);
			escaped(to, v->value, "\\'");
			fputc('\'', to);
		}
		fputc('\n', to);
	}
	return true;
}

/* The runner takes what stands behind the first such line as further variables. */
static void github_lines(FILE *to, const char *name, const char *value)
{
	char end[32] = "__cudaenv_end";
	for (unsigned n = 0; strstr(value, end); n++)
		snprintf(end, sizeof end, "__cudaenv_end%u", n);
	fprintf(to, "%s<<%s\n%s\n%s\n", name, end, value, end);
}

void envformat_github(FILE *to, const struct toolenv *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct toolenv_var *v = &t->vars[i];
		if (v->bookkeeping || !v->value)
			continue;
		if (strpbrk(v->value, "\r\n"))
			github_lines(to, v->name, v->value);
		else
			fprintf(to, "%s=%s\n", v->name, v->value);
	}
}

/* A text in brackets has no special characters; the number of '=' must not be in it. */
static void cmake_set(FILE *to, const char *name, const char *value, const char *type)
{
	int n = 1;
	for (const char *p = value; (p = strchr(p, ']'));) {
		int have = (int)strspn(++p, "=");
		if (have >= n)
			n = have + 1;
	}
	fprintf(to, "set(%s [%.*s[%s]%.*s]", name, n, "================", value, n,
		"================");
	if (type)
		fprintf(to, " CACHE %s \"\" FORCE", type);
	fputs(")\n", to);
}

/*
 * FindCUDAToolkit and FindCUDA look in /usr/local and the like for what the toolkit has not. An empty path is none and
 * not looked for again. The names are those of CMake 3.17 to 4.1; the driver's own libraries are no toolkit's.
 */
static const char cmake_missing[] =
	"# FindCUDA forgets all libraries when it sees a toolkit for the first time.\n"
	"if(NOT DEFINED CUDA_TOOLKIT_ROOT_DIR_INTERNAL)\n"
	"\tset(CUDA_TOOLKIT_ROOT_DIR_INTERNAL \"${CUDA_TOOLKIT_ROOT_DIR}\" CACHE INTERNAL \"\")\n"
	"endif()\n"
	"# What this toolkit lacks is missing: it is not looked for in others.\n"
	"foreach(lib cudart cudart_static cudadevrt culibos cublas cublas_static cublasLt "
	"cublasLt_static\n"
	"\tcuFile cuFile_static cuFile_rdma cuFile_rdma_static cufft cufft_static "
	"cufft_static_nocallback\n"
	"\tcufftw cufftw_static cupti cupti_static curand curand_static cusolver cusolver_static\n"
	"\tcusolver_lapack_static cusolver_metis_static cusparse cusparse_static nppc nppc_static "
	"nppi nppial\n"
	"\tnppial_static nppicc nppicc_static nppicom nppicom_static nppidei nppidei_static nppif "
	"nppif_static\n"
	"\tnppig nppig_static nppim nppim_static nppist nppist_static nppisu nppisu_static nppitc\n"
	"\tnppitc_static npps npps_static nvblas nvfatbin nvfatbin_static nvgraph nvgraph_static "
	"nvJitLink\n"
	"\tnvJitLink_static nvjpeg nvjpeg_static nvperf_host nvperf_host_static nvperf_target\n"
	"\tnvptxcompiler_static nvrtc nvrtc_static nvrtc_builtins_static nvToolsExt "
	"pcsamplingutil)\n"
	"\tstring(REPLACE cuFile cufile file \"lib${lib}\")\n"
	"\tfile(GLOB here \"${CUDAToolkit_ROOT}/lib64/${file}.*\" "
	"\"${CUDAToolkit_ROOT}/lib64/stubs/${file}.*\"\n"
	"\t\t\"${CUDAToolkit_ROOT}/extras/CUPTI/lib64/${file}.*\")\n"
	"\tif(NOT here)\n"
	"\t\tset(CUDA_${lib}_LIBRARY \"\" CACHE FILEPATH \"not in this toolkit\" FORCE)\n"
	"\telseif(DEFINED CUDA_${lib}_LIBRARY AND \"${CUDA_${lib}_LIBRARY}\" STREQUAL \"\")\n"
	"\t\tunset(CUDA_${lib}_LIBRARY CACHE)\n"
	"\tendif()\n"
	"endforeach()\n";

void envformat_cmake(FILE *to, const struct toolenv_want w[TOOLENV_WANTS], const char *name)
{
	fprintf(to, "# CUDA %s: cmake -DCMAKE_TOOLCHAIN_FILE=<this file>\n", name);
	for (size_t i = 0; i < TOOLENV_WANTS; i++) {
		const char *value = w[i].value;
		if (!value || w[i].is_list)
			continue;
		if (!strcmp(w[i].name, "CUDACXX"))
			cmake_set(to, "CMAKE_CUDA_COMPILER", value, "FILEPATH");
		else if (!strcmp(w[i].name, "CUDAHOSTCXX"))
			cmake_set(to, "CMAKE_CUDA_HOST_COMPILER", value, "FILEPATH");
		else if (!strcmp(w[i].name, "CUDAToolkit_ROOT"))
			cmake_set(to, "CUDAToolkit_ROOT", value, "PATH");
		else if (!strcmp(w[i].name, "CUDA_HOME"))
			cmake_set(to, "CUDA_TOOLKIT_ROOT_DIR", value, "PATH");
	}
	for (size_t i = 0; i < TOOLENV_WANTS; i++)
		if (w[i].value && !w[i].is_list) {
			char variable[64];
			snprintf(variable, sizeof variable, "ENV{%s}", w[i].name);
			cmake_set(to, variable, w[i].value, NULL);
		}
	fputs(cmake_missing, to);
}

void envformat_modulefile(FILE *to, const struct toolenv_want w[TOOLENV_WANTS], const char *name)
{
	fprintf(to, "#%%Module1.0\nmodule-whatis \"CUDA %s\"\n", name);
	for (size_t i = 0; i < TOOLENV_WANTS; i++) {
		if (!w[i].value)
			continue;
		fprintf(to, "%s %s \"", w[i].is_list ? "prepend-path" : "setenv", w[i].name);
		escaped(to, w[i].value, "\\\"$[]{};");
		fputs("\"\n", to);
	}
}

void envformat_dockerfile(FILE *to, const struct toolenv_want w[TOOLENV_WANTS])
{
	for (size_t i = 0; i < TOOLENV_WANTS; i++) {
		if (!w[i].value)
			continue;
		fprintf(to, "ENV %s=\"", w[i].name);
		escaped(to, w[i].value, "\\\"$");
		if (w[i].is_list)
			fprintf(to, "${%s:+:${%s}}", w[i].name, w[i].name);
		fputs("\"\n", to);
	}
}
