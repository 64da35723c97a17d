#include "core/local_file.h"

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
#include "base/version.h"
#include "core/bundle_tar.h"
#include "core/debname.h"
#include "core/debver.h"
#include "core/pyurl.h"
#include "core/wheelname.h"
#include "core/wheelpkg.h"

enum { HEAD = 64 };

static bool unknown(const char *path, struct err *err, const char *why)
{
	err_set(err, ERR_USAGE, "cannot install from '%s': %s", path, why);
	return err_hint(err, "it takes NVIDIA's component archives, wheels, conda packages, .deb "
			     "files and runfiles, a folder of them, or a bundle");
}

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);
	return n > k && !strcmp(name + n - k, with);
}

/* The part of name up to and behind the first `mark`. */
static bool split(const char *name, const char *mark, char **before, const char **after)
{
	const char *at = strstr(name, mark);
	if (!at || at == name)
		return false;
	*before = xstrndup(name, (size_t)(at - name));
	*after = at + strlen(mark);
	return true;
}

/* cuda_nvcc-linux-x86_64-12.4.131-archive.tar.xz */
static bool name_redist(const char *path, const char *file, const char *arch, struct local_file *f,
			struct err *err)
{
	const char *rest = NULL;
	if (!ends(file, "-archive.tar.xz") || !split(file, "-linux-", &f->c.name, &rest))
		return unknown(path, err, "a packed tar, and its name is not of NVIDIA's archives");
	size_t n = strcspn(rest, "-");
	if (strncmp(rest, "all-", 4) != 0 && (strlen(arch) != n || strncmp(rest, arch, n) != 0))
		return unknown(path, err, "it is for another architecture");
	rest += n + 1;
	f->c.kind = ARCHIVE_REDIST;
	f->c.package = xstrdup(f->c.name);
	f->c.version = xstrndup(rest, strcspn(rest, "_-"));
	return true;
}

/* cuda-nvcc-12.4.131-0.tar.bz2, cuda-nvcc-tools-12.9.86-he02047a_0.conda */
static bool name_conda(const char *path, const char *file, struct local_file *f, struct err *err)
{
	size_t n = strlen(file) - (ends(file, ".conda") ? 6 : 8);
	autofree char *stem = xstrndup(file, n);
	char *build = strrchr(stem, '-');
	if (build)
		*build = '\0';
	char *version = build ? strrchr(stem, '-') : NULL;
	if (!version || version == stem)
		return unknown(path, err, "its name is not NAME-VERSION-BUILD, as conda's are");
	*version++ = '\0';
	f->c.kind = ARCHIVE_CONDA;
	f->c.package = xstrdup(stem);
	f->c.name = xstrdup(stem);
	f->c.version = xstrdup(version);
	for (char *s = f->c.name; *s; s++)
		if (*s == '-')
			*s = '_';
	return true;
}

static bool name_wheel(const char *path, const char *file, const char *arch, struct local_file *f,
		       struct err *err)
{
	struct wheelname w;
	struct version none = {0};
	bool fits = false;
	if (!wheelname_parse(file, arch, &w, &fits))
		return unknown(path, err, "a zip archive, and its name is not a wheel's");
	if (!fits)
		return unknown(path, err, "it is a wheel for another platform");
	version_parse(w.version, strspn(w.version, "0123456789."), &none);
	f->c.kind = ARCHIVE_WHEEL;
	f->c.package = xstrdup(w.project);
	f->c.name = wheelpkg_component(w.project, &none);
	f->c.version = xstrdup(w.version);
	return true;
}

/* nvidia-cuda-toolkit_11.8.89~11.8.0-5~deb12u1_amd64.deb */
static bool name_deb(const char *path, const char *file, const char *arch, struct local_file *f,
		     struct err *err)
{
	const char *made_for = !strcmp(arch, "x86_64") ? "_amd64.deb" : "_arm64.deb";
	const char *rest = NULL;
	if (!ends(file, ".deb") || !split(file, "_", &f->c.package, &rest))
		return unknown(path, err, "its name is not NAME_VERSION_ARCHITECTURE.deb");
	if (!ends(file, made_for) && !ends(file, "_all.deb"))
		return unknown(path, err, "it is for another architecture");
	autofree char *version = xstrndup(rest, strcspn(rest, "_"));
	f->c.kind = ARCHIVE_DEB;
	f->c.name = debname_component(f->c.package);
	f->c.version = debver_own(version);
	/* Without '~' it is the component's own number. */
	if (strchr(version, '~') && !debver_release(version, f->label, sizeof f->label))
		f->label[0] = '\0';
	return true;
}

/* cuda_11.2.2_460.32.03_linux.run */
static bool name_runfile(const char *file, struct local_file *f)
{
	const char *number = !strncmp(file, "cuda_", 5) ? file + 5 : "";
	size_t n = strspn(number, "0123456789.");
	f->c.kind = ARCHIVE_RUNFILE;
	f->c.name = xstrdup("cuda_toolkit");
	f->c.package = xstrdup(file);
	if (n && n < sizeof f->label && number[n] == '_')
		snprintf(f->label, sizeof f->label, "%.*s", (int)n, number);
	f->c.version = xstrdup(f->label);
	return true;
}

static bool by_content(const char *path, const char *head, const char *arch, struct local_file *f,
		       struct err *err)
{
	const char *file = path_base(path);
	const char *text = head + strspn(head, " \t\r\n");
	if (!strncmp(head, "#!", 2))
		return name_runfile(file, f);
	if (!memcmp(head, "PK\3\4", 4))
		return ends(file, ".conda") ? name_conda(path, file, f, err)
					    : name_wheel(path, file, arch, f, err);
	if (!memcmp(head, "!<arch>\n", 8))
		return name_deb(path, file, arch, f, err);
	if (!memcmp(head, "BZh", 3) && ends(file, ".tar.bz2"))
		return name_conda(path, file, f, err);
	if (!memcmp(head,
		    "\xfd"
		    "7zXZ",
		    5))
		return name_redist(path, file, arch, f, err);
	if (!strncasecmp(text, "<!doctype", 9) || !strncasecmp(text, "<html", 5)) {
		err_set(err, ERR_INTEGRITY, "'%s' is an HTML page, not an archive", path);
		return err_hint(err, "a login page, most likely: download the file once more");
	}
	if (bundle_is(path))
		return unknown(path, err, "a bundle is taken alone");
	return unknown(path, err, "its content is none of a known kind");
}

bool local_file_read(const char *path, const char *arch, struct local_file *f, struct err *err)
{
	char head[HEAD + 1] = "";
	struct stat st;
	autofree char *real = realpath(path, NULL);
	struct local_file found = {0};
	autoclose int fd = real ? open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, ERR_USAGE, "cannot install from '%s'", path);
	if (!S_ISREG(st.st_mode))
		return unknown(path, err, "it is no file");
	if (io_pread_all(fd, head, HEAD, 0) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	found.c.size = (uint64_t)st.st_size;
	if (!by_content(path, head, arch, &found, err)) {
		component_clear(&found.c);
		return false;
	}
	autofree char *url = pyurl_from_path(real);
	found.c.file = xstrdup(path_base(path));
	strlist_add(&found.c.urls, url);
	*f = found;
	return true;
}
