#include "core/store_fill.h"

#include "archives.h"

#include "core/pyurl.h"
#include "core/store.h"
#include "ext/digest.h"

struct bench {
	struct layout l;
	struct config cfg;
	struct component c[2];
	struct release r;
	struct events ev;
	unsigned fetched;
};

static void on_event(void *ctx, const struct event *ev)
{
	struct bench *b = ctx;
	if (ev->kind == EVENT_FETCH && ev->done == ev->total)
		b->fetched++;
}

/* Two wheels of the working folder, as an index in a folder names them. */
static void bench_init(struct bench *b, const char *root)
{
	static const char *const files[] = {"wheel-good", "wheel-crlf"};
	struct err err;
	autofree char *cwd = getcwd(NULL, 0);
	*b = (struct bench){.ev = {on_event, b}};
	snprintf(b->l.root, sizeof b->l.root, "%s/%s", cwd, root);
	assert_true(tree_mkdirs(b->l.root, &err));
	assert_true(config_load_from(&b->cfg, &b->l, "/nonexistent", &err));
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct stat st;
		autofree char *path = xasprintf("%s/zips/%s", cwd, files[i]);
		autofree char *url = pyurl_from_path(path);
		assert_int_equal(stat(path, &st), 0);
		b->c[i].name = b->c[i].file = (char *)(uintptr_t)files[i];
		b->c[i].size = (uint64_t)st.st_size;
		strlist_add(&b->c[i].urls, url);
		assert_true(digest_file(DIGEST_SHA256, path, b->c[i].sha256, &err));
	}
	b->r = (struct release){.source = "wheels", .components = b->c, .n = 2};
	snprintf(b->r.arch, sizeof b->r.arch, "x86_64");
}

static bool fill(struct bench *b, struct err *err)
{
	struct plan p;
	const char *cache = config_get(&b->cfg, CONFIG_CACHE_DIR);
	assert_true(tree_mkdirs(cache, err));
	plan_make(&p, &b->l, cache, &b->r);
	bool ok = store_fill(&b->l, &b->cfg, &b->r, &p, &b->ev, err);
	plan_clear(&p);
	return ok;
}

static size_t cached(const struct bench *b)
{
	size_t n = 0;
	autodir DIR *d = opendir(config_get(&b->cfg, CONFIG_CACHE_DIR));
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	return n;
}

static void bench_clear(struct bench *b)
{
	config_clear(&b->cfg);
	for (size_t i = 0; i < ARRAY_LEN(b->c); i++)
		strlist_clear(&b->c[i].urls);
}

static void reads_local_files_where_they_are(void **state)
{
	struct bench b;
	struct err err;
	bench_init(&b, "local");
	if (!fill(&b, &err))
		fail_msg("%s", err.msg);
	assert_true(store_has(&b.l, b.c[0].sha256) && store_has(&b.l, b.c[1].sha256));
	assert_int_equal(b.fetched, 2);
	assert_int_equal(cached(&b), 0);
	/* All is there: nothing is read again. */
	b.fetched = 0;
	assert_true(fill(&b, &err));
	assert_int_equal(b.fetched, 0);
	bench_clear(&b);
}

static void another_file_is_refused(void **state)
{
	struct bench b;
	struct err err;
	bench_init(&b, "other");
	memset(b.c[1].sha256, 'a', 64);
	assert_false(fill(&b, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	assert_non_null(strstr(err.msg, "zips/wheel-crlf': sha256 mismatch: wanted aaaa"));
	assert_false(store_has(&b.l, b.c[1].sha256));
	bench_clear(&b);
}

/* A mirror may have what the local file is not: that is for the download to find out. */
static void one_of_several_is_fetched(void **state)
{
	struct bench b;
	struct err err;
	bench_init(&b, "several");
	strlist_add(&b.c[0].urls, b.c[0].urls.items[0]);
	assert_true(fill(&b, &err));
	assert_int_equal(cached(&b), 1);
	bench_clear(&b);
}

/* The folders where a local mirror may have it, and has it in one. */
static void the_only_one_there_is_read_where_it_is(void **state)
{
	struct bench b;
	struct err err;
	bench_init(&b, "only");
	strlist_add(&b.c[0].urls, b.c[0].urls.items[0]);
	free(b.c[0].urls.items[0]);
	b.c[0].urls.items[0] = xstrdup("file:///nonexistent/wheel");
	assert_true(fill(&b, &err));
	assert_int_equal(cached(&b), 0);
	bench_clear(&b);
}

static void a_file_that_went_is_told(void **state)
{
	struct bench b;
	struct err err;
	bench_init(&b, "gone");
	free(b.c[0].urls.items[0]);
	b.c[0].urls.items[0] = xstrdup("file:///nonexistent/wheel");
	assert_false(fill(&b, &err));
	assert_non_null(strstr(err.msg, "/nonexistent/wheel"));
	bench_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_local_files_where_they_are),
		cmocka_unit_test(another_file_is_refused),
		cmocka_unit_test(one_of_several_is_fetched),
		cmocka_unit_test(the_only_one_there_is_read_where_it_is),
		cmocka_unit_test(a_file_that_went_is_told),
	};
	return cmocka_run_group_tests(tests, archives_make, scratch_leave);
}
