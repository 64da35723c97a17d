/* Which nvcc a shell takes. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "core/doctor_checks.h"

static const struct facts_nvcc *winner(const struct facts *f)
{
	return f->n_nvccs ? &f->nvccs[0] : NULL;
}

/* The first that leads to the selected version; NULL: none does. */
static const struct facts_nvcc *wanted(const struct facts *f)
{
	for (size_t i = 0; i < f->n_nvccs; i++)
		if (f->nvccs[i].right)
			return &f->nvccs[i];
	return NULL;
}

static bool wrong(const struct facts *f)
{
	return facts_version(f) && (!winner(f) || !winner(f)->right);
}

static const char *words(const struct facts_nvcc *n)
{
	return n->release[0] ? n->release : "unknown release";
}

static void tell_err(struct doctor *d, const struct err *why, const char *remedy)
{
	doctor_find(d, DOCTOR_ERROR, "%s", why->msg);
	doctor_remedy(d, "%s", why->hint[0] ? why->hint : remedy);
}

void doctor_not_selected(struct doctor *d, const struct facts *f)
{
	if (!f->resolved)
		tell_err(d, &f->why, "cudaenv versions shows what is installed");
	else if (f->cudnn_why.code)
		tell_err(d, &f->cudnn_why, "cudaenv cudnn list shows what is installed");
}

/* conda's folder is put first by each `conda activate`. */
void doctor_conda(struct doctor *d, const struct facts *f)
{
	const char *conda = getenv("CONDA_PREFIX");
	size_t n = conda ? strlen(conda) : 0;
	if (!n || !wrong(f) || !winner(f) || strncmp(winner(f)->path, conda, n) != 0 ||
	    winner(f)->path[n] != '/')
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "the conda environment '%s' is first on PATH, so its nvcc (%s) wins over %s",
		    conda, words(winner(f)), f->sel.name);
	doctor_remedy(d,
		      "conda deactivate; or cudaenv link conda %s && cudaenv local conda, to have "
		      "that one",
		      conda);
}

/* sudo has a PATH of its own (secure_path), and often another HOME. */
void doctor_sudo(struct doctor *d, const struct facts *f)
{
	const char *user = getenv("SUDO_USER");
	if (!user || !user[0] ||
	    (f->n_nvccs && (winner(f)->shim || (facts_version(f) && winner(f)->right))))
		return;
	doctor_find(d, DOCTOR_WARNING,
		    "sudo put a PATH of its own in place of %s's, without the shims", user);
	doctor_remedy(d, "sudo env PATH=\"$PATH\" CUDAENV_ROOT=\"$(cudaenv root)\" COMMAND, as %s",
		      user);
}

void doctor_path_shim_late(struct doctor *d, const struct facts *f)
{
	const struct facts_nvcc *first = winner(f), *ours = wanted(f);
	if (!wrong(f) || doctor_found(d, "CONDA_IN_FRONT") || doctor_found(d, "SUDO_PATH"))
		return;
	if (!first) {
		doctor_find(d, DOCTOR_WARNING, "no nvcc is on PATH: neither '%s/shims' nor %s",
			    f->layout->root, f->sel.name);
		doctor_remedy(d, "cudaenv init bash --install (or zsh, fish), and a new shell");
	} else if (ours) {
		doctor_find(d, DOCTOR_ERROR,
			    "'%s' (%s) stands before '%s' on PATH and wins over %s", first->path,
			    words(first), ours->path, f->sel.name);
		doctor_remedy(d, "set PATH's other folders before the line that 'cudaenv init' put "
				 "into your rc file");
	}
}

void doctor_path_foreign(struct doctor *d, const struct facts *f)
{
	const struct facts_nvcc *first = winner(f);
	if (!first || !facts_version(f) || doctor_found(d, "CONDA_IN_FRONT"))
		return;
	if (!first->right && !wanted(f)) {
		doctor_find(d, DOCTOR_ERROR,
			    "nvcc is '%s' (%s), but %s is selected and not on PATH", first->path,
			    words(first), f->sel.name);
		doctor_remedy(d, "cudaenv init bash --install (or zsh, fish), and a new shell; or "
				 "cudaenv exec nvcc");
		return;
	}
	size_t others = 0;
	const struct facts_nvcc *other = NULL;
	for (size_t i = 1; first->right && i < f->n_nvccs; i++)
		if (!f->nvccs[i].right) {
			other = other ? other : &f->nvccs[i];
			others++;
		}
	if (!other)
		return;
	doctor_find(d, DOCTOR_NOTE,
		    "%zu other nvcc on PATH behind the selected one, '%s' (%s) first", others,
		    other->path, words(other));
	doctor_remedy(
		d,
		"nothing, while %s stands first; an open shell forgets the old place with hash -r",
		first->shim ? "the shim" : f->sel.name);
}

/* Folders of one toolkit twice, or of two versions of ours. */
void doctor_path_duplicate(struct doctor *d, const struct facts *f)
{
	const char *seen = NULL;
	size_t seen_len = 0;
	const char *p = getenv("PATH");
	for (size_t n; p && *p; p += n + (p[n] == ':')) {
		autofree char *folder = xstrndup(p, n = strcspn(p, ":"));
		autofree char *versions = xasprintf("%s/versions/", f->layout->root);
		autofree char *shims = xasprintf("%s/shims", f->layout->root);
		bool ours = !strncmp(folder, versions, strlen(versions)) || !strcmp(folder, shims);
		if (!ours || !strcmp(folder, shims))
			continue;
		if (!seen) {
			seen = p;
			seen_len = n;
			continue;
		}
		bool same = n == seen_len && !memcmp(seen, p, n);
		doctor_find(d, DOCTOR_WARNING, "PATH has '%.*s'%s '%s'", (int)seen_len, seen,
			    same ? " twice:" : " and behind it that of another version,", folder);
		doctor_remedy(d, "leave PATH to the hook: take these lines out of your rc file");
		return;
	}
}
