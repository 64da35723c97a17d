#include "core/hostcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "core/childenv.h"

enum { CACHE_DEADLINE_MS = 20000, OUTPUT_MAX = 1 << 20 };

/* The newest g++-N that apt's lists hold and the limits accept; 0 there is none, -1 apt has no
 * lists. */
static int newest_in_apt(const struct hostcc_limits *lim)
{
	struct err err;
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {"apt-cache", "--names-only", "search", "^g\\+\\+-[0-9]+$", NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .deadline_ms = CACHE_DEADLINE_MS,
			 .max_output = OUTPUT_MAX};
	autoproc struct proc_result r = {0};
	if (!proc_run(&p, &r, &err) || r.status != 0 || !r.out.len)
		return -1;
	int best = 0;
	for (const char *s = buf_str(&r.out); *s;) {
		int n = strncmp(s, "g++-", 4) ? 0 : (int)strtol(s + 4, NULL, 10);
		if (n > best && n <= lim->gcc_max && n >= lim->gcc_min)
			best = n;
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
	return best;
}

const char *hostcc_advice(const struct hostcc_limits *lim, char *out, size_t cap)
{
	static const struct {
		const char *tool, *any, *exact;
	} managers[] = {
		{"apt-get", "apt-get install g++", "apt-get install g++-%d"},
		{"dnf", "dnf install gcc-c++", "dnf install gcc-toolset-%d-gcc-c++"},
		{"zypper", "zypper install gcc-c++", "zypper install gcc%d-c++"},
		{"pacman", "pacman -S gcc", "pacman -S gcc%d"},
	};
	char tool[256];
	size_t i = 0;
	while (i < ARRAY_LEN(managers) && !childenv_find(managers[i].tool, tool, sizeof tool))
		i++;
	int n = lim->gcc_max;
	if (i == 0 && n) {
		int apt = newest_in_apt(lim);
		if (apt == 0) {
			snprintf(out, cap,
				 "install gcc and g++ %d or older, which this system's "
				 "packages do not have",
				 n);
			return out;
		}
		if (apt > 0)
			n = apt;
	}
	if (i == ARRAY_LEN(managers) && n)
		snprintf(out, cap, "install gcc and g++ %d or older", n);
	else if (i == ARRAY_LEN(managers))
		snprintf(out, cap, "install gcc and g++");
	else if (!n)
		snprintf(out, cap, "%s", managers[i].any);
	else {
		const char *rest = strstr(managers[i].exact, "%d");
		snprintf(out, cap, "%.*s%d%s", (int)(rest - managers[i].exact), managers[i].exact,
			 n, rest + 2);
	}
	return out;
}
