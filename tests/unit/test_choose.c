#include "scratch.h"

#include "core/choose.h"
#include "core/choose_wanted.h"

static const char text[] = "[catalog]\nformat = 1\nwheels_nvcc = 13.0.0\ndriver_only = 12.7\n"
			   "[11.8.0]\nplatforms = linux-x86_64\ndriver_min = 520.61.05\n"
			   "driver_floor = 450.80.02\n"
			   "[12.4.0]\nplatforms = linux-x86_64\ndriver_floor = 525.60.13\n"
			   "[12.4.1]\nplatforms = linux-x86_64\ndriver_min = 550.54.15\n"
			   "driver_floor = 525.60.13\n"
			   "[12.8.1]\nplatforms = linux-x86_64\ndriver_min = 570.26\n"
			   "driver_floor = 525.60.13\n"
			   "[13.0.2]\nplatforms = linux-x86_64\ndriver_min = 580.95.05\n"
			   "driver_floor = 580\nwheels = 13.0.2\n"
			   "[13.1.0]\ndriver_floor = 580\nwheels = 13.1.0\n";
static struct catalog catalog;

static int load(void **state)
{
	struct err err;
	(void)state;
	return catalog_parse(&catalog, "test.ini", text, sizeof text - 1, &err) ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	catalog_clear(&catalog);
	return 0;
}

/* "12.4.1 12.4.0": what a SPEC means; "?": to be asked of the sources; "!": nothing. */
static void check(const struct host *h, const char *spec, const char *want)
{
	struct wanted w;
	struct err err = {0};
	char got[256] = "";
	if (!wanted_find(&catalog, h, spec, "the test", &w, &err)) {
		assert_true(err.code != ERR_NONE && err.msg[0]);
		if (strcmp(want, "!") != 0)
			fail_msg("%s: %s", spec, err.msg);
		return;
	}
	for (size_t i = 0; i < w.labels.n; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
			 w.labels.items[i]);
	if (!w.labels.n) {
		snprintf(got, sizeof got, "?");
		assert_int_equal(w.unknown.code, ERR_NO_VERSION);
	}
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s, not %s", spec, got, want);
	wanted_clear(&w);
}

static void known(void **state)
{
	struct host h = {.arch = "x86_64"};
	(void)state;
	check(&h, "12.4.1", "12.4.1");
	check(&h, "v12.4.1", "12.4.1");
	check(&h, "12.4", "12.4.1 12.4.0");
	check(&h, "cu124", "12.4.1 12.4.0");
	check(&h, "12", "12.8.1 12.4.1 12.4.0");
	check(&h, ">=12.4,<12.8", "12.4.1 12.4.0");
	check(&h, "latest", "13.1.0 13.0.2 12.8.1 12.4.1 12.4.0 11.8.0");
	check(&h, "latest:11", "11.8.0");
}

/* Only what is newer than all that is known beside it can have come after the catalog. */
static void unknown(void **state)
{
	struct host h = {.arch = "x86_64"};
	(void)state;
	check(&h, "12.4.7", "?");
	check(&h, "12.9", "?");
	check(&h, "12.9.1", "?");
	check(&h, "13.6", "?");
	check(&h, "14", "?");
	check(&h, "latest:14", "?");
	check(&h, ">=13.2", "?");
	check(&h, "12.4.0.5", "!");
	check(&h, "12.5.1", "!");
	check(&h, "12.7.0", "!");
	check(&h, "12.7", "!");
	check(&h, "11.7", "!");
	check(&h, "5", "!");
	check(&h, "system", "!");
	check(&h, "my-name", "!");
	check(&h, "../x", "!");
}

/* First what fits the driver fully, then what minor-version compatibility serves. */
static void supported(void **state)
{
	(void)state;
	check(&(struct host){.arch = "x86_64", .driver = "550.54.15"}, "supported",
	      "12.4.1 11.8.0 12.8.1 12.4.0");
	check(&(struct host){.arch = "x86_64", .driver = "580.95.05", .cuda = 13000}, "supported",
	      "13.0.2 12.8.1 12.4.1 12.4.0 11.8.0 13.1.0");
	check(&(struct host){.arch = "x86_64"}, "supported", "!");
	check(&(struct host){.arch = "vax", .driver = "580.95.05"}, "supported", "!");
}

static void of_a_list(void **state)
{
	struct host h = {.arch = "x86_64"};
	struct wanted w;
	struct err err;
	autostrlist struct strlist list = {0};
	static const char *const labels[] = {"13.6.2", "13.6.10", "13.7.0",   "13.60.1",
					     "13.6",   "x",	  "13.6.99.1"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		strlist_add(&list, labels[i]);
	assert_true(wanted_find(&catalog, &h, "13.6", "the test", &w, &err));
	assert_false(wanted_exact(&w));
	assert_string_equal(wanted_newest(&w, &list), "13.6.10");
	wanted_clear(&w);
	assert_true(wanted_find(&catalog, &h, "13.8", "the test", &w, &err));
	assert_null(wanted_newest(&w, &list));
	wanted_clear(&w);
	assert_true(wanted_find(&catalog, &h, "13.6.2", "the test", &w, &err));
	assert_true(wanted_exact(&w));
	wanted_clear(&w);
}

static void sources(void **state)
{
	(void)state;
	assert_string_equal(choose_sources[0], "auto");
	for (size_t i = 1; choose_sources[i]; i++)
		assert_string_equal(choose_source(choose_sources[i])->name, choose_sources[i]);
	assert_null(choose_source("auto"));
	assert_null(choose_source("red"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),     cmocka_unit_test(unknown), cmocka_unit_test(supported),
		cmocka_unit_test(of_a_list), cmocka_unit_test(sources),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
