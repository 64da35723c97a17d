#include "core/install.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/attr.h"
#include "base/intr.h"
#include "base/tree.h"
#include "core/plan.h"
#include "core/prefix.h"
#include "core/record.h"
#include "core/store_fill.h"

/* Room that is left alone, and covers folders, links and records. */
#define SPACE_SLACK (32ull << 20)

bool install_prepare(const struct layout *l, struct err *err)
{
	static const char *const subs[] = {"versions", "store", "cache", "shims"};
	autofree char *staging = xasprintf("%s/staging", l->root);
	for (size_t i = 0; i < ARRAY_LEN(subs); i++) {
		autofree char *p = xasprintf("%s/%s", l->root, subs[i]);
		if (!tree_mkdirs(p, err))
			return false;
	}
	return tree_remove(staging, err) && tree_mkdirs(staging, err);
}

static double gib(uint64_t bytes)
{
	return (double)bytes / (1 << 30);
}

static bool room_for(const char *dir, uint64_t need, struct err *err)
{
	struct statvfs v;
	if (statvfs(dir, &v) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot ask for free space of '%s'", dir);
	uint64_t have = (uint64_t)v.f_bavail * v.f_frsize;
	if (have >= need)
		return true;
	err_set(err, ERR_FILESYSTEM, "not enough space in '%s': %.2f GiB needed, %.2f GiB free",
		dir, gib(need), gib(have));
	return err_hint(err,
			"free some ('cudaenv cache clear' helps), take a smaller --profile, or set "
			"CUDAENV_ROOT to another disk");
}

static bool check_space(const struct plan *p, const struct layout *l, const char *cache_dir,
			struct err *err)
{
	struct stat a, b;
	uint64_t root_need = p->unpacked + SPACE_SLACK;
	if (stat(l->root, &a) == 0 && stat(cache_dir, &b) == 0 && a.st_dev == b.st_dev)
		return room_for(l->root, root_need + p->fetch, err);
	return room_for(l->root, root_need, err) &&
	       (!p->fetch || room_for(cache_dir, p->fetch, err));
}

/* A runfile is a whole toolkit in one. */
static bool has_nvcc(const struct release *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->components[i].name, "cuda_nvcc") ||
		    r->components[i].kind == ARCHIVE_RUNFILE)
			return true;
	return false;
}

static bool prove(const char *staging, const char *final, const struct release *r,
		  const struct install_opts *o, const struct events *ev, struct verdict *v,
		  struct err *err)
{
	if (!has_nvcc(r)) {
		*v = (struct verdict){.word = "files-ok",
				      .level = "files",
				      .detail = "no nvcc among the chosen components"};
		return true;
	}
	event_step(ev, "prove %s (%s)", r->label, probe_level_name(o->level));
	const struct probe_opts opts = {.level = o->level, .ours = true};
	if (!probe_run(staging, final, &opts, ev, v, err))
		return false;
	if (o->partial || strcmp(v->word, "tree-incomplete") != 0)
		return true;
	err_set(err, ERR_VERIFY, "%s is not whole: %s", r->label, v->detail);
	return err_hint(err, "%s", v->hint[0] ? v->hint : "take another source or profile");
}

static bool write_record(const char *staging, const struct release *r, const struct install_opts *o,
			 struct err *err)
{
	struct record rec = {.release = *r};
	size_t n = strlen(o->profile);
	memcpy(rec.profile, o->profile, n < sizeof rec.profile ? n : sizeof rec.profile - 1);
	return record_write(staging, &rec, err);
}

bool install_publish(const char *staging, const char *final, struct err *err)
{
	bool exchanged;
	return atomic_publish(staging, final, &exchanged, err) &&
	       (!exchanged || tree_remove(staging, err));
}

/* What is published by a rename cannot be on another file system. */
static bool failed(const struct layout *l, struct err *err)
{
	if (err->sys == EXDEV)
		err_hint(err, "staging, store and versions of '%s' must be on one file system",
			 l->root);
	return false;
}

bool install_fetch(const struct layout *l, const struct config *cfg, const struct release *r,
		   const struct events *ev, struct err *err)
{
	const char *cache_dir = config_get(cfg, CONFIG_CACHE_DIR);
	struct plan plan;
	if (!tree_mkdirs(cache_dir, err))
		return false;
	plan_make(&plan, l, cache_dir, r);
	bool ok = check_space(&plan, l, cache_dir, err) && store_fill(l, cfg, r, &plan, ev, err);
	plan_clear(&plan);
	return ok || failed(l, err);
}

bool install_release(const struct layout *l, const struct config *cfg, const struct release *r,
		     const struct install_opts *o, const struct events *ev, struct verdict *v,
		     struct err *err)
{
	const char *name = o->name ? o->name : r->label;
	autofree char *staging = xasprintf("%s/staging/%s.%ld", l->root, name, (long)getpid());
	autofree char *final = xasprintf("%s/versions/%s", l->root, name);

	if (!install_prepare(l, err) || !install_fetch(l, cfg, r, ev, err) || !intr_check(err) ||
	    !tree_mkdirs(staging, err))
		return false;

	event_step(ev, "assemble %s", name);
	bool ok = prefix_assemble(l, r, staging, final, ev, err) &&
		  prove(staging, final, r, o, ev, v, err) && verdict_write(staging, v, err) &&
		  write_record(staging, r, o, err) && intr_check(err) &&
		  install_publish(staging, final, err);
	if (!ok) {
		struct err second;
		if (!tree_remove(staging, &second))
			event_warn(ev, NULL, "%s", second.msg);
		return failed(l, err);
	}
	event_emit(ev, &(struct event){.kind = EVENT_DONE, .name = name, .text = final});
	event_emit(ev, &(struct event){.kind = EVENT_VERDICT,
				       .name = name,
				       .text = v->word,
				       .detail = v->detail});
	return true;
}
