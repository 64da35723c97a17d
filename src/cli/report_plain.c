/* Lines for logs and pipes: one where the fetch or unpacking of a component begins or ends. */
#include <stdio.h>

#include "cli/print.h"
#include "cli/reporter.h"

static struct strlist begun;

/* true the first time for this word and name. */
static bool begins(const char *word, const char *name)
{
	autofree char *key = xasprintf("%s %s", word, name);
	if (strlist_has(&begun, key))
		return false;
	strlist_add(&begun, key);
	return true;
}

static void progress(const char *word, const char *past, const struct event *ev)
{
	char size[PRINT_TEXT];
	autofree char *name = xstrdup(ev->name ? ev->name : "");
	err_sanitize(name);
	if (begins(word, name) && ev->total)
		fprintf(stderr, "%s %s (%s)\n", word, name, print_size(ev->total, size));
	if (ev->done == ev->total && begins(past, name))
		fprintf(stderr, "%s %s\n", past, name);
}

static void on_event(void *ctx, const struct event *ev)
{
	const struct app *app = ctx;
	char size[PRINT_TEXT];
	if (ev->kind == EVENT_FETCH && !app->quiet)
		progress("fetch", "fetched", ev);
	else if (ev->kind == EVENT_UNPACK && !app->quiet)
		progress("unpack", "unpacked", ev);
	else if (ev->kind == EVENT_TOTAL && !app->quiet)
		fprintf(stderr, "%llu archives%s%s to fetch\n", (unsigned long long)ev->count,
			ev->total ? ", " : "", ev->total ? print_size(ev->total, size) : "");
	else
		report_line(app, ev);
}

static void on_close(void)
{
	strlist_clear(&begun);
}

const struct reporter report_plain = {on_event, on_close};
