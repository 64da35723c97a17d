#include "scratch.h"

#include "base/buf.h"
#include "core/pyindex.h"
#include "core/pyurl.h"

#define H1 "a7cf76afc14682c46d43d5cdc370fc1da69cb84270e6854c6b3869584ecbd483"
#define H2 "0000000000000000000000000000000000000000000000000000000000000002"
#define NVVM "nvidia_nvvm-"
#define X86 "-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
#define ARM "-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl"

static char notes[8192];

static void listen(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_NOTE || ev->kind == EVENT_WARNING)
		snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", ev->text);
}
static const struct events events = {.fn = listen};

static struct pypage page(const char *text, const char *type)
{
	return (struct pypage){.text = text,
			       .len = strlen(text),
			       .content_type = type,
			       .url = "https://i.example/simple/nvidia-nvvm/",
			       .login = NULL};
}

static struct pyfiles parse(const struct pypage *p)
{
	struct pyfiles f = {0};
	struct err err;
	if (!pypage_parse(p, "nvidia-nvvm", "x86_64", &f, &err))
		fail_msg("%s", err.msg);
	return f;
}

static struct err refused(const char *text, const char *type)
{
	struct pypage p = page(text, type);
	struct pyfiles f = {0};
	struct err err = {0};
	if (pypage_parse(&p, "nvidia-nvvm", "x86_64", &f, &err))
		fail_msg("accepted: %s", text);
	assert_null(f.files);
	assert_int_equal(err.code, ERR_NETWORK);
	return err;
}

static void test_json(void **state)
{
	struct pypage p = page(
		"{\"meta\":{\"api-version\":\"1.1\"},\"name\":\"nvidia-nvvm\",\"files\":["
		"{\"filename\":\"" NVVM "13.0.88" X86
		"\",\"url\":\"../../f/a.whl\",\"size\":61601415,"
		"\"hashes\":{\"md5\":\"00\",\"sha256\":\"" H1
		"\"},\"yanked\":false,\"requires-python\":\">=3\"},"
		"{\"filename\":\"" NVVM "13.0.48" ARM "\",\"url\":\"https://f.example/b.whl#x\","
		"\"hashes\":{},\"yanked\":\"broken\"},"
		"{\"filename\":\"nvidia-nvvm-1.tar.gz\",\"url\":\"c\",\"hashes\":{}},"
		"{\"filename\":\"other-1-py3-none-any.whl\",\"url\":\"d\",\"hashes\":{}},"
		"{\"filename\":\"../" NVVM "1" X86 "\",\"url\":\"e\",\"hashes\":{}},"
		"{\"filename\":\"" NVVM "2" X86 "\",\"url\":\"file:///etc/passwd\",\"hashes\":{}},"
		"{\"filename\":\"" NVVM "3" X86
		"\",\"url\":\"f.whl\",\"hashes\":{\"sha256\":\"zz\"},\"size\":-1}"
		"]}",
		"application/vnd.pypi.simple.v1+json");
	struct pyfiles f = parse(&p);
	assert_int_equal(f.n, 3);
	assert_string_equal(f.files[0].url, "https://i.example/f/a.whl");
	assert_string_equal(f.files[0].sha256, H1);
	assert_int_equal(f.files[0].size, 61601415);
	assert_true(f.files[0].fits && !f.files[0].yanked && !f.files[0].path);
	assert_string_equal(f.files[1].url, "https://f.example/b.whl");
	assert_true(!f.files[1].fits && f.files[1].yanked);
	assert_string_equal(f.files[1].sha256, "");
	assert_string_equal(f.files[2].sha256, "");
	assert_int_equal(f.files[2].size, 0);
	pyfiles_clear(&f);
}

static void test_html(void **state)
{
	struct pypage p =
		page("<!DOCTYPE html><html><body><h1>Links for nvidia-nvvm</h1>\n"
		     "<a href=\"https://f.example/a/" NVVM "13.0.88" X86 "#sha256=" H1
		     "\" data-requires-python=\"&gt;=3\">x</a>\n"
		     "<a href=\"../../f/nvidia_nvvm-13.0.88%2Bx" X86 "?sig=a%2Fb&amp;t=1#sha256=" H2
		     "\">x</a>\n"
		     "<a href=\"/f/" NVVM "13.0.48" X86 "#md5=00\" data-yanked=\"\">x</a>\n"
		     "<a href=\"/\">home</a></body></html>",
		     "text/html; charset=utf-8");
	struct pyfiles f = parse(&p);
	assert_int_equal(f.n, 3);
	assert_string_equal(f.files[0].file, NVVM "13.0.88" X86);
	assert_string_equal(f.files[0].url, "https://f.example/a/" NVVM "13.0.88" X86);
	assert_string_equal(f.files[0].sha256, H1);
	assert_string_equal(f.files[1].file, NVVM "13.0.88+x" X86);
	assert_string_equal(f.files[1].url,
			    "https://i.example/f/nvidia_nvvm-13.0.88%2Bx" X86 "?sig=a%2Fb&t=1");
	assert_true(f.files[2].yanked);
	assert_string_equal(f.files[2].sha256, "");
	pyfiles_clear(&f);
}

static void test_login_stays_on_its_host(void **state)
{
	struct pypage p = page("<title>Links for x</title><a href=" NVVM "1" X86 "></a>"
			       "<a href=https://o.example/" NVVM "2" X86 "></a>",
			       "text/html");
	p.login = "https://me:pw@i.example/simple/nvidia-nvvm/";
	struct pyfiles f = parse(&p);
	assert_string_equal(f.files[0].url,
			    "https://me:pw@i.example/simple/nvidia-nvvm/" NVVM "1" X86);
	assert_string_equal(f.files[1].url, "https://o.example/" NVVM "2" X86);
	pyfiles_clear(&f);
}

static void test_kinds_of_answers(void **state)
{
	struct pypage p = page("  {\"files\":[]}", "text/plain");
	struct pyfiles f = parse(&p);
	assert_int_equal(f.n, 0);
	p = page("<html><head><title>Links for nvidia-nvvm</title></head></html>", "text/html");
	f = parse(&p);
	assert_int_equal(f.n, 0);
	p = page("<a href=\"/\">up</a>", "");
	f = parse(&p);
	assert_int_equal(f.n, 0);
}

static void test_no_index(void **state)
{
	struct err err =
		refused("<html><title>Sign in - Corp</title><form><input type=password></form>"
			"<a href=/help>help</a></html>",
			"text/html");
	assert_non_null(strstr(err.msg, "'Sign in - Corp'"));
	assert_non_null(strstr(err.hint, "login"));
	err = refused("<html><body><h1>It works!</h1></body></html>", "text/html");
	assert_non_null(strstr(err.msg, "no package index"));
	refused("", "text/html");
	assert_non_null(strstr(refused("{\"files\":", "application/json").msg, "broken JSON"));
	assert_non_null(strstr(refused("{\"error\":\"x\"}", "application/json").msg, "'files'"));
	assert_non_null(strstr(refused("[1]", "application/json").msg, "'files'"));
	assert_non_null(strstr(refused("{\"files\":[1]}", "application/json").msg, "no object"));
	assert_non_null(
		strstr(refused("{\"files\":[{\"url\":\"x\"}]}", "x/json").msg, "'filename'"));
	assert_non_null(
		strstr(refused("{\"files\":[{\"filename\":\"x\"}]}", "x/json").msg, "'url'"));
	assert_non_null(strstr(
		refused("{\"files\":[{\"filename\":\"x\",\"url\":\"x\",\"hashes\":1}]}", "x/json")
			.msg,
		"'hashes'"));
	assert_non_null(
		strstr(refused("{\"meta\":{\"api-version\":\"2.0\"},\"files\":[]}", "x/json").msg,
		       "api-version"));
}

static void add(struct pyfiles *f, const char *file, const char *sha256, bool yanked)
{
	struct pyfile one = {.yanked = yanked};
	assert_true(wheelname_parse(file, "x86_64", &one.name, &one.fits));
	one.file = xstrdup(file);
	one.url = xasprintf("https://h%zu.example/%s", f->n, file);
	memcpy(one.sha256, sha256, strlen(sha256) + 1);
	pyfiles_add(f, one);
}

static const char *picked(const struct pyfiles *f, const char *cond, bool newest)
{
	struct pyspec spec;
	assert_true(pyspec_parse(cond, strlen(cond), &spec));
	const struct pyfile *p = pyfiles_pick(f, &spec, newest);
	return p ? p->file : "none";
}

static void test_pick(void **state)
{
	struct pyfiles f = {0};
	add(&f, NVVM "13.5.37" X86, H1, false);
	add(&f, NVVM "13.5.37.2" X86, H1, true);
	add(&f, NVVM "13.5.37.1" X86, H1, false);
	add(&f, NVVM "13.6.1rc1" X86, H1, false);
	add(&f, NVVM "13.6.5" ARM, H1, false);
	add(&f, NVVM "13.5.9" X86, H1, false);
	add(&f, NVVM "14.0.1" X86, H1, false);
	assert_string_equal(picked(&f, "==13.5.37.*", true), NVVM "13.5.37.1" X86);
	assert_string_equal(picked(&f, "<14,>=13.5.37", false), NVVM "13.5.37" X86);
	assert_string_equal(picked(&f, "<14,>=13.5.37", true), NVVM "13.5.37.1" X86);
	assert_string_equal(picked(&f, "", true), NVVM "14.0.1" X86);
	assert_string_equal(picked(&f, "==13.6.*", true), "none");
	assert_string_equal(picked(&f, "==13.5.37.2", true), "none");
	pyfiles_clear(&f);
}

static void test_pick_of_equals(void **state)
{
	struct pyfiles f = {0};
	add(&f, NVVM "1-py3-none-manylinux_2_34_x86_64.whl", H1, false);
	add(&f, NVVM "1-py3-none-manylinux_2_17_x86_64.whl", H1, false);
	assert_string_equal(picked(&f, "==1", true), NVVM "1-py3-none-manylinux_2_17_x86_64.whl");
	add(&f, NVVM "1-2-py3-none-manylinux_2_28_x86_64.whl", H1, false);
	assert_string_equal(picked(&f, "==1", true), NVVM "1-2-py3-none-manylinux_2_28_x86_64.whl");
	add(&f, NVVM "1-3-py3-none-manylinux_2_28_x86_64.whl", "", false);
	assert_string_equal(picked(&f, "==1", true), NVVM "1-2-py3-none-manylinux_2_28_x86_64.whl");
	pyfiles_clear(&f);
}

static void test_sources(void **state)
{
	struct pyfiles f = {0};
	autostrlist struct strlist urls = {0};
	char sha256[65];
	struct err err = {0};
	add(&f, NVVM "1" X86, "", false);
	add(&f, NVVM "1" X86, H1, false);
	add(&f, NVVM "1" X86, H2, false);
	add(&f, NVVM "1" X86, H1, false);
	add(&f, NVVM "2" X86, H1, false);
	assert_true(pyfiles_source(&f, &f.files[0], sha256, &urls, &err));
	assert_string_equal(sha256, H1);
	assert_int_equal(urls.n, 3); /* not the one with another digest */
	/* A local copy is the first choice, its digest is still that of the index. */
	scratch_file("x.whl", "abc");
	f.files[2].path = xstrdup("x.whl");
	f.files[2].sha256[0] = '\0';
	strlist_clear(&urls);
	assert_true(pyfiles_source(&f, &f.files[0], sha256, &urls, &err));
	assert_string_equal(sha256, H1);
	assert_string_equal(urls.items[0], f.files[2].url);
	assert_int_equal(urls.n, 4);
	pyfiles_clear(&f);
}

static void test_sources_without_digest(void **state)
{
	struct pyfiles f = {0};
	autostrlist struct strlist urls = {0};
	char sha256[65];
	struct err err = {0};
	add(&f, NVVM "1" X86, "", false);
	assert_false(pyfiles_source(&f, &f.files[0], sha256, &urls, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	assert_non_null(strstr(err.msg, f.files[0].file));
	scratch_file("x.whl", "abc");
	f.files[0].path = xstrdup("x.whl");
	assert_true(pyfiles_source(&f, &f.files[0], sha256, &urls, &err));
	assert_string_equal(sha256,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	pyfiles_clear(&f);
}

static struct pysite site(enum pysite_kind kind, const char *sub)
{
	autofree char *cwd = getcwd(NULL, 0);
	autofree char *path = xasprintf("%s/%s", cwd, sub);
	struct pysite s = {.kind = kind, .words = xasprintf("'%s'", sub)};
	s.url = kind == PYSITE_FOLDER ? xstrdup(path) : pyurl_from_path(path);
	return s;
}

static void put(const char *dir, const char *name, const char *text)
{
	struct err err;
	autofree char *path = xasprintf("%s/%s", dir, name);
	assert_true(tree_mkdirs(dir, &err));
	scratch_file(path, text);
}

/* Folders, local indexes and a page of links, all without a network. */
static void test_sites(void **state)
{
	struct err err;
	struct fetch_opts fetch = {.offline = true, .events = &events};
	struct pysite sites[] = {site(PYSITE_FOLDER, "wheels"), site(PYSITE_INDEX, "idx"),
				 site(PYSITE_INDEX, "down"), site(PYSITE_PAGE, "links.html")};
	struct pyconf conf = {.sites = sites, .n = ARRAY_LEN(sites)};
	struct pyindex ix;
	put("wheels", NVVM "1" X86, "one");
	put("wheels", "README", "x");
	put("idx/nvidia-nvvm", "index.html",
	    "<title>Links for nvidia-nvvm</title><a href=../../f/" NVVM "1" X86 "#sha256=" H1
	    ">x</a>");
	put(".", "links.html",
	    "<a href=" NVVM "2" X86 "#sha256=" H1 ">x</a><a href=other-1-py3-none-any.whl>y</a>");
	put("down/nvidia-nvvm", "index.html", "{\"files\": 1}");
	assert_true(pyindex_init(&ix, &conf, "x86_64", &fetch, NULL, &err));
	notes[0] = '\0';
	struct pyquery q[] = {{.project = "nvidia-nvvm"}, {.project = "nvidia-x"}};
	assert_true(pyindex_get(&ix, q, 2, &err));
	const struct pyfile *f = q[0].files.files;
	assert_true(q[0].ok);
	assert_int_equal(q[0].files.n, 3);
	assert_non_null(f[0].path);
	assert_string_equal(f[1].sha256, H1);
	assert_non_null(strstr(f[1].path, "/f/" NVVM "1" X86));
	assert_string_equal(f[2].name.version, "2");
	assert_non_null(strstr(notes, "left out: the package index 'down' sent: "));
	assert_non_null(strstr(notes, "'files'"));
	assert_false(q[1].ok);
	assert_int_equal(q[1].err.code, ERR_NETWORK);
	assert_int_equal(q[1].err.sys, ENOENT);
	assert_non_null(strstr(q[1].err.msg, "'nvidia-x'"));
	assert_non_null(strstr(q[1].err.msg, "'down' which does not answer"));
	pyqueries_clear(q, 2);
	pyindex_clear(&ix);
	for (size_t i = 0; i < ARRAY_LEN(sites); i++) {
		free(sites[i].url);
		free(sites[i].words);
	}
}

static void test_only_site_down(void **state)
{
	struct err err;
	struct fetch_opts fetch = {.offline = true, .events = &events};
	struct pysite s = {.kind = PYSITE_INDEX,
			   .url = xstrdup("https://me:secret@i.example/simple"),
			   .words = xstrdup("'https://***@i.example/simple' (from PIP_INDEX_URL)")};
	struct pyconf conf = {.sites = &s, .n = 1};
	struct pyindex ix;
	struct pyquery q = {.project = "nvidia-nvvm"};
	assert_true(pyindex_init(&ix, &conf, "x86_64", &fetch, NULL, &err));
	assert_true(pyindex_get(&ix, &q, 1, &err));
	assert_false(q.ok);
	assert_int_equal(q.err.code, ERR_NETWORK);
	assert_non_null(strstr(q.err.msg, "from PIP_INDEX_URL"));
	assert_non_null(strstr(q.err.msg, "offline"));
	assert_null(strstr(q.err.msg, "secret"));
	pyindex_clear(&ix);
	free(s.url);
	free(s.words);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_login_stays_on_its_host),
		cmocka_unit_test(test_kinds_of_answers),
		cmocka_unit_test(test_no_index),
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_pick_of_equals),
		TEST(test_sources),
		TEST(test_sources_without_digest),
		TEST(test_sites),
		TEST(test_only_site_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
