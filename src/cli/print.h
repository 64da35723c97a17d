#pragma once
/* Numbers for people, JSON for programs. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { PRINT_TEXT = 24 };

/* "1.67 GB", "933 MB", "12 kB", "7 B": powers of 1000, as download pages count. Returns out. */
const char *print_size(uint64_t bytes, char out[PRINT_TEXT]);
/* "0:07", "12:05", "1:02:03". Returns out. */
const char *print_time(uint64_t seconds, char out[PRINT_TEXT]);

/* A JSON string, whatever bytes s has: those that are not UTF-8 become U+FFFD. NULL: null. */
json_t *print_json_text(const char *s);
/* Writes the value indented, with a final newline, and lets go of it. */
void print_json(FILE *to, json_t *value);
/* The same on one line, for streams of events. */
void print_json_line(FILE *to, json_t *value);
