#include "core/refresh.h"

#include <stddef.h>

#include "core/pin.h"
#include "core/shimdir.h"

bool refresh_root(const struct layout *l, const struct events *ev, struct err *err)
{
	return shimdir_rebuild(l, NULL, ev, err) && pin_refresh(l, err);
}
