#pragma once
/*
 * A makeself archive (.run): a shell script, and behind its last line a packed tar. The script is read for the
 * numbers in it and never started. Facts: makeself 2.1 to 2.4 write filesizes="N" and MD5="HEX" (and from 2.4 on
 * SHA="HEX", of sha256) as lines of their own; where the tar begins is skip="LINES", in older ones the number in
 * `head -n LINES`. A digest of zeros only means that none was taken.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ext/xz.h"

struct runfile;

/*
 * read gives the whole file. check: the script's own digest of the tar is compared at its end, for a file whose
 * own digest nobody knows. name: for messages, borrowed.
 */
struct runfile *runfile_open(source_read_fn *read, void *ctx, bool check, const char *name);
/*
 * source_read_fn; ctx is the runfile. The packed tar, exactly as long as the script says. ERR_INTEGRITY: no makeself
 * script (a web page is told as such), numbers that do not fit the file, another digest.
 */
ptrdiff_t runfile_read(void *ctx, void *buf, size_t n, struct err *err);
void runfile_close(struct runfile *rf);
