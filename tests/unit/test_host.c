#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/attr.h"
#include "base/tree.h"
#include "core/host.h"

static char root[] = "/tmp/test_host.XXXXXX";
static struct catalog catalog;

static const char proc_version[] = "proc/driver/nvidia/version";

static int setup(void **state)
{
	struct err err = {0};
	autofree char *ini = xasprintf("%s/share/versions.ini", getenv("SOURCE_ROOT"));
	return mkdtemp(root) && catalog_load(&catalog, ini, &err) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err;
	catalog_clear(&catalog);
	return tree_remove(root, &err) ? 0 : -1;
}

static int clean(void **state)
{
	struct err err;
	return tree_remove(root, &err) && tree_mkdirs(root, &err) ? 0 : -1;
}

static void make_parent(const char *path)
{
	struct err err;
	autofree char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	assert_true(tree_mkdirs(dir, &err));
}

static void put(const char *file, const char *text)
{
	autofree char *path = xasprintf("%s/%s", root, file);
	make_parent(path);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static struct host probe(const char *machine, const char *lib)
{
	struct host h;
	const char *const libs[] = {"/nonexistent/libcuda.so.1", lib, NULL};
	host_probe_at(&h, &(struct host_places){root, machine, libs, libs});
	return h;
}

static void test_driver_text(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.98  Thu Oct 26 2017\n"
		 "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
		 "384.98"},
		{"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  515.57  Release Build  "
		 "(archlinux-builder@)\nGCC version:  gcc version 12.1.0 (GCC)\n",
		 "515.57"},
		{"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release\n",
		 "580.95.05"},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.26  x", "570.26"},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module\nGCC version: gcc 12.2.0\n", ""},
		{"GCC version:  gcc version 12.2.0\n", ""},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  999999999999.1  x\n", ""},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put(proc_version, cases[i].text);
		struct host h = probe("x86_64", NULL);
		assert_string_equal(h.driver, cases[i].want);
		assert_int_equal(h.cuda, 0);
	}
}

static void test_driver_sources(void **state)
{
	assert_string_equal(probe("x86_64", NULL).driver, "");
	put("sys/module/nvidia/version", "550.54.14\n");
	assert_string_equal(probe("x86_64", NULL).driver, "550.54.14");
	put(proc_version, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  x\n");
	assert_string_equal(probe("x86_64", NULL).driver, "550.54.15");
}

static void copy_fake(const char *to)
{
	char chunk[65536];
	size_t n;
	make_parent(to);
	FILE *in = fopen(getenv("FAKE_CUDA"), "r"), *out = fopen(to, "w");
	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(chunk, 1, sizeof chunk, in)) > 0)
		assert_int_equal(fwrite(chunk, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

/* A driver without /proc/driver, as in WSL: its libraries say. A stub must never be asked. */
static void test_libraries(void **state)
{
	autofree char *real = xasprintf("%s/lib/libcuda.so.1", root);
	autofree char *stub = xasprintf("%s/targets/lib/stubs/libcuda.so.1", root);
	autofree char *link = xasprintf("%s/lib/link.so.1", root);
	copy_fake(stub);
	copy_fake(real);
	assert_int_equal(symlink(stub, link), 0);
	assert_int_equal(probe("x86_64", stub).cuda, 0);
	assert_string_equal(probe("x86_64", stub).driver, "");
	assert_int_equal(probe("x86_64", link).cuda, 0);
	assert_int_equal(probe("x86_64", real).cuda, 12070);
	assert_string_equal(probe("x86_64", real).driver, "565.77");
	/* The kernel's word counts more than the library's. */
	put("sys/module/nvidia/version", "560.35.03\n");
	assert_string_equal(probe("x86_64", real).driver, "560.35.03");
}

static void test_arch(void **state)
{
	assert_string_equal(probe("x86_64", NULL).arch, "x86_64");
	assert_string_equal(probe("ppc64le", NULL).arch, "ppc64le");
	assert_string_equal(probe("aarch64", NULL).arch, "sbsa");
	put("sys/devices/soc0/family", "Tegra\n");
	assert_string_equal(probe("aarch64", NULL).arch, "aarch64");
	assert_string_equal(probe("x86_64", NULL).arch, "x86_64");
	put("etc/nv_tegra_release", "# R36 (release), REVISION: 4.0, GCID: 37537400\n");
	assert_string_equal(probe("aarch64", NULL).arch, "aarch64");
	put("etc/nv_tegra_release", "# R38 (release), REVISION: 2.0, GCID: 41844464\n");
	assert_string_equal(probe("aarch64", NULL).arch, "sbsa");
	assert_string_equal(probe("riscv64", NULL).arch, "riscv64");
	assert_true(host_arch_known("sbsa"));
	assert_false(host_arch_known("riscv64"));
	assert_false(host_arch_known("arm64"));
}

static void test_real_machine(void **state)
{
	struct host h;
	host_probe(&h);
	assert_true(h.arch[0]);
	assert_true(h.cuda == 0 || h.cuda >= 1000);
}

static struct host host_of(const char *arch, const char *driver, int cuda)
{
	struct host h = {.cuda = cuda};
	snprintf(h.arch, sizeof h.arch, "%s", arch);
	snprintf(h.driver, sizeof h.driver, "%s", driver);
	return h;
}

static void test_fit(void **state)
{
	static const struct {
		const char *driver;
		int cuda;
		const char *label;
		enum host_fit want;
	} cases[] = {
		{"580.159.04", 0, "13.0.2", HOST_FIT_FULL},
		{"580.159.04", 0, "13.5.0", HOST_FIT_MINOR},
		{"580.65.06", 0, "13.0.2", HOST_FIT_MINOR},
		{"575.57.08", 0, "13.0.0", HOST_FIT_NONE},
		/* Part by part: 570.26 is older than 570.124.06. */
		{"570.26", 0, "12.8.0", HOST_FIT_FULL},
		{"570.26", 0, "12.8.1", HOST_FIT_MINOR},
		{"570.124.06", 0, "12.8.1", HOST_FIT_FULL},
		{"565.77", 12070, "12.6.3", HOST_FIT_FULL},
		{"565.77", 12070, "12.8.0", HOST_FIT_MINOR},
		{"525.60.13", 0, "12.9.1", HOST_FIT_MINOR},
		{"525.60.12", 0, "12.9.1", HOST_FIT_NONE},
		{"450.80.02", 0, "11.8.0", HOST_FIT_MINOR},
		/* No minor-version compatibility before CUDA 11. */
		{"418.87.00", 0, "10.2.89", HOST_FIT_NONE},
		{"620.10", 13050, "13.5.0", HOST_FIT_FULL},
		{"620.10", 0, "13.5.0", HOST_FIT_MINOR},
		{"620.10", 0, "6.0.37", HOST_FIT_UNKNOWN},
		{"620.10", 13050, "6.0.37", HOST_FIT_FULL},
		{"", 12040, "12.4.1", HOST_FIT_FULL},
		{"", 12040, "12.6.0", HOST_FIT_NONE},
		{"", 0, "12.4.1", HOST_FIT_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct host h = host_of("x86_64", cases[i].driver, cases[i].cuda);
		const struct catalog_release *r = catalog_find(&catalog, cases[i].label);
		assert_non_null(r);
		if (host_fit(&h, r) != cases[i].want)
			fail_msg("%s on %s (%d): %d", cases[i].label, cases[i].driver,
				 cases[i].cuda, host_fit(&h, r));
	}
}

/* There the number of Windows' driver is not to be compared. */
static void test_wsl(void **state)
{
	static const struct {
		int cuda;
		const char *label;
		enum host_fit want;
	} cases[] = {
		{12040, "12.4.1", HOST_FIT_FULL},
		{12040, "12.6.0", HOST_FIT_MINOR},
		{12040, "13.0.2", HOST_FIT_NONE},
		{0, "12.4.1", HOST_FIT_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct host h = host_of("x86_64", "999.99", cases[i].cuda);
		h.wsl = true;
		assert_int_equal(host_fit(&h, catalog_find(&catalog, cases[i].label)),
				 cases[i].want);
	}
	put("proc/sys/kernel/osrelease", "6.18.44\n");
	assert_false(probe("x86_64", NULL).wsl);
	put("proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
	assert_true(probe("x86_64", NULL).wsl);
	assert_int_equal(clean(NULL), 0);
	put("dev/dxg", "");
	assert_true(probe("x86_64", NULL).wsl);
}

static void test_supported(void **state)
{
	static const struct {
		const char *arch, *driver;
		int cuda;
		const char *source, *want;
	} cases[] = {
		{"x86_64", "580.159.04", 13000, NULL, "13.0.3"},
		{"x86_64", "580.159.04", 13000, "wheels", "13.0.3"},
		{"x86_64", "565.77", 12070, NULL, "12.6.3"},
		/* Below 13.0.0's own driver, but of its branch. */
		{"x86_64", "580.10", 0, "wheels", "13.5.0"},
		{"x86_64", "550.54.15", 0, NULL, "12.4.1"},
		{"ppc64le", "580.159.04", 13000, "redist", "12.4.1"},
		{"aarch64", "540.3.0", 12060, "redist", "12.6.3"},
		{"sbsa", "580.159.04", 13000, "wheels", "13.0.3"},
		{"x86_64", "620.10", 13050, NULL, "13.5.0"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct catalog_release *r = NULL;
		struct err err = {0};
		struct host h = host_of(cases[i].arch, cases[i].driver, cases[i].cuda);
		if (!host_supported(&h, &catalog, cases[i].source, &r, &err))
			fail_msg("%s: %s", cases[i].driver, err.msg);
		assert_string_equal(r->label, cases[i].want);
	}
}

static void test_unsupported(void **state)
{
	const struct catalog_release *r = NULL;
	struct err err = {0};
	struct host h = host_of("x86_64", "", 0);
	assert_false(host_supported(&h, &catalog, NULL, &r, &err));
	assert_int_equal(err.code, ERR_HOST);
	assert_string_equal(err.msg, "there is no NVIDIA driver here to say what it supports");
	assert_true(err.hint[0]);
	h = host_of("x86_64", "470.82.01", 11040);
	err = (struct err){0};
	assert_false(host_supported(&h, &catalog, "wheels", &r, &err));
	assert_string_equal(err.msg,
			    "driver 470.82.01 is too old for every CUDA release that 'wheels' has");
	assert_string_equal(err.hint, "CUDA 13.0.0 needs driver 580");
	h = host_of("riscv64", "580.95.05", 13000);
	err = (struct err){0};
	assert_false(host_supported(&h, &catalog, NULL, &r, &err));
	assert_int_equal(err.code, ERR_HOST);
	assert_string_equal(err.msg, "no CUDA toolkit is known for 'riscv64'");
	assert_null(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_driver_text, clean),
		cmocka_unit_test_teardown(test_driver_sources, clean),
		cmocka_unit_test_teardown(test_libraries, clean),
		cmocka_unit_test_teardown(test_arch, clean),
		cmocka_unit_test(test_real_machine),
		cmocka_unit_test(test_fit),
		cmocka_unit_test_teardown(test_wsl, clean),
		cmocka_unit_test(test_supported),
		cmocka_unit_test(test_unsupported),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
