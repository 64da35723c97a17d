#pragma once
/* What the output of a failed nvcc means: a verdict that tells the causes apart. */
#include <stdbool.h>

#include "base/proc.h"
#include "core/record.h"

/* Sets word, detail (the first line that says what failed) and, where the cause has one, hint. */
void judge_compile(const struct proc_result *r, struct verdict *v);

/* Text from a compiler as one printable line of UTF-8, cut to cap. */
void judge_line(const char *s, size_t n, char *out, size_t cap);

/* Replaces each `from` in text by `to` as far as it fits in cap. */
void judge_replace(char *text, size_t cap, const char *from, const char *to);
