#include "scratch.h"

#include "base/buf.h"
#include "core/aptconf.h"
#include "core/aptrelease.h"
#include "core/aptsources.h"
#include "core/armor.h"

/* What was told, one line each. */
static void on_event(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_WARNING)
		buf_addf(ctx, "%s\n", ev->text);
}

static void settings(void **state)
{
	static const struct {
		const char *text, *key, *value;
	} cases[] = {
		{"Acquire::http::Proxy \"http://p:1/\";", "Acquire::http::Proxy", "http://p:1/"},
		{"acquire::HTTP::proxy http://p:1/;", "Acquire::http::Proxy", "http://p:1/"},
		{"Acquire { http { Proxy \"x\"; }; };", "acquire::http::proxy", "x"},
		{"Acquire{http{Proxy\"x\";Timeout 3;};Retries\"5\";};", "acquire::retries", "5"},
		{"Acquire { http::Proxy \"x\"; };", "acquire::http::proxy", "x"},
		{"// A \"1\";\n/* A \"2\"; */\n# A \"3\";\nA \"4\"; // x\n", "A", "4"},
		{"A \"1\";\nA \"2\";", "A", "2"},
		{"A \"a;b{c}\";", "A", "a;b{c}"},
		{"APT::NeverAutoRemove {\"^x$\";\"y\";};B \"1\";", "B", "1"},
		{"DPkg::Post-Invoke { \"rm -f /x || true\"; };B \"1\";", "B", "1"},
		{"#clear X;\nB \"1\";", "B", "1"},
		/* What comes before the damage counts. */
		{"B \"1\"; A \"open", "B", "1"},
		{"B \"1\"; }; A { {", "B", "1"},
		{"A \"1\" B \"2\";", "B", NULL},
		{"", "A", NULL},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct aptconf c = {0};
		aptconf_parse(&c, cases[i].text);
		const char *value = aptconf_get(&c, cases[i].key);
		if (cases[i].value ? !value || strcmp(value, cases[i].value) != 0 : value != NULL)
			fail_msg("case %zu: %s", i, value ? value : "not set");
		aptconf_clear(&c);
	}
}

static void proxies(void **state)
{
	static const char text[] = "Acquire { http { Proxy \"http://p:1\"; Proxy::near \"DIRECT\";"
				   " Proxy::far.org \"http://q:2\"; }; };\n"
				   "Acquire::https::Proxy::tls.org \"http://t:3\";";
	static const char *const cases[][2] = {
		{"http://mirror.example/debian", "http://p:1"},
		{"https://mirror.example/debian", "http://p:1"},
		{"http://near:8080/x", ""},
		{"http://u:pw@far.org/x", "http://q:2"},
		{"https://tls.org", "http://t:3"},
		{"file:///srv/x", NULL},
	};
	struct aptconf c = {0}, none = {0};
	(void)state;
	aptconf_parse(&c, text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *proxy = aptconf_proxy(&c, cases[i][0]);
		autofree char *without = aptconf_proxy(&none, cases[i][0]);
		assert_null(without);
		if (cases[i][1] ? !proxy || strcmp(proxy, cases[i][1]) != 0 : proxy != NULL)
			fail_msg("%s: %s", cases[i][0], proxy ? proxy : "none");
	}
	aptconf_parse(&c, "A::Flag \"No\"; A::Other \"maybe\";");
	assert_false(aptconf_flag(&c, "a::flag", true));
	assert_true(aptconf_flag(&c, "a::other", true));
	assert_false(aptconf_flag(&c, "a::absent", false));
	aptconf_clear(&c);
}

static void write_tree(void)
{
	struct err err;
	assert_true(tree_mkdirs("root/etc/apt/sources.list.d", &err));
	assert_true(tree_mkdirs("root/etc/apt/apt.conf.d", &err));
	scratch_file("root/etc/apt/sources.list", "deb http://a.org/debian bookworm main\n");
	scratch_file("root/etc/apt/sources.list.d/b.sources",
		     "Types: deb\nURIs: http://b.org\nSuites: x/\n");
	scratch_file("root/etc/apt/sources.list.d/a.list", "deb http://c.org y main\n");
	scratch_file("root/etc/apt/sources.list.d/a.list.save", "deb http://no.org y main\n");
	scratch_file("root/etc/apt/sources.list.d/c~.list", "deb http://no.org y main\n");
	scratch_file("root/etc/apt/apt.conf.d/10a", "A \"1\"; B \"1\";");
	scratch_file("root/etc/apt/apt.conf.d/20b.conf", "B \"2\";");
	scratch_file("root/etc/apt/apt.conf.d/30c.bak", "B \"3\";");
	scratch_file("root/etc/apt/apt.conf", "C \"3\";");
}

static void a_root_of_its_own(void **state)
{
	struct aptconf c;
	struct aptsources s;
	(void)state;
	write_tree();
	autofree char *cwd = getcwd(NULL, 0);
	autofree char *text = xasprintf("Dir \"%s/root/\"; C \"0\";", cwd);
	scratch_file("first.conf", text);
	setenv("APT_CONFIG", "first.conf", 1);
	aptconf_load(&c, NULL);
	assert_string_equal(aptconf_get(&c, "A"), "1");
	assert_string_equal(aptconf_get(&c, "B"), "2");
	assert_string_equal(aptconf_get(&c, "C"), "3");
	autofree char *parts = aptconf_path(&c, APTCONF_TRUSTEDPARTS);
	autofree char *want = xasprintf("%s/root//etc/apt/trusted.gpg.d", cwd);
	assert_string_equal(parts, want);
	aptsources_load(&s, &c, NULL);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.items[0].uri, "http://a.org/debian");
	assert_string_equal(s.items[1].uri, "http://c.org");
	assert_string_equal(s.items[2].suite, "x/");
	aptsources_clear(&s);
	aptconf_parse(&c, "Dir::Etc::sourceparts \"/dev/null\"; Dir::Etc::sourcelist \"/none\";");
	aptsources_load(&s, &c, NULL);
	assert_int_equal(s.n, 0);
	aptsources_clear(&s);
	aptconf_clear(&c);
	unsetenv("APT_CONFIG");
}

static void add_words(struct buf *out, const char *name, const struct strlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "%s%s", i ? "," : name, l->items[i]);
}

/* "uri suite comp,comp arch=... keys=... +trusted -valid @line", and what was told in brackets. */
static void describe(const char *path, const char *text, size_t n, struct buf *out)
{
	struct aptsources s = {0};
	autobuf struct buf told = BUF_INIT(4096);
	struct events ev = {on_event, &told};
	aptsources_parse(&s, path, text, n, &ev);
	for (size_t i = 0; i < s.n; i++) {
		const struct aptsource *x = &s.items[i];
		buf_addf(out, "%s%s %s", i ? "; " : "", x->uri, x->suite);
		add_words(out, " ", &x->components);
		add_words(out, " arch=", &x->archs);
		add_words(out, " keys=", &x->keys);
		if (x->key_block)
			buf_addf(out, " block=%zu", strlen(x->key_block));
		if (x->trusted == APTSOURCE_YES)
			buf_adds(out, " +trusted");
		if (x->check_valid_until == APTSOURCE_NO)
			buf_adds(out, " -valid");
		buf_addf(out, " @%s", strstr(x->where, "line ") + 5);
	}
	if (told.len)
		buf_addf(out, "[%s]", buf_str(&told));
	aptsources_clear(&s);
}

static void check_sources(const char *path, const char *const (*cases)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		autobuf struct buf out = BUF_INIT(8192);
		describe(path, cases[i][0], strlen(cases[i][0]), &out);
		if (cases[i][1][0] == '~' ? !strstr(buf_str(&out), cases[i][1] + 1)
					  : strcmp(buf_str(&out), cases[i][1]) != 0)
			fail_msg("%s case %zu: '%s'", path, i, buf_str(&out));
	}
}

static void lines(void **state)
{
	static const char *const cases[][2] = {
		{"deb http://x.org/d/ bookworm main non-free\n",
		 "http://x.org/d bookworm main,non-free @1"},
		{"# c\n\n  deb\thttp://x.org  s main # c\ndeb-src http://x.org s main",
		 "http://x.org s main @3"},
		{"deb [arch=amd64,i386 signed-by=/k.gpg trusted=yes] https://x.org s main\r\n",
		 "https://x.org s main arch=amd64,i386 keys=/k.gpg +trusted @1"},
		{"deb [ check-valid-until=no arch+=i386 lang=en ] http://x.org s main",
		 "http://x.org s main -valid @1"},
		{"deb http://x.org/y ./", "http://x.org/y ./ @1"},
		{"deb http://x.org/y/ /", "http://x.org/y / @1"},
		{"deb file:/srv/x s main\ndeb file:///srv/y/ s main\ndeb copy:/srv/z s main",
		 "file:///srv/x s main @1; file:///srv/y s main @2; file:///srv/z s main @3"},
		{"deb cdrom:[Debian GNU/Linux 12 _Bookworm_ - Official]/ bookworm main", ""},
		{"deb mirror+file:/m s main\ndeb tor+http://x.onion s main\ndeb ssh://h s main",
		 ""},
		{"deb file: s main\ndeb http:// s main", ""},
		{"deb http://x.org s", "~'F.list' line 1: no components behind the suite"},
		{"\ndeb http://x.org", "~'F.list' line 2: no suite"},
		{"deb", "~'F.list' line 1: no URI"},
		{"deb s main", "~'F.list' line 1: no URI"},
		{"deb [arch=amd64 http://x.org s main", "~'F.list' line 1: '[' without ']'"},
		{"deb http://x.org y/ main", "~components behind a flat"},
		{"<html>\ndeb http://x.org s main", "~http://x.org s main @2['F.list' line 1"},
	};
	(void)state;
	check_sources("F.list", cases, ARRAY_LEN(cases));
	autobuf struct buf out = BUF_INIT(8192);
	static const char nul[] = "deb http://x.org\0 s main\ndeb http://y.org s main";
	describe("F.list", nul, sizeof nul - 1, &out);
	assert_string_equal(buf_str(&out), "http://y.org s main @2['F.list' line 1: it has a NUL "
					   "byte\n]");
}

static void paragraphs(void **state)
{
	static const char *const cases[][2] = {
		{"Types: deb\nURIs: http://x.org/\nSuites: a b\nComponents: main\n",
		 "http://x.org a main @1; http://x.org b main @1"},
		{"Types: deb deb-src\nURIs: http://x.org\nSuites: a\nComponents:\n main\n "
		 "non-free\n"
		 "Signed-By: /k.gpg\nTrusted: yes\nCheck-Valid-Until: no\nArchitectures: amd64\n",
		 "http://x.org a main,non-free arch=amd64 keys=/k.gpg +trusted -valid @1"},
		{"Types: deb\nURIs: http://x.org\nSuites: a\nComponents: m\nSigned-By:\n"
		 " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n xxxx\n"
		 " -----END PGP PUBLIC KEY BLOCK-----\n",
		 "http://x.org a m block=79 @1"},
		{"Enabled: no\nTypes: deb\nURIs: http://x.org\nSuites: a\nComponents: m\n", ""},
		{"Types: deb-src\nURIs: http://x.org\nSuites: a\nComponents: m\n", ""},
		{"# c\nTypes: deb\nURIs: http://x.org\nSuites: y/\n", "http://x.org y/ @2"},
		{"Types: deb\nSuites: a\n", "['F.sources' line 1: no 'URIs:'\n]"},
		{"\nURIs: http://x.org\nSuites: a\n", "['F.sources' line 2: no 'Types:'\n]"},
		{"Types: deb\nURIs: http://x.org\n", "['F.sources' line 1: no 'Suites:'\n]"},
		{"Types: deb\nURIs http://x.org\n", "~'F.sources' line 2: no 'Field: value'"},
		{"Types: deb\nURIs: cdrom:[x]/\nSuites: a\nComponents: m\n", ""},
	};
	(void)state;
	check_sources("F.sources", cases, ARRAY_LEN(cases));
}

static void armors(void **state)
{
	static const char key[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: 1\n\nbWVs\nbG8=\n"
				  "=AbCd\n-----END PGP PUBLIC KEY BLOCK-----\n";
	static const char bare[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\r\n\r\nbQ==\r\n"
				   "-----END PGP PUBLIC KEY BLOCK-----\r\n";
	static const char *const bad[] = {"", "mello",
					  "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nbWVs\n",
					  "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nb*Vs\n-----END "
					  "PGP PUBLIC KEY BLOCK-----\n",
					  "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nb=Vs\n-----END "
					  "PGP PUBLIC KEY BLOCK-----\n"};
	static const char text[] = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nA: x  \n"
				   "- -----B: y\n\n-----BEGIN PGP SIGNATURE-----\nxxx\n";
	autobuf struct buf out = BUF_INIT(256);
	(void)state;
	autofree char *twice = xasprintf("note\n%s%s", key, bare);
	assert_true(armor_keys(twice, &out));
	assert_string_equal(buf_str(&out), "mellom");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		buf_cut(&out, 0);
		if (armor_keys(bad[i], &out))
			fail_msg("bad armor %zu", i);
	}
	buf_cut(&out, 0);
	assert_true(armor_clear_text(text, &out));
	assert_string_equal(buf_str(&out), "A: x\n-----B: y\n\n");
	assert_false(armor_clear_text("A: x\n", &out));
	assert_false(armor_clear_text("-----BEGIN PGP SIGNED MESSAGE-----\nA\n", &out));
}

static void dates(void **state)
{
	static const struct {
		const char *text;
		long long seconds; /* -1: no date */
	} cases[] = {
		{"Thu, 01 Jan 1970 00:00:10 UTC", 10},
		{"Sat, 09 Aug 2025 09:16:30 UTC", 1754730990},
		{"Sat, 9 Aug 2025 09:16:30 GMT", 1754730990},
		{"Sat, 09 Aug 2025 09:16:30 +0200", -1},
		{"Sat, 09 Xug 2025 09:16:30 UTC", -1},
		{"09 Aug 2025", -1},
		{"", -1},
		{"Sat,", -1},
		{"x, anF 2025 09 09:16:30 UTC", -1},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		long long got = -1;
		bool ok = aptrelease_date(cases[i].text, &got);
		if (ok != (cases[i].seconds >= 0) || got != cases[i].seconds)
			fail_msg("'%s': %lld", cases[i].text, got);
	}
}

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void digests(void **state)
{
	char files[] = "\n" HEX " 12 main/binary-amd64/Packages\n" HEX
		       "    345 main/binary-amd64/Packages.xz\nxyz 1 bad\n" HEX " 7 Packages";
	struct aptrelease r = {.files = files};
	char sha[65];
	uint64_t size = 0;
	(void)state;
	assert_true(aptrelease_file(&r, "main/binary-amd64/Packages.xz", sha, &size));
	assert_string_equal(sha, HEX);
	assert_int_equal(size, 345);
	assert_true(aptrelease_file(&r, "Packages", sha, &size));
	assert_int_equal(size, 7);
	assert_false(aptrelease_file(&r, "bad", sha, &size));
	assert_false(aptrelease_file(&r, "Packages.x", sha, &size));
	r.files = NULL;
	assert_false(aptrelease_file(&r, "Packages", sha, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(proxies),
		cmocka_unit_test_setup_teardown(a_root_of_its_own, scratch_enter, scratch_leave),
		cmocka_unit_test(lines),
		cmocka_unit_test(paragraphs),
		cmocka_unit_test(armors),
		cmocka_unit_test(dates),
		cmocka_unit_test(digests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
