/* /usr/local/cuda and the links of the root. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scan.h"
#include "core/doctor_checks.h"
#include "core/toolkits.h"

static const char system_link[] = "/usr/local/cuda";

/* Where the link leads, its text in out. false: it is none. */
static bool read_link(const char *path, char out[PATH_MAX])
{
	ssize_t n = readlink(path, out, PATH_MAX - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool dangles(const char *path, char target[PATH_MAX])
{
	struct stat st;
	return read_link(path, target) && stat(path, &st) < 0 && errno == ENOENT;
}

void doctor_link_dangling(struct doctor *d, const struct facts *f)
{
	char target[PATH_MAX];
	autofree char *system = xasprintf("%s%s", f->at.root, system_link);
	autotoolkits struct toolkits all = {0};
	struct err ignored;
	if (dangles(system, target)) {
		doctor_find(d, DOCTOR_ERROR, "'%s' leads to '%s', which is not there", system_link,
			    target);
		doctor_remedy(d, "sudo cudaenv system-link %s, or remove the link",
			      facts_version(f) ? f->sel.name : "VERSION");
	}
	if (!toolkits_read(&all, f->layout, &ignored))
		return;
	for (size_t i = 0; i < all.n; i++) {
		if (!all.items[i].dangling)
			continue;
		doctor_find(d, DOCTOR_ERROR, "version '%s' leads to '%s', which is not there",
			    all.items[i].name, all.items[i].target);
		doctor_remedy(d, "cudaenv unlink %s", all.items[i].name);
	}
}

/* update-alternatives: /usr/local/cuda -> /etc/alternatives/cuda -> the toolkit. */
void doctor_link_alternatives(struct doctor *d, const struct facts *f)
{
	char target[PATH_MAX], real[PATH_MAX], release[VERSION_TEXT];
	autofree char *system = xasprintf("%s%s", f->at.root, system_link);
	autofree char *alternative = xasprintf("%s/etc/alternatives/cuda", f->at.root);
	if (!read_link(system, target) || !strstr(target, "/etc/alternatives/") ||
	    !read_link(alternative, target))
		return;
	bool other = facts_version(f) && !scan_same(alternative, f->sel.prefix);
	if (!realpath(alternative, real) || !toolkit_release(real, release))
		release[0] = '\0';
	doctor_find(d, other ? DOCTOR_WARNING : DOCTOR_NOTE,
		    "'%s' belongs to update-alternatives and leads to '%s'%s%s%s", system_link,
		    target, release[0] ? " (" : "", release, release[0] ? ")" : "");
	if (other)
		doctor_remedy(
			d, "sudo cudaenv system-link %s, or sudo update-alternatives --config cuda",
			f->sel.name);
	else
		doctor_remedy(
			d, "nothing; cudaenv system-link goes through update-alternatives as well");
}
