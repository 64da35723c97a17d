/* Toolkits that are on a machine already, below a folder that stands for "/". */
#include "scratch.h"

#include "base/buf.h"
#include "core/adopt.h"
#include "core/probe.h"
#include "core/toolkits.h"

static struct layout l;
static char *here, *root;

static void put(const char *path, const char *text)
{
	struct err err;
	autofree char *folder = xstrdup(path);
	*strrchr(folder, '/') = '\0';
	assert_true(tree_mkdirs(folder, &err));
	scratch_file(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static void putf(const char *folder, const char *sub, const char *text)
{
	autofree char *path = xasprintf("%s/%s", folder, sub);
	put(path, text);
}

static int enter(void **state)
{
	static const char *const unset[] = {"CUDA_HOME",	"CUDA_PATH",	"CUDA_ROOT",
					    "CUDAToolkit_ROOT", "CONDA_PREFIX", "VIRTUAL_ENV"};
	int failed = scratch_enter(state);
	here = getcwd(NULL, 0);
	root = xasprintf("%s/machine", here);
	autofree char *home = xasprintf("%s/home [x]", here);
	for (size_t i = 0; i < ARRAY_LEN(unset); i++)
		unsetenv(unset[i]);
	setenv("HOME", home, 1);
	setenv("PATH", "/nonexistent", 1);
	l = (struct layout){0};
	snprintf(l.root, sizeof l.root, "%s/own", here);
	return failed;
}

static int leave(void **state)
{
	free(here);
	free(root);
	return scratch_leave(state);
}

/* A folder as NVIDIA's installers make it, with all that compiling needs. */
static void tree(const char *folder, const char *release)
{
	static const char *const files[] = {
		"bin/nvcc",
		"bin/nvcc.profile",
		"nvvm/bin/cicc",
		"bin/cudafe++",
		"bin/ptxas",
		"bin/fatbinary",
		"bin/nvlink",
		"bin/crt/link.stub",
		"nvvm/libdevice/libdevice.10.bc",
		"include/crt/host_config.h",
		"include/cuda_runtime.h",
		"lib64/libcudart.so",
		"lib64/libcudart_static.a",
		"lib64/libcudadevrt.a",
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		putf(folder, files[i], "x");
	autofree char *json = xasprintf("{\"cuda\": {\"version\": \"%s\"}}", release);
	putf(folder, "version.json", json);
}

static void must(bool ok, const struct err *err)
{
	if (!ok)
		fail_msg("%s", err->msg);
}

/* "name path" of each, without the folder of the test. */
static char *found(char *const *paths)
{
	autoadopt struct adopt a = {0};
	struct err err = {0};
	struct buf text = BUF_INIT(1 << 16);
	must(adopt_find(&l, root, paths, &a, &err), &err);
	for (size_t i = 0; i < a.n; i++)
		buf_addf(&text, "%s%s %s\n", a.items[i].known ? "=" : "", a.items[i].name,
			 a.items[i].path + strlen(here));
	return buf_take(&text);
}

static char *const nowhere[] = {NULL};

static void link_all(char *const *paths)
{
	autoadopt struct adopt a = {0};
	struct err err = {0};
	must(adopt_find(&l, root, paths, &a, &err), &err);
	for (size_t i = 0; i < a.n; i++)
		must(adopt_link(&l, root, &a.items[i], &err), &err);
}

static void where_toolkits_usually_are(void **state)
{
	autofree char *none = found(nowhere);
	assert_string_equal(none, "");
	tree("machine/usr/local/cuda-12.4", "12.4.1");
	tree("machine/usr/local/cuda-11.8", "11.8.0");
	assert_int_equal(symlink("cuda-12.4", "machine/usr/local/cuda"), 0);
	tree("machine/opt/cuda", "12.4.1");
	tree("machine/opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3", "12.3.0");
	put("machine/usr/local/cuda-doc/readme", "no toolkit");
	tree("home [x]/miniconda3/envs/a", "12.1.1");
	put("home [x]/miniconda3/envs/a/conda-meta/history", "");
	tree("else/env", "12.2.0");
	put("else/env/conda-meta/history", "");
	autofree char *list = xasprintf("%s/else/env\n%s/gone\nrelative\n", here, here);
	put("home [x]/.conda/environments.txt", list);
	autofree char *spack = xasprintf("%s/spack/cuda-x", here);
	tree("spack/cuda-x", "12.6.3");
	setenv("CUDA_HOME", spack, 1);
	setenv("CUDA_ROOT", "relative", 1);
	autofree char *text = found(nowhere);
	assert_string_equal(text,
			    "system-12.4.1 /machine/usr/local/cuda-12.4\n"
			    "system-11.8.0 /machine/usr/local/cuda-11.8\n"
			    "system-12.4.1-2 /machine/opt/cuda\n"
			    "hpc-12.3.0 /machine/opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3\n"
			    "system-12.6.3 /spack/cuda-x\n"
			    "conda-12.1.1 /home [x]/miniconda3/envs/a\n"
			    "conda-12.2.0 /else/env\n");
	/* A second run finds the same, under the same names. */
	link_all(nowhere);
	char target[PATH_MAX];
	ssize_t n = readlink("own/versions/system-12.4.1", target, sizeof target - 1);
	autofree char *real = xasprintf("%s/usr/local/cuda-12.4", root);
	target[n > 0 ? n : 0] = '\0';
	assert_string_equal(target, real);
	autofree char *again = found(nowhere);
	assert_non_null(strstr(again, "=system-12.4.1 /machine/usr/local/cuda-12.4\n"));
	assert_non_null(strstr(again, "=conda-12.2.0 /else/env\n"));
	assert_null(strstr(again, "\nsystem"));
}

static void the_path_and_ours(void **state)
{
	struct err err = {0};
	autoadopt struct adopt a = {0};
	tree("own/versions/12.4.1", "12.4.1");
	tree("own/versions/13.0.2", "13.0.2");
	tree("mine", "12.0.0");
	autofree char *ours = xasprintf("%s/own/versions/12.4.1", here);
	autofree char *path = xasprintf("%s/bin:%s/mine/bin:/bin", ours, here);
	setenv("CUDA_HOME", ours, 1);
	setenv("PATH", path, 1);
	autofree char *text = found(nowhere);
	assert_string_equal(text, "system-12.0.0 /mine\n");
	char *const asked[] = {ours, NULL};
	assert_false(adopt_find(&l, root, asked, &a, &err));
	assert_int_equal(err.code, ERR_USAGE);
}

static void as_asked(void **state)
{
	struct err err = {0};
	autoadopt struct adopt a = {0};
	tree("a b", "nonsense");
	assert_int_equal(symlink("a b", "way"), 0);
	autofree char *one = xasprintf("%s/way", here), *two = xasprintf("%s/a b/bin", here);
	autofree char *three = xasprintf("%s/way/bin/nvcc", here);
	char *const same[] = {one, two, three, NULL};
	autofree char *text = found(same);
	assert_string_equal(text, "system-a-b /a b\n");
	autofree char *gone = xasprintf("%s/gone", here), *empty = xasprintf("%s/empty", here);
	assert_int_equal(mkdir("empty", 0777), 0);
	char *const bad[] = {gone, NULL}, *const no_tree[] = {empty, NULL};
	assert_false(adopt_find(&l, root, bad, &a, &err));
	assert_int_equal(err.sys, ENOENT);
	assert_false(adopt_find(&l, root, no_tree, &a, &err));
	assert_non_null(strstr(err.msg, "no program 'bin/nvcc'"));
}

static void says_what_is_missing(void **state)
{
	struct err err = {0};
	autoadopt struct adopt a = {0};
	autofree char *prefix = xasprintf("%s/t", here);
	tree("t", "12.4.1");
	assert_int_equal(unlink("t/nvvm/bin/cicc") | unlink("t/lib64/libcudart.so") |
				 chmod("t/bin/ptxas", 0644),
			 0);
	char *const paths[] = {prefix, NULL};
	must(adopt_find(&l, root, paths, &a, &err), &err);
	assert_int_equal(a.items[0].lacks.n, 3);
	assert_string_equal(a.items[0].lacks.items[0], "nvvm/bin/cicc");
	assert_string_equal(a.items[0].lacks.items[1], "bin/ptxas");
	assert_string_equal(a.items[0].lacks.items[2], "lib64/libcudart.so");
}

static void assert_leads(const char *link, const char *to)
{
	autofree char *path = xasprintf("own/versions/%s", link);
	autofree char *real = realpath(path, NULL);
	if (!real)
		fail_msg("'%s' leads nowhere", link);
	assert_string_equal(real + strlen(here) + 1, to);
}

static void spread_over_usr(void **state)
{
	static const char tools[] = "/usr/lib/nvidia-cuda-toolkit/bin";
	static const char *const files[] = {
		"/usr/bin/nvcc",
		"/usr/bin/ptxas",
		"/usr/bin/fatbinary",
		"/usr/bin/nvlink",
		"/usr/bin/cudafe++",
		"/usr/lib/nvidia-cuda-toolkit/bin/nvcc",
		"/usr/lib/nvidia-cuda-toolkit/bin/cicc",
		"/usr/lib/nvidia-cuda-toolkit/bin/gcc",
		"/usr/lib/nvidia-cuda-toolkit/bin/crt/link.stub",
		"/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc",
		"/usr/lib/cuda/version.txt",
		"/usr/share/doc/nvidia-cuda-toolkit/copyright",
	};
	static const char *const dev[] = {
		"/usr/include/cuda_runtime.h",
		"/usr/include/crt/host_config.h",
		"/usr/lib/x86_64-linux-gnu/libcudart.so",
		"/usr/lib/x86_64-linux-gnu/libcudart_static.a",
		"/usr/lib/x86_64-linux-gnu/libcudadevrt.a",
		"/usr/lib/x86_64-linux-gnu/stubs/libcuda.so",
	};
	autobuf struct buf list = BUF_INIT(1 << 16), dev_list = BUF_INIT(1 << 16);
#if !defined(__x86_64__)
	skip();
#endif
	buf_addf(&list, "/.\n/usr/bin\n%s\n%s/crt\n/usr/lib/nvidia-cuda-toolkit/libdevice\n", tools,
		 tools);
	buf_adds(&dev_list, "/.\n/usr/include\n/usr/include/crt\n/usr/lib/x86_64-linux-gnu\n"
			    "/usr/include/gone.h\n");
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		putf("machine", files[i] + 1, "x");
		buf_addf(&list, "%s\n", files[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(dev); i++) {
		putf("machine", dev[i] + 1, "x");
		buf_addf(&dev_list, "%s\n", dev[i]);
	}
	assert_int_equal(unlink("machine/usr/lib/cuda/version.txt"), 0);
	put("machine/usr/include/stdio.h", "not CUDA's");
	put("machine/usr/lib/x86_64-linux-gnu/libc.so.6", "not CUDA's");
	put("machine/var/lib/dpkg/info/nvidia-cuda-toolkit.list", buf_str(&list));
	put("machine/var/lib/dpkg/info/nvidia-cuda-dev:amd64.list", buf_str(&dev_list));
	put("machine/var/lib/dpkg/info/libc6.list", "/usr/include/stdio.h\n");
	put("machine/var/lib/dpkg/status",
	    "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2\n\n"
	    "Package: nvidia-cuda-toolkit\nStatus: install ok installed\nArchitecture: amd64\n"
	    "Source: nvidia-cuda-toolkit (12.4.1-2)\nVersion: 12.4.131~12.4.1-2\n\n"
	    "Package: nvidia-cuda-dev\nStatus: install ok installed\nArchitecture: amd64\n"
	    "Source: nvidia-cuda-toolkit (12.4.1-2)\nVersion: 12.4.127~12.4.1-2\n");
	link_all(nowhere);
	autofree char *text = found(nowhere);
	assert_string_equal(text, "=debian-12.4.1 /machine/usr\n");
	assert_leads("debian-12.4.1/bin/nvcc", "machine/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
	assert_leads("debian-12.4.1/nvvm/bin/cicc", "machine/usr/lib/nvidia-cuda-toolkit/bin/cicc");
	assert_leads("debian-12.4.1/bin/ptxas", "machine/usr/bin/ptxas");
	assert_leads("debian-12.4.1/include/cuda_runtime.h", "machine/usr/include/cuda_runtime.h");
	assert_leads("debian-12.4.1/lib64/stubs/libcuda.so",
		     "machine/usr/lib/x86_64-linux-gnu/stubs/libcuda.so");
	assert_null(probe_missing("own/versions/debian-12.4.1"));
	assert_int_equal(access("own/versions/debian-12.4.1/include/stdio.h", F_OK), -1);
	assert_int_equal(access("own/versions/debian-12.4.1/bin/gcc", F_OK), -1);
	char release[VERSION_TEXT];
	assert_true(toolkit_release("own/versions/debian-12.4.1", release));
	assert_string_equal(release, "12.4.1");
	autotoolkits struct toolkits all = {0};
	struct err err = {0};
	must(toolkits_read(&all, &l, &err), &err);
	assert_string_equal(all.items[0].target + strlen(here), "/machine/usr");
	/* By any of its ways, and anew when its packages changed. */
	autofree char *way = xasprintf("%s/machine/usr/bin/nvcc", here);
	put("machine/usr/lib/x86_64-linux-gnu/libcudart.so.12", "x");
	buf_adds(&dev_list, "/usr/lib/x86_64-linux-gnu/libcudart.so.12\n");
	put("machine/var/lib/dpkg/info/nvidia-cuda-dev:amd64.list", buf_str(&dev_list));
	char *const asked[] = {way, NULL};
	link_all(asked);
	assert_leads("debian-12.4.1/lib64/libcudart.so.12",
		     "machine/usr/lib/x86_64-linux-gnu/libcudart.so.12");
}

static void conda_and_wheels(void **state)
{
	autofree char *env = xasprintf("%s/env", here);
	autofree char *wheels = xasprintf("%s/v/lib/python3.11/site-packages/nvidia/cu13", here);
	tree("env", "12.4.1");
	assert_int_equal(rename("env/lib64", "env/l") | rename("env/include", "env/i"), 0);
	assert_int_equal(mkdir("env/targets", 0777) | mkdir("env/targets/x86_64-linux", 0777), 0);
	assert_int_equal(rename("env/l", "env/targets/x86_64-linux/lib") |
				 rename("env/i", "env/targets/x86_64-linux/include"),
			 0);
	put("env/bin/python", "x");
	put("env/conda-meta/history", "");
	tree("v/lib/python3.11/site-packages/nvidia/cu13", "x");
	autofree char *lib64 = xasprintf("%s/lib64", wheels), *lib = xasprintf("%s/lib", wheels);
	assert_int_equal(rename(lib64, lib), 0);
	autofree char *plain = xasprintf("%s/libcudart.so", lib);
	autofree char *numbered = xasprintf("%s/libcudart.so.13", lib);
	assert_int_equal(rename(plain, numbered), 0);
	put("v/lib/python3.11/site-packages/cuda_toolkit-13.0.2.dist-info/METADATA", "");
	char *const paths[] = {env, wheels, NULL};
	link_all(paths);
	autofree char *text = found(paths);
	assert_string_equal(text, "=conda-12.4.1 /env\n"
				  "=wheels-13.0.2 /v/lib/python3.11/site-packages/nvidia/cu13\n");
	assert_null(probe_missing("own/versions/conda-12.4.1"));
	assert_leads("conda-12.4.1/include/cuda_runtime.h",
		     "env/targets/x86_64-linux/include/cuda_runtime.h");
	assert_int_equal(access("own/versions/conda-12.4.1/bin/python", F_OK), -1);
	assert_null(probe_missing("own/versions/wheels-13.0.2"));
	assert_leads("wheels-13.0.2/lib64/libcudart.so",
		     "v/lib/python3.11/site-packages/nvidia/cu13/lib/libcudart.so.13");
	/* A virtual environment that is active. */
	autofree char *venv = xasprintf("%s/v", here);
	setenv("VIRTUAL_ENV", venv, 1);
	autofree char *active = found(nowhere);
	assert_string_equal(active, "=wheels-13.0.2 /v/lib/python3.11/site-packages/nvidia/cu13\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
		T(where_toolkits_usually_are), T(the_path_and_ours), T(as_asked),
		T(says_what_is_missing),       T(spread_over_usr),   T(conda_and_wheels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
