#include "core/prefix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/path.h"
#include "core/merge.h"
#include "core/prefix_parts.h"
#include "core/store.h"

enum { PROFILE_MAX = 1 << 16 };

/* "13.0" of "13.0.2". */
static void shorten(const char *label, char *out, size_t cap)
{
	size_t n = strcspn(label, ".");
	if (label[n])
		n += 1 + strcspn(label + n + 1, ".");
	snprintf(out, cap, "%.*s", (int)n, label);
}

static bool open_staging(struct prefix *p, struct err *err)
{
	p->root = open(p->staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* A root may be shared with users whom the umask would keep out. */
	if (p->root < 0 || fchmod(p->root, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", p->staging);
	return true;
}

static bool merge_all(struct prefix *p, const struct layout *l, struct err *err)
{
	const struct release *r = p->release;
	struct merge_source *sources = xcalloc(r->n, sizeof *sources);
	bool ok = true;
	for (size_t i = 0; i < r->n; i++)
		sources[i] = (struct merge_source){r->components[i].name,
						   store_tree(l, r->components[i].sha256)};
	for (size_t i = 0; ok && i < r->n; i++)
		ok = merge_tree(sources, i, p->root, err);
	for (size_t i = 0; i < r->n; i++)
		free(sources[i].tree);
	free(sources);
	return ok;
}

static bool link_targets(struct prefix *p, struct err *err)
{
	autofree char *lib = xasprintf("targets/%s/lib", p->target);
	autofree char *include = xasprintf("targets/%s/include", p->target);
	p->lib = prefix_folder(p, lib, err);
	if (p->lib < 0)
		return false;
	p->include = prefix_folder(p, include, err);
	return p->include >= 0 && prefix_link(p->root, include, "include", err) &&
	       prefix_link(p->root, lib, "lib64", err) && prefix_link(p->root, lib, "lib", err);
}

const char prefix_nvcc_profile[] =
	"\n"
	"TOP              = $(_HERE_)/..\n"
	"\n"
	"NVVMIR_LIBRARY_DIR = $(TOP)/$(_NVVM_BRANCH_)/libdevice\n"
	"\n"
	"LD_LIBRARY_PATH += $(TOP)/lib:\n"
	"PATH            += $(TOP)/$(_NVVM_BRANCH_)/bin:$(_HERE_):\n"
	"\n"
	"INCLUDES        +=  \"-I$(TOP)/$(_TARGET_DIR_)/include\" $(_SPACE_)\n"
	"\n"
	"LIBRARIES        =+ $(_SPACE_) \"-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)/stubs\" "
	"\"-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)\"\n"
	"\n"
	"CUDAFE_FLAGS    +=\n"
	"PTXAS_FLAGS     +=\n";

static bool from_debian(const struct prefix *p)
{
	const struct release *r = p->release;
	for (size_t i = 0; i < r->n; i++)
		if (r->components[i].kind == ARCHIVE_DEB)
			return true;
	return r->source && !strcmp(r->source, source_deb.name);
}

/* What hostcc may change must not be the store's own file. */
static bool own_profile(struct prefix *p, struct err *err)
{
	autobuf struct buf text = BUF_INIT(PROFILE_MAX);
	autoclose int bin = prefix_open(p, "bin");
	if (bin < 0 || !prefix_has(bin, "nvcc.profile"))
		return bin < 0 || !prefix_has(bin, "nvcc") || !from_debian(p) ||
		       prefix_write(bin, "nvcc.profile", prefix_nvcc_profile,
				    sizeof prefix_nvcc_profile - 1, 0644, err);
	return prefix_read(bin, "nvcc.profile", &text, err) &&
	       prefix_write(bin, "nvcc.profile", buf_str(&text), text.len, 0644, err);
}

bool prefix_assemble(const struct layout *l, const struct release *r, const char *staging,
		     const char *final, const struct events *ev, struct err *err)
{
	struct prefix p = {.release = r,
			   .staging = staging,
			   .final = final,
			   .root = -1,
			   .lib = -1,
			   .include = -1,
			   .events = ev};
	snprintf(p.target, sizeof p.target, "%s-linux", r->arch);
	shorten(r->label, p.short_version, sizeof p.short_version);

	bool ok = open_staging(&p, err) && merge_all(&p, l, err) && link_targets(&p, err) &&
		  own_profile(&p, err) && prefix_libs(&p, err) && prefix_stubs(&p, err) &&
		  prefix_pkgconfig(&p, err) && prefix_version(&p, err) && prefix_tools(&p, err) &&
		  intr_check(err);
	int fds[] = {p.root, p.lib, p.include};
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return ok;
}
