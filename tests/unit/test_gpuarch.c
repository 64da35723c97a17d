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

/* What nvcc itself lists is the truth for the table. */
static void test_table(void **state)
{
	static const struct {
		const char *release, *list;
	} cases[] = {
		{"11.8", "sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 "
			 "sm_86 sm_87 sm_89 sm_90"},
		{"12.4.1",
		 "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 "
		 "sm_89 sm_90"},
		{"13.0.2",
		 "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_110 sm_103 sm_120 sm_121"},
		{"13.5.0", "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_110 sm_103 sm_120 "
			   "sm_121 sm_107"},
		{"10.2.89",
		 "sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 "
		 "sm_75"},
		{"9.0.176", "sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct version v;
		struct gpuarch_list l, want = list_of(cases[i].list);
		assert_true(version_parse(cases[i].release, strlen(cases[i].release), &v));
		assert_true(gpuarch_by_release(&v, &l));
		assert_int_equal(l.n, want.n);
		assert_memory_equal(l.cc, want.cc, sizeof *l.cc * l.n);
	}
	assert_string_equal(gpuarch_first(90), "11.8");
	assert_string_equal(gpuarch_last(70), "12.9");
	assert_null(gpuarch_last(90));
	assert_null(gpuarch_first(999));
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

/* nvcc itself is asked; the table serves those that do not know the option. */
static void test_ask(void **state)
{
	struct gpuarch_list l = {0};
	nvcc("test \"$*\" = --list-gpu-code && printf 'sm_52\\nsm_61\\n'");
	assert_true(gpuarch_of(prefix, "13.0.2", &l));
	assert_int_equal(l.n, 2);
	nvcc("echo \"nvcc fatal: Unknown option '-list-gpu-code'\" >&2; exit 1");
	assert_true(gpuarch_of(prefix, "10.2.89", &l));
	assert_int_equal(l.cc[0], 30);
	assert_false(gpuarch_of(prefix, "mine", &l));
	assert_false(gpuarch_of(prefix, NULL, &l));
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_fit),
		T(test_ask),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
