#include "scratch.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/lacks.h"
#include "core/nvccprofile.h"
#include "core/record.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

#define PROFILE "TOP = $(_HERE_)/..\nINCLUDES += \"-I$(TOP)/include\" $(_SPACE_)\n"
#define OWN "$(_HERE_)/../.cudaenv/lacks/"

/* p/ is a prefix, m/ stands in front of the machine's folders. */
static int enter(void **state)
{
	static const char *const dirs[] = {"p/bin",
					   "p/include",
					   "p/lib64",
					   "p/.cudaenv",
					   "m/usr/local/include/crt",
					   "m/usr/include",
					   "m/usr/local/lib64",
					   "m/usr/lib"};
	struct err err;
	if (scratch_enter(state) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (!tree_mkdirs(dirs[i], &err))
			return -1;
	scratch_file("p/bin/nvcc.profile", PROFILE);
	return 0;
}

static void files(const char *const *paths)
{
	for (; *paths; paths++)
		scratch_file(*paths, "other");
}

static char *content(const char *path)
{
	struct buf b = BUF_INIT(1 << 16);
	struct err err;
	assert_true(io_read_file(path, &b, &err));
	return b.data;
}

static void add_line(void *ctx, const struct lack *l)
{
	autofree char *line =
		xasprintf("%s%s %s %s", l->library ? "-l " : "", l->component, l->folder, l->name);
	strlist_add(ctx, line);
}

static void test_what_lacks(void **state)
{
	static const char *const expected[] = {
		"-l libcublas /usr/local/lib64 libcublas",
		"-l libcufft /usr/lib libcufft_static",
		"cuda_cupti /usr/include cupti_events.h",
		"cuda_profiler_api /usr/include cuda_profiler_api.h",
		"libcublas /usr/local/include cublas_v2.h",
	};
	autostrlist struct strlist found = {0};
	files((const char *const[]){
		"m/usr/local/include/cublas_v2.h", "m/usr/include/cuda_profiler_api.h",
		"m/usr/include/cupti_events.h", "m/usr/local/lib64/libcublas.so",
		"m/usr/lib/libcufft_static.a",
		/* It has these, by the same name or as the other kind. */
		"m/usr/include/curand.h", "p/include/curand.h", "m/usr/lib/libcurand.so",
		"p/lib64/libcurand.a",
		/* Others' things that begin alike, the driver's, and what is no header or library. */
		"m/usr/include/ncurses.h", "m/usr/include/cusparseLt.h", "m/usr/include/nvjpeg2k.h",
		"m/usr/include/nvml.h", "m/usr/local/include/cublasmp.h",
		"m/usr/include/cublas.hpp", "m/usr/include/cuda.h", "m/usr/include/nsys.h",
		"m/usr/include/nppPlus.h", "m/usr/lib/libnvidia-ml.so",
		"m/usr/lib/libcusparseLt.so", "m/usr/lib/libcublas.so.12",
		"m/usr/lib/libncurses.so", "m/usr/lib/cufft.so", "m/usr/local/include/crt/cublas.h",
		"m/usr/include/cublas\"$(x).h", NULL});
	lacks_each("p", "m", add_line, &found);
	strlist_sort(&found);
	for (size_t i = 0; i < found.n; i++)
		assert_string_equal(found.items[i], i < ARRAY_LEN(expected) ? expected[i] : "");
	assert_int_equal(found.n, ARRAY_LEN(expected));
}

static void test_guard(void **state)
{
	struct err err;
	struct stat st;
	files((const char *const[]){"m/usr/local/include/cublas_v2.h", "m/usr/include/cublas_v2.h",
				    "m/usr/local/lib64/libcublas.so", NULL});
	mode_t old = umask(077);
	assert_true(lacks_guard("p", "m", "12.4.1", &err));
	umask(old);
	assert_true(lacks_guarded("p"));
	autofree char *header = content("p/.cudaenv/lacks/include/cublas_v2.h");
	assert_string_equal(header, "#error \"CUDA 12.4.1 has no cublas_v2.h (and that in "
				    "/usr/local/include is another CUDA's); run cudaenv component "
				    "add 12.4.1 libcublas\"\n");
	autofree char *library = content("p/.cudaenv/lacks/lib/libcublas.so");
	assert_string_equal(library, "ASSERT(0, \"CUDA 12.4.1 has no libcublas (and that in "
				     "/usr/local/lib64 is another CUDA's); run cudaenv component "
				     "add 12.4.1 libcublas\")\n");
	assert_int_equal(stat("p/.cudaenv/lacks/include/cublas_v2.h", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(stat("p/.cudaenv/lacks/lib", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	static const char lines[] = PROFILE
		"CPLUS_INCLUDE_PATH ?= " OWN "include\nCPLUS_INCLUDE_PATH =+ :" OWN "include\n"
		"C_INCLUDE_PATH ?= " OWN "include\nC_INCLUDE_PATH =+ :" OWN "include\n"
		"LIBRARIES =+ $(_SPACE_) \"-L" OWN "lib\"\n";
	autofree char *profile = content("p/bin/nvcc.profile");
	assert_string_equal(profile, lines);

	/* Beside a host compiler's line neither of them moves the other. */
	static const char bindir[] = "compiler-bindir = $(_HERE_)/../.cudaenv/ccbin\n";
	assert_true(nvccprofile_set("p", "ccbin", bindir, "compiler-bindir", &err));
	assert_int_equal(stat("p/bin/nvcc.profile", &st), 0);
	ino_t before = st.st_ino;
	assert_true(lacks_guard("p", "m", "12.4.1", &err));
	assert_true(nvccprofile_set("p", "ccbin", bindir, "compiler-bindir", &err));
	assert_int_equal(stat("p/bin/nvcc.profile", &st), 0);
	assert_int_equal(st.st_ino, before);
	assert_true(nvccprofile_set("p", "ccbin", "", "compiler-bindir", &err));

	/* Again, with another thing lacking: no line twice. */
	files((const char *const[]){"p/include/cublas_v2.h", "m/usr/include/cufft.h", NULL});
	assert_true(lacks_guard("p", "m", "12.4.1", &err));
	assert_int_equal(access("p/.cudaenv/lacks/include/cublas_v2.h", F_OK), -1);
	assert_int_equal(access("p/.cudaenv/lacks/include/cufft.h", F_OK), 0);
	assert_int_equal(access("p/.cudaenv/lacks.new", F_OK), -1);
	autofree char *again = content("p/bin/nvcc.profile");
	assert_string_equal(again, lines);

	/* Nothing lacks: no trace. */
	files((const char *const[]){"p/include/cufft.h", "p/lib64/libcublas.so", NULL});
	assert_true(lacks_guard("p", "m", "12.4.1", &err));
	assert_false(lacks_guarded("p"));
	autofree char *none = content("p/bin/nvcc.profile");
	assert_string_equal(none, PROFILE);
}

/* What a component that is there does not have, adding it does not bring. */
static void test_no_advice(void **state)
{
	struct err err;
	files((const char *const[]){"m/usr/include/nvToolsExt.h", "m/usr/include/nvrtc.h", NULL});
	scratch_file("p/.cudaenv/record.json", "{}");
	assert_true(lacks_guard("p", "m", "13.0.2", &err));
	autofree char *unread = content("p/.cudaenv/lacks/include/nvToolsExt.h");
	assert_non_null(strstr(unread, "component add 13.0.2 cuda_nvtx"));
	struct record r = {.release = {.label = "13.0.2",
				       .source = "redist",
				       .arch = "x86_64",
				       .manifest_sha256 = SHA,
				       .n = 1}};
	struct component c = {.sha256 = SHA,
			      .name = xstrdup("cuda_nvtx"),
			      .package = xstrdup("cuda_nvtx"),
			      .version = xstrdup("13.0.85"),
			      .file = xstrdup("nvtx.tar.xz")};
	strlist_add(&c.urls, "https://host/nvtx.tar.xz");
	r.release.manifest = xstrdup("redistrib_13.0.2.json");
	r.release.components = array_grow(NULL, 0, sizeof c);
	r.release.components[0] = c;
	assert_true(record_write("p", &r, &err));
	record_clear(&r);
	assert_true(lacks_guard("p", "m", "13.0.2", &err));
	autofree char *there = content("p/.cudaenv/lacks/include/nvToolsExt.h");
	assert_string_equal(there, "#error \"CUDA 13.0.2 has no nvToolsExt.h (and that in "
				   "/usr/include is another CUDA's)\"\n");
	autofree char *other = content("p/.cudaenv/lacks/include/nvrtc.h");
	assert_non_null(strstr(other, "component add 13.0.2 cuda_nvrtc"));
}

/* Both kinds of our lines, and a line of the user's that names a folder like ours. */
static void test_lines_of_others(void **state)
{
	static const char theirs[] =
		PROFILE "INCLUDES += \"-I$(TOP)/.cudaenv/lacks_of_mine\"\ncompiler-bindir = /x\n";
	struct err err;
	files((const char *const[]){"m/usr/include/nvrtc.h", NULL});
	scratch_file("p/bin/nvcc.profile", theirs);
	assert_true(lacks_guard("p", "m", "13.0.2", &err));
	assert_int_equal(unlink("m/usr/include/nvrtc.h"), 0);
	assert_true(lacks_guard("p", "m", "13.0.2", &err));
	autofree char *left = content("p/bin/nvcc.profile");
	assert_string_equal(left, theirs);
	assert_int_equal(unlink("p/bin/nvcc.profile"), 0);
	assert_false(lacks_guard("p", "m", "13.0.2", &err));
	assert_non_null(strstr(err.msg, "nvcc.profile"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_lacks, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_guard, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_no_advice, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_lines_of_others, enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
