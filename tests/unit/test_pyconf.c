#include "scratch.h"

#include "base/buf.h"
#include "core/config.h"
#include "core/pipconf.h"
#include "core/pyconf.h"
#include "core/pytool.h"
#include "core/pyurl.h"
#include "core/uvconf.h"

static char notes[4096];

static void listen(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_NOTE || ev->kind == EVENT_WARNING)
		snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", ev->text);
}
static const struct events events = {.fn = listen};

/* An environment that says nothing, and a working folder that is HOME. */
static int enter(void **state)
{
	static const char *const vars[] = {
		"UV_DEFAULT_INDEX",
		"UV_INDEX",
		"UV_INDEX_URL",
		"UV_EXTRA_INDEX_URL",
		"UV_FIND_LINKS",
		"UV_NO_INDEX",
		"UV_INSECURE_HOST",
		"UV_CONFIG_FILE",
		"UV_NO_CONFIG",
		"PIP_INDEX_URL",
		"PIP_EXTRA_INDEX_URL",
		"PIP_FIND_LINKS",
		"PIP_NO_INDEX",
		"PIP_CONFIG_FILE",
		"PIP_CERT",
		"PIP_TRUSTED_HOST",
		"SSL_CERT_FILE",
		"REQUESTS_CA_BUNDLE",
		"CURL_CA_BUNDLE",
		"VIRTUAL_ENV",
		"XDG_CONFIG_HOME",
	};
	if (scratch_enter(state) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(vars); i++)
		unsetenv(vars[i]);
	setenv("HOME", *state, 1);
	autofree char *xdg = xasprintf("%s/xdg", (char *)*state);
	setenv("XDG_CONFIG_DIRS", xdg, 1);
	setenv("PATH", *state, 1); /* no pip, no uv */
	notes[0] = '\0';
	return 0;
}

static void file_below(const char *dir, const char *name, const char *text)
{
	struct err err;
	autofree char *path = xasprintf("%s/%s", dir, name);
	assert_true(tree_mkdirs(dir, &err));
	scratch_file(path, text);
}

static struct config config_with(const char *index)
{
	struct config cfg = {0};
	cfg.v[CONFIG_INDEX].value = xstrdup(index);
	cfg.v[CONFIG_INDEX].origin = xstrdup("'/r/config.ini' line 3");
	return cfg;
}

/* "I url", "F path" or "P url" for each site, a line each. */
static void expect(const char *index, const char *want)
{
	struct config cfg = config_with(index);
	struct pyconf c;
	struct err err;
	autobuf struct buf b = BUF_INIT(1 << 16);
	if (!pyconf_load(&c, &cfg, &events, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < c.n; i++)
		buf_addf(&b, "%c %s\n", "FIP"[c.sites[i].kind], c.sites[i].url);
	assert_string_equal(buf_str(&b), want);
	pyconf_clear(&c);
	config_clear(&cfg);
}

static struct err refused(const char *index)
{
	struct config cfg = config_with(index);
	struct pyconf c;
	struct err err = {0};
	assert_false(pyconf_load(&c, &cfg, &events, &err));
	config_clear(&cfg);
	return err;
}

static void test_pip_variables(void **state)
{
	setenv("PIP_INDEX_URL", "https://a.example/simple/", 1);
	setenv("PIP_EXTRA_INDEX_URL",
	       " https://b.example/x\n  https://c.example https://b.example/x", 1);
	expect("", "I https://a.example/simple\nI https://b.example/x\nI https://c.example\n");
}

static void test_own_index_wins(void **state)
{
	setenv("PIP_INDEX_URL", "https://a.example", 1);
	setenv("UV_INDEX", "https://u.example", 1);
	file_below(".config/pip", "pip.conf", "broken");
	expect("https://own.example/s https://two.example",
	       "I https://own.example/s\nI https://two.example\n");
	assert_non_null(strstr(notes, "pip.conf' line 1"));
	struct config cfg = config_with("https://user:secret@own.example");
	struct pyconf c;
	struct err err;
	assert_true(pyconf_load(&c, &cfg, &events, &err));
	assert_null(strstr(c.sites[0].words, "secret"));
	assert_non_null(strstr(c.sites[0].words, "'/r/config.ini' line 3"));
	assert_string_equal(c.sites[0].url, "https://user:secret@own.example");
	pyconf_clear(&c);
	config_clear(&cfg);
}

static void test_uv_variables(void **state)
{
	setenv("UV_INDEX", "corp=https://u.example/a https://v.example/b?x=y", 1);
	setenv("UV_INDEX_CORP_USERNAME", "me", 1);
	setenv("UV_INDEX_CORP_PASSWORD", "p@ss/1", 1);
	setenv("PIP_INDEX_URL", "https://pip.example", 1);
	setenv("PIP_EXTRA_INDEX_URL", "https://extra.example", 1);
	expect("", "I https://me:p%40ss%2F1@u.example/a\nI https://v.example/b?x=y\n"
		   "I https://pip.example\nI https://extra.example\n");
	setenv("UV_INDEX_URL", "https://uv.example", 1);
	unsetenv("UV_INDEX");
	expect("", "I https://uv.example\nI https://extra.example\n");
	setenv("UV_DEFAULT_INDEX", "https://newer.example", 1);
	expect("", "I https://newer.example\nI https://extra.example\n");
	unsetenv("UV_INDEX_CORP_USERNAME");
	unsetenv("UV_INDEX_CORP_PASSWORD");
}

static void test_pip_files(void **state)
{
	file_below("xdg/pip", "pip.conf",
		   "[global]\nindex-url = https://site.example\n"
		   "[install]\nextra-index-url = https://install.example\n");
	file_below(".config/pip", "pip.conf",
		   "# mine\n[global]\nINDEX_URL: https://mine.example\nextra-index-url =\n"
		   "    https://x.example\n    # not this\n    https://y.example\n\n[list]\n"
		   "index-url = https://no.example\n");
	/* [install] counts more than [global], also from an earlier file */
	expect("", "I https://mine.example\nI https://install.example\n");
	file_below("venv", "pip.conf",
		   "[install]\nextra-index-url=\n https://v.example\n\thttps://w.example\r\n");
	autofree char *venv = xasprintf("%s/venv", (char *)*state);
	setenv("VIRTUAL_ENV", venv, 1);
	expect("", "I https://mine.example\nI https://v.example\nI https://w.example\n");
	/* One file in place of the user's own */
	scratch_file("other.conf", "[global]\nindex-url = https://other.example\n");
	setenv("PIP_CONFIG_FILE", "other.conf", 1);
	unsetenv("VIRTUAL_ENV");
	expect("", "I https://other.example\nI https://install.example\n");
	setenv("PIP_CONFIG_FILE", "missing.conf", 1);
	expect("", "I https://mine.example\nI https://install.example\n");
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("PIP_INDEX_URL", "https://env.example", 1);
	expect("", "I https://env.example\n");
}

static void test_old_user_file(void **state)
{
	file_below(".pip", "pip.conf", "[global]\nindex-url = https://old.example\n");
	expect("", "I https://old.example\n");
	autofree char *config = xasprintf("%s/conf", (char *)*state);
	setenv("XDG_CONFIG_HOME", config, 1);
	file_below("conf/pip", "pip.conf",
		   "\xef\xbb\xbf[global]\nindex-url = https://new.example\n");
	expect("", "I https://new.example\n");
}

static void test_uv_files(void **state)
{
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	file_below("xdg/uv", "uv.toml", "index-url = 'https://site.example'\n");
	file_below(".config/uv", "uv.toml",
		   "extra-index-url = ['https://e1.example', 'https://e2.example']\n"
		   "find-links = ['https://links.example/all.html']\n"
		   "[[index]]\nname = 'a-b'\nurl = 'https://i1.example/s'\n"
		   "[[index]]\nname = 'torch'\nurl = 'https://no.example'\nexplicit = true\n"
		   "[[index]]\nurl = 'https://main.example'\ndefault = true\n"
		   "[[index]]\nurl = 'https://flat.example'\nformat = 'flat'\n");
	setenv("UV_INDEX_A_B_USERNAME", "token", 1);
	expect("", "I https://e1.example\nI https://e2.example\nI https://token:@i1.example/s\n"
		   "I https://main.example\nP https://links.example/all.html\nP "
		   "https://flat.example\n");
	unsetenv("UV_INDEX_A_B_USERNAME");
	scratch_file("own.toml", "[pip]\nindex-url = 'https://pip-table.example'\n");
	setenv("UV_CONFIG_FILE", "own.toml", 1);
	expect("", "I https://pip-table.example\n");
	/* pip's own setting stands before uv's file */
	unsetenv("PIP_CONFIG_FILE");
	file_below(".config/pip", "pip.conf", "[global]\nindex-url = https://mine.example\n");
	expect("", "I https://mine.example\n");
	setenv("UV_NO_CONFIG", "1", 1);
	expect("", "I https://mine.example\n");
}

static void test_links(void **state)
{
	struct err err;
	const char *here = *state;
	assert_true(tree_mkdirs("my wheels", &err));
	scratch_file("page.html", "<a href=x.whl>");
	setenv("PIP_FIND_LINKS", "page.html missing ~ https://l.example/x", 1);
	setenv("UV_FIND_LINKS", "my wheels,", 1);
	setenv("PIP_INDEX_URL", "https://a.example", 1);
	autobuf struct buf coded = BUF_INIT(4096);
	for (const char *p = here; *p; p++)
		*p == ' ' ? buf_adds(&coded, "%20") : buf_addc(&coded, *p);
	autofree char *want = xasprintf("F %s/my wheels\nF %s\nI https://a.example\n"
					"P file://%s/page.html\nP https://l.example/x\n",
					here, here, buf_str(&coded));
	expect("", want);
}

static void test_no_index(void **state)
{
	setenv("PIP_INDEX_URL", "https://a.example", 1);
	setenv("PIP_NO_INDEX", "1", 1);
	struct err err = refused("");
	assert_int_equal(err.code, ERR_NETWORK);
	assert_non_null(strstr(err.msg, "PIP_NO_INDEX"));
	assert_string_equal(err.hint, "cudaenv config set index URL");
	setenv("PIP_FIND_LINKS", ".", 1);
	autofree char *want = xasprintf("F %s/.\n", (char *)*state);
	expect("", want);
	setenv("PIP_NO_INDEX", "0", 1);
	unsetenv("PIP_FIND_LINKS");
	expect("", "I https://a.example\n");
	setenv("UV_NO_INDEX", "1", 1);
	err = refused("");
	assert_non_null(strstr(err.msg, "UV_NO_INDEX"));
}

static void test_local_index(void **state)
{
	struct err err;
	assert_true(tree_mkdirs("idx", &err));
	setenv("PIP_INDEX_URL", "./idx", 1);
	struct config cfg = config_with("");
	struct pyconf c;
	assert_true(pyconf_load(&c, &cfg, &events, &err));
	autofree char *path = pyurl_to_path(c.sites[0].url);
	autofree char *want = xasprintf("%s/./idx", (char *)*state);
	assert_string_equal(path, want);
	assert_null(strchr(c.sites[0].url, ' '));
	pyconf_clear(&c);
	config_clear(&cfg);
}

static void test_bad_values(void **state)
{
	struct err err = refused("ftp://h.example/simple");
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "'/r/config.ini' line 3"));
	assert_non_null(strstr(err.msg, "ftp://h.example"));
	setenv("PIP_INDEX_URL", "mirror.example/simple", 1);
	err = refused("");
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "PIP_INDEX_URL"));
	unsetenv("PIP_INDEX_URL");
	file_below(".config/pip", "pip.conf", "[global]\nindex-url\n");
	err = refused("");
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "pip.conf' line 2"));
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	file_below(".config/uv", "uv.toml", "index-url = \n");
	err = refused("");
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "uv.toml' line 1"));
}

static void test_certificates(void **state)
{
	scratch_file("ca.pem", "x");
	scratch_file("ssl.pem", "x");
	struct config cfg = config_with("https://a.example");
	struct pyconf c;
	struct err err;
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("SSL_CERT_FILE", "ssl.pem", 1);
	assert_true(pyconf_load(&c, &cfg, &events, &err));
	assert_non_null(strstr(c.ca_file, "/ssl.pem"));
	pyconf_clear(&c);
	setenv("PIP_CERT", "ca.pem", 1);
	assert_true(pyconf_load(&c, &cfg, &events, &err));
	assert_non_null(strstr(c.ca_file, "/ca.pem"));
	pyconf_clear(&c);
	setenv("PIP_CERT", "gone.pem", 1);
	assert_false(pyconf_load(&c, &cfg, &events, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "PIP_CERT"));
	config_clear(&cfg);
}

static void test_trusted_host(void **state)
{
	setenv("PIP_INDEX_URL", "https://a.example", 1);
	setenv("PIP_TRUSTED_HOST", "a.example", 1);
	expect("", "I https://a.example\n");
	assert_non_null(strstr(notes, "PIP_TRUSTED_HOST"));
}

static void test_plain_http(void **state)
{
	setenv("PIP_INDEX_URL", "http://me:secret@mirror.example/simple", 1);
	setenv("PIP_EXTRA_INDEX_URL", "http://127.0.0.1:8080/simple http://localhost/x", 1);
	expect("", "I http://me:secret@mirror.example/simple\nI http://127.0.0.1:8080/simple\n"
		   "I http://localhost/x\n");
	assert_non_null(
		strstr(notes, "mirror.example/simple' (from PIP_INDEX_URL) is not encrypted"));
	assert_null(strstr(notes, "secret"));
	assert_null(strstr(notes, "localhost"));
	assert_null(strstr(notes, "127."));
}

static void script(const char *name, const char *text)
{
	scratch_file(name, text);
	assert_int_equal(chmod(name, 0755), 0);
}

static void test_tool_default(void **state)
{
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	struct err err = refused("");
	assert_int_equal(err.code, ERR_NETWORK);
	assert_string_equal(err.hint, "cudaenv config set index URL");
	autofree char *path = xasprintf("%s:/bin:/usr/bin", (char *)*state);
	setenv("PATH", path, 1);
	script("uv", "#!/bin/sh\nexit 2\n");
	script("python3",
	       "#!/bin/sh\n[ \"$1\" = -m ] && [ \"$2\" = pip ] && [ \"$COLUMNS\" = 1000 ] &&\n"
	       "[ \"$PWD\" = / ] && echo '  -i, --index-url <url>  Base URL (default\n"
	       "      https://p.example/simple). This'\n");
	expect("", "I https://p.example/simple\n");
	script("python3", "#!/bin/sh\n[ \"$1\" = -c ] && echo https://quick.example/simple\n");
	expect("", "I https://quick.example/simple\n");
	script("uv", "#!/bin/sh\necho '--default-index <X>  The index (by default: "
		     "<https://u.example/s>)'\n");
	expect("", "I https://u.example/s\n");
}

static void test_help_texts(void **state)
{
	static const struct {
		const char *help, *want;
	} cases[] = {
		{"Package Index Options:\n  -i, --index-url <url>       Base URL of the Package "
		 "Index (default\n"
		 "                              https://m.example/simple). This should\n",
		 "https://m.example/simple"},
		{"      --index <INDEX>\n  over --default-index, default: none [env: UV_INDEX]\n"
		 "      --default-index <DEFAULT_INDEX>\n          The default package index (by "
		 "default: "
		 "<https://m.example/simple>) [env:",
		 "https://m.example/simple"},
		{"--index-url <INDEX_URL>  (Deprecated) The URL (by\n   default: "
		 "<https://m.example/x>)",
		 "https://m.example/x"},
		{"--index-url URL [default: http://10.0.0.1:8080/root/+simple/]",
		 "http://10.0.0.1:8080/root/+simple/"},
		{"--timeout (default 15) --docs (default https://d.example)", NULL},
		{"--index-url <url> (default none)", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *url = pytool_parse(cases[i].help);
		if (cases[i].want)
			assert_string_equal(url, cases[i].want);
		else
			assert_null(url);
	}
}

static void test_urls(void **state)
{
	static const struct {
		const char *url, *from, *want;
	} cases[] = {
		{"https://h.example/x", "https://u:p@h.example/s", "https://u:p@h.example/x"},
		{"HTTPS://H.example/x", "https://u@h.example/s", "HTTPS://u@H.example/x"},
		{"https://files.example/x", "https://u:p@h.example/s", "https://files.example/x"},
		{"http://h.example/x", "https://u:p@h.example/s", "http://h.example/x"},
		{"https://h.example:8443/x", "https://u:p@h.example/s", "https://h.example:8443/x"},
		{"https://o@h.example/x", "https://u:p@h.example/s", "https://o@h.example/x"},
		{"https://h.example/a@b", "https://u:p@h.example", "https://u:p@h.example/a@b"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *url = pyurl_with_login(cases[i].url, cases[i].from);
		assert_string_equal(url, cases[i].want);
		autofree char *bare = pyurl_without_login(cases[i].want);
		assert_null(strstr(bare, "u:p@"));
	}
	autofree char *path = pyurl_to_path("file://localhost/a%20b/%2Bc?x#y");
	assert_string_equal(path, "/a b/+c");
	assert_null(pyurl_to_path("file://host/x"));
	assert_null(pyurl_to_path("file:///a%00b"));
	assert_null(pyurl_to_path("https://h/x"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pip_variables), TEST(test_own_index_wins), TEST(test_uv_variables),
		TEST(test_pip_files),	  TEST(test_old_user_file),  TEST(test_uv_files),
		TEST(test_links),	  TEST(test_no_index),	     TEST(test_local_index),
		TEST(test_bad_values),	  TEST(test_certificates),   TEST(test_trusted_host),
		TEST(test_plain_http),	  TEST(test_tool_default),   TEST(test_help_texts),
		TEST(test_urls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
