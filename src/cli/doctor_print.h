#pragma once
/* How `doctor` shows what it gathered: for people and as JSON. */
#include <jansson.h>

#include "core/facts.h"

void doctor_print_facts(const struct facts *f);
/* The same; the caller owns it. */
json_t *doctor_facts_json(const struct facts *f);
