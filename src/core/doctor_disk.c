/* Room where versions go. */
#include "core/doctor_checks.h"

/* Archives, what is unpacked of them, and some: a minimal 13.x needs 0.8 GB, a default one 7. */
#define GB 1000000000ull

void doctor_disk(struct doctor *d, const struct facts *f)
{
	if (f->disk_free >= 8 * GB)
		return;
	doctor_find(d, f->disk_free < GB ? DOCTOR_ERROR : DOCTOR_WARNING,
		    "%llu MB are free in '%s'; a version needs 1 to 8 GB",
		    (unsigned long long)(f->disk_free / 1000000), f->layout->root);
	doctor_remedy(d, "cudaenv prune and cudaenv cache clear give back what no version uses");
}
