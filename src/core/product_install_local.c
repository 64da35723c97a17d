#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "core/product_folder.h"
#include "core/product_install.h"
#include "core/pyurl.h"
#include "ext/digest.h"

enum { HEAD = 512 };

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), w = strlen(with);
	return n >= w && !strcmp(s + n - w, with);
}

/* What a browser saves when it was not logged in. */
static bool is_html(const char *head)
{
	static const char *const starts[] = {"<!doctype", "<html", "<?xml"};
	head += strspn(head, " \t\r\n\xef\xbb\xbf");
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncasecmp(head, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* By its first bytes, and for tar files in a packing by that: names lie. */
static bool judge(const char *path, enum archive_kind *kind, uint64_t *size, struct err *err)
{
	static const struct {
		const char *magic;
		size_t len;
		enum archive_kind kind;
	} kinds[] = {{"PK\3\4", 4, ARCHIVE_WHEEL},
		     {"\xfd"
		      "7zXZ",
		      5, ARCHIVE_REDIST},
		     {"\x1f\x8b", 2, ARCHIVE_REDIST},
		     {"BZh", 3, ARCHIVE_REDIST},
		     {"\x28\xb5\x2f\xfd", 4, ARCHIVE_REDIST}};
	char head[HEAD + 1];
	struct stat st;
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ptrdiff_t n = fd < 0 || fstat(fd, &st) < 0 ? -1 : io_pread_all(fd, head, HEAD, 0);
	if (n < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	head[n] = '\0';
	*size = (uint64_t)st.st_size;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((size_t)n > kinds[i].len && !memcmp(head, kinds[i].magic, kinds[i].len)) {
			*kind = kinds[i].kind;
			return true;
		}
	if (is_html(head)) {
		err_set(err, ERR_INTEGRITY,
			"'%s' is no archive: the server sent an HTML page (login needed?)", path);
		return err_hint(err, "download it anew with a browser that is logged in there");
	}
	return err_set(err, ERR_INTEGRITY, "'%s' is neither a tar archive nor a wheel", path);
}

/*
 * cudnn-linux-x86_64-8.9.2.26_cuda12-archive.tar.xz, cudnn-11.2-linux-x64-v8.1.1.33.tgz,
 * ..._cu12-...
 */
static void cuda_in_name(const char *name, const struct product *p, struct version *out)
{
	static const char *const marks[] = {"_cuda", "-cuda", "_cu", "-cu"};
	size_t n = strlen(p->name);
	out->n = 0;
	for (size_t i = 0; i < ARRAY_LEN(marks) && !out->n; i++) {
		const char *at = strstr(name, marks[i]);
		if (at) {
			at += strlen(marks[i]);
			version_parse(at, strspn(at, "0123456789."), out);
		}
	}
	if (!out->n && !strncmp(name, p->name, n) && name[n] == '-')
		version_parse(name + n + 1, strcspn(name + n + 1, "-"), out);
	/* "cudnn-9..." is a version, not a CUDA, unless the platform follows it. */
	if (out->n && out->part[0] > 99)
		out->n = 0;
}

static bool judge_folder(const struct product *p, const char *path, struct component *c,
			 struct err *err)
{
	autofolder struct product_folder f = {0};
	c->kind = ARCHIVE_FOLDER;
	if (!product_folder_read(&f, p, path, err) || !product_folder_digest(&f, c->sha256, err))
		return false;
	c->size = f.bytes;
	return true;
}

static bool judge_file(const char *path, struct component *c, struct err *err)
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "'%s' is neither a file nor a folder", path);
	if (!judge(path, &c->kind, &c->size, err) ||
	    !digest_file(DIGEST_SHA256, path, c->sha256, err))
		return false;
	return c->kind != ARCHIVE_WHEEL || ends(path, ".whl") ||
	       err_set(err, ERR_INTEGRITY, "'%s' is a zip archive, but not a wheel", path);
}

bool product_local(const struct product *p, const char *path, const char *arch, struct release *out,
		   struct version *cuda, struct err *err)
{
	struct release r = {.source = "archive"};
	struct component c = {0};
	autofree char *real = realpath(path, NULL);
	struct stat st;
	if (!real || stat(real, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode) ? !judge_folder(p, real, &c, err) : !judge_file(real, &c, err))
		return false;
	c.hashed = c.unverified = true;
	autofree char *url = pyurl_from_path(real);
	c.name = xstrdup(p->name);
	c.package = xstrdup(p->name);
	c.version = xstrdup("");
	c.file = xstrdup(path_base(real));
	strlist_add(&c.urls, url);
	cuda_in_name(c.file, p, cuda);
	snprintf(r.arch, sizeof r.arch, "%s", arch);
	r.manifest = xstrdup(c.file);
	memcpy(r.manifest_sha256, c.sha256, sizeof r.manifest_sha256);
	release_take(&r, &c);
	*out = r;
	return true;
}
