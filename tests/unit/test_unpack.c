#include "ext/unpack.h"

#include "tars.h"

#include <signal.h>
#include <sys/mount.h>

#include "base/intr.h"
#include "base/io.h"
#include "base/path.h"

/* What the error says; the longest word that fits the name is taken. */
static const struct {
	const char *name, *says;
} refused[] = {
	{"bad-name", "forbidden name"},
	{"bad-name-latin1", "not UTF-8"},
	{"bad-name-overlong", "not UTF-8"},
	{"bad-name-surrogate", "not UTF-8"},
	{"bad-name-5000", "too long"},
	{"bad-name-part-300", "too long"},
	{"bad-twice", "entry 'bin/first' is there twice"},
	{"bad-twice-other", "forbidden name"},
	{"bad-file-as-folder", "entry 'bin/first' is a file and a folder"},
	{"bad-folder-as-file", "entry 'bin' is there twice"},
	{"bad-folder-on-file", "entry 'a' is a file and a folder"},
	{"bad-below-link", "entry 'a' is there twice"},
	{"bad-link-below-link", "entry 'a' is there twice"},
	{"bad-link-on-file", "entry 'a' is there twice"},
	{"bad-file-on-link", "entry 'a' is there twice"},
	{"bad-link-twice", "entry 'a' is there twice"},
	{"bad-link-absolute", "leads out of the archive: '/tmp'"},
	{"bad-link-out", "leads out of the archive: '../../"},
	{"bad-link-empty", "leads out"},
	{"bad-link-control", "leads out"},
	{"bad-link-long", "too long"},
	{"bad-hard-out", "hard link out of"},
	{"bad-hard-absolute", "hard link out of"},
	{"bad-hard-missing", "hard link to what is no file"},
	{"bad-hard-before", "hard link to what is no file"},
	{"bad-hard-folder", "hard link to what is no file"},
	{"bad-hard-twice", "there twice"},
	{"bad-device", "is a device, a fifo or a socket"},
	{"bad-size-petabyte", "impossible size"},
	{"bad-size-exabytes", "damaged"},
	{"bad-size-negative", "damaged"},
	{"bad-size-8gib-pax", "impossible size"},
	{"bad-size-4gib", "impossible size"},
	{"bad-size-too-long", "entry 'x-archive/b' claims an impossible size"},
	{"bad-size-more", "cut short"},
	{"bad-sparse", "impossible size"},
	{"bad-kind", "no archive"},
	{"bad-kind-empty", "ends too early"},
	{"bad-kind-3", "ends too early"},
	{"bad-xz-only-magic", "ends too early"},
	{"bad-xz-nothing", "no archive"},
	{"bad-xz-head", "xz"},
	{"bad-xz-block-head", "xz"},
	{"bad-xz-data", "damaged"},
	{"bad-xz-index", "damaged"},
	{"bad-xz-foot", "damaged"},
	{"bad-xz-garbage", "ends too early"},
	{"bad-xz-half", "ends too early"},
	{"bad-xz-dictionary", "more than 320 MiB"},
	{"bad-gz-cut", "x"},
};

/* What is unpacked, and how its bytes come. */
struct job {
	int fd, dirfd;
	long long at, end; /* end < 0: the file's */
	size_t chunk;
	int read_error; /* at the end */
	bool cancelled, verified;
	size_t files, executables;
	uint64_t bytes, max;
	unpack_map_fn *map;
	struct err err;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct job *j = ctx;
	if (j->chunk && n > j->chunk)
		n = j->chunk;
	if (j->end >= 0 && (long long)n > j->end - j->at)
		n = (size_t)(j->end - j->at);
	ptrdiff_t got = io_pread_all(j->fd, buf, n, j->at);
	if (got == 0 && j->read_error) {
		err_set(err, ERR_NETWORK, "the line is dead");
		return -1;
	}
	j->at += got;
	return got;
}

static void on_cancel(void *ctx)
{
	struct job *j = ctx;
	j->cancelled = true;
}

static char *without_top(void *ctx, const char *name, mode_t *mode)
{
	const char *slash = strchr(name, '/');
	(void)ctx;
	(void)mode;
	return slash && slash[1] ? xstrdup(slash + 1) : NULL;
}

static void on_file(void *ctx, const char *path, uint64_t size, bool executable)
{
	struct job *j = ctx;
	assert_true(path_safe_relative(path));
	j->files++;
	j->executables += executable;
	j->bytes += size;
}

/* Unpacks into the folder "out", which is made anew. */
static bool unpack(const char *archive, struct job *j)
{
	autofree char *path = xasprintf("tars/%s", archive);
	struct err err;
	assert_true(tree_remove("out", &err));
	assert_int_equal(mkdir("out", 0755), 0);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	autoclose int dirfd = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0 && dirfd >= 0);
	j->fd = fd;
	j->at = 0;
	j->files = j->executables = j->bytes = 0;
	struct unpack u = {
		.name = archive,
		.read = on_read,
		.cancel = on_cancel,
		.map = j->map ? j->map : without_top,
		.file = on_file,
		.ctx = j,
		.dirfd = dirfd,
		.verified = j->verified,
		.threads = 2,
		.max = j->max,
	};
	return unpack_run(&u, &j->err);
}

static struct job whole(void)
{
	return (struct job){.end = -1};
}

static void must_unpack(const char *archive, struct job *j)
{
	if (!unpack(archive, j))
		fail_msg("%s: code %d, '%s'", archive, (int)j->err.code, j->err.msg);
}

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
	tars_named("bad-", &names);
	for (size_t k = 0; k < 2 * names.n; k++) {
		struct job j = whole();
		size_t i = k / 2;
		const char *says = expected(names.items[i]);
		j.max = 2 << 20;
		/* But for damage that only a check tells. */
		j.verified = k % 2 && strcmp(names.items[i], "bad-xz-data") != 0;
		scratch_file("victim", "untouched");
		if (unpack(names.items[i], &j) || j.err.code != ERR_INTEGRITY || !says ||
		    !strstr(j.err.msg, says) || !strstr(j.err.msg, names.items[i]))
			fail_msg("%s: code %d, '%s'", names.items[i], (int)j.err.code, j.err.msg);
		assert_true(j.cancelled);
		autobuf struct buf text = BUF_INIT(100);
		assert_true(io_read_file("victim", &text, &j.err));
		assert_string_equal(buf_str(&text), "untouched");
		assert_int_equal(unlink("victim"), 0);
		/* Nothing beside: tars and out. */
		assert_int_equal(access("../victim", F_OK), -1);
		assert_int_equal(access("x", F_OK), -1);
	}
}

static void check_text(const char *path, const char *start)
{
	struct err err;
	autobuf struct buf text = BUF_INIT(1 << 20);
	assert_true(io_read_file(path, &text, &err));
	assert_true(strncmp(buf_str(&text), start, strlen(start)) == 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void check_link(const char *path, const char *target)
{
	char text[256] = "";
	assert_true(readlink(path, text, sizeof text - 1) > 0);
	assert_string_equal(text, target);
}

static void check_sample(const struct job *j)
{
	struct stat a, b;
	check_text("out/bin/tool", "#!/bin/sh\n");
	check_text("out/include/a.h", "line 0 of a file that compresses well\n");
	check_text("out/LICENSE", "terms\n");
	check_link("out/lib/libx.so.1", "libx.so.1.2.3");
	check_link("out/lib/libx.so", "libx.so.1");
	check_link("out/bin/a.h", "../include/a.h");
	assert_int_equal(stat("out/bin/a.h", &a), 0);
	assert_int_equal(stat("out/lib/libx.so", &a), 0);
	assert_int_equal(stat("out/lib/hard.so", &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(a.st_size, 70001);
	assert_int_equal(stat("out/include/empty.h", &a), 0);
	assert_int_equal(a.st_size, 0);
	assert_int_equal(mode_of("out/bin/tool"), 0755);
	assert_int_equal(mode_of("out/lib/libx.so.1.2.3"), 0555);
	assert_int_equal(mode_of("out/include/a.h"), 0644);
	assert_int_equal(mode_of("out/include"), 0755);
	assert_int_equal(j->files, 6);
	assert_int_equal(j->executables, 3);
}

/* Whatever it is packed with, and however the bytes come. */
static void unpacks(void **state)
{
	static const size_t chunks[] = {0, 1 << 16, 4097, 511};
	autostrlist struct strlist names = {0};
	tars_named("good-", &names);
	for (size_t i = 0; i < names.n; i++)
		for (size_t k = 0; k < ARRAY_LEN(chunks); k++) {
			struct job j = whole();
			j.chunk = chunks[k];
			j.verified = k % 2 == 0;
			must_unpack(names.items[i], &j);
			check_sample(&j);
		}
}

static void byte_by_byte(void **state)
{
	for (int verified = 0; verified < 2; verified++) {
		struct job j = whole();
		j.chunk = 1;
		j.verified = verified;
		must_unpack("good-one-block.tar.xz", &j);
		check_sample(&j);
	}
}

/* Open to others whatever the umask is, and never more than plain permissions. */
static void modes(void **state)
{
	mode_t old = umask(077);
	struct job j = whole();
	must_unpack("alone-modes", &j);
	umask(old);
	assert_int_equal(mode_of("out/closed"), 0755);
	assert_int_equal(mode_of("out/closed/f"), 0);
	assert_int_equal(mode_of("out/readonly"), 0755);
	assert_int_equal(mode_of("out/readonly/setid"), 0755);
	assert_int_equal(mode_of("out/readonly/sticky"), 0644);
	assert_int_equal(mode_of("out/readonly/none"), 0200);
	struct stat st;
	assert_int_equal(stat("out/readonly/setid", &st), 0);
	assert_int_equal(st.st_uid, geteuid());
}

static void names(void **state)
{
	struct job j = whole();
	struct stat st;
	must_unpack("alone-dots", &j);
	assert_int_equal(access("out/bin/tool", F_OK), 0);
	must_unpack("alone-long", &j);
	assert_int_equal(j.files, 1);
	must_unpack("alone-utf8", &j);
	assert_int_equal(access("out/include/größe_文.h", F_OK), 0);
	must_unpack("alone-folder-twice", &j);
	assert_int_equal(access("out/a/f", F_OK), 0);
	must_unpack("alone-folder-ways", &j);
	assert_int_equal(j.files, 9);
	check_text("out/a/b/c/g", "a/b/c/g");
	check_text("out/a/b/c/de/f", "a/b/c/de/f");
	must_unpack("alone-dangling", &j);
	check_link("out/lib/a.so", "not-there.so");
	must_unpack("alone-link-to-folder", &j);
	assert_int_equal(access("out/include/c/b.h", F_OK), 0);
	must_unpack("alone-many", &j);
	assert_int_equal(j.files, 1700);
	check_text("out/include/d13/h1693.h", "1693");
	for (int pax = 0; pax < 2; pax++) {
		const char *archive = pax ? "alone-sparse-pax" : "alone-sparse";
		autofree char *path = xasprintf("tars/%s", archive);
		if (access(path, F_OK) < 0)
			continue;
		must_unpack(archive, &j);
		assert_int_equal(stat("out/holes", &st), 0);
		assert_int_equal(st.st_size, 1 << 20);
		assert_int_equal(j.bytes, 1 << 20);
		check_text("out/holes", "start");
	}
}

/* Where the pieces of an archive go is the caller's choice; links follow their targets. */
static char *moved(void *ctx, const char *name, mode_t *mode)
{
	(void)ctx;
	*mode = *mode & 0111 ? 0555 : 0444;
	name = strchr(name, '/') + 1;
	if (!strncmp(name, "include/", 8))
		return xasprintf("targets/t/%s", name);
	return !strncmp(name, "LIC", 3) || !*name ? NULL : xstrdup(name);
}

static void moves(void **state)
{
	struct job j = whole();
	j.map = moved;
	must_unpack("good-plain.tar", &j);
	check_link("out/bin/a.h", "../targets/t/include/a.h");
	check_text("out/bin/a.h", "line 0");
	assert_int_equal(access("out/LICENSE", F_OK), -1);
	assert_int_equal(access("out/include", F_OK), -1);
	assert_int_equal(mode_of("out/bin/tool"), 0555);
	assert_int_equal(mode_of("out/targets/t/include/a.h"), 0444);
	assert_int_equal(j.files, 5);
}

static char *leaves_targets_out(void *ctx, const char *name, mode_t *mode)
{
	(void)ctx;
	(void)mode;
	name = strchr(name, '/') + 1;
	return strstr(name, "1.2.3") || !*name ? NULL : xstrdup(name);
}

static void leaves_links_out(void **state)
{
	struct job j = whole();
	struct stat st;
	j.map = leaves_targets_out;
	must_unpack("good-plain.tar", &j);
	assert_int_equal(lstat("out/lib/libx.so.1", &st), -1);
	assert_int_equal(lstat("out/lib/hard.so", &st), -1);
	check_link("out/lib/libx.so", "libx.so.1");
}

static off_t size_of(const char *archive)
{
	struct stat st;
	autofree char *path = xasprintf("tars/%s", archive);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* Cut anywhere, a packed archive is never taken for whole. */
static void cut_short(void **state)
{
	static const char *const archives[] = {"good-one-block.tar.xz", "good-blocks.tar.xz",
					       "good-streams.tar.xz", "good-gz.tar.gz"};
	for (size_t i = 0; i < ARRAY_LEN(archives); i++) {
		autofree char *path = xasprintf("tars/%s", archives[i]);
		if (access(path, F_OK) < 0)
			continue;
		off_t size = size_of(archives[i]);
		for (off_t at = 0; at < size; at += at < 64 || size - at <= 40 ? 1 : 2011) {
			struct job j = whole();
			j.end = at;
			j.verified = at & 1;
			/* Between two streams lies the end of a sound file, but not of the tar. */
			if (unpack(archives[i], &j) || j.err.code != ERR_INTEGRITY)
				fail_msg("%s cut at %lld: code %d", archives[i], (long long)at,
					 (int)j.err.code);
		}
	}
}

/* A plain one may end behind any entry; inside of one it is cut short. */
static void cut_short_plain(void **state)
{
	off_t size = size_of("good-plain.tar");
	size_t sound = 0;
	for (off_t at = 1; at < size; at += 509) {
		struct job j = whole();
		j.end = at;
		bool ok = unpack("good-plain.tar", &j);
		sound += ok;
		if (ok ? j.files < 6 && at % 512 : j.err.code != ERR_INTEGRITY)
			fail_msg("cut at %lld: code %d", (long long)at, (int)j.err.code);
	}
	assert_true(sound < 30);
}

static void passes_read_errors_on(void **state)
{
	static const long long ends[] = {0, 3, 6, 20, 40000, -1};
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		for (int packed = 0; packed < 2; packed++) {
			struct job j = whole();
			j.end = ends[i];
			j.read_error = 1;
			assert_false(
				unpack(packed ? "good-one-block.tar.xz" : "good-plain.tar", &j));
			assert_int_equal(j.err.code, ERR_NETWORK);
			assert_string_equal(j.err.msg, "the line is dead");
		}
}

static void damaged_anywhere(void **state)
{
	struct err err;
	autobuf struct buf b = BUF_INIT(1 << 20);
	assert_true(io_read_file("tars/good-one-block.tar.xz", &b, &err));
	for (size_t at = 0; at < b.len; at += at < 40 || b.len - at < 40 ? 1 : 1009) {
		struct job j = whole();
		b.data[at] ^= 0x10;
		FILE *f = fopen("tars/flipped", "w");
		assert_int_equal(fwrite(b.data, 1, b.len, f), b.len);
		fclose(f);
		b.data[at] ^= 0x10;
		if (unpack("flipped", &j) || j.err.code != ERR_INTEGRITY)
			fail_msg("byte %zu: code %d '%s'", at, (int)j.err.code, j.err.msg);
	}
}

/* The header of a folder, again and again. */
static ptrdiff_t endless_folders(void *ctx, void *buf, size_t n, struct err *err)
{
	static const struct {
		const char *text;
		size_t at;
	} fields[] = {{"x/d/", 0},	{"0000755", 100},     {"0000000", 108},
		      {"0000000", 116}, {"00000000000", 124}, {"00000000000", 136},
		      {"5", 156},	{"ustar", 257},	      {"00", 263}};
	unsigned char header[512] = {0};
	size_t *at = ctx;
	unsigned sum = 8 * ' ';
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		memcpy(header + fields[i].at, fields[i].text, strlen(fields[i].text));
	for (size_t i = 0; i < sizeof header; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum);
	for (size_t i = 0; i < n; i++)
		((unsigned char *)buf)[i] = header[(*at)++ % sizeof header];
	return (ptrdiff_t)n;
}

static void too_many_entries(void **state)
{
	struct err err;
	size_t at = 0;
	assert_true(tree_remove("out", &err));
	assert_int_equal(mkdir("out", 0755), 0);
	autoclose int dirfd = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct unpack u = {.name = "a",
			   .read = endless_folders,
			   .map = without_top,
			   .ctx = &at,
			   .dirfd = dirfd};
	assert_false(unpack_run(&u, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	assert_string_equal(err.msg, "'a' has more than 400000 entries");
}

static void stops_on_a_signal(void **state)
{
	/* In a child: the flag stays for the life of a process. */
	pid_t pid = fork();
	int status;
	if (pid == 0) {
		struct job j = whole();
		intr_install();
		raise(SIGINT);
		_exit(!unpack("alone-many", &j) && j.err.code == ERR_INTERRUPTED ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void disk_full(void **state)
{
	assert_int_equal(mkdir("full", 0755), 0);
	if (mount("none", "full", "tmpfs", 0, "size=64k") < 0)
		skip();
	struct job j = whole();
	struct err err;
	autoclose int fd = open("tars/good-plain.tar", O_RDONLY | O_CLOEXEC);
	autoclose int dirfd = open("full", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	j.fd = fd;
	struct unpack u = {.name = "a",
			   .read = on_read,
			   .map = without_top,
			   .ctx = &j,
			   .dirfd = dirfd,
			   .threads = 1};
	bool ok = unpack_run(&u, &err);
	close(take_fd(&dirfd));
	umount("full");
	assert_false(ok);
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_int_equal(err.sys, ENOSPC);
	assert_non_null(strstr(err.msg, "include/a.h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(unpacks),
		cmocka_unit_test(byte_by_byte),
		cmocka_unit_test(modes),
		cmocka_unit_test(names),
		cmocka_unit_test(moves),
		cmocka_unit_test(leaves_links_out),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(cut_short_plain),
		cmocka_unit_test(passes_read_errors_on),
		cmocka_unit_test(damaged_anywhere),
		cmocka_unit_test(too_many_entries),
		cmocka_unit_test(stops_on_a_signal),
		cmocka_unit_test(disk_full),
	};
	return cmocka_run_group_tests(tests, tars_make, scratch_leave);
}
