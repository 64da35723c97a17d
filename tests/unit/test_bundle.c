/* The form of bundles: what is taken, what is refused, and where things are found. */
#include "core/bundle_tar.h"

#include "scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/io.h"
#include "core/local_place.h"
#include "core/pyurl.h"

#define LONG                                                                                       \
	"a-folder-with-a-long-name/another-one/libcublas/linux-x86_64/"                            \
	"libcublas-linux-x86_64-12.4.5.8-with-a-name-that-goes-on-and-on-archive.tar.xz"

/* A block that was changed, with a sum that is right again. */
static void sum_anew(uint8_t *block)
{
	unsigned sum = 0;
	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < BUNDLE_BLOCK; i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
}

struct member {
	const char *name, *content;
	char type;
	const char *size; /* in place of the true one */
};

static void add(struct buf *b, const struct member *m)
{
	uint8_t block[BUNDLE_BLOCK];
	size_t n = m->content ? strlen(m->content) : 0;
	assert_true(bundle_head(block, m->name, n));
	block[156] = m->type ? (uint8_t)m->type : '0';
	if (m->size)
		memcpy(block + 124, m->size, strlen(m->size) + 1);
	sum_anew(block);
	buf_add(b, block, sizeof block);
	if (n)
		buf_add(b, m->content, n);
	while (b->len % BUNDLE_BLOCK)
		buf_addc(b, 0);
}

static void make(const char *path, const struct member *m, size_t n)
{
	static const char zeros[2 * BUNDLE_BLOCK];
	autobuf struct buf b = BUF_INIT(1 << 20);
	for (size_t i = 0; i < n; i++)
		add(&b, &m[i]);
	buf_add(&b, zeros, sizeof zeros);
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0 && io_write_all(fd, b.data, b.len));
}

static void good(void **state)
{
	static const struct member m[] = {
		{"z/last", "12345", 0, NULL}, {"z", NULL, '5', NULL},	  {LONG, "long", 0, NULL},
		{"empty", "", 0, NULL},	      {"old", "old", '\0', NULL},
	};
	autobundle struct bundle_index x = {0};
	struct err err;
	make("good.tar", m, ARRAY_LEN(m));
	assert_true(bundle_is("good.tar"));
	if (!bundle_index_read("good.tar", &x, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(x.n, 4);
	assert_string_equal(x.members[0].name, LONG);
	assert_int_equal(bundle_index_find(&x, "z/last")->size, 5);
	assert_int_equal(bundle_index_find(&x, "z/last")->offset, 512);
	assert_int_equal(bundle_index_find(&x, "empty")->size, 0);
	assert_null(bundle_index_find(&x, "z"));
}

static void bad(void **state)
{
	static const struct {
		struct member m[2];
		const char *says;
	} cases[] = {
		{{{"../evil", "x", 0, NULL}}, "'../evil' has a forbidden name"},
		{{{"a/../../evil", "x", 0, NULL}}, "has a forbidden name"},
		{{{"/etc/evil", "x", 0, NULL}}, "has a forbidden name"},
		{{{"a\nb", "x", 0, NULL}}, "has a forbidden name"},
		{{{"", "x", 0, NULL}}, "has a forbidden name"},
		{{{"..", NULL, '5', NULL}}, "has a forbidden name"},
		{{{"a", NULL, '1', NULL}}, "'a' is no plain file"},
		{{{"a", NULL, '2', NULL}}, "is no plain file"},
		{{{"a", NULL, '3', NULL}}, "is no plain file"},
		{{{"a", NULL, 'x', NULL}}, "is no plain file"},
		{{{"a", "x", 0, NULL}, {"a", "x", 0, NULL}}, "'a' is there twice"},
		{{{"a", "x", 0, "00000777777"}}, "'a' is cut short"},
		{{{"a", "x", 0, "77777777777"}}, "'a' is cut short"},
		{{{"a", "x", 0, "\x80\1\1\1\1\1\1\1\1\1\1"}}, "has an impossible size"},
		{{{"a", "x", 0, "12 34567890"}}, "has an impossible size"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bundle_index x = {0};
		struct err err;
		make("bad.tar", cases[i].m, cases[i].m[1].name ? 2 : 1);
		if (bundle_index_read("bad.tar", &x, &err))
			fail_msg("case %zu is taken", i);
		assert_int_equal(err.code, ERR_INTEGRITY);
		if (!strstr(err.msg, cases[i].says) || !strstr(err.msg, "bad.tar"))
			fail_msg("case %zu: %s", i, err.msg);
	}
}

/* Whatever is cut off, but for the second of the two last blocks. */
static void cut_or_damaged(void **state)
{
	static const struct member m[] = {{"a", "first", 0, NULL}, {"b", "second", 0, NULL}};
	make("whole.tar", m, 2);
	autobuf struct buf whole = BUF_INIT(1 << 20);
	struct err err;
	assert_true(io_read_file("whole.tar", &whole, &err));
	for (size_t n = 0; n <= whole.len - BUNDLE_BLOCK; n += 64) {
		autobundle struct bundle_index x = {0};
		make("cut.tar", m, 2);
		assert_int_equal(truncate("cut.tar", (off_t)n), 0);
		if (bundle_index_read("cut.tar", &x, &err) != (n == whole.len - BUNDLE_BLOCK))
			fail_msg("cut at %zu", n);
	}
	for (size_t at = 0; at < BUNDLE_BLOCK; at += 7) {
		autobundle struct bundle_index x = {0};
		autoclose int fd = -1;
		make("damaged.tar", m, 2);
		fd = open("damaged.tar", O_WRONLY | O_CLOEXEC);
		assert_int_equal(pwrite(fd, "\x5a", 1, (off_t)at), 1);
		assert_false(bundle_index_read("damaged.tar", &x, &err));
		assert_int_equal(err.code, ERR_INTEGRITY);
	}
	assert_false(bundle_is("."));
	assert_false(bundle_is("nothing"));
}

static void place(const char *file, const char *member, uint64_t size, struct local_place *p,
		  bool there)
{
	autofree char *cwd = getcwd(NULL, 0);
	autofree char *path = xasprintf("%s/%s%s", cwd, file, member);
	struct component c = {.size = size, .kind = ARCHIVE_REDIST};
	autofree char *url = pyurl_from_path(path);
	strlist_add(&c.urls, "file:///nowhere/at/all");
	strlist_add(&c.urls, url);
	if (local_place_find(&c, p) != there)
		fail_msg("%s", path);
	strlist_clear(&c.urls);
}

static void places(void **state)
{
	static const struct member m[] = {{"a/b/c", "first", 0, NULL}, {"d", "second", 0, NULL}};
	struct local_place p = {0};
	struct err err;
	bool found;
	make("a place.tar", m, 2);
	place("a place.tar", "/a/b/c", 5, &p, true);
	assert_int_equal(p.offset, 512);
	assert_int_equal(p.size, 5);
	local_place_clear(&p);
	place("a place.tar", "/a/b/c", 6, &p, false);
	place("a place.tar", "/a/b", 0, &p, false);
	place("a place.tar", "/../d", 6, &p, false);
	place("a place.tar", "", 0, &p, true);
	assert_int_equal(p.size, 0);
	local_place_clear(&p);
	autofree char *cwd = getcwd(NULL, 0);
	autofree char *none = xasprintf("%s/a place.tar/x", cwd);
	assert_false(local_place_member(none, &found, &p, &err));
	assert_int_equal(err.code, ERR_NETWORK);
	assert_int_equal(err.sys, ENOENT);
	assert_true(local_place_member("/nowhere/at/all", &found, &p, &err));
	assert_false(found);
}

static void names_that_fit(void **state)
{
	uint8_t block[BUNDLE_BLOCK];
	char name[400];
	memset(name, 'n', sizeof name);
	name[100] = '\0';
	assert_true(bundle_head(block, name, 1));
	name[100] = 'n';
	name[101] = '\0';
	assert_false(bundle_head(block, name, 1));
	name[101] = 'n';
	name[155] = '/';
	name[256] = '\0';
	assert_true(bundle_head(block, name, 1));
	name[256] = 'n';
	name[257] = '\0';
	assert_false(bundle_head(block, name, 1));
	assert_false(bundle_head(block, "a", BUNDLE_MEMBER_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),		  cmocka_unit_test(bad),
		cmocka_unit_test(cut_or_damaged), cmocka_unit_test(places),
		cmocka_unit_test(names_that_fit),
	};
	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
