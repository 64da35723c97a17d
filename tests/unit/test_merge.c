/* How one file gets to its second place: hard link, reflink, copy. linkat and ioctl are ours here. */
#include "scratch.h"

#include <linux/fs.h>
#include <sys/mount.h>

#include "base/buf.h"
#include "base/io.h"
#include "core/merge.h"

static int link_errno; /* 0: the real call */
static bool can_clone; /* the file system does, and marks what it cloned */
static int clones;

int __real_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_linkat(int from, const char *a, int to, const char *b, int flags)
{
	errno = link_errno;
	return link_errno ? -1 : __real_linkat(from, a, to, b, flags);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	assert_int_equal(request, FICLONE);
	clones++;
	if (can_clone)
		return io_write_all(fd, "cloned", 6) ? 0 : -1;
	errno = EOPNOTSUPP;
	return -1;
}

static int enter(void **state)
{
	link_errno = clones = 0;
	can_clone = false;
	if (scratch_enter(state) < 0)
		return -1;
	scratch_file("a", "text of a");
	return chmod("a", 0555);
}

static void holds(const char *path, const char *text)
{
	struct err err;
	autobuf struct buf b = BUF_INIT(1 << 20);
	assert_true(io_read_file(path, &b, &err));
	assert_string_equal(buf_str(&b), text);
}

static bool same_inode(const char *a, const char *b)
{
	struct stat x, y;
	assert_int_equal(stat(a, &x) | stat(b, &y), 0);
	return x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static void by_link(void **state)
{
	assert_true(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
	assert_true(same_inode("a", "b"));
	assert_int_equal(clones, 0);
	assert_false(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
	assert_int_equal(errno, EEXIST);
}

/* Another file system, too many links, another user's file, a file system without links. */
static const int no_link[] = {EXDEV, EMLINK, EPERM, EOPNOTSUPP, ENOSYS};

static void by_copy(void **state)
{
	struct stat st;
	for (size_t i = 0; i < ARRAY_LEN(no_link); i++) {
		link_errno = no_link[i];
		assert_true(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
		assert_false(same_inode("a", "b"));
		holds("b", "text of a");
		assert_int_equal(stat("b", &st), 0);
		assert_int_equal(st.st_mode & 07777, 0555);
		assert_int_equal(clones, i + 1);
		/* What is there is never written over. */
		assert_false(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
		assert_int_equal(errno, EEXIST);
		assert_int_equal(unlink("b"), 0);
	}
}

static void by_reflink(void **state)
{
	struct stat st;
	can_clone = true;
	for (size_t i = 0; i < ARRAY_LEN(no_link); i++) {
		link_errno = no_link[i];
		assert_true(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
		holds("b", "cloned");
		assert_int_equal(stat("b", &st), 0);
		assert_int_equal(st.st_mode & 07777, 0555);
		assert_int_equal(unlink("b"), 0);
	}
}

/* Nothing is tried for other reasons, and nothing stays. */
static void not_at_all(void **state)
{
	static const int errors[] = {ENOSPC, EDQUOT, EACCES, EROFS, EIO, ENOENT};
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		link_errno = errors[i];
		assert_false(merge_file(AT_FDCWD, "a", AT_FDCWD, "b"));
		assert_int_equal(errno, errors[i]);
		assert_int_equal(access("b", F_OK), -1);
	}
	/* A link or a folder is not copied. */
	link_errno = EXDEV;
	assert_int_equal(symlink("a", "l") | mkdir("d", 0755), 0);
	assert_false(merge_file(AT_FDCWD, "l", AT_FDCWD, "b"));
	assert_false(merge_file(AT_FDCWD, "d", AT_FDCWD, "b"));
	assert_int_equal(access("b", F_OK), -1);
}

/* Two components as copies: what is equal is still told from what differs. */
static void trees(void **state)
{
	struct err err = {0};
	struct merge_source sources[] = {{"one", (char[]){"s1"}}, {"two", (char[]){"s2"}}};
	assert_true(tree_mkdirs("s1/include", &err) && tree_mkdirs("s2/include", &err) &&
		    tree_mkdirs("out", &err));
	scratch_file("s1/include/same.h", "same");
	scratch_file("s2/include/same.h", "same");
	scratch_file("s1/include/big.h", "1");
	scratch_file("s2/include/own.h", "2");
	link_errno = EMLINK;
	autoclose int out = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(merge_tree(sources, 0, out, &err));
	assert_true(merge_tree(sources, 1, out, &err));
	holds("out/include/same.h", "same");
	holds("out/include/own.h", "2");
	assert_false(same_inode("out/include/own.h", "s2/include/own.h"));
	scratch_file("s2/include/big.h", "2");
	assert_int_equal(unlink("out/include/own.h"), 0);
	assert_false(merge_tree(sources, 1, out, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	assert_non_null(strstr(err.msg, "include/big.h"));
}

/* The real thing, where this user may mount. */
static void other_file_system(void **state)
{
	assert_int_equal(mkdir("other", 0755), 0);
	if (mount("none", "other", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") < 0)
		skip();
	bool ok = merge_file(AT_FDCWD, "a", AT_FDCWD, "other/b");
	struct stat st;
	bool copied =
		ok && stat("other/b", &st) == 0 && st.st_size == 9 && (st.st_mode & 07777) == 0555;
	assert_int_equal(umount("other"), 0);
	assert_true(copied);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_link, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(by_copy, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(by_reflink, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(not_at_all, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(trees, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(other_file_system, enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
