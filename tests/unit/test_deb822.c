#include "scratch.h"

#include "base/buf.h"
#include "core/deb822.h"
#include "core/debdep.h"
#include "core/debname.h"
#include "core/debver.h"

/* "<line>:<Field of A>|<text of B>;" for each paragraph. */
static bool on_paragraph(void *ctx, const struct deb822_paragraph *p, struct err *err)
{
	struct buf *out = ctx;
	const char *value = "";
	size_t n = 0;
	bool has = deb822_line(p, "a", &value, &n);
	autofree char *b = deb822_text(p, "B");
	(void)err;
	buf_addf(out, "%d:%.*s%s|%s;", p->line, (int)n, value, has ? "" : "-", b ? b : "-");
	return true;
}

static void paragraphs(void **state)
{
	static const struct {
		const char *text, *want; /* want: "!..." an error that has these words */
	} cases[] = {
		{"", ""},
		{"\n\n\n", ""},
		{"A: x\n", "1:x|-;"},
		{"A: x", "1:x|-;"},
		{"A:x\nB:  y  \n\nA: z\n", "1:x|y;4:z|-;"},
		{"A: x\r\nB: y\r\n\r\nA: z\r\n", "1:x|y;4:z|-;"},
		{"a: lower\nb: too\n", "1:lower|too;"},
		{"B: one\n two\n\tthree \n .\n four\nA: x\n", "1:x|one\ntwo\nthree\n.\nfour;"},
		{"B:\n one\n two\n", "1:-|\none\ntwo;"},
		{"# note\nA: x\n# another\nB: y\n", "2:x|y;"},
		{"A: x\n \t\nA: y\n", "1:x|-;3:y|-;"},
		{"AB: no\nA: yes\n", "1:yes|-;"},
		{"A: x\nno field\n", "!line 2: no 'Field: value'"},
		{": x\n", "!line 1: no 'Field: value'"},
		{"-----BEGIN PGP: x\n", "!line 1"},
		{" x\n", "!line 1: a continuation line"},
		{"A: x\n\n y\n", "!line 3: a continuation line"},
		{"<!DOCTYPE html>\n", "!line 1"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t step = 1; step < 8; step += 3) {
			struct err err = {0};
			struct deb822 d;
			autobuf struct buf out = BUF_INIT(4096);
			size_t n = strlen(cases[i].text);
			bool ok = true;
			deb822_init(&d, "F", ERR_INTEGRITY, on_paragraph, &out);
			for (size_t at = 0; ok && at < n; at += step)
				ok = deb822_feed(&d, cases[i].text + at,
						 n - at < step ? n - at : step, &err);
			ok = ok && deb822_end(&d, &err);
			deb822_clear(&d);
			bool fine = cases[i].want[0] == '!'
					    ? !ok && err.code == ERR_INTEGRITY &&
						      strstr(err.msg, cases[i].want + 1)
					    : ok && !strcmp(buf_str(&out), cases[i].want);
			if (!fine)
				fail_msg("case %zu: '%s' '%s'", i, buf_str(&out), err.msg);
		}
}

static void limits(void **state)
{
	struct err err;
	autobuf struct buf out = BUF_INIT(4096);
	autofree char *huge = xcalloc(DEB822_PARAGRAPH_MAX + 4096, 1);
	static const char nul[] = "A: x\0y\n";
	(void)state;
	assert_false(deb822_parse("F", ERR_USAGE, nul, sizeof nul - 1, on_paragraph, &out, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "'F' line 1: it has a NUL byte"));
	memset(huge, 'x', DEB822_PARAGRAPH_MAX + 4095);
	memcpy(huge, "A: ", 3);
	assert_false(
		deb822_parse("F", ERR_INTEGRITY, huge, strlen(huge), on_paragraph, &out, &err));
	assert_non_null(strstr(err.msg, "line 1: the line is too long"));
	for (size_t i = 1000; i < DEB822_PARAGRAPH_MAX + 4094; i += 1000)
		memcpy(huge + i, "\n ", 2);
	assert_false(
		deb822_parse("F", ERR_INTEGRITY, huge, strlen(huge), on_paragraph, &out, &err));
	assert_non_null(strstr(err.msg, "the paragraph is too long"));
}

/* Ascending; dpkg --compare-versions says the same of each pair. */
static void versions(void **state)
{
	static const char *const rising[] = {"0~~",
					     "0~",
					     "0",
					     "1.0~rc1-1",
					     "1.0",
					     "1.0-1~deb12u1",
					     "1.0-1",
					     "1.0-1+b1",
					     "1.0-2",
					     "1.0a",
					     "1.0.1",
					     "1.2",
					     "1.10",
					     "11.8.89~11.8.0-5~deb12u1",
					     "11.8.89~11.8.0-5",
					     "12.4.0-1",
					     "12.4.1-1",
					     "1:0.1",
					     "2:0"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rising); i++)
		for (size_t k = 0; k < ARRAY_LEN(rising); k++) {
			int c = debver_compare(rising[i], rising[k]);
			if ((c > 0) - (c < 0) != (i > k) - (i < k))
				fail_msg("%s and %s: %d", rising[i], rising[k], c);
		}
	assert_int_equal(debver_compare("1.0-0", "1.0"), 0);
	assert_int_equal(debver_compare("1.00", "1.0"), 0);
	assert_int_equal(debver_compare("0:1", "1"), 0);
}

static void releases(void **state)
{
	static const struct {
		const char *version, *release, *own;
	} cases[] = {
		{"11.8.89~11.8.0-5~deb12u1", "11.8.0", "11.8.89"},
		{"11.1.1+~10.3.0.86~11.8.0-5~deb12u1", "11.8.0", "10.3.0.86"},
		{"12.4.127~12.4.1-2", "12.4.1", "12.4.127"},
		{"12.0.140~12.0.1-4build4", "12.0.1", "12.0.140"},
		{"11.2.2-3+deb11u3", "11.2.2", "11.2.2"},
		{"10.1.243-3", "10.1.243", "10.1.243"},
		{"12.4.1-1", "12.4.1", "12.4.1"},
		{"2.3.2-2", "2.3.2", "2.3.2"},
		{"9.+8u372-ga-1~11.8.0-5~deb12u1", "11.8.0", "9.+8u372-ga-1"},
		{"", NULL, ""},
		{"x", NULL, "x"},
		{"1.2~x-1", NULL, "1.2"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char out[32] = "";
		autofree char *own = debver_own(cases[i].version);
		bool ok = debver_release(cases[i].version, out, sizeof out);
		assert_int_equal(ok, cases[i].release != NULL);
		assert_string_equal(out, cases[i].release ? cases[i].release : "");
		assert_string_equal(own, cases[i].own);
	}
}

static void names(void **state)
{
	static const struct {
		const char *package, *component;
		const char *in; /* "mdf": minimal, default, full */
	} cases[] = {
		{"nvidia-cuda-toolkit", "cuda_nvcc", "mdf"},
		{"nvidia-cuda-dev", "cuda_dev", "mdf"},
		{"libcudart11.0", "cuda_cudart", "mdf"},
		{"libcudart12", "cuda_cudart", "mdf"},
		{"libnvvm4", "libnvvm", "mdf"},
		{"libnvrtc11.2", "cuda_nvrtc", "mdf"},
		{"libnvrtc-builtins11.8", "cuda_nvrtc_builtins", "mdf"},
		{"libcu++-dev", "cuda_cccl", "mdf"},
		{"libthrust-dev", "cuda_thrust", "mdf"},
		{"libcublaslt11", "libcublaslt", "df"},
		{"libcufft10", "libcufft", "df"},
		{"libaccinj64-11.8", "libaccinj64", "df"},
		{"libcupti-dev", "cuda_cupti_dev", "df"},
		{"libnvidia-ml-dev", "cuda_nvml_dev", "df"},
		{"nsight-compute", "nsight_compute", "f"},
		{"nsight-systems-target", "nsight_systems_target", "f"},
		{"nvidia-visual-profiler", "cuda_nvvp", "f"},
		{"nvidia-cuda-toolkit-doc", NULL, ""},
		{"nvidia-cuda-toolkit-gcc", NULL, ""},
		{"nvidia-fs-dkms", NULL, ""},
		{"cuda-nvcc-12-4", "cuda_nvcc", "mdf"},
		{"cuda-cudart-dev-12-4", "cuda_cudart_dev", "mdf"},
		{"cuda-driver-dev-12-4", "cuda_driver_dev", "mdf"},
		{"cuda-nvvm-12-8", "libnvvm", "mdf"},
		{"libcublas-dev-13-0", "libcublas_dev", "df"},
		{"cuda-nvml-dev-12-4", "cuda_nvml_dev", "df"},
		{"nsight-compute-2024.1.1", "nsight_compute", "f"},
		{"cuda-toolkit-12-4", NULL, ""},
		{"cuda-toolkit-12-4-config-common", NULL, ""},
		{"cuda-toolkit-12-config-common", NULL, ""},
		{"cuda-libraries-dev-12-4", NULL, ""},
		{"cuda-drivers-580", NULL, ""},
		{"nvidia-fs", NULL, ""},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *name = debname_component(cases[i].package);
		if (!cases[i].component ? name != NULL
					: !name || strcmp(name, cases[i].component) != 0)
			fail_msg("%s: %s", cases[i].package, name ? name : "nothing");
		for (int p = PROFILE_MINIMAL; name && p <= PROFILE_FULL; p++)
			if (debname_wanted(name, (enum profile)p) !=
			    (strchr(cases[i].in, "mdf"[p]) != NULL))
				fail_msg("%s in profile %d", name, p);
	}
}

static void depends(void **state)
{
	static const char field[] = "libc6 (>= 2.34), a:any, b (= 1.0-1) | c,\n d (<< 2~), e(>>3)";
	static const struct {
		const char *name, *version;
		bool fits;
	} cases[] = {
		{"libc6", "2.36", true}, {"libc6", "2.31", false}, {"a", "9", true},
		{"b", "1.0-1", true},	 {"b", "1.0-2", false},	   {"c", "1", false},
		{"d", "1", true},	 {"d", "2", false},	   {"e", "3", false},
		{"e", "3.1", true},	 {"f", "1", false},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct debdep d;
		bool fits = false;
		for (const char *s = field; (s = debdep_next(s, &d));)
			fits = fits || debdep_fits(&d, cases[i].name, cases[i].version);
		if (fits != cases[i].fits)
			fail_msg("%s %s", cases[i].name, cases[i].version);
	}
	assert_true(debdep_names(field, "b"));
	assert_false(debdep_names(field, "libc"));
	assert_false(debdep_names("", "b"));
	assert_false(debdep_names(" , , (", "b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(paragraphs), cmocka_unit_test(limits),
					   cmocka_unit_test(versions),	 cmocka_unit_test(releases),
					   cmocka_unit_test(names),	 cmocka_unit_test(depends)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
