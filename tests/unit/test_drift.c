/* CMake's caches of another toolkit. The texts are those of CMake 3.25 and 4.4, cut down. */
#include <limits.h>

#include "base/buf.h"
#include "base/drift.h"
#include "scratch.h"

static struct layout layout;
static struct selection selected;

/* Two versions, the newer one selected, and a foreign toolkit, all below the scratch folder. */
static int setup(void **state)
{
	struct err err;
	if (scratch_enter(state) < 0 || !getcwd(layout.root, sizeof layout.root - 8))
		return -1;
	strncat(layout.root, "/root", 6);
	const char *const folders[] = {"root/versions/12.4.1/bin",
				       "root/versions/13.0.2/bin",
				       "other/bin",
				       "build/CMakeFiles/3.25.1",
				       "work",
				       "a b"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (!tree_mkdirs(folders[i], &err))
			return -1;
	scratch_file("other/bin/nvcc", "");
	selected = (struct selection){.name = "13.0.2", .origin = ORIGIN_ENV};
	snprintf(selected.prefix, sizeof selected.prefix, "%s/versions/13.0.2", layout.root);
	return symlink("root/versions/13.0.2", "link") < 0 ? -1 : 0;
}

static char *expand(const char *text)
{
	autobuf struct buf b = BUF_INIT(1 << 16);
	autofree char *top = xstrndup(layout.root, strlen(layout.root) - 5);
	for (; *text; text++)
		if (*text == '@')
			buf_adds(&b, top);
		else
			buf_addc(&b, *text);
	return buf_take(&b);
}

static void put(const char *path, const char *text)
{
	autofree char *all = expand(text);
	scratch_file(path, all);
}

#define CMAKE_325 "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=3\nCMAKE_CACHE_MINOR_VERSION:INTERNAL=25\n"
#define CMAKE_318 "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=3\nCMAKE_CACHE_MINOR_VERSION:INTERNAL=18\n"
#define CMAKE_4 "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=4\nCMAKE_CACHE_MINOR_VERSION:INTERNAL=0\n"
#define SHIM "CMAKE_CUDA_COMPILER:FILEPATH=@/root/shims/nvcc\n" CMAKE_325
#define FRESH "cmake --fresh -B build, with your own -D options"

static void test_caches(void **state)
{
	static const struct {
		const char *cache, *compiler, *made_for, *hint;
	} cases[] = {
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325, NULL,
		 "CUDA 12.4.1", FRESH},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\r\n" CMAKE_4, NULL,
		 "CUDA 12.4.1", FRESH},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_318, NULL,
		 "CUDA 12.4.1",
		 "rm -r build/CMakeCache.txt build/CMakeFiles, and configure it again"},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325
		 "CMAKE_GENERATOR:INTERNAL=Ninja Multi-Config\n",
		 NULL, "CUDA 12.4.1",
		 "cmake --fresh -G 'Ninja Multi-Config' -B build, with your own -D options"},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325
		 "CMAKE_GENERATOR:INTERNAL=Unix Makefiles\nCMAKE_HOME_DIRECTORY:INTERNAL=@/a b\n",
		 NULL, "CUDA 12.4.1",
		 "cmake --fresh -S '@/a b' -B build, with your own -D options"},
		/* the project was moved since */
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325
		 "CMAKE_HOME_DIRECTORY:INTERNAL=@/gone\n",
		 NULL, "CUDA 12.4.1", FRESH},
		/* uninstalled since; a release whose name begins as the selected one's */
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/11.8.0/bin/nvcc\n" CMAKE_325, NULL,
		 "CUDA 11.8.0", FRESH},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/13.0.20/bin/nvcc\n" CMAKE_325, NULL,
		 "CUDA 13.0.20", FRESH},
		/* another toolkit's, also through what FindCUDAToolkit and FindCUDA keep */
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n" CMAKE_325, NULL, "'@/other'",
		 FRESH},
		{"CUDAToolkit_NVCC_EXECUTABLE:FILEPATH=@/root/shims/nvcc\n"
		 "CUDA_CUDART:FILEPATH=@/root/versions/12.4.1/lib/libcudart.so\n" CMAKE_325,
		 NULL, "CUDA 12.4.1", FRESH},
		{"CUDA_TOOLKIT_ROOT_DIR:PATH=/usr/lib/cuda\n" CMAKE_325, NULL, "'/usr/lib/cuda'",
		 FRESH},
		{"CUDA_cudart_LIBRARY:FILEPATH=/x/targets/x86_64-linux/lib/"
		 "libcudart.so\n" CMAKE_325,
		 NULL, "'/x'", FRESH},
		{"CUDAToolkit_BIN_DIR:PATH=/bin\n" CMAKE_325, NULL, "'/usr'", FRESH},
		/* what pkg-config told */
		{"pkgcfg_lib_C_cudart:FILEPATH=@/root/versions/12.4.1/targets/x86_64-linux/lib/"
		 "libcudart.so\n" CMAKE_325,
		 NULL, "CUDA 12.4.1", FRESH},
		{"pkgcfg_lib_C_cudart:FILEPATH=@/root/versions/13.0.2/lib64/libcudart.so\n"
		 "pkgcfg_lib_C_ssl:FILEPATH=/usr/lib/x86_64-linux-gnu/libssl.so\n" CMAKE_325,
		 NULL, NULL, ""},
		/* the compiler is a shim, a clang or a bare word: the other file tells */
		{SHIM, "set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"@/root/versions/12.4.1\")\n",
		 "CUDA 12.4.1", FRESH},
		{SHIM, "set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"@/root/versions/13.0.2\")\n", NULL,
		 ""},
		{SHIM,
		 "set(CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES "
		 "\"@/root/versions/12.4.1/targets/x86_64-linux/include;/y\")\n",
		 "CUDA 12.4.1", FRESH},
		{"CMAKE_CUDA_COMPILER:FILEPATH=/usr/bin/clang++\n" CMAKE_325,
		 "set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"@/other\")\n", "'@/other'", FRESH},
		{"CMAKE_CUDA_COMPILER:STRING=nvcc\n" CMAKE_325,
		 "set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"@/root/versions/12.4.1\")\n",
		 "CUDA 12.4.1", FRESH},
		{SHIM, "", NULL, ""},
		/* the selected one, by whatever name; no CUDA at all; nonsense */
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/13.0.2/bin/nvcc\n", NULL, NULL, ""},
		{"CMAKE_CUDA_COMPILER:FILEPATH=@/link/bin/nvcc\n", NULL, NULL, ""},
		{"CUDAToolkit_ROOT:PATH=@/link\n", NULL, NULL, ""},
		{"CMAKE_CUDA_COMPILER:FILEPATH=NOTFOUND\nCUDA_TOOLKIT_ROOT_DIR:PATH=CUDA-"
		 "NOTFOUND\n",
		 NULL, NULL, ""},
		{"CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\n" CMAKE_325, NULL, NULL, ""},
		{"//CMAKE_CUDA_COMPILER:FILEPATH=/x/bin/nvcc\nCMAKE_CUDA_COMPILER\n"
		 "CMAKE_CUDA_COMPILER_AR:FILEPATH=/x/bin/ar\nCMAKE_CUDA_COMPILER:\n",
		 NULL, NULL, ""},
		{"", NULL, NULL, ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		put("build/CMakeCache.txt", cases[i].cache);
		put("build/CMakeFiles/3.25.1/CMakeCUDACompiler.cmake",
		    cases[i].compiler ? cases[i].compiler : "");
		bool found = drift_find(&layout, &selected, NULL, &e);
		if (found != (cases[i].made_for != NULL))
			fail_msg("%s", cases[i].cache);
		if (!found)
			continue;
		autofree char *made_for = expand(cases[i].made_for);
		autofree char *want = xasprintf(
			"'build' is configured by CMake for %s, but 13.0.2 is selected", made_for);
		assert_string_equal(e.msg, want);
		autofree char *hint = expand(cases[i].hint);
		assert_string_equal(e.hint, hint);
		assert_int_equal(e.code, ERR_NONE);
	}
}

static void test_folders(void **state)
{
	static const struct {
		const char *folder;
		bool found;
	} cases[] = {
		{".", true},	      {"build", true},	     {"build-12", true},
		{"out", true},	      {"build/debug", true}, {"cmake-build-debug", true},
		{"out/linux", true},  {"out/build/x", true}, {"builds", true},
		{"builddir", true},   {"_build", true},	     {"Build", true},
		{"Release", true},    {"debug-12", true},    {"Release/build/x", true},
		{"B", false},	      {"src", false},	     {"bld", true},
		{"src/build", false}, {"build/a/b", false},  {"out/build/x/y", false},
		{".build", false},    {"out/a/b", false},    {"build/build/x", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;
		assert_true(tree_remove("work", &e));
		autofree char *dir = xasprintf("work/%s", cases[i].folder);
		autofree char *file = xasprintf("%s/CMakeCache.txt", dir);
		assert_true(tree_mkdirs(dir, &e));
		put(file, "CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n" CMAKE_325);
		assert_int_equal(chdir("work"), 0);
		bool found = drift_find(&layout, &selected, NULL, &e);
		if (found != cases[i].found)
			fail_msg("%s", cases[i].folder);
		if (found) {
			autofree char *want = xasprintf("'%s' is", cases[i].folder);
			assert_non_null(strstr(e.msg, want));
		}
		assert_int_equal(chdir(".."), 0);
	}
}

/* From a folder inside the project its build folder counts; the system's is of nobody's versions. */
static void test_selections(void **state)
{
	struct err e;
	put("build/CMakeCache.txt", "CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n" CMAKE_325);
	assert_int_equal(chdir("work"), 0);
	assert_false(drift_find(&layout, &selected, NULL, &e));
	struct selection s = selected;
	autofree char *pin = expand("@/.cuda-version");
	s.origin = ORIGIN_FILE;
	memcpy(s.origin_path, pin, strlen(pin) + 1);
	assert_true(drift_find(&layout, &s, NULL, &e));
	autofree char *named = expand("'@/build' is");
	assert_non_null(strstr(e.msg, named));
	assert_int_equal(chdir(".."), 0);
	assert_true(drift_find(&layout, &s, NULL, &e));
	assert_non_null(strstr(e.msg, "'build' is"));
	assert_int_equal(chdir("build"), 0);
	assert_true(drift_find(&layout, &s, NULL, &e));
	assert_non_null(strstr(e.msg, "'.' is"));
	assert_null(strstr(e.msg, "more"));
	assert_int_equal(chdir(".."), 0);

	struct selection none = {.name = "system", .origin = ORIGIN_FILE};
	memcpy(none.origin_path, pin, strlen(pin) + 1);
	assert_false(drift_find(&layout, &none, NULL, &e));
	put("build/CMakeCache.txt",
	    "CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325);
	assert_true(drift_find(&layout, &none, NULL, &e));
	assert_non_null(strstr(e.msg, "for CUDA 12.4.1, but the system's is selected"));
	none.origin = ORIGIN_DEFAULT;
	assert_false(drift_find(&layout, &none, NULL, &e));
}

/* The folder that the command names, wherever it is; another one is not its concern. */
static void test_named(void **state)
{
	struct err e;
	put("other/CMakeCache.txt", "CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n" CMAKE_325);
	assert_false(drift_find(&layout, &selected, NULL, &e));
	assert_true(drift_find(&layout, &selected, "other", &e));
	assert_non_null(strstr(e.msg, "'other' is"));
	put("build/CMakeCache.txt",
	    "CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/12.4.1/bin/nvcc\n" CMAKE_325);
	assert_true(drift_find(&layout, &selected, "other", &e));
	assert_non_null(strstr(e.msg, "'other' is"));
	assert_null(strstr(e.msg, "more"));
	put("other/CMakeCache.txt", CMAKE_325);
	assert_false(drift_find(&layout, &selected, "other", &e));
	assert_true(drift_find(&layout, &selected, "work", &e));
	assert_true(drift_find(&layout, &selected, "nowhere", &e));
}

/* Its log, of Meson 1.0 and 1.12, cut down. */
static void test_meson(void **state)
{
	static const struct {
		const char *log, *header, *made_for, *hint;
	} cases[] = {
		{"Source dir: @\nCuda compiler for the host machine: ccache nvcc (nvcc 12.4.131\n",
		 "#define CUDA_VERSION 13000\n", "12.4", "meson setup --wipe build"},
		{"Source dir: @\nCuda compiler for the host machine: nvcc (nvcc 13.5.37)\n",
		 "#define CUDA_VERSION 13000\n", "13.5", "meson setup --wipe build"},
		{"Source dir: @/a b\nCuda compiler for the build machine: nvcc (nvcc 11.8.89)\n",
		 "x\n#define CUDA_VERSION 13000\r\n", "11.8", "meson setup --wipe build '@/a b'"},
		{"Source dir: @/gone\nCuda compiler for the host machine: nvcc (nvcc 11.8.89)\n",
		 "#define CUDA_VERSION 13000\n", "11.8", "meson setup --wipe build"},
		{"Source dir: @\nCuda compiler for the host machine: nvcc (nvcc 13.0.88)\n",
		 "#define CUDA_VERSION 13000\n", NULL, NULL},
		{"Source dir: @\nCuda compiler for the host machine: nvcc (nvcc 12.4.131\n", "",
		 NULL, NULL},
		{"Source dir: @\nC compiler for the host machine: cc (gcc 12.2.0)\n",
		 "#define CUDA_VERSION 13000\n", NULL, NULL},
		{"Source dir: @\nCuda compiler for the host machine: nvcc (nvcc x)\n",
		 "#define CUDA_VERSION 13000\n", NULL, NULL},
		{"", "#define CUDA_VERSION 13000\n", NULL, NULL},
	};
	struct err err;
	assert_true(tree_mkdirs("build/meson-logs", &err));
	assert_true(tree_mkdirs("root/versions/13.0.2/include", &err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		put("build/meson-logs/meson-log.txt", cases[i].log);
		put("root/versions/13.0.2/include/cuda.h", cases[i].header);
		bool found = drift_find(&layout, &selected, NULL, &e);
		if (found != (cases[i].made_for != NULL))
			fail_msg("%s", cases[i].log);
		if (!found)
			continue;
		autofree char *want =
			xasprintf("'build' is set up by Meson for CUDA %s, but 13.0.2 is selected",
				  cases[i].made_for);
		assert_string_equal(e.msg, want);
		autofree char *hint = expand(cases[i].hint);
		assert_string_equal(e.hint, hint);
	}
}

/* One line for many folders, always the same. */
static void test_many(void **state)
{
	struct err e;
	for (int i = 9; i > 6; i--) {
		autofree char *dir = xasprintf("build-%d", i),
			      *file = xasprintf("%s/CMakeCache.txt", dir);
		assert_int_equal(mkdir(dir, 0755), 0);
		put(file, "CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n" CMAKE_325);
	}
	assert_true(drift_find(&layout, &selected, NULL, &e));
	assert_non_null(strstr(e.msg, "'build-7' is"));
	assert_non_null(strstr(e.msg, "(2 more such folders)"));
}

/* A line without end hides only itself; no folder, pipe or device is read. */
static void test_odd_files(void **state)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(1 << 20);
	autofree char *line = expand("CMAKE_CUDA_COMPILER:FILEPATH=@/other/bin/nvcc\n");
	for (int i = 0; i < 40000; i++)
		buf_addc(&b, 'C');
	buf_addc(&b, '\n');
	buf_adds(&b, line);
	scratch_file("build/CMakeCache.txt", buf_str(&b));
	assert_true(drift_find(&layout, &selected, NULL, &e));
	assert_int_equal(unlink("build/CMakeCache.txt"), 0);
	assert_int_equal(mkfifo("build/CMakeCache.txt", 0644), 0);
	assert_false(drift_find(&layout, &selected, NULL, &e));
	assert_int_equal(unlink("build/CMakeCache.txt"), 0);
	assert_int_equal(symlink("/dev/zero", "build/CMakeCache.txt"), 0);
	assert_false(drift_find(&layout, &selected, NULL, &e));
}

/* What the selected one lacks, CMake finds in /usr/local. */
static void test_fillers(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		/* A word of ours in its place, and one that was there before a component came. */
		{"CUDA_nvrtc_LIBRARY:FILEPATH=@/root/versions/13.0.2/.cudaenv/lacks/lib/"
		 "libnvrtc.so",
		 "'build' takes '@/root/versions/13.0.2/.cudaenv/lacks/lib/libnvrtc.so', since "
		 "CUDA "
		 "13.0.2 has no libnvrtc.so"},
		{"CUDA_cufft_LIBRARY:FILEPATH=@/root/versions/13.0.2/.cudaenv/lacks/lib/"
		 "libcufft.so",
		 "'build' is configured for a CUDA 13.0.2 without libcufft.so"},
		{"CUDA_cublas_LIBRARY:FILEPATH=@/other/lib64/libcublas.so",
		 "'build' takes '@/other/lib64/libcublas.so', since CUDA 13.0.2 has no "
		 "libcublas.so"},
		{"CUDA_npps_static_LIBRARY:FILEPATH=@/other/lib64/libnpps_static.a",
		 "'build' takes '@/other/lib64/libnpps_static.a', since CUDA 13.0.2 has no "
		 "libnpps_static.a"},
		/* It has that one, by a path of links; the driver's; another's; not found. */
		{"CUDA_cufft_LIBRARY:FILEPATH=@/link/lib64/libcufft.so", NULL},
		{"CUDA_cuda_driver_LIBRARY:FILEPATH=@/other/lib64/libcuda.so", NULL},
		{"CUDA_nvml_LIBRARY:FILEPATH=@/other/lib64/libnvidia-ml.so", NULL},
		{"CUDA_rt_LIBRARY:FILEPATH=@/other/lib64/librt.a", NULL},
		{"CUDA_cublas_LIBRARY:FILEPATH=CUDA_cublas_LIBRARY-NOTFOUND", NULL},
		{"CUDA_cublas_LIBRARY:FILEPATH=@/other/gone/libcublas.so", NULL},
		{"MY_cublas_LIBRARY:FILEPATH=@/other/lib64/libcublas.so", NULL},
	};
	static const char *const files[] = {"libcublas.so", "libnpps_static.a", "libcuda.so",
					    "libnvidia-ml.so", "librt.a"};
	struct err err;
	assert_true(tree_mkdirs("other/lib64", &err));
	assert_true(tree_mkdirs("root/versions/13.0.2/lib64", &err));
	scratch_file("root/versions/13.0.2/lib64/libcufft.so", "");
	assert_true(tree_mkdirs("root/versions/13.0.2/.cudaenv/lacks/lib", &err));
	scratch_file("root/versions/13.0.2/.cudaenv/lacks/lib/libnvrtc.so", "");
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		autofree char *path = xasprintf("other/lib64/%s", files[i]);
		scratch_file(path, "");
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err found = {0};
		autofree char *message = cases[i].message ? expand(cases[i].message) : NULL;
		autofree char *cache = xasprintf(
			"CMAKE_CUDA_COMPILER:FILEPATH=@/root/versions/13.0.2/bin/nvcc\n%s\n",
			cases[i].line);
		put("build/CMakeCache.txt", cache);
		assert_int_equal(drift_find(&layout, &selected, NULL, &found), message != NULL);
		if (message)
			assert_string_equal(found.msg, message);
		if (message)
			assert_non_null(strstr(found.hint, strstr(message, " takes ")
								   ? "component which-has"
								   : "CMakeCache.txt"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_caches, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_fillers, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_folders, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_selections, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_named, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_meson, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_many, setup, scratch_leave),
		cmocka_unit_test_setup_teardown(test_odd_files, setup, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
