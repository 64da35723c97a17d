#pragma once
/*
 * Versions and version conditions as Python packages write them (PEP 440): "13.4.46rc1",
 * "1!2.0.post1",
 * "==13.5.37.*", "<14,>=13.5.37". Pure text work; every limit is a named one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PEP440_PARTS = 8, PEP440_TEXT = 64 };

struct pep440 {
	uint64_t epoch;
	int n; /* parts of the release number, 1 to PEP440_PARTS */
	uint64_t part[PEP440_PARTS];
	char pre; /* 'a', 'b', 'c' (release candidate); 0: none */
	bool has_post, has_dev;
	uint64_t pre_n, post_n, dev_n;
	char local[PEP440_TEXT]; /* behind '+', lower case, '.' between; "" none */
};

/* false: no version of this kind, or longer than the limits. Blanks around it are accepted. */
bool pep440_parse(const char *s, size_t len, struct pep440 *out);
/* The order of PEP 440: 1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 == 1.0.0 < 1.0+x < 1.0.post1. */
int pep440_compare(const struct pep440 *a, const struct pep440 *b);
/* An alpha, beta, release candidate or development version. */
bool pep440_is_pre(const struct pep440 *v);
/* The release numbers of v begin with the first n of p; a missing one counts as 0. Epochs are
 * equal. */
bool pep440_starts_with(const struct pep440 *v, const struct pep440 *p, int n);
