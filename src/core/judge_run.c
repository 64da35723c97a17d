#include "core/judge_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

/* CUDA's numbers that have a verdict of their own. */
enum {
	NO_MEMORY = 2,
	STUB = 34,
	OLD_DRIVER = 35,
	NEEDS_NEWER_DRIVER = 36,
	UNAVAILABLE = 46,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	NO_CODE = 209,
	NEW_PTX = 222,
	LAUNCH_TIMEOUT = 702,
	NOT_READY = 802,
	MISMATCH = 803,
	COMPAT = 804,
};

static const struct {
	int code;
	const char *word;
} words[] = {
	{NO_MEMORY, "busy-or-exclusive"},      {STUB, "stub-loaded"},
	{OLD_DRIVER, "driver-too-old"},	       {NEEDS_NEWER_DRIVER, "driver-too-old"},
	{UNAVAILABLE, "busy-or-exclusive"},    {NO_DEVICE, "no-device-visible"},
	{INVALID_DEVICE, "no-device-visible"}, {NEW_PTX, "ptx-too-new"},
	{LAUNCH_TIMEOUT, "timeout"},	       {NOT_READY, "fabric-not-ready"},
	{MISMATCH, "compat-library"},	       {COMPAT, "compat-library"},
};

static void set(struct verdict *v, const char *word)
{
	snprintf(v->word, sizeof v->word, "%s", word);
}

static void detail(struct verdict *v, const char *fmt, ...) printf_like(2, 3);
static void detail(struct verdict *v, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(v->detail, sizeof v->detail, fmt, ap);
	va_end(ap);
}

static void hint(struct verdict *v, const char *fmt, ...) printf_like(2, 3);
static void hint(struct verdict *v, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(v->hint, sizeof v->hint, fmt, ap);
	va_end(ap);
}

/* "driver 550.54.15 (CUDA 12.4)" */
static const char *driver_words(const struct gpus *g, char out[96])
{
	const char *n = g->driver[0] ? g->driver : g->nvml_driver;
	int len = snprintf(out, 96, "driver%s%s", n[0] ? " " : "", n);
	if (g->cuda && len > 0 && len < 96)
		snprintf(out + len, 96 - (size_t)len, " (CUDA %d.%d)", g->cuda / 1000,
			 g->cuda % 1000 / 10);
	return out;
}

static void judge_driver(const struct run_case *c, const struct run_outcome *o, struct verdict *v)
{
	char has[96];
	int needs = (int)strtol(c->release, NULL, 10);
	driver_words(c->gpus, has);
	if (c->gpus->cuda / 1000 >= needs && needs)
		detail(v, "the program finds this machine's %s too old: %s", has, o->said);
	else if (c->driver_floor)
		detail(v, "CUDA %s needs driver %s or newer, and this machine has %s", c->release,
		       c->driver_floor, has);
	else
		detail(v, "CUDA %s needs a newer driver, and this machine has %s: %s", c->release,
		       has, o->said);
	hint(v, "install a newer driver, or take what it can run: 'cudaenv install supported'");
}

static void judge_invisible(const struct run_case *c, struct verdict *v)
{
	const struct gpus *g = c->gpus;
	if (c->visible) {
		detail(v, "CUDA_VISIBLE_DEVICES is '%.64s', which leaves none of %zu GPU%s",
		       c->visible, g->n, g->n == 1 ? "" : "s");
		hint(v, "unset CUDA_VISIBLE_DEVICES, or give it numbers or UUIDs that "
			"nvidia-smi -L lists, each once");
	} else if (!g->node_ctl || !g->nodes) {
		detail(v,
		       "the driver shows no GPU: /dev/nvidia%s is not there or may not be opened",
		       g->node_ctl ? "0" : "ctl");
		hint(v, "start a container with its GPUs (docker run --gpus all); else run "
			"'nvidia-modprobe -c0 -u' as root");
	} else {
		detail(v, "the driver shows no GPU to programs");
		hint(v, "see what nvidia-smi says; a container must be started with its GPUs");
	}
}

static void judge_busy(const struct run_case *c, const struct run_outcome *o, struct verdict *v)
{
	int mode = c->gpus->n ? c->gpus->items[0].compute_mode : GPU_SHARED;
	if (o->code == NO_MEMORY)
		detail(v, "the GPU's memory is in use: %s", o->said);
	else
		detail(v, "%s: %s",
		       mode == GPU_PROHIBITED  ? "the GPU's compute mode forbids programs"
		       : mode == GPU_EXCLUSIVE ? "another program has the GPU for itself"
					       : "the GPU is not available",
		       o->said);
	hint(v, "see with nvidia-smi who uses it; 'nvidia-smi -c DEFAULT' shares it again");
}

/* Causes that lie in the machine, so that both kinds of code would fail alike. */
static bool is_uvm(const struct run_case *c, int code)
{
	const struct gpus *g = c->gpus;
	return (code == 999 || code == 304 || code == 3 || code == NO_DEVICE || code == 101) &&
	       g->driver[0] && g->node_ctl && !g->node_uvm && !c->visible;
}

static void judge_call(const struct run_case *c, const struct run_outcome *o, struct verdict *v)
{
	const char *cause = gpu_code_cause(o->code), *remedy = gpu_code_remedy(o->code);
	set(v, "cuda-error");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].code == o->code)
			set(v, words[i].word);
	detail(v, "%s%s%s", cause ? cause : "", cause ? ": " : "", o->said);
	if (remedy)
		hint(v, "%s", remedy);
	if (is_uvm(c, o->code)) {
		set(v, "uvm-missing");
		detail(v, "/dev/nvidia-uvm is not there or may not be opened: %s", o->said);
		hint(v,
		     "run 'nvidia-modprobe -c0 -u' or 'modprobe nvidia_uvm' as root; a container "
		     "needs the device too");
	} else if (o->code == OLD_DRIVER || o->code == NEEDS_NEWER_DRIVER) {
		judge_driver(c, o, v);
	} else if (o->code == NO_DEVICE || o->code == INVALID_DEVICE) {
		judge_invisible(c, v);
	} else if (o->code == UNAVAILABLE || o->code == NO_MEMORY) {
		judge_busy(c, o, v);
	} else if (o->code == MISMATCH && c->gpus->driver[0] && c->gpus->nvml_driver[0] &&
		   strcmp(c->gpus->driver, c->gpus->nvml_driver) != 0) {
		detail(v, "the kernel's driver is %s and its library is %s: %s", c->gpus->driver,
		       c->gpus->nvml_driver, o->said);
	}
}

void judge_program(const struct run_case *c, const struct run_outcome *o, struct verdict *v)
{
	switch (o->end) {
	case RUN_CALL:
		judge_call(c, o, v);
		return;
	case RUN_WRONG:
		set(v, "wrong-result");
		detail(v, "the kernel gave a wrong result: %s", o->said);
		hint(v, "test the GPU (nvidia-smi -q -d ECC; dcgmi diag -r 3)");
		return;
	case RUN_CRASHED:
		set(v, "crashed");
		detail(v, "the program was %s", o->said);
		hint(v, "the kernel's log (dmesg, 'NVRM: Xid') may name the cause");
		return;
	case RUN_TIMEOUT:
	case RUN_ENDLESS:
		set(v, "timeout");
		detail(v, "%s",
		       o->end == RUN_TIMEOUT ? "the program did not end before the deadline"
					     : "the program printed without end");
		hint(v, "see with nvidia-smi whether the GPU answers; another program may keep it "
			"busy");
		return;
	case RUN_STRANGE:
	case RUN_NONE:
	case RUN_OK:
		break;
	}
	set(v, "cuda-error");
	detail(v, "the program did not do its work: %s", o->said);
}

static bool is_call(const struct run_outcome *o, int code)
{
	return o->end == RUN_CALL && o->code == code;
}

/* nvcc has no machine code for this GPU, or it was not for it. */
static void judge_arch(const struct run_case *c, struct verdict *v)
{
	bool dropped = c->lowest && c->cc < c->lowest;
	const char *ptx = c->ptx.end == RUN_OK ? "; its PTX runs, compiled by the driver" : "";
	set(v, dropped ? "arch-dropped" : "arch-too-new");
	if (dropped)
		detail(v, "CUDA %s compiles for %d.%d and newer, and this GPU is %d.%d%s",
		       c->release, c->lowest / 10, c->lowest % 10, c->cc / 10, c->cc % 10, ptx);
	else
		detail(v, "CUDA %s compiles for GPUs up to %d.%d, and this one is %d.%d%s",
		       c->release, c->highest / 10, c->highest % 10, c->cc / 10, c->cc % 10, ptx);
	if (c->other)
		hint(v, "take CUDA %s or %s: 'cudaenv install %s'", c->other,
		     dropped ? "older" : "newer", c->other);
	else
		hint(v, "take %s CUDA", dropped ? "an older" : "a newer");
}

/* Machine code ran; PTX did not. */
static void judge_ptx(const struct run_case *c, struct verdict *v)
{
	struct verdict p = {0};
	char has[96];
	judge_program(c, &c->ptx, &p);
	snprintf(v->on.ptx, sizeof v->on.ptx, "%s", p.word);
	if (c->ptx.end != RUN_CALL) {
		/* The same kernel, and not the same result: that is no matter of versions. */
		set(v, p.word);
		detail(v, "machine code runs, PTX does not: %.400s", p.detail);
		hint(v, "%s", p.hint);
		return;
	}
	set(v, "ok");
	if (c->ptx.code == NEW_PTX) {
		detail(v, "machine code (sm_%d) runs; PTX of CUDA %s is newer than %s knows",
		       c->code, c->release, driver_words(c->gpus, has));
		hint(v,
		     "compile with -arch=sm_%d (or native), not for PTX alone; a newer driver "
		     "takes both",
		     c->code);
	} else {
		detail(v, "machine code (sm_%d) runs; PTX does not: %.300s", c->code, p.detail);
		hint(v, "%s", p.hint);
	}
}

void judge_run(const struct run_case *c, struct verdict *v)
{
	v->detail[0] = v->hint[0] = v->on.ptx[0] = '\0';
	bool no_code = !c->code || is_call(&c->sass, NO_CODE);
	if (c->ptx.end == RUN_OK)
		snprintf(v->on.ptx, sizeof v->on.ptx, "ok");
	if (no_code && is_call(&c->ptx, NEW_PTX)) {
		judge_program(c, &c->ptx, v);
		snprintf(v->on.ptx, sizeof v->on.ptx, "%s", v->word);
	} else if (no_code &&
		   (c->ptx.end == RUN_OK || c->ptx.end == RUN_NONE || is_call(&c->ptx, NO_CODE))) {
		judge_arch(c, v);
	} else if (no_code) {
		judge_program(c, &c->ptx, v);
	} else if (c->sass.end != RUN_OK) {
		judge_program(c, &c->sass, v);
	} else if (c->ptx.end != RUN_OK && c->ptx.end != RUN_NONE) {
		judge_ptx(c, v);
	} else {
		set(v, "ok");
	}
}

/*
 * A driver that is loaded but shows nothing is a fault, and so is a hidden GPU. Where neither module nor
 * node nor NVML knows of one, there is none. Image builds see the host's /proc, but no library; a stub in the
 * library's place is a fault only where there is a GPU that it hides.
 */
bool judge_no_gpu(const struct gpus *g, const char *visible, char *out, size_t cap)
{
	if (g->end == GPUS_TOLD && !g->libcuda[0] && !(g->stub[0] && g->nodes)) {
		snprintf(out, cap, "no driver here: %s", g->why);
		return true;
	}
	if (g->end == GPUS_TOLD && g->code == NO_DEVICE && !g->driver[0] && !g->nodes && !g->n &&
	    !visible) {
		snprintf(out, cap, "the driver's library is here, and no GPU");
		return true;
	}
	return false;
}
