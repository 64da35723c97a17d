#include "core/wheelpkg.h"

#include <string.h>

#include "base/attr.h"
#include "core/wheelname.h"

/* Those that the rule in rule_name does not give. */
static const struct {
	const char *package, *component;
	const char *since; /* first release of another name */
	const char *later;
} names[] = {
	{"nvidia-cuda-runtime", "cuda_cudart", NULL, NULL},
	{"nvidia-cuda-cccl", "cuda_cccl", "13.3", "cccl"},
	{"nvidia-nvml-dev", "cuda_nvml_dev", NULL, NULL},
	{"nvidia-nvtx", "cuda_nvtx", NULL, NULL},
};

static const struct {
	const char *package;
	const char *const needs[8];
} rules[] = {
	{"nvidia-cuda-nvcc",
	 {"nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl", NULL}},
	{"nvidia-cuda-tileiras", {"nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-nvjitlink", NULL}},
	{"nvidia-cufft", {"nvidia-nvjitlink", NULL}},
	{"nvidia-cusparse", {"nvidia-nvjitlink", NULL}},
	{"nvidia-cusolver", {"nvidia-cublas", "nvidia-cusparse", "nvidia-nvjitlink", NULL}},
};

/* nvidia-cuda-x-y -> cuda_x_y, nvidia-x -> libx. */
static char *rule_name(const char *package)
{
	const char *rest = strncmp(package, "nvidia-", 7) == 0 ? package + 7 : package;
	char *name = xasprintf("%s%s", strncmp(rest, "cuda-", 5) == 0 ? "" : "lib", rest);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

char *wheelpkg_component(const char *package, const struct version *release)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct version since;
		if (strcmp(package, names[i].package) != 0)
			continue;
		bool later = names[i].since &&
			     version_parse(names[i].since, strlen(names[i].since), &since) &&
			     version_compare(release, &since) >= 0;
		return xstrdup(later ? names[i].later : names[i].component);
	}
	return rule_name(package);
}

static bool same(const char *a, const char *b)
{
	return b && !strcmp(a, b);
}

bool wheelpkg_means(const char *asked, const char *package)
{
	char project[PEP440_TEXT];
	if (wheelname_project(asked, strlen(asked), project) && same(project, package))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(package, names[i].package))
			return same(asked, names[i].component) || same(asked, names[i].later);
	autofree char *name = rule_name(package);
	return same(asked, name);
}

const char *const *wheelpkg_needs(const char *package)
{
	static const char *const none[] = {NULL};
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (!strcmp(package, rules[i].package))
			return rules[i].needs;
	return none;
}
