#include "core/product_tree.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"

enum { HEADER_MAX = 4 << 20, LIBRARIES_MAX = 64 };

/* The number behind "#define MACRO"; false: it is not defined as one. */
static bool read_macro(const char *text, const char *macro, unsigned *out)
{
	size_t n = strlen(macro);
	for (const char *p = text; (p = strstr(p, "#define")); p += 7) {
		const char *name = p + 7 + strspn(p + 7, " \t");
		const char *value =
			name + n + strspn(name + (strncmp(name, macro, n) ? 0 : n), " \t");
		char *end;
		if (strncmp(name, macro, n) != 0 || (name[n] != ' ' && name[n] != '\t'))
			continue;
		if (*value < '0' || *value > '9')
			return false;
		unsigned long number = strtoul(value, &end, 10);
		*out = (unsigned)number;
		return number < 1000000;
	}
	return false;
}

/* false: this one has no numbers. */
static bool version_in(const struct product *p, const char *text, struct version *out)
{
	*out = (struct version){.n = 3};
	for (int i = 0; i < 3; i++)
		if (!read_macro(text, p->macros[i], &out->part[i]))
			return false;
	return true;
}

static bool has_files(const char *tree)
{
	autofree char *path = xasprintf("%s/include", tree);
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			return true;
	return false;
}

/*
 * known: its digest vouches for what it is, so that a header of another form is no reason to
 * refuse it.
 */
static bool read_version(const struct product *p, const char *tree, const char *where, bool known,
			 struct version *out, struct err *err)
{
	char looked[256] = "";
	bool there = false;
	*out = (struct version){0};
	for (size_t i = 0; i < ARRAY_LEN(p->headers) && p->headers[i]; i++) {
		autofree char *path = xasprintf("%s/include/%s", tree, p->headers[i]);
		autobuf struct buf text = BUF_INIT(HEADER_MAX);
		size_t n = strlen(looked);
		snprintf(looked + n, sizeof looked - n, "%s'include/%s'", n ? " and " : "",
			 p->headers[i]);
		if (!io_read_file(path, &text, err)) {
			if (err->sys != ENOENT && err->sys != ENOTDIR)
				return false;
			continue;
		}
		there = true;
		if (!p->macros[0] || version_in(p, buf_str(&text), out))
			return true;
	}
	*out = (struct version){0};
	if (known && (there || has_files(tree)))
		return true;
	if (!there && p->headers[0])
		return err_set(err, ERR_INTEGRITY, "%s has no headers of %s (looked for %s)", where,
			       p->title, looked);
	return !p->headers[0] ||
	       err_set(err, ERR_INTEGRITY, "%s: no version of %s in its headers (looked in %s)",
		       where, p->title, looked);
}

/* Behind ".so." of a library of the product's: "9", "8.9.2"; NULL: no such name. */
static const char *number_of(const struct product *p, const char *name)
{
	const char *so = strstr(name, ".so");
	if (strncmp(name, p->library, strlen(p->library)) != 0 || !so)
		return NULL;
	return so[3] == '.' ? so + 4 : so[3] ? NULL : so + 3;
}

/* Whether it is the library itself, and not one that it loads. */
static bool is_main(const struct product *p, const char *name)
{
	size_t n = strlen(p->library);
	return !strncmp(name, p->library, n) && name[n] == '.';
}

static bool check_number(const struct product *p, const char *name, const struct version *v,
			 const char *where, struct err *err)
{
	const char *number = number_of(p, name);
	char text[VERSION_TEXT];
	struct version lib;
	if (!v->n || !is_main(p, name) || !version_parse(number, strlen(number), &lib) ||
	    version_has_prefix(v, &lib) || version_has_prefix(&lib, v))
		return true;
	return err_set(err, ERR_INTEGRITY, "%s: its header says %s %s, its library is '%s'", where,
		       p->title, version_format(v, text, sizeof text), name);
}

/* What is no ELF file is left to who links it. */
static bool check_machine(int fd, const char *name, const char *arch, const char *where,
			  struct err *err)
{
	unsigned char head[20];
	if (io_pread_all(fd, head, sizeof head, 0) != sizeof head ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return true;
	unsigned machine = head[18] | (unsigned)head[19] << 8;
	unsigned want = !strcmp(arch, "x86_64") ? EM_X86_64 : EM_AARCH64;
	if (machine == want)
		return true;
	return err_set(err, ERR_HOST, "%s: '%s' is made for %s, not for %s", where, name,
		       machine == EM_X86_64    ? "x86_64"
		       : machine == EM_AARCH64 ? "arm64"
		       : machine == EM_PPC64   ? "ppc64le"
					       : "another processor",
		       arch);
}

/* The CUDA major in the name under which cuBLAS is loaded: "cublasLt.so.12". */
static void scan_cuda(int fd, struct version *out)
{
	static const char *const names[] = {"cublasLt.so.", "cublas.so."};
	struct stat st;
	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return;
	size_t n = (size_t)st.st_size;
	const char *data = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return;
	for (size_t i = 0; i < ARRAY_LEN(names) && !out->n; i++) {
		const char *p = data, *end = data + n;
		size_t len = strlen(names[i]);
		while (!out->n && (p = memmem(p, (size_t)(end - p), names[i], len))) {
			char number[3] = "";
			p += len;
			for (size_t k = 0; k < 2 && p + k < end && p[k] >= '0' && p[k] <= '9'; k++)
				number[k] = p[k];
			version_parse(number, strlen(number), out);
		}
	}
	munmap((void *)(uintptr_t)data, n);
}

struct look {
	const struct product *p;
	const char *arch, *where;
	bool scan, found;
	struct product_facts *facts;
};

static bool look_at(struct look *l, int dir, const char *name, struct err *err)
{
	if (!number_of(l->p, name))
		return true;
	if (!check_number(l->p, name, &l->facts->v, l->where, err))
		return false;
	autoclose int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno != ELOOP)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s' of %s", name, l->where);
	if (fd < 0)
		return true; /* a link: what it leads to is looked at by its own name */
	l->found = true;
	if (!check_machine(fd, name, l->arch, l->where, err))
		return false;
	if (l->scan && !l->facts->cuda.n)
		scan_cuda(fd, &l->facts->cuda);
	return true;
}

static bool look_in(struct look *l, const char *folder, struct err *err)
{
	autodir DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (!look_at(l, dirfd(d), e->d_name, err))
			return false;
	return true;
}

/* Old archives of some products keep the libraries of each CUDA major in a folder of its own. */
static bool look_in_majors(struct look *l, const char *lib, struct err *err)
{
	for (unsigned major = 10; major < 20 && !l->found; major++) {
		autofree char *folder = xasprintf("%s/%u", lib, major);
		if (!look_in(l, folder, err))
			return false;
	}
	return true;
}

bool product_inspect(const struct product *p, const char *tree, const char *arch, const char *where,
		     bool scan, struct product_facts *out, struct err *err)
{
	struct product_facts facts = {0};
	struct look l = {.p = p, .arch = arch, .where = where, .scan = scan, .facts = &facts};
	autofree char *lib = xasprintf("%s/lib", tree);
	if (!read_version(p, tree, where, !scan, &facts.v, err) || !look_in(&l, lib, err) ||
	    !look_in_majors(&l, lib, err))
		return false;
	if (!l.found)
		return err_set(err, ERR_INTEGRITY,
			       "%s has no library of %s (looked for 'lib/%s*.so*')", where,
			       p->title, p->library);
	*out = facts;
	return true;
}
