#include "fake_prefix.h"

#include <jansson.h>

#include "base/io.h"
#include "core/probe.h"

/*
 * The level `run` with an nvcc that is a script: what it "compiles" is a script as well, of the text in
 * p/sass, p/ptx or p/speed, whose first lines tell what it was compiled for. The real thing is in tests/toolkit.
 */
static const char nvcc_body[] =
	"case $1 in --list-gpu-code) cat \"${0%/bin/nvcc}/list\"; exit;; esac\n"
	"top=${0%/bin/nvcc}; kind=default; codes=\n"
	"for a; do\n"
	"	case $a in\n"
	"	*code=sm_*) kind=sass; codes=\"$codes ${a##*code=}\";;\n"
	"	*code=compute_*) kind=ptx; codes=\"$codes ${a##*code=}\";;\n"
	"	bandwidth.cu) kind=speed;;\n"
	"	lib_*.cu) kind=lib;;\n"
	"	esac\n"
	"	[ \"$last\" = -o ] && out=$a\n"
	"	last=$a\n"
	"done\n"
	"echo \"$kind$codes\" >>\"$top/compiled\"\n"
	"{ echo '#!/bin/sh'; echo \"codes='$codes' top='$top'\"; cat \"$top/$kind\"; } >$out\n"
	"chmod 755 $out";

#define OK(extra)                                                                                  \
	"echo '{\"test\": \"hello\", \"ok\": true, \"device\": 0" extra ", \"done\": true}'\n"
#define FAIL(code, name)                                                                           \
	"echo '{\"test\": \"hello\", \"ok\": false, \"call\": \"launch\", \"code\": " #code        \
	", \"name\": \"" name "\"}'; exit 3\n"

static struct gpus gpus;

static int enter_run(void **state)
{
	if (enter(state) < 0)
		return -1;
	nvcc(nvcc_body);
	scratch_file("p/list", "sm_75 sm_80 sm_90\n");
	scratch_file("p/version.json", "{\"cuda\": {\"version\": \"12.4.1\"}}\n");
	scratch_file("p/sass", OK(""));
	scratch_file("p/ptx", OK(""));
	scratch_file("p/default", OK(""));
	scratch_file("p/speed", OK(""));
	scratch_file("kernels/bandwidth.cu", "kernel\n");
	unsetenv("CUDA_VISIBLE_DEVICES");
	autofree char *ini = xasprintf("%s/share/versions.ini", getenv("SOURCE_ROOT"));
	setenv("CUDAENV_CATALOG", ini, 1);
	gpus = (struct gpus){
		.cuda = 12040,
		.libcuda = "/lib/libcuda.so.1",
		.driver = "550.54.15",
		.nvml_driver = "550.54.15",
		.node_ctl = true,
		.node_uvm = true,
		.nodes = 1,
		.n = 1,
		.items = {
			{.name = "Big GPU", .uuid = "GPU-1", .cc = 90, .mig = GPU_OFF},
			{.name = "Old GPU", .uuid = "GPU-2", .cc = 61, .index = 1, .ordinal = 1}}};
	return 0;
}

static struct verdict proved_with(enum probe_level level, int deadline_ms)
{
	struct err err = {0};
	struct verdict v = {0};
	const struct probe_opts o = {
		.level = level, .ours = true, .gpus = &gpus, .run_deadline_ms = deadline_ms};
	unlink("p/compiled");
	if (!probe_run(prefix, "/root/versions/12.4.1", &o, &events, &v, &err))
		fail_msg("%s", err.msg);
	/* Nothing was left behind. */
	assert_int_equal(rmdir("tmp"), 0);
	assert_int_equal(mkdir("tmp", 0755), 0);
	return v;
}

static struct verdict proved(enum probe_level level)
{
	struct verdict v = proved_with(level, 0);
	free(v.results);
	v.results = NULL;
	return v;
}

static void compiled_for(const char *line)
{
	struct err err;
	autobuf struct buf b = BUF_INIT(4096);
	assert_true(io_read_file("p/compiled", &b, &err));
	autofree char *want = xasprintf("%s\n", line);
	if (!strstr(buf_str(&b), want))
		fail_msg("'%s' is not in '%s'", line, buf_str(&b));
}

static void test_ok(void **state)
{
	struct verdict v = proved_with(PROBE_RUN, 0);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.level, "run");
	assert_string_equal(v.detail, "");
	assert_string_equal(v.on.gpu, "Big GPU");
	assert_string_equal(v.on.uuids, "GPU-1");
	assert_string_equal(v.on.driver, "550.54.15");
	assert_int_equal(v.on.cuda, 12040);
	assert_string_equal(v.on.code, "sm_90");
	assert_string_equal(v.on.ptx, "ok");
	compiled_for("sass sm_90");
	compiled_for("ptx compute_90");
	json_t *results = json_loads(v.results, 0, NULL);
	assert_int_equal(json_array_size(results), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(results, 1), "code")),
			    "compute_90");
	json_decref(results);
	verdict_clear(&v);
}

/* What the programs find in their environment. */
static void test_environment(void **state)
{
	static const struct {
		const char *name, *value, *want;
	} cases[] = {
		{"CUDA_VISIBLE_DEVICES", "0", "0"},
		{"CUDA_DEVICE_ORDER", "PCI_BUS_ID", "PCI_BUS_ID"},
		{"CUDA_FORCE_PTX_JIT", "1", ""},
		{"CUDA_DISABLE_PTX_JIT", "1", ""},
		{"CUDA_CACHE_DISABLE", "0", "1"},
		{"LD_LIBRARY_PATH", "/x", "/x"},
		{"LC_ALL", "de_DE.UTF-8", "C"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *body = xasprintf("test \"$%s\" = '%s' || exit 9\n%s", cases[i].name,
						cases[i].want, OK(""));
		scratch_file("p/sass", body);
		setenv(cases[i].name, cases[i].value, 1);
		struct verdict v = proved(PROBE_RUN);
		unsetenv(cases[i].name);
		if (strcmp(v.word, "ok") != 0)
			fail_msg("%s: %s", cases[i].name, v.detail);
	}
}

static void test_no_gpu(void **state)
{
	gpus = (struct gpus){.code = -1, .why = "libcuda.so.1: not there"};
	scratch_file("p/default", "touch \"$top/ran\"\n");
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "compiled");
	assert_string_equal(v.level, "compile");
	assert_non_null(strstr(v.detail, "libcuda.so.1: not there"));
	assert_string_equal(v.on.driver, "");
	assert_int_equal(access("p/ran", F_OK), -1);
	compiled_for("default");
}

/* Each is told by what the program says, whichever of the two it is. */
static void test_words(void **state)
{
	static const struct {
		const char *sass, *ptx, *word, *on_ptx;
	} cases[] = {
		{FAIL(35, "cudaErrorInsufficientDriver"), OK(""), "driver-too-old", ""},
		{FAIL(34, "cudaErrorStubLibrary"), OK(""), "stub-loaded", ""},
		{FAIL(46, "cudaErrorDevicesUnavailable"), OK(""), "busy-or-exclusive", ""},
		{FAIL(802, "cudaErrorSystemNotReady"), OK(""), "fabric-not-ready", ""},
		{FAIL(803, "cudaErrorSystemDriverMismatch"), OK(""), "compat-library", ""},
		{FAIL(804, "cudaErrorCompatNotSupportedOnDevice"), OK(""), "compat-library", ""},
		{FAIL(999, "cudaErrorUnknown"), OK(""), "cuda-error", ""},
		{FAIL(100, "cudaErrorNoDevice"), OK(""), "no-device-visible", ""},
		{FAIL(209, "cudaErrorNoKernelImageForDevice"),
		 FAIL(222, "cudaErrorUnsupportedPtxVersion"), "ptx-too-new", "ptx-too-new"},
		{OK(""), FAIL(222, "cudaErrorUnsupportedPtxVersion"), "ok", "ptx-too-new"},
		{"echo '{\"ok\": false, \"what\": \"value\"}'; exit 1", OK(""), "wrong-result", ""},
		{OK(""), "echo '{\"ok\": false, \"what\": \"value\"}'; exit 1", "wrong-result",
		 "wrong-result"},
		{"kill -SEGV $$", OK(""), "crashed", ""},
		{"echo hello", OK(""), "cuda-error", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		scratch_file("p/sass", cases[i].sass);
		scratch_file("p/ptx", cases[i].ptx);
		struct verdict v = proved(PROBE_RUN);
		if (strcmp(v.word, cases[i].word) != 0)
			fail_msg("%zu: %s: %s", i, v.word, v.detail);
		assert_string_equal(v.on.ptx, cases[i].on_ptx);
		assert_string_equal(v.level, "run");
	}
}

/* The one waits for ever, the other prints for ever: the deadline is all that ends them. */
static void test_deadline(void **state)
{
	enum { SHORT_MS = 1000 };
	scratch_file("p/sass", "sleep 1000\n");
	struct verdict v = proved_with(PROBE_RUN, SHORT_MS);
	assert_string_equal(v.word, "timeout");
	assert_non_null(strstr(v.detail, "deadline"));
	verdict_clear(&v);
	scratch_file("p/sass", "exec yes\n");
	v = proved_with(PROBE_RUN, SHORT_MS);
	assert_string_equal(v.word, "timeout");
	verdict_clear(&v);
}

static void test_arch(void **state)
{
	struct verdict v;
	gpus.items[0].cc = 70;
	v = proved(PROBE_RUN);
	assert_string_equal(v.word, "arch-dropped");
	assert_non_null(strstr(v.hint, "12.9"));
	gpus.items[0].cc = 120;
	v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "arch-too-new");
	assert_string_equal(v.on.ptx, "ok");
	assert_string_equal(v.on.code, "");
	assert_non_null(strstr(v.hint, "12.8"));
	compiled_for("ptx compute_90");
	/* Machine code of 8.0 serves 8.6. */
	gpus.items[0].cc = 86;
	v = proved(PROBE_RUN);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.code, "sm_80");
	compiled_for("ptx compute_80");
}

/* An old card beside the one that works is left out, and named. */
static void test_several(void **state)
{
	gpus.n = 2;
	scratch_file("p/sass", "test \"$CUDA_VISIBLE_DEVICES\" = GPU-1 || exit 9\n" OK(""));
	struct verdict v = proved(PROBE_RUN);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.uuids, "GPU-1");
	assert_string_equal(v.detail, "this CUDA has no code for GPU 1, 'Old GPU' (6.1)");
	gpus.items[1].cc = 80;
	scratch_file("p/sass", "test -z \"$CUDA_VISIBLE_DEVICES\" || exit 9\n" OK(""));
	v = proved(PROBE_RUN);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.gpu, "2 x Big GPU");
	assert_string_equal(v.on.uuids, "GPU-1,GPU-2");
	compiled_for("sass sm_90 sm_80");
	compiled_for("ptx compute_80");
}

/* Both programs run at once, but not where a GPU takes one alone. */
static void test_at_once(void **state)
{
	scratch_file("p/sass",
		     "touch \"$top/a\"; for i in $(seq 600); do [ -e \"$top/b\" ] && break; "
		     "sleep 0.1; done; [ -e \"$top/b\" ] || exit 9\n" OK(""));
	scratch_file("p/ptx", "touch \"$top/b\"\n" OK(""));
	assert_string_equal(proved(PROBE_RUN).word, "ok");
	gpus.items[0].compute_mode = GPU_EXCLUSIVE;
	scratch_file("p/sass", "touch \"$top/busy\"; sleep 0.3; rm \"$top/busy\"\n" OK(""));
	scratch_file("p/ptx", "[ ! -e \"$top/busy\" ] || exit 9\n" OK(""));
	struct verdict v = proved(PROBE_RUN);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.ptx, "ok");
}

static void test_bandwidth(void **state)
{
	gpus.items[0].pcie_gen_max = 4;
	gpus.items[0].pcie_width_max = 16;
	scratch_file(
		"p/speed",
		"echo '{\"test\": \"bandwidth\", \"ok\": true, \"device\": 0, \"kind\": \"h2d\", "
		"\"memory\": \"pinned\", \"gbps\": 26.5}'\n" OK(""));
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.level, "bandwidth");
	assert_true(v.on.h2d == 26.5e9);
	assert_false(v.on.slow);
	compiled_for("speed sm_90");
	gpus.items[0].pcie_gen_max = 6;
	v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "ok");
	assert_true(v.on.slow);
	scratch_file("p/speed", FAIL(2, "cudaErrorMemoryAllocation"));
	assert_string_equal(proved(PROBE_BANDWIDTH).word, "busy-or-exclusive");
	/* Nothing is measured where nothing runs. */
	scratch_file("p/speed", "touch \"$top/ran\"\n");
	scratch_file("p/sass", FAIL(999, "cudaErrorUnknown"));
	assert_string_equal(proved(PROBE_BANDWIDTH).word, "cuda-error");
	assert_int_equal(access("p/ran", F_OK), -1);
}

/* Those that the prefix has, header and library. */
static void test_libraries(void **state)
{
	scratch_file("kernels/lib_nvrtc.cu", "kernel\n");
	scratch_file("kernels/lib_cublas.cu", "kernel\n");
	scratch_file("kernels/lib_curand.cu", "kernel\n");
	scratch_file("p/include/nvrtc.h", "");
	scratch_file("p/lib64/libnvrtc.so", "");
	scratch_file("p/include/cublas_v2.h", "");
	scratch_file("p/include/curand.h", "");
	scratch_file("p/lib64/libcurand.so", "");
	autofree char *ok =
		xasprintf("[ \"$LD_LIBRARY_PATH\" = '%s/lib64' ] || exit 9\n" OK(""), prefix);
	scratch_file("p/lib", ok);
	unsetenv("LD_LIBRARY_PATH");
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.libraries, "curand nvrtc");
	compiled_for("lib sm_90");
	v = proved(PROBE_RUN);
	assert_string_equal(v.on.libraries, "");
	/* Their numbers are not CUDA's: 35 says nothing of the driver. */
	scratch_file("p/lib", FAIL(35, ""));
	v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "cuda-error");
	assert_string_equal(v.detail, "curand: launch: error (35)");
	scratch_file("p/lib", "echo '{\"ok\": false, \"what\": \"mean\"}'; exit 1");
	v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "wrong-result");
	assert_non_null(strstr(v.detail, "curand: mean"));
}

/* A driver that shows no device is asked by the program itself, for the cause. */
static void test_no_device(void **state)
{
	gpus.code = 999;
	gpus.n = 0;
	gpus.node_uvm = false;
	scratch_file("p/default", FAIL(999, "cudaErrorUnknown"));
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "uvm-missing");
	gpus.code = 100;
	setenv("CUDA_VISIBLE_DEVICES", "7", 1);
	scratch_file("p/default", FAIL(100, "cudaErrorNoDevice"));
	v = proved(PROBE_RUN);
	assert_string_equal(v.word, "no-device-visible");
	assert_non_null(strstr(v.detail, "'7'"));
}

static void test_dead_driver(void **state)
{
	scratch_file("p/default", "touch \"$top/ran\"\n");
	gpus = (struct gpus){.end = GPUS_HUNG, .code = -1, .libcuda = "/x", .step = "cuInit"};
	struct verdict v = proved(PROBE_RUN);
	assert_string_equal(v.word, "timeout");
	assert_non_null(strstr(v.detail, "cuInit"));
	gpus.end = GPUS_CRASHED;
	gpus.signal = 11;
	v = proved(PROBE_RUN);
	assert_string_equal(v.word, "crashed");
	assert_non_null(strstr(v.detail, "signal 11"));
	assert_int_equal(access("p/ran", F_OK), -1);
}

/* The compile of the first decides on the host compiler; the others are compiled again with it. */
static void test_other_compiler(void **state)
{
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 50\n#endif\n");
	script("path/gcc-50", "#!/bin/sh\necho 50.2\n");
	script("path/g++-50", "#!/bin/sh\necho 50.2\n");
	autofree char *body = xasprintf(
		"grep -q ^compiler-bindir \"${0%%/nvcc}/nvcc.profile\" || case $1 in --list*) ;; "
		"*)\n"
		"echo '#error -- unsupported GNU version! gcc versions later than 50' >&2; exit 1;;"
		" esac\n%s",
		nvcc_body);
	nvcc(body);
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "ok");
	assert_non_null(strstr(v.ccbin, "g++-50"));
	compiled_for("ptx compute_90");
	compiled_for("speed sm_90");
}

static void test_extra_does_not_compile(void **state)
{
	autofree char *body =
		xasprintf("case $* in *bandwidth.cu) echo 'bandwidth.cu: error: x' >&2; exit 1;; "
			  "esac\n%s",
			  nvcc_body);
	nvcc(body);
	struct verdict v = proved(PROBE_BANDWIDTH);
	assert_string_equal(v.word, "compile-failed");
	assert_string_equal(v.level, "compile");
	assert_string_equal(v.detail, "bandwidth.cu: error: x");
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter_run, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_ok),
		T(test_environment),
		T(test_no_gpu),
		T(test_words),
		T(test_deadline),
		T(test_arch),
		T(test_several),
		T(test_at_once),
		T(test_bandwidth),
		T(test_libraries),
		T(test_no_device),
		T(test_dead_driver),
		T(test_other_compiler),
		T(test_extra_does_not_compile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
