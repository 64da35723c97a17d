#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "core/catalog.h"

static struct catalog small, whole;

static int load_both(void **state)
{
	struct err err = {0};
	const char *root = getenv("SOURCE_ROOT");
	autofree char *a = xasprintf("%s/tests/data/ini/catalog.ini", root);
	autofree char *b = xasprintf("%s/share/versions.ini", root);
	return catalog_load(&small, a, &err) && catalog_load(&whole, b, &err) ? 0 : -1;
}

static int clear_both(void **state)
{
	catalog_clear(&small);
	catalog_clear(&whole);
	return 0;
}

static void test_fields(void **state)
{
	const struct catalog_release *r = catalog_find(&small, "12.4.1");
	assert_string_equal(r->date, "2024-04-03");
	assert_int_equal(r->platforms.n, 3);
	assert_string_equal(r->platforms.items[2], "linux-ppc64le");
	assert_null(r->manifest_sha256);
	assert_string_equal(r->driver_min, "550.54.15");
	assert_string_equal(r->driver_floor, "525.60.13");
	assert_string_equal(r->gcc_max, "13");
	assert_string_equal(r->clang_min, "7");
	assert_int_equal(r->n_runfiles, 1);
	assert_string_equal(r->runfiles[0].arch, "x86_64");
	assert_string_equal(r->runfiles[0].file, "cuda_12.4.1_550.54.15_linux.run");
	assert_string_equal(r->runfiles[0].md5, "00112233445566778899aabbccddeeff");
	assert_string_equal(catalog_find(&small, "9.0.176")->date, "");
	assert_null(catalog_find(&small, "9.0"));
	assert_string_equal(small.releases[0].label, "9.0.176");
	assert_string_equal(small.releases[small.n - 1].label, "13.5.0");
}

/* One line in place of the one that is good. */
static void refused(const char *section, const char *line, const char *want)
{
	struct catalog c = {0};
	struct err err = {0};
	autofree char *text = xasprintf("[%s]\n%s\n", section, line);
	assert_false(catalog_parse(&c, "v.ini", text, strlen(text), &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, want);
	assert_null(c.releases);
}

static void test_gpu(void **state)
{
	static const struct {
		const char *label;
		int cc;
		enum catalog_gpu want;
	} cases[] = {
		{"11.8.0", 35, CATALOG_GPU_SERVED},   {"12.0.0", 35, CATALOG_GPU_DROPPED},
		{"12.9.1", 70, CATALOG_GPU_SERVED},   {"13.0.2", 70, CATALOG_GPU_DROPPED},
		{"13.0.2", 72, CATALOG_GPU_DROPPED},  {"11.4.1", 89, CATALOG_GPU_SERVED},
		{"11.4.1", 90, CATALOG_GPU_TOO_NEW},  {"11.8.0", 120, CATALOG_GPU_TOO_NEW},
		{"12.8.1", 110, CATALOG_GPU_TOO_NEW}, {"13.0.2", 90, CATALOG_GPU_SERVED},
		{"13.0.2", 107, CATALOG_GPU_SERVED},  {"8.0.44", 60, CATALOG_GPU_UNKNOWN},
		{"13.0.2", 0, CATALOG_GPU_UNKNOWN},
	};
	static const struct {
		int cc;
		const char *first, *last;
	} ranges[] = {{35, "9.0.176", "11.8.0"}, {70, "9.0.176", "12.9.2"}, {90, "11.8.0", NULL}};
	const struct catalog_release *first, *last;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct catalog_release *r = catalog_find(&whole, cases[i].label);
		assert_non_null(r);
		if (catalog_gpu(r, cases[i].cc) != cases[i].want)
			fail_msg("%s %d", cases[i].label, cases[i].cc);
	}
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
		assert_true(catalog_gpu_range(&whole, ranges[i].cc, &first, &last));
		assert_string_equal(first->label, ranges[i].first);
		assert_string_equal(last->label, ranges[i].last
							 ? ranges[i].last
							 : whole.releases[whole.n - 1].label);
	}
	assert_false(catalog_gpu_range(&whole, 20, &first, &last));
}

/* What nvcc itself lists is the truth for the table. */
static void test_gpu_list(void **state)
{
	static const struct {
		const char *label, *list;
	} cases[] = {
		{"11.8.0",
		 "sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 "
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
		struct gpuarch_list l, want;
		const struct catalog_release *r = catalog_find(&whole, cases[i].label);
		assert_non_null(r);
		gpuarch_parse(cases[i].list, &want);
		assert_true(catalog_gpu_list(r, &l));
		assert_int_equal(l.n, want.n);
		assert_memory_equal(l.cc, want.cc, sizeof *l.cc * l.n);
	}
}

static void test_refused(void **state)
{
	refused("12.4.1", "driver_mim = 1",
		"'v.ini' line 2: unknown key 'driver_mim', did you mean "
		"'driver_min'?");
	refused("12.4.1", "colour = red", "'v.ini' line 2: unknown key 'colour'");
	refused("12.4.1", "date = 3 April",
		"'v.ini' line 2: 'date' of '12.4.1' is not a date (YYYY-MM-DD): '3 April'");
	refused("12.4.1", "date = 2024-04-03x",
		"'v.ini' line 2: 'date' of '12.4.1' is not a date (YYYY-MM-DD): '2024-04-03x'");
	refused("12.4.1", "platforms = linux-x86_64 windows-x86_64",
		"'v.ini' line 2: 'platforms' of '12.4.1' is not a list of platforms: "
		"'linux-x86_64 windows-x86_64'");
	refused("12.4.1", "platforms =",
		"'v.ini' line 2: 'platforms' of '12.4.1' is not a list of platforms: ''");
	refused("12.4.1", "sm = 75 80,90",
		"'v.ini' line 2: 'sm' of '12.4.1' is not a list of compute capabilities: "
		"'75 80,90'");
	refused("12.4.1", "manifest_sha256 = ABC",
		"'v.ini' line 2: 'manifest_sha256' of '12.4.1' is not a sha256: 'ABC'");
	refused("12.4.1", "driver_min = soon",
		"'v.ini' line 2: 'driver_min' of '12.4.1' is not a version: 'soon'");
	refused("12.4.1", "runfile.x86_64 = ../../etc/passwd",
		"'v.ini' line 2: 'runfile.x86_64' of '12.4.1' is not a path or an https URL: "
		"'../../etc/passwd'");
	refused("12.4.1", "runfile.x86_64 = http://h/f",
		"'v.ini' line 2: 'runfile.x86_64' of '12.4.1' is not a path or an https URL: "
		"'http://h/f'");
	refused("12.4.1", "runfile.vax = f", "'v.ini' line 2: unknown key 'runfile.vax'");
	refused("12.4.1", "runfile.sbsa.sha1 = f",
		"'v.ini' line 2: unknown key 'runfile.sbsa.sha1'");
	refused("12.4.1", "runfile.sbsa.md5 = 00112233445566778899aabbccddeeff",
		"'v.ini' line 2: 'runfile.sbsa.md5' stands before 'runfile.sbsa'");
	refused("12.4", "wheels = 12.4",
		"'v.ini' line 1: section '12.4' is neither 'catalog' nor a release");
	refused("../12.4.1", "wheels = 12.4.1",
		"'v.ini' line 1: section '../12.4.1' is neither 'catalog' nor a release");
	refused("catalog", "format = 2",
		"'v.ini' line 2: 'format' of 'catalog' is not 1, the format that is known here: "
		"'2'");
	refused("catalog", "driver_only = 12.7 x",
		"'v.ini' line 2: 'driver_only' of 'catalog' is not a short list of versions: '12.7 "
		"x'");
	refused("catalog", "format = 1", "'v.ini' names no release");
}

static void test_not_there(void **state)
{
	struct catalog c;
	struct err err = {0};
	assert_false(catalog_load(&c, "/nonexistent/versions.ini", &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_non_null(strstr(err.msg, "/nonexistent/versions.ini"));
	assert_true(err.hint[0]);
}

static void selects(const struct catalog *c, const char *text, const char *source, const char *want)
{
	struct spec spec;
	struct err err = {0};
	const struct catalog_release *r = NULL;
	assert_true(spec_parse(text, strlen(text), "the test", &spec, &err));
	if (!catalog_select(c, &spec, source, &r, &err))
		fail_msg("%s: %s", text, err.msg);
	assert_string_equal(r->label, want);
}

static void test_select(void **state)
{
	static const struct {
		const char *spec, *want;
	} cases[] = {
		{"12.4.1", "12.4.1"},	   {"12.4", "12.4.1"},	 {"12", "12.9.2"},
		{"12.x", "12.9.2"},	   {"latest", "13.5.0"}, {"latest:12", "12.9.2"},
		{"latest:11.1", "11.1.1"}, {"11.1", "11.1.1"},	 {">=12.2,<12.5", "12.4.1"},
		{">=12.2,<13", "12.9.2"},  {"cu124", "12.4.1"},	 {"cuda-12.4", "12.4.1"},
		{"v12.4", "12.4.1"},	   {"13.4", "13.4.3"},	 {"13.4.1", "13.4.1"},
		{"9.0", "9.0.176"},	   {"10.1", "10.1.243"}, {"<9", "8.0.61"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		selects(&whole, cases[i].spec, NULL, cases[i].want);
	selects(&small, "13", "redist", "13.0.2");
	selects(&small, "latest", "runfile", "12.4.1");
	selects(&small, "latest", "wheels", "13.5.0");
}

static void selects_none(const struct catalog *c, const char *text, const char *source,
			 const char *want)
{
	struct spec spec;
	struct err err = {0};
	const struct catalog_release *r = NULL;
	assert_true(spec_parse(text, strlen(text), "the test", &spec, &err));
	assert_false(catalog_select(c, &spec, source, &r, &err));
	assert_null(r);
	assert_int_equal(err.code, ERR_NO_VERSION);
	assert_string_equal(err.msg, want);
	assert_true(err.hint[0]);
}

static void test_select_none(void **state)
{
	selects_none(&whole, "12.4.7", NULL,
		     "there is no CUDA release '12.4.7'; the nearest is 12.4.1");
	selects_none(&whole, "14", NULL, "there is no CUDA release '14'; the newest is 13.5.0");
	selects_none(&whole, "5", NULL, "there is no CUDA release '5'; the oldest is 6.0.37");
	selects_none(&whole, "8.5", NULL,
		     "there is no CUDA release '8.5'; the nearest are 8.0.61 and 9.0.176");
	selects_none(&whole, "13.4.0", NULL,
		     "there is no CUDA release '13.4.0'; the nearest is 13.4.1");
	selects_none(&whole, "12.7", NULL,
		     "there is no CUDA toolkit '12.7': drivers report that number, no toolkit has "
		     "it; the nearest are 12.6.3 and 12.8.0");
	selects_none(
		&whole, "12.7.1", NULL,
		"there is no CUDA toolkit '12.7.1': drivers report that number, no toolkit has "
		"it; the nearest are 12.6.3 and 12.8.0");
	selects_none(&whole, ">=14", NULL, "no CUDA release fits '>=14'; the newest is 13.5.0");
	selects_none(&whole, "banana", NULL, "'banana' is no CUDA version");
	selects_none(&whole, "system", NULL, "'system' is no CUDA version");
	selects_none(&small, "12.4", "wheels",
		     "source 'wheels' has no CUDA 12.4.1 with nvcc (only libraries); sources that "
		     "have it: redist, runfile");
	selects_none(&small, "13.5", "redist",
		     "source 'redist' has no CUDA 13.5.0; sources that have it: wheels");
	selects_none(&small, "13.5", "ftp",
		     "source 'ftp' has no CUDA 13.5.0; sources that have it: wheels");
}

static void test_offers(void **state)
{
	char words[64];
	const struct catalog_release *r = catalog_find(&small, "12.4.1");
	assert_string_equal(catalog_offer_words(&small, r, "x86_64", words, sizeof words),
			    "redist, runfile");
	assert_string_equal(catalog_offer_words(&small, r, "sbsa", words, sizeof words), "redist");
	assert_string_equal(catalog_offer_words(&small, r, "aarch64", words, sizeof words), "none");
	r = catalog_find(&small, "13.0.2");
	assert_string_equal(catalog_offer_words(&small, r, "sbsa", words, sizeof words),
			    "redist, wheels");
	assert_string_equal(catalog_offer_words(&small, r, "ppc64le", words, sizeof words), "none");
}

/* What a release is worth without: its facts must not get lost when the tables change. */
static void test_whole(void **state)
{
	size_t wheels = 0, pins = 0;
	for (size_t i = 0; i < whole.n; i++) {
		const struct catalog_release *r = &whole.releases[i];
		char words[64];
		catalog_offer_words(&whole, r, NULL, words, sizeof words);
		assert_string_not_equal(words, "none");
		assert_true(r->v.part[0] < 11 || r->driver_floor);
		assert_true(r->v.part[0] < 9 || r->driver_min || r->v.part[1] > 3);
		wheels += r->wheels != NULL;
		pins += r->manifest_sha256 != NULL;
	}
	assert_true(whole.n >= 76);
	assert_true(wheels >= 41);
	assert_true(pins >= 46);
	assert_string_equal(catalog_find(&whole, "13.4.1")->wheels, "13.4.1.0");
	/* The only copy of this one was written down by hand. */
	assert_null(catalog_find(&whole, "13.4.2")->manifest_sha256);
	/* The copy at hand has another digest than the published file. */
	assert_memory_equal(catalog_find(&whole, "13.1.1")->manifest_sha256, "97cf605c", 8);
	/* No row of its own in the release notes: the one of the patch level before. */
	assert_string_equal(catalog_find(&whole, "12.9.2")->driver_min, "575.57.08");
	assert_string_equal(catalog_find(&whole, "12.2.1")->clang_max, "15");
	assert_string_equal(catalog_find(&whole, "12.2.2")->clang_max, "16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_there),   cmocka_unit_test(test_select),
		cmocka_unit_test(test_select_none), cmocka_unit_test(test_offers),
		cmocka_unit_test(test_whole),	    cmocka_unit_test(test_gpu),
		cmocka_unit_test(test_gpu_list),
	};
	return cmocka_run_group_tests(tests, load_both, clear_both);
}
