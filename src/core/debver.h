#pragma once
/* Debian's version numbers: [epoch:]upstream[-revision]. */
#include <stdbool.h>
#include <stddef.h>

/* As dpkg orders them. */
int debver_compare(const char *a, const char *b);

/*
 * The release in the version of NVIDIA's packages as Debian and Ubuntu number them: what follows '~'
 * ("11.8.89~11.8.0-5~deb12u1" -> "11.8.0"), else all in front of the revision ("11.8.0-5~deb12u1", "10.1.243-3").
 * false: no number.
 */
bool debver_release(const char *version, char *out, size_t cap);
/* The component's own number: "11.8.89"; "10.3.0.86" of "11.1.1+~10.3.0.86~11.8.0-5". The caller frees. */
char *debver_own(const char *version);
