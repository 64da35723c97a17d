#include "scratch.h"

#include "base/buf.h"
#include "ext/debfile.h"

/* A package that arrives in pieces of `step` bytes. */
struct input {
	const char *data;
	size_t n, at, step;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct input *in = ctx;
	size_t k = in->n - in->at;
	k = k < n ? k : n;
	k = k < in->step ? k : in->step;
	if (in->step == 13 && in->at > 100) {
		err_set(err, ERR_NETWORK, "the wire broke");
		return -1;
	}
	memcpy(buf, in->data + in->at, k);
	in->at += k;
	return (ptrdiff_t)k;
}

static void member(struct buf *b, const char *name, const char *size, const char *content)
{
	buf_addf(b, "%-16s%-12d%-6d%-6d%-8o%-10s`\n%s", name, 0, 0, 0, 0100644, size, content);
	if (strlen(content) & 1)
		buf_addc(b, '\n');
}

/* The data, or the error's text in brackets. */
static void extract(const struct buf *deb, size_t step, struct buf *out)
{
	struct input in = {.data = buf_str(deb), .n = deb->len, .step = step};
	struct debfile d = {.read = on_read, .ctx = &in, .name = "x.deb"};
	struct err err = {0};
	char piece[7];
	ptrdiff_t got;
	while ((got = debfile_read(&d, piece, sizeof piece, &err)) > 0)
		buf_add(out, piece, (size_t)got);
	if (got < 0) {
		assert_int_not_equal(err.code, ERR_NONE);
		buf_addf(out, "[%s]", err.msg);
	} else {
		assert_int_equal(in.at, in.n);
		assert_int_equal(debfile_read(&d, piece, sizeof piece, &err), 0);
	}
}

static void check(const struct buf *deb, const char *want)
{
	static const size_t steps[] = {1, 7, 4096};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		autobuf struct buf out = BUF_INIT(1 << 16);
		extract(deb, steps[i], &out);
		if (!strstr(buf_str(&out), want))
			fail_msg("step %zu: '%s', not '%s'", steps[i], buf_str(&out), want);
	}
}

static void packages(void **state)
{
	static const struct {
		struct {
			const char *name, *size, *content;
		} m[5];
		const char *want;
	} cases[] = {
		{{{"debian-binary", "4", "2.0\n"},
		  {"control.tar.xz", "3", "ctl"},
		  {"data.tar.xz", "9", "THE DATA."}},
		 "THE DATA."},
		/* With the slash that GNU's ar writes, an unknown member, one behind the data. */
		{{{"debian-binary/", "4", "2.0\n"},
		  {"_x", "2", "??"},
		  {"control.tar.zst", "3", "ctl"},
		  {"data.tar.zst/", "4", "DATA"},
		  {"_gpgorigin", "3", "sig"}},
		 "DATA"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar", "0", ""}}, ""},
		{{{"debian-binary", "4", "2.0\n"}, {"control.tar.xz", "3", "ctl"}}, "no data.tar"},
		{{{"control.tar.xz", "3", "ctl"}}, "not its first member"},
		{{{"debian-binary", "4", "3.0\n"}}, "not version 2"},
		{{{"debian-binary", "400", "2.0\n"}}, "strange size"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xz", "9999999999", "DATA"}},
		 "ends too early"},
		{{{"debian-binary", "4", "2.0\n"}, {"control.tar.xz", "9999999999", "DATA"}},
		 "ends too early"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xz", "-1", "DATA"}}, "damaged"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xz", "0x4", "DATA"}}, "damaged"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xz", "", "DATA"}}, "damaged"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xz", "2", "DATA"}}, "["},
		{{{"debian-binary", "4", "2.0\n"},
		  {"data.tar.xz", "2", "DA"},
		  {"data.tar.gz", "2", "TA"}},
		 "two data.tar"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.lzo", "4", "DATA"}}, "no data.tar"},
		{{{"debian-binary", "4", "2.0\n"}, {"data.tar.xzz", "4", "DATA"}}, "no data.tar"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autobuf struct buf deb = BUF_INIT(1 << 16);
		buf_adds(&deb, "!<arch>\n");
		for (size_t k = 0; k < 5 && cases[i].m[k].name; k++)
			member(&deb, cases[i].m[k].name, cases[i].m[k].size, cases[i].m[k].content);
		check(&deb, cases[i].want);
	}
}

static void no_package(void **state)
{
	static const char *const texts[] = {"", "!<arch>", "!<arch>\n", "<!DOCTYPE html><html>"};
	static const char *const wants[] = {"ends too early", "ends too early", "no data.tar",
					    "no ar archive"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		autobuf struct buf deb = BUF_INIT(256);
		buf_adds(&deb, texts[i]);
		check(&deb, wants[i]);
	}
}

static void many_members(void **state)
{
	(void)state;
	autobuf struct buf deb = BUF_INIT(1 << 16);
	buf_adds(&deb, "!<arch>\n");
	member(&deb, "debian-binary", "4", "2.0\n");
	for (int i = 0; i < DEBFILE_MEMBERS_MAX; i++)
		member(&deb, "_x", "0", "");
	check(&deb, "too many members");
}

static void what_read_says_is_passed_on(void **state)
{
	(void)state;
	autobuf struct buf deb = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	buf_adds(&deb, "!<arch>\n");
	member(&deb, "debian-binary", "4", "2.0\n");
	member(&deb, "data.tar.xz", "60", "0123456789012345678901234567890123456789");
	extract(&deb, 13, &out);
	assert_non_null(strstr(buf_str(&out), "[the wire broke]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(packages), cmocka_unit_test(no_package),
					   cmocka_unit_test(many_members),
					   cmocka_unit_test(what_read_says_is_passed_on)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
