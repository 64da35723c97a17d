#include "scratch.h"

#include <pthread.h>

#include "base/event.h"

struct log {
	enum event_kind kind;
	char text[2048], detail[64];
	int n, inside, worst;
};

static void record(void *ctx, const struct event *ev)
{
	struct log *l = ctx;
	l->inside++;
	if (l->inside > l->worst)
		l->worst = l->inside;
	l->kind = ev->kind;
	snprintf(l->text, sizeof l->text, "%s", ev->text ? ev->text : "(none)");
	snprintf(l->detail, sizeof l->detail, "%s", ev->detail ? ev->detail : "(none)");
	l->n++;
	l->inside--;
}

static void kinds(void **state)
{
	struct log l = {0};
	struct events to = {record, &l};
	event_note(&to, "n %d", 1);
	assert_int_equal(l.kind, EVENT_NOTE);
	assert_string_equal(l.text, "n 1");
	assert_string_equal(l.detail, "(none)");
	event_warn(&to, "do this", "w %s", "x");
	assert_int_equal(l.kind, EVENT_WARNING);
	assert_string_equal(l.detail, "do this");
	event_debug(&to, "d");
	assert_int_equal(l.kind, EVENT_DEBUG);
	event_step(&to, "s");
	assert_int_equal(l.kind, EVENT_STEP);
	event_emit(&to, &(struct event){.kind = EVENT_FETCH, .name = "x"});
	assert_string_equal(l.text, "(none)");
	assert_int_equal(l.n, 5);
}

static void long_text_is_cut(void **state)
{
	struct log l = {0};
	struct events to = {record, &l};
	event_note(&to, "%3000d", 1);
	assert_true(strlen(l.text) > 500 && strlen(l.text) < 2000);
}

static void nobody_listens(void **state)
{
	struct events none = {0};
	event_note(&none, "x");
	event_emit(NULL, &(struct event){.kind = EVENT_NOTE});
}

static void *many(void *arg)
{
	for (int i = 0; i < 5000; i++)
		event_note(arg, "%d", i);
	return NULL;
}

static void one_call_at_a_time(void **state)
{
	struct log l = {0};
	struct events to = {record, &l};
	pthread_t t[4];
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, many, &to), 0);
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		pthread_join(t[i], NULL);
	assert_int_equal(l.n, 20000);
	assert_int_equal(l.worst, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(long_text_is_cut),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(one_call_at_a_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
