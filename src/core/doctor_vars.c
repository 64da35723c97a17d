/* The variables by which build tools find a toolkit. */
#include <string.h>

#include "base/scan.h"
#include "core/doctor_checks.h"

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
