#include "core/pytool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/proc.h"

extern char **environ;

enum { DEADLINE_MS = 20000 };

/*
 * The quickest first: uv takes 10 ms, pip's help most of a second. What holds the address inside
 * pip has no promised name, so its help is asked where that fails.
 */
static const struct {
	const char *const argv[6];
	const char *origin;
	bool bare; /* prints nothing but the address */
} tools[] = {
	{{"uv", "pip", "install", "--help", NULL}, "uv's own default", false},
	{{"python3", "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)",
	  NULL},
	 "pip's own default",
	 true},
	{{"python3", "-m", "pip", "install", "--help", NULL}, "pip's own default", false},
	{{"pip", "install", "--help", NULL}, "pip's own default", false},
	{{"pip3", "install", "--help", NULL}, "pip's own default", false},
};

static char *first_url(const char *s)
{
	size_t n = strcspn(s, " \t\r\n<>()[]\"'`,");
	if (strncmp(s, "https://", 8) != 0 && strncmp(s, "http://", 7) != 0)
		return NULL;
	return xstrndup(s, s[n - 1] == '.' ? n - 1 : n);
}

/* Behind the option's name: "default" and, with only ':', '<', '(' and blanks between, a URL. */
char *pytool_parse(const char *help)
{
	static const char *const options[] = {"--default-index", "--index-url"};
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const char *p = strstr(help, options[i]);
		while (p && (p = strstr(p, "default"))) {
			p += strlen("default");
			char *url = first_url(p + strspn(p, " \t\r\n:<("));
			if (url)
				return url;
		}
	}
	return NULL;
}

/* Wide, so that no address is wrapped at a hyphen; plain; and without what would colour the text.
 */
static const char **quiet_environment(void)
{
	static const char *const set[] = {"COLUMNS=1000", "LC_ALL=C", "NO_COLOR=1", "TERM=dumb"};
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	const char **env = xcalloc(n + ARRAY_LEN(set) + 1, sizeof *env);
	for (size_t i = 0; i < n; i++) {
		bool ours = false;
		for (size_t s = 0; s < ARRAY_LEN(set); s++)
			ours = ours || !strncmp(environ[i], set[s], strcspn(set[s], "=") + 1);
		if (!ours)
			env[k++] = environ[i];
	}
	for (size_t s = 0; s < ARRAY_LEN(set); s++)
		env[k++] = set[s];
	return env;
}

bool pytool_default(char **url, const char **origin, const struct events *ev, struct err *err)
{
	autofree const char **env = quiet_environment();
	*url = NULL;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		autoproc struct proc_result r = {0};
		/* In "/": python takes modules, and uv its settings, from the working folder. */
		struct proc p = {
			.argv = tools[i].argv, .env = env, .cwd = "/", .deadline_ms = DEADLINE_MS};
		if (!proc_run(&p, &r, err)) {
			if (err->code == ERR_INTERRUPTED)
				return false;
			continue;
		}
		const char *text = buf_str(&r.out);
		if (r.status == 0)
			*url = tools[i].bare ? first_url(text) : pytool_parse(text);
		if (*url) {
			*origin = tools[i].origin;
			return true;
		}
		event_debug(ev, "'%s' names no default index", tools[i].argv[0]);
	}
	return true;
}
