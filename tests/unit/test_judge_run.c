#include "scratch.h"

#include <jansson.h>
#include <signal.h>

#include "core/judge_run.h"
#include "core/judge_speed.h"

static struct run_outcome outcome(const char *out, int status)
{
	struct proc_result r = {
		.status = status, .out = BUF_INIT(1 << 16), .err = BUF_INIT(1 << 16)};
	struct run_outcome o;
	buf_adds(&r.out, out);
	judge_outcome(&r, &o);
	proc_result_clear(&r);
	return o;
}

#define FAILED(code, name)                                                                         \
	"{\"test\": \"hello\", \"ok\": false, \"device\": 0, \"call\": \"launch\", "               \
	"\"code\": " #code ", \"name\": \"" name "\", \"text\": \"some words\"}\n"
#define DONE "{\"test\": \"hello\", \"ok\": true, \"device\": 0, \"done\": true}\n"

static void test_outcomes(void **state)
{
	struct run_outcome o = outcome(DONE, 0);
	assert_int_equal(o.end, RUN_OK);
	o = outcome(FAILED(222, "cudaErrorUnsupportedPtxVersion"), 3);
	assert_int_equal(o.end, RUN_CALL);
	assert_int_equal(o.code, 222);
	assert_string_equal(o.said, "launch: cudaErrorUnsupportedPtxVersion (222): some words");
	/* The runtime of CUDA 9 has other numbers. */
	o = outcome(FAILED(38, "cudaErrorNoDevice"), 3);
	assert_int_equal(o.code, 100);
	o = outcome("{\"test\": \"hello\", \"ok\": false, \"what\": \"value\", \"index\": 7, "
		    "\"value\": 1515870810, \"expected\": 3}\n",
		    1);
	assert_int_equal(o.end, RUN_WRONG);
	assert_string_equal(o.said, "value 7 is 1.51587081e+09 and should be 3");
	/* Words without the status, and the status without words, prove nothing. */
	static const struct {
		const char *out;
		int status;
	} strange[] = {
		{"", 0},
		{"hello\n", 0},
		{DONE, 1},
		{DONE "more\n", 0},
		{"{\"ok\": true}\n", 0},
		{FAILED(100, "cudaErrorNoDevice"), 0},
		{"", 3},
		{"", 1},
		{"[1]\n", 3},
		{"", 127},
	};
	for (size_t i = 0; i < ARRAY_LEN(strange); i++) {
		o = outcome(strange[i].out, strange[i].status);
		assert_int_equal(o.end, RUN_STRANGE);
		assert_true(o.said[0]);
	}
	struct proc_result r = {.status = -1, .signal = SIGSEGV};
	judge_outcome(&r, &o);
	assert_int_equal(o.end, RUN_CRASHED);
	r = (struct proc_result){.status = -1, .signal = SIGKILL, .timed_out = true};
	judge_outcome(&r, &o);
	assert_int_equal(o.end, RUN_TIMEOUT);
	r.out.full = true;
	judge_outcome(&r, &o);
	assert_int_equal(o.end, RUN_ENDLESS);
}

/* A driver 580 (CUDA 13.0) with one GPU of 9.0, unless a test says otherwise. */
static struct gpus machine(void)
{
	return (struct gpus){.code = 0,
			     .nvml_code = 0,
			     .cuda = 13000,
			     .libcuda = "/lib/libcuda.so.1",
			     .driver = "580.159.04",
			     .nvml_driver = "580.159.04",
			     .node_ctl = true,
			     .node_uvm = true,
			     .nodes = 1,
			     .n = 1,
			     .items = {{.name = "NVIDIA H200", .cc = 90}}};
}

static struct run_case usual(const struct gpus *g)
{
	return (struct run_case){.gpus = g,
				 .release = "13.5.0",
				 .driver_floor = "580",
				 .cc = 90,
				 .code = 90,
				 .lowest = 75,
				 .highest = 121,
				 .sass = {.end = RUN_OK},
				 .ptx = {.end = RUN_OK}};
}

static struct run_outcome call(int code)
{
	struct run_outcome o = {.end = RUN_CALL, .code = code};
	snprintf(o.said, sizeof o.said, "cudaMalloc: name (%d)", code);
	return o;
}

static struct verdict judged(const struct run_case *c)
{
	struct verdict v = {.detail = "old", .hint = "old"};
	judge_run(c, &v);
	assert_string_not_equal(v.detail, "old");
	assert_string_not_equal(v.hint, "old");
	if (!verdict_good(&v)) {
		assert_true(v.detail[0]);
		assert_null(strchr(v.detail, '\n'));
	}
	return v;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

static void test_codes(void **state)
{
	static const struct {
		int code;
		const char *word, *detail, *hint;
	} cases[] = {
		{34, "stub-loaded", "stub", "LD_LIBRARY_PATH"},
		{35, "driver-too-old",
		 "needs driver 580 or newer, and this machine has driver "
		 "550.54.15 (CUDA 12.4)",
		 "supported"},
		{36, "driver-too-old", "580", "newer driver"},
		{46, "busy-or-exclusive", "cudaMalloc", "nvidia-smi"},
		{2, "busy-or-exclusive", "memory is in use", "nvidia-smi"},
		{100, "no-device-visible", "shows no GPU", "container"},
		{222, "ptx-too-new", "PTX", "newer driver"},
		{702, "timeout", "too long", ""},
		{802, "fabric-not-ready", "NVSwitch", "nvidia-fabricmanager"},
		{803, "compat-library", "different versions", "cuda-compat"},
		{804, "compat-library", "data-centre GPUs", "older CUDA"},
		{999, "cuda-error", "cudaMalloc: name (999)", "nvidia_uvm"},
		{700, "cuda-error", "cudaMalloc: name (700)", ""},
		{12345, "cuda-error", "(12345)", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpus g = machine();
		struct run_case c = usual(&g);
		snprintf(g.driver, sizeof g.driver, "550.54.15");
		snprintf(g.nvml_driver, sizeof g.nvml_driver, "550.54.15");
		g.cuda = 12040;
		c.sass = call(cases[i].code);
		c.ptx = (struct run_outcome){0};
		struct verdict v = judged(&c);
		assert_string_equal(v.word, cases[i].word);
		has(v.detail, cases[i].detail);
		has(v.hint, cases[i].hint);
		assert_string_equal(v.on.ptx, "");
		assert_false(verdict_good(&v));
	}
}

/* Machine code and PTX apart. */
static void test_kinds(void **state)
{
	struct gpus g = machine();
	struct run_case c = usual(&g);
	struct verdict v = judged(&c);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.ptx, "ok");
	assert_string_equal(v.detail, "");
	/* CUDA 13.5 on a driver of 13.0: fine, and it says what is not. */
	c.ptx = call(222);
	v = judged(&c);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.ptx, "ptx-too-new");
	has(v.detail, "machine code (sm_90) runs; PTX of CUDA 13.5.0 is newer than driver "
		      "580.159.04 (CUDA 13.0) knows");
	has(v.hint, "-arch=sm_90");
	/* The driver's PTX compiler is not installed. */
	c.ptx = call(221);
	v = judged(&c);
	assert_string_equal(v.word, "ok");
	assert_string_equal(v.on.ptx, "cuda-error");
	has(v.detail, "ptxjitcompiler");
	/* The same kernel, another value. */
	c.ptx = (struct run_outcome){.end = RUN_WRONG, .said = "value 3"};
	v = judged(&c);
	assert_string_equal(v.word, "wrong-result");
	has(v.detail, "PTX does not");
	/* Only PTX could serve, and does not. */
	c = usual(&g);
	c.sass = call(209);
	c.ptx = call(222);
	v = judged(&c);
	assert_string_equal(v.word, "ptx-too-new");
	assert_string_equal(v.on.ptx, "ptx-too-new");
}

static void test_arch(void **state)
{
	struct gpus g = machine();
	struct run_case c = usual(&g);
	c.code = 0;
	c.cc = 70;
	c.sass = c.ptx = (struct run_outcome){0};
	struct verdict v = judged(&c);
	has(v.hint, "take an older CUDA");
	c.other = "12.9.2";
	v = judged(&c);
	assert_string_equal(v.word, "arch-dropped");
	has(v.detail, "compiles for 7.5 and newer, and this GPU is 7.0");
	has(v.hint, "CUDA 12.9.2 or older: 'cudaenv install 12.9.2'");
	c = usual(&g);
	c.release = "11.8.0";
	c.code = 0;
	c.cc = 120;
	c.highest = 90;
	c.other = "12.8.0";
	c.sass = (struct run_outcome){0};
	v = judged(&c);
	assert_string_equal(v.word, "arch-too-new");
	has(v.detail, "up to 9.0, and this one is 12.0; its PTX runs");
	has(v.hint, "CUDA 12.8.0 or newer");
	assert_string_equal(v.on.ptx, "ok");
	c.ptx = call(222);
	assert_string_equal(judged(&c).word, "ptx-too-new");
	c.ptx = call(35);
	assert_string_equal(judged(&c).word, "driver-too-old");
}

static void test_ends(void **state)
{
	static const struct {
		enum run_end end;
		const char *word, *detail;
	} cases[] = {
		{RUN_WRONG, "wrong-result", "wrong result: what was said"},
		{RUN_CRASHED, "crashed", "what was said"},
		{RUN_TIMEOUT, "timeout", "deadline"},
		{RUN_ENDLESS, "timeout", "without end"},
		{RUN_STRANGE, "cuda-error", "what was said"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpus g = machine();
		struct run_case c = usual(&g);
		c.sass = (struct run_outcome){.end = cases[i].end, .said = "what was said"};
		struct verdict v = judged(&c);
		assert_string_equal(v.word, cases[i].word);
		has(v.detail, cases[i].detail);
	}
}

static void test_machine_causes(void **state)
{
	struct gpus g = machine();
	struct run_case c = usual(&g);
	struct verdict v;
	c.sass = call(100);
	c.visible = "7";
	v = judged(&c);
	assert_string_equal(v.word, "no-device-visible");
	has(v.detail, "CUDA_VISIBLE_DEVICES is '7', which leaves none of 1 GPU");
	has(v.hint, "unset CUDA_VISIBLE_DEVICES");
	c.visible = "";
	has(judged(&c).detail, "CUDA_VISIBLE_DEVICES is ''");
	c.visible = NULL;
	g.nodes = 0;
	has(judged(&c).detail, "/dev/nvidia0");
	g.node_ctl = false;
	v = judged(&c);
	has(v.detail, "/dev/nvidiactl");
	has(v.hint, "--gpus all");
	/* One device is missing alone. */
	g = machine();
	g.node_uvm = false;
	static const int codes[] = {999, 304, 3, 100, 101};
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		c.sass = call(codes[i]);
		v = judged(&c);
		assert_string_equal(v.word, "uvm-missing");
		has(v.detail, "/dev/nvidia-uvm");
	}
	/* WSL has no such device. */
	g.driver[0] = '\0';
	assert_string_not_equal(judged(&c).word, "uvm-missing");
	g = machine();
	c.sass = call(46);
	g.items[0].compute_mode = GPU_PROHIBITED;
	has(judged(&c).detail, "compute mode forbids");
	g.items[0].compute_mode = GPU_EXCLUSIVE;
	has(judged(&c).detail, "for itself");
	c.sass = call(803);
	snprintf(g.nvml_driver, sizeof g.nvml_driver, "590.1");
	has(judged(&c).detail, "kernel's driver is 580.159.04 and its library is 590.1");
	/* A driver that should do, and another library in front of it. */
	g = machine();
	c.sass = call(35);
	has(judged(&c).detail, "too old: cudaMalloc");
	c.driver_floor = NULL;
	g.cuda = 11080;
	has(judged(&c).detail, "needs a newer driver");
}

static void test_no_gpu(void **state)
{
	char why[128];
	struct gpus g = {.code = -1, .why = "libcuda.so.1: not there"};
	assert_true(judge_no_gpu(&g, NULL, why, sizeof why));
	has(why, "libcuda.so.1: not there");
	/* An image is built: the host's module is seen in /proc. */
	snprintf(g.driver, sizeof g.driver, "580.1");
	assert_true(judge_no_gpu(&g, NULL, why, sizeof why));
	/* A stub is first: no matter where there is no GPU, and the reason where there is one. */
	snprintf(g.stub, sizeof g.stub, "/p/lib64/stubs/libcuda.so.1");
	assert_true(judge_no_gpu(&g, NULL, why, sizeof why));
	g.nodes = 1;
	assert_false(judge_no_gpu(&g, NULL, why, sizeof why));
	/* Packages of the driver on a machine without a GPU. */
	g = (struct gpus){.code = 100, .libcuda = "/lib/libcuda.so.1"};
	assert_true(judge_no_gpu(&g, NULL, why, sizeof why));
	assert_false(judge_no_gpu(&g, "0", why, sizeof why));
	g.nodes = 1;
	assert_false(judge_no_gpu(&g, NULL, why, sizeof why));
	g.nodes = 0;
	g.code = 999;
	assert_false(judge_no_gpu(&g, NULL, why, sizeof why));
	g = (struct gpus){.end = GPUS_HUNG, .code = -1};
	assert_false(judge_no_gpu(&g, NULL, why, sizeof why));
	g = machine();
	assert_false(judge_no_gpu(&g, NULL, why, sizeof why));
}

static struct verdict speed(const char *lines, size_t n)
{
	/* PCIe 5 x16 (63 GB/s) and 4.9 TB/s. */
	static const struct gpu h200 = {.pcie_gen = 1,
					.pcie_width = 16,
					.pcie_gen_max = 5,
					.pcie_width_max = 16,
					.memory_clock = 3201000,
					.memory_bus = 6144};
	const struct gpu *gpus[] = {&h200, &h200};
	json_t *results = json_array();
	struct verdict v = {.word = "ok"};
	speed_collect(results, lines, "sm_90");
	judge_speed(results, gpus, n, &v);
	json_decref(results);
	return v;
}

#define COPY(device, kind, memory, gbps)                                                           \
	"{\"test\": \"bandwidth\", \"ok\": true, \"device\": " #device ", \"kind\": \"" kind       \
	"\", \"memory\": \"" memory "\", \"gbps\": " #gbps "}\n"

static void test_speed(void **state)
{
	struct verdict v = speed(COPY(0, "h2d", "pinned", 20) COPY(0, "h2d", "pinned", 55.5)
					 COPY(0, "h2d", "pageable", 60) COPY(0, "d2h", "pinned", 54)
						 COPY(0, "d2d", "device", 4000) "not JSON\n",
				 1);
	assert_true(v.on.h2d == 55.5e9 && v.on.d2h == 54e9 && v.on.d2d == 4e12);
	assert_false(v.on.slow);
	assert_string_equal(v.detail, "");
	/* The slower of two GPUs counts, and is named. */
	v = speed(COPY(0, "h2d", "pinned", 55) COPY(1, "h2d", "pinned", 12.5)
			  COPY(0, "d2d", "device", 4000) COPY(1, "d2d", "device", 4000),
		  2);
	assert_true(v.on.h2d == 12.5e9);
	assert_true(v.on.slow);
	has(v.detail, "GPU 1 moves 12.5 GB/s to it, 20% of what PCIe 5 x16 can (63.0)");
	has(v.hint, "lanes");
	assert_true(verdict_good(&v));
	v = speed(COPY(0, "d2d", "device", 1000), 1);
	assert_true(v.on.slow && v.on.h2d == 0);
	has(v.detail, "on its memory, 20% of what that can");
	v = speed("", 1);
	assert_false(v.on.slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes), cmocka_unit_test(test_codes),
		cmocka_unit_test(test_kinds),	 cmocka_unit_test(test_arch),
		cmocka_unit_test(test_ends),	 cmocka_unit_test(test_machine_causes),
		cmocka_unit_test(test_no_gpu),	 cmocka_unit_test(test_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
