#include "cli/help.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/opts.h"

enum { WIDTH = 80, SUMMARY_COLUMN = 26 };

/* Words of text, broken at WIDTH; each line begins at `indent`, where the cursor is already. */
static void print_wrapped(FILE *to, const char *text, int indent)
{
	int column = indent;
	while (*text) {
		int n = (int)strcspn(text, " ");
		if (column > indent && column + 1 + n > WIDTH) {
			fprintf(to, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

static void print_entry(FILE *to, const char *left, const char *summary)
{
	int n = fprintf(to, "  %s", left);
	if (n >= SUMMARY_COLUMN) {
		fputc('\n', to);
		n = 0;
	}
	fprintf(to, "%*s", SUMMARY_COLUMN - n, "");
	print_wrapped(to, summary, SUMMARY_COLUMN);
}

static void print_options(FILE *to, const struct opt *options)
{
	for (const struct opt *o = options; o && o->name; o++) {
		char left[80], letter[4] = "   ";
		if (o->letter)
			snprintf(letter, sizeof letter, "-%c,", o->letter);
		snprintf(left, sizeof left, "%s --%s%s%s", letter, o->name, o->arg ? " " : "",
			 o->arg ? o->arg : "");
		print_entry(to, left, o->summary);
	}
}

void help_overview(FILE *to)
{
	fputs("usage: cudaenv [options] COMMAND [argument...]\n\n"
	      "Installs CUDA toolkits side by side and chooses which one is used, for each "
	      "folder,\n"
	      "shell or command.\n\nCommands:\n",
	      to);
	for (const struct command *const *c = commands; *c; c++) {
		char left[80];
		snprintf(left, sizeof left, "%s %s", (*c)->name, (*c)->args);
		print_entry(to, left, (*c)->summary);
	}
	fputs("\nOptions, before the command or behind it:\n", to);
	print_options(to, global_options);
	fputs("\n'cudaenv help COMMAND' explains one command; cudaenv(1) is the manual.\n", to);
}

void help_command(FILE *to, const struct command *c)
{
	fprintf(to, "usage: cudaenv %s%s%s%s\n\n", c->name, c->options ? " [options]" : "",
		c->args[0] ? " " : "", c->args);
	print_wrapped(to, c->summary, 0);
	if (c->about) {
		fputc('\n', to);
		print_wrapped(to, c->about, 0);
	}
	if (c->options) {
		fputs("\nOptions:\n", to);
		print_options(to, c->options);
	}
	fputs("\nGlobal options:\n", to);
	print_options(to, global_options);
}
