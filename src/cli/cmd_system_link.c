/* system-link: the machine's link to one toolkit, whose it is, to one of ours and back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/resolve.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/shellsyntax.h"
#include "cli/table.h"
#include "core/syslink.h"
#include "core/toolkits.h"

static const char default_path[] = "/usr/local/cuda";

static const struct opt options[] = {
	{'p', "path", "PATH", "another link than /usr/local/cuda"},
	{'s', "status", NULL, "tell whose the link is, change nothing"},
	{'r', "restore", NULL, "bring back what was there before"},
	{0},
};

static char *in_words(const struct syslink *s)
{
	const char *package = s->package ? s->package : "";
	switch (s->owner) {
	case SYSLINK_ABSENT:
		return xstrdup("nobody: it is not there");
	case SYSLINK_OURS:
		return xstrdup("cudaenv");
	case SYSLINK_ALTERNATIVES:
		return xasprintf("update-alternatives, group '%s', mode %s%s", s->group.name,
				 s->group.manual ? "manual" : "auto",
				 s->ours ? ", set by cudaenv" : "");
	case SYSLINK_FOLDER:
		return xasprintf("a real folder%s%s", package[0] ? " of the package " : "",
				 package);
	case SYSLINK_FILE:
		return xstrdup("a file, no link");
	case SYSLINK_FOREIGN:
		return xstrdup("somebody else: a link that cudaenv did not make");
	case SYSLINK_DANGLING:
		return xasprintf("%s: a link to what is not there",
				 s->ours ? "cudaenv" : "somebody else");
	case SYSLINK_PACKAGE:
		return xasprintf("the package %s", package);
	}
	return NULL;
}

static char *former_words(const struct syslink_former *f)
{
	if (!f->kept)
		return NULL;
	if (f->group)
		return xasprintf("%s of '%s', mode %s", f->choice ? f->choice : "nothing", f->group,
				 f->manual ? "manual" : "auto");
	return f->target ? xasprintf("a link to %s", f->target) : xstrdup("nothing");
}

static const char *aim(const struct syslink *s)
{
	return s->owner == SYSLINK_ALTERNATIVES ? s->group.current : s->target;
}

static void row(struct table *t, const char *what, const char *value)
{
	if (value)
		table_row(t, (const char *const[]){what, value});
}

static void print_status(const struct syslink *s, const char *release, const char *barrier)
{
	autotable struct table table = TABLE_INIT(2);
	autofree char *owner = in_words(s);
	autofree char *former = former_words(&s->former);
	row(&table, "link", s->path);
	row(&table, "owner", owner);
	row(&table, "leads to", aim(s));
	row(&table, "version", s->version);
	row(&table, "CUDA", release);
	row(&table, "before", former);
	row(&table, "private", barrier);
	autofree char *parent = xstrndup(s->path, (size_t)(path_base(s->path) - s->path));
	row(&table, "may be changed",
	    s->writable			? "yes"
	    : access(parent, F_OK) == 0 ? "as another user"
					: "no, its folder is not there");
	table_print(&table, stdout);
}

static json_t *former_json(const struct syslink_former *f)
{
	return f->kept ? json_pack("{so so so sb}", "target", print_json_text(f->target), "group",
				   print_json_text(f->group), "choice", print_json_text(f->choice),
				   "manual", f->manual)
		       : json_null();
}

static json_t *group_json(const struct syslink *s)
{
	if (s->owner != SYSLINK_ALTERNATIVES)
		return json_null();
	json_t *choices = json_array();
	for (size_t i = 0; i < s->group.choices.n; i++)
		json_array_append_new(choices, print_json_text(s->group.choices.items[i]));
	return json_pack("{so sb so}", "name", print_json_text(s->group.name), "manual",
			 s->group.manual, "choices", choices);
}

static void print_status_json(const struct syslink *s, const char *release, const char *barrier)
{
	print_json(stdout,
		   json_pack("{so ss sb so so so so so sb so so so}", "path",
			     print_json_text(s->path), "owner", syslink_owner_word(s->owner),
			     "ours", s->ours, "target", print_json_text(aim(s)), "leads_to",
			     print_json_text(s->leads), "version", print_json_text(s->version),
			     "release", print_json_text(release), "package",
			     print_json_text(s->package), "writable", s->writable, "group",
			     group_json(s), "before", former_json(&s->former), "private_folder",
			     print_json_text(barrier)));
}

static void status(const struct app *app, const struct syslink *s)
{
	char release[VERSION_TEXT];
	const char *cuda = s->leads && toolkit_release(s->leads, release) ? release : NULL;
	autofree char *barrier = s->leads && aim(s) ? syslink_barrier(s->path, s->leads) : NULL;
	if (app->json)
		print_status_json(s, cuda, barrier);
	else
		print_status(s, cuda, barrier);
}

static void add_word(FILE *to, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./+-";
	if (word[0] && !word[strspn(word, plain)])
		fputs(word, to);
	else
		shell_quote(to, SHELL_SH, word);
}

/* The one command that does as root what this user may not; the caller frees. */
static char *as_root(const struct app *app, const struct syslink *s, const char *what)
{
	char program[PATH_MAX], *text = NULL;
	size_t len;
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	FILE *to = open_memstream(&text, &len);
	if (!to)
		return NULL;
	program[n < 0 ? 0 : n] = '\0';
	fputs("sudo env CUDAENV_ROOT=", to);
	add_word(to, app->layout.root);
	if (app->layout.shared) {
		fputs(" CUDAENV_SHARED_ROOTS=", to);
		add_word(to, app->layout.shared);
	}
	fputc(' ', to);
	add_word(to, n < 0 ? "cudaenv" : program);
	fprintf(to, " system-link %s", what);
	if (strcmp(s->path, default_path) != 0) {
		fputs(" --path ", to);
		add_word(to, s->path);
	}
	fclose(to);
	return text;
}

/* Where rights are what lacks. A hint that does not fit would be a wrong command. */
static bool hint_root(const struct app *app, const struct syslink *s, const char *what,
		      struct err *err)
{
	if (geteuid() == 0 || (err->sys != EACCES && err->sys != EPERM))
		return false;
	autofree char *command = as_root(app, s, what);
	if (command && strlen(command) < sizeof err->hint)
		return err_hint(err, "%s", command);
	return err_hint(err, "run 'cudaenv system-link %s' as root with the same CUDAENV_ROOT",
			what);
}

static void warn_barrier(struct app *app, const struct syslink *s, const char *name,
			 const char *prefix)
{
	autofree char *barrier = syslink_barrier(s->path, prefix);
	autofree char *hint =
		xasprintf("install it where all can read it: sudo "
			  "env CUDAENV_ROOT=/opt/cudaenv cudaenv install %s, then sudo env "
			  "CUDAENV_ROOT=/opt/cudaenv cudaenv system-link %s",
			  name, name);
	if (barrier)
		event_warn(&app->events, hint,
			   "'%s' is private: other users cannot follow '%s' to '%s'", barrier,
			   s->path, prefix);
}

static bool set(struct app *app, const struct syslink *s, const char *spec, struct err *err)
{
	struct selection sel;
	bool changed;
	if (!resolve_select(&app->layout, spec, &sel, err))
		return false;
	if (!sel.prefix[0]) {
		err_set(err, ERR_USAGE, "'%s' cannot lead to 'system'", s->path);
		return err_hint(err, "name a version, or give --restore");
	}
	autofree char *prefix = syslink_prefix(sel.prefix, err);
	if (!prefix)
		return false;
	if (!syslink_set(&app->layout, s, sel.name, prefix, &changed, err))
		return hint_root(app, s, sel.name, err);
	event_note(&app->events, changed ? "'%s' leads to '%s'" : "'%s' leads to '%s' already",
		   s->path, prefix);
	warn_barrier(app, s, sel.name, prefix);
	return true;
}

static bool restore(struct app *app, const struct syslink *s, struct err *err)
{
	if (!syslink_restore(&app->layout, s, err))
		return hint_root(app, s, "--restore", err);
	autofree char *before = former_words(&s->former);
	event_note(&app->events, "'%s' is as before: %s", s->path, before);
	return true;
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	autosyslink struct syslink s = {0};
	autolock struct lock lock = LOCK_INIT;
	const char *path = opt_value(args, "path");
	bool ask = opt_flag(args, "status"), back = opt_flag(args, "restore");
	if (ask + back + (args->n > 0) > 1)
		return err_set(err, ERR_USAGE,
			       "a version, --status and --restore exclude each other");
	if (!syslink_look(&app->layout, "", path ? path : default_path, &s, err))
		return false;
	/* Who may not write is told so, and needs no lock for that. */
	if (!ask && s.writable) {
		if (!app_lock(app, &lock, err))
			return false;
		syslink_clear(&s);
		if (!syslink_look(&app->layout, "", path ? path : default_path, &s, err))
			return false;
	}
	if (ask) {
		status(app, &s);
		return true;
	}
	return back ? restore(app, &s, err) : set(app, &s, args->pos[0], err);
}

const struct command cmd_system_link = {
	.name = "system-link",
	.args = "[SPEC]",
	.summary = "lead /usr/local/cuda to a version, or tell whose it is",
	.about =
		"Without SPEC: to the version that applies here. What was there before is kept for "
		"--restore. A link that update-alternatives keeps is changed through it; a real "
		"folder and a package's link are never touched.",
	.options = options,
	.max_args = 1,
	.run = run,
};
