#include "core/source.h"

#include <stdlib.h>
#include <string.h>

static const char *const profiles[] = {
	[PROFILE_MINIMAL] = "minimal",
	[PROFILE_DEFAULT] = "default",
	[PROFILE_FULL] = "full",
};

bool profile_parse(const char *s, enum profile *out)
{
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (!strcmp(s, profiles[i])) {
			*out = (enum profile)i;
			return true;
		}
	return false;
}

const char *profile_name(enum profile p)
{
	return profiles[p];
}

/* One name or the other, by release: cuda_cccl is cccl from 13.3 on, crt and nvvm are split off
 * in 13.0. */
static const char *const minimal[] = {
	"cuda_nvcc", "cuda_cudart",	 "cuda_cccl",	 "cccl",       "cuda_crt",
	"libnvvm",   "libnvptxcompiler", "cuda_culibos", "cuda_nvrtc", NULL};
static const char *const extras[] = {
	"nsight_compute",     "nsight_systems",	 "cuda_nsight", "cuda_nvvp",
	"cuda_documentation", "cuda_demo_suite", NULL};
static const char *const never[] = {"nvidia_driver",
				    "fabricmanager",
				    "imex",
				    "libnvidia_nscq",
				    "libnvsdm",
				    "nvlsm",
				    "mft",
				    "mft_oem",
				    "mft_autocomplete",
				    "collectx_bringup",
				    "driver_assistant",
				    "nvidia_fs",
				    "cuda_compat",
				    "cuda_compat_orin",
				    "nsight_vse",
				    "visual_studio_integration",
				    "nsight_nvtx",
				    NULL};

bool profile_wants(enum profile p, const char *component)
{
	if (p == PROFILE_MINIMAL)
		return words_have(minimal, component);
	return !words_have(never, component) &&
	       (p == PROFILE_FULL || !words_have(extras, component));
}

/* By any of its names. */
bool component_nvcc_needs(const char *component)
{
	static const char *const needs[] = {"cuda_crt", "libnvvm",  "cuda_cudart", "cuda_cccl",
					    "cccl",	"cuda_dev", NULL};
	return words_have(needs, component);
}

void component_clear(struct component *c)
{
	free(c->name);
	free(c->package);
	free(c->version);
	free(c->file);
	strlist_clear(&c->urls);
	*c = (struct component){0};
}

const char *component_archive(const struct component *c)
{
	return c->archive_sha256[0] ? c->archive_sha256 : c->sha256;
}

void release_take(struct release *r, struct component *c)
{
	r->components = array_grow(r->components, r->n, sizeof *c);
	r->components[r->n++] = *c;
	*c = (struct component){0};
}

struct component *release_find(const struct release *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->components[i].name, name) || !strcmp(r->components[i].package, name))
			return &r->components[i];
	return NULL;
}

void release_clear(struct release *r)
{
	for (size_t i = 0; i < r->n; i++)
		component_clear(&r->components[i]);
	free(r->components);
	free(r->manifest);
	free(r->ca_file);
	free(r->proxy);
	*r = (struct release){0};
}
