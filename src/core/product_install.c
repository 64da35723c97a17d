#include "core/product_install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/intr.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/install.h"
#include "core/merge.h"
#include "core/prefix_parts.h"
#include "core/product_source.h"
#include "core/product_tree.h"
#include "core/record.h"
#include "core/store.h"

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Where the store keeps include/ and lib/ of the archive. */
static char *unpacked(const struct layout *l, const struct release *r)
{
	autofree char *tree = store_tree(l, r->components[0].sha256);
	return xasprintf("%s/targets/%s-linux", tree, r->arch);
}

/* The label says the version that was asked for; the archive must have it. */
static bool check_label(const struct product *p, const struct release *r,
			const struct product_facts *f, const char *where, struct err *err)
{
	char text[VERSION_TEXT];
	struct version v;
	size_t n = strcspn(r->label, "-");
	if (!f->v.n || !version_parse(r->label, n, &v) || version_has_prefix(&f->v, &v) ||
	    version_has_prefix(&v, &f->v))
		return true;
	return err_set(err, ERR_INTEGRITY, "%s was to be %s %.*s, but its header says %s", where,
		       p->title, (int)n, r->label, version_format(&f->v, text, sizeof text));
}

static bool make_label(const struct product *p, struct release *r, const struct product_facts *f,
		       const struct version *cuda, const char *where, const struct events *ev,
		       struct err *err)
{
	char text[VERSION_TEXT], other[VERSION_TEXT];
	if (!f->v.n)
		return err_set(err, ERR_INTEGRITY, "%s: no version of %s in it", where, p->title);
	if (!f->cuda.n && (!cuda || !cuda->n)) {
		err_set(err, ERR_USAGE, "%s does not say for which CUDA it is", where);
		return err_hint(err, "say it: --cuda 12");
	}
	bool agree = cuda && cuda->n && (!f->cuda.n || cuda->part[0] == f->cuda.part[0]);
	if (!agree && cuda && cuda->n)
		event_warn(ev, NULL, "%s is made for CUDA %s, as its libraries say, not for %s",
			   where, version_format(&f->cuda, text, sizeof text),
			   version_format(cuda, other, sizeof other));
	version_format(&f->v, text, sizeof text);
	/* The name has the minor of old ones, which libraries do not say. */
	product_label(r->label, text, agree ? cuda : &f->cuda);
	free(r->components[0].version);
	r->components[0].version = xstrdup(text);
	return true;
}

static bool inspect(const struct layout *l, const struct product *p, struct release *r,
		    const struct version *cuda, const struct events *ev, struct err *err)
{
	struct product_facts facts;
	autofree char *tree = unpacked(l, r);
	autofree char *where = xasprintf("'%s'", r->components[0].file);
	bool unknown = !r->label[0];
	return product_inspect(p, tree, r->arch, where, unknown, &facts, err) &&
	       (unknown ? make_label(p, r, &facts, cuda, where, ev, err)
			: check_label(p, r, &facts, where, err));
}

/* The folder `sub` of a store's tree into the open folder; one that is not there is fine. */
static bool merge_folder(const struct product *p, char *tree, int to, struct err *err)
{
	struct merge_source source = {p->name, tree};
	return access(tree, F_OK) < 0 || merge_tree(&source, 0, to, err);
}

/* "11" and "10.2" of lib/11 and lib/10.2. */
static void find_majors(int lib, struct strlist *out)
{
	autostrlist struct strlist names = {0};
	struct version v;
	prefix_names(lib, "", "", &names);
	for (size_t i = 0; i < names.n; i++)
		if (version_parse(names.items[i], strlen(names.items[i]), &v))
			strlist_add(out, names.items[i]);
}

/* Libraries for one CUDA that old archives keep apart: lib/12/libcutensor.so. */
static bool merge_major(const struct product *p, const struct release *r, const char *tree, int lib,
			struct err *err)
{
	autostrlist struct strlist have = {0};
	const char *cuda = strstr(r->label, "-cuda") + strlen("-cuda");
	autofree char *major = xstrndup(cuda, strcspn(cuda, "."));
	autofree char *so = xasprintf("%s.so", p->library);
	find_majors(lib, &have);
	if (!have.n || prefix_has(lib, so))
		return true;
	const char *use = strlist_has(&have, cuda) ? cuda : major;
	autofree char *folder = xasprintf("%s/lib/%s", tree, use);
	if (strlist_has(&have, use))
		return merge_folder(p, folder, lib, err);
	return err_set(err, ERR_NO_VERSION,
		       "'%s' has no libraries of %s for CUDA %s, the newest are for %s",
		       r->components[0].file, p->title, cuda, have.items[have.n - 1]);
}

static bool assemble(const struct layout *l, const struct product *p, const struct release *r,
		     const char *staging, struct err *err)
{
	const struct component *c = &r->components[0];
	autofree char *tree = unpacked(l, r), *store = store_tree(l, c->sha256);
	autofree char *terms = xasprintf("%s/licenses/%s", store, c->name);
	autofree char *more = xasprintf("%s/extras/%s", store, c->name);
	autofree char *lib_path = xasprintf("%s/lib", staging);
	struct record rec = {.release = *r, .profile = "product"};
	if (!tree_mkdirs(staging, err))
		return false;
	autoclose int root = open(staging, FOLDER);
	if (root < 0 || fchmod(root, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", staging);
	if (!merge_folder(p, tree, root, err) || !merge_folder(p, terms, root, err) ||
	    !merge_folder(p, more, root, err))
		return false;
	autoclose int lib = open(lib_path, FOLDER);
	if (lib < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", lib_path);
	return merge_major(p, r, tree, lib, err) && prefix_link_libs(lib, err) &&
	       prefix_link(root, "lib", "lib64", err) && record_write(staging, &rec, err);
}

/* What an archive that is refused left in the store, when nothing else has it. */
static void drop(const struct layout *l, const char *sha256, const struct events *ev)
{
	uint64_t freed = 0;
	struct err err;
	if (store_has(l, sha256) && !store_remove(l, sha256, &freed, &err))
		event_debug(ev, "%s", err.msg);
}

bool product_install(const struct layout *l, const struct config *cfg, const struct product *p,
		     struct release *r, const struct version *cuda, const struct events *ev,
		     struct err *err)
{
	autofree char *folder = xasprintf("%s/%s", l->root, p->name);
	const char *sha256 = r->components[0].sha256;
	if (!install_prepare(l, err) || !tree_mkdirs(folder, err))
		return false;
	bool had = store_has(l, sha256);
	if (!install_fetch(l, cfg, r, ev, err) || !intr_check(err))
		return false;
	if (!inspect(l, p, r, cuda, ev, err)) {
		if (!had)
			drop(l, sha256, ev);
		return false;
	}
	autofree char *final = xasprintf("%s/%s", folder, r->label);
	autofree char *staging =
		xasprintf("%s/staging/%s-%s.%ld", l->root, p->name, r->label, (long)getpid());
	event_step(ev, "assemble %s %s", p->title, r->label);
	if (!assemble(l, p, r, staging, err) || !intr_check(err) ||
	    !install_publish(staging, final, err)) {
		struct err second;
		if (!tree_remove(staging, &second))
			event_warn(ev, NULL, "%s", second.msg);
		return false;
	}
	autofree char *name = xasprintf("%s %s", p->name, r->label);
	event_emit(ev, &(struct event){.kind = EVENT_DONE, .name = name, .text = final});
	return true;
}

bool product_uninstall(const struct layout *l, const struct product *p, const char *name,
		       uint64_t *freed, struct err *err)
{
	struct stat st;
	struct tree_use use = {0};
	uint64_t collected = 0;
	if (!path_safe_component(name))
		return err_set(err, ERR_USAGE, "'%s' is no version of %s", name, p->title);
	autofree char *prefix = xasprintf("%s/%s/%s", l->root, p->name, name);
	autofree char *staging = xasprintf("%s/staging", l->root);
	autofree char *trash =
		xasprintf("%s/remove.%ld.%s-%s", staging, (long)getpid(), p->name, name);
	if (lstat(prefix, &st) < 0 || !S_ISDIR(st.st_mode)) {
		err_set(err, ERR_NOT_INSTALLED, "%s '%s' is not installed", p->title, name);
		return err_hint(err, "see 'cudaenv %s'",
				!strcmp(p->name, "cudnn") ? "cudnn list" : "product list");
	}
	if (!tree_usage(prefix, &use, err) || !tree_mkdirs(staging, err))
		return false;
	if (!atomic_remove(prefix, trash, err) || !store_collect(l, &collected, err))
		return false;
	*freed = use.bytes - use.shared + collected;
	return true;
}
