#include "fake_prefix.h"

#include "base/io.h"
#include "core/probe.h"

/* No driver here, whatever this machine has. */
static const struct gpus no_gpus = {.code = -1, .nvml_code = -1, .why = "libcuda.so.1: not there"};

static struct verdict probe(enum probe_level level, bool ours)
{
	struct err err = {0};
	struct verdict v = {0};
	const struct probe_opts o = {.level = level, .ours = ours, .gpus = &no_gpus};
	if (!probe_run(prefix, "/root/versions/12.4.1", &o, &events, &v, &err))
		fail_msg("%s", err.msg);
	assert_null(v.results);
	return v;
}

static void test_levels(void **state)
{
	enum probe_level l;
	static const char *const names[] = {"files", "compile", "run", "bandwidth"};
	for (int i = 0; i < 4; i++) {
		assert_true(probe_level_parse(names[i], &l));
		assert_int_equal(l, i);
		assert_string_equal(probe_level_name(l), names[i]);
	}
	assert_false(probe_level_parse("", &l));
	assert_false(probe_level_parse("Compile", &l));
}

static void test_missing(void **state)
{
	assert_null(probe_missing(prefix));
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		autofree char *p = xasprintf("p/%s", parts[i]);
		assert_int_equal(rename(p, "away"), 0);
		assert_string_equal(probe_missing(prefix), parts[i]);
		for (int level = PROBE_FILES; level <= PROBE_BANDWIDTH; level++) {
			struct verdict v = probe((enum probe_level)level, true);
			assert_string_equal(v.word, "tree-incomplete");
			assert_non_null(strstr(v.detail, parts[i]));
			assert_string_equal(v.hint, "run 'cudaenv install -f 12.4.1'");
		}
		/* A folder, a dangling link and an empty file are not the thing either. */
		assert_int_equal(mkdir(p, 0755), 0);
		assert_string_equal(probe_missing(prefix), parts[i]);
		assert_int_equal(rmdir(p), 0);
		assert_int_equal(symlink("nowhere", p), 0);
		assert_string_equal(probe_missing(prefix), parts[i]);
		assert_int_equal(unlink(p), 0);
		scratch_file(p, "");
		assert_string_equal(probe_missing(prefix), parts[i]);
		assert_int_equal(rename("away", p), 0);
	}
	assert_int_equal(chmod("p/bin/ptxas", 0644), 0);
	assert_string_equal(probe_missing(prefix), "bin/ptxas");
	struct verdict v = probe(PROBE_FILES, false);
	assert_null(strstr(v.hint, "install"));
	assert_int_equal(chmod("p/bin/ptxas", 0755), 0);
	/* Before 9.2 that header stood elsewhere; since then a signpost does. */
	assert_int_equal(unlink("p/include/crt/host_config.h"), 0);
	scratch_file("p/include/host_config.h",
		     "#warning \"old\"\n#include \"crt/host_config.h\"\n");
	assert_string_equal(probe_missing(prefix), "include/crt/host_config.h");
	scratch_file("p/include/host_config.h", "#if __GNUC__ > 5\n#endif\n");
	assert_null(probe_missing(prefix));
}

static void test_files(void **state)
{
	nvcc("touch ran; exit 1");
	struct verdict v = probe(PROBE_FILES, true);
	assert_string_equal(v.word, "files-ok");
	assert_string_equal(v.level, "files");
	assert_true(verdict_good(&v));
}

static void test_compiled(void **state)
{
	/* Each higher level says what it could judge. */
	for (int level = PROBE_COMPILE; level <= PROBE_BANDWIDTH; level++) {
		struct verdict v = probe((enum probe_level)level, true);
		assert_string_equal(v.word, "compiled");
		assert_string_equal(v.level, "compile");
		autofree char *cxx = xasprintf("%s/path/g++", here);
		assert_string_equal(v.ccbin, cxx);
		assert_int_equal(strlen(v.date), strlen("2025-01-01T00:00:00Z"));
	}
	/* Nothing was left behind, nothing was set. */
	assert_int_equal(rmdir("tmp"), 0);
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
	assert_string_equal(said, "");
}

/* What nvcc is started with. */
static void test_call(void **state)
{
	autofree char *body =
		xasprintf("{ echo \"$0\"; pwd; ls; cat hello.cu; env; } >'%s/log'", here);
	nvcc(body);
	setenv("CPATH", "/x", 1);
	setenv("NVCC_APPEND_FLAGS", "/x", 1);
	setenv("CUDA_HOME", "/x", 1);
	setenv("LIBRARY_PATH", "/x", 1);
	setenv("LC_NUMERIC", "tr_TR.UTF-8", 1);
	setenv("KEPT", "kept", 1);
	script("path/nvcc", "another");
	autofree char *dir = xasprintf("%s/other-toolkit", here);
	assert_int_equal(mkdir(dir, 0755), 0);
	script("other-toolkit/ptxas", "another");
	autofree char *path =
		xasprintf("%s/other-toolkit::relative-part:%s/path:/usr/bin:/bin", here, here);
	setenv("PATH", path, 1);
	assert_string_equal(probe(PROBE_COMPILE, true).word, "compiled");
	struct buf b = BUF_INIT(1 << 20);
	struct err err;
	assert_true(io_read_file("log", &b, &err));
	autofree char *nvcc_path = xasprintf("%s/p/bin/nvcc\n", here);
	autofree char *private = xasprintf("%s/tmp/cudaenv-proof.", here);
	autofree char *clean = xasprintf("\nPATH=%s/path:/usr/bin:/bin:", here);
	const char *in[] = {
		nvcc_path,   private, "\nhello.cu\nkernel\n", "\nLC_ALL=C\n", "\nKEPT=kept\n",
		"\nTMPDIR=", clean};
	const char *out[] = {"\nCPATH=",     "\nNVCC_", "\nCUDA",  "\nLIBRARY_PATH=",
			     "\nLC_NUMERIC", "/other",	"relative"};
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		if (!strstr(buf_str(&b), in[i]))
			fail_msg("'%s' is not in %s", in[i], buf_str(&b));
	for (size_t i = 0; i < ARRAY_LEN(out); i++)
		if (strstr(buf_str(&b), out[i]))
			fail_msg("'%s' is in %s", out[i], buf_str(&b));
	buf_clear(&b);
	const char *vars[] = {"CPATH",	      "NVCC_APPEND_FLAGS", "CUDA_HOME",
			      "LIBRARY_PATH", "LC_NUMERIC",	   "KEPT"};
	for (size_t i = 0; i < ARRAY_LEN(vars); i++)
		unsetenv(vars[i]);
}

/* The verdict is stored with the prefix: it names where that will live, not where it was proved. */
static void test_staging_is_not_named(void **state)
{
	nvcc("echo \"$PWD/hello.cu(3): error: in ${0%/bin/nvcc}/include/x.h\" >&2; exit 1");
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compile-failed");
	assert_string_equal(v.detail, "/hello.cu(3): error: in /root/versions/12.4.1/include/x.h");
}

static void test_foreign(void **state)
{
	static const struct {
		const char *body, *path;
	} cases[] = {
		{"echo '# 1 \"/usr/local/include/crt/x.h\" 1' >hello.cpp1.ii",
		 "/usr/local/include/crt/x.h"},
		{"echo '# 12 \"/opt/cuda_runtime.h\"' >hello.cpp4.ii", "/opt/cuda_runtime.h"},
		{"echo 'LOAD /usr/local/lib64/libcudart_static.a' >hello.map",
		 "/usr/local/lib64/libcudart_static.a"},
		{"echo \"LOAD ${0%/bin/nvcc}x/libcudadevrt.a\" >hello.map", "libcudadevrt.a"},
		{"echo '# 1 \"/usr/include/stdio.h\"' >hello.cpp1.ii; echo \"# 1 "
		 "\\\"$0/../../include/cuda_runtime.h\\\"\" >>hello.cpp1.ii; echo \"LOAD "
		 "${0%/nvcc}/../lib64/libcudart_static.a\" >hello.map; echo 'LOAD "
		 "/usr/lib/libc.so' >>hello.map",
		 NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		nvcc(cases[i].body);
		struct verdict v = probe(PROBE_COMPILE, true);
		assert_string_equal(v.word, cases[i].path ? "tree-incomplete" : "compiled");
		if (cases[i].path)
			assert_non_null(strstr(v.detail, cases[i].path));
	}
}

static void test_nvcc_does_not_start(void **state)
{
	script("p/bin/nvcc", "#!/nonexistent/interpreter\n");
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compile-failed");
	assert_non_null(strstr(v.detail, "/root/versions/12.4.1/bin/nvcc"));
}

#define REFUSE "echo '#error -- unsupported GNU version! gcc versions later than 50' >&2; exit 1"
/* Accepts when the first gcc on PATH, or the one of the profile, is number 50. */
#define BY_PATH "case $(gcc) in 50*) exit 0;; esac; " REFUSE

static void with_50(void)
{
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 50\n#endif\n");
	script("path/gcc-50", "#!/bin/sh\necho 50.2\n");
	script("path/g++-50", "#!/bin/sh\necho 50.2\n");
}

static void test_line(void **state)
{
	with_50();
	nvcc("cd \"${0%/*}\"; grep -q ^compiler-bindir nvcc.profile && exit 0; " REFUSE);
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compiled");
	autofree char *cxx = xasprintf("%s/path/g++-50", here);
	assert_string_equal(v.ccbin, cxx);
	assert_non_null(strstr(said, cxx));
	assert_int_equal(access("p/bin/nvcc.bin", F_OK), -1);
	/* The same again is no news. */
	said[0] = '\0';
	assert_string_equal(probe(PROBE_COMPILE, true).word, "compiled");
	assert_string_equal(said, "");
	/* An accepted default takes it out. */
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 60\n#endif\n");
	nvcc("exit 0");
	assert_string_equal(probe(PROBE_COMPILE, true).word, "compiled");
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
}

static void test_wrapper(void **state)
{
	with_50();
	nvcc(BY_PATH);
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compiled");
	assert_int_equal(access("p/bin/nvcc.bin", X_OK), 0);
}

static void test_no_default(void **state)
{
	with_50();
	nvcc(BY_PATH);
	assert_int_equal(unlink("path/gcc") | unlink("path/g++"), 0);
	autofree char *path = xasprintf("%s/path", here);
	setenv("PATH", path, 1);
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compiled");
	assert_int_equal(access("p/bin/nvcc.bin", X_OK), 0);
}

/* An accepted compiler whose library nvcc cannot digest: an older one may serve. */
static void test_older_one(void **state)
{
	with_50();
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 60\n#endif\n");
	nvcc("case $(gcc) in 50*) exit 0;; esac; echo 'std_function.h:435: error: parameter packs' "
	     ">&2; exit 1");
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compiled");
	assert_non_null(strstr(v.ccbin, "g++-50"));
}

static void test_none_fits(void **state)
{
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 3\n#endif\n");
	nvcc(REFUSE);
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "host-compiler-refused");
	assert_non_null(strstr(v.detail, "path/g++' is gcc 60"));
	assert_non_null(strstr(v.detail, "accepts is 3"));
	assert_string_not_equal(v.hint, "");
	assert_false(verdict_good(&v));
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
}

/* A failure that no compiler cures is told as it was with the default one. */
static void test_plain_failure(void **state)
{
	script("path/gcc-50", "#!/bin/sh\necho 50.2\n");
	script("path/g++-50", "#!/bin/sh\necho 50.2\n");
	nvcc("echo \"x.h: error: from $(gcc)\" >&2; exit 1");
	struct verdict v = probe(PROBE_COMPILE, true);
	assert_string_equal(v.word, "compile-failed");
	assert_string_equal(v.detail, "x.h: error: from 60.1");
	assert_non_null(strstr(v.ccbin, "path/g++"));
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
	assert_int_equal(access("p/bin/nvcc.bin", F_OK), -1);
}

static void test_not_ours(void **state)
{
	with_50();
	nvcc(BY_PATH);
	struct verdict v = probe(PROBE_COMPILE, false);
	assert_string_equal(v.word, "host-compiler-refused");
	assert_non_null(strstr(v.hint, "-ccbin "));
	assert_non_null(strstr(v.hint, "/path/g++-50"));
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
	assert_int_equal(access("p/bin/nvcc.bin", F_OK), -1);
}

static void impossible(const char *a, const char *b)
{
	struct err err = {0};
	struct verdict v = {.word = "kept"};
	const struct probe_opts o = {.level = PROBE_COMPILE, .ours = true};
	assert_false(probe_run(prefix, prefix, &o, &events, &v, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	if (!strstr(err.msg, a) || !strstr(err.msg, b))
		fail_msg("%s", err.msg);
	assert_string_equal(v.word, "kept");
}

static void test_tmpdir(void **state)
{
	static const char *const bad[] = {"/nonexistent/x", "relative", "/dev/null"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		setenv("TMPDIR", bad[i], 1);
		assert_string_equal(probe(PROBE_COMPILE, true).word, "compiled");
		autofree char *want = xasprintf("TMPDIR '%s' cannot be used", bad[i]);
		assert_non_null(strstr(said, want));
	}
	setenv("TMPDIR", "", 1);
	said[0] = '\0';
	assert_string_equal(probe(PROBE_COMPILE, true).word, "compiled");
	assert_string_equal(said, "");
	autofree char *tmp = xasprintf("%s/tmp", here);
	setenv("TMPDIR", tmp, 1);
	nvcc("echo 'cannot write: No space left on device' >&2; exit 1");
	impossible("no space left", tmp);
}

static void test_kernel_missing(void **state)
{
	assert_int_equal(unlink("kernels/hello.cu"), 0);
	impossible("kernels/hello.cu", "cannot prove");
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_levels),		T(test_missing),
		T(test_files),		T(test_compiled),
		T(test_call),		T(test_staging_is_not_named),
		T(test_foreign),	T(test_nvcc_does_not_start),
		T(test_line),		T(test_wrapper),
		T(test_no_default),	T(test_older_one),
		T(test_none_fits),	T(test_plain_failure),
		T(test_not_ours),	T(test_tmpdir),
		T(test_kernel_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
