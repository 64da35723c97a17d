#pragma once
/*
 * Whether a stored verdict still speaks of this machine: another driver or another GPU makes it stale. Only
 * /proc is read, so that a list of versions stays quick; where it does not tell (WSL), nothing is.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "core/verdict.h"

struct stale_now {
	char driver[32]; /* "" none, or not told */
	bool wsl;	 /* /proc does not tell the driver there */
	bool told;	 /* /proc tells which GPUs there are */
	struct strlist uuids;
};
/* root: in front of /proc and /sys, "" */
void stale_look(struct stale_now *now, const char *root);
void stale_clear(struct stale_now *now);

/* The reason is in out, "found on driver 550.54.15, here is 580.95.05". */
bool stale_is(const struct stale_now *now, const struct verdict *v, char *out, size_t cap);
