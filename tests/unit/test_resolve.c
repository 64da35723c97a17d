#include "scratch.h"

#include "base/installed.h"
#include "base/resolve.h"

static struct layout l;
static struct selection sel;
static struct err err;
static char here[PATH_MAX];

/* root/, shared/ and work/ (the working folder) below a fresh folder. */
static int enter(void **state)
{
	if (scratch_enter(state) < 0 || !realpath(".", here))
		return -1;
	autofree char *root = xasprintf("%s/root", here), *shared = xasprintf("%s/shared", here);
	setenv("CUDAENV_ROOT", root, 1);
	setenv("CUDAENV_SHARED_ROOTS", shared, 1);
	unsetenv("CUDAENV_VERSION");
	if (mkdir("root", 0755) | mkdir("root/versions", 0755) | mkdir("root/aliases", 0755) |
	    mkdir("shared", 0755) | mkdir("shared/versions", 0755) | mkdir("shared/aliases", 0755) |
	    mkdir("work", 0755) | chdir("work"))
		return -1;
	return layout_init(&l, &err) ? 0 : -1;
}

static void install(const char *where)
{
	autofree char *path = xasprintf("../%s", where);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void installs(const char *root, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		autofree char *path = xasprintf("%s/versions/%s", root, names[i]);
		install(path);
	}
}

static void alias(const char *root, const char *name, const char *text)
{
	autofree char *path = xasprintf("../%s/aliases/%s", root, name);
	assert_int_equal(symlink(text, path), 0);
}

/* wanted: "root/versions/12.4.1" below the scratch folder, or "system". */
static void serves(const char *spec, const char *wanted)
{
	if (!resolve_select(&l, spec, &sel, &err))
		fail_msg("%s: %s", spec ? spec : "pin", err.msg);
	if (!strcmp(wanted, "system")) {
		assert_string_equal(sel.name, "system");
		assert_string_equal(sel.prefix, "");
		return;
	}
	autofree char *prefix = xasprintf("%s/%s", here, wanted);
	assert_string_equal(sel.prefix, prefix);
	assert_string_equal(sel.name, strrchr(wanted, '/') + 1);
}

static void refuses(const char *spec, enum err_code code, const char *text)
{
	if (resolve_select(&l, spec, &sel, &err))
		fail_msg("%s: %s serves", spec ? spec : "pin", sel.name);
	if (err.code != code || !strstr(err.msg, text))
		fail_msg("%s: %d %s", spec ? spec : "pin", err.code, err.msg);
}

static void newest_by_number(void **state)
{
	static const char *const names[] = {"12.4",    "12.4.9", "12.4.10", "12.40.1", "11.8.0",
					    "11.10.0", "9.2",	 "notes",   ".13.0",   "13.0-rc"};
	installs("root", names, ARRAY_LEN(names));
	scratch_file("../root/versions/12.4.99", "");
	serves("12.4", "root/versions/12.4.10");
	serves("cu124", "root/versions/12.4.10");
	serves("12.4.9", "root/versions/12.4.9");
	serves("12", "root/versions/12.40.1");
	serves("11", "root/versions/11.10.0");
	serves("11.x", "root/versions/11.10.0");
	serves("latest", "root/versions/12.40.1");
	serves("latest:11", "root/versions/11.10.0");
	serves(">=11,<12.5", "root/versions/12.4.10");
	serves(">=9,<11.10", "root/versions/11.8.0");
	serves("9.2", "root/versions/9.2");
	refuses("11.1", ERR_NOT_INSTALLED, "version '11.1' is not installed");
	refuses("12.4.1", ERR_NOT_INSTALLED, "version '12.4.1' is not installed");
	refuses("12.4.99", ERR_NOT_INSTALLED, "version '12.4.99' is not installed");
	refuses("latest:13", ERR_NOT_INSTALLED, "latest:13");
}

static void equal_numbers(void **state)
{
	static const char *const names[] = {"12.4", "12.4.0"};
	installs("root", names, 1);
	serves("12", "root/versions/12.4");
	installs("root", names + 1, 1);
	serves("12", "root/versions/12.4.0");
	serves("12.4.0", "root/versions/12.4.0");
}

static void several_roots(void **state)
{
	static const char *const own[] = {"12.4.0", "11.8.0"}, *const site[] = {"12.4.1", "11.8.0",
										"site"};
	installs("root", own, ARRAY_LEN(own));
	installs("shared", site, ARRAY_LEN(site));
	serves("12.4", "shared/versions/12.4.1");
	serves("12.4.0", "root/versions/12.4.0");
	serves("12.4.1", "shared/versions/12.4.1");
	serves("11", "root/versions/11.8.0");
	serves("site", "shared/versions/site");
	assert_int_equal(rename("../root", "../gone"), 0);
	serves("11", "shared/versions/11.8.0");
}

static void names_and_links(void **state)
{
	install("tree");
	install("root/versions/12.4.1");
	assert_int_equal(symlink("../../tree", "../root/versions/conda"), 0);
	assert_int_equal(symlink("../../tree", "../root/versions/12.4.2"), 0);
	serves("conda", "root/versions/conda");
	serves("12.4", "root/versions/12.4.2");
	assert_int_equal(rmdir("../tree"), 0);
	refuses("conda", ERR_NOT_INSTALLED, "/root/versions/conda' is not a folder, nor a link");
	assert_string_equal(err.hint, "cudaenv unlink conda");
	refuses("12.4.2", ERR_NOT_INSTALLED, "/root/versions/12.4.2' is not a folder, nor a link");
	/* Another CUDA is never taken in its place. */
	refuses("12.4", ERR_NOT_INSTALLED, "/root/versions/12.4.2' is not a folder, nor a link");
	refuses("nothing", ERR_NOT_INSTALLED, "'nothing' is neither installed nor an alias");
}

static void aliases(void **state)
{
	install("root/versions/12.4.1");
	install("root/versions/both");
	alias("root", "stable", "12.4");
	alias("root", "prod", "stable");
	alias("root", "none", "system");
	alias("root", "both", "12.4");
	alias("root", "old", "11.8");
	alias("shared", "site", "prod");
	alias("shared", "stable", "99");
	serves("stable", "root/versions/12.4.1");
	assert_string_equal(sel.spec, "stable");
	serves("prod", "root/versions/12.4.1");
	serves("site", "root/versions/12.4.1");
	serves("none", "system");
	serves("both", "root/versions/both");
	refuses("old", ERR_NOT_INSTALLED, "version '11.8' is not installed");
}

static void bad_aliases(void **state)
{
	char text[200];
	alias("root", "a", "b");
	alias("root", "b", "a");
	alias("root", "self", "self");
	alias("root", "evil", "../../../tmp/evil");
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	alias("root", "long", text);
	refuses("a", ERR_USAGE, "leads back to itself");
	refuses("self", ERR_USAGE, "alias 'self' leads back to itself");
	refuses("evil", ERR_USAGE, "'../../../tmp/evil' in alias 'evil' is not a version");
	refuses("long", ERR_USAGE, "alias 'long' is too long");
	scratch_file("../root/aliases/file", "12.4\n");
	refuses("file", ERR_NOT_INSTALLED, "'file' is neither installed nor an alias");
}

static void order_of_origins(void **state)
{
	static const char *const names[] = {"12.1.0", "12.2.0", "12.3.0", "12.4.0"};
	char words[PATH_MAX];
	installs("root", names, ARRAY_LEN(names));
	if (access("/etc/cudaenv/version", F_OK) != 0) {
		serves(NULL, "system");
		assert_int_equal(sel.origin, ORIGIN_DEFAULT);
		assert_string_equal(sel.origin_path, "");
		assert_string_equal(origin_words(&sel, words, sizeof words),
				    "nothing selects a version");
	}
	scratch_file("../root/version", "12.1\n");
	serves(NULL, "root/versions/12.1.0");
	assert_int_equal(sel.origin, ORIGIN_GLOBAL);
	assert_string_equal(sel.spec, "12.1");
	autofree char *global = xasprintf("set by '%s/root/version'", here);
	assert_string_equal(origin_words(&sel, words, sizeof words), global);

	scratch_file(".cuda-version", "12.2\n");
	serves(NULL, "root/versions/12.2.0");
	assert_int_equal(sel.origin, ORIGIN_FILE);
	autofree char *file = xasprintf("%s/work/.cuda-version", here);
	assert_string_equal(sel.origin_path, file);

	setenv("CUDAENV_VERSION", "12.3", 1);
	serves(NULL, "root/versions/12.3.0");
	assert_int_equal(sel.origin, ORIGIN_ENV);
	assert_string_equal(sel.origin_path, "");
	assert_string_equal(origin_words(&sel, words, sizeof words), "set by CUDAENV_VERSION");

	serves("12.4", "root/versions/12.4.0");
	assert_int_equal(sel.origin, ORIGIN_ARGUMENT);

	setenv("CUDAENV_VERSION", " ", 1);
	serves(NULL, "root/versions/12.2.0");
	setenv("CUDAENV_VERSION", "", 1);
	serves(NULL, "root/versions/12.2.0");
	setenv("CUDAENV_VERSION", "system", 1);
	serves(NULL, "system");
}

static void fallbacks(void **state)
{
	install("root/versions/12.4.1");
	scratch_file(".cuda-version", "13.0 12.9 12.4 system\n");
	serves(NULL, "root/versions/12.4.1");
	assert_string_equal(sel.spec, "12.4");
	scratch_file(".cuda-version", "13.0 system\n");
	serves(NULL, "system");
	setenv("CUDAENV_VERSION", "13 12", 1);
	serves(NULL, "root/versions/12.4.1");
	setenv("CUDAENV_VERSION", "13 ../x 12", 1);
	refuses(NULL, ERR_USAGE, "'../x' in CUDAENV_VERSION is not a version");
	unsetenv("CUDAENV_VERSION");
	scratch_file(".cuda-version", "13.0 12.9\n");
	autofree char *msg = xasprintf("version '13.0' is not installed (installed: 12.4.1), set "
				       "by '%s/work/.cuda-version'",
				       here);
	refuses(NULL, ERR_NOT_INSTALLED, msg);
	assert_string_equal(err.hint, "cudaenv install 13.0");
	assert_string_equal(sel.spec, "13.0");
	assert_int_equal(sel.origin, ORIGIN_FILE);
}

static void hints(void **state)
{
	refuses("12.4", ERR_NOT_INSTALLED, "version '12.4' is not installed (installed: none)");
	assert_string_equal(err.hint, "cudaenv install 12.4");
	refuses(">=12.2,<13", ERR_NOT_INSTALLED, ">=12.2,<13");
	assert_string_equal(err.hint, "cudaenv install '>=12.2,<13'");
	refuses("supported", ERR_USAGE, "'supported'");
	assert_non_null(strstr(err.hint, "cudaenv local supported"));
}

static void bad_files_are_not_passed_over(void **state)
{
	static const char *const evil[] = {"../../../../tmp/evil\n",
					   "..\n",
					   "/tmp/evil\n",
					   "12.4.1/../../x\n",
					   "12.4.1#x\n",
					   "-x\n",
					   "*\n"};
	install("root/versions/12.4.1");
	scratch_file("../root/version", "12.4.1\n");
	autofree char *where = xasprintf("'%s/work/.cuda-version'", here);
	for (size_t i = 0; i < ARRAY_LEN(evil); i++) {
		scratch_file(".cuda-version", evil[i]);
		refuses(NULL, ERR_USAGE, where);
	}
	scratch_file(".cuda-version", "# only a comment\n");
	refuses(NULL, ERR_USAGE, "names no version");
	assert_int_equal(unlink(".cuda-version") | mkdir(".cuda-version", 0755), 0);
	refuses(NULL, ERR_USAGE, "is a folder");
	assert_int_equal(rmdir(".cuda-version") | symlink("gone", ".cuda-version"), 0);
	refuses(NULL, ERR_FILESYSTEM, where);
	assert_int_equal(unlink(".cuda-version") | unlink("../root/version") |
				 mkdir("../root/version", 0755),
			 0);
	refuses(NULL, ERR_USAGE, "/root/version' is a folder");
}

static void deleted_folder(void **state)
{
	install("root/versions/12.4.1");
	scratch_file("../root/version", "12.4\n");
	assert_int_equal(mkdir("d", 0755) | chdir("d") | rmdir("../d"), 0);
	serves(NULL, "root/versions/12.4.1");
	assert_int_equal(sel.origin, ORIGIN_GLOBAL);
}

static void list_of_installed(void **state)
{
	static const char *const own[] = {"zeta", "9.2", "12.4.1", "alpha", "12.10.0"};
	static const char *const site[] = {"12.4.1", "13.0.2"};
	struct installed v;
	char out[64], small[24];
	installed_list(&l, NULL, &v);
	assert_string_equal(installed_words(&v, out, sizeof out), "none");
	installs("root", own, ARRAY_LEN(own));
	installs("shared", site, ARRAY_LEN(site));
	scratch_file("../root/versions/14.0", "");
	install("root/versions/.hidden");
	installed_list(&l, NULL, &v);
	assert_string_equal(installed_words(&v, out, sizeof out),
			    "13.0.2, 12.10.0, 12.4.1, 9.2, alpha, zeta");
	assert_string_equal(installed_words(&v, small, sizeof small), "13.0.2, 12.10.0, ...");
	install("root/versions/9.2/bin");
	install("shared/versions/13.0.2/bin");
	scratch_file("../root/versions/9.2/bin/nvcc", "");
	scratch_file("../shared/versions/13.0.2/bin/nvcc", "");
	assert_int_equal(chmod("../root/versions/9.2/bin/nvcc", 0755), 0);
	installed_list(&l, "nvcc", &v);
	assert_string_equal(installed_words(&v, out, sizeof out), "9.2");
	for (int i = 0; i < 2 * INSTALLED_MAX; i++) {
		autofree char *path = xasprintf("root/versions/1.%d", i);
		install(path);
	}
	installed_list(&l, NULL, &v);
	assert_int_equal(v.n, INSTALLED_MAX);
	assert_true(v.more);
	assert_string_equal(v.name[0], "13.0.2");
	assert_string_equal(v.name[4], "1.127");
}

#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(newest_by_number),
		IN_ROOT(equal_numbers),
		IN_ROOT(several_roots),
		IN_ROOT(names_and_links),
		IN_ROOT(aliases),
		IN_ROOT(bad_aliases),
		IN_ROOT(order_of_origins),
		IN_ROOT(fallbacks),
		IN_ROOT(hints),
		IN_ROOT(bad_files_are_not_passed_over),
		IN_ROOT(deleted_folder),
		IN_ROOT(list_of_installed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
