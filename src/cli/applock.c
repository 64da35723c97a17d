#include "cli/applock.h"

#include <stdlib.h>
#include <string.h>

#include "base/tree.h"
#include "cli/cmd.h"

static void say_waiting(void *ctx, const char *holder)
{
	const struct app *app = ctx;
	event_note(&app->events, "waiting for another cudaenv (%s) to end", holder);
}

/* A script that would rather fail at once sets CUDAENV_LOCK_WAIT=0. */
static bool lock_wait(int *seconds, struct err *err)
{
	const char *s = getenv("CUDAENV_LOCK_WAIT");
	*seconds = 600;
	if (!s || !s[0])
		return true;
	if (strspn(s, "0123456789") != strlen(s) || strlen(s) > 6)
		return err_set(err, ERR_USAGE, "CUDAENV_LOCK_WAIT is '%s', not a number of seconds",
			       s);
	*seconds = (int)strtol(s, NULL, 10);
	return true;
}

bool app_lock(struct app *app, struct lock *lock, struct err *err)
{
	char path[PATH_MAX];
	int seconds;
	if (!layout_path(&app->layout, path, sizeof path, "lock"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	return lock_wait(&seconds, err) && tree_mkdirs(app->layout.root, err) &&
	       lock_take(lock, path, seconds, say_waiting, app, err);
}
