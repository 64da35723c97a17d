/* The mirrors, where they were asked. */
#include "core/doctor_checks.h"

void doctor_net(struct doctor *d, const struct facts *f)
{
	size_t ok = 0;
	for (size_t i = 0; i < f->n_mirrors; i++)
		ok += f->mirrors[i].ok;
	for (const struct facts_mirror *m = f->mirrors; m < f->mirrors + f->n_mirrors; m++) {
		if (m->ok)
			continue;
		doctor_find(d, ok ? DOCTOR_WARNING : DOCTOR_ERROR, "mirror '%s': %s", m->shown,
			    m->why.msg);
		doctor_remedy(d, "%s",
			      m->why.hint[0] ? m->why.hint
					     : "cudaenv config set mirror URL; wheels from a "
					       "package index need no mirror");
	}
}
