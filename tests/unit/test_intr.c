#include "scratch.h"

#include <signal.h>

#include "base/intr.h"

static int first_sets_a_flag(void)
{
	struct err e;
	intr_install();
	if (intr_pending() || !intr_check(&e))
		return 1;
	raise(SIGTERM);
	if (!intr_pending() || intr_check(&e))
		return 2;
	return e.code == ERR_INTERRUPTED ? 0 : 3;
}

static int second_kills(void)
{
	intr_install();
	raise(SIGINT);
	raise(SIGINT);
	return 0;
}

static int ignored_stays_ignored(void)
{
	signal(SIGHUP, SIG_IGN);
	intr_install();
	raise(SIGHUP);
	raise(SIGHUP);
	return intr_pending() ? 1 : 0;
}

static void signals(void **state)
{
	assert_int_equal(scratch_fork(first_sets_a_flag, false), 0);
	assert_int_equal(scratch_fork(second_kills, false), 128 + SIGINT);
	assert_int_equal(scratch_fork(ignored_stays_ignored, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(signals)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
