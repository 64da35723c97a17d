#include "core/stale.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scan.h"
#include "core/host.h"

enum { INFORMATION_MAX = 4096 };

struct reading {
	struct stale_now *now;
	const char *folder;
};

/* "GPU UUID: \t GPU-..."; an old driver shows question marks to users without rights. */
static bool read_gpu(void *ctx, const char *name, unsigned char type)
{
	struct reading *r = ctx;
	struct err ignored;
	autobuf struct buf b = BUF_INIT(INFORMATION_MAX);
	autofree char *path = xasprintf("%s/%s/information", r->folder, name);
	if (!io_read_file(path, &b, &ignored))
		return true;
	const char *s = strstr(buf_str(&b), "GPU UUID:");
	s = s ? strstr(s, "GPU-") : NULL;
	if (!s || memchr(s, '?', strcspn(s, "\n"))) {
		r->now->told = false;
		return false;
	}
	autofree char *uuid = xstrndup(s, strcspn(s, " \t\r\n"));
	strlist_add(&r->now->uuids, uuid);
	return true;
}

void stale_look(struct stale_now *now, const char *root)
{
	*now = (struct stale_now){0};
	autofree char *folder = xasprintf("%s/proc/driver/nvidia/gpus", root);
	struct reading r = {now, folder};
	if (!host_kernel_driver(root, now->driver, sizeof now->driver))
		now->driver[0] = '\0';
	autofree char *dxg = xasprintf("%s/dev/dxg", root);
	now->wsl = access(dxg, F_OK) == 0;
	now->told = true;
	if (!scan_folder(folder, read_gpu, &r))
		now->told = false;
}

void stale_clear(struct stale_now *now)
{
	strlist_clear(&now->uuids);
}

bool stale_is(const struct stale_now *now, const struct verdict *v, char *out, size_t cap)
{
	const struct measured *on = &v->on;
	if (!on->driver[0] || (!now->driver[0] && now->wsl))
		return false;
	if (strcmp(on->driver, now->driver) != 0) {
		snprintf(out, cap, "found on driver %s, here is %s", on->driver,
			 now->driver[0] ? now->driver : "none");
		return true;
	}
	for (const char *s = on->uuids; now->told && *s;) {
		size_t n = strcspn(s, ",");
		autofree char *uuid = xstrndup(s, n);
		/* A MIG instance is not listed there. */
		if (!strncmp(uuid, "GPU-", 4) && !strlist_has(&now->uuids, uuid)) {
			snprintf(out, cap, "found on another GPU (%s)", on->gpu);
			return true;
		}
		s += n + (s[n] == ',');
	}
	return false;
}
