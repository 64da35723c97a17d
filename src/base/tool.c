#include "base/tool.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/path.h"

static bool same_file(const struct stat *a, const struct stat *b)
{
	return b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool no_tool(const struct layout *l, const struct selection *s, const char *tool,
		    struct err *err)
{
	struct installed have;
	char list[512], by[512];
	installed_list(l, tool, &have);
	installed_words(&have, list, sizeof list);
	origin_words(s, by, sizeof by);
	if (s->prefix[0])
		err_set(err, ERR_NO_TOOL,
			"version '%s' has no '%s' (versions that have it: %s), %s", s->name, tool,
			list, by);
	else
		err_set(err, ERR_NO_TOOL,
			"no '%s' on PATH besides the shim (versions that have it: %s), %s", tool,
			list, by);
	if (have.n)
		return err_hint(err, "%s +%s, or cudaenv global %s", tool, have.name[0],
				have.name[0]);
	return err_hint(err,
			s->prefix[0] ? "cudaenv component which-has %s" : "cudaenv install latest",
			tool);
}

/* The file that stat found, judged; exec itself has the last word. */
static bool check_file(const char *path, const struct stat *st, const struct stat *self,
		       struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is %s, not a program", path,
			       S_ISDIR(st->st_mode) ? "a folder" : "not a regular file");
	if (!(st->st_mode & 0111))
		return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is not executable", path);
	if (same_file(st, self))
		return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is the shim itself", path);
	return true;
}

static bool find_in_prefix(const struct layout *l, const struct selection *s, const char *tool,
			   const struct stat *self, char *out, size_t cap, struct err *err)
{
	struct stat st;
	if (!path_join(out, cap, s->prefix, "bin") || !path_join(out, cap, out, tool))
		return err_set(err, ERR_NO_TOOL, "the path of '%s' in '%s' is too long", tool,
			       s->prefix);
	if (stat(out, &st) == 0)
		return check_file(out, &st, self, err);
	if (errno != ENOENT && errno != ENOTDIR)
		return err_sys(err, ERR_NOT_EXECUTABLE, "cannot look at '%s'", out);
	if (lstat(out, &st) == 0)
		return err_set(err, ERR_NO_TOOL, "'%s' is a link to a file that is not there", out);
	return no_tool(l, s, tool, err);
}

/* A folder that cudaenv itself put on PATH. */
static bool is_ours(const struct layout *l, const char *folder, size_t len)
{
	static const char *const subs[] = {"shims", "versions", "current"};
	char own[PATH_MAX];
	for (int i = 0; i < 3; i++)
		for (int root = 0; layout_root_path(l, root, subs[i], "", own, sizeof own);
		     root++) {
			size_t n = strlen(own) - 1; /* without the last slash */
			if (len >= n && !memcmp(folder, own, n) && (len == n || folder[n] == '/'))
				return true;
		}
	return false;
}

/* <folder>/<tool> lies in a version of ours all the same: /usr/local/cuda may be a link to one. */
static bool leads_into_ours(const struct layout *l, const char *folder, size_t len)
{
	char above[PATH_MAX], versions[PATH_MAX];
	struct stat st, own;
	if (len + sizeof "/../.." > sizeof above)
		return false;
	memcpy(above, folder, len);
	memcpy(above + len, "/../..", sizeof "/../..");
	if (stat(above, &st) < 0)
		return false;
	for (int root = 0; layout_root(l, root, versions, sizeof versions); root++)
		if (path_join(versions, sizeof versions, versions, "versions") &&
		    stat(versions, &own) == 0 && same_file(&st, &own))
			return true;
	return false;
}

static bool find_on_path(const struct layout *l, const char *tool, const struct stat *self,
			 char *out, size_t cap)
{
	const char *p = getenv("PATH");
	for (size_t n; p && *p; p += n + (p[n] == ':')) {
		struct stat st;
		n = strcspn(p, ":");
		if (p[0] != '/' || n >= cap || is_ours(l, p, n))
			continue;
		memcpy(out, p, n);
		out[n] = '\0';
		if (path_join(out, cap, out, tool) && stat(out, &st) == 0 && S_ISREG(st.st_mode) &&
		    !same_file(&st, self) && access(out, X_OK) == 0 && !leads_into_ours(l, p, n))
			return true;
	}
	return false;
}

bool tool_find(const struct layout *l, const struct selection *s, const char *tool,
	       const struct stat *self, char *out, size_t cap, struct err *err)
{
	struct stat shim;
	if (!path_safe_component(tool))
		return err_set(err, ERR_NO_TOOL, "'%s' is not the name of a tool", tool);
	if (!self && layout_root_path(l, 0, "shims", tool, out, cap) && stat(out, &shim) == 0)
		self = &shim;
	if (s->prefix[0])
		return find_in_prefix(l, s, tool, self, out, cap, err);
	return find_on_path(l, tool, self, out, cap) || no_tool(l, s, tool, err);
}

#if defined(__x86_64__)
enum { NATIVE = EM_X86_64 };
#elif defined(__aarch64__)
enum { NATIVE = EM_AARCH64 };
#else
enum { NATIVE = EM_NONE };
#endif

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_AARCH64:
		return "aarch64";
	case EM_386:
		return "32-bit x86";
	case EM_ARM:
		return "32-bit ARM";
	case EM_PPC64:
		return "ppc64";
	default:
		return "another processor";
	}
}

/* The program's loader (PT_INTERP) into out. */
static bool elf_loader(int fd, const Elf64_Ehdr *h, char *out, size_t cap)
{
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < h->e_phnum && i < 64; i++) {
		Elf64_Phdr p;
		off_t at = (off_t)(h->e_phoff + i * sizeof p);
		if (h->e_phentsize != sizeof p || pread(fd, &p, sizeof p, at) != sizeof p)
			return false;
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz == 0 || p.p_filesz >= cap ||
		    pread(fd, out, p.p_filesz, (off_t)p.p_offset) != (ssize_t)p.p_filesz)
			return false;
		out[p.p_filesz] = '\0';
		return true;
	}
	return false;
}

/* The interpreter of a "#!" line into out. */
static bool script_interpreter(const char *head, char *out, size_t cap)
{
	const char *s = head + 2 + strspn(head + 2, " \t");
	size_t n = strcspn(s, " \t\n");
	if (n == 0 || n >= cap)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

/* ENOENT for a file that is there: what it names to run it is not. */
static bool missing_interpreter(const char *path, int fd, const char *head, struct err *err)
{
	char name[512] = "";
	bool found = head[0] == '#' ? script_interpreter(head, name, sizeof name)
				    : elf_loader(fd, (const void *)head, name, sizeof name);
	size_t n = strlen(name);
	if (!found)
		return err_set(err, ERR_NOT_EXECUTABLE,
			       "'%s' names an interpreter that is not there", path);
	err_set(err, ERR_NOT_EXECUTABLE, "'%s' needs the interpreter '%s', which is not there",
		path, name);
	if (n && name[n - 1] == '\r')
		return err_hint(err, "its lines end in CRLF");
	return false;
}

/* ENOEXEC: the kernel knows no way to run it. */
static bool unknown_format(const char *path, const Elf64_Ehdr *h, ssize_t n, struct err *err)
{
	if (n == 0)
		return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is empty", path);
	if (n < (ssize_t)sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_NOT_EXECUTABLE,
			       "'%s' is neither a program nor a script with a '#!' line", path);
	if (h->e_machine != NATIVE)
		return err_set(err, ERR_NOT_EXECUTABLE,
			       "'%s' is a program for %s, this machine is %s", path,
			       machine_name(h->e_machine), machine_name(NATIVE));
	return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is a damaged program", path);
}

bool tool_exec_error(const char *path, int sys, struct err *err)
{
	union {
		char text[512];
		Elf64_Ehdr elf;
	} head = {0};
	struct statvfs fs;
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = pread(fd, &head, sizeof head - 1, 0);
	if (n >= 0 && sys == ENOENT)
		return missing_interpreter(path, fd, head.text, err);
	if (n >= 0 && sys == ENOEXEC)
		return unknown_format(path, &head.elf, n, err);
	if (sys == EACCES && statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return err_set(err, ERR_NOT_EXECUTABLE,
			       "cannot run '%s': its file system is mounted with 'noexec'", path);
	errno = sys;
	return err_sys(err, ERR_NOT_EXECUTABLE, "cannot run '%s'", path);
}
