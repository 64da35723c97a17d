#include "ext/runfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "ext/runmanifest.h"

/* A file that is read in pieces of a given size. */
struct text {
	const char *data;
	size_t len, at, piece;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct text *t = ctx;
	(void)err;
	n = n < t->piece ? n : t->piece;
	n = n < t->len - t->at ? n : t->len - t->at;
	memcpy(buf, t->data + t->at, n);
	t->at += n;
	return (ptrdiff_t)n;
}

/* What the reader gives; false with *err. */
static bool read_all(const char *data, size_t len, size_t piece, bool check, struct buf *out,
		     struct err *err)
{
	struct text t = {data, len, 0, piece};
	struct runfile *rf = runfile_open(on_read, &t, check, "x.run");
	char buf[7];
	ptrdiff_t got;
	while ((got = runfile_read(rf, buf, sizeof buf, err)) > 0)
		assert_true(buf_add(out, buf, (size_t)got));
	/* The end stays the end. */
	if (got == 0)
		assert_int_equal(runfile_read(rf, buf, sizeof buf, err), 0);
	runfile_close(rf);
	return got == 0;
}

#define MD5_OF_CONTENT "9a0364b9e99bb480dd25e1f0284c8555" /* "content" */
#define SHA_OF_CONTENT "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
#define ZEROS "00000000000000000000000000000000"

/* wanted NULL: it is read, else words of the message. */
static const struct {
	const char *text;
	bool check;
	const char *wanted;
} cases[] = {
	{"#!/bin/sh\nfilesizes=\"7\"\nskip=\"3\"\ncontent", true, NULL},
	{"#!/bin/sh\nfilesizes=7\nskip=3\ncontent", true, NULL},
	/* 2.1 to 2.3: the number stands in the command that looks for the content. */
	{"#!/bin/sh\nfilesizes=\"7\"\noffset=`head -n 4 \"$0\" | wc -c`\nexit\ncontent", true,
	 NULL},
	{"#!/bin/sh\nMD5=\"" MD5_OF_CONTENT "\"\nfilesizes=\"7\"\nskip=\"4\"\ncontent", true, NULL},
	{"#!/bin/sh\nMD5=\"" ZEROS "\"\nfilesizes=\"7\"\nskip=\"4\"\ncontent", true, NULL},
	{"#!/bin/sh\nMD5=\"" ZEROS "\"\nSHA=\"" SHA_OF_CONTENT
	 "\"\nfilesizes=\"7\"\nskip=\"5\"\ncontent",
	 true, NULL},
	{"#!/bin/"
	 "sh\nMD5=\"9a0364b9e99bb480dd25e1f0284c8556\"\nfilesizes=\"7\"\nskip=\"4\"\ncontent",
	 true, "digest of its content"},
	/* Who knows the digest of the whole file need not look at the one inside. */
	{"#!/bin/"
	 "sh\nMD5=\"9a0364b9e99bb480dd25e1f0284c8556\"\nfilesizes=\"7\"\nskip=\"4\"\ncontent",
	 false, NULL},
	{"#!/bin/sh\nfilesizes=\"8\"\nskip=\"3\"\ncontent", true, "shorter than its script says"},
	{"#!/bin/sh\nfilesizes=\"6\"\nskip=\"3\"\ncontent", true, "longer than its script says"},
	{"#!/bin/sh\nfilesizes=\"99999999999999999999999\"\nskip=\"3\"\ncontent", true,
	 "no single size"},
	{"#!/bin/sh\nfilesizes=\"3 4\"\nskip=\"3\"\ncontent", true, "no single size"},
	{"#!/bin/sh\nfilesizes=\"-7\"\nskip=\"3\"\ncontent", true, "no single size"},
	{"#!/bin/sh\nfilesizes=\"7\"\nskip=\"0\"\ncontent", true, "no length of its own"},
	{"#!/bin/sh\nfilesizes=\"7\"\nskip=\"many\"\ncontent", true, "no length of its own"},
	{"#!/bin/sh\nfilesizes=\"7\"\nskip=\"300\"\ncontent", true, "ends within its script"},
	{"#!/bin/sh\nfilesizes=\"7\"\n\nskip=\"2\"\ncontent", true, "longer than it says"},
	{"#!/bin/sh\nskip=\"2\"\ncontent", true, "how long its content is"},
	{"#!/bin/sh\necho hello\n", true, "ends within its script"},
	{"", true, "ends within its script"},
	{"\n<!DOCTYPE html><html><form>", true, "HTML page"},
	{"\177ELF", true, "does not begin with a script"},
};

static void test_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t piece = 1; piece < 300; piece = piece * 4 + 1) {
			autobuf struct buf out = BUF_INIT(1000);
			struct err err = {0};
			bool ok = read_all(cases[i].text, strlen(cases[i].text), piece,
					   cases[i].check, &out, &err);
			if (ok != !cases[i].wanted)
				fail_msg("case %zu, pieces of %zu: %s", i, piece, err.msg);
			if (ok)
				assert_string_equal(buf_str(&out), "content");
			else if (err.code != ERR_INTEGRITY || !strstr(err.msg, cases[i].wanted))
				fail_msg("case %zu: '%s'", i, err.msg);
		}
}

static void test_script_without_end(void **state)
{
	(void)state;
	struct err err = {0};
	autobuf struct buf text = BUF_INIT(4 << 20), out = BUF_INIT(10);
	buf_adds(&text, "#!/bin/sh\n");
	for (int i = 0; i < 30000; i++)
		buf_adds(&text, "true\n");
	assert_false(read_all(buf_str(&text), text.len, 1 << 20, true, &out, &err));
	assert_non_null(strstr(err.msg, "has no end"));
	buf_cut(&text, 10);
	while (text.len < 3 << 20)
		buf_adds(&text, "0123456789abcdef0123456789abcdef");
	assert_false(read_all(buf_str(&text), text.len, 1 << 20, true, &out, &err));
	assert_non_null(strstr(err.msg, "has no end"));
}

static bool parse(struct runmanifest *m, const char *text, struct err *err)
{
	*err = (struct err){0};
	return runmanifest_parse(m, text, strlen(text), err);
}

static void test_manifest(void **state)
{
	(void)state;
	struct runmanifest m;
	struct err err;
	assert_true(
		parse(&m,
		      "<package name='a'><package id='main'>"
		      "<buildPath> ./builds/cuda_cccl/ </buildPath>"
		      "<package><buildPath>builds/x</buildPath><installPath>./y//</installPath>"
		      "<file dir='bin/'>a|b</file><file>.*</file><file dir='/etc'>.*</file>"
		      "</package></package>"
		      "<package><buildPath>../out</buildPath></package>"
		      "<package><buildPath>b</buildPath><installPath>/usr</installPath></package>"
		      "<package><buildPath/></package></package>",
		      &err));
	assert_int_equal(m.n, 3);
	assert_string_equal(m.rules[0].build, "builds/cuda_cccl");
	assert_null(m.rules[0].install);
	assert_null(m.rules[0].pattern);
	assert_string_equal(m.rules[1].install, "y");
	assert_string_equal(m.rules[1].dir, "bin");
	assert_string_equal(m.rules[1].pattern, "a|b");
	assert_null(m.rules[2].dir);
	runmanifest_clear(&m);
}

static void test_bad_manifest(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"no XML",
		"<package>",
		"<package><a></package>",
		("<!DOCTYPE p [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><p><package>"
		 "<buildPath>&x;</buildPath></package></p>"),
		"<!DOCTYPE p [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><p>&b;</p>",
		"<!DOCTYPE p SYSTEM 'http://127.0.0.1/p.dtd'><p/>",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct runmanifest m = {0};
		struct err err;
		assert_false(parse(&m, bad[i], &err));
		assert_int_equal(err.code, ERR_INTEGRITY);
		assert_null(m.rules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_script_without_end),
		cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_bad_manifest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
