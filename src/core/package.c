#include "core/package.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/scan.h"

/* Files of dpkg; the lists of whole desktops have 10 MB, the status of one 5 MB. */
enum { LIST_MAX = 64 << 20, STATUS_MAX = 64 << 20, RPM_WAIT_MS = 10000 };

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n > m && !strcmp(s + n - m, end);
}

/* Whether a line of text is exactly this. */
static bool has_line(const struct buf *text, const char *line)
{
	size_t n = strlen(line);
	for (const char *p = buf_str(text); (p = strstr(p, line)); p += n)
		if ((p == buf_str(text) || p[-1] == '\n') && (p[n] == '\n' || !p[n]))
			return true;
	return false;
}

struct search {
	const char *folder, *path;
	char *found;
};

static bool search_list(void *ctx, const char *name, unsigned char type)
{
	struct search *s = ctx;
	struct err ignored;
	autobuf struct buf text = BUF_INIT(LIST_MAX);
	if (!ends_with(name, ".list"))
		return true;
	autofree char *file = xasprintf("%s/%s", s->folder, name);
	if (!io_read_file(file, &text, &ignored) || !has_line(&text, s->path))
		return true;
	size_t n = strcspn(name, ":");
	s->found = xstrndup(name, n < strlen(name) ? n : n - strlen(".list"));
	return false;
}

/* What rpm prints for a question with one answer; NULL: it has none. */
static char *ask_rpm(const char *root, const char *const *argv)
{
	autoproc struct proc_result r = {0};
	struct err ignored;
	struct proc p = {.argv = argv, .deadline_ms = RPM_WAIT_MS};
	if (root[0] || access(argv[0], X_OK) < 0 || !proc_run(&p, &r, &ignored) || r.status != 0)
		return NULL;
	const char *out = buf_str(&r.out);
	size_t n = strcspn(out, "\n");
	return n ? xstrndup(out, n) : NULL;
}

char *package_owner(const char *root, const char *path, bool ask)
{
	autofree char *folder = xasprintf("%s/var/lib/dpkg/info", root);
	struct search s = {.folder = folder, .path = path};
	if (scan_folder(folder, search_list, &s))
		return s.found;
	return !ask ? NULL
		    : ask_rpm(root, (const char *const[]){"/usr/bin/rpm", "-qf", "--qf",
							  "%{NAME}\\n", path, NULL});
}

static bool read_status(const char *root, struct buf *out)
{
	struct err ignored;
	autofree char *file = xasprintf("%s/var/lib/dpkg/status", root);
	return io_read_file(file, out, &ignored);
}

/* The paragraphs of the status file: p begins one, n is its length; the next one begins at p + n. */
static size_t paragraph(const char *p)
{
	const char *end = strstr(p, "\n\n");
	return end ? (size_t)(end - p) + 2 : strlen(p);
}

/* The first word of a field in a paragraph; the caller frees. */
static char *field(const char *p, size_t n, const char *name)
{
	size_t m = strlen(name);
	for (const char *line = p; line < p + n; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, name, m) && line[m] == ':') {
			const char *v = line + m + 1 + strspn(line + m + 1, " ");
			return xstrndup(v, strcspn(v, " \n"));
		}
	return NULL;
}

static bool installed(const char *p, size_t n)
{
	static const char words[] = "\nStatus: install ok ";
	const char *at = memmem(p, n, words, sizeof words - 1);
	return at && strncmp(at + sizeof words - 1, "not-installed", 13) != 0;
}

char *package_version(const char *root, const char *name, bool ask)
{
	autobuf struct buf text = BUF_INIT(STATUS_MAX);
	if (!read_status(root, &text))
		return !ask ? NULL
			    : ask_rpm(root, (const char *const[]){"/usr/bin/rpm", "-q", "--qf",
								  "%{VERSION}\\n", name, NULL});
	for (const char *p = buf_str(&text); *p;) {
		size_t n = paragraph(p);
		autofree char *package = field(p, n, "Package");
		if (package && !strcmp(package, name) && installed(p, n))
			return field(p, n, "Version");
		p += n;
	}
	return NULL;
}

/* false: fn has had enough. */
static bool pass_list(const struct buf *text, package_file_fn *fn, void *ctx)
{
	const char *p = buf_str(text);
	while (*p) {
		size_t n = strcspn(p, "\n");
		autofree char *path = xstrndup(p, n);
		if (n && !fn(ctx, path))
			return false;
		p += n + (p[n] == '\n');
	}
	return true;
}

static bool read_list(const char *root, const char *package, const char *arch, struct buf *out)
{
	struct err ignored;
	autofree char *plain = xasprintf("%s/var/lib/dpkg/info/%s.list", root, package);
	autofree char *with_arch =
		xasprintf("%s/var/lib/dpkg/info/%s:%s.list", root, package, arch ? arch : "");
	return io_read_file(plain, out, &ignored) || io_read_file(with_arch, out, &ignored);
}

bool package_files(const char *root, const char *source, const char *const *more,
		   package_file_fn *fn, void *ctx)
{
	autobuf struct buf status = BUF_INIT(STATUS_MAX);
	bool any = false;
	if (!read_status(root, &status))
		return false;
	for (const char *p = buf_str(&status); *p;) {
		size_t n = paragraph(p);
		autofree char *package = field(p, n, "Package");
		autofree char *built_from = field(p, n, "Source");
		autofree char *arch = field(p, n, "Architecture");
		autobuf struct buf list = BUF_INIT(LIST_MAX);
		bool own = package && !strcmp(built_from ? built_from : package, source);
		if (package && installed(p, n) && (own || words_have(more, package)) &&
		    read_list(root, package, arch, &list)) {
			any |= own;
			if (!pass_list(&list, fn, ctx))
				return true;
		}
		p += n;
	}
	return any;
}
