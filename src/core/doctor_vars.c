/* The variables by which build tools find a toolkit. */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "core/doctor_checks.h"
#include "core/toolkits.h"

void doctor_var_stale(struct doctor *d, const struct facts *f)
{
	for (const struct facts_var *v = f->vars; v < f->vars + f->n_vars; v++) {
		if (v->there)
			continue;
		doctor_find(d, DOCTOR_ERROR, "%s is '%s', where no toolkit is", v->name, v->value);
		doctor_remedy(d,
			      "unset %s, and look for it in your rc files and in /etc/environment",
			      v->name);
	}
}

static void name_var(struct buf *out, const struct facts_var *v)
{
	buf_addf(out, "%s%s says %s", out->len ? ", " : "", v->name,
		 v->release[0] ? v->release : v->value);
}

/* All of them and the selected version must be one; without one, they must be among themselves. */
void doctor_var_disagree(struct doctor *d, const struct facts *f)
{
	autobuf struct buf others = BUF_INIT(1 << 16);
	const struct facts_var *first = NULL;
	for (const struct facts_var *v = f->vars; v < f->vars + f->n_vars; v++) {
		if (!v->there)
			continue;
		first = first ? first : v;
		if (facts_version(f) ? !v->right : !scan_same(v->tree, first->tree)) {
			if (!facts_version(f) && !others.len)
				name_var(&others, first);
			name_var(&others, v);
		}
	}
	if (!others.len)
		return;
	doctor_find(d, DOCTOR_ERROR, "%s%s%s", buf_str(&others),
		    facts_version(f) ? ", but selected is " : "",
		    facts_version(f) ? f->sel.name : "");
	doctor_remedy(d, "take them out of your rc files: the hook and cudaenv exec set them all "
			 "to one toolkit");
}

/* One folder of a list that compilers or build tools search; true: it was told. */
static bool tell_foreign(struct doctor *d, const struct facts *f, const char *name,
			 const char *folder)
{
	char release[VERSION_TEXT];
	autofree char *tree = facts_tree_around(folder);
	if (!tree[0] || scan_same(tree, f->sel.prefix))
		return false;
	bool known = toolkit_release(tree, release);
	doctor_find(d, DOCTOR_WARNING, "%s names '%s'%s%s, but selected is %s", name, folder,
		    known ? " of CUDA " : ", which is another toolkit's", known ? release : "",
		    f->sel.name);
	doctor_remedy(d, "take it out of %s: rc files, a loaded module, or the container's image",
		      name);
	return true;
}

void doctor_var_lists(struct doctor *d, const struct facts *f)
{
	static const char *const lists[] = {"CPATH",
					    "C_INCLUDE_PATH",
					    "CPLUS_INCLUDE_PATH",
					    "LIBRARY_PATH",
					    "CMAKE_PREFIX_PATH",
					    "CMAKE_INCLUDE_PATH",
					    "CMAKE_LIBRARY_PATH",
					    "PKG_CONFIG_PATH"};
	for (size_t i = 0; facts_version(f) && i < ARRAY_LEN(lists); i++) {
		const char *list = getenv(lists[i]);
		for (size_t n; list && *list; list += n + (list[n] == ':')) {
			n = strcspn(list, ":");
			autofree char *folder = xstrndup(list, n);
			if (folder[0] == '/' && tell_foreign(d, f, lists[i], folder))
				break;
		}
	}
}
