#pragma once
/* Inside of the store: an archive that is read in order, maybe while it is still arriving. */
#include "core/growing.h"
#include "core/store_entry.h"
#include "ext/condafile.h"
#include "ext/debfile.h"
#include "ext/unpack.h"

struct tar {
	struct store_entry e; /* first */
	struct growing *g;
	bool own;
	struct growing_reader reader;
	struct debfile deb;	/* around the tar, if it is one */
	struct condafile conda; /* likewise */
};

/* How it is unpacked into the entry; the context of all callbacks is t. */
struct unpack store_tar_unpack(struct tar *t);

/* A runfile: its tar, or that of the runfile in it, and then every component to its place. */
must_check bool store_runfile_unpack(struct tar *t, struct err *err);
