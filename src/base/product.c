#include "base/product.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/pinfile.h"
#include "base/scan.h"

static const char built_for[] = "-cuda";

bool product_name_parse(const char *name, struct product_name *out)
{
	const char *mark = strstr(name, built_for);
	if (!mark || strlen(name) >= VERSION_TEXT)
		return false;
	const char *cuda = mark + sizeof built_for - 1;
	return version_parse(name, (size_t)(mark - name), &out->v) &&
	       version_parse(cuda, strlen(cuda), &out->cuda);
}

bool product_fits(const struct version *built, const struct version *cuda)
{
	if (built->part[0] >= 11)
		return built->part[0] == cuda->part[0];
	return version_has_prefix(cuda, built) || version_has_prefix(built, cuda);
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* libcudart.so.12, libcudart.so.11.0 for all of 11.x, libcudart.so.10.2 */
static bool on_library(void *ctx, const char *name, unsigned char type)
{
	static const char start[] = "libcudart.so.";
	struct version *v = ctx;
	(void)type;
	if (strncmp(name, start, sizeof start - 1) != 0)
		return true;
	name += sizeof start - 1;
	if (!version_parse(name, strlen(name), v))
		return true;
	if (v->part[0] >= 11)
		v->n = 1;
	return false;
}

bool product_cuda_of(const char *prefix, const char *name, struct version *out)
{
	static const char *const folders[] = {"lib64", "lib"};
	char path[PATH_MAX];
	if (version_parse(name, strlen(name), out))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		out->n = 0;
		if (path_join(path, sizeof path, prefix, folders[i]))
			scan_folder(path, on_library, out);
		if (out->n)
			return true;
	}
	return false;
}

struct search {
	const struct spec *spec;
	const struct version *cuda;
	int root, best_root;
	struct product_name best; /* v.n 0: none yet */
	char name[VERSION_TEXT];
	char have[512]; /* what there is, for messages */
};

static void add_word(char *list, size_t cap, const char *word)
{
	size_t n = strlen(list);
	if (n + strlen(word) + 3 < cap)
		snprintf(list + n, cap - n, "%s%s", n ? ", " : "", word);
}

/* Also by more numbers than the folder's name has: 8.9.2.26 is in 8.9.2-cuda12. */
static bool is_meant(const struct spec *spec, const char *name, const struct version *v)
{
	if (spec->kind == SPEC_NAME)
		return !strcmp(spec->text, name);
	return spec_matches(spec, v) ||
	       (spec->kind == SPEC_VERSION && v->n >= 3 && version_has_prefix(&spec->v, v));
}

static bool consider(void *ctx, const char *name, unsigned char type)
{
	struct search *s = ctx;
	struct product_name n;
	if ((type != DT_DIR && type != DT_LNK && type != DT_UNKNOWN) ||
	    !product_name_parse(name, &n))
		return true;
	add_word(s->have, sizeof s->have, name);
	if (!is_meant(s->spec, name, &n.v))
		return true;
	if (s->cuda && !product_fits(&n.cuda, s->cuda))
		return true;
	int order = version_compare(&n.v, &s->best.v);
	if (order == 0)
		order = version_compare(&n.cuda, &s->best.cuda);
	if (order > 0 || !s->best.v.n) {
		s->best = n;
		s->best_root = s->root;
		memcpy(s->name, name, strlen(name) + 1);
	}
	return true;
}

static bool not_installed(const struct search *s, const char *product, const char *where,
			  struct err *err)
{
	char cuda[VERSION_TEXT] = "", option[VERSION_TEXT + 16] = "";
	if (s->cuda) {
		struct version major = *s->cuda;
		major.n = major.part[0] >= 11 ? 1 : major.n > 2 ? 2 : major.n;
		version_format(&major, cuda, sizeof cuda);
		snprintf(option, sizeof option, " --cuda %s", cuda);
	}
	err_set(err, ERR_NOT_INSTALLED, "%s '%s'%s%s is not installed (installed: %s), set by %s",
		product, s->spec->text, cuda[0] ? " for CUDA " : "", cuda,
		s->have[0] ? s->have : "none", where);
	const char *quote = s->spec->kind == SPEC_RANGE ? "'" : "";
	bool cudnn = !strcmp(product, "cudnn");
	return err_hint(err, "cudaenv %s %s%s%s%s%s", cudnn ? "cudnn install" : "product install",
			cudnn ? "" : product, cudnn ? quote : " ", s->spec->text,
			cudnn ? quote : "", option);
}

bool product_find(const struct layout *l, const char *product, const char *text, const char *where,
		  const struct version *cuda, struct product_selection *out, struct err *err)
{
	struct spec spec;
	struct search s = {.spec = &spec, .cuda = cuda};
	char path[PATH_MAX];
	if (!spec_parse(text, strlen(text), where, &spec, err))
		return false;
	if (spec.kind == SPEC_SYSTEM || spec.kind == SPEC_SUPPORTED)
		return err_set(err, ERR_USAGE, "'%s' is no version of %s, write it like 9.3", text,
			       product);
	for (; layout_root(l, s.root, path, sizeof path); s.root++)
		if (path_join(path, sizeof path, path, product))
			scan_folder(path, consider, &s);
	memcpy(out->spec, spec.text, sizeof out->spec);
	if (!s.best.v.n || !layout_root_path(l, s.best_root, product, s.name, path, sizeof path) ||
	    !is_folder(path))
		return not_installed(&s, product, where, err);
	memcpy(out->name, s.name, sizeof out->name);
	memcpy(out->prefix, path, sizeof out->prefix);
	return true;
}

/* What asks for one, and the text of it; "" for nothing. */
static bool wanted(const struct selection *s, char text[VERSION_TEXT], char where[WHERE_TEXT],
		   bool *by_env, struct err *err)
{
	static const char variable[] = "CUDAENV_CUDNN_VERSION";
	struct pinfile pins;
	const char *env = getenv(variable);
	text[0] = '\0';
	*by_env = env && *env;
	if (*by_env) {
		if (strlen(env) >= VERSION_TEXT)
			return err_set(err, ERR_USAGE, "%s is too long for a version", variable);
		memcpy(text, env, strlen(env) + 1);
		memcpy(where, variable, sizeof variable);
		return true;
	}
	if (!s->origin_path[0])
		return true;
	if (!pinfile_read(s->origin_path, &pins, err))
		return false;
	memcpy(text, pins.cudnn, sizeof pins.cudnn);
	pinfile_where(s->origin_path, where);
	return true;
}

bool product_cudnn(const struct layout *l, const struct selection *s, struct product_selection *out,
		   struct err *err)
{
	char text[VERSION_TEXT], where[WHERE_TEXT];
	struct version cuda;
	out->spec[0] = out->name[0] = out->prefix[0] = '\0';
	out->by_env = false;
	if (!s->prefix[0])
		return true;
	if (!wanted(s, text, where, &out->by_env, err))
		return false;
	if (!text[0] || !strcmp(text, "system") || !strcmp(text, "none"))
		return true;
	if (product_cuda_of(s->prefix, s->name, &cuda))
		return product_find(l, "cudnn", text, where, &cuda, out, err);
	err_set(err, ERR_NOT_INSTALLED,
		"cannot tell for which CUDA a cuDNN must be: '%s' has no libcudart", s->prefix);
	return err_hint(err, "name one whole: CUDAENV_CUDNN_VERSION=9.3.0-cuda12");
}
