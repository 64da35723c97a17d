#pragma once
/*
 * Apt's configuration, as far as its sources and downloads go: $APT_CONFIG, apt.conf.d, apt.conf. Read as apt.conf(5)
 * describes it: "A::B "value";", "A { B "value"; };", comments. What cannot be made out is passed over.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/event.h"

struct aptconf {
	struct aptconf_entry {
		char *key, *value; /* key: "acquire::http::proxy", lower case */
	} * entries;
	size_t n;
};

void aptconf_load(struct aptconf *c, const struct events *ev);
/* The same of one text, added to what is there. */
void aptconf_parse(struct aptconf *c, const char *text);
void aptconf_clear(struct aptconf *c);

/* The last value of a key (any case); NULL: not set. */
const char *aptconf_get(const struct aptconf *c, const char *key);
bool aptconf_flag(const struct aptconf *c, const char *key, bool preset);

enum aptconf_place {
	APTCONF_SOURCELIST,   /* /etc/apt/sources.list */
	APTCONF_SOURCEPARTS,  /* /etc/apt/sources.list.d */
	APTCONF_TRUSTED,      /* /etc/apt/trusted.gpg */
	APTCONF_TRUSTEDPARTS, /* /etc/apt/trusted.gpg.d */
};
/* The caller frees. */
char *aptconf_path(const struct aptconf *c, enum aptconf_place place);

/* The files of such a folder whose names are taken, sorted, with their paths; none where it cannot be read. */
void aptconf_parts(const char *folder, bool (*wanted)(const char *name), struct strlist *out);

/* The proxy that apt uses for url: its URL, "" for none, NULL where apt goes by the proxy variables. Freed by the caller. */
char *aptconf_proxy(const struct aptconf *c, const char *url);
