#pragma once
/* What the lines of a program say about speed, and whether this machine should do better. */
#include <jansson.h>
#include <stddef.h>

#include "core/gpu.h"
#include "core/verdict.h"

/* Adds each line that is a JSON object to the array, with "code": "sm_90" or "compute_90" where it is told. */
void speed_collect(json_t *results, const char *lines, const char *code);

/*
 * Takes the figures of kind h2d, d2h (pinned) and d2d from the results: of each GPU the best, and of these
 * the lowest. What is far below the limit of the link or of the memory is told in detail and hint.
 * gpus: by the number that the program gave them.
 */
void judge_speed(const json_t *results, const struct gpu *const *gpus, size_t n, struct verdict *v);
