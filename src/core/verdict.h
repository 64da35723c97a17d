#pragma once
/* The outcome of a proof: <prefix>/.cudaenv/verdict.json, which `verify` writes anew. JSON, format 1. */
#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

/* What a verdict was found on; all "" and 0 where no GPU took part. */
struct measured {
	char driver[32];    /* "580.95.05", or NVML's where the kernel does not tell; "" none */
	int cuda;	    /* the driver's CUDA number: 13000 */
	char gpu[128];	    /* "NVIDIA H200", "2 x NVIDIA H200" */
	char uuids[1024];   /* of all that took part, ',' between; cut at a whole one */
	int cc;		    /* of the first: 90 */
	char code[16];	    /* machine code that ran: "sm_90"; "" none */
	char ptx[32];	    /* "ok" or why PTX did not run: "ptx-too-new", ...; "" not tried */
	char libraries[64]; /* those that gave right results, ' ' between: "cublas nvrtc" */
	bool slow;	    /* far below what link or memory can; detail says which */
	/* Bytes a second of the best pinned copies and device copy; 0 not measured. */
	double h2d, d2h, d2d;
};

struct verdict {
	char word[32];	  /* "ok", "compiled", or the cause: "tree-incomplete",
			     "host-compiler-refused", ... */
	char level[12];	  /* files compile run bandwidth: what was tried */
	char detail[512]; /* one line; "" none */
	char hint[512];	  /* one next step; "" none */
	char ccbin[256];  /* host compiler that was used, absolute; "" unknown */
	char date[32];	  /* UTC, ISO 8601 */
	struct measured on;
	char *results; /* what the programs printed, a JSON array (kernels/proof.h); NULL none; owned */
};

must_check bool verdict_write(const char *prefix, const struct verdict *v, struct err *err);
/* false: none stored, *v is zeroed. */
bool verdict_read(const char *prefix, struct verdict *v);
/* Everything but format and prefix, as verdict.json holds it; NULL: a text is not UTF-8. The caller frees. */
json_t *verdict_json(const struct verdict *v);
void verdict_clear(struct verdict *v);
#define autoverdict __attribute__((cleanup(verdict_clear)))
bool verdict_good(const struct verdict *v); /* "ok", "compiled", "files-ok" */
