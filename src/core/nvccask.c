#include "core/nvccask.h"

#include <string.h>

#include "base/proc.h"
#include "core/childenv.h"

enum { DEADLINE_MS = 5000, OUTPUT_MAX = 1 << 16 };

/* The number behind a word. */
static bool number_behind(const char *text, const char *word, char out[VERSION_TEXT])
{
	struct version v;
	const char *at = strstr(text, word);
	size_t n = at ? strspn(at += strlen(word), "0123456789.") : 0;
	if (!n || n >= VERSION_TEXT || !version_parse(at, n, &v))
		return false;
	memcpy(out, at, n);
	out[n] = '\0';
	return true;
}

/* "Cuda compilation tools, release 11.5, V11.5.119" */
bool nvcc_ask(const char *nvcc, char release[VERSION_TEXT], char build[VERSION_TEXT])
{
	struct err ignored;
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {nvcc, "--version", NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .deadline_ms = DEADLINE_MS,
			 .max_output = OUTPUT_MAX};
	autoproc struct proc_result r = {0};
	if (!proc_run(&p, &r, &ignored) || !number_behind(buf_str(&r.out), "release ", release))
		return false;
	if (!number_behind(buf_str(&r.out), ", V", build))
		build[0] = '\0';
	return true;
}
