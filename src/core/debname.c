#include "core/debname.h"

#include <ctype.h>
#include <string.h>

/* Those that the rule in rule_name does not give; NULL: nothing for a prefix. Without numbers at the end. */
static const struct {
	const char *package, *component;
} names[] = {
	/* Debian and Ubuntu */
	{"nvidia-cuda-toolkit", "cuda_nvcc"},
	{"nvidia-cuda-dev", "cuda_dev"},
	{"nvidia-cuda-gdb", "cuda_gdb"},
	{"nvidia-profiler", "cuda_nvprof"},
	{"nvidia-visual-profiler", "cuda_nvvp"},
	{"libcudart", "cuda_cudart"},
	{"libnvrtc", "cuda_nvrtc"},
	{"libnvrtc-builtins", "cuda_nvrtc_builtins"},
	{"libnvtoolsext", "cuda_nvtx"},
	{"libcupti", "cuda_cupti"},
	{"libcupti-dev", "cuda_cupti_dev"},
	{"libnvidia-ml-dev", "cuda_nvml_dev"},
	{"libcu++-dev", "cuda_cccl"},
	{"libcub-dev", "cuda_cub"},
	{"libthrust-dev", "cuda_thrust"},
	{"libcupti-doc", NULL},
	{"nvidia-cuda-doc", NULL},
	{"nvidia-cuda-toolkit-doc", NULL},
	{"nvidia-cuda-toolkit-gcc", NULL},
	{"nvidia-fs-dkms", NULL},
	{"nvidia-opencl-dev", NULL},
	{"nvidia-openjdk-8-jre", NULL},
	/* NVIDIA: cuda-toolkit-12-4 and its like name others */
	{"cuda-nvvm", "libnvvm"},
	{"cuda-toolkit", NULL},
	{"cuda-toolkit-config-common", NULL},
	{"cuda-compiler", NULL},
	{"cuda-libraries", NULL},
	{"cuda-libraries-dev", NULL},
	{"cuda-tools", NULL},
	{"cuda-command-line-tools", NULL},
	{"cuda-visual-tools", NULL},
	{"cuda-minimal-build", NULL},
	{"cuda-documentation", NULL},
	{"cuda-runtime", NULL},
	{"cuda-drivers", NULL},
	{"cuda-drivers-fabricmanager", NULL},
};

/* In the minimal profile as well, although the manifests have no such component. */
static const char *const minimal[] = {"cuda_dev",    "cuda_nvrtc_builtins", "cuda_cub",
				      "cuda_thrust", "cuda_driver",	    NULL};
static const char *const extras[] = {"nsight_compute_target",
				     "nsight_systems_target",
				     "cuda_nsight_compute",
				     "cuda_nsight_systems",
				     "gds_tools",
				     NULL};

/* Shortens by what numbers a package: "-12-4", "-12", "11.0", "-11.8", "-2024.1.1". */
static void cut_numbers(char *s)
{
	for (;;) {
		size_t n = strlen(s);
		while (n && (isdigit((unsigned char)s[n - 1]) || s[n - 1] == '.'))
			n--;
		if (!s[n])
			return;
		/* Part of the name: libaccinj64, libcuinj64. */
		if (n >= 3 && !strcmp(s + n, "64") && !strncmp(s + n - 3, "inj", 3))
			return;
		n -= n && s[n - 1] == '-';
		s[n] = '\0';
	}
}

/* cuda-toolkit-12-4-config-common */
static void cut_inner(char *s)
{
	static const char rest[] = "-config-common";
	size_t n = strlen(s), k = sizeof rest - 1;
	if (n <= k || strcmp(s + n - k, rest) != 0)
		return;
	s[n - k] = '\0';
	cut_numbers(s);
	memmove(s + strlen(s), rest, k + 1);
}

char *debname_component(const char *package)
{
	char *s = xstrdup(package);
	cut_numbers(s);
	cut_inner(s);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(s, names[i].package)) {
			attr_free(&s);
			return names[i].component ? xstrdup(names[i].component) : NULL;
		}
	for (char *c = s; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	/* Drivers and their like. */
	if (profile_wants(PROFILE_FULL, s))
		return s;
	attr_free(&s);
	return NULL;
}

bool debname_wanted(const char *component, enum profile p)
{
	size_t n = strlen(component);
	/* What NVIDIA's archives have in one comes in two packages. */
	bool dev = n > 4 && !strcmp(component + n - 4, "_dev") &&
		   strcmp(component, "cuda_nvml_dev") && strcmp(component, "cuda_dev");
	autofree char *base = xstrndup(component, dev ? n - 4 : n);
	if (words_have(minimal, base))
		return true;
	if (words_have(extras, base) && p != PROFILE_FULL)
		return false;
	return profile_wants(p, base);
}

bool debname_is_large(const char *component)
{
	return !strcmp(component, "cuda_dev");
}
