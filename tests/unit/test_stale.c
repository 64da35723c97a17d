#include "scratch.h"

#include "core/stale.h"

static void machine(const char *driver, const char *const *uuids)
{
	struct err err;
	assert_true(tree_remove("proc", &err) && tree_mkdirs("proc/driver/nvidia/gpus", &err));
	autofree char *text =
		xasprintf("NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  x\n", driver);
	scratch_file("proc/driver/nvidia/version", text);
	for (int i = 0; uuids && uuids[i]; i++) {
		autofree char *dir = xasprintf("proc/driver/nvidia/gpus/0000:0%d:00.0", i);
		autofree char *file = xasprintf("%s/information", dir);
		autofree char *info = xasprintf("Model: \t\t NVIDIA H200\nIRQ:   \t\t 99\nGPU "
						"UUID: \t %s\nBus Type: \t PCIe\n",
						uuids[i]);
		assert_int_equal(mkdir(dir, 0755), 0);
		scratch_file(file, info);
	}
}

static const char *stale(const char *driver, const char *uuids)
{
	static char why[192];
	struct stale_now now;
	struct verdict v = {.word = "ok", .on = {.gpu = "NVIDIA H200"}};
	snprintf(v.on.driver, sizeof v.on.driver, "%s", driver);
	snprintf(v.on.uuids, sizeof v.on.uuids, "%s", uuids);
	stale_look(&now, ".");
	if (!stale_is(&now, &v, why, sizeof why))
		why[0] = '\0';
	stale_clear(&now);
	return why;
}

static void test_stale(void **state)
{
	const char *const one[] = {"GPU-1", NULL}, *const two[] = {"GPU-1", "GPU-2", NULL};
	const char *const hidden[] = {"GPU-??????", NULL};
	/* What was found without a GPU stays true. */
	assert_string_equal(stale("", ""), "");
	assert_string_equal(stale("550.1", "GPU-1"), "found on driver 550.1, here is none");
	machine("550.1", one);
	assert_string_equal(stale("", ""), "");
	assert_string_equal(stale("550.1", "GPU-1"), "");
	assert_string_equal(stale("550.1", ""), "");
	assert_string_equal(stale("550.1", "MIG-5"), "");
	assert_string_equal(stale("550.2", "GPU-1"), "found on driver 550.2, here is 550.1");
	assert_string_equal(stale("550.1", "GPU-9"), "found on another GPU (NVIDIA H200)");
	assert_string_equal(stale("550.1", "GPU-1,GPU-2"), "found on another GPU (NVIDIA H200)");
	machine("550.1", two);
	assert_string_equal(stale("550.1", "GPU-2,GPU-1"), "");
	assert_string_equal(stale("550.1", "GPU-2"), "");
	machine("550.1", hidden);
	assert_string_equal(stale("550.1", "GPU-1"), "");
	/* A container has no list of GPUs. */
	struct err err;
	machine("550.1", NULL);
	assert_true(tree_remove("proc/driver/nvidia/gpus", &err));
	assert_string_equal(stale("550.1", "GPU-1"), "");
	/* WSL: no /proc/driver at all. */
	assert_true(tree_remove("proc", &err) && tree_mkdirs("dev", &err));
	scratch_file("dev/dxg", "");
	assert_string_equal(stale("550.1", "GPU-1"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stale, scratch_enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
