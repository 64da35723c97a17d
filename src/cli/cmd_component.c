/* component: more, fewer and which components of an installed version. */
#include <string.h>
#include <sys/stat.h>

#include "base/lock.h"
#include "base/nearest.h"
#include "cli/applock.h"
#include "cli/component.h"
#include "cli/flags.h"
#include "cli/outcome.h"
#include "cli/print.h"
#include "core/component.h"
#include "core/install.h"
#include "core/refresh.h"
#include "core/store.h"

static const struct opt options[] = {
	{0, "profile", "P", "add: what minimal, default or full has, instead of names"},
	{'n', "dry-run", NULL, "add: print the plan with sizes, change nothing"},
	{'f', "force", NULL, "remove: also what nvcc needs"},
	{0, "mirror", "URL", "in place of NVIDIA's host; several: blanks between"},
	{0, "offline", NULL, "use only what is on this machine"},
	{0},
};

/* Whether the first operand names a version rather than a component. */
static bool is_spec(struct app *app, const char *word)
{
	struct spec spec;
	struct selection s;
	struct err ignored;
	return spec_parse(word, strlen(word), "the command line", &spec, &ignored) &&
	       (spec.kind != SPEC_NAME || resolve_installed(&app->layout, &spec, &s, &ignored));
}

/* A folder below our own root: links and shared roots are not changed. */
static bool may_change(struct app *app, const struct component_version *v, struct err *err)
{
	struct stat st;
	if (!strcmp(v->root.root, app->layout.root) && lstat(v->s.prefix, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		return true;
	return err_set(err, ERR_USAGE, "'%s' is a linked or a shared version, which is not changed",
		       v->s.name);
}

/* The version to change and, behind it, the names of components. */
static bool open_to_change(struct app *app, char **operands, struct component_version *v,
			   struct strlist *names, struct err *err)
{
	const char *spec = operands[0] && is_spec(app, operands[0]) ? *operands++ : NULL;
	if (!component_open(app, spec, v, err))
		return false;
	for (; *operands; operands++)
		strlist_add(names, *operands);
	if (may_change(app, v, err))
		return true;
	record_clear(&v->record);
	return false;
}

/* The new prefix in place of the old one. */
static bool build(struct app *app, const struct component_version *v, const char *profile,
		  bool partial, struct verdict *verdict, struct err *err)
{
	struct install_opts o = {.name = v->s.name, .profile = profile, .partial = partial};
	const char *level = config_get(&app->config, CONFIG_VERIFY);
	if (!probe_level_parse(level, &o.level))
		return err_set(err, ERR_USAGE, "there is no level '%s' of verification", level);
	if (!install_release(&app->layout, &app->config, &v->record.release, &o, &app->events,
			     verdict, err) ||
	    !refresh_root(&app->layout, &app->events, err))
		return false;
	outcome_print(app, v->s.name, v->s.prefix, verdict);
	return true;
}

/* Whether all components belong to the profile, so that its name is the word for them. */
static const char *profile_word(const struct release *r, enum profile p)
{
	for (size_t i = 0; i < r->n; i++)
		if (!profile_wants(p, r->components[i].name))
			return "custom";
	return profile_name(p);
}

static bool add_to(struct app *app, const struct args *a, struct component_version *v,
		   const struct strlist *names, struct err *err)
{
	struct release *r = &v->record.release;
	struct source_ctx ctx = component_ctx(app);
	autoverdict struct verdict verdict = {0};
	enum profile p = PROFILE_FULL;
	size_t before = r->n;
	if (!names->n == !opt_value(a, "profile")) {
		err_set(err, ERR_USAGE, "'component add' takes either components or --profile");
		return err_hint(err, "'cudaenv component list' shows what there is");
	}
	if (!names->n && !profile_parse(config_get(&app->config, CONFIG_PROFILE), &p))
		return err_set(err, ERR_USAGE, "there is no such profile");
	if (!component_add(&ctx, r, names, p, err))
		return false;
	if (r->n == before && !opt_flag(a, "dry-run")) {
		event_note(&app->events, "%s has that already", v->s.name);
		verdict_read(v->s.prefix, &verdict);
		outcome_print(app, v->s.name, v->s.prefix, &verdict);
		return true;
	}
	if (!component_restore(&ctx, r, err))
		return false;
	if (opt_flag(a, "dry-run")) {
		outcome_plan(app, r);
		return true;
	}
	return build(app, v, names->n ? "custom" : profile_word(r, p), false, &verdict, err) &&
	       outcome_judge(v->s.name, &verdict, err);
}

static bool remove_from(struct app *app, const struct args *a, struct component_version *v,
			const struct strlist *names, struct err *err)
{
	struct source_ctx ctx = component_ctx(app);
	autoverdict struct verdict verdict = {0};
	bool force = opt_flag(a, "force");
	uint64_t freed;
	char size[PRINT_TEXT];
	if (!names->n) {
		err_set(err, ERR_USAGE, "'component remove' needs the name of a component");
		return err_hint(err, "'cudaenv component list %s' shows what there is", v->s.name);
	}
	if (!component_remove(&v->record.release, names, force, err) ||
	    !component_restore(&ctx, &v->record.release, err) ||
	    !build(app, v, "custom", force, &verdict, err) ||
	    !store_collect(&app->layout, &freed, err))
		return false;
	event_note(&app->events, "%s came back", print_size(freed, size));
	return true;
}

typedef bool change_fn(struct app *app, const struct args *a, struct component_version *v,
		       const struct strlist *names, struct err *err);

/* The record is read with the lock held: another one may change the version too. */
static bool change(struct app *app, const struct args *a, change_fn *fn, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	autostrlist struct strlist names = {0};
	struct component_version v;
	if (!app_lock(app, &lock, err) || !open_to_change(app, a->pos + 1, &v, &names, err))
		return false;
	bool ok = fn(app, a, &v, &names, err);
	record_clear(&v.record);
	return ok;
}

static bool add(struct app *app, const struct args *a, struct err *err)
{
	return change(app, a, add_to, err);
}

static bool take_away(struct app *app, const struct args *a, struct err *err)
{
	return change(app, a, remove_from, err);
}

static bool list(struct app *app, const struct args *a, struct err *err)
{
	return component_list(app, a->pos + 1, err);
}

static bool which_has(struct app *app, const struct args *a, struct err *err)
{
	return component_which_has(app, a->pos + 1, err);
}

static const struct action {
	const char *name, *operands, *options;
	int min, max; /* operands; max -1: any number */
	bool (*run)(struct app *app, const struct args *a, struct err *err);
} actions[] = {
	{"list", "[SPEC]", "mirror offline", 0, 1, list},
	{"add", "[SPEC] [COMPONENT...]", "profile dry-run mirror offline", 0, -1, add},
	{"remove", "[SPEC] COMPONENT...", "force mirror offline", 1, -1, take_away},
	{"which-has", "[SPEC] FILE", "", 1, 2, which_has},
};

static bool check(const struct action *c, const struct args *a, struct err *err)
{
	for (size_t i = 0; options[i].name; i++)
		if (a->values[i] && !strstr(c->options, options[i].name))
			return err_set(err, ERR_USAGE, "'component %s' has no option '--%s'",
				       c->name, options[i].name);
	if (a->n - 1 >= c->min && (c->max < 0 || a->n - 1 <= c->max))
		return true;
	err_set(err, ERR_USAGE, "'component %s' takes %s", c->name, c->operands);
	return err_hint(err, "usage: cudaenv component %s %s", c->name, c->operands);
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	const char *names[ARRAY_LEN(actions) + 1] = {0};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		names[i] = actions[i].name;
		if (!strcmp(a->pos[0], names[i]))
			return check(&actions[i], a, err) && flags_override(app, a, err) &&
			       actions[i].run(app, a, err);
	}
	const char *near = nearest(a->pos[0], names);
	err_set(err, ERR_USAGE, "'component' does not know '%s'", a->pos[0]);
	return near ? err_hint(err, "did you mean 'cudaenv component %s'?", near)
		    : err_hint(err, "usage: cudaenv component list|add|remove|which-has");
}

const struct command cmd_component = {
	.name = "component",
	.args = "list|add|remove|which-has [SPEC] [NAME...]",
	.summary = "what an installed version consists of; more or less of it",
	.about = "'list' shows the components of a version and those that it could have. 'add' "
		 "fetches only what is "
		 "new. Both 'add' and 'remove' build and prove the version anew beside the old "
		 "one and exchange "
		 "them in one step. 'which-has' says which component a program, header or library "
		 "is from.",
	.options = options,
	.min_args = 1,
	.max_args = -1,
	.needs = NEED_CATALOG,
	.run = run,
};
