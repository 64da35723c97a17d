#pragma once
/* The options --profile, --components and --arch as a request. */
#include <stdbool.h>

#include "cli/cmd.h"
#include "core/host.h"
#include "core/source.h"

/*
 * profile, components: what applies where the option is not given; "": nothing does. The caller ends rq->components
 * with strlist_clear, also after a failure.
 */
must_check bool request_make(struct app *app, const struct args *a, const char *profile,
			     const char *components, const struct host *host, struct request *rq,
			     struct err *err);
/* "cuda_nvcc,cuda_cudart" */
void request_components(struct strlist *out, const char *list);
