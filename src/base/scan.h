#pragma once
/* Folders and what is in them, without allocation: the shim uses it. */
#include <stdbool.h>

/* type: DT_DIR, DT_LNK, ... or DT_UNKNOWN (<dirent.h>). false: enough. "." and ".." are left out. */
typedef bool scan_fn(void *ctx, const char *name, unsigned char type);

/* In the file system's order. false with errno: the folder could not be read. */
bool scan_folder(const char *path, scan_fn *fn, void *ctx);

/* Whether two paths lead to one file or folder; equal paths do, also where nothing is. */
bool scan_same(const char *a, const char *b);

/* Without its end. */
typedef void scan_line_fn(void *ctx, char *line);

/* The lines of a regular file of 16 MiB at most; lines of more than 8 KiB are left out. false: none such. */
bool scan_lines(const char *path, scan_line_fn *fn, void *ctx);
