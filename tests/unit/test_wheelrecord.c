#include "core/wheelrecord.h"

#include "archives.h"

#include "ext/digest.h"

/* NULL: sound. */
static const struct {
	const char *name, *says;
} cases[] = {
	{"wheel-good", NULL},
	{"wheel-crlf", NULL},
	{"wheel-no-newline", NULL},
	{"wheel-signed", NULL},
	{"wheel-unlisted-self", NULL},
	{"wheel-clash", NULL},
	{"wheel-empty", NULL},
	{"wheel-none", "it has no RECORD"},
	{"wheel-deep", "it has no RECORD"},
	{"wheel-two", "'other-1.0.dist-info/RECORD' is a second RECORD"},
	{"wheel-unlisted", "'nvidia/cu13/lib/libextra.so' is not listed"},
	{"wheel-missing", "'nvidia/cu13/lib/libmissing.so' is listed in RECORD but is not there"},
	{"wheel-size", "'nvidia/cu13/bin/nvcc' has another size"},
	{"wheel-no-size", "has another size"},
	{"wheel-sign", "has another size"},
	{"wheel-twice", "'nvidia/cu13/include/cuda.h' is listed in RECORD twice"},
	{"wheel-no-hash", "has no sha256"},
	{"wheel-short-hash", "has no sha256"},
	{"wheel-odd-hash", "has no sha256"},
	{"wheel-quote", "line 6 is malformed"},
	{"wheel-late-quote", "line 6 is malformed"},
	{"wheel-two-fields", "line 6 is malformed"},
	{"wheel-four-fields", "line 6 is malformed"},
	{"wheel-nul", "NUL"},
	{"wheel-empty-line", "malformed"},
};

static void judges(void **state)
{
	autostrlist struct strlist names = {0};
	archives_named("wheel-", &names);
	assert_int_equal(names.n, ARRAY_LEN(cases));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct zip *z;
		struct err err = {0};
		autofree wheel_sha256 *sha = NULL;
		autofree char *path = xasprintf("zips/%s", cases[i].name);
		if (!zip_open(&z, path, &err))
			fail_msg("%s", err.msg);
		bool ok = wheelrecord_read(z, path, &sha, &err);
		zip_close(z);
		if (ok ? !!cases[i].says
		       : !cases[i].says || err.code != ERR_INTEGRITY ||
				    !strstr(err.msg, cases[i].says) || !strstr(err.msg, path))
			fail_msg("%s: code %d, '%s'", cases[i].name, (int)err.code, err.msg);
		assert_true(ok == !!sha);
	}
}

static void gives_the_digests(void **state)
{
	struct zip *z;
	struct err err;
	const struct zip_entry *e;
	autofree wheel_sha256 *sha = NULL;
	assert_true(zip_open(&z, "zips/wheel-good", &err));
	assert_true(wheelrecord_read(z, "zips/wheel-good", &sha, &err));
	size_t n = zip_entries(z, &e);
	struct digest *d = digest_new(DIGEST_SHA256);
	for (size_t i = 0; i < n; i++) {
		char hex[65];
		autobuf struct buf text = BUF_INIT(64 << 20);
		assert_true(zip_read(z, &e[i], &text, &err));
		digest_update(d, buf_str(&text), text.len);
		digest_hex(d, hex);
		if (strstr(e[i].name, "/RECORD"))
			assert_string_equal(sha[i], "");
		else
			assert_string_equal(sha[i], hex);
	}
	digest_free(d);
	zip_close(z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges),
		cmocka_unit_test(gives_the_digests),
	};
	return cmocka_run_group_tests(tests, archives_make, scratch_leave);
}
