#pragma once
/* OpenPGP's ASCII forms: keys in armor, and clear text that was signed. */
#include <stdbool.h>

#include "base/buf.h"

/* The bytes of all armored public key blocks in text, one behind the other; false: none, or damaged. */
bool armor_keys(const char *text, struct buf *out);
/* The text of "-----BEGIN PGP SIGNED MESSAGE-----", its signature NOT looked at; false: it is no such text. */
bool armor_clear_text(const char *text, struct buf *out);
