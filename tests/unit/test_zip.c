#include "ext/zip.h"

#include "archives.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/intr.h"
#include "base/io.h"

/* What the error says; the longest word that fits the name is taken. */
static const struct {
	const char *name, *says;
} refused[] = {
	{"bad-name-absolute", "entry '/etc/passwd' has an absolute name"},
	{"bad-name-slash", "absolute"},
	{"bad-name-dotdot", "'.' or '..'"},
	{"bad-name-only-dotdot", "'.' or '..'"},
	{"bad-name-dot", "'.' or '..'"},
	{"bad-name-double", "empty part"},
	{"bad-name-backslash", "backslash"},
	{"bad-name-newline", "control"},
	{"bad-name-escape", "control"},
	{"bad-name-delete", "control"},
	{"bad-name-nul", "control"},
	{"bad-name-noname", "no name"},
	{"bad-name-latin1", "not UTF-8"},
	{"bad-name-overlong", "not UTF-8"},
	{"bad-name-surrogate", "not UTF-8"},
	{"bad-name-cut-utf8", "not UTF-8"},
	{"bad-name-longpart", "too long"},
	{"bad-name-longname", "too long"},
	{"bad-twice", "entry 'a/b' is there twice"},
	{"bad-file-folder", "entry 'a' is a file and a folder"},
	{"bad-file-and-folder", "file and a folder"},
	{"bad-kind-link", "entry 'x' is a symbolic link"},
	{"bad-kind-device", "device"},
	{"bad-kind-fifo", "device"},
	{"bad-kind-folder", "file and a folder"},
	{"bad-kind-file", "file and a folder"},
	{"bad-folder-content", "folder with content"},
	{"bad-encrypted", "encrypted"},
	{"bad-strong", "encrypted"},
	{"bad-patch", "patch"},
	{"bad-method", "unknown method"},
	{"bad-stored-sizes", "two sizes"},
	{"bad-4gib", "claims more"},
	{"bad-ratio", "claims more"},
	{"bad-disk", "another part"},
	{"bad-zip64-missing", "damaged zip64"},
	{"bad-zip64-short", "damaged zip64"},
	{"bad-zip64-huge", "4 GiB"},
	{"bad-extra", "damaged zip64"},
	{"bad-local", "local header"},
	{"bad-offset-outside", "outside"},
	{"bad-offset-wrong", "overlaps"},
	{"bad-packed-outside", "outside"},
	{"bad-overlap", "entry 'inner' overlaps 'outer'"},
	{"bad-total", "outside"},
	{"bad-end-nothing", "end record is missing"},
	{"bad-end-html", "end record is missing"},
	{"bad-end-cut", "end record is missing"},
	{"bad-end-head-cut", "not where the end record says"},
	{"bad-end-trailing", "end record is missing"},
	{"bad-end-comment", "end record is missing"},
	{"bad-end-gap", "more entries"},
	{"bad-end-many", "too large or too small"},
	{"bad-end-few", "more entries"},
	{"bad-end-count", "too large"},
	{"bad-end-offset", "not where"},
	{"bad-end-far", "not where"},
	{"bad-end-size", "not where"},
	{"bad-end-parts", "several parts"},
	{"bad-end-zip64-none", "zip64 record is missing"},
	{"bad-end-zip64-far", "zip64 record lies outside"},
	{"bad-end-zip64-wrong", "zip64 record is damaged"},
	{"bad-end-zip64-size", "zip64 record is damaged"},
	{"bad-end-zip64-differs", "contradicts"},
	{"bad-end-zip64-offset", "not where"},
	{"bad-end-central", "central directory is damaged"},
};

static const char *expected(const char *name)
{
	const char *says = NULL;
	size_t best = 0;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		size_t n = strlen(refused[i].name);
		if (n > best && strncmp(name, refused[i].name, n) == 0) {
			best = n;
			says = refused[i].says;
		}
	}
	return says;
}

static void refuses(void **state)
{
	autostrlist struct strlist names = {0};
	archives_named("bad-", &names);
	for (size_t i = 0; i < names.n; i++) {
		struct zip *z = NULL;
		struct err err = {0};
		autofree char *path = xasprintf("zips/%s", names.items[i]);
		const char *says = expected(names.items[i]);
		if (zip_open(&z, path, &err) || err.code != ERR_INTEGRITY || !says ||
		    !strstr(err.msg, says) || !strstr(err.msg, path))
			fail_msg("%s: code %d, '%s'", names.items[i], (int)err.code, err.msg);
		assert_null(z);
	}
}

static void opens_files_only(void **state)
{
	struct zip *z;
	struct err err;
	assert_false(zip_open(&z, "zips", &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_false(zip_open(&z, "zips/none", &err));
	assert_int_equal(err.sys, ENOENT);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_false(zip_open(&z, "fifo", &err));
	assert_non_null(strstr(err.msg, "not a regular file"));
	zip_close(NULL);
}

/* One unpacking at a time, with the error and the number of bytes that were told. */
struct run {
	struct zip *zip;
	struct pool *pool;
	int dirfd, calls;
	bool ok;
	uint64_t bytes;
	struct err err;
};

static char *map_same(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	return xstrdup(e->name);
}

static void on_done(void *ctx, bool ok, const struct err *err)
{
	struct run *r = ctx;
	r->calls++;
	r->ok = ok;
	if (!ok)
		r->err = *err;
}

static void on_bytes(void *ctx, uint64_t bytes)
{
	__atomic_add_fetch(&((struct run *)ctx)->bytes, bytes, __ATOMIC_RELAXED);
}

static void run_begin(struct run *r, const char *archive, const char *dest)
{
	*r = (struct run){.pool = pool_new(4)};
	autofree char *path = xasprintf("zips/%s", archive);
	if (!zip_open(&r->zip, path, &r->err))
		fail_msg("%s", r->err.msg);
	assert_true(mkdir(dest, 0755) == 0 || errno == EEXIST);
	r->dirfd = open(dest, O_RDONLY | O_DIRECTORY);
	assert_true(r->dirfd >= 0);
}

/* Starts, waits, cleans up. */
static bool run_end(struct run *r, const char *dest, zip_map_fn *map)
{
	struct zip_unpack u = {
		.dirfd = r->dirfd,
		.dest = dest,
		.map = map,
		.done = on_done,
		.progress = on_bytes,
		.ctx = r,
	};
	bool started = zip_unpack_start(r->zip, &u, r->pool, &r->err);
	pool_free(r->pool);
	assert_int_equal(r->calls, started);
	zip_close(r->zip);
	close(r->dirfd);
	return started && r->ok;
}

static bool unpack(struct run *r, const char *archive, const char *dest)
{
	run_begin(r, archive, dest);
	return run_end(r, dest, map_same);
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Each file must hold what zip_read gives: another way through the same checks. */
static void compare(const char *archive, const char *dest)
{
	struct zip *z;
	struct err err;
	const struct zip_entry *e;
	autofree char *path = xasprintf("zips/%s", archive);
	assert_true(zip_open(&z, path, &err));
	size_t n = zip_entries(z, &e);
	for (size_t i = 0; i < n; i++) {
		autobuf struct buf a = BUF_INIT(64 << 20), b = BUF_INIT(64 << 20);
		autofree char *file = xasprintf("%s/%s", dest, e[i].name);
		if (e[i].name[strlen(e[i].name) - 1] == '/')
			continue;
		assert_ptr_equal(zip_find(z, e[i].name), &e[i]);
		assert_true(zip_read(z, &e[i], &a, &err));
		assert_true(io_read_file(file, &b, &err));
		assert_int_equal(a.len, b.len);
		assert_int_equal(a.len, e[i].size);
		if (a.len)
			assert_memory_equal(a.data, b.data, a.len);
	}
	assert_null(zip_find(z, "none"));
	zip_close(z);
}

static void unpacks(void **state)
{
	autostrlist struct strlist names = {0};
	archives_named("good-", &names);
	for (size_t i = 0; i < names.n; i++) {
		struct run r;
		if (!unpack(&r, names.items[i], names.items[i]))
			fail_msg("%s: %s", names.items[i], r.err.msg);
		compare(names.items[i], names.items[i]);
	}
}

static void modes_whatever_the_umask(void **state)
{
	struct run r;
	mode_t old = umask(077);
	assert_true(unpack(&r, "good-plain", "modes"));
	umask(old);
	assert_int_equal(mode_of("modes/a"), 0755);
	assert_int_equal(mode_of("modes/a/b/c/d"), 0755);
	assert_int_equal(mode_of("modes/a/hello"), 0644);
	assert_int_equal(mode_of("modes/a/program"), 0744);
	assert_int_equal(mode_of("modes/a/odd"), 0600);
	assert_int_equal(mode_of("modes/plain"), 0644);
}

static void tells_every_byte(void **state)
{
	struct run r;
	uint64_t sum = 0;
	const struct zip_entry *e;
	run_begin(&r, "good-big", "told");
	size_t n = zip_entries(r.zip, &e);
	for (size_t i = 0; i < n; i++)
		sum += e[i].size;
	assert_true(run_end(&r, "told", map_same));
	assert_int_equal(r.bytes, sum);
}

static char *map_some(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	*mode = 0400;
	return strstr(e->name, "hello") ? xasprintf("other/%s", e->name) : NULL;
}

static char *map_none(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	return NULL;
}

static void maps(void **state)
{
	struct run r;
	run_begin(&r, "good-plain", "some");
	assert_true(run_end(&r, "some", map_some));
	assert_int_equal(mode_of("some/other/a/hello"), 0400);
	assert_int_not_equal(access("some/other/a/empty", F_OK), 0);
	run_begin(&r, "good-plain", "none");
	assert_true(run_end(&r, "none", map_none));
	assert_int_equal(rmdir("none"), 0);
}

static char *map_one(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	return xstrdup("one");
}

static char *map_out(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	return xasprintf("../%s", e->name);
}

static void judges_the_mapping(void **state)
{
	struct run r;
	run_begin(&r, "good-plain", "map");
	assert_false(run_end(&r, "map", map_one));
	assert_int_equal(r.err.code, ERR_INTEGRITY);
	assert_non_null(strstr(r.err.msg, "cannot go to 'one': it is there twice"));
	run_begin(&r, "good-plain", "map");
	assert_false(run_end(&r, "map", map_out));
	assert_non_null(strstr(r.err.msg, "'..'"));
	assert_int_equal(rmdir("map"), 0);
}

static const struct {
	const char *name, *says;
} damaged[] = {
	{"data-crc", "entry 'x' has a wrong CRC-32"},
	{"data-crc-stored", "wrong CRC-32"},
	{"data-longer", "longer than it says"},
	{"data-shorter", "shorter than it says"},
	{"data-broken", "entry 'x' "},
	{"data-cut", "ends early"},
	{"data-nothing", "claims more"},
	{"data-behind", "bytes behind"},
	{"data-one-behind", "bytes behind"},
	{"data-block-type", "damaged packed data"},
	{"data-lookback", "damaged packed data"},
};

static void notices_damage(void **state)
{
	autostrlist struct strlist names = {0};
	archives_named("data-", &names);
	assert_int_equal(names.n, ARRAY_LEN(damaged));
	for (size_t i = 0; i < ARRAY_LEN(damaged); i++) {
		struct run r = {0};
		struct zip *z;
		autofree char *path = xasprintf("zips/%s", damaged[i].name);
		if (zip_open(&z, path, &r.err)) {
			autobuf struct buf text = BUF_INIT(1 << 20);
			assert_false(zip_read(z, zip_find(z, "x"), &text, &r.err));
			assert_int_equal(text.len, 0);
			assert_non_null(strstr(r.err.msg, damaged[i].says));
			zip_close(z);
			assert_false(unpack(&r, damaged[i].name, damaged[i].name));
		}
		if (r.err.code != ERR_INTEGRITY || !strstr(r.err.msg, damaged[i].says))
			fail_msg("%s: code %d, '%s'", path, (int)r.err.code, r.err.msg);
	}
}

static void read_has_a_limit(void **state)
{
	struct zip *z;
	struct err err;
	autobuf struct buf text = BUF_INIT(5);
	assert_true(zip_open(&z, "zips/good-plain", &err));
	assert_false(zip_read(z, zip_find(z, "a/hello"), &text, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	text.max = 6;
	assert_true(zip_read(z, zip_find(z, "a/hello"), &text, &err));
	assert_string_equal(text.data, "hello\n");
	zip_close(z);
}

static void archive_that_shrinks(void **state)
{
	struct run r;
	autobuf struct buf whole = BUF_INIT(64 << 20);
	struct err err;
	assert_true(io_read_file("zips/good-big", &whole, &err));
	run_begin(&r, "good-big", "shrunk");
	assert_int_equal(truncate("zips/good-big", 100000), 0);
	assert_false(run_end(&r, "shrunk", map_same));
	assert_int_equal(r.err.code, ERR_INTEGRITY);
	assert_non_null(strstr(r.err.msg, "got shorter"));
	FILE *f = fopen("zips/good-big", "w");
	assert_int_equal(fwrite(whole.data, 1, whole.len, f), whole.len);
	assert_int_equal(fclose(f), 0);
}

static void never_through_a_link(void **state)
{
	struct run r;
	assert_int_equal(mkdir("outside", 0755), 0);
	assert_int_equal(mkdir("linked", 0755), 0);
	assert_int_equal(symlink("../outside", "linked/a"), 0);
	assert_false(unpack(&r, "good-plain", "linked"));
	assert_int_equal(r.err.code, ERR_FILESYSTEM);
	assert_non_null(strstr(r.err.msg, "cannot create folder 'linked/a'"));
	assert_int_equal(rmdir("outside"), 0);
	assert_int_equal(mkdir("linked2", 0755), 0);
	assert_int_equal(symlink("../target", "linked2/plain"), 0);
	assert_false(unpack(&r, "good-plain", "linked2"));
	assert_int_equal(r.err.sys, EEXIST);
	assert_int_not_equal(access("target", F_OK), 0);
}

static void disk_full(void **state)
{
	struct run r;
	if (mkdir("small", 0755) < 0 || mount("none", "small", "tmpfs", 0, "size=2m") < 0)
		skip();
	bool ok = unpack(&r, "good-big", "small/d");
	assert_int_equal(umount2("small", MNT_DETACH), 0);
	assert_false(ok);
	assert_int_equal(r.err.code, ERR_FILESYSTEM);
	assert_int_equal(r.err.sys, ENOSPC);
	assert_non_null(strstr(r.err.msg, "cannot write 'small/d/"));
}

static int interrupted(void)
{
	struct run r;
	intr_install();
	raise(SIGINT);
	return unpack(&r, "good-big", "stopped") ? 0 : (int)r.err.code;
}

static void stops_on_a_signal(void **state)
{
	assert_int_equal(scratch_fork(interrupted, false), ERR_INTERRUPTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(opens_files_only),
		cmocka_unit_test(unpacks),
		cmocka_unit_test(modes_whatever_the_umask),
		cmocka_unit_test(tells_every_byte),
		cmocka_unit_test(maps),
		cmocka_unit_test(judges_the_mapping),
		cmocka_unit_test(notices_damage),
		cmocka_unit_test(read_has_a_limit),
		cmocka_unit_test(archive_that_shrinks),
		cmocka_unit_test(never_through_a_link),
		cmocka_unit_test(disk_full),
		cmocka_unit_test(stops_on_a_signal),
	};
	return cmocka_run_group_tests(tests, archives_make, scratch_leave);
}
