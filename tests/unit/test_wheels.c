/* Releases to wheels, over HTTP from an index of small wheels (tests/index/fakeindex.py,
 * tests/httpd.py). */
#include "scratch.h"

#include <signal.h>
#include <spawn.h>

#include "base/buf.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/source.h"
#include "ext/fetch.h"

extern char **environ;

static struct {
	pid_t pid;
	int hold; /* the server ends with this pipe */
	char port[16];
	char *wheels;
} server;

static char notes[8192];
static struct catalog_release known[] = {
	{.label = "12.4.1", .wheels = NULL},
	{.label = "13.5.0", .wheels = NULL},
};
static struct catalog catalog = {.releases = known, .n = ARRAY_LEN(known)};

static void listen(void *ctx, const struct event *ev)
{
	snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n",
		 ev->text ? ev->text : "");
}
static const struct events events = {.fn = listen};

static void run(char *const argv[], int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawn_file_actions_init(&fa);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&fa, in, 0);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&fa, out, 1);
	assert_int_equal(posix_spawnp(pid, argv[0], &fa, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&fa);
}

static int start(void **state)
{
	const char *root = getenv("SOURCE_ROOT");
	int in[2], out[2], status;
	pid_t pid;
	assert_non_null(root);
	assert_int_equal(scratch_enter(state), 0);
	server.wheels = xasprintf("%s/index", (char *)*state);
	autofree char *make = xasprintf("%s/tests/index/fakeindex.py", root);
	autofree char *serve = xasprintf("%s/tests/httpd.py", root);
	char python[] = "python3", simple[] = "--simple";
	run((char *[]){python, make, server.wheels, NULL}, -1, -1, &pid);
	assert_true(waitpid(pid, &status, 0) == pid && status == 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	run((char *[]){python, serve, simple, server.wheels, NULL}, in[0], out[1], &server.pid);
	close(in[0]);
	close(out[1]);
	server.hold = in[1];
	FILE *f = fdopen(out[0], "r");
	assert_non_null(fgets(server.port, sizeof server.port, f));
	server.port[strcspn(server.port, "\n")] = '\0';
	fclose(f);
	return 0;
}

static int stop(void **state)
{
	close(server.hold);
	waitpid(server.pid, NULL, 0);
	free(server.wheels);
	return scratch_leave(state);
}

static void use_index(const char *kind)
{
	autofree char *url = xasprintf("http://127.0.0.1:%s/%s", server.port, kind);
	setenv("PIP_INDEX_URL", url, 1);
}

static int fresh(void **state)
{
	static const char *const vars[] = {
		"UV_DEFAULT_INDEX", "UV_INDEX",		  "UV_INDEX_URL",   "UV_EXTRA_INDEX_URL",
		"UV_FIND_LINKS",    "UV_NO_INDEX",	  "UV_CONFIG_FILE", "PIP_EXTRA_INDEX_URL",
		"PIP_FIND_LINKS",   "PIP_NO_INDEX",	  "PIP_CERT",	    "PIP_TRUSTED_HOST",
		"SSL_CERT_FILE",    "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "http_proxy",
		"all_proxy",	    "ALL_PROXY",
	};
	for (size_t i = 0; i < ARRAY_LEN(vars); i++)
		unsetenv(vars[i]);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("UV_NO_CONFIG", "1", 1);
	setenv("HOME", "/nonexistent", 1);
	use_index("simple");
	notes[0] = '\0';
	known[0].platforms = known[1].platforms = (struct strlist){0};
	known[1].wheels = NULL;
	return 0;
}

static bool find_with(const struct request *rq, bool offline, struct release *out, struct err *err)
{
	struct config cfg = {0};
	cfg.v[CONFIG_INDEX].value = xstrdup("");
	cfg.v[CONFIG_INDEX].origin = xstrdup("built in");
	struct source_ctx ctx = {.catalog = &catalog,
				 .config = &cfg,
				 .cache_dir = "cache",
				 .offline = offline,
				 .events = &events};
	*err = (struct err){0};
	bool ok = source_wheels.find(&ctx, rq, out, err);
	config_clear(&cfg);
	return ok;
}

static struct request request(const char *label, enum profile profile, const char *arch)
{
	return (struct request){.label = label, .profile = profile, .arch = arch};
}

/* "name=version" of each component, blanks between. */
static void expect(const struct request *rq, const char *label, const char *want)
{
	struct release r;
	struct err err;
	autobuf struct buf b = BUF_INIT(1 << 16);
	if (!find_with(rq, false, &r, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < r.n; i++) {
		const struct component *c = &r.components[i];
		buf_addf(&b, "%s%s=%s", i ? " " : "", c->name, c->version);
		assert_int_equal(strlen(c->sha256), 64);
		assert_true(c->urls.n >= 1 && c->kind == ARCHIVE_WHEEL);
		assert_non_null(strstr(c->file, ".whl"));
		assert_non_null(strstr(c->package, "nvidia-"));
	}
	assert_string_equal(r.label, label);
	assert_string_equal(r.source, "wheels");
	assert_string_equal(r.arch, rq->arch);
	assert_int_equal(strlen(r.manifest_sha256), 64);
	assert_string_equal(buf_str(&b), want);
	release_clear(&r);
}

static struct err refused(const char *label, const char *arch)
{
	struct request rq = request(label, PROFILE_DEFAULT, arch);
	struct release r;
	struct err err;
	if (find_with(&rq, false, &r, &err))
		fail_msg("%s is accepted", label);
	assert_string_not_equal(err.hint, "");
	return err;
}

static void has(const struct err *err, enum err_code code, const char *msg, const char *hint)
{
	if (err->code != code || !strstr(err->msg, msg) || !strstr(err->hint, hint))
		fail_msg("%d: %s (hint: %s)", err->code, err->msg, err->hint);
}

#define MINIMAL(n)                                                                                 \
	"cuda_cccl=" n " cuda_crt=" n " cuda_culibos=" n " cuda_nvcc=" n " cuda_nvrtc=" n          \
	" cuda_cudart=" n " libnvptxcompiler=" n " libnvvm=" n

static void test_profiles(void **state)
{
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	expect(&rq, "13.0.2", MINIMAL("13.0.88"));
	rq.profile = PROFILE_FULL;
	expect(&rq, "13.0.2",
	       "libcublas=13.0.88 cuda_cccl=13.0.88 cuda_crt=13.0.88 cuda_culibos=13.0.88 "
	       "cuda_nvcc=13.0.88 cuda_nvrtc=13.0.88 cuda_cudart=13.0.88 libcusolver=13.0.88 "
	       "libcusparse=13.0.88 libnvjitlink=13.0.88 cuda_nvml_dev=13.0.88 "
	       "libnvptxcompiler=13.0.88 libnvvm=13.0.88");
}

static void test_html_index(void **state)
{
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	static const char *const kinds[] = {"simple+html", "simple+html+base", "simple+html+abs",
					    "simple+nosize"};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		use_index(kinds[i]);
		expect(&rq, "13.0.2", MINIMAL("13.0.88"));
	}
}

/* ==13.5.37.* takes the newest that begins so, <14,>=13.5.37 the lowest and no pre-release. */
static void test_choice_of_versions(void **state)
{
	struct request rq = request("13.5.0", PROFILE_MINIMAL, "sbsa");
	strlist_add(&rq.components, "nvcc");
	strlist_add(&rq.components, "libnvjitlink");
	expect(&rq, "13.5.0",
	       "cccl=13.5.37 cuda_crt=13.5.37 cuda_nvcc=13.5.37.1 cuda_cudart=13.5.37 "
	       "libnvjitlink=13.5.37 libnvvm=13.5.37");
	strlist_clear(&rq.components);
}

static void test_fourth_part(void **state)
{
	struct request rq = request("13.4.1", PROFILE_MINIMAL, "x86_64");
	strlist_add(&rq.components, "cuda_cudart");
	expect(&rq, "13.4.1", "cuda_cudart=13.4.59");
	rq.label = "13.4";
	expect(&rq, "13.4.1", "cuda_cudart=13.4.59");
	rq.label = "13.0";
	expect(&rq, "13.0.2", "cuda_cudart=13.0.88");
	strlist_clear(&rq.components);
}

static void test_catalog_names_the_metapackage(void **state)
{
	struct request rq = request("13.5.0", PROFILE_MINIMAL, "x86_64");
	char other[] = "13.4.1.0", gone[] = "13.5.0.9";
	strlist_add(&rq.components, "cuda_cudart");
	known[1].wheels = other;
	expect(&rq, "13.4.1", "cuda_cudart=13.4.59");
	known[1].wheels = gone; /* not there: by the label */
	expect(&rq, "13.5.0", "cuda_cudart=13.5.37");
	strlist_clear(&rq.components);
}

static void test_components(void **state)
{
	static const struct {
		const char *asked, *want;
	} cases[] = {
		{"cuda_cudart", "cuda_cudart=13.5.37"},
		{"nvidia-cuda-runtime", "cuda_cudart=13.5.37"},
		{"NVIDIA_cuda.Runtime", "cuda_cudart=13.5.37"},
		{"cudart", "cuda_cudart=13.5.37"},
		{"cuda_cccl", "cccl=13.5.37"},
		{"cccl", "cccl=13.5.37"},
		{"nvml", "cuda_nvml_dev=13.5.37"},
		{"libcusolver",
		 "libcublas=13.5.37 libcusolver=13.5.37 libcusparse=13.5.37 libnvjitlink=13.5.37"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct request rq = request("13.5.0", PROFILE_MINIMAL, "x86_64");
		strlist_add(&rq.components, cases[i].asked);
		expect(&rq, "13.5.0", cases[i].want);
		strlist_clear(&rq.components);
	}
	/* The same closure where the metapackage does not say it. */
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	strlist_add(&rq.components, "libcusparse");
	expect(&rq, "13.0.2", "libcusparse=13.0.88 libnvjitlink=13.0.88");
	strlist_clear(&rq.components);
}

static void test_unknown_component(void **state)
{
	struct request rq = request("13.5.0", PROFILE_MINIMAL, "x86_64");
	struct release r;
	struct err err;
	strlist_add(&rq.components, "libcublsa");
	assert_false(find_with(&rq, false, &r, &err));
	has(&err, ERR_NO_VERSION, "no component 'libcublsa'", "did you mean 'libcublas'?");
	strlist_clear(&rq.components);
	strlist_add(&rq.components, "libcudla"); /* by its marker for aarch64 only */
	assert_false(find_with(&rq, false, &r, &err));
	has(&err, ERR_NO_VERSION, "'libcudla'", "");
	strlist_clear(&rq.components);
	strlist_add(&rq.components, "cuda_opencl"); /* by its wheels for aarch64 only */
	assert_false(find_with(&rq, false, &r, &err));
	has(&err, ERR_NO_VERSION, "'nvidia-cuda-opencl' of 13.5.0 has no wheel for x86_64", "");
	strlist_clear(&rq.components);
}

static void test_other_platform(void **state)
{
	struct request rq = request("13.5.0", PROFILE_DEFAULT, "x86_64");
	struct release r;
	struct err err;
	assert_true(find_with(&rq, false, &r, &err));
	for (size_t i = 0; i < r.n; i++) {
		assert_string_not_equal(r.components[i].name, "cuda_opencl");
		assert_non_null(strstr(r.components[i].file, "x86_64"));
	}
	assert_int_equal(r.n, 13);
	assert_non_null(strstr(notes, "cuda_opencl of 13.5.0 has no wheel for x86_64: left out"));
	release_clear(&r);
	rq.arch = "sbsa";
	assert_true(find_with(&rq, false, &r, &err));
	for (size_t i = 0; i < r.n; i++)
		assert_non_null(strstr(r.components[i].file, "aarch64"));
	assert_int_equal(r.n, 15);
	release_clear(&r);

	err = refused("13.1.1", "x86_64");
	has(&err, ERR_NO_VERSION, "the wheels of 13.1.1 are for other platforms than x86_64", "");
	err = refused("13.8.2", "x86_64");
	has(&err, ERR_NO_VERSION, "'nvidia-cuda-nvcc' of 13.8.2 has no wheel for x86_64", "");
	err = refused("13.0.2", "aarch64");
	has(&err, ERR_NO_VERSION, "no wheels for aarch64", "");
}

static void test_no_such_release(void **state)
{
	struct err err = refused("13.5.9", "x86_64");
	has(&err, ERR_NO_VERSION,
	    "CUDA 13.5.9 is not in the package index 'http://127.0.0.1:", "cudaenv install 13.5.0");
	has(&err, ERR_NO_VERSION, "(from PIP_INDEX_URL); the nearest is 13.5.0", "");
	err = refused("13.0.7", "x86_64");
	has(&err, ERR_NO_VERSION, "the nearest is 13.0.2", "cudaenv install 13.0.2");
	err = refused("14.0.0", "x86_64");
	has(&err, ERR_NO_VERSION, "CUDA 14.0.0 is not in", "cudaenv install 13.");
	err = refused("13.6.0", "x86_64");
	has(&err, ERR_NO_VERSION, "CUDA 13.6.0 is only a pre-release in", "");
	err = refused("13.1.0", "x86_64");
	has(&err, ERR_NO_VERSION, "CUDA 13.1.0 was withdrawn from", "cudaenv install 13.1.1");
	err = refused("13.8.3", "x86_64");
	has(&err, ERR_NO_VERSION, "'nvidia-cuda-nvcc' of 13.8.3 was withdrawn", "list-remote");
}

static void requests(struct buf *out)
{
	autofree char *url = xasprintf("http://127.0.0.1:%s/log", server.port);
	struct fetch_opts o = {0};
	struct fetch_answer a = {.body = BUF_INIT(1 << 20)};
	struct err err;
	assert_true(fetch_memory(url, NULL, &o, &a, &err));
	buf_adds(out, buf_str(&a.body));
	fetch_answer_clear(&a);
	autofree char *clear = xasprintf("http://127.0.0.1:%s/clear", server.port);
	a.body = BUF_INIT(1 << 20);
	assert_true(fetch_memory(clear, NULL, &o, &a, &err));
	fetch_answer_clear(&a);
}

static void test_no_nvcc(void **state)
{
	autobuf struct buf log = BUF_INIT(1 << 20);
	requests(&log);
	buf_clear(&log);
	char redist[] = "linux-x86_64", *platforms[] = {redist};
	known[0].platforms = (struct strlist){platforms, 1};
	struct err err = refused("12.4.1", "x86_64");
	has(&err, ERR_NO_VERSION,
	    "the wheels of 12.4.1 hold no nvcc (only those of 13.0 and newer do)",
	    "cudaenv install 12.4.1 --source redist");
	requests(&log);
	assert_null(strstr(buf_str(&log), "/simple")); /* known without asking */
	known[0].platforms = (struct strlist){0};
	err = refused("13.2.0", "x86_64");
	has(&err, ERR_NO_VERSION, "the wheels of 13.2.0 hold no nvcc", "");
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;
	while ((text = strstr(text, word)))
		n++, text++;
	return n;
}

static void test_requests(void **state)
{
	autobuf struct buf log = BUF_INIT(1 << 20);
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	requests(&log);
	buf_clear(&log);
	expect(&rq, "13.0.2", MINIMAL("13.0.88"));
	requests(&log);
	const char *text = buf_str(&log);
	assert_int_equal(count(text, "\"path\": \"/simple/"), 9);
	assert_int_equal(count(text, "/simple/nvidia-nvvm/"), 1);
	assert_int_equal(count(text, "/packages/nvidia"), 0);
	assert_true(count(text, "/packages/cuda_toolkit") <= 1); /* none where it is cached */
}

static void test_bad_metapackage(void **state)
{
	struct err err = refused("13.7.1", "x86_64");
	has(&err, ERR_INTEGRITY,
	    "bad metapackage 'cuda_toolkit-13.7.1-py2.py3-none-any.whl': requirement", "");
	err = refused("13.7.0", "x86_64");
	has(&err, ERR_INTEGRITY, "'cuda-toolkit' 13.7.9", "");
	err = refused("13.8.4", "x86_64");
	has(&err, ERR_INTEGRITY, "no METADATA", "");
	err = refused("13.8.5", "x86_64");
	has(&err, ERR_INTEGRITY, "cuda_toolkit-13.8.5", "");
	use_index("simple+wronghash");
	err = refused("13.0.2", "x86_64");
	has(&err, ERR_INTEGRITY, "sha256 mismatch", "");
	use_index("simple+nohash");
	err = refused("13.0.2", "x86_64");
	has(&err, ERR_INTEGRITY, "no sha256 for 'cuda_toolkit-13.0.2", "");
}

static void test_incomplete_mirror(void **state)
{
	struct err err = refused("13.8.0", "x86_64");
	has(&err, ERR_NETWORK, "'nvidia-nowhere' is not in the package index 'http://127.0.0.1:",
	    "cudaenv config set index URL");
	has(&err, ERR_NETWORK, "(from PIP_INDEX_URL)", "");
	err = refused("13.8.1", "x86_64");
	has(&err, ERR_NETWORK, "the version of 'nvidia-cuda-nvcc' that 13.8.1 wants is not in",
	    "mirror");
	use_index("simple+404");
	err = refused("13.0.2", "x86_64");
	has(&err, ERR_NETWORK, "'cuda-toolkit' is not in the package index", "");
}

static void test_bad_index(void **state)
{
	static const struct {
		const char *kind, *msg;
	} cases[] = {
		{"simple+login", "no package index"},
		{"simple+broken", "broken JSON"},
		{"simple+v2", "api-version"},
		{"simple+403", "403"},
		{"status/401", "401"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
		struct release r;
		struct err err;
		use_index(cases[i].kind);
		assert_false(find_with(&rq, false, &r, &err));
		has(&err, ERR_NETWORK, cases[i].msg, "");
		has(&err, ERR_NETWORK, "(from PIP_INDEX_URL)", "");
	}
}

static void test_index_down(void **state)
{
	setenv("PIP_INDEX_URL", "http://me:secret@127.0.0.1:1/simple", 1);
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	struct release r;
	struct err err;
	assert_false(find_with(&rq, false, &r, &err));
	has(&err, ERR_NETWORK, "cannot ask the package index", "another mirror or index");
	assert_null(strstr(err.msg, "secret"));
	assert_null(strstr(notes, "secret"));
	/* Another index serves: one warning, not one for each package. */
	autofree char *good = xasprintf("http://127.0.0.1:%s/simple", server.port);
	setenv("PIP_EXTRA_INDEX_URL", good, 1);
	notes[0] = '\0';
	expect(&rq, "13.0.2", MINIMAL("13.0.88"));
	assert_int_equal(count(notes, "left out: "), 1);
}

static void test_login(void **state)
{
	use_index("simple+auth:me:pw+via:auth:me%3Apw");
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	struct release r;
	struct err err;
	assert_false(find_with(&rq, false, &r, &err));
	has(&err, ERR_NETWORK, "401", "netrc");
	autofree char *url = xasprintf("http://me:pw@127.0.0.1:%s/simple+auth:me:pw", server.port);
	setenv("PIP_INDEX_URL", url, 1);
	assert_true(find_with(&rq, false, &r, &err));
	assert_non_null(
		strstr(r.components[0].urls.items[0], "me:pw@")); /* files may need it, too */
	release_clear(&r);
	assert_null(strstr(notes, "pw@"));
}

static void test_offline(void **state)
{
	struct request rq = request("13.0.2", PROFILE_MINIMAL, "x86_64");
	struct release r;
	struct err err;
	use_index("simple+abs+nosize");
	assert_false(find_with(&rq, true, &r, &err));
	has(&err, ERR_NETWORK, "offline", "");
	/* What was asked once with a network is kept. */
	assert_true(find_with(&rq, false, &r, &err));
	release_clear(&r);
	assert_true(find_with(&rq, true, &r, &err));
	assert_int_equal(r.n, 8);
	release_clear(&r);
	/* A folder of wheels needs no network; the digests are then those of its files. */
	setenv("PIP_NO_INDEX", "1", 1);
	setenv("PIP_FIND_LINKS", "index", 1);
	assert_true(find_with(&rq, true, &r, &err));
	assert_int_equal(r.n, 8);
	assert_non_null(strstr(r.components[0].urls.items[0], "file:///"));
	assert_true(r.components[0].size > 0);
	release_clear(&r);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_profiles),
		TEST(test_html_index),
		TEST(test_choice_of_versions),
		TEST(test_fourth_part),
		TEST(test_catalog_names_the_metapackage),
		TEST(test_components),
		TEST(test_unknown_component),
		TEST(test_other_platform),
		TEST(test_no_such_release),
		TEST(test_no_nvcc),
		TEST(test_requests),
		TEST(test_bad_metapackage),
		TEST(test_incomplete_mirror),
		TEST(test_bad_index),
		TEST(test_index_down),
		TEST(test_login),
		TEST(test_offline),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
