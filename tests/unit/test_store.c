#include "core/store.h"

#include "archives.h"

#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>

#include "base/intr.h"
#include "base/io.h"
#include "core/record.h"
#include "ext/digest.h"

/* One root and what was told about it. */
struct bench {
	struct layout l;
	struct pool *pool;
	struct events ev;
	int done, good, told;
	uint64_t last, total;
	struct err err;
};

static void on_event(void *ctx, const struct event *ev)
{
	struct bench *b = ctx;
	if (ev->kind != EVENT_UNPACK)
		return;
	assert_true(ev->done <= ev->total && ev->done >= b->last);
	b->told++;
	b->last = ev->done;
	b->total = ev->total;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_done(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	struct bench *b = ctx;
	pthread_mutex_lock(&mutex);
	b->done++;
	b->good += ok;
	if (!ok)
		b->err = *err;
	pthread_mutex_unlock(&mutex);
}

static void bench_init(struct bench *b, const char *root)
{
	struct err err;
	char *cwd = getcwd(NULL, 0);
	*b = (struct bench){.pool = pool_new(4)};
	b->ev = (struct events){on_event, b};
	snprintf(b->l.root, sizeof b->l.root, "%s/%s", cwd, root);
	free(cwd);
	assert_true(tree_mkdirs(b->l.root, &err));
}

/* A component of an archive in "zips", as a source describes it. */
static struct component describe(const char *archive)
{
	struct err err;
	struct component c = {
		.name = (char *)(uintptr_t) "cuda_nvcc",
		.version = (char *)(uintptr_t) "13.0.88",
		.file = (char *)(uintptr_t)archive,
	};
	autofree char *path = xasprintf("zips/%s", archive);
	assert_true(digest_file(DIGEST_SHA256, path, c.sha256, &err));
	return c;
}

static struct store_target target(struct bench *b)
{
	return (struct store_target){&b->l, "x86_64", b->pool, &b->ev, on_done, b};
}

static bool add(struct bench *b, const struct component *c)
{
	struct err err;
	autofree char *path = xasprintf("zips/%s", c->file);
	struct store_target to = target(b);
	b->last = 0;
	assert_true(store_add(&to, c, path, &err));
	pool_wait(b->pool);
	return b->good == b->done;
}

static size_t entries_of(const struct bench *b, const char *sub)
{
	size_t n = 0;
	autofree char *path = xasprintf("%s/%s", b->l.root, sub);
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	return n;
}

static mode_t mode_of(const char *dir, const char *name)
{
	struct stat st;
	autofree char *path = xasprintf("%s/%s", dir, name);
	if (lstat(path, &st) < 0)
		fail_msg("%s is missing", path);
	return st.st_mode & 07777;
}

static void check_tree(const char *tree)
{
	static const struct {
		const char *path;
		mode_t mode;
	} want[] = {
		{"", 0755},
		{"bin", 0755},
		{"bin/nvcc", 0555},
		{"bin/nvcc.profile", 0444},
		{"nvvm/bin/cicc", 0555},
		{"nvvm/lib64/libnvvm.so.4", 0444},
		{"nvvm/include/nvvm.h", 0444},
		{"targets/x86_64-linux/include/cuda.h", 0444},
		{"targets/x86_64-linux/include/crt", 0755},
		{"targets/x86_64-linux/lib/libnvrtc.so.13", 0444},
		{"licenses/cuda_nvcc/License.txt", 0444},
	};
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(mode_of(tree, want[i].path), want[i].mode);
}

/* component.json lists exactly what is there. */
static void check_component(const struct bench *b, const char *sha256, const char *tree)
{
	size_t i;
	json_t *file;
	json_error_t e;
	struct tree_use use;
	struct err err;
	uint64_t files = 0;
	autofree char *path = xasprintf("%s/store/%s/component.json", b->l.root, sha256);
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "name")), "cuda_nvcc");
	assert_string_equal(json_string_value(json_object_get(root, "version")), "13.0.88");
	assert_string_equal(json_string_value(json_object_get(root, "sha256")), sha256);
	json_array_foreach(json_object_get(root, "files"), i, file)
	{
		char hex[65];
		struct stat st;
		autofree char *p =
			xasprintf("%s/%s", tree, json_string_value(json_object_get(file, "path")));
		assert_int_equal(lstat(p, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_size, json_integer_value(json_object_get(file, "size")));
		assert_true(digest_file(DIGEST_SHA256, p, hex, &err));
		assert_string_equal(hex, json_string_value(json_object_get(file, "sha256")));
		assert_int_equal(json_is_true(json_object_get(file, "exec")),
				 (st.st_mode & 0111) != 0);
		files++;
	}
	json_decref(root);
	assert_true(tree_usage(tree, &use, &err));
	assert_int_equal(use.files, files);
}

static void adds(void **state)
{
	struct bench b;
	struct component c = describe("wheel-good");
	bench_init(&b, "adds");
	assert_false(store_has(&b.l, c.sha256));
	mode_t old = umask(077);
	bool ok = add(&b, &c);
	umask(old);
	if (!ok)
		fail_msg("%s", b.err.msg);
	assert_true(store_has(&b.l, c.sha256));
	autofree char *tree = store_tree(&b.l, c.sha256);
	check_tree(tree);
	check_component(&b, c.sha256, tree);
	assert_int_equal(entries_of(&b, "staging"), 0);
	assert_true(b.last == b.total && b.total > 0);
	/* Again: it is there, and is left alone. */
	b.told = 0;
	assert_true(add(&b, &c));
	assert_int_equal(b.told, 0);
	pool_free(b.pool);
}

static void refuses(void **state)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{"bad-name-dotdot", "'.' or '..'"}, {"bad-kind-link", "symbolic link"},
		{"bad-end-cut", "end record"},	    {"data-crc", "no RECORD"},
		{"wheel-missing", "not there"},	    {"wheel-none", "no RECORD"},
		{"wheel-clash", "is there twice"},  {"good-plain", "no RECORD"},
	};
	struct bench b;
	bench_init(&b, "refuses");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct component c = describe(cases[i].name);
		assert_false(add(&b, &c));
		if (b.err.code != ERR_INTEGRITY || !strstr(b.err.msg, cases[i].says) ||
		    !strstr(b.err.msg, cases[i].name))
			fail_msg("%s: code %d, '%s'", cases[i].name, (int)b.err.code, b.err.msg);
		assert_false(store_has(&b.l, c.sha256));
		assert_int_equal(entries_of(&b, "store"), 0);
		assert_int_equal(entries_of(&b, "staging"), 0);
	}
	pool_free(b.pool);
}

static void damage_behind_sound_lists(void **state)
{
	struct bench b;
	struct component c = describe("wheel-good");
	autobuf struct buf whole = BUF_INIT(64 << 20);
	struct err err;
	bench_init(&b, "damage");
	assert_true(io_read_file("zips/wheel-good", &whole, &err));
	/* In the packed data of the large library. */
	whole.data[whole.len / 2] ^= 1;
	FILE *f = fopen("zips/flipped", "w");
	assert_int_equal(fwrite(whole.data, 1, whole.len, f), whole.len);
	assert_int_equal(fclose(f), 0);
	c.file = (char *)(uintptr_t) "flipped";
	assert_false(add(&b, &c));
	assert_int_equal(b.err.code, ERR_INTEGRITY);
	assert_non_null(strstr(b.err.msg, "libnvrtc.so.13"));
	assert_int_equal(entries_of(&b, "store") + entries_of(&b, "staging"), 0);
	pool_free(b.pool);
}

static void needs_a_digest(void **state)
{
	static const char *const wrong[] = {"", "abc",
					    "../../../../../../../../../../../../../../etc"};
	struct bench b;
	struct err err;
	bench_init(&b, "digest");
	struct store_target to = target(&b);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct component c = describe("wheel-good");
		snprintf(c.sha256, sizeof c.sha256, "%s", wrong[i]);
		assert_false(store_has(&b.l, c.sha256));
		assert_false(store_add(&to, &c, "zips/wheel-good", &err));
		assert_int_equal(err.code, ERR_INTEGRITY);
	}
	struct component upper = describe("wheel-good");
	memset(upper.sha256, 'A', 64);
	assert_false(store_has(&b.l, upper.sha256));
	pool_free(b.pool);
	assert_int_equal(b.done, 0);
}

static void twice_at_once(void **state)
{
	struct bench b;
	struct err err;
	struct component c = describe("wheel-good");
	bench_init(&b, "twice");
	struct store_target to = target(&b);
	to.events = NULL;
	for (int i = 0; i < 4; i++)
		assert_true(store_add(&to, &c, "zips/wheel-good", &err));
	pool_free(b.pool);
	assert_int_equal(b.done, 4);
	assert_int_equal(b.good, 4);
	autofree char *tree = store_tree(&b.l, c.sha256);
	check_component(&b, c.sha256, tree);
	assert_int_equal(entries_of(&b, "store"), 1);
	assert_int_equal(entries_of(&b, "staging"), 0);
}

static int add_in_child(void)
{
	struct bench b;
	struct component c = describe("wheel-good");
	bench_init(&b, "processes");
	return add(&b, &c) ? 0 : 1;
}

static void two_processes(void **state)
{
	struct bench b;
	struct component c = describe("wheel-good");
	pid_t pids[4];
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		if ((pids[i] = fork()) == 0)
			_exit(add_in_child());
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	bench_init(&b, "processes");
	autofree char *tree = store_tree(&b.l, c.sha256);
	check_component(&b, c.sha256, tree);
	assert_int_equal(entries_of(&b, "store"), 1);
	assert_int_equal(entries_of(&b, "staging"), 0);
	pool_free(b.pool);
}

/* What a crash of another program, or a hand, left there is no entry. */
static void takes_the_place_of_junk(void **state)
{
	struct bench b;
	struct err err;
	struct component c = describe("wheel-good");
	bench_init(&b, "junk");
	autofree char *tree = store_tree(&b.l, c.sha256);
	assert_true(tree_mkdirs(tree, &err));
	assert_false(store_has(&b.l, c.sha256));
	assert_true(add(&b, &c));
	check_component(&b, c.sha256, tree);
	assert_int_equal(entries_of(&b, "staging"), 0);
	pool_free(b.pool);
}

static void disk_full(void **state)
{
	struct bench b;
	struct component c = describe("wheel-good");
	if (mkdir("full", 0755) < 0 || mount("none", "full", "tmpfs", 0, "size=1m") < 0)
		skip();
	bench_init(&b, "full/root");
	bool ok = add(&b, &c);
	size_t left = entries_of(&b, "store") + entries_of(&b, "staging");
	pool_free(b.pool);
	assert_int_equal(umount2("full", MNT_DETACH), 0);
	assert_false(ok);
	assert_int_equal(b.err.code, ERR_FILESYSTEM);
	assert_int_equal(b.err.sys, ENOSPC);
	if (!strstr(b.err.hint, "'cuda_nvcc' needs 5."))
		fail_msg("%s", b.err.hint);
	assert_non_null(strstr(b.err.hint, "/full/root"));
	assert_int_equal(left, 0);
}

static int interrupted(void)
{
	struct bench b;
	struct component c = describe("wheel-good");
	bench_init(&b, "interrupted");
	intr_install();
	raise(SIGTERM);
	if (add(&b, &c) || entries_of(&b, "store") || entries_of(&b, "staging"))
		return 0;
	return (int)b.err.code;
}

static void stops_on_a_signal(void **state)
{
	assert_int_equal(scratch_fork(interrupted, false), ERR_INTERRUPTED);
}

static int add_to_closed_root(void)
{
	struct bench b;
	struct component c = describe("wheel-good");
	bench_init(&b, "closed");
	if (chmod(b.l.root, 0555) < 0 || add(&b, &c) || chmod(b.l.root, 0755) < 0)
		return 0;
	return b.err.sys == EACCES && strstr(b.err.msg, "/closed/staging") ? (int)b.err.code : 0;
}

static void not_allowed(void **state)
{
	assert_int_equal(scratch_fork(add_to_closed_root, true), ERR_FILESYSTEM);
}

static void write_version(const struct bench *b, const char *label, const struct component *c)
{
	struct err err;
	struct component copy = *c;
	struct record r = {.profile = "minimal", .installed = "2025-01-01T00:00:00Z"};
	autofree char *prefix = xasprintf("%s/versions/%s", b->l.root, label);
	snprintf(r.release.label, sizeof r.release.label, "%s", label);
	snprintf(r.release.arch, sizeof r.release.arch, "x86_64");
	r.release.source = "wheels";
	r.release.components = &copy;
	r.release.n = 1;
	assert_true(tree_mkdirs(prefix, &err));
	if (!record_write(prefix, &r, &err))
		fail_msg("%s", err.msg);
}

static void collects(void **state)
{
	struct bench b;
	struct err err;
	uint64_t freed = 1;
	struct component used = describe("wheel-good"), unused = describe("wheel-crlf");
	bench_init(&b, "collect");
	assert_true(store_collect(&b.l, &freed, &err));
	assert_int_equal(freed, 0);
	assert_true(add(&b, &used) && add(&b, &unused));
	write_version(&b, "13.0.2", &used);
	autofree char *other = xasprintf("%s/store/notes", b.l.root);
	autofree char *linked = xasprintf("%s/versions/linked", b.l.root);
	autofree char *file = xasprintf("%s/versions/file", b.l.root);
	scratch_file(other, "left alone");
	scratch_file(file, "no version");
	assert_int_equal(symlink("/nonexistent", linked), 0);
	if (!store_collect(&b.l, &freed, &err))
		fail_msg("%s", err.msg);
	assert_true(freed > 100000);
	assert_true(store_has(&b.l, used.sha256));
	assert_false(store_has(&b.l, unused.sha256));
	assert_int_equal(access(other, F_OK), 0);
	assert_int_equal(entries_of(&b, "staging"), 0);
	assert_true(store_collect(&b.l, &freed, &err));
	assert_int_equal(freed, 0);
	pool_free(b.pool);
}

/* Bytes that another link keeps on the disk do not come back. */
static void counts_what_comes_back(void **state)
{
	struct bench b;
	struct err err;
	uint64_t freed;
	struct component c = describe("wheel-good");
	bench_init(&b, "counts");
	assert_true(add(&b, &c));
	autofree char *tree = store_tree(&b.l, c.sha256);
	autofree char *from = xasprintf("%s/targets/x86_64-linux/lib/libnvrtc.so.13", tree);
	autofree char *to = xasprintf("%s/kept", b.l.root);
	assert_int_equal(link(from, to), 0);
	assert_true(store_collect(&b.l, &freed, &err));
	assert_true(freed > 0 && freed < 1000000);
	assert_int_equal(access(to, R_OK), 0);
	pool_free(b.pool);
}

static void keeps_all_when_a_record_is_broken(void **state)
{
	struct bench b;
	struct err err;
	uint64_t freed = 7;
	struct component c = describe("wheel-good");
	bench_init(&b, "broken");
	assert_true(add(&b, &c));
	write_version(&b, "13.0.2", &c);
	autofree char *record = xasprintf("%s/versions/13.0.2/.cudaenv/record.json", b.l.root);
	assert_int_equal(truncate(record, 20), 0);
	assert_false(store_collect(&b.l, &freed, &err));
	assert_non_null(strstr(err.msg, "record.json"));
	assert_int_equal(freed, 7);
	assert_true(store_has(&b.l, c.sha256));
	pool_free(b.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds),
		cmocka_unit_test(refuses),
		cmocka_unit_test(damage_behind_sound_lists),
		cmocka_unit_test(needs_a_digest),
		cmocka_unit_test(twice_at_once),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(takes_the_place_of_junk),
		cmocka_unit_test(disk_full),
		cmocka_unit_test(stops_on_a_signal),
		cmocka_unit_test(not_allowed),
		cmocka_unit_test(collects),
		cmocka_unit_test(counts_what_comes_back),
		cmocka_unit_test(keeps_all_when_a_record_is_broken),
	};
	return cmocka_run_group_tests(tests, archives_make, scratch_leave);
}
