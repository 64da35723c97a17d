#pragma once
/* Signatures of repositories, judged by GnuPG's gpgv with keys that the caller names. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"

struct gpgv_keys {
	struct strlist
		files; /* keyrings, binary or in ASCII armor; those that cannot be read are left out */
	const char *block; /* one more, in armor; NULL */
	struct strlist
		only; /* fingerprints, of which one must have signed; none: any of the keys */
};
/* The *.gpg and *.asc of a folder. */
void gpgv_add_folder(struct gpgv_keys *k, const char *folder);
void gpgv_keys_clear(struct gpgv_keys *k);

/*
 * name: of what was signed, for messages. signature NULL: text is clear-signed (InRelease); else it stands apart.
 * On success *out is what was signed, as gpgv gives it, and signer whose key it was. ERR_INTEGRITY when it is not
 * signed, changed, or signed by none of the keys; ERR_HOST where there is no gpgv or no key.
 */
must_check bool gpgv_verify(const char *name, const struct buf *text, const struct buf *signature,
			    const struct gpgv_keys *keys, struct buf *out, char signer[128],
			    struct err *err);
