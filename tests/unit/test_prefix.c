#include "scratch.h"

#include <limits.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/proc.h"
#include "core/merge.h"
#include "core/prefix.h"

/* A store in the working folder with components "c0", "c1", ... whose trees the tests fill. */
static struct layout layout;
static struct release rel;
static char final[PATH_MAX + 32];
static int warnings;

static void on_event(void *ctx, const struct event *ev)
{
	(void)ctx;
	warnings += ev->kind == EVENT_WARNING;
}
static const struct events events = {on_event, NULL};

static const char *machine(void)
{
	static struct utsname u;
	uname(&u);
	return strcmp(u.machine, "aarch64") ? u.machine : "sbsa";
}

static void new_release(const char *arch)
{
	rel = (struct release){.label = "12.4.1", .source = "wheels"};
	snprintf(rel.arch, sizeof rel.arch, "%.15s", arch);
}

static int enter(void **state)
{
	struct err err;
	if (scratch_enter(state) < 0 || !getcwd(layout.root, sizeof layout.root))
		return -1;
	new_release(machine());
	snprintf(final, sizeof final, "%s/versions/12.4.1", layout.root);
	warnings = 0;
	return tree_mkdirs("store", &err) && tree_mkdirs("staging/x", &err) ? 0 : -1;
}

static int leave(void **state)
{
	release_clear(&rel);
	return scratch_leave(state);
}

static void add_component(const char *name, const char *version)
{
	struct err err;
	rel.components = array_grow(rel.components, rel.n, sizeof *rel.components);
	struct component *c = &rel.components[rel.n];
	c->name = xstrdup(name);
	c->version = xstrdup(version);
	snprintf(c->sha256, sizeof c->sha256, "%064zu", rel.n++);
	autofree char *tree = xasprintf("store/%s/tree", c->sha256);
	assert_true(tree_mkdirs(tree, &err));
}

/* "@" in a path stands for targets/<arch>-linux. */
static char *expand(const char *base, const char *path)
{
	const char *at = strchr(path, '@');
	return at ? xasprintf("%s%.*stargets/%s-linux%s", base, (int)(at - path), path, rel.arch,
			      at + 1)
		  : xasprintf("%s%s", base, path);
}

/* The folder is made. */
static char *in_store(size_t i, const char *path)
{
	struct err err;
	autofree char *base = xasprintf("store/%064zu/tree/", i);
	char *p = expand(base, path), *slash = strrchr(p, '/');
	*slash = '\0';
	assert_true(tree_mkdirs(p, &err));
	*slash = '/';
	return p;
}

static void put(size_t i, const char *path, const char *text)
{
	autofree char *p = in_store(i, path);
	scratch_file(p, text);
	assert_int_equal(chmod(p, strstr(path, "bin/") ? 0555 : 0444), 0);
}

static void put_link(size_t i, const char *path, const char *target)
{
	autofree char *p = in_store(i, path);
	assert_int_equal(symlink(target, p), 0);
}

static bool assemble(struct err *err)
{
	return prefix_assemble(&layout, &rel, "staging/x", final, &events, err);
}

static void assembled(void)
{
	struct err err = {0};
	if (!assemble(&err))
		fail_msg("%s", err.msg);
}

static void refused(const char *a, const char *b, const char *c)
{
	struct err err = {0};
	const char *wanted[] = {a, b, c};
	assert_false(assemble(&err));
	assert_int_equal(err.code, ERR_INTEGRITY);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		if (wanted[i] && !strstr(err.msg, wanted[i]))
			fail_msg("'%s' is not in '%s'", wanted[i], err.msg);
}

static char *got(const char *path)
{
	struct err err;
	struct buf b = BUF_INIT(1 << 20);
	autofree char *p = expand("staging/x/", path);
	if (!io_read_file(p, &b, &err))
		fail_msg("%s", err.msg);
	return buf_take(&b);
}

static void holds(const char *path, const char *text)
{
	autofree char *s = got(path);
	assert_string_equal(s, text);
}

static void links(const char *path, const char *target)
{
	char out[PATH_MAX] = "";
	autofree char *p = expand("staging/x/", path);
	autofree char *want = expand("", target);
	assert_true(readlink(p, out, sizeof out - 1) > 0);
	assert_string_equal(out, want);
}

static void test_merge(void **state)
{
	struct stat st;
	add_component("cuda_a", "1.2.3");
	add_component("cuda_b", "4.5");
	put(0, "bin/tool", "program");
	put(0, "@/include/a.h", "a");
	put(0, "@/include/same.h", "same");
	put_link(0, "@/lib/libx.so", "libx.so.1");
	put(0, "@/lib/libx.so.1", "x");
	put(1, "@/include/sub/b.h", "b");
	put(1, "@/include/same.h", "same");
	put_link(1, "@/lib/libx.so", "libx.so.1");
	mode_t old = umask(077);
	assembled();
	umask(old);
	holds("bin/tool", "program");
	holds("include/a.h", "a");
	holds("include/sub/b.h", "b");
	holds("include/same.h", "same");
	links("include", "@/include");
	links("lib64", "@/lib");
	links("lib", "@/lib");
	links("@/lib/libx.so", "libx.so.1");
	/* Hard links to the store, whose modes they have; folders open to all users. */
	assert_int_equal(stat("staging/x/bin/tool", &st), 0);
	assert_int_equal(st.st_nlink, 2);
	assert_int_equal(st.st_mode & 07777, 0555);
	const char *dirs[] = {"staging/x", "staging/x/bin", "staging/x/targets",
			      "staging/x/include/sub", "staging/x/pkg-config"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		assert_int_equal(stat(dirs[i], &st), 0);
		assert_int_equal(st.st_mode & 07777, 0755);
	}
	autofree char *json = got("version.json");
	assert_non_null(strstr(json, "\"version\": \"12.4.1\""));
	assert_non_null(strstr(json, "\"cuda_a\""));
}

static void test_profile_is_private(void **state)
{
	struct stat st;
	add_component("cuda_nvcc", "1");
	put(0, "bin/nvcc.profile", "TOP = x\n");
	assembled();
	assert_int_equal(stat("staging/x/bin/nvcc.profile", &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(st.st_mode & 07777, 0644);
	holds("bin/nvcc.profile", "TOP = x\n");
}

static void test_conflict_content(void **state)
{
	add_component("cuda_a", "1");
	add_component("cuda_b", "1");
	add_component("cuda_c", "1");
	put(1, "@/include/x.h", "one");
	put(2, "@/include/x.h", "two");
	refused("include/x.h", "'cuda_b'", "'cuda_c'");
}

static void test_conflict_kinds(void **state)
{
	struct err err;
	static const struct {
		const char *file, *link, *target;
	} cases[] = {
		{"a/x", "a", "b"}, /* a folder, then a link */
		{"a", "a", "b"},   /* a file, then a link */
		{"a", "a/x", "b"}, /* a file, then a folder */
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int swap = 0; swap < 2; swap++) {
			add_component("cuda_a", "1");
			add_component("cuda_b", "1");
			put((size_t)swap, cases[i].file, "x");
			put_link((size_t)!swap, cases[i].link, cases[i].target);
			refused("'a'", "'cuda_a'", "'cuda_b'");
			release_clear(&rel);
			new_release(machine());
			assert_true(tree_remove("store", &err) && tree_remove("staging", &err) &&
				    tree_mkdirs("staging/x", &err));
		}
	/* Two links of one name that lead to different places. */
	add_component("cuda_a", "1");
	add_component("cuda_b", "1");
	put_link(0, "l", "x");
	put_link(1, "l", "y");
	refused("'l'", "'cuda_a'", "'cuda_b'");
}

/* One component's link must not lead another one's file out of the prefix. */
static void test_no_way_out(void **state)
{
	struct err err;
	assert_true(tree_mkdirs("staging/victim", &err));
	static const char *const targets[] = {"../victim",	"/etc", "../../victim",
					      "x/../../victim", "..",	"a/.."};
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		add_component("bad", "1");
		add_component("cuda_b", "1");
		put_link(0, "include", targets[i]);
		put(1, "include/x.h", "x");
		refused("'include'", "'bad'", NULL);
		assert_int_equal(access("staging/victim/x.h", F_OK), -1);
		release_clear(&rel);
		new_release(machine());
		assert_true(tree_remove("store", &err) && tree_remove("staging/x", &err) &&
			    tree_mkdirs("staging/x", &err));
	}
	/* Inside it may lead anywhere, but nothing is written through it. */
	add_component("cuda_a", "1");
	add_component("cuda_b", "1");
	put(0, "real/y", "y");
	put_link(0, "deep/in/link", "../../real");
	put(1, "deep/in/link/x.h", "x");
	refused("'deep/in/link'", "'cuda_a'", "'cuda_b'");
	assert_int_equal(access("staging/x/real/x.h", F_OK), -1);
}

/* Folders that this program writes into are no links either. */
static void test_no_writing_through_links(void **state)
{
	struct err err;
	static const char *const names[] = {"pkg-config", "bin", "targets"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		add_component("cuda_a", "1");
		put(0, "other/file", "x");
		put_link(0, names[i], "other");
		refused(names[i], "not a folder", NULL);
		release_clear(&rel);
		new_release(machine());
		assert_true(tree_remove("store", &err) && tree_remove("staging", &err) &&
			    tree_mkdirs("staging/x", &err));
	}
	/* Nor is nvcc.profile replaced by what a link of that name leads to. */
	add_component("cuda_a", "1");
	put(0, "bin/other", "x");
	put_link(0, "bin/nvcc.profile", "other");
	refused("'nvcc.profile'", "not a file", NULL);
}

static void test_special_file(void **state)
{
	add_component("cuda_a", "1");
	autofree char *p = in_store(0, "pipe");
	assert_int_equal(mkfifo(p, 0644), 0);
	refused("'pipe'", "'cuda_a'", NULL);
}

static void test_notices_are_kept(void **state)
{
	add_component("cuda_a", "1");
	add_component("cuda_b", "1");
	add_component("cuda_c", "1");
	for (size_t i = 0; i < 3; i++) {
		put(i, "LICENSE", i == 1 ? "other" : "text");
		put(i, "doc/Readme.md", i == 2 ? "other" : "text");
	}
	assembled();
	holds("LICENSE", "text");
	holds("LICENSE.cuda_b", "other");
	holds("doc/Readme.md.cuda_c", "other");
	assert_int_equal(access("staging/x/LICENSE.cuda_c", F_OK), -1);
}

static void test_library_chains(void **state)
{
	add_component("cuda_a", "1");
	put(0, "@/lib/libone.so.13", "x");
	put(0, "@/lib/libfull.so.12.4.127", "x");
	put(0, "@/lib/libboth.so.12.4.127", "x");
	put_link(0, "@/lib/libboth.so.12", "libboth.so.12.4.127");
	put(0, "@/lib/libold.so.9", "x");
	put(0, "@/lib/libold.so.10", "x");
	put(0, "@/lib/libtwo.so.12.4", "x");
	put(0, "@/lib/libdangling.so.2", "x");
	put_link(0, "@/lib/libdangling.so", "libdangling.so.1");
	put(0, "@/lib/libkept.so.2", "x");
	put(0, "@/lib/libkept.so", "own");
	put(0, "@/lib/libnot.so.txt", "x");
	put(0, "nvvm/lib64/libnvvm.so.4", "x");
	assembled();
	links("@/lib/libone.so", "libone.so.13");
	links("@/lib/libfull.so", "libfull.so.12");
	links("@/lib/libfull.so.12", "libfull.so.12.4.127");
	links("@/lib/libboth.so", "libboth.so.12");
	links("@/lib/libold.so", "libold.so.10");
	links("@/lib/libtwo.so", "libtwo.so.12.4");
	links("@/lib/libdangling.so", "libdangling.so.2");
	links("nvvm/lib64/libnvvm.so", "libnvvm.so.4");
	holds("lib64/libkept.so", "own");
	assert_int_equal(access("staging/x/lib64/libnot.so", F_OK), -1);
}

static void test_pkgconfig_made(void **state)
{
	add_component("cuda_cudart", "1");
	put(0, "@/lib/libcudart.so.12", "x");
	put(0, "@/lib/libnvrtc-builtins.so.12.4", "x");
	put(0, "@/lib/libnvrtc.alt.so.12", "x");
	assembled();
	links("pkgconfig", "pkg-config");
	links("pkg-config/cudart.pc", "cudart-12.4.pc");
	autofree char *pc = got("lib64/pkgconfig/cudart-12.4.pc");
	assert_non_null(strstr(pc, "cudaroot=/"));
	assert_non_null(strstr(pc, "cudaenv\\ unit."));
	assert_non_null(strstr(pc, "/versions/12.4.1\n"));
	assert_null(strstr(pc, "staging"));
	assert_int_equal(access("staging/x/pkg-config/nvrtc-builtins.pc", F_OK), -1);
	assert_int_equal(access("staging/x/pkg-config/nvrtc.alt.pc", F_OK), -1);
}

static void test_pkgconfig_rewritten(void **state)
{
	struct stat st;
	add_component("cuda_cudart", "1");
	add_component("libcublas", "1");
	put(0, "pkg-config/cudart-12.4.pc",
	    "cudaroot=/usr/local/cuda-12.4\nlibdir=${cudaroot}/x\n\nName: cudart\nLibs: "
	    "-L${libdir}");
	put(1, "pkgconfig/cublas-12.4.pc",
	    "# prefix=\nprefix = /opt/x\nprefix=/second\nName: cublas\n");
	put(1, "pkgconfig/odd.pc", "Name: odd\n");
	struct err err = {0};
	snprintf(final, sizeof final, "/final/12.4.1");
	if (!assemble(&err))
		fail_msg("%s", err.msg);
	holds("pkg-config/cudart-12.4.pc",
	      "cudaroot=/final/12.4.1\nlibdir=${cudaroot}/x\n\nName: cudart\nLibs: -L${libdir}\n");
	holds("pkgconfig/cublas-12.4.pc",
	      "# prefix=\nprefix=/final/12.4.1\nprefix=/second\nName: cublas\n");
	holds("pkgconfig/odd.pc", "Name: odd\n");
	links("pkg-config/cudart.pc", "cudart-12.4.pc");
	assert_int_equal(stat("staging/x/pkg-config/cudart-12.4.pc", &st), 0);
	assert_int_equal(st.st_nlink, 1);
	/* The store has its own still. */
	autofree char *p = in_store(0, "pkg-config/cudart-12.4.pc");
	struct buf b = BUF_INIT(1 << 16);
	assert_true(io_read_file(p, &b, &err));
	assert_non_null(strstr(buf_str(&b), "/usr/local/cuda-12.4"));
	buf_clear(&b);
}

#define HEADER                                                                                     \
	"#define CUDAAPI\n#define cuMemAlloc cuMemAlloc_v2\n"                                      \
	"#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)\n#define CU_X 1\n#define cuda_x cuda_y\n"      \
	"/* cuComment() */\nCUresult CUDAAPI cuInit(unsigned f);\n"                                \
	"CUresult CUDAAPI\ncuMemAlloc(void *p);\nCUresult CUDAAPI cuInit(unsigned f);\n"           \
	"typedef void (CUDAAPI *CUhostFn)(void *);\nextern int CUDAAPI cuVariable;\n"

static void test_stub(void **state)
{
	struct stat st;
	add_component("cuda_cudart", "1");
	put(0, "@/include/cuda.h", HEADER);
	assembled();
	if (warnings)
		skip(); /* no compiler */
	links("lib64/stubs/libcuda.so.1", "libcuda.so");
	assert_int_equal(stat("staging/x/lib64/stubs/libcuda.so", &st), 0);
	assert_int_equal(access("staging/x/lib64/libcuda.so", F_OK), -1);
	autobuf struct buf so = BUF_INIT(1 << 20);
	struct err err;
	assert_true(io_read_file("staging/x/lib64/stubs/libcuda.so", &so, &err));
	static const char *const in[] = {"cuInit",   "cuMemAlloc",    "cuMemAlloc_v2",
					 "cuMemcpy", "cuMemcpy_ptds", "libcuda.so.1"};
	static const char *const out[] = {"cuComment", "cuVariable", "CU_X",
					  "cuda_y",    "stub.c",     "staging"};
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		assert_non_null(memmem(so.data, so.len, in[i], strlen(in[i]) + 1));
	for (size_t i = 0; i < ARRAY_LEN(out); i++)
		assert_null(memmem(so.data, so.len, out[i], strlen(out[i])));
	links("pkg-config/cuda.pc", "cuda-12.4.pc");
	assert_int_equal(access("staging/x/.cudaenv/stub.c", F_OK), -1);
}

static void test_stub_brought(void **state)
{
	add_component("cuda_cudart", "1");
	put(0, "@/include/cuda.h", HEADER);
	put(0, "@/lib/stubs/libcuda.so", "NVIDIA's");
	assembled();
	holds("lib64/stubs/libcuda.so", "NVIDIA's");
	links("lib64/stubs/libcuda.so.1", "libcuda.so");
}

/* For another machine, or from a header without functions: a warning, and no stub. */
static void test_stub_impossible(void **state)
{
	new_release(strcmp(machine(), "sbsa") ? "sbsa" : "x86_64");
	add_component("cuda_cudart", "1");
	put(0, "@/include/cuda.h", HEADER);
	assembled();
	assert_int_equal(warnings, 1);
	assert_int_equal(access("staging/x/lib64/stubs/libcuda.so.1", F_OK), -1);
}

static void test_tools(void **state)
{
	struct stat st;
	add_component("cuda_sanitizer_api", "1");
	add_component("nsight_compute", "1");
	put(0, "compute-sanitizer/compute-sanitizer", "x");
	put(1, "nsight-compute/2023.9.1/ncu", "x");
	put(1, "nsight-compute/2023.10.2/ncu", "x");
	put(1, "nsight-compute/2024$(reboot)/ncu", "x");
	put(1, "nsight-systems-2023/bin/nsys", "#!/bin/sh\necho \"$0|$1\"\n");
	put(1, "bin/ncu-ui", "own");
	const char *programs[] = {"compute-sanitizer/compute-sanitizer",
				  "nsight-compute/2023.9.1/ncu", "nsight-compute/2023.10.2/ncu",
				  "nsight-compute/2024$(reboot)/ncu",
				  "nsight-systems-2023/bin/nsys"};
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		autofree char *p = in_store(i > 0, programs[i]);
		assert_int_equal(chmod(p, 0555), 0);
	}
	assembled();
	autofree char *ncu = got("bin/ncu");
	assert_non_null(strstr(ncu, "/../nsight-compute/2023.10.2/ncu\""));
	autofree char *san = got("bin/compute-sanitizer");
	assert_non_null(strstr(san, "/../compute-sanitizer/compute-sanitizer\""));
	holds("bin/ncu-ui", "own");
	assert_int_equal(stat("staging/x/bin/nsys", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	/* Also through a link elsewhere it finds its folder. */
	assert_int_equal(symlink("staging/x/bin/nsys", "nsys"), 0);
	const char *argv[] = {"./nsys", "a b", NULL};
	struct proc_result r;
	struct err err;
	assert_true(proc_run(&(struct proc){.argv = argv}, &r, &err));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(buf_str(&r.out), "/bin/../nsight-systems-2023/bin/nsys|a b\n"));
	proc_result_clear(&r);
}

static void test_cupti_place(void **state)
{
	add_component("cuda_cupti", "1");
	put(0, "@/include/cupti.h", "x");
	assembled();
	holds("extras/CUPTI/include/cupti.h", "x");
	links("extras/CUPTI/lib64", "../../lib64");
}

/* Where a hard link cannot be made the file is copied with its mode. */
static void test_copy(void **state)
{
	struct stat st;
	char other[] = "/dev/shm/cudaenv unit.XXXXXX";
	struct err err;
	if (!mkdtemp(other))
		skip();
	autoclose int from = open(".", O_RDONLY | O_DIRECTORY),
		      to = open(other, O_RDONLY | O_DIRECTORY);
	scratch_file("file", "content");
	assert_int_equal(chmod("file", 0555), 0);
	assert_true(merge_file(from, "file", to, "copy"));
	assert_int_equal(fstatat(to, "copy", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
	assert_int_equal(st.st_size, 7);
	assert_false(merge_file(from, "file", to, "copy"));
	assert_int_equal(errno, EEXIST);
	assert_true(tree_remove(other, &err));
}

#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_merge),
		T(test_profile_is_private),
		T(test_conflict_content),
		T(test_conflict_kinds),
		T(test_no_way_out),
		T(test_no_writing_through_links),
		T(test_special_file),
		T(test_notices_are_kept),
		T(test_library_chains),
		T(test_pkgconfig_made),
		T(test_pkgconfig_rewritten),
		T(test_stub),
		T(test_stub_brought),
		T(test_stub_impossible),
		T(test_tools),
		T(test_cupti_place),
		T(test_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
