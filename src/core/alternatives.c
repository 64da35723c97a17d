#include "core/alternatives.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/scan.h"

enum { GROUP_MAX = 4 << 20, WAIT_MS = 60000 };

static const char *const admin_folders[] = {"/var/lib/dpkg/alternatives", "/var/lib/alternatives"};
static const char altdir[] = "/etc/alternatives";

/* The next line of *p, without its end; the caller frees. NULL: no more. */
static char *next_line(const char **p)
{
	if (!**p)
		return NULL;
	size_t n = strcspn(*p, "\n");
	char *line = xstrndup(*p, n);
	*p += n + ((*p)[n] == '\n');
	return line;
}

static void skip_line(const char **p)
{
	*p += strcspn(*p, "\n");
	*p += **p == '\n';
}

/* Behind the link: two lines for each slave, an empty line, then the choices up to another one. */
static void read_choices(const char *p, struct strlist *out)
{
	size_t slaves = 0;
	for (; *p && *p != '\n'; slaves++) {
		skip_line(&p);
		skip_line(&p);
	}
	skip_line(&p);
	while (*p && *p != '\n') {
		autofree char *path = next_line(&p);
		strlist_add(out, path);
		for (size_t i = 0; i < slaves + 1; i++)
			skip_line(&p);
	}
}

struct search {
	const char *folder, *link;
	struct alternatives *out;
};

static bool search_group(void *ctx, const char *name, unsigned char type)
{
	struct search *s = ctx;
	struct err ignored;
	autobuf struct buf text = BUF_INIT(GROUP_MAX);
	autofree char *file = xasprintf("%s/%s", s->folder, name);
	if (name[0] == '.' || !io_read_file(file, &text, &ignored))
		return true;
	const char *p = buf_str(&text);
	autofree char *mode = next_line(&p);
	autofree char *link = next_line(&p);
	if (!link || strcmp(link, s->link) != 0)
		return true;
	s->out->name = xstrdup(name);
	s->out->link = take_ptr(link);
	s->out->admin = xstrdup(s->folder);
	s->out->manual = !strcmp(mode, "manual");
	read_choices(p, &s->out->choices);
	return false;
}

bool alternatives_find(const char *root, const char *link, struct alternatives *out)
{
	struct alternatives a = {0};
	char target[PATH_MAX];
	for (size_t i = 0; i < ARRAY_LEN(admin_folders) && !a.name; i++) {
		autofree char *folder = xasprintf("%s%s", root, admin_folders[i]);
		struct search s = {folder, link, &a};
		if (!scan_folder(folder, search_group, &s))
			continue;
	}
	if (!a.name)
		return false;
	autofree char *through = xasprintf("%s%s/%s", root, altdir, a.name);
	ssize_t n = readlink(through, target, sizeof target - 1);
	if (n > 0)
		a.current = xstrndup(target, (size_t)n);
	*out = a;
	return true;
}

void alternatives_clear(struct alternatives *a)
{
	free(a->name);
	free(a->link);
	free(a->admin);
	free(a->current);
	strlist_clear(&a->choices);
	*a = (struct alternatives){0};
}

bool alternatives_writable(const char *root, const struct alternatives *a)
{
	autofree char *through = xasprintf("%s%s", root, altdir);
	return access(a->admin, W_OK) == 0 && access(through, W_OK) == 0;
}

static const char *program(void)
{
	static const char *const at[] = {"/usr/bin/update-alternatives",
					 "/usr/sbin/update-alternatives", "/usr/sbin/alternatives"};
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		if (access(at[i], X_OK) == 0)
			return at[i];
	return "update-alternatives";
}

/* words: what to do, NULL-ended. */
static bool run(const char *root, const struct alternatives *a, const char *const *words,
		struct err *err)
{
	autofree char *through = xasprintf("%s%s", root, altdir);
	const char *argv[16] = {program(), "--altdir", through, "--admindir", a->admin};
	autoproc struct proc_result r = {0};
	char how[64];
	size_t n = 5;
	for (; *words; words++)
		argv[n++] = *words;
	struct proc p = {.argv = argv, .deadline_ms = WAIT_MS};
	if (!proc_run(&p, &r, err))
		return false;
	if (r.status == 0)
		return true;
	const char *said = buf_str(&r.err);
	int len = (int)strcspn(said, "\n");
	return err_set(err, ERR_FILESYSTEM, "'%s %s' for '%s' failed: %s: %.*s", argv[0], argv[5],
		       a->name, proc_result_words(&r, how, sizeof how), len, said);
}

bool alternatives_choose(const char *root, const struct alternatives *a, const char *choice,
			 struct err *err)
{
	const char *const set[] = {"--set", a->name, choice, NULL};
	const char *const by_priority[] = {"--auto", a->name, NULL};
	return run(root, a, choice ? set : by_priority, err);
}

bool alternatives_set(const char *root, const struct alternatives *a, const char *choice,
		      int priority, struct err *err)
{
	char number[16];
	snprintf(number, sizeof number, "%d", priority);
	const char *const install[] = {"--install", a->link, a->name, choice, number, NULL};
	return run(root, a, install, err) && alternatives_choose(root, a, choice, err);
}

bool alternatives_drop(const char *root, const struct alternatives *a, const char *choice,
		       struct err *err)
{
	const char *const remove[] = {"--remove", a->name, choice, NULL};
	return run(root, a, remove, err);
}
