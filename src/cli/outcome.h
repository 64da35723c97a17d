#pragma once
/* What commands that build a version say of it, before and after. */
#include <stdbool.h>

#include "cli/cmd.h"
#include "core/record.h"
#include "core/source.h"

/* The plan with sizes: what is here already and what would be fetched. */
void outcome_plan(const struct app *app, const struct release *r);
/* The prefix, as a line or with the verdict as JSON. */
void outcome_print(const struct app *app, const char *name, const char *prefix,
		   const struct verdict *v);
/* An installed toolkit that this host cannot use is an error of the host, told after all is done. */
must_check bool outcome_judge(const char *name, const struct verdict *v, struct err *err);
