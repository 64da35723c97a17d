/* The machine's link: whose it is, to a version of ours, and back to exactly what was. */
#include "scratch.h"

#include "base/buf.h"
#include "base/io.h"
#include "core/syslink.h"
#include "core/syslink_record.h"

static struct layout l;
static char *here, *link_path, *first, *second;

static void must(bool ok, const struct err *err)
{
	if (!ok)
		fail_msg("%s", err->msg);
}

static int enter(void **state)
{
	struct err err;
	int failed = scratch_enter(state);
	/* scratch_enter's folder may be reached through a link. */
	here = getcwd(NULL, 0);
	link_path = xasprintf("%s/usr/cuda", here);
	first = xasprintf("%s/root/versions/12.4.1", here);
	second = xasprintf("%s/root/versions/13.0.2", here);
	autofree char *usr = xasprintf("%s/usr", here);
	l = (struct layout){0};
	snprintf(l.root, sizeof l.root, "%s/root", here);
	return failed || !tree_mkdirs(first, &err) || !tree_mkdirs(second, &err) ||
	       !tree_mkdirs(usr, &err);
}

static int leave(void **state)
{
	free(here);
	free(link_path);
	free(first);
	free(second);
	return scratch_leave(state);
}

static void look(struct syslink *s)
{
	struct err err = {0};
	syslink_clear(s);
	must(syslink_look(&l, here, link_path, s, &err), &err);
}

static bool set(const char *prefix, struct err *err)
{
	autosyslink struct syslink s = {0};
	bool changed;
	look(&s);
	return syslink_set(&l, &s, strrchr(prefix, '/') + 1, prefix, &changed, err);
}

static bool restore(struct err *err)
{
	autosyslink struct syslink s = {0};
	look(&s);
	return syslink_restore(&l, &s, err);
}

static void assert_link(const char *target)
{
	char text[PATH_MAX];
	ssize_t n = readlink(link_path, text, sizeof text - 1);
	if (!target) {
		assert_int_equal(n, -1);
		return;
	}
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, target);
}

static void assert_owner(enum syslink_owner owner, const char *version)
{
	autosyslink struct syslink s = {0};
	look(&s);
	assert_string_equal(syslink_owner_word(s.owner), syslink_owner_word(owner));
	assert_int_equal(s.ours, version != NULL);
	if (version)
		assert_string_equal(s.version, version);
}

/* To one, to another, back to what was: nothing, another's link, a link to nothing. */
static void there_and_back(void **state)
{
	static const struct {
		const char *before;
		enum syslink_owner owner;
	} cases[] = {
		{NULL, SYSLINK_ABSENT},
		{"../old cuda", SYSLINK_FOREIGN},
		{"/nowhere/cuda-9", SYSLINK_DANGLING},
	};
	struct err err = {0};
	assert_int_equal(mkdir("old cuda", 0777), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].before)
			assert_int_equal(symlink(cases[i].before, link_path), 0);
		assert_owner(cases[i].owner, NULL);
		must(set(first, &err), &err);
		assert_link(first);
		assert_owner(SYSLINK_OURS, "12.4.1");
		must(set(second, &err), &err);
		must(set(second, &err), &err);
		assert_owner(SYSLINK_OURS, "13.0.2");
		must(restore(&err), &err);
		assert_link(cases[i].before);
		assert_owner(cases[i].owner, NULL);
		/* Once: what is not kept is not brought back a second time. */
		assert_false(restore(&err));
		assert_int_equal(err.code, ERR_FAILED);
		assert_non_null(strstr(err.msg, "has not changed"));
		unlink(link_path);
	}
}

static void never_replaced(void **state)
{
	struct err err = {0};
	autofree char *inside = xasprintf("%s/lib64", link_path);
	assert_int_equal(mkdir(link_path, 0777), 0);
	assert_int_equal(mkdir(inside, 0777), 0);
	assert_owner(SYSLINK_FOLDER, NULL);
	assert_false(set(first, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "real folder"));
	assert_int_equal(rmdir(inside), 0);
	/* An empty one neither. */
	assert_false(set(first, &err));
	assert_int_equal(rmdir(link_path), 0);
	scratch_file(link_path, "x");
	assert_owner(SYSLINK_FILE, NULL);
	assert_false(set(first, &err));
	assert_int_equal(access("root/system-link", F_OK), -1);
}

static void of_a_package(void **state)
{
	struct err err = {0};
	autosyslink struct syslink s = {0};
	autofree char *list = xasprintf("/.\n/usr\n%s\n%s/x\n", link_path, link_path);
	must(tree_mkdirs("var/lib/dpkg/info", &err), &err);
	scratch_file("var/lib/dpkg/info/other.list", "/.\n/usr\n");
	scratch_file("var/lib/dpkg/info/cuda-compat:amd64.list", list);
	assert_int_equal(symlink(here, link_path), 0);
	look(&s);
	assert_int_equal(s.owner, SYSLINK_PACKAGE);
	assert_string_equal(s.package, "cuda-compat");
	assert_false(set(first, &err));
	assert_non_null(strstr(err.msg, "cuda-compat"));
	assert_link(here);
}

static void changed_by_others(void **state)
{
	struct err err = {0};
	must(set(first, &err), &err);
	assert_int_equal(unlink(link_path), 0);
	assert_int_equal(symlink(here, link_path), 0);
	assert_false(restore(&err));
	assert_non_null(strstr(err.msg, "changed by somebody else"));
	assert_link(here);
	/* Taken again, that is what comes back. */
	must(set(second, &err), &err);
	must(restore(&err), &err);
	assert_link(here);
	/* Removed by hand, where there was nothing before: done already. */
	assert_int_equal(unlink(link_path), 0);
	must(set(first, &err), &err);
	assert_int_equal(unlink(link_path), 0);
	must(restore(&err), &err);
	assert_link(NULL);
}

/* The way back is written first; a stop behind that leaves the old link, and nothing to mend. */
static void stopped_in_between(void **state)
{
	struct err err = {0};
	struct syslink_former f = {.kept = true, .set = first, .target = here};
	assert_int_equal(symlink(here, link_path), 0);
	must(syslink_record_write(&l, link_path, &f, &err), &err);
	must(set(second, &err), &err);
	must(restore(&err), &err);
	assert_link(here);
	must(syslink_record_write(&l, link_path, &f, &err), &err);
	must(restore(&err), &err);
	assert_link(here);
}

static void bad_record(void **state)
{
	static const char *const texts[] = {"", "[[[",
					    "{\"format\": 2, \"path\": \"x\", \"set\": \"y\"}",
					    "{\"format\": 1, \"set\": 4}"};
	autosyslink struct syslink s = {0};
	struct err err = {0};
	must(set(first, &err), &err);
	autobuf struct buf file = BUF_INIT(3 * PATH_MAX);
	buf_adds(&file, "root/system-link/");
	for (const char *p = link_path; *p; p++)
		if (*p == '/')
			buf_adds(&file, "%2F");
		else
			buf_addc(&file, *p);
	buf_adds(&file, ".json");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		scratch_file(buf_str(&file), texts[i]);
		assert_false(syslink_look(&l, here, link_path, &s, &err));
		assert_non_null(strstr(err.msg, "cannot understand"));
	}
}

static void bad_places(void **state)
{
	autofree char *within = xasprintf("%s/current", l.root);
	const char *const paths[] = {"",     "cuda", "/", "/usr/../cuda", "/usr/cu\nda",
				     within, l.root};
	autosyslink struct syslink s = {0};
	struct err err = {0};
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		assert_false(syslink_look(&l, here, paths[i], &s, &err));
		assert_int_equal(err.code, ERR_USAGE);
	}
	must(syslink_look(&l, here, "//usr///no such cuda//", &s, &err), &err);
	assert_string_equal(s.path, "/usr/no such cuda");
}

static int without_rights(void)
{
	struct err err = {0};
	if (set(first, &err) || err.code != ERR_FILESYSTEM || err.sys != EACCES)
		return 1;
	return access("root/system-link", F_OK) == 0 ? 2 : 0;
}

static void needs_rights(void **state)
{
	assert_int_equal(symlink(here, link_path), 0);
	assert_int_equal(chmod("usr", 0555), 0);
	assert_int_equal(chmod("root", 0777), 0);
	assert_int_equal(scratch_fork(without_rights, true), 0);
	assert_link(here);
	assert_int_equal(chmod("usr", 0755), 0);
}

static void private_folders(void **state)
{
	assert_null(syslink_barrier(link_path, first));
	assert_int_equal(chmod("root/versions", 0750), 0);
	autofree char *got = syslink_barrier(link_path, first);
	autofree char *versions = xasprintf("%s/root/versions", here);
	assert_string_equal(got, versions);
	assert_int_equal(chmod("root/versions", 0755), 0);
	assert_int_equal(chmod(first, 0700), 0);
	autofree char *itself = syslink_barrier(link_path, first);
	assert_string_equal(itself, first);
	assert_int_equal(chmod(first, 0755), 0);
	/* Who cannot see the link is not kept from what it leads to. */
	assert_int_equal(chmod(here, 0700), 0);
	assert_null(syslink_barrier(link_path, first));
}

/* A tree that is linked through the path itself must not make it a loop. */
static void linked_trees(void **state)
{
	struct err err = {0};
	autofree char *name = xasprintf("%s/root/versions/mine", here);
	autofree char *tree = xasprintf("%s/usr/cuda-12", here);
	assert_int_equal(mkdir(tree, 0777), 0);
	assert_int_equal(symlink(tree, link_path), 0);
	assert_int_equal(symlink(link_path, name), 0);
	autofree char *prefix = syslink_prefix(name, &err);
	assert_string_equal(prefix, tree);
	must(set(prefix, &err), &err);
	assert_link(tree);
	must(set(first, &err), &err);
	must(set(tree, &err), &err);
	autosyslink struct syslink s = {0};
	look(&s);
	assert_true(s.ours);
	autofree char *user = syslink_user(&l, tree);
	assert_string_equal(user, link_path);
	assert_null(syslink_user(&l, second));
}

/* Files of groups that are cut short or hold what they should not; and those of RPM systems. */
static void odd_groups(void **state)
{
	static const struct {
		const char *text; /* @: the link */
		size_t choices;
	} cases[] = {
		{"auto\n@", 0},
		{"manual\n@\n", 0},
		{"auto\n@\nslave", 0},
		{"auto\n@\nslave\n/s\n\n/opt/a", 1},
		{"auto\n@\n\n/opt/a\n10\n/opt/b\n20\n\n", 2},
		{"auto\n@\nslave\n/s\n\n/opt/a\n10\n/opt/a.1\n/opt/b\n20\n\n\n", 2},
	};
	struct err err = {0};
	must(tree_mkdirs("var/lib/alternatives", &err), &err);
	must(tree_mkdirs("etc/alternatives", &err), &err);
	scratch_file("var/lib/alternatives/other", "auto\n/usr/other\n\n");
	scratch_file("var/lib/alternatives/empty", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autosyslink struct syslink s = {0};
		const char *at = strchr(cases[i].text, '@');
		autofree char *text = xasprintf("%.*s%s%s", (int)(at - cases[i].text),
						cases[i].text, link_path, at + 1);
		scratch_file("var/lib/alternatives/cuda", text);
		look(&s);
		assert_int_equal(s.owner, SYSLINK_ALTERNATIVES);
		assert_int_equal(s.group.choices.n, cases[i].choices);
		assert_null(s.group.current);
	}
	/* A link that does not lead through the group is not the group's. */
	assert_int_equal(symlink(here, link_path), 0);
	assert_owner(SYSLINK_FOREIGN, NULL);
}

/* update-alternatives itself, with folders of its own here. */
static void alternatives(const char *const *words)
{
	autofree char *altdir = xasprintf("%s/etc/alternatives", here);
	autofree char *admin = xasprintf("%s/var/lib/dpkg/alternatives", here);
	const char *argv[24] = {"update-alternatives", "--quiet", "--altdir", altdir,
				"--admindir",	       admin,	  "--log",    "/dev/null"};
	size_t n = 8;
	int status;
	for (; *words; words++)
		argv[n++] = *words;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[0], (char *const *)(void *)argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
#define ALTERNATIVES(...) alternatives((const char *const[]){__VA_ARGS__, NULL})

static char *group_file(void)
{
	struct err err = {0};
	struct buf text = BUF_INIT(1 << 16);
	must(io_read_file("var/lib/dpkg/alternatives/cuda-test", &text, &err), &err);
	return buf_take(&text);
}

static void make_group(void)
{
	struct err err = {0};
	must(tree_mkdirs("etc/alternatives", &err), &err);
	must(tree_mkdirs("var/lib/dpkg/alternatives", &err), &err);
	must(tree_mkdirs("opt/cuda-11.8", &err), &err);
	must(tree_mkdirs("opt/cuda-12.0", &err), &err);
	scratch_file("opt/manual", "");
	autofree char *old = xasprintf("%s/opt/cuda-11.8", here);
	autofree char *new = xasprintf("%s/opt/cuda-12.0", here);
	autofree char *page = xasprintf("%s/opt/manual", here);
	autofree char *slave = xasprintf("%s/usr/cuda.manual", here);
	ALTERNATIVES("--install", link_path, "cuda-test", old, "118", "--slave", slave,
		     "cuda.manual", page);
	ALTERNATIVES("--install", link_path, "cuda-test", new, "120");
}

static void of_alternatives(void **state)
{
	struct err err = {0};
	autosyslink struct syslink s = {0};
	if (access("/usr/bin/update-alternatives", X_OK) < 0)
		skip();
	make_group();
	autofree char *through = xasprintf("%s/etc/alternatives/cuda-test", here);
	autofree char *old = xasprintf("%s/opt/cuda-11.8", here);
	autofree char *new = xasprintf("%s/opt/cuda-12.0", here);
	for (int manual = 0; manual < 2; manual++) {
		if (manual)
			ALTERNATIVES("--set", "cuda-test", old);
		autofree char *before = group_file();
		look(&s);
		assert_int_equal(s.owner, SYSLINK_ALTERNATIVES);
		assert_string_equal(s.group.name, "cuda-test");
		assert_int_equal(s.group.manual, manual);
		assert_int_equal(s.group.choices.n, 2);
		assert_string_equal(s.group.current, manual ? old : new);
		must(set(first, &err), &err);
		must(set(second, &err), &err);
		/* The link stays that of update-alternatives, and one choice is enough for us. */
		assert_link(through);
		look(&s);
		assert_true(s.ours && s.group.manual);
		assert_string_equal(s.version, "13.0.2");
		assert_string_equal(s.group.current, second);
		assert_int_equal(s.group.choices.n, 3);
		must(restore(&err), &err);
		autofree char *after = group_file();
		assert_string_equal(after, before);
		look(&s);
		assert_string_equal(s.group.current, manual ? old : new);
		assert_false(s.former.kept);
	}
}

/* The package that had the former choice is gone: the group decides, and ours goes all the same. */
static void choice_is_gone(void **state)
{
	struct err err = {0};
	autosyslink struct syslink s = {0};
	if (access("/usr/bin/update-alternatives", X_OK) < 0)
		skip();
	make_group();
	autofree char *old = xasprintf("%s/opt/cuda-11.8", here);
	autofree char *new = xasprintf("%s/opt/cuda-12.0", here);
	ALTERNATIVES("--set", "cuda-test", old);
	must(set(first, &err), &err);
	ALTERNATIVES("--remove", "cuda-test", old);
	must(restore(&err), &err);
	look(&s);
	assert_string_equal(s.group.current, new);
	/* The link was taken away by hand: the group still owns the place. */
	assert_int_equal(unlink(link_path), 0);
	look(&s);
	assert_int_equal(s.owner, SYSLINK_ALTERNATIVES);
	must(set(first, &err), &err);
	look(&s);
	assert_string_equal(s.leads, first);
	/* Somebody chose by update-alternatives since. */
	ALTERNATIVES("--set", "cuda-test", new);
	assert_false(restore(&err));
	assert_non_null(strstr(err.msg, "changed by somebody else"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
		T(there_and_back),  T(never_replaced),	   T(of_a_package), T(changed_by_others),
		T(bad_record),	    T(stopped_in_between), T(bad_places),   T(needs_rights),
		T(private_folders), T(linked_trees),	   T(odd_groups),   T(of_alternatives),
		T(choice_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
