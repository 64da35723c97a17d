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

void release_clear(struct release *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct component *c = &r->components[i];
		free(c->name);
		free(c->package);
		free(c->version);
		free(c->file);
		strlist_clear(&c->urls);
	}
	free(r->components);
	free(r->manifest);
	free(r->ca_file);
	*r = (struct release){0};
}
