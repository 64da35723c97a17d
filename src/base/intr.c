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
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		/* SA_RESETHAND: the second signal has its default effect. */
		struct sigaction old, sa = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
		sigemptyset(&sa.sa_mask);
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
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
