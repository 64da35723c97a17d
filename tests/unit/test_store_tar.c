#include "core/store.h"

#include "tars.h"

#include <jansson.h>
#include <pthread.h>

#include "base/io.h"
#include "base/pool.h"
#include "core/growing.h"
#include "ext/digest.h"

/* A store of its own, and what was told about the last archive. */
struct bench {
	struct layout l;
	struct pool *pool, *readers;
	struct store_target to;
	int done, good;
	struct err err;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_done(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	struct bench *b = ctx;
	(void)c;
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
	*b = (struct bench){.pool = pool_new(2), .readers = pool_new(2)};
	snprintf(b->l.root, sizeof b->l.root, "%s/%s", cwd, root);
	free(cwd);
	assert_true(tree_mkdirs(b->l.root, &err));
	b->to = (struct store_target){
		.l = &b->l, .arch = "x86_64", .pool = b->pool, .done = on_done, .ctx = b};
}

static void settle(struct bench *b)
{
	pool_wait(b->readers);
	pool_wait(b->pool);
}

static void bench_free(struct bench *b)
{
	pool_free(b->readers);
	pool_free(b->pool);
}

static struct component describe(const char *archive)
{
	struct err err;
	struct stat st;
	struct component c = {
		.name = (char *)(uintptr_t) "cuda_x",
		.version = (char *)(uintptr_t) "12.4.127",
		.file = (char *)(uintptr_t)archive,
		.kind = ARCHIVE_REDIST,
	};
	autofree char *path = xasprintf("tars/%s", archive);
	assert_true(digest_file(DIGEST_SHA256, path, c.sha256, &err));
	assert_int_equal(stat(path, &st), 0);
	c.size = (uint64_t)st.st_size;
	return c;
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

static void assert_empty(const struct bench *b)
{
	assert_int_equal(entries_of(b, "store") + entries_of(b, "staging"), 0);
}

/* The sample of mktar.py at its places, read-only, and listed. */
static void check_entry(const struct bench *b, const struct component *c)
{
	static const struct {
		const char *path;
		mode_t mode;
	} want[] = {
		{"bin", 0755},
		{"bin/tool", 0555},
		{"targets/x86_64-linux/include/a.h", 0444},
		{"targets/x86_64-linux/include/empty.h", 0444},
		{"targets/x86_64-linux/lib/libx.so.1.2.3", 0555},
		{"targets/x86_64-linux/lib/hard.so", 0555},
		{"licenses/cuda_x/LICENSE", 0444},
	};
	char link[256] = "";
	json_error_t e;
	autofree char *tree = store_tree(&b->l, c->sha256);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct stat st;
		autofree char *path = xasprintf("%s/%s", tree, want[i].path);
		if (lstat(path, &st) < 0)
			fail_msg("%s is missing", path);
		assert_int_equal(st.st_mode & 07777, want[i].mode);
	}
	autofree char *a = xasprintf("%s/bin/a.h", tree);
	assert_true(readlink(a, link, sizeof link - 1) > 0);
	assert_string_equal(link, "../targets/x86_64-linux/include/a.h");

	autofree char *path = xasprintf("%s/store/%s/component.json", b->l.root, c->sha256);
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "files")), 6);
	assert_string_equal(json_string_value(json_object_get(root, "version")), "12.4.127");
	json_decref(root);
	assert_int_equal(entries_of(b, "staging"), 0);
}

static bool add(struct bench *b, const struct component *c)
{
	struct err err;
	autofree char *path = xasprintf("tars/%s", c->file);
	b->done = b->good = 0;
	assert_true(store_add(&b->to, c, path, &err));
	settle(b);
	assert_int_equal(b->done, 1);
	return b->good;
}

static void adds(void **state)
{
	autostrlist struct strlist names = {0};
	struct bench b;
	tars_named("good-", &names);
	bench_init(&b, "adds");
	mode_t old = umask(077);
	for (size_t i = 0; i < names.n; i++) {
		struct component c = describe(names.items[i]);
		if (!add(&b, &c))
			fail_msg("%s: %s", names.items[i], b.err.msg);
		check_entry(&b, &c);
		/* Again: it is there. */
		assert_true(add(&b, &c));
	}
	umask(old);
	bench_free(&b);
}

/* A file "a" at the top of an archive and a folder "a" go to different places of a prefix. */
static bool harmless(const char *name)
{
	static const char *const names[] = {"bad-below-link", "bad-link-below-link",
					    "bad-folder-on-file", "bad-folder-as-file",
					    "bad-size-too-long-for-all"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void refuses(void **state)
{
	autostrlist struct strlist names = {0};
	struct bench b;
	tars_named("bad-", &names);
	bench_init(&b, "refuses");
	for (size_t i = 0; i < names.n; i++) {
		struct component c = describe(names.items[i]);
		if (harmless(names.items[i]))
			continue;
		if (add(&b, &c) || b.err.code != ERR_INTEGRITY)
			fail_msg("%s: code %d '%s'", names.items[i], (int)b.err.code, b.err.msg);
		assert_non_null(strstr(b.err.msg, names.items[i]));
		assert_empty(&b);
	}
	bench_free(&b);
}

static void on_warning(void *ctx, const struct event *ev)
{
	struct buf *b = ctx;
	if (ev->kind == EVENT_WARNING)
		buf_addf(b, "%s\n", ev->text);
}

/* Dropped with a line; so are owner and modes, which nobody needs to hear of. */
static void set_id_bits(void **state)
{
	struct bench b;
	struct stat st;
	autobuf struct buf said = BUF_INIT(1 << 10);
	bench_init(&b, "setid");
	b.to.events = &(struct events){on_warning, &said};
	struct component c = describe("alone-modes");
	assert_true(add(&b, &c));
	assert_string_equal(buf_str(&said), "'x-archive/readonly/setid' has set-id bits in "
					    "'alone-modes', which are left out\n");
	autofree char *tree = store_tree(&b.l, c.sha256),
		      *file = xasprintf("%s/readonly/setid", tree);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
	bench_free(&b);
}

static void a_bomb(void **state)
{
	struct bench b;
	struct component c = describe("alone-many");
	bench_init(&b, "bomb");
	assert_true(add(&b, &c));
	c = describe("bad-sparse-8gb");
	assert_false(add(&b, &c));
	assert_non_null(strstr(b.err.msg, "impossible size"));
	bench_free(&b);
}

/* Comes in steps, as a download does. */
struct feed {
	struct growing *g;
	const char *path;
	struct buf b;
};

static void feed_init(struct feed *f, const char *archive, const char *path)
{
	struct err err;
	autofree char *from = xasprintf("tars/%s", archive);
	*f = (struct feed){.g = growing_new(), .path = path, .b = BUF_INIT(4 << 20)};
	assert_true(io_read_file(from, &f->b, &err));
	unlink(path);
}

static void feed(struct feed *f, size_t from, size_t to, bool restarted)
{
	autoclose int fd = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (to > f->b.len)
		to = f->b.len;
	assert_int_equal(pwrite(fd, f->b.data + from, to - from, (off_t)from), to - from);
	growing_arrived(f->g, f->path, to, restarted);
}

static void while_it_arrives(void **state)
{
	static const char *const archives[] = {"good-one-block.tar.xz", "good-plain.tar",
					       "good-gz.tar.gz"};
	struct bench b;
	bench_init(&b, "arrives");
	for (size_t i = 0; i < ARRAY_LEN(archives); i++) {
		struct component c = describe(archives[i]);
		struct feed f;
		struct err err;
		b.done = b.good = 0;
		feed_init(&f, archives[i], "p.part");
		assert_true(store_add_growing(&b.to, &c, f.g, b.readers, &err));
		for (size_t at = 0; at < f.b.len; at += 7001)
			feed(&f, at, at + 7001, false);
		usleep(30000);
		/* All bytes are there, but nobody said that they are right. */
		assert_int_equal(b.done, 0);
		assert_false(store_has(&b.l, c.sha256));
		growing_end(f.g, true);
		settle(&b);
		assert_int_equal(b.good, 1);
		check_entry(&b, &c);
		growing_free(f.g);
		buf_clear(&f.b);
	}
	bench_free(&b);
}

/* The first bytes were another file's: nothing of them is left, whether they could be unpacked or not. */
static void starts_over(void **state)
{
	static const char *const first[] = {"good-no-check.tar.xz", "bad-kind-html",
					    "bad-name-dotdot", "alone-many", "bad-xz-data"};
	struct bench b;
	bench_init(&b, "over");
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		for (int all = 0; all < 2; all++) {
			struct component c = describe("good-one-block.tar.xz");
			struct feed wrong, right;
			struct err err;
			b.done = b.good = 0;
			feed_init(&right, c.file, "right.part");
			feed_init(&wrong, first[i], "wrong.part");
			growing_free(wrong.g);
			wrong.g = right.g;
			/* A store entry of its own for each. */
			snprintf(c.sha256, sizeof c.sha256, "%064zu", 2 * i + (size_t)all);
			assert_true(store_add_growing(&b.to, &c, right.g, b.readers, &err));
			feed(&wrong, 0, all ? wrong.b.len : wrong.b.len / 2, false);
			usleep(20000);
			assert_int_equal(b.done, 0);
			feed(&right, 0, 100, true);
			usleep(5000);
			feed(&right, 100, right.b.len, false);
			growing_end(right.g, true);
			settle(&b);
			if (!b.good)
				fail_msg("%s: %s", first[i], b.err.msg);
			check_entry(&b, &c);
			growing_free(right.g);
			buf_clear(&right.b);
			buf_clear(&wrong.b);
		}
	bench_free(&b);
}

/* The download failed: that is no fault of the archive, and nothing is left. */
static void is_lost(void **state)
{
	static const char *const archives[] = {"good-one-block.tar.xz", "bad-name-dotdot"};
	struct bench b;
	bench_init(&b, "lost");
	for (size_t i = 0; i < ARRAY_LEN(archives); i++)
		for (int whole = 0; whole < 2; whole++) {
			struct component c = describe(archives[i]);
			struct feed f;
			struct err err;
			b.done = b.good = 0;
			feed_init(&f, archives[i], "lost.part");
			assert_true(store_add_growing(&b.to, &c, f.g, b.readers, &err));
			feed(&f, 0, whole ? f.b.len : f.b.len / 2, false);
			usleep(20000);
			growing_end(f.g, false);
			settle(&b);
			assert_int_equal(b.done, 1);
			assert_int_equal(b.good, 0);
			assert_int_equal(b.err.code, ERR_NONE);
			assert_empty(&b);
			growing_free(f.g);
			buf_clear(&f.b);
		}
	bench_free(&b);
}

/* Bad although the digest of the whole is right. */
static void is_bad_at_the_end(void **state)
{
	struct bench b;
	struct component c = describe("bad-link-out");
	struct feed f;
	struct err err;
	bench_init(&b, "end");
	feed_init(&f, c.file, "end.part");
	assert_true(store_add_growing(&b.to, &c, f.g, b.readers, &err));
	feed(&f, 0, f.b.len, false);
	usleep(20000);
	assert_int_equal(b.done, 0);
	growing_end(f.g, true);
	settle(&b);
	assert_int_equal(b.err.code, ERR_INTEGRITY);
	assert_non_null(strstr(b.err.msg, "leads out of the archive"));
	assert_empty(&b);
	growing_free(f.g);
	buf_clear(&f.b);
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds),
		cmocka_unit_test(refuses),
		cmocka_unit_test(set_id_bits),
		cmocka_unit_test(a_bomb),
		cmocka_unit_test(while_it_arrives),
		cmocka_unit_test(starts_over),
		cmocka_unit_test(is_lost),
		cmocka_unit_test(is_bad_at_the_end),
	};
	return cmocka_run_group_tests(tests, tars_make, scratch_leave);
}
