/* The reporters: what a person, a log and a program see of the same events. */
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "cli/cmd.h"
#include "cli/report.h"

static char text[65536];

static void read_all(int fd)
{
	size_t n = 0;
	ssize_t got;
	while (n < sizeof text - 1 && (got = read(fd, text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd);
}

static void fetch(const struct events *ev, const char *name, uint64_t done, uint64_t total)
{
	event_emit(ev, &(struct event){
			       .kind = EVENT_FETCH, .name = name, .done = done, .total = total});
}

/* An install as core tells it. */
static void play(struct app *app)
{
	const struct events *ev = &app->events;
	event_step(ev, "resolve 13.0.2");
	event_emit(ev, &(struct event){.kind = EVENT_TOTAL, .total = 3000000, .count = 2});
	for (uint64_t done = 0; done <= 1000000; done += 1000)
		fetch(ev, "cuda_nvcc", done, 1000000);
	/* Half of it was there. */
	fetch(ev, "a_very_long_name_of_a_component_that_nobody_can_read", 2000000, 4000000);
	fetch(ev, "a_very_long_name_of_a_component_that_nobody_can_read", 4000000, 4000000);
	event_emit(ev,
		   &(struct event){.kind = EVENT_REUSE, .name = "cccl", .text = "in the store"});
	event_emit(ev,
		   &(struct event){.kind = EVENT_RETRY, .name = "cuda_nvcc", .text = "timeout"});
	event_emit(ev, &(struct event){.kind = EVENT_UNPACK, .name = "cuda_nvcc", .total = 7});
	event_emit(ev, &(struct event){
			       .kind = EVENT_UNPACK, .name = "cuda_nvcc", .done = 7, .total = 7});
	event_warn(ev, "look \033[2Jthere", "evil \033]0;title\007 text\n");
	event_note(ev, "worth knowing");
	event_debug(ev, "only for us");
	event_emit(ev, &(struct event){.kind = EVENT_DONE, .name = "13.0.2", .text = "/r/13.0.2"});
}

static void report(struct app *app)
{
	struct err err;
	report_open(app);
	play(app);
	report_close(app);
	err_set(&err, ERR_NETWORK, "it broke");
	err_hint(&err, "mend it");
	report_error(app, &err);
	event_note(&app->events, "nobody listens any more");
}

/* stderr of report() in a file. */
static void to_file(struct app app)
{
	FILE *f = tmpfile();
	int old = dup(STDERR_FILENO);
	assert_non_null(f);
	assert_true(dup2(fileno(f), STDERR_FILENO) >= 0);
	report(&app);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	lseek(fileno(f), 0, SEEK_SET);
	read_all(dup(fileno(f)));
	fclose(f);
}

static void plain(void **state)
{
	to_file((struct app){0});
	assert_string_equal(text,
			    "==> resolve 13.0.2\n"
			    "2 archives, 3.00 MB to fetch\n"
			    "fetch cuda_nvcc (1.00 MB)\n"
			    "fetched cuda_nvcc\n"
			    "fetch a_very_long_name_of_a_component_that_nobody_can_read (4.00 MB)\n"
			    "fetched a_very_long_name_of_a_component_that_nobody_can_read\n"
			    "retry: cuda_nvcc: timeout\n"
			    "unpack cuda_nvcc (7 B)\n"
			    "unpacked cuda_nvcc\n"
			    "warning: evil ?]0;title? text?\n"
			    "hint: look ?[2Jthere\n"
			    "note: worth knowing\n"
			    "installed 13.0.2: /r/13.0.2\n"
			    "cudaenv: it broke\n"
			    "hint: mend it\n");
}

static void quiet(void **state)
{
	to_file((struct app){.quiet = true});
	assert_string_equal(text, "warning: evil ?]0;title? text?\n"
				  "hint: look ?[2Jthere\n"
				  "cudaenv: it broke\n"
				  "hint: mend it\n");
}

static void verbose_and_debug(void **state)
{
	to_file((struct app){.verbose = true});
	assert_non_null(strstr(text, "==> cccl: in the store\n"));
	assert_null(strstr(text, "only for us"));
	to_file((struct app){.debug = true});
	assert_non_null(strstr(text, "debug: only for us\n"));
}

static void json_lines(void **state)
{
	size_t lines = 0, fetches = 0;
	to_file((struct app){.json = true});
	for (char *p = text, *nl; (nl = strchr(p, '\n')); p = nl + 1) {
		json_t *o = json_loadb(p, (size_t)(nl - p), 0, NULL);
		assert_non_null(o);
		const char *kind = json_string_value(json_object_get(o, "event"));
		lines++;
		if (kind && !strcmp(kind, "fetch"))
			fetches++;
		if (kind && !strcmp(kind, "warning"))
			assert_string_equal(json_string_value(json_object_get(o, "hint")),
					    "look \033[2Jthere");
		if (!kind)
			assert_int_equal(json_integer_value(json_object_get(o, "status")),
					 ERR_NETWORK);
		json_decref(o);
	}
	/* A first and a last of each, and at most ten a second between. */
	assert_true(fetches >= 4 && fetches < 30);
	assert_true(lines > fetches + 8);
}

/* What report() writes to a terminal of `columns`, of which it is in the foreground or not. */
static void to_terminal(unsigned short columns, bool foreground)
{
	int master;
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	fflush(stdout);
	pid_t pid = forkpty(&master, NULL, NULL, &size);
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("TERM", "xterm", 1);
		unsetenv("NO_COLOR");
		/* Another group than the terminal's is what a shell's background job has. */
		pid_t child = foreground ? 0 : fork();
		if (child == 0) {
			if (!foreground)
				setpgid(0, 0);
			report(&(struct app){0});
			_exit(0);
		}
		waitpid(child, NULL, 0);
		_exit(0);
	}
	read_all(master);
	waitpid(pid, NULL, 0);
}

static size_t count(const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* No line that is drawn may be wider than the terminal: it would wrap and not be erased. */
static void narrow_enough(size_t columns)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\r\n"), width = 0;
		for (size_t i = 0; i < n; i++) {
			if (p[i] == '\033') {
				while (i < n && !strchr("mJKA", p[i]))
					i++;
			} else {
				width++;
			}
		}
		if (memmem(p, n, "fetch ", 6) && memmem(p, n, " of ", 4))
			assert_true(width < columns);
		p += n + strspn(p + n, "\r\n");
	}
}

static void terminal(void **state)
{
	static const unsigned short widths[] = {200, 80, 40, 20, 5};
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		to_terminal(widths[i], true);
		narrow_enough(widths[i]);
		/* Drawn at the first and last of each, and now and then between, not a thousand
		 * times. */
		assert_true(count("\033[J") >= 2 && count("\033[J") < 60);
	}
	to_terminal(80, true);
	assert_non_null(strstr(text, "[=====>    ]"));
	assert_non_null(strstr(text, "in all"));
	assert_non_null(strstr(text, "\033[1;33mwarning:\033[0m evil ?]0;title? text?\r\n"));
	assert_null(strstr(text, "\033]0"));
	assert_null(strstr(text, "\033[2J"));
	/* The drawing is gone at the end. */
	assert_non_null(strstr(text, "installed\033[0m 13.0.2: /r/13.0.2\r\n\033[1;31mcudaenv:"));
}

static void background(void **state)
{
	to_terminal(80, false);
	assert_int_equal(count("\033[J"), 0);
	assert_null(strstr(text, "[==="));
	assert_non_null(strstr(text, "worth knowing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(quiet),
		cmocka_unit_test(verbose_and_debug),
		cmocka_unit_test(json_lines),
		cmocka_unit_test(terminal),
		cmocka_unit_test(background),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
