#pragma once
/* RECORD, the list that a wheel carries of its own files. */
#include "base/attr.h"
#include "base/err.h"
#include "ext/zip.h"

typedef char wheel_sha256[65];

/*
 * Reads RECORD and holds it against the archive: each file must be listed, with its size, and nothing else.
 * *out: the sha256 of each entry in the order of zip_entries, "" for folders and RECORD itself; the caller
 * frees. ERR_INTEGRITY names archive and file.
 */
must_check bool wheelrecord_read(struct zip *z, const char *archive, wheel_sha256 **out,
				 struct err *err);
