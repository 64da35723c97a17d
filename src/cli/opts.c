#include "cli/opts.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

const struct opt global_options[] = {
	{'q', "quiet", NULL, "say nothing but warnings and errors"},
	{'v', "verbose", NULL, "say more"},
	{0, "debug", NULL, "say what is done and why"},
	{0, "json", NULL, "results, events and errors as JSON"},
	{'h', "help", NULL, "explain the command"},
	{0, "version", NULL, "print the version of cudaenv"},
	{0},
};

enum { MAX_OPTIONS = ARRAY_LEN(((struct args *)0)->values) };

/* Where a parse stands, and where it puts what it finds. */
struct parse {
	char *const *next; /* the word behind the current one */
	struct args *out;
	struct globals *g;
	struct err *err;
};

static int opt_index(const struct opt *options, const char *name)
{
	for (int i = 0; options && options[i].name; i++)
		if (strcmp(options[i].name, name) == 0)
			return i;
	return -1;
}

bool opt_flag(const struct args *a, const char *name)
{
	return opt_value(a, name) != NULL;
}

const char *opt_value(const struct args *a, const char *name)
{
	int i = opt_index(a->options, name);
	assert(i >= 0);
	return a->values[i];
}

static const struct opt *find_letter(const struct opt *options, char letter)
{
	for (; options && options->name; options++)
		if (options->letter == letter)
			return options;
	return NULL;
}

static const struct opt *find_name(const struct opt *options, const char *name, size_t len)
{
	for (; options && options->name; options++)
		if (strlen(options->name) == len && memcmp(options->name, name, len) == 0)
			return options;
	return NULL;
}

static void set_global(struct globals *g, const struct opt *o)
{
	bool *const flags[] = {&g->quiet, &g->verbose, &g->debug, &g->json, &g->help, &g->version};
	*flags[o - global_options] = true;
}

/* value: what was joined to the option, or NULL. */
static bool take(struct parse *p, const struct opt *o, bool global, const char *value)
{
	if (o->arg && !value && *p->next)
		value = *p->next++;
	if (o->arg && (!value || !value[0]))
		return err_set(p->err, ERR_USAGE, "option '--%s' needs a value (%s)", o->name,
			       o->arg);
	if (global)
		set_global(p->g, o);
	else
		p->out->values[o - p->out->options] = o->arg ? value : "";
	return true;
}

static bool unknown_name(struct parse *p, const char *name, size_t len)
{
	autofree char *word = xstrndup(name, len);
	const char *names[MAX_OPTIONS + ARRAY_LEN(global_options) + 1];
	size_t n = 0;
	for (const struct opt *o = p->out->options; o && o->name; o++)
		names[n++] = o->name;
	for (const struct opt *o = global_options; o->name; o++)
		names[n++] = o->name;
	names[n] = NULL;
	const char *near = nearest(word, names);
	err_set(p->err, ERR_USAGE, "unknown option '--%s'", word);
	return near ? err_hint(p->err, "did you mean '--%s'?", near) : false;
}

static bool long_option(struct parse *p, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : NULL;
	const struct opt *o = find_name(p->out->options, text, len);
	bool global = !o;
	if (global)
		o = find_name(global_options, text, len);
	if (!o)
		return unknown_name(p, text, len);
	if (value && !o->arg)
		return err_set(p->err, ERR_USAGE, "option '--%s' takes no value", o->name);
	return take(p, o, global, value);
}

static bool short_options(struct parse *p, const char *text)
{
	for (; *text; text++) {
		const struct opt *o = find_letter(p->out->options, *text);
		bool global = !o;
		if (global)
			o = find_letter(global_options, *text);
		if (!o)
			return err_set(p->err, ERR_USAGE, "unknown option '-%c'", *text);
		if (o->arg)
			return take(p, o, global, text[1] ? text + 1 : NULL);
		if (!take(p, o, global, NULL))
			return false;
	}
	return true;
}

bool opts_parse(char *const *argv, const struct opt *options, bool stop, struct args *out,
		struct globals *g, struct err *err)
{
	struct args a = {.options = options};
	struct parse p = {.next = argv, .out = &a, .g = g, .err = err};
	size_t words = 0;
	bool operands = false;

	for (const struct opt *o = options; o && o->name; o++)
		assert(o - options < MAX_OPTIONS);
	while (argv[words])
		words++;
	a.pos = xcalloc(words + 1, sizeof *a.pos);
	while (*p.next) {
		char *word = *p.next++;
		bool ok = true;
		if (operands || word[0] != '-' || !word[1]) {
			a.pos[a.n++] = word;
			operands |= stop;
		} else if (strcmp(word, "--") == 0) {
			operands = true;
		} else {
			ok = word[1] == '-' ? long_option(&p, word + 2)
					    : short_options(&p, word + 1);
		}
		if (!ok) {
			args_clear(&a);
			return false;
		}
	}
	*out = a;
	return true;
}

void args_clear(struct args *a)
{
	free(a->pos);
	*a = (struct args){0};
}
