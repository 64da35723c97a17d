#include "scratch.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/atomic.h"
#include "base/io.h"

static void assert_text(const char *path, const char *text)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(1000);
	assert_true(io_read_file(path, &b, &e));
	assert_string_equal(buf_str(&b), text);
}

static bool count_entry(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	(void)rel, (void)st, (void)err;
	++*(int *)ctx;
	return true;
}

static int entries(const char *path)
{
	struct err e;
	int n = 0;
	assert_true(tree_walk(path, count_entry, &n, &e));
	return n;
}

static void writes(void **state)
{
	struct err e;
	struct stat st;
	mode_t old = umask(022);
	assert_true(atomic_write("f", "one", 3, 0600, &e));
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_text("f", "one");
	assert_true(atomic_write("f", "", 0, 0666, &e));
	assert_text("f", "");
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(mkdir("sub dir", 0700), 0);
	assert_true(atomic_write("sub dir/g", "two\n", 4, 0644, &e));
	assert_text("sub dir/g", "two\n");
	umask(old);
	assert_int_equal(entries("."), 3);
}

static void the_longest_name(void **state)
{
	struct err e;
	char name[256];
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_true(atomic_write(name, "x", 1, 0644, &e));
	assert_text(name, "x");
	assert_int_equal(unlink(name), 0);
	assert_true(atomic_symlink("x", name, &e));
}

static void a_failed_write_leaves_nothing(void **state)
{
	struct err e;
	assert_int_equal(mkdir("folder", 0700), 0);
	scratch_file("folder/x", "");
	assert_false(atomic_write("folder", "x", 1, 0644, &e));
	assert_int_equal(e.code, ERR_FILESYSTEM);
	assert_non_null(strstr(e.msg, "'folder'"));
	assert_false(atomic_write("none/f", "x", 1, 0644, &e));
	assert_int_equal(e.sys, ENOENT);
	assert_false(atomic_symlink("t", "folder", &e));
	assert_int_equal(entries("."), 2);
}

static void symlinks(void **state)
{
	struct err e;
	struct stat a, b;
	char text[64];
	assert_true(atomic_symlink("to here", "l", &e));
	assert_int_equal(lstat("l", &a), 0);
	assert_true(atomic_symlink("to here", "l", &e));
	assert_int_equal(lstat("l", &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_true(atomic_symlink("to", "l", &e));
	assert_int_equal(readlink("l", text, sizeof text), 2);
	scratch_file("f", "file");
	assert_true(atomic_symlink("l", "f", &e));
	assert_int_equal(readlink("f", text, sizeof text), 1);
	assert_int_equal(entries("."), 2);
}

static void publish(void **state)
{
	struct err e;
	bool exchanged = true;
	assert_int_equal(mkdir("s", 0700), 0);
	scratch_file("s/new", "1");
	assert_true(atomic_publish("s", "v", &exchanged, &e));
	assert_false(exchanged);
	assert_text("v/new", "1");
	assert_int_equal(access("s", F_OK), -1);

	assert_int_equal(mkdir("s", 0700), 0);
	scratch_file("s/newer", "2");
	assert_true(atomic_publish("s", "v", &exchanged, &e));
	assert_true(exchanged);
	assert_text("v/newer", "2");
	assert_text("s/new", "1");
	assert_true(atomic_publish("s", "v", NULL, &e));
	assert_text("v/new", "1");

	exchanged = true;
	assert_false(atomic_publish("none", "v", &exchanged, &e));
	assert_int_equal(e.sys, ENOENT);
	assert_text("v/new", "1");
	assert_true(exchanged);
}

static void publish_over_a_link(void **state)
{
	struct err e;
	bool exchanged = false;
	char text[64];
	assert_int_equal(mkdir("s", 0700), 0);
	assert_int_equal(symlink("nowhere", "v"), 0);
	assert_true(atomic_publish("s", "v", &exchanged, &e));
	assert_true(exchanged);
	assert_int_equal(readlink("s", text, sizeof text), 7);
	assert_int_equal(readlink("v", text, sizeof text), -1);
}

/* As on a file system that cannot exchange. */
static bool forbid_exchange(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {ARRAY_LEN(code), code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

static int publish_in_turn(void)
{
	struct err e;
	bool exchanged = false;
	if (!forbid_exchange())
		return 77;
	if (!atomic_publish("s", "v", &exchanged, &e) || !exchanged)
		return 1;
	if (access("v/new", F_OK) < 0 || access("s/old", F_OK) < 0 || entries(".") != 4)
		return 2;
	/* What cannot take its place leaves the old one where it was. */
	if (atomic_publish("none", "v", &exchanged, &e) || access("v/new", F_OK) < 0)
		return 3;
	return entries(".") == 4 ? 0 : 4;
}

static void publish_where_exchange_is_unknown(void **state)
{
	assert_int_equal(mkdir("s", 0700), 0);
	assert_int_equal(mkdir("v", 0700), 0);
	scratch_file("s/new", "");
	scratch_file("v/old", "");
	int r = scratch_fork(publish_in_turn, false);
	if (r == 77)
		skip();
	assert_int_equal(r, 0);
}

/* Both ways: without a name before it is there, and where the file system cannot do that. */
static int pieces(void)
{
	struct atomic_file f;
	struct err e;
	int before = entries(".");
	if (!atomic_open(&f, "big", 0644, &e) || !io_write_all(f.fd, "one", 3) ||
	    access("big", F_OK) == 0)
		return 1;
	atomic_abandon(&f);
	if (entries(".") != before)
		return 2;
	if (!atomic_open(&f, "big", 0644, &e) || !io_write_all(f.fd, "two", 3) ||
	    !atomic_commit(&f, false, &e))
		return 3;
	assert_text("big", "two");
	if (!atomic_open(&f, "big", 0644, &e) || !io_write_all(f.fd, "three", 5) ||
	    atomic_commit(&f, false, &e) || e.sys != EEXIST)
		return 4;
	assert_text("big", "two");
	if (!atomic_open(&f, "big", 0644, &e) || !io_write_all(f.fd, "four", 4) ||
	    !atomic_commit(&f, true, &e))
		return 5;
	assert_text("big", "four");
	if (atomic_open(&f, "none/big", 0644, &e) || e.sys != ENOENT)
		return 6;
	return entries(".") == before + 1 && unlink("big") == 0 ? 0 : 7;
}

static int pieces_with_names(void)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {ARRAY_LEN(code), (struct sock_filter *)(uintptr_t)code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		return 77;
	return pieces();
}

static void a_file_piece_by_piece(void **state)
{
	assert_int_equal(pieces(), 0);
	int r = scratch_fork(pieces_with_names, false);
	if (r == 77)
		skip();
	assert_int_equal(r, 0);
}

#define SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH(writes),
		SCRATCH(the_longest_name),
		SCRATCH(a_failed_write_leaves_nothing),
		SCRATCH(symlinks),
		SCRATCH(a_file_piece_by_piece),
		SCRATCH(publish),
		SCRATCH(publish_over_a_link),
		SCRATCH(publish_where_exchange_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
