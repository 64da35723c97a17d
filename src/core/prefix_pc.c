#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/prefix.h"
#include "core/prefix_parts.h"

enum { PC_MAX = 1 << 16 };

/*
 * NVIDIA's archives of 11.x and 12.x bring .pc files with the line cudaroot=/usr/local/cuda-X.Y;
 * wheels bring none. All end in pkg-config/, where NVIDIA has them, and can be found as
 * lib64/pkgconfig as well.
 */

/* pkg-config splits flags at blanks, and takes a backslash as the way to write one. */
static char *escaped(const char *path)
{
	struct buf b = BUF_INIT(PC_MAX);
	for (; *path; path++) {
		if (strchr(" \t\\\"'$", *path))
			buf_addc(&b, '\\');
		buf_addc(&b, *path);
	}
	return buf_take(&b);
}

/* The text with the value of its first cudaroot= or prefix= line replaced. */
static void set_root(const char *text, const char *root, struct buf *out)
{
	static const char *const keys[] = {"cudaroot", "prefix"};
	bool done = false;
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		for (size_t i = 0; !done && i < ARRAY_LEN(keys); i++) {
			size_t k = strlen(keys[i]);
			const char *eq =
				s + k + strspn(s + k * (strncmp(s, keys[i], k) == 0), " \t");
			if (strncmp(s, keys[i], k) || *eq != '=')
				continue;
			buf_addf(out, "%s=%s\n", keys[i], root);
			done = true;
			s += n + (s[n] == '\n');
			n = strcspn(s, "\n");
		}
		if (*s)
			buf_addf(out, "%.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

/* Whole at each moment: the version may be in use. */
static bool replace(int dir, const char *name, const struct buf *text, struct err *err)
{
	static const char tmp[] = ".new-pc";
	if (!prefix_write(dir, tmp, buf_str(text), text->len, 0644, err))
		return false;
	return renameat(dir, tmp, dir, name) == 0 ||
	       err_sys(err, ERR_FILESYSTEM, "cannot replace '%s'", name);
}

/* *other: whether one of them named another place. */
static bool rewrite_folder(const struct prefix *p, const char *folder, const char *root, bool mend,
			   bool *other, struct err *err)
{
	autostrlist struct strlist names = {0};
	autoclose int dir = prefix_open(p, folder);
	if (dir < 0)
		return true;
	prefix_names(dir, "", ".pc", &names);
	for (size_t i = 0; i < names.n; i++) {
		autobuf struct buf text = BUF_INIT(PC_MAX), new = BUF_INIT(2 * PC_MAX);
		char link[8];
		if (readlinkat(dir, names.items[i], link, sizeof link) >= 0)
			continue;
		if (!prefix_read(dir, names.items[i], &text, err))
			return false;
		set_root(buf_str(&text), root, &new);
		if (new.len == text.len && !memcmp(buf_str(&new), buf_str(&text), new.len))
			continue;
		*other = true;
		if (mend && !replace(dir, names.items[i], &new, err))
			return false;
	}
	return true;
}

static bool rewrite(const struct prefix *p, const char *root, bool mend, bool *other,
		    struct err *err)
{
	autofree char *in_lib = xasprintf("targets/%s/lib/pkgconfig", p->target);
	const char *const places[] = {"pkg-config", "pkgconfig", in_lib};
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (!rewrite_folder(p, places[i], root, mend, other, err))
			return false;
	return true;
}

bool prefix_settle(const char *prefix, const char *arch, bool mend, bool *moved, struct err *err)
{
	struct prefix p = {.staging = prefix, .final = prefix};
	autofree char *root = escaped(prefix);
	autoclose int fd = open(prefix, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", prefix);
	p.root = fd;
	snprintf(p.target, sizeof p.target, "%s-linux", arch);
	*moved = false;
	return rewrite(&p, root, mend, moved, err);
}

/* name-X.Y.pc, and name.pc as a link to it. */
static bool add_pc(const struct prefix *p, int dir, const char *root, const char *name,
		   const char *description, const char *libs, struct err *err)
{
	autofree char *file = xasprintf("%s-%s.pc", name, p->short_version);
	autofree char *plain = xasprintf("%s.pc", name);
	if (!prefix_has(dir, file)) {
		autofree char *text = xasprintf("cudaroot=%s\n"
						"libdir=${cudaroot}/targets/%s/lib\n"
						"includedir=${cudaroot}/targets/%s/include\n"
						"\n"
						"Name: %s\n"
						"Description: %s\n"
						"Version: %s\n"
						"Libs: %s\n"
						"Cflags: -I${includedir}\n",
						root, p->target, p->target, name, description,
						p->short_version, libs);
		if (!prefix_write(dir, file, text, strlen(text), 0644, err))
			return false;
	}
	return prefix_has(dir, plain) || prefix_link(dir, file, plain, err);
}

/* Whether libX.so is a link to libX.so.N: a library that is loaded as a tool's plug-in has no
 * number. */
static bool is_linked(const struct prefix *p, const char *so)
{
	struct stat st;
	return fstatat(p->lib, so, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* One for each library that a program links; parts of another library are not. */
static bool add_libraries(const struct prefix *p, int dir, const char *root, struct err *err)
{
	autostrlist struct strlist names = {0};
	prefix_names(p->lib, "lib", ".so", &names);
	for (size_t i = 0; i < names.n; i++) {
		autofree char *lib = xstrndup(names.items[i] + 3, strlen(names.items[i]) - 6);
		if (!is_linked(p, names.items[i]) || strchr(lib, '.') || strstr(lib, "builtins"))
			continue;
		autofree char *libs = xasprintf("-L${libdir} -l%s", lib);
		autofree char *description = xasprintf("CUDA library lib%s", lib);
		/* OpenCL.pc is the name of the loader that distributions have. */
		const char *name = strcmp(lib, "OpenCL") ? lib : "opencl";
		if (!add_pc(p, dir, root, name, description, libs, err))
			return false;
	}
	return true;
}

/* Libraries of the driver: linked against the stub, found by the loader where the driver put them.
 */
static bool add_driver(const struct prefix *p, int dir, const char *root, struct err *err)
{
	static const char *const libs[][3] = {
		{"cuda.h", "cuda", "CUDA driver library"},
		{"nvml.h", "nvidia-ml", "NVIDIA management library"},
	};
	for (size_t i = 0; i < ARRAY_LEN(libs); i++) {
		autofree char *flags = xasprintf("-L${libdir}/stubs -l%s", libs[i][1]);
		if (prefix_has(p->include, libs[i][0]) &&
		    !add_pc(p, dir, root, libs[i][1], libs[i][2], flags, err))
			return false;
	}
	return true;
}

/* NVIDIA's own version-less links are not in its archives. */
static bool add_plain_links(int dir, const struct prefix *p, struct err *err)
{
	autofree char *end = xasprintf("-%s.pc", p->short_version);
	autostrlist struct strlist names = {0};
	prefix_names(dir, "", end, &names);
	for (size_t i = 0; i < names.n; i++) {
		autofree char *plain = xasprintf(
			"%.*s.pc", (int)(strlen(names.items[i]) - strlen(end)), names.items[i]);
		if (!prefix_has(dir, plain) && !prefix_link(dir, names.items[i], plain, err))
			return false;
	}
	return true;
}

bool prefix_pkgconfig(const struct prefix *p, struct err *err)
{
	autofree char *root = escaped(p->final);
	bool other;
	if (!rewrite(p, root, true, &other, err))
		return false;
	autoclose int dir = prefix_folder(p, "pkg-config", err);
	if (dir < 0 || !add_libraries(p, dir, root, err) || !add_driver(p, dir, root, err))
		return false;
	return add_plain_links(dir, p, err) &&
	       (prefix_has(p->root, "pkgconfig") ||
		prefix_link(p->root, "pkg-config", "pkgconfig", err)) &&
	       (prefix_has(p->lib, "pkgconfig") ||
		prefix_link(p->lib, "../../../pkg-config", "pkgconfig", err));
}
