/* Answers that must not become a file, and how often they are asked for. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net.h"

enum { MAX = 32 };
static struct request log_[MAX];

/* What a mode of the server must lead to. */
static const struct {
	const char *mode, *say, *hint;
	enum err_code code;
	size_t requests;
	long part;			       /* bytes of the part that is left, -1: none */
	enum { TOLD, NO_SIZE, NO_DIGEST } how; /* NO_DIGEST: no size either */
} cases[] = {
	/* a page in place of the archive */
	{"html", "HTML page (login needed?)", "", ERR_NETWORK, 1, -1, TOLD},
	{"html", "HTML page (login needed?)", "", ERR_NETWORK, 1, -1, NO_DIGEST},
	{"rawhtml", "HTML page (login needed?)", "", ERR_NETWORK, 1, -1, TOLD},
	{"rawhtml", "HTML page (login needed?)", "", ERR_NETWORK, 1, -1, NO_DIGEST},
	{"type/text/html", "HTML page", "", ERR_NETWORK, 1, -1, TOLD},
	{"type/Text/HTML;charset=utf-8", "HTML page", "", ERR_NETWORK, 1, -1, TOLD},
	/* compressed once more */
	{"gzip", "compresses", "", ERR_INTEGRITY, 1, -1, NO_DIGEST},
	{"gzip", "compresses", "", ERR_INTEGRITY, 1, -1, TOLD},
	{"gzip", "the server compressed", "", ERR_INTEGRITY, 2, -1, NO_SIZE},
	/* sizes */
	{"wronglen/1000", "301000 bytes", "replaced", ERR_INTEGRITY, 1, -1, TOLD},
	{"wronglen/1000", "", "", ERR_NETWORK, 3, NET_SIZE, NO_DIGEST},
	{"wronglen/-1000", "299000 bytes", "replaced", ERR_INTEGRITY, 3, -1, TOLD},
	{"longer/1", "300001 bytes, expected are 300000", "replaced", ERR_INTEGRITY, 1, -1, TOLD},
	{"longer/1", "sha256 mismatch", "replaced", ERR_INTEGRITY, 2, -1, NO_SIZE},
	{"endless", "more than the expected 300000 bytes", "replaced", ERR_INTEGRITY, 1, -1, TOLD},
	{"nolengthcut/1000", "file ends after 1000 of 300000", "replaced", ERR_INTEGRITY, 3, 1000,
	 TOLD},
	{"chunkcut/1000", "", "", ERR_NETWORK, 3, 1000, TOLD},
	{"empty", "offers 0 bytes", "replaced", ERR_INTEGRITY, 3, -1, TOLD},
	{"empty", "empty file", "", ERR_INTEGRITY, 3, -1, NO_DIGEST},
	/* content */
	{"corrupt/150000", "sha256 mismatch", "publisher may have replaced", ERR_INTEGRITY, 2, -1,
	 TOLD},
	/* protocol */
	{"always206", "a part where the whole", "", ERR_NETWORK, 1, -1, TOLD},
	{"close", "mpty reply", "", ERR_NETWORK, 3, -1, TOLD},
	{"reset/0", "reset", "", ERR_NETWORK, 3, -1, TOLD},
	{"stall/0", "slow", "", ERR_NETWORK, 3, -1, TOLD},
	/* statuses */
	{"status/404", "404 (not found)", "mirror is not complete", ERR_NETWORK, 1, -1, TOLD},
	{"status/410", "410 (gone)", "may be gone", ERR_NETWORK, 1, -1, TOLD},
	{"status/401", "401", "credentials", ERR_NETWORK, 1, -1, TOLD},
	{"status/403", "403", "credentials", ERR_NETWORK, 1, -1, TOLD},
	{"status/400", "400", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/416", "416", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/451", "451", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/204", "204", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/300", "300", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/304", "304", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/501", "501", "", ERR_NETWORK, 1, -1, TOLD},
	{"status/408", "408", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/425", "425", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/429", "429", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/500", "500", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/502", "502", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/503", "503", "", ERR_NETWORK, 3, -1, TOLD},
	{"status/504", "504", "", ERR_NETWORK, 3, -1, TOLD},
};

static void refused(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		net_fresh(state);
		struct get g = GET(net_url(cases[i].mode));
		g.sha256 = cases[i].how == NO_DIGEST ? "" : NULL;
		g.no_size = cases[i].how != TOLD;
		g.o.low_speed_s = strstr(cases[i].mode, "stall") ? 1 : 0;
		net_get_bad(&g, cases[i].code, cases[i].mode, cases[i].say, cases[i].hint, NULL);
		size_t n = net_log(log_, MAX);
		if (n != cases[i].requests || net_length("d.part") != cases[i].part)
			fail_msg("%s: %zu requests, part %ld", cases[i].mode, n,
				 (long)net_length("d.part"));
	}
}

/* The same faults, but gone after a while. */
static void better_later(void **state)
{
	static const struct {
		const char *mode;
		size_t requests;
	} passing[] = {{"status/503x2", 3},   {"status/408x1", 2}, {"closex2", 3},
		       {"emptyx1", 2},	      {"corrupt/9x1", 2},  {"wronglen/-5x2", 3},
		       {"retry-after/0x1", 2}};
	for (size_t i = 0; i < ARRAY_LEN(passing); i++) {
		net_fresh(state);
		struct get g = GET(net_url(passing[i].mode));
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), passing[i].requests);
		assert_string_not_equal(g.retries, "");
	}
}

/* All bytes are there, only the end was not as announced. */
static void whole_after_all(void **state)
{
	for (int known = 0; known < 2; known++) {
		net_fresh(state);
		struct get g = GET(net_url("wronglen/1000"));
		g.no_size = !known;
		net_write("d.part", net.data, 1000);
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), 1);
	}
}

static void stop_when_told(void *ctx, const struct event *ev)
{
	double wait = 0;
	const char *told = ev->kind == EVENT_RETRY ? strstr(ev->text, "trying again in ") : NULL;
	if (told && sscanf(told, "trying again in %lf s", &wait) == 1 && wait > 5 && wait <= 40)
		raise(SIGINT);
}

/* The wait that the server asks for counts, in both forms; here it is told and nobody waits. */
static void retry_after(void **state)
{
	static const char *const modes[] = {"retry-after/40", "retry-after/date"};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct get g = GET(net_url(modes[i]));
		g.hook = stop_when_told;
		g.o.retries = 1;
		net_get_interrupted(&g);
	}
}

/* But not any wait. */
static void stop_at_a_minute(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_RETRY && strstr(ev->text, "trying again in 60.0 s"))
		raise(SIGINT);
}

static void retry_after_years(void **state)
{
	static const char *const modes[] = {"retry-after/61", "retry-after/86400",
					    "retry-after/999999999999"};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct get g = GET(net_url(modes[i]));
		g.hook = stop_at_a_minute;
		net_get_interrupted(&g);
	}
}

static void mismatch_names_both(void **state)
{
	struct get g = GET(net_url("file"));
	g.sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	net_get_bad(&g, ERR_INTEGRITY, g.sha256, net.sha256, "replaced", NULL);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].range, "");
	assert_false(net_exists("d.part"));
}

/* A page or an error never costs what was there already. */
static void part_survives(void **state)
{
	static const char *const modes[] = {"html",  "rawhtml", "status/404", "status/503",
					    "close", "empty",	"stall/0"};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		net_fresh(state);
		struct get g = GET(net_url(modes[i]));
		net_write("d.part", net.data, 1000);
		g.o.low_speed_s = strcmp(modes[i], "stall/0") ? 0 : 1;
		assert_false(net_get(&g));
		if (net_length("d.part") != 1000)
			fail_msg("%s left %ld bytes", modes[i], (long)net_length("d.part"));
	}
}

static void limits(void **state)
{
	struct get g = GET(net_url("file"));
	g.no_size = true;
	g.max = NET_SIZE - 1;
	net_get_bad(&g, ERR_INTEGRITY, "limit of 299999", NULL);
	g = GET(net_url("nolength"));
	g.no_size = true;
	g.max = NET_SIZE - 1;
	net_get_bad(&g, ERR_INTEGRITY, "more than 299999 bytes", NULL);
	g = GET(net_url("chunked"));
	g.no_size = true;
	g.max = NET_SIZE;
	net_get_ok(&g);
}

static void no_network(void **state)
{
	struct get g = GET("http://user:secret@127.0.0.1:1/x?token=secret");
	g.o.offline = true;
	net_get_bad(&g, ERR_NETWORK, "offline", "***@127.0.0.1:1/x", "--offline", NULL);
	assert_null(strstr(g.err.msg, "secret"));
	g = GET("http://127.0.0.1:1/x");
	net_get_bad(&g, ERR_NETWORK, "127.0.0.1:1", "connect", NULL);
	g = GET("http://nowhere.invalid/x");
	net_get_bad(&g, ERR_NETWORK, "nowhere.invalid", "resolve", "network", NULL);
}

static void no_url(void **state)
{
	static const char *const urls[] = {"",
					   "x",
					   "ftp://127.0.0.1/x",
					   "scp://h/x",
					   "http://",
					   "//host/x",
					   "http://h:99999/x",
					   "http://a\nb/",
					   "gopher://x",
					   "http://[::1/x"};
	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		struct get g = GET(urls[i]);
		assert_false(net_get(&g));
		assert_true(g.err.code == ERR_USAGE || g.err.code == ERR_NETWORK);
		assert_null(strchr(g.err.msg, '\n'));
	}
	struct get g = GET(NULL);
	net_get_bad(&g, ERR_FAILED, "nobody told", NULL);
}

static void local_files(void **state)
{
	char url[256];
	snprintf(url, sizeof url, "file:///tmp/cudaenv%%20net%s/root/f", strrchr(net.dir, '.'));
	struct get g = GET(url);
	g.o.offline = true;
	net_write("d.part", net.data, 1000);
	net_get_ok(&g);
	unlink(net_path("d"));
	g = GET("file:///nonexistent/x");
	net_get_bad(&g, ERR_NETWORK, "file:///nonexistent/x", NULL);
	assert_int_equal(g.err.sys, 2);
	g = GET("file:///tmp");
	assert_false(net_get(&g));
	/* without an end, or without a beginning */
	g = GET("file:///dev/zero");
	net_get_bad(&g, ERR_NETWORK, "'/dev/zero' is no regular file", NULL);
	assert_int_equal(mkfifo(net_path("root/fifo"), 0666), 0);
	snprintf(url, sizeof url, "FILE:///tmp/cudaenv%%20net%s/root/fifo", strrchr(net.dir, '.'));
	g = GET(url);
	net_get_bad(&g, ERR_NETWORK, "root/fifo' is no regular file", NULL);
}

static void dest_in_the_way(void **state)
{
	struct get g = GET(net_url("file"));
	assert_int_equal(mkdir(net_path("d"), 0755), 0);
	assert_false(net_get(&g));
	assert_int_equal(g.err.code, ERR_FILESYSTEM);
	assert_int_equal(net_length("d.part"), NET_SIZE);
	rmdir(net_path("d"));
	/* nothing has to be fetched again */
	g = GET(net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
}

static void folder_in_the_way(void **state)
{
	struct err err;
	struct strlist urls = {0};
	strlist_add(&urls, net_url("file"));
	struct fetch_job job = {.name = "f", .urls = &urls, .dest = net_path("root/f/x")};
	assert_false(fetch_run(&job, 1, &(struct fetch_opts){0}, NULL, NULL, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_non_null(strstr(err.msg, "root/f"));
	assert_int_equal(net_log(log_, MAX), 0);
	/* a folder that is only missing is made */
	job.dest = net_path("new/folder/x");
	assert_true(fetch_run(&job, 1, &(struct fetch_opts){0}, NULL, NULL, &err));
	assert_int_equal(net_length("new/folder/x"), NET_SIZE);
	strlist_clear(&urls);
}

struct small {
	unsigned long flags; /* of the mount */
	const char *say, *hint;
	long part;
};

/* In a name space of its own; 77 where this user may not mount. */
static void *on_small_disk(void *arg)
{
	const struct small *s = arg;
	struct get g = GET(net_url("file"));
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", net.dir, "tmpfs", s->flags, "size=128k") < 0)
		_exit(77);
	bool ok = net_get(&g);
	bool said = strstr(g.err.msg, s->say) && strstr(g.err.msg, "d.part") &&
		    strstr(g.err.hint, s->hint);
	if (!said)
		fprintf(stderr, "%s; hint: %s\n", g.err.msg, g.err.hint);
	_exit(!ok && said && g.err.code == ERR_FILESYSTEM && net_length("d.part") == s->part ? 42
											     : 1);
}

static void disk_is_full(void **state)
{
	static const struct small disks[] = {{0, "No space left", "168928 more bytes", 128 * 1024},
					     {MS_RDONLY, "Read-only file system", "", -1}};
	for (size_t i = 0; i < ARRAY_LEN(disks); i++) {
		struct small s = disks[i];
		pthread_t thread;
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			pthread_create(&thread, NULL, on_small_disk, &s);
			pthread_join(thread, NULL);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(better_later),
		cmocka_unit_test(whole_after_all),
		cmocka_unit_test_setup(retry_after, net_fresh),
		cmocka_unit_test_setup(retry_after_years, net_fresh),
		cmocka_unit_test_setup(mismatch_names_both, net_fresh),
		cmocka_unit_test(part_survives),
		cmocka_unit_test_setup(limits, net_fresh),
		cmocka_unit_test_setup(no_network, net_fresh),
		cmocka_unit_test_setup(no_url, net_fresh),
		cmocka_unit_test_setup(local_files, net_fresh),
		cmocka_unit_test_setup(dest_in_the_way, net_fresh),
		cmocka_unit_test_setup(folder_in_the_way, net_fresh),
		cmocka_unit_test_setup(disk_is_full, net_fresh),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
