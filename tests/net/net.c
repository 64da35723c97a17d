#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/tree.h"
#include "ext/digest.h"

extern char **environ;
struct net net;

static const char *text(const char *fmt, ...) printf_like(1, 2);
static const char *text(const char *fmt, ...)
{
	static char slots[16][512];
	static unsigned next;
	char *s = slots[next++ % 16];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(s, sizeof slots[0], fmt, ap);
	va_end(ap);
	return s;
}

const char *net_url(const char *mode)
{
	static unsigned n;
	return text("http://127.0.0.1:%d/%s%sf?%u", net.server.port, mode, *mode ? "/" : "", ++n);
}

const char *net_path(const char *file)
{
	return text("%s/%s", net.dir, file);
}

void net_write(const char *file, const void *data, size_t n)
{
	FILE *f = fopen(net_path(file), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

off_t net_length(const char *file)
{
	struct stat st;
	return stat(net_path(file), &st) < 0 ? -1 : st.st_size;
}

bool net_exists(const char *file)
{
	return net_length(file) >= 0;
}

void server_start(struct server *s, const char *const *options)
{
	const char *root = getenv("SOURCE_ROOT");
	const char *argv[32] = {"python3", text("%s/tests/httpd.py", root ? root : ".")};
	size_t n = 2;
	char line[16] = "";
	int in[2], out[2];
	posix_spawn_file_actions_t actions;
	for (; options && *options; options++)
		argv[n++] = *options;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	int rc =
		posix_spawnp(&s->pid, "python3", &actions, NULL, (char **)(uintptr_t)argv, environ);
	assert_int_equal(rc, 0);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	FILE *f = fdopen(out[0], "r");
	assert_non_null(fgets(line, sizeof line, f));
	fclose(f);
	s->in = in[1];
	s->port = (int)strtol(line, NULL, 10);
	assert_true(s->port > 0);
}

void server_stop(struct server *s)
{
	close(s->in); /* the server watches it */
	waitpid(s->pid, NULL, 0);
}

static void quiet_environment(void)
{
	static const char *const names[] = {"http_proxy",     "HTTP_PROXY",	"https_proxy",
					    "HTTPS_PROXY",    "all_proxy",	"ALL_PROXY",
					    "no_proxy",	      "NO_PROXY",	"SSL_CERT_FILE",
					    "CURL_CA_BUNDLE", "REQUEST_METHOD", "NETRC"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
}

int net_setup(void **state)
{
	struct err err;
	uint32_t x = 1;
	memcpy(net.dir, "/tmp/cudaenv net.XXXXXX", 24);
	assert_non_null(mkdtemp(net.dir));
	setenv("HOME", net.dir, 1);
	quiet_environment();
	for (size_t i = 0; i < NET_SIZE; i++)
		net.data[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
	mkdir(net_path("root"), 0755);
	net_write("root/f", net.data, NET_SIZE);
	assert_true(digest_file(DIGEST_SHA256, net_path("root/f"), net.sha256, &err));
	server_start(&net.server, (const char *[]){"--root", net_path("root"), NULL});
	return 0;
}

int net_teardown(void **state)
{
	struct err err;
	server_stop(&net.server);
	return tree_remove(net.dir, &err) ? 0 : -1;
}

static void control(const struct server *s, const char *word, struct buf *out)
{
	struct err err;
	struct fetch_opts o = {.retries = 1};
	struct fetch_answer a = {.body = BUF_INIT(64 << 20)};
	setenv("no_proxy", "*", 1);
	if (!fetch_memory(text("http://127.0.0.1:%d/%s", s->port, word), NULL, &o, &a, &err))
		fail_msg("%s: %s", word, err.msg);
	unsetenv("no_proxy");
	if (out)
		assert_true(buf_adds(out, buf_str(&a.body)));
	fetch_answer_clear(&a);
}

int net_fresh(void **state)
{
	struct err err;
	quiet_environment();
	control(&net.server, "clear", NULL);
	assert_true(tree_remove(net_path("d"), &err));
	assert_true(tree_remove(net_path("d.part"), &err));
	return 0;
}

static void copy_text(char *out, size_t cap, json_t *entry, const char *key)
{
	const char *s = json_string_value(json_object_get(entry, key));
	snprintf(out, cap, "%s", s ? s : "");
}

size_t net_log_of(const struct server *s, struct request *out, size_t max)
{
	struct buf log = BUF_INIT(64 << 20);
	size_t n = 0;
	control(s, "log", &log);
	for (char *save, *line = strtok_r(log.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		json_t *e = json_loads(line, 0, NULL);
		assert_non_null(e);
		if (n < max) {
			struct request *r = &out[n];
			*r = (struct request){0};
			copy_text(r->path, sizeof r->path, e, "path");
			copy_text(r->range, sizeof r->range, e, "range");
			copy_text(r->user, sizeof r->user, e, "user");
			copy_text(r->host, sizeof r->host, e, "host");
			copy_text(r->accept, sizeof r->accept, e, "accept");
			copy_text(r->encoding, sizeof r->encoding, e, "encoding");
			copy_text(r->mode, sizeof r->mode, e, "mode");
			r->status = (long)json_integer_value(json_object_get(e, "status"));
			r->sent = (long)json_integer_value(json_object_get(e, "sent"));
			r->connection = (long)json_integer_value(json_object_get(e, "connection"));
			r->proxy = json_is_true(json_object_get(e, "proxy"));
		}
		n++;
		json_decref(e);
	}
	buf_clear(&log);
	return n;
}

size_t net_log(struct request *out, size_t max)
{
	return net_log_of(&net.server, out, max);
}

static void on_event(void *ctx, const struct event *ev)
{
	struct get *g = ctx;
	size_t n = strlen(g->retries);
	if (ev->kind == EVENT_RETRY)
		snprintf(g->retries + n, sizeof g->retries - n, "%s\n", ev->text);
	if (ev->kind == EVENT_REUSE)
		g->reused++;
	if (ev->kind == EVENT_FETCH) {
		g->last_done = ev->done;
		g->last_total = ev->total;
	}
	if (g->hook)
		g->hook(g, ev);
}

static void on_done(void *ctx, struct fetch_job *job)
{
	struct get *g = ctx;
	assert_true(job->ok);
	g->done_calls++;
}

bool net_get(struct get *g)
{
	struct strlist urls = {0};
	struct events events = {on_event, g};
	for (size_t i = 0; g->urls[i]; i++)
		strlist_add(&urls, g->urls[i]);
	struct fetch_job job = {.name = "f",
				.urls = &urls,
				.dest = net_path("d"),
				.sha256 = g->sha256 ? g->sha256 : net.sha256,
				.size = g->no_size ? 0
					: g->size  ? g->size
						   : NET_SIZE,
				.max = g->max};
	struct fetch_opts o = g->o;
	o.events = &events;
	o.retries = o.retries ? o.retries : 2;
	o.retry_wait_ms = o.retry_wait_ms ? o.retry_wait_ms : 1;
	o.low_speed_s = o.low_speed_s ? o.low_speed_s : 30;
	g->err = (struct err){0};
	bool ok = fetch_run(&job, 1, &o, on_done, g, &g->err);
	assert_int_equal(ok, job.ok);
	assert_int_equal(g->done_calls, ok);
	if (!ok && g->err.code != ERR_INTERRUPTED)
		assert_int_equal(job.err.code, g->err.code);
	strlist_clear(&urls);
	return ok;
}

void net_get_ok(struct get *g)
{
	char hex[65];
	struct err err;
	if (!net_get(g))
		fail_msg("%s", g->err.msg);
	assert_true(digest_file(DIGEST_SHA256, net_path("d"), hex, &err));
	assert_string_equal(hex, net.sha256);
	assert_false(net_exists("d.part"));
	if (!g->reused) {
		assert_int_equal(g->last_done, NET_SIZE);
		assert_int_equal(g->last_total, NET_SIZE);
	}
}

void net_get_bad(struct get *g, enum err_code code, ...)
{
	va_list ap;
	if (net_get(g))
		fail_msg("fetched, although '%s'", g->urls[0]);
	assert_false(net_exists("d"));
	if (g->err.code != code)
		fail_msg("code %d, not %d: %s", g->err.code, code, g->err.msg);
	va_start(ap, code);
	for (const char *word; (word = va_arg(ap, const char *));)
		if (!strstr(g->err.msg, word) && !strstr(g->err.hint, word))
			fail_msg("no '%s' in: %s; hint: %s", word, g->err.msg, g->err.hint);
	va_end(ap);
}

/* In a thread: the connections that the other one keeps open belong to the parent process. */
static void *get_and_exit(void *arg)
{
	struct get *g = arg;
	intr_install();
	bool ok = net_get(g);
	_exit(!ok && g->err.code == ERR_INTERRUPTED ? 42 : 1);
}

static int get_elsewhere(struct get *g)
{
	pthread_t thread;
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		pthread_create(&thread, NULL, get_and_exit, g);
		pthread_join(thread, NULL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

void net_get_interrupted(struct get *g)
{
	int status = get_elsewhere(g);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

void net_get_killed(struct get *g)
{
	assert_true(WIFSIGNALED(get_elsewhere(g)));
}
