#include "fake_prefix.h"

#include "core/gpuarch.h"

static struct gpuarch_list list_of(const char *text)
{
	struct gpuarch_list l;
	gpuarch_parse(text, &l);
	return l;
}

static void test_parse(void **state)
{
	struct gpuarch_list l = list_of("sm_75\nsm_80\nsm_90\nsm_100\nsm_110\nsm_103\n");
	const int want[] = {75, 80, 90, 100, 103, 110};
	assert_int_equal(l.n, ARRAY_LEN(want));
	assert_memory_equal(l.cc, want, sizeof want);
	/* What is for one GPU alone, what stands twice, and what is no number. */
	l = list_of("sm_90a sm_100f sm_90,sm_90 sm_ sm_-1 compute_80 sm_99999 sm_9");
	assert_int_equal(l.n, 1);
	assert_int_equal(l.cc[0], 90);
	assert_int_equal(list_of("").n, 0);
}

static void test_fit(void **state)
{
	static const struct {
		const char *list;
		int cc;
		enum gpuarch_fit want;
		int use, ptx;
	} cases[] = {
		{"sm_75 sm_80 sm_90 sm_120", 90, GPUARCH_FITS, 90, 90},
		/* Machine code of 8.0 runs on 8.6 and 8.9; that of a Tegra chip nowhere else. */
		{"sm_75 sm_80 sm_90", 89, GPUARCH_FITS, 80, 80},
		{"sm_80 sm_86 sm_87", 89, GPUARCH_FITS, 86, 87},
		{"sm_80 sm_87", 87, GPUARCH_FITS, 87, 87},
		{"sm_100 sm_120", 121, GPUARCH_FITS, 120, 120},
		/* The fakes of the issue: 3.5, 7.0 and 12.0. */
		{"sm_75 sm_80 sm_90", 35, GPUARCH_DROPPED, 0, 0},
		{"sm_75 sm_80 sm_90", 70, GPUARCH_DROPPED, 0, 0},
		{"sm_80 sm_86", 75, GPUARCH_DROPPED, 0, 0},
		{"sm_75 sm_80 sm_90", 120, GPUARCH_TOO_NEW, 0, 90},
		{"sm_35 sm_80 sm_90", 70, GPUARCH_TOO_NEW, 0, 35},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpuarch_list l = list_of(cases[i].list);
		int use = 0;
		assert_int_equal(gpuarch_fit(&l, cases[i].cc, &use), cases[i].want);
		assert_int_equal(use, cases[i].use);
		assert_int_equal(gpuarch_ptx(&l, cases[i].cc), cases[i].ptx);
	}
}

/* nvcc itself is asked. */
static void test_ask(void **state)
{
	struct gpuarch_list l = {0};
	nvcc("test \"$*\" = --list-gpu-code && printf 'sm_52\\nsm_61\\n'");
	assert_true(gpuarch_of(prefix, &l));
	assert_int_equal(l.n, 2);
	nvcc("echo \"nvcc fatal: Unknown option '-list-gpu-code'\" >&2; exit 1");
	assert_false(gpuarch_of(prefix, &l));
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_fit),
		T(test_ask),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
