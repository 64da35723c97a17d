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

void envformat_github(FILE *to, const struct toolenv *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct toolenv_var *v = &t->vars[i];
		if (v->bookkeeping || !v->value)
			continue;
		if (strchr(v->value, '\n'))
			fprintf(to, "%s<<__cudaenv_end\n%s\n__cudaenv_end\n", v->name, v->value);
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
