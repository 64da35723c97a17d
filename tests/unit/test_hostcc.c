#include "scratch.h"

#include <limits.h>

#include "base/buf.h"
#include "base/io.h"
#include "core/hostcc.h"

static char here[PATH_MAX];

/* The working folder holds p/ (a prefix) and bin/ (all of PATH but /usr/bin and /bin, when asked
 * for). */
static int enter(void **state)
{
	if (scratch_enter(state) < 0 || !getcwd(here, sizeof here))
		return -1;
	const char *dirs[] = {"p", "p/bin", "p/include", "p/include/crt", "bin"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mkdir(dirs[i], 0755) < 0)
			return -1;
	autofree char *path = xasprintf("%s/bin", here);
	return setenv("PATH", path, 1);
}

static void script(const char *path, const char *text)
{
	scratch_file(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

/* bin/gcc<suffix> and bin/g++<suffix> that answer as gcc does. */
static void fake_gcc(const char *suffix, const char *version)
{
	autofree char *cc = xasprintf("bin/gcc%s", suffix), *cxx = xasprintf("bin/g++%s", suffix);
	autofree char *text =
		xasprintf("#!/bin/sh\ncase $1 in -dumpversion) echo %s;; --version) echo "
			  "\"g++ (Fake) %s\";; *) exit 1;; esac\n",
			  version, version);
	script(cc, text);
	script(cxx, text);
}

static void fake_clang(const char *c, const char *cxx, const char *version)
{
	autofree char *text =
		xasprintf("#!/bin/sh\ncase $1 in -dumpversion) echo 4.2.1;; --version) echo "
			  "\"Some clang version %s\";; *) exit 1;; esac\n",
			  version);
	script(c, text);
	script(cxx, text);
}

static struct hostcc_limits limits_of(const char *text)
{
	struct hostcc_limits l;
	scratch_file("p/include/crt/host_config.h", text);
	hostcc_limits("p", &l);
	return l;
}

#define LIMITS(l, a, b, c, d)                                                                      \
	do {                                                                                       \
		struct hostcc_limits l_ = (l);                                                     \
		assert_int_equal(l_.gcc_min, a);                                                   \
		assert_int_equal(l_.gcc_max, b);                                                   \
		assert_int_equal(l_.clang_min, c);                                                 \
		assert_int_equal(l_.clang_max, d);                                                 \
	} while (0)

/* The shapes of the checks in real headers, shortened. */
static void test_limits(void **state)
{
	/* 13.0: Grace's and HOS's clang have bounds of their own. */
	LIMITS(limits_of("#if !defined(__GNUC__) && !defined(_WIN32)\n#error\n#endif\n"
			 "#if !__NV_NO_HOST_COMPILER_CHECK\n"
			 "#if defined(__GRCO_CLANG_COMPILER__)\n"
			 "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || "
			 "(__clang_major__ > 19))\n#error\n#endif /* (__clang_major__ > 18) "
			 "*/\n#endif\n"
			 "#if defined(__powerpc__)\n#if defined(__ibmxl_vrm__) && \\\n"
			 "  !(__ibmxl_vrm__ >= 0x10010000)\n#error\n#endif\n#endif\n"
			 "#if defined(__GNUC__)\n"
			 "#if __GNUC__ > 15\n#error\n#endif /* __GNUC__ > 14 */\n"
			 "#if defined(__HORIZON__)\n#if (__clang_major__ >= "
			 "99)\n#error\n#endif\n#endif\n"
			 "#if defined(__clang__) && !defined(__ibmxl_vrm__) && !defined(__ICC)\n"
			 "#if (__clang_major__ >= 21) || (__clang_major__ < 3) || "
			 "((__clang_major__ == 3) && "
			 " (__clang_minor__ < 3))\n#error\n#endif\n#endif\n#endif\n"
			 "#if defined(_WIN32)\n#if _MSC_VER < "
			 "1920\n#error\n#endif\n#endif\n#endif\n"),
	       0, 15, 3, 20);
	LIMITS(limits_of("#if defined(__GNUC__)\r\n#if __GNUC__ > "
			 "6\r\n#error\r\n#endif\r\n#endif\r\n"),
	       0, 6, 0, 0);
	LIMITS(limits_of("#if __GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ > "
			 "9)\n#error\n#endif\n"),
	       0, 4, 0, 0);
	LIMITS(limits_of("#  if __GNUC__ < 6 || __GNUC__ >= 13\n"), 6, 12, 0, 0);
	LIMITS(limits_of("#if __GNUC__>9\n#endif\n#if (__clang_major__ != 3) || (__clang_minor__ > "
			 "8)\n"),
	       0, 9, 3, 3);
	/* A condition over two lines. */
	LIMITS(limits_of("#if __GNUC__ > 11 || \\\n  __GNUC__ < 5\n"), 5, 11, 0, 0);
}

static void test_limits_unknown(void **state)
{
	static const char *const texts[] = {
		"",
		"nothing",
		"#if __GNUC__ > x\n",
		"#if __GNUC__\n",
		"#if __GNUC__ > 0\n",
		"#if defined(__ICC)\n#if __GNUC__ > 3\n#endif\n#endif\n",
		"#ifdef _WIN32\n#if __GNUC__ > 3\n",
		"#if __GNUC__ > 99999999999999999999\n",
		"#endif\n#endif\n#else\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		LIMITS(limits_of(texts[i]), 0, 0, 0, 0);
	struct hostcc_limits l;
	assert_false(hostcc_limits("none", &l));
	/* Nested deeper than anybody nests, and a line longer than any. */
	struct buf b = BUF_INIT(1 << 20);
	for (int i = 0; i < 2000; i++)
		buf_adds(&b, "#if 1\n");
	buf_adds(&b, "#if __GNUC__");
	for (int i = 0; i < 5000; i++)
		buf_addc(&b, ' ');
	buf_adds(&b, "> 5\n");
	limits_of(buf_str(&b));
	buf_clear(&b);
}

/* Before 9.2. */
static void test_limits_old_place(void **state)
{
	struct hostcc_limits l;
	scratch_file("p/include/host_config.h", "#if __GNUC__ > 5\n#endif\n");
	assert_true(hostcc_limits("p", &l));
	assert_int_equal(l.gcc_max, 5);
}

static void test_default(void **state)
{
	struct hostcc h = {.major = 7};
	assert_false(hostcc_default(&h));
	assert_int_equal(h.major, 7);
	fake_gcc("", "12");
	assert_int_equal(unlink("bin/g++"), 0);
	assert_false(hostcc_default(&h));
	fake_gcc("", "12");
	assert_true(hostcc_default(&h));
	autofree char *cxx = xasprintf("%s/bin/g++", here);
	assert_string_equal(h.cxx, cxx);
	assert_int_equal(h.major, 12);
	assert_false(h.clang);
	fake_gcc("", "4.8.5");
	assert_true(hostcc_default(&h));
	assert_int_equal(h.major, 4);
	/* clang under gcc's name, which answers as gcc 4.2.1 when asked for its number. */
	fake_clang("bin/gcc", "bin/g++", "17.0.6");
	assert_true(hostcc_default(&h));
	assert_true(h.clang);
	assert_int_equal(h.major, 17);
	script("bin/g++", "#!/bin/sh\nexit 1\n");
	assert_false(hostcc_default(&h));
	script("bin/g++", "#!/bin/sh\necho nonsense\n");
	assert_false(hostcc_default(&h));
}

static void test_find(void **state)
{
	struct hostcc h = {0};
	struct hostcc_limits lim = {.gcc_max = 70, .gcc_min = 50, .clang_max = 90, .clang_min = 40};
	fake_clang("bin/clang-80", "bin/clang++-80", "80.1");
	assert_true(hostcc_find(&lim, &h));
	assert_true(h.clang);
	assert_int_equal(h.major, 80);
	/* gcc goes before clang, the newest accepted before older ones, and numbers count as
	 * numbers. */
	fake_gcc("-51", "51");
	fake_gcc("-60.1", "60.1.0");
	fake_gcc("-9", "9");
	fake_gcc("-71", "71");
	assert_true(hostcc_find(&lim, &h));
	assert_false(h.clang);
	assert_int_equal(h.major, 60);
	autofree char *cc = xasprintf("%s/bin/gcc-60.1", here);
	assert_string_equal(h.cc, cc);
	/* The one without a number is asked. */
	fake_gcc("", "65.2");
	assert_true(hostcc_find(&lim, &h));
	assert_int_equal(h.major, 65);
	/* A g++ without its gcc, one that does not run, one whose name lies, and other names. */
	fake_gcc("-66", "66");
	assert_int_equal(unlink("bin/gcc-66"), 0);
	fake_gcc("-67", "67");
	assert_int_equal(chmod("bin/g++-67", 0644), 0);
	fake_gcc("-68", "99");
	fake_gcc("-69x", "69");
	fake_gcc("-", "69");
	assert_true(hostcc_find(&lim, &h));
	assert_int_equal(h.major, 65);
}

static void test_accepted(void **state)
{
	struct hostcc_limits lim = {.gcc_max = 11, .clang_min = 3, .clang_max = 14};
	assert_true(hostcc_accepted(&lim, &(struct hostcc){.major = 11}));
	assert_false(hostcc_accepted(&lim, &(struct hostcc){.major = 12}));
	assert_false(hostcc_accepted(&lim, &(struct hostcc){.major = 15, .clang = true}));
	assert_true(hostcc_accepted(&lim, &(struct hostcc){.major = 14, .clang = true}));
	assert_true(hostcc_accepted(&(struct hostcc_limits){0}, &(struct hostcc){.major = 99}));
}

static char *content(const char *path)
{
	struct err err;
	struct buf b = BUF_INIT(1 << 16);
	assert_true(io_read_file(path, &b, &err));
	return buf_take(&b);
}

static const struct hostcc some = {.cc = "/usr/bin/gcc-7", .cxx = "/usr/bin/g++-7", .major = 7};

#define PROFILE                                                                                    \
	"\nTOP = $(_HERE_)/..\n# compiler-bindir = /x/.cudaenv/ccbin of old\nPATH += $(_HERE_):"

static void test_set_line(void **state)
{
	struct err err;
	struct stat st;
	char cxx[256];
	scratch_file("p/bin/nvcc.profile", PROFILE);
	script("p/bin/nvcc", "the program");
	assert_int_equal(link("p/bin/nvcc.profile", "store"), 0);
	mode_t old = umask(077);
	assert_true(hostcc_set("p", &some, HOSTCC_LINE, &err));
	umask(old);
	autofree char *text = content("p/bin/nvcc.profile");
	assert_string_equal(text, PROFILE "\ncompiler-bindir = $(_HERE_)/../.cudaenv/ccbin\n");
	assert_int_equal(stat("p/bin/nvcc.profile", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(stat("p/.cudaenv/ccbin", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	/* The hard link to the store kept its content. */
	autofree char *store = content("store");
	assert_string_equal(store, PROFILE);
	assert_true(hostcc_current("p", cxx, sizeof cxx));
	assert_string_equal(cxx, "/usr/bin/g++-7");
	/* Again: the same bytes in the same file. */
	ino_t ino = (stat("p/bin/nvcc.profile", &st), st.st_ino);
	assert_true(hostcc_set("p", &some, HOSTCC_LINE, &err));
	assert_int_equal(stat("p/bin/nvcc.profile", &st), 0);
	assert_true(st.st_ino == ino);
	/* Another compiler: the line stays, the links change. */
	struct hostcc other = {.cc = "/usr/bin/gcc-8", .cxx = "/usr/bin/g++-8"};
	assert_true(hostcc_set("p", &other, HOSTCC_LINE, &err));
	assert_true(hostcc_current("p", cxx, sizeof cxx));
	assert_string_equal(cxx, "/usr/bin/g++-8");
	assert_int_equal(access("p/.cudaenv/ccbin.new", F_OK), -1);
	/* Out again. */
	assert_true(hostcc_set("p", NULL, HOSTCC_LINE, &err));
	autofree char *after = content("p/bin/nvcc.profile");
	assert_string_equal(after, PROFILE "\n");
	assert_false(hostcc_current("p", cxx, sizeof cxx));
	assert_int_equal(access("p/.cudaenv/ccbin", F_OK), -1);
}

static void test_set_wrapper(void **state)
{
	struct err err;
	struct stat before, st;
	scratch_file("p/bin/nvcc.profile", PROFILE);
	script("p/bin/nvcc", "#!/bin/sh\necho \"$0|$1|$2|$PATH\"\n");
	assert_int_equal(stat("p/bin/nvcc", &before), 0);
	for (int i = 0; i < 2; i++) {
		assert_true(hostcc_set("p", &some, HOSTCC_LINE, &err));
		assert_true(hostcc_set("p", &some, HOSTCC_WRAPPER, &err));
		autofree char *profile = content("p/bin/nvcc.profile");
		assert_null(strstr(profile, "\ncompiler-bindir"));
		assert_int_equal(stat("p/bin/nvcc.bin", &st), 0);
		assert_true(st.st_ino == before.st_ino);
		assert_int_equal(stat("p/bin/nvcc", &st), 0);
		assert_int_equal(st.st_mode & 07777, 0755);
	}
	/* Arguments as they are, the folder first on PATH, a PATH that is not set stays without
	 * blanks. */
	FILE *f = fopen("run", "w");
	fprintf(f, "#!/bin/sh\nexport PATH=/usr/bin:/bin\np/bin/nvcc 'a b' '*'\nunset "
		   "PATH\np/bin/nvcc\n");
	fclose(f);
	assert_int_equal(chmod("run", 0755), 0);
	assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open("out", O_WRONLY | O_CREAT, 0644);
		dup2(fd, 1);
		execl("/bin/sh", "sh", "run", (char *)NULL);
		_exit(99);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	autofree char *out = content("out");
	autofree char *want =
		xasprintf("%s/p/bin/nvcc.bin|a b|*|%s/p/bin/../.cudaenv/ccbin:/usr/bin:/bin\n"
			  "%s/p/bin/nvcc.bin|||%s/p/bin/../.cudaenv/ccbin",
			  here, here, here, here);
	assert_int_equal(strncmp(out, want, strlen(want)), 0);
	assert_true(hostcc_set("p", NULL, HOSTCC_LINE, &err));
	assert_int_equal(stat("p/bin/nvcc", &st), 0);
	assert_true(st.st_ino == before.st_ino);
	assert_int_equal(access("p/bin/nvcc.bin", F_OK), -1);
}

/* A line that somebody wrote is theirs. */
static void test_set_foreign_line(void **state)
{
	struct err err;
	static const char mine[] = "compiler-bindir = /opt/gcc-9/bin\n";
	scratch_file("p/bin/nvcc.profile", mine);
	script("p/bin/nvcc", "the program");
	assert_true(hostcc_set("p", &some, HOSTCC_LINE, &err));
	autofree char *text = content("p/bin/nvcc.profile");
	assert_string_equal(text, mine);
	assert_true(hostcc_set("p", NULL, HOSTCC_LINE, &err));
	autofree char *again = content("p/bin/nvcc.profile");
	assert_string_equal(again, mine);
}

static void test_set_without_profile(void **state)
{
	struct err err = {0};
	assert_false(hostcc_set("p", &some, HOSTCC_LINE, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_non_null(strstr(err.msg, "nvcc.profile"));
}

static void advises(struct hostcc_limits lim, const char *want)
{
	char out[128];
	assert_string_equal(hostcc_advice(&lim, out, sizeof out), want);
}

static void test_advice(void **state)
{
	struct hostcc_limits any = {0}, max11 = {.gcc_max = 11};
	advises(any, "install gcc and g++");
	advises(max11, "install gcc and g++ 11 or older");
	script("bin/pacman", "#!/bin/sh\n");
	advises(max11, "pacman -S gcc11");
	script("bin/zypper", "#!/bin/sh\n");
	advises(max11, "zypper install gcc11-c++");
	script("bin/dnf", "#!/bin/sh\n");
	advises(max11, "dnf install gcc-toolset-11-gcc-c++");
	advises(any, "dnf install gcc-c++");
	script("bin/apt-get", "#!/bin/sh\n");
	advises(any, "apt-get install g++");
	/* apt's lists are not there; hold older ones; hold none that fits. */
	script("bin/apt-cache", "#!/bin/sh\nexit 100\n");
	advises(max11, "apt-get install g++-11");
	script("bin/apt-cache",
	       "#!/bin/sh\nprintf 'g++-9 - GNU\\ng++-10 - GNU\\ng++-12 - GNU\\n'\n");
	advises(max11, "apt-get install g++-10");
	script("bin/apt-cache", "#!/bin/sh\nprintf 'g++-12 - GNU\\ng++-13 - GNU\\n'\n");
	advises(max11, "install gcc and g++ 11 or older, which this system's packages do not have");
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_limits),
		T(test_limits_unknown),
		T(test_limits_old_place),
		T(test_default),
		T(test_find),
		T(test_accepted),
		T(test_set_line),
		T(test_set_wrapper),
		T(test_set_foreign_line),
		T(test_advice),
		T(test_set_without_profile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
