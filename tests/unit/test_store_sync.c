#include "core/store_sync.h"

#include "scratch.h"

#include "base/flush.h"

enum { FILES = 200 }; /* more than are on their way at once */

static int lowest_free(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	return fd;
}

static void make_files(void)
{
	for (int i = 0; i < FILES; i++) {
		autofree char *name = xasprintf("f%d", i);
		scratch_file(name, "text");
	}
}

/* files: so many that are there, then one that is not. */
static bool sync_some(int dirfd, int files, bool missing)
{
	struct store_sync s = {0};
	bool ok = true;
	for (int i = 0; i < files; i++) {
		autofree char *name = xasprintf("f%d", i);
		ok = ok && store_sync_file(&s, dirfd, name);
	}
	if (missing)
		ok = ok && store_sync_file(&s, dirfd, "none");
	return store_sync_end(&s) && ok;
}

static void one_by_one(void **state)
{
	static const int counts[] = {0, 1, 63, 64, 65, 127, 128, FILES};
	autoclose int dirfd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_files();
	int before = lowest_free();
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		assert_true(sync_some(dirfd, counts[i], false));
		errno = 0;
		assert_false(sync_some(dirfd, counts[i], true));
		assert_int_equal(errno, ENOENT);
		assert_int_equal(lowest_free(), before);
	}
}

static void all_at_once(void **state)
{
	make_files();
	autoclose int dirfd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Others may write at the same time. */
	assert_true(flush_all(dirfd, FILES * 4096) || errno == EBUSY || errno == ENOSYS);
	assert_false(flush_all(-1, 1ull << 50));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(all_at_once),
	};
	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
