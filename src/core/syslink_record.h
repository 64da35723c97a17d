#pragma once
/* What a link was before, on disk. For syslink.c. */
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"
#include "core/syslink.h"

/* Nothing kept: f->kept is false. */
must_check bool syslink_record_read(const struct layout *l, const char *path,
				    struct syslink_former *f, struct err *err);
/* As root in the root of somebody else, what is written belongs to that one. */
must_check bool syslink_record_write(const struct layout *l, const char *path,
				     const struct syslink_former *f, struct err *err);
must_check bool syslink_record_remove(const struct layout *l, const char *path, struct err *err);
void syslink_former_clear(struct syslink_former *f);

/* The paths that something is kept for. */
void syslink_record_list(const struct layout *l, struct strlist *out);
