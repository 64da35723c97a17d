#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/gpu.h"

/* The driver's libraries are tests/unit/fake_cuda.c; every fact of it comes from these variables. */
static const char *const variables[] = {"FAKE_CUDA_VERSION",	"FAKE_DRIVER", "FAKE_CUINIT",
					"FAKE_NVMLINIT",	"FAKE_GPUS",   "FAKE_MODE",
					"CUDA_VISIBLE_DEVICES", "FAKE_MIG"};
/* Never waited for: long enough for a machine that is busy with other things. */
enum { LONG_MS = 60000, SHORT_MS = 300 };

static int clean(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
	return scratch_enter(state);
}

static struct gpus probe_libs(const char *cuda, const char *nvml, int deadline_ms)
{
	static struct gpus g;
	const char *const cudas[] = {cuda, NULL}, *const nvmls[] = {nvml, NULL};
	gpu_probe_at(&g, &(struct gpu_places){"", cudas, nvmls, deadline_ms, false});
	return g;
}

static struct gpus probe(void)
{
	const char *fake = getenv("FAKE_CUDA");
	return probe_libs(fake, fake, LONG_MS);
}

static void test_device(void **state)
{
	struct gpus g = probe();
	assert_int_equal(g.end, GPUS_TOLD);
	assert_string_equal(g.step, "");
	assert_int_equal(g.code, 0);
	assert_int_equal(g.nvml_code, 0);
	assert_int_equal(g.cuda, 12070);
	assert_string_equal(g.nvml_driver, "565.77");
	assert_string_equal(g.libcuda, getenv("FAKE_CUDA"));
	assert_string_equal(g.why, "");
	assert_int_equal(g.n, 1);
	const struct gpu *d = &g.items[0];
	assert_string_equal(d->name, "Fake GPU 0");
	assert_string_equal(d->uuid, "GPU-a0000000-0000-0000-0000-000000000000");
	assert_string_equal(d->pci, "0000:19:00.0");
	assert_int_equal(d->cc, 90);
	assert_int_equal(d->index, 0);
	assert_int_equal(d->ordinal, 0);
	assert_int_equal(d->memory, 80ull << 30);
	assert_int_equal(d->pcie_gen, 1);
	assert_int_equal(d->pcie_gen_max, 5);
	assert_int_equal(d->pcie_width_max, 16);
	assert_int_equal(d->memory_clock, 2619000);
	assert_int_equal(d->memory_bus, 5120);
	assert_int_equal(d->ecc, GPU_ON);
	assert_int_equal(d->mig, GPU_OFF);
	assert_int_equal(d->compute_mode, GPU_SHARED);
}

static void test_any_driver(void **state)
{
	setenv("FAKE_CUDA_VERSION", "13000", 1);
	setenv("FAKE_DRIVER", "580.159.04", 1);
	setenv("FAKE_GPUS", "120 75", 1);
	setenv("FAKE_MODE", "2", 1);
	setenv("FAKE_MIG", "1", 1);
	struct gpus g = probe();
	assert_int_equal(g.cuda, 13000);
	assert_string_equal(g.nvml_driver, "580.159.04");
	assert_int_equal(g.n, 2);
	assert_int_equal(g.items[0].cc, 120);
	assert_int_equal(g.items[1].cc, 75);
	assert_int_equal(g.items[1].index, 1);
	assert_int_equal(g.items[1].mig, GPU_ON);
	assert_int_equal(g.items[1].compute_mode, GPU_PROHIBITED);
}

static void test_codes(void **state)
{
	static const struct {
		int code;
		const char *name;
	} cases[] = {
		{34, "CUDA_ERROR_STUB_LIBRARY"},
		{35, "cudaErrorInsufficientDriver"},
		{46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
		{100, "CUDA_ERROR_NO_DEVICE"},
		{209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
		{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
		{802, "CUDA_ERROR_SYSTEM_NOT_READY"},
		{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
		{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
		{999, "CUDA_ERROR_UNKNOWN"},
	};
	char buf[32], number[16];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(number, sizeof number, "%d", cases[i].code);
		setenv("FAKE_CUINIT", number, 1);
		struct gpus g = probe();
		assert_int_equal(g.end, GPUS_TOLD);
		assert_int_equal(g.code, cases[i].code);
		assert_int_equal(g.cuda, 12070);
		assert_int_equal(gpu_visible(&g), 0);
		/* NVML is asked all the same. */
		assert_int_equal(g.n, 1);
		assert_string_equal(gpu_code_name(g.code, buf, sizeof buf), cases[i].name);
		assert_non_null(gpu_code_cause(g.code));
		assert_non_null(gpu_code_remedy(g.code));
	}
	assert_string_equal(gpu_code_name(12345, buf, sizeof buf), "error 12345");
	assert_null(gpu_code_cause(12345));
}

static void test_bad_ends(void **state)
{
	const char *fake = getenv("FAKE_CUDA");
	setenv("FAKE_CUINIT", "hang", 1);
	struct gpus g = probe_libs(fake, fake, SHORT_MS);
	assert_int_equal(g.end, GPUS_HUNG);
	setenv("FAKE_CUINIT", "crash", 1);
	g = probe();
	assert_int_equal(g.end, GPUS_CRASHED);
	assert_int_equal(g.signal, SIGABRT);
	assert_string_equal(g.step, "cuInit");
	/* What was learnt before is kept. */
	assert_int_equal(g.cuda, 12070);
	assert_string_equal(g.libcuda, fake);
	setenv("FAKE_CUINIT", "exit", 1);
	g = probe();
	assert_int_equal(g.code, -1);
	assert_string_equal(g.step, "cuInit");
	unsetenv("FAKE_CUINIT");
	setenv("FAKE_NVMLINIT", "crash", 1);
	g = probe();
	assert_int_equal(g.end, GPUS_CRASHED);
	assert_string_equal(g.step, "nvmlInit");
	assert_int_equal(gpu_visible(&g), 1);
	setenv("FAKE_NVMLINIT", "18", 1);
	g = probe();
	assert_int_equal(g.nvml_code, 18);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.items[0].pcie_gen_max, 0);
	assert_int_equal(g.items[0].mig, GPU_UNKNOWN);
	/* No child is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_no_library(void **state)
{
	struct gpus g = probe_libs("/nonexistent/libcuda.so.1", "/nonexistent/ml.so", LONG_MS);
	assert_int_equal(g.end, GPUS_TOLD);
	assert_int_equal(g.code, -1);
	assert_int_equal(g.nvml_code, -1);
	assert_int_equal(g.cuda, 0);
	assert_string_equal(g.libcuda, "");
	assert_non_null(strstr(g.why, "/nonexistent/libcuda.so.1"));
	scratch_file("libcuda.so.1", "no library\n");
	g = probe_libs("./libcuda.so.1", "./libcuda.so.1", LONG_MS);
	assert_string_not_equal(g.why, "");
	assert_int_equal(g.code, -1);
}

static void test_stub(void **state)
{
	char here[PATH_MAX];
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(mkdir("stubs", 0755), 0);
	autofree char *stub = xasprintf("%s/stubs/libcuda.so.1", here);
	assert_int_equal(symlink(getenv("FAKE_CUDA"), stub), 0);
	struct gpus g = probe_libs(stub, stub, LONG_MS);
	assert_string_equal(g.stub, stub);
	assert_string_equal(g.libcuda, "");
	assert_int_equal(g.code, -1);
	assert_int_equal(g.cuda, 0);
	assert_non_null(strstr(g.why, "only a stub is there, '/"));
	const char *const both[] = {stub, getenv("FAKE_CUDA"), NULL};
	gpu_probe_at(&g, &(struct gpu_places){"", both, both, LONG_MS, false});
	assert_string_equal(g.libcuda, getenv("FAKE_CUDA"));
	assert_string_equal(g.stub, stub);
	assert_int_equal(g.code, 0);
	assert_string_equal(g.why, "");
}

static void test_visible_devices(void **state)
{
	static const struct {
		const char *value;
		int first, seen;
	} cases[] = {
		{"", -1, 0},	  {"-1", -1, 0},     {"7", -1, 0},	{"0", 0, 1},
		{"1", 1, 1},	  {"1,0", 1, 2},     {"0,0", -1, 0},	{"0,7,1", 0, 1},
		{"GPU-a1", 1, 1}, {"GPU-ff", -1, 0}, {"MIG-a1", -1, 0}, {"GPU-a1,GPU-a0", 1, 2},
	};
	setenv("FAKE_GPUS", "90 89", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setenv("CUDA_VISIBLE_DEVICES", cases[i].value, 1);
		struct gpus g = probe();
		assert_int_equal(gpu_visible(&g), cases[i].seen);
		assert_int_equal(g.code, cases[i].seen			  ? 0
					 : !strcmp(cases[i].value, "0,0") ? 101
									  : 100);
		/* The machine's GPUs are all there, the hidden ones behind. */
		assert_int_equal(g.n, 2);
		if (cases[i].seen)
			assert_int_equal(g.items[0].index, cases[i].first);
		for (size_t j = 0; j < g.n; j++)
			assert_int_equal(g.items[j].ordinal, (int)j < cases[i].seen ? (int)j : -1);
		assert_int_equal(g.items[1].cc, g.items[1].index == 1 ? 89 : 90);
	}
}

/* NVML alone, unless something could be otherwise for programs. */
static void test_quick(void **state)
{
	const char *const fake[] = {getenv("FAKE_CUDA"), NULL};
	const struct gpu_places at = {"", fake, fake, LONG_MS, true};
	static const struct {
		const char *name, *value;
		int code;
	} cases[] = {
		{"FAKE_GPUS", "90", -1},    {"FAKE_GPUS", "", 0},
		{"FAKE_MIG", "1", 0},	    {"CUDA_VISIBLE_DEVICES", "0", 0},
		{"FAKE_NVMLINIT", "18", 0}, {"FAKE_GPUS", "90 89", 0},
	};
	struct gpus g;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setenv(cases[i].name, cases[i].value, 1);
		gpu_probe_at(&g, &at);
		unsetenv(cases[i].name);
		bool none = !strcmp(cases[i].value, "");
		assert_int_equal(g.code, none ? 100 : cases[i].code);
		assert_int_equal(g.cuda, 12070);
		assert_int_equal(gpu_visible(&g), none ? 0 : i == 5 ? 2 : 1);
		assert_int_equal(g.n, gpu_visible(&g));
		if (none)
			continue;
		assert_int_equal(g.items[0].cc, 90);
		assert_int_equal(g.items[0].ordinal, 0);
		assert_string_equal(g.items[0].uuid + 4, "a0000000-0000-0000-0000-000000000000");
	}
}

static void test_nodes(void **state)
{
	struct err err;
	struct gpus g;
	const char *const none[] = {NULL};
	const struct gpu_places at = {".", none, none, LONG_MS, false};
	gpu_probe_at(&g, &at);
	assert_false(g.node_ctl || g.node_uvm);
	assert_int_equal(g.nodes, 0);
	assert_string_equal(g.driver, "");
	assert_true(tree_mkdirs("dev", &err) && tree_mkdirs("proc/driver/nvidia", &err));
	scratch_file("dev/nvidiactl", "");
	scratch_file("dev/nvidia0", "");
	scratch_file("dev/nvidia12", "");
	scratch_file("dev/nvidia-modeset", "");
	scratch_file("proc/driver/nvidia/version",
		     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue\n");
	gpu_probe_at(&g, &at);
	assert_true(g.node_ctl);
	assert_false(g.node_uvm);
	assert_int_equal(g.nodes, 2);
	assert_string_equal(g.driver, "550.54.15");
	scratch_file("dev/nvidia-uvm", "");
	gpu_probe_at(&g, &at);
	assert_true(g.node_uvm);
}

static void test_limits(void **state)
{
	/* GB a second of x16 as everywhere quoted: 4.0, 15.8, 31.5, 63.0. */
	static const double want[] = {0, 4.0, 8.0, 15.75, 31.5, 63.0, 121.0};
	for (int gen = 0; gen < (int)ARRAY_LEN(want); gen++)
		assert_true(gpu_pcie_limit(gen, 16) / 1e9 > want[gen] - 0.1 &&
			    gpu_pcie_limit(gen, 16) / 1e9 < want[gen] + 0.1);
	assert_true(gpu_pcie_limit(5, 8) * 2 == gpu_pcie_limit(5, 16));
	assert_true(gpu_pcie_limit(99, 16) == 0 && gpu_pcie_limit(5, 0) == 0);
	/* H200: 4.8 TB a second. */
	const struct gpu h200 = {.memory_clock = 3201000, .memory_bus = 6144}, unknown = {0};
	assert_true(gpu_memory_limit(&h200) > 4.8e12 && gpu_memory_limit(&h200) < 5e12);
	assert_true(gpu_memory_limit(&unknown) == 0);
}

static void test_this_machine(void **state)
{
	struct gpus g;
	gpu_probe(&g);
	assert_true(g.end != GPUS_NOT_ASKED);
	assert_true((g.libcuda[0] != '\0') != (g.why[0] != '\0'));
}

#define T(name) cmocka_unit_test_setup_teardown(name, clean, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_device),	    T(test_any_driver), T(test_codes),		 T(test_bad_ends),
		T(test_no_library), T(test_stub),	T(test_visible_devices), T(test_nodes),
		T(test_quick),	    T(test_limits),	T(test_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
