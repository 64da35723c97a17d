/* Which release a tree is. */
#include "scratch.h"

#include "base/atomic.h"
#include "core/identify.h"
#include "core/toolkits.h"

static char *here;

static int enter(void **state)
{
	int failed = scratch_enter(state);
	here = getcwd(NULL, 0);
	return failed;
}

static int leave(void **state)
{
	free(here);
	return scratch_leave(state);
}

static void put(const char *path, const char *text)
{
	struct err err;
	autofree char *folder = xstrdup(path);
	*strrchr(folder, '/') = '\0';
	assert_true(tree_mkdirs(folder, &err));
	scratch_file(path, text);
}

static void nvcc(const char *folder, const char *script)
{
	autofree char *path = xasprintf("%s/bin/nvcc", folder);
	put(path, script);
	assert_int_equal(chmod(path, 0755), 0);
}

/* As "12.4.1 by version.json", or "". */
static const char *told(const char *folder, bool run)
{
	static char text[VERSION_TEXT + 32];
	struct identity id;
	autofree char *prefix = xasprintf("%s/%s", here, folder);
	if (!identify_release(here, prefix, run, &id))
		return "";
	snprintf(text, sizeof text, "%s by %s", id.release, id.by);
	return text;
}

static void each_source_in_its_turn(void **state)
{
	/* From the last one to the first: each goes before those below it. */
	nvcc("t", "#!/bin/sh\necho 'nvcc: NVIDIA (R) Cuda compiler driver\n"
		  "Cuda compilation tools, release 13.0, V13.0.88'\n");
	assert_string_equal(told("t", false), "");
	assert_string_equal(told("t", true), "13.0 by nvcc");
	put("t/include/cuda.h", "/* x */\n#define CUDA_VERSION 12080\n");
	assert_string_equal(told("t", true), "12.8 by cuda.h");
	put("var/lib/dpkg/info/cuda-nvcc-12-6.list", "/.\n/t\n/t/bin/nvcc\n");
	put("var/lib/dpkg/status",
	    "Package: cuda-nvcc-12-6\nStatus: install ok installed\nVersion: 12.6.85-1\n");
	assert_string_equal(told("t", true), "12.6 by package");
	put("var/lib/dpkg/status",
	    "Package: cuda-nvcc-12-6\nStatus: install ok installed\nVersion: 12.6.85-1\n\n"
	    "Package: cuda-toolkit-12-6\nStatus: install ok installed\nSection: devel\n"
	    "Version: 12.6.3-1\n");
	assert_string_equal(told("t", true), "12.6.3 by package");
	put("t/version.txt", "CUDA Version 10.1.243\nCUDA Patch Version 10.1.1\n");
	assert_string_equal(told("t", true), "10.1.243 by version.txt");
	/* The number of a component is not the release. */
	put("t/version.json", "{\"cuda_nvcc\": {\"name\": \"NVCC\", \"version\": \"12.4.131\"}}");
	assert_string_equal(told("t", true), "10.1.243 by version.txt");
	put("t/version.json", "{\"cuda_nvcc\": {\"version\": \"12.4.131\"},"
			      " \"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"12.4.1\"}}");
	assert_string_equal(told("t", true), "12.4.1 by version.json");
}

static void packages_of_distributions(void **state)
{
	static const struct {
		const char *version, *release;
	} cases[] = {
		{"12.4.131~12.4.1-2", "12.4.1 by package"},
		{"11.8.89~11.8.0-5~deb12u1", "11.8.0 by package"},
		{"11.5.1-1ubuntu1", "11.5.1 by package"},
		{"12.0.140~12.0.1-4build4", "12.0.1 by package"},
		{"nonsense", ""},
	};
	nvcc("usr", "#!/bin/sh\n");
	put("var/lib/dpkg/info/libc6:amd64.list", "/.\n/usr/bin\n/usr/bin/nvcc-other\n");
	put("var/lib/dpkg/info/nvidia-cuda-toolkit:amd64.list", "/.\n/usr/bin\n/usr/bin/nvcc\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *status = xasprintf(
			"Package: a\nStatus: install ok installed\nVersion: 1\n\n"
			"Package: nvidia-cuda-toolkit\nStatus: install ok unpacked\nVersion: %s\n\n"
			"Package: b\nVersion: 2\n",
			cases[i].version);
		put("var/lib/dpkg/status", status);
		assert_string_equal(told("usr", true), cases[i].release);
	}
	put("var/lib/dpkg/status",
	    "Package: nvidia-cuda-toolkit\nStatus: deinstall ok config-files\nVersion: 11.5.1-1\n");
	assert_string_equal(told("usr", true), "");
}

static void conda_and_wheels(void **state)
{
	nvcc("env", "#!/bin/sh\n");
	put("env/conda-meta/cuda-nvcc-12.4.131-0.json", "");
	put("env/conda-meta/cudatoolkit-dev-x.json", "");
	assert_string_equal(told("env", false), "");
	put("env/conda-meta/cuda-version-12.4-h3060b56_3.json", "");
	assert_string_equal(told("env", false), "12.4 by package");
	put("env/conda-meta/cuda-toolkit-12.4.1-0.json", "");
	assert_string_equal(told("env", false), "12.4.1 by package");
	put("env2/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12040\n");
	assert_string_equal(told("env2", false), "12.4 by cuda.h");
	put("v/site-packages/nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 13040\n");
	assert_string_equal(told("v/site-packages/nvidia/cu13", false), "13.4 by cuda.h");
	put("v/site-packages/nvidia_cuda_nvcc-13.4.52.dist-info/METADATA", "");
	put("v/site-packages/cuda_toolkit-13.4.1.0.dist-info/METADATA", "");
	assert_string_equal(told("v/site-packages/nvidia/cu13", false), "13.4.1 by package");
}

static void what_is_broken_says_nothing(void **state)
{
	static const char *const scripts[] = {
		"",
		"#!/bin/sh\nexit 1\n",
		"#!/bin/sh\necho release x\n",
		"#!/bin/sh\nhead -c 3000000 /dev/zero\n",
		"#!/nonexistent\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		nvcc("t", scripts[i]);
		assert_string_equal(told("t", true), "");
	}
	put("t/version.json", "{\"cuda\": {\"version\": \"../../etc\"}}");
	put("t/version.txt", "CUDA Version \033[2J");
	put("t/include/cuda.h", "#define CUDA_VERSION 99\n");
	put("var/lib/dpkg/status", "Package");
	put("var/lib/dpkg/info/cuda-nvcc-x.list", "/t/bin/nvcc\n");
	assert_string_equal(told("t", true), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
		T(each_source_in_its_turn),
		T(packages_of_distributions),
		T(conda_and_wheels),
		T(what_is_broken_says_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
