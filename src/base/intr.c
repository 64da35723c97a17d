#include "base/intr.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;

static void on_signal(int sig)
{
	pending = sig;
}

void intr_install(void)
{
	/* SA_RESETHAND: the second signal has its default effect. */
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

bool intr_pending(void)
{
	return pending != 0;
}

bool intr_check(struct err *err)
{
	if (!pending)
		return true;
	return err_set(err, ERR_INTERRUPTED, "interrupted");
}
