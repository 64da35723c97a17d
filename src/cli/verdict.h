#pragma once
/* A verdict as people and programs see it. */
#include <stddef.h>

#include "core/verdict.h"

struct app;
struct gpus;

/* One line on stdout, or one of JSON; the remedy as a note. gpus: those that were looked at, or NULL. */
void verdict_print(struct app *app, const char *name, const char *prefix, const struct verdict *v,
		   const struct gpus *gpus);
/* What ran and how fast, then the detail: "NVIDIA H200: sm_90 and PTX; 55.3 GB/s to it, ...". Returns out. */
const char *verdict_words(const struct verdict *v, char *out, size_t cap);
