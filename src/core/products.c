#include "core/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/nearest.h"
#include "base/product.h"
#include "core/place.h"

#define NUMBERS(start, end)                                                                        \
	{                                                                                          \
		start "MAJOR" end, start "MINOR" end, start "PATCH" end                            \
	}

/* Names of packages, headers and macros as the wheels in the index have them (30 November 2026). */
/* clang-format off */
const struct product products[] = {
	{"cudnn", "cuDNN", "cudnn", "nvidia-cudnn-cu", "libcudnn", {"cudnn_version.h", "cudnn.h"},
	 {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"}},
	{"cutensor", "cuTENSOR", "libcutensor", "cutensor-cu", "libcutensor", {"cutensor.h"},
	 NUMBERS("CUTENSOR_", "")},
	{"cusparselt", "cuSPARSELt", "libcusparse_lt", "nvidia-cusparselt-cu", "libcusparseLt", {"cusparseLt.h"},
	 NUMBERS("CUSPARSELT_VER_", "")},
	{"nccl", "NCCL", NULL, "nvidia-nccl-cu", "libnccl", {"nccl.h"}, NUMBERS("NCCL_", "")},
	{"cudss", "cuDSS", "libcudss", "nvidia-cudss-cu", "libcudss", {"cudss.h"}, NUMBERS("CUDSS_VERSION_", "")},
	{"nvcomp", "nvCOMP", "nvcomp", "nvidia-nvcomp-cu", "libnvcomp", {"nvcomp.h"}, {NULL}},
	{"nvjpeg2000", "nvJPEG2000", "libnvjpeg_2k", "nvidia-nvjpeg2k-cu", "libnvjpeg2k", {"nvjpeg2k_version.h"},
	 NUMBERS("NVJPEG2K_VER_", "")},
	{"nvtiff", "nvTIFF", "libnvtiff", "nvidia-nvtiff-cu", "libnvtiff", {"nvtiff_version.h"},
	 NUMBERS("NVTIFF_VER_", "")},
	{"nvshmem", "NVSHMEM", "libnvshmem", "nvidia-nvshmem-cu", "libnvshmem", {"non_abi/nvshmem_version.h"},
	 NUMBERS("NVSHMEM_VENDOR_", "_VERSION")},
	{"cublasmp", "cuBLASMp", "libcublasmp", "nvidia-cublasmp-cu", "libcublasmp", {NULL}, {NULL}},
	{"cusolvermp", "cuSOLVERMp", "libcusolvermp", "nvidia-cusolvermp-cu", "libcusolverMp", {NULL}, {NULL}},
	{"cuquantum", "cuQuantum", "cuquantum", NULL, "libcu", {NULL}, {NULL}},
	{"nppplus", "NPP+", "libnpp_plus", NULL, "libnpp_plus", {NULL}, {NULL}},
	{0},
};
/* clang-format on */

bool product_by_name(const char *name, const struct product **out, struct err *err)
{
	const char *names[ARRAY_LEN(products)] = {0};
	for (size_t i = 0; products[i].name; i++) {
		names[i] = products[i].name;
		if (!strcmp(name, names[i])) {
			*out = &products[i];
			return true;
		}
	}
	const char *near = nearest(name, names);
	err_set(err, ERR_USAGE, "there is no product '%s'", name);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "'cudaenv product list-remote' names them");
}

enum { COLUMNS = 6 };

static void add_words(struct strlist *l, const char *s)
{
	while (*(s += strspn(s, " "))) {
		size_t n = strcspn(s, " ");
		autofree char *word = xstrndup(s, n);
		struct version v;
		if (version_parse(word, n, &v))
			strlist_add(l, word);
		s += n;
	}
}

static bool copy(char *out, size_t cap, const char *s)
{
	size_t n = strcmp(s, "-") ? strlen(s) : 0;
	if (n >= cap)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

/* column: the texts of one row; false: not as it must be. */
static bool add_row(struct product_catalog *c, char *const column[COLUMNS])
{
	struct product_release r = {0};
	if (!version_parse(column[1], strlen(column[1]), &r.v) ||
	    !copy(r.label, sizeof r.label, column[1]) ||
	    !copy(r.version, sizeof r.version, column[2]) ||
	    !copy(r.sha256, sizeof r.sha256, column[5]))
		return false;
	r.redist = strstr(column[4], "redist") != NULL;
	r.wheels = strstr(column[4], "wheels") != NULL;
	add_words(&r.cuda, column[3]);
	c->releases = array_grow(c->releases, c->n, sizeof r);
	c->releases[c->n++] = r;
	return true;
}

/* Cuts a row at its tabs, in place. */
static bool split(char *row, char *column[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		column[i] = row;
		row += strcspn(row, "\t");
		if (!*row)
			return i == COLUMNS - 1;
		*row++ = '\0';
	}
	return false;
}

static int newest_first(const void *a, const void *b)
{
	const struct product_release *x = a, *y = b;
	return version_compare(&y->v, &x->v);
}

bool product_catalog_parse(struct product_catalog *c, const struct product *p, const char *file,
			   const char *text, size_t len, struct err *err)
{
	struct product_catalog new = {0};
	const char *end = text + len;
	for (int line = 1; text < end; line++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		autofree char *row = xstrndup(text, n);
		char *column[COLUMNS];
		text += n + (nl != NULL);
		if (!*row || *row == '#')
			continue;
		if (!split(row, column) ||
		    (!strcmp(column[0], p->name) && !add_row(&new, column))) {
			product_catalog_clear(&new);
			return err_set(err, ERR_USAGE, "'%s' line %d is not a row of products",
				       file, line);
		}
	}
	if (new.n)
		qsort(new.releases, new.n, sizeof *new.releases, newest_first);
	*c = new;
	return true;
}

bool product_catalog_load(struct product_catalog *c, const struct product *p, const char *path,
			  struct err *err)
{
	autobuf struct buf text = BUF_INIT(PRODUCTS_MAX);
	autofree char *found =
		path ? NULL : place_find("CUDAENV_PRODUCTS", DATADIR "/products.tsv");
	if (!path)
		path = found;
	if (!io_read_file(path, &text, err)) {
		err_prefix(err, "no table of products");
		return err_hint(err, "install cudaenv again, or set CUDAENV_PRODUCTS to a "
				     "products.tsv");
	}
	return product_catalog_parse(c, p, path, buf_str(&text), text.len, err);
}

void product_catalog_clear(struct product_catalog *c)
{
	for (size_t i = 0; i < c->n; i++)
		strlist_clear(&c->releases[i].cuda);
	free(c->releases);
	*c = (struct product_catalog){0};
}

bool product_release_matches(const struct product_release *r, const struct spec *spec)
{
	struct version whole;
	return spec_matches(spec, &r->v) ||
	       (spec->kind == SPEC_VERSION && r->version[0] &&
		version_parse(r->version, strlen(r->version), &whole) &&
		version_has_prefix(&whole, &spec->v));
}

bool product_release_fits(const struct product_release *r, const struct version *cuda)
{
	for (size_t i = 0; i < r->cuda.n; i++) {
		const char *word = r->cuda.items[i];
		struct version built;
		if (version_parse(word, strlen(word), &built) && product_fits(&built, cuda))
			return true;
	}
	return !r->cuda.n;
}

const char *product_release_cuda(const struct product_release *r, char *out, size_t cap)
{
	size_t len = 0;
	out[0] = '\0';
	for (size_t i = 0; i < r->cuda.n && len < cap; i++)
		len += (size_t)snprintf(out + len, cap - len, "%s%s",
					!i		     ? ""
					: i + 1 == r->cuda.n ? " and "
							     : ", ",
					r->cuda.items[i]);
	return out;
}

bool product_check_pair(const struct product_catalog *c, const struct product *p,
			const struct spec *spec, const struct version *cuda, struct err *err)
{
	const struct product_release *known = NULL, *fits = NULL;
	char number[VERSION_TEXT], list[128];
	for (size_t i = 0; i < c->n; i++) {
		const struct product_release *r = &c->releases[i];
		bool for_it = product_release_fits(r, cuda);
		if (product_release_matches(r, spec)) {
			if (for_it)
				return true;
			if (!known)
				known = r;
		}
		if (for_it && !fits)
			fits = r;
	}
	if (!known)
		return true;
	struct version shown = *cuda;
	shown.n = shown.part[0] >= 11 ? 1 : shown.n > 2 ? 2 : shown.n;
	err_set(err, ERR_NO_VERSION, "%s %s is made for CUDA %s, not for CUDA %s", p->title,
		known->label, product_release_cuda(known, list, sizeof list),
		version_format(&shown, number, sizeof number));
	return fits ? err_hint(err, "the newest one for CUDA %s is %s", number, fits->label)
		    : err_hint(err, "there is none for CUDA %s", number);
}
