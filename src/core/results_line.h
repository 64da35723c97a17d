#pragma once
/* One result in JSON, and whose it is. */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/results.h"

/*
 * Reads the object at s, which is a '{'; true: it is a result, whose rates the caller owns. *used: bytes to go
 * on behind; 0: no JSON.
 */
bool result_read(const char *s, size_t n, size_t *used, struct result *out);
/* false: no result. */
bool result_of(const json_t *o, struct result *out);
/* The host that the n bytes in front of an object name, where they do; else it keeps its own name. */
void result_host(struct result *r, const char *front, size_t n);
