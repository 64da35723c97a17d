#include "cli/shellsyntax.h"

#include <stddef.h>
#include <string.h>

#include "base/nearest.h"

const char *const shell_names[] = {"bash", "zsh", "fish", "sh", "dash", "ksh", NULL};

bool shell_syntax_parse(const char *name, enum shell_syntax *out, struct err *err)
{
	for (const char *const *s = shell_names; *s; s++)
		if (strcmp(*s, name) == 0) {
			*out = strcmp(name, "fish") == 0 ? SHELL_FISH : SHELL_SH;
			return true;
		}
	const char *near = nearest(name, shell_names);
	err_set(err, ERR_USAGE, "unknown shell '%s'", name);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "there are bash, zsh, fish, sh, dash and ksh");
}

/* Within single quotes sh knows no escape, fish knows two. */
static void quote(FILE *to, enum shell_syntax s, const char *text, size_t n)
{
	fputc('\'', to);
	for (const char *p = text; p < text + n; p++) {
		if (s == SHELL_SH && *p == '\'')
			fputs("'\\''", to);
		else if (s == SHELL_FISH && (*p == '\'' || *p == '\\'))
			fprintf(to, "\\%c", *p);
		else
			fputc(*p, to);
	}
	fputc('\'', to);
}

static bool ends_in_path(const char *name)
{
	size_t n = strlen(name);
	return n >= 4 && strcmp(name + n - 4, "PATH") == 0;
}

void shell_assign(FILE *to, enum shell_syntax s, const char *name, const char *value)
{
	if (!value) {
		fprintf(to, s == SHELL_FISH ? "set -e %s\n" : "unset %s\n", name);
		return;
	}
	if (s == SHELL_SH) {
		fprintf(to, "export %s=", name);
		quote(to, s, value, strlen(value));
		fputc('\n', to);
		return;
	}
	fprintf(to, "set -gx %s", name);
	for (const char *p = value;;) {
		size_t n = ends_in_path(name) ? strcspn(p, ":") : strlen(p);
		fputc(' ', to);
		quote(to, s, p, n);
		if (!p[n])
			break;
		p += n + 1;
	}
	fputc('\n', to);
}

void shell_quote(FILE *to, enum shell_syntax s, const char *text)
{
	quote(to, s, text, strlen(text));
}

void shell_print(FILE *to, enum shell_syntax s, const char *text)
{
	fputs("printf '%s\\n' ", to);
	quote(to, s, text, strlen(text));
	fputc('\n', to);
}
