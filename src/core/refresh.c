#include "core/refresh.h"

#include "core/pin.h"
#include "core/prefix.h"
#include "core/record.h"
#include "core/shimdir.h"
#include "core/toolkits.h"

static bool settle(const char *prefix, bool mend, bool *moved, struct err *err)
{
	struct record r;
	*moved = false;
	/* What has no record was not installed by us. */
	if (!record_read(prefix, &r, err))
		return true;
	bool ok = prefix_settle(prefix, r.release.arch, mend, moved, err);
	record_clear(&r);
	return ok;
}

bool refresh_moved(const char *prefix)
{
	bool moved;
	struct err ignored;
	return settle(prefix, false, &moved, &ignored) && moved;
}

/* One that cannot be changed is no reason to leave the others as they are. */
static void settle_toolkit(const struct toolkit *t, const struct events *ev)
{
	struct err err;
	bool moved;
	if (t->target || t->shared)
		return;
	if (!settle(t->prefix, true, &moved, &err))
		event_warn(ev, err.hint, "%s", err.msg);
	else if (moved)
		event_note(ev, "%s was moved: its .pc files name '%s' now", t->name, t->prefix);
}

bool refresh_root(const struct layout *l, const struct events *ev, struct err *err)
{
	autotoolkits struct toolkits all = {0};
	if (!toolkits_read(&all, l, err))
		return false;
	for (size_t i = 0; i < all.n; i++)
		settle_toolkit(&all.items[i], ev);
	return shimdir_rebuild(l, NULL, ev, err) && pin_refresh(l, err);
}
