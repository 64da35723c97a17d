/*
 * complete: what can stand where a command line ends. Everything comes from the tables of commands,
 * options and settings and from what is on disk, so the completions of the shells cannot drift.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/offer.h"
#include "cli/offer_product.h"
#include "cli/opts.h"

struct line {
	char *const *words; /* behind "cudaenv", the one that is being written last */
	int n;
	const struct command *command;
	int operands[64];	/* places of what is neither command nor option */
	int n_operands;		/* without the last word */
	bool ended;		/* behind "--" */
	const struct opt *open; /* the last word is the value of this option */
	const char *current;	/* the last word, or the value in its "--name=value" */
};

static void offer_value(const struct line *l, const struct opt *o)
{
	static const struct {
		const char *option, *words;
	} fixed[] = {
		{"format", "sh fish json dotenv github cmake modulefile dockerfile"},
		{"shell", "bash zsh fish sh dash ksh"},
		{"arch", "x86_64 sbsa"},
		{"level", "files compile run bandwidth"},
	};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (!strcmp(fixed[i].option, o->name))
			offer_each(l->current, fixed[i].words);
	if (!offer_setting(l->current, o->name) &&
	    (!strcmp(o->arg, "PATH") || !strcmp(o->arg, "FILE")))
		puts(":files");
}

static bool is_literal(const char *kind)
{
	return kind[0] >= 'a' && kind[0] <= 'z';
}

/* "component add [SPEC] [NAME...]": what it is called does not say which ones. */
static void offer_component(const struct line *l)
{
	const char *action = l->words[l->operands[0]];
	const char *spec = l->n_operands > 1 ? l->words[l->operands[1]] : NULL;
	if (!strcmp(action, "add") || !strcmp(action, "remove"))
		offer_components(l->current, spec, !strcmp(action, "add"));
	else if (!strcmp(action, "which-has"))
		puts(":files");
}

/* What an operand is called in the table of commands says what can stand there. */
static void offer_operand(const struct line *l, const char *kind)
{
	const char *command = l->command->name;
	if (!strcmp(kind, "SPEC") &&
	    (!strcmp(command, "install") || !strcmp(command, "list-remote") ||
	     !strcmp(command, "bundle")))
		offer_known(l->current);
	else if (!strcmp(kind, "SPEC") || !strcmp(kind, "PREFIX"))
		offer_specs(l->current, "");
	else if (!strcmp(kind, "NAME") && !strcmp(command, "component"))
		offer_component(l);
	else if (!strcmp(kind, "ACTION"))
		offer_each(l->current,
			   !strcmp(command, "cudnn")
				   ? "install uninstall list list-remote global local prefix merge"
				   : "install uninstall list list-remote prefix merge");
	else if (!strcmp(kind, "PRODUCT"))
		offer_products(l->current);
	else if (!strcmp(kind, "VERSION") && !strcmp(command, "cudnn"))
		offer_product_versions(l->current, "cudnn", l->words[l->operands[0]]);
	else if (!strcmp(kind, "VERSION") && !strcmp(command, "product"))
		offer_product_versions(l->current,
				       l->n_operands > 1 ? l->words[l->operands[1]] : NULL,
				       l->words[l->operands[0]]);
	else if (!strcmp(kind, "VERSION"))
		offer_installed(l->current, "", false);
	else if (!strcmp(kind, "NAME") && strstr(command, "alias"))
		offer_aliases(l->current, "");
	else if (!strcmp(kind, "NAME") && !strcmp(command, "unlink"))
		offer_installed(l->current, "", true);
	else if (!strcmp(kind, "TOOL"))
		offer_tools(l->current);
	else if (!strcmp(kind, "SHELL"))
		offer_each(l->current, "bash zsh fish");
	else if (!strcmp(kind, "COMMAND"))
		offer_commands(l->current);
	else if (!strcmp(kind, "KEY"))
		offer_keys(l->current);
	else if (!strcmp(kind, "VALUE"))
		offer_setting(l->current, l->words[l->operands[l->n_operands - 1]]);
	else if (!strcmp(kind, "PATH") || !strcmp(kind, "FILE"))
		puts(":files");
	else if (is_literal(kind))
		offer_each(l->current, kind);
}

/* Word i of one alternative of "[list | get KEY | set KEY VALUE]"; the last one may repeat
 * ("SPEC..."). */
static bool operand_name(const char *args, size_t len, int i, char *out, size_t cap)
{
	const char *end = args + len, *word = NULL;
	size_t n = 0;
	bool repeats = false;
	for (const char *p = args; i >= 0; i--) {
		while (p < end && strchr(" []", *p))
			p++;
		if (p == end)
			break;
		word = p;
		n = strcspn(p, " []");
		repeats = n > 3 && !memcmp(p + n - 3, "...", 3);
		p += n;
	}
	if (!word || (i >= 0 && !repeats))
		return false;
	snprintf(out, cap, "%.*s", (int)(repeats ? n - 3 : n), word);
	return true;
}

/* place: of the last word among the operands, those that were left out included. */
static void offer_operands(const struct line *l, int place)
{
	for (const char *args = l->command->args; *args;) {
		char first[64], kind[64];
		const char *bar = strstr(args, " | ");
		size_t len = bar ? (size_t)(bar - args) : strlen(args);
		bool other = l->n_operands && operand_name(args, len, 0, first, sizeof first) &&
			     is_literal(first) && !strchr(first, '|') &&
			     strcmp(first, l->words[l->operands[0]]) != 0;
		if (!other && operand_name(args, len, place, kind, sizeof kind)) {
			offer_operand(l, kind);
			/* The version may be left out. */
			if (!strcmp(l->command->name, "component") && !strcmp(kind, "SPEC"))
				offer_component(l);
		}
		args += bar ? len + 3 : len;
	}
}

/* The command that 'exec [+SPEC] [--] COMMAND' runs has completions of its own. */
static void offer_command(const struct line *l, int at)
{
	if (at < l->n_operands && !strcmp(l->words[l->operands[at]], "--"))
		at++;
	if (at < l->n_operands)
		printf(":command %d\n", l->operands[at]);
	else if (l->current[0] != '-')
		printf(":command %d\n", l->n - 1);
}

/* "[+SPEC] TOOL": the first operand may be left out. */
static void offer_behind_spec(const struct line *l)
{
	bool given = l->n_operands && l->words[l->operands[0]][0] == '+';
	if (!l->n_operands && l->current[0] == '+')
		offer_specs(l->current, "+");
	else if (l->command->needs & ARGS_PASS)
		offer_command(l, given);
	else
		offer_operands(l, l->n_operands + !given);
}

static const struct opt *find_option(const struct line *l, const char *word)
{
	const struct opt *tables[] = {l->command ? l->command->options : NULL, global_options};
	size_t len = strcspn(word, "=");
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		for (const struct opt *o = tables[i]; o && o->name; o++)
			if (word[1] == '-' ? strlen(o->name) == len - 2 &&
						     !memcmp(o->name, word + 2, len - 2)
					   : o->letter && !word[2] && word[1] == o->letter)
				return o;
	return NULL;
}

static bool is_option(const struct line *l, const char *word)
{
	return !l->ended && word[0] == '-' && word[1];
}

/* Reads all words but the last one; false: no command of that name. */
static bool read_words(struct line *l)
{
	for (int i = 0; i < l->n - 1; i++) {
		const char *word = l->words[i];
		bool pass = l->command && l->command->needs & ARGS_PASS && l->n_operands;
		if (l->open) {
			l->open = NULL;
		} else if (!pass && !l->ended && !strcmp(word, "--")) {
			l->ended = true;
		} else if (!pass && is_option(l, word)) {
			const struct opt *o = find_option(l, word);
			l->open = o && o->arg && !strchr(word, '=') ? o : NULL;
		} else if (!l->command) {
			l->command = command_find(word);
			if (!l->command)
				return false;
		} else if (l->n_operands < (int)ARRAY_LEN(l->operands)) {
			l->operands[l->n_operands++] = i;
		}
	}
	return true;
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	struct line l = {.words = args->pos, .n = args->n, .current = args->pos[args->n - 1]};
	if (!read_words(&l))
		return true;
	bool pass = l.command && l.command->needs & ARGS_PASS && l.n_operands;
	const char *equals = strchr(l.current, '=');
	if (l.open) {
		offer_value(&l, l.open);
	} else if (!pass && !l.ended && !strncmp(l.current, "--", 2) && equals) {
		const struct opt *o = find_option(&l, l.current);
		l.current = equals + 1;
		if (o && o->arg)
			offer_value(&l, o);
	} else if (!pass && !l.ended && l.current[0] == '-') {
		offer_options(l.current, l.command ? l.command->options : NULL);
		offer_options(l.current, global_options);
	} else if (!l.command) {
		offer_commands(l.current);
	} else if (!strncmp(l.command->args, "[+SPEC]", 7)) {
		offer_behind_spec(&l);
	} else {
		offer_operands(&l, l.n_operands);
	}
	return true;
}

const struct command cmd_complete = {
	.name = "complete",
	.args = "-- WORD...",
	.summary = "print what can stand as the last word",
	.min_args = 1,
	.max_args = -1,
	.needs = NEED_NOTHING,
	.run = run,
};
