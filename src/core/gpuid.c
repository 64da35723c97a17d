#include "core/gpuid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "core/place.h"

enum { TABLE_MAX = 1 << 18 };

/* "2330\t90\tH100 SXM5 80GB" */
static bool take_line(const char *line, unsigned device, struct gpuid *out)
{
	char *end;
	if (strtoul(line, &end, 16) != device || *end != '\t')
		return false;
	long cc = strtol(end + 1, &end, 10);
	if (*end != '\t' || cc < 10 || cc > 999)
		return false;
	size_t n = strcspn(end + 1, "\n");
	*out = (struct gpuid){.cc = (int)cc};
	snprintf(out->name, sizeof out->name, "%.*s", (int)(n < 95 ? n : 95), end + 1);
	return true;
}

bool gpuid_find(const char *path, unsigned device, struct gpuid *out)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(TABLE_MAX);
	autofree char *found = path ? NULL : place_find(NULL, DATADIR "/gpus.tsv");
	if (!io_read_file(path ? path : found, &text, &ignored))
		return false;
	for (const char *p = buf_str(&text); *p; p += *p == '\n') {
		if (*p != '#' && take_line(p, device, out))
			return true;
		p += strcspn(p, "\n");
	}
	return false;
}

/* NVIDIA's deprecation schedule: Fermi 390, Kepler 470, Maxwell to Volta 580. */
const char *gpuid_last_driver(int cc)
{
	return cc <= 0 ? NULL : cc < 30 ? "390" : cc < 50 ? "470" : cc < 75 ? "580" : NULL;
}
