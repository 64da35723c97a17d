/* GPUs: there, reachable, shown to programs, and of the toolkit's age. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/doctor_checks.h"

static bool usable_host(const struct facts *f)
{
	return f->module && !f->host.wsl && !f->host.jetson;
}

void doctor_nodes(struct doctor *d, const struct facts *f)
{
	if (!usable_host(f) || doctor_found(d, "CONTAINER_NO_GPU"))
		return;
	bool there = facts_there(f, "/dev/nvidiactl");
	if (!there || !f->gpus.nodes) {
		doctor_find(d, DOCTOR_ERROR, "the driver is loaded, but %s is missing",
			    there ? "/dev/nvidia0" : "/dev/nvidiactl");
		doctor_remedy(d, f->container ? "start the container with its GPUs (--gpus all, or "
						"--device nvidia.com/gpu=all)"
					      : "sudo nvidia-modprobe -c0 -u");
	} else if (!f->gpus.node_ctl) {
		doctor_find(d, DOCTOR_ERROR,
			    "/dev/nvidiactl is there, but this user may not open it");
		doctor_remedy(d, "join the group that owns it (ls -l /dev/nvidiactl; often "
				 "'video'), and log in again");
	}
}

/* The module of managed memory: nvidia-smi works without it, no CUDA program does. */
void doctor_uvm(struct doctor *d, const struct facts *f)
{
	bool node = facts_there(f, "/dev/nvidia-uvm");
	if (!usable_host(f) || f->gpus.code == 0 || doctor_found(d, "CONTAINER_NO_GPU") ||
	    doctor_found(d, "NODES_MISSING") || (f->uvm && node && f->gpus.node_uvm))
		return;
	if (f->uvm && node)
		doctor_find(d, DOCTOR_ERROR,
			    "/dev/nvidia-uvm is there, but this user may not open it");
	else
		doctor_find(d, DOCTOR_ERROR, "%s: no CUDA program can start%s",
			    f->uvm ? "/dev/nvidia-uvm is missing"
				   : "the module nvidia_uvm is not loaded",
			    f->gpus.code == 999 ? " (error 999)" : "");
	doctor_remedy(
		d, f->container ? "add /dev/nvidia-uvm to the container's devices (--gpus all does)"
				: "sudo modprobe nvidia_uvm && sudo nvidia-modprobe -c0 -u");
}

void doctor_fabric(struct doctor *d, const struct facts *f)
{
	if (f->gpus.code != 802)
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "error 802: the GPUs are joined by NVSwitch and their fabric is not up");
	doctor_remedy(
		d, "sudo systemctl start nvidia-fabricmanager, of the same version as driver %s%s",
		f->host.driver[0] ? f->host.driver : "itself", f->container ? ", on the host" : "");
}

/* How many the machine has, seen or not. */
static size_t count(const struct facts *f)
{
	return f->gpus.n ? f->gpus.n : f->gpus.nodes > 0 ? (size_t)f->gpus.nodes : f->n_pci;
}

static const struct gpu *by_uuid(const struct facts *f, const char *word, size_t n)
{
	for (size_t i = 0; i < f->gpus.n; i++)
		if (n && !strncmp(f->gpus.items[i].uuid, word, n))
			return &f->gpus.items[i];
	return NULL;
}

static bool is_uuid(const char *word)
{
	return !strncmp(word, "GPU-", 4) || !strncmp(word, "MIG-", 4);
}

/*
 * Why CUDA ends the list at this word; NULL: it is good. Measured with driver 580: a number may have blanks before
 * and anything behind it, a UUID may be cut short, and a list is of numbers or of UUIDs.
 */
static const char *bad_word(const struct facts *f, const char *list, const char *word, size_t n,
			    char *buf, size_t cap)
{
	char *end;
	long index = strtol(word, &end, 10);
	if (is_uuid(word) != is_uuid(list + strspn(list, " \t")))
		return "it has numbers as well as UUIDs";
	if (!strncmp(word, "MIG-", 4))
		return NULL; /* only the driver knows these */
	if (is_uuid(word)) {
		if (!f->gpus.n || by_uuid(f, word, n))
			return NULL;
		snprintf(buf, cap, "no GPU here has the UUID '%.*s'", (int)n, word);
		return buf;
	}
	if (end == word) {
		snprintf(buf, cap, "'%.*s' is neither a number nor a UUID", (int)n, word);
		return buf;
	}
	if (index < 0)
		return "-1 ends the list";
	if (!count(f) || (size_t)index < count(f))
		return NULL;
	snprintf(buf, cap, "there is no GPU %ld: %zu %s", index, count(f),
		 count(f) == 1 ? "is here" : "are here");
	return buf;
}

static bool stands_before(const char *list, const char *word, size_t n)
{
	for (const char *p = list; p < word; p += strcspn(p, ",") + 1)
		if (strcspn(p, ",") == n && !strncmp(p, word, n))
			return true;
	return false;
}

void doctor_gpu_hidden(struct doctor *d, const struct facts *f)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	char buf[160];
	if (!list)
		return;
	if (!list[strspn(list, " \t")] || !strcmp(list, "-1") || !strcmp(list, "NoDevFiles")) {
		doctor_find(d, DOCTOR_WARNING,
			    "CUDA_VISIBLE_DEVICES is '%s': it hides every GPU from programs", list);
		doctor_remedy(d, "unset CUDA_VISIBLE_DEVICES");
		return;
	}
	for (const char *p = list; *p; p += p[0] == ',') {
		p += strspn(p, " \t");
		size_t n = strcspn(p, ", \t");
		const char *why = bad_word(f, list, p, n, buf, sizeof buf);
		bool twice = !why && stands_before(list, p, n);
		if (why || twice) {
			doctor_find(d, DOCTOR_ERROR, "CUDA_VISIBLE_DEVICES is '%s': %s%s", list,
				    twice ? "it names one GPU twice" : why,
				    twice	? ", and then programs see none"
				    : p == list ? ", so programs see none"
						: ", so only those before it are seen");
			doctor_remedy(d, "unset CUDA_VISIBLE_DEVICES, or name GPUs as nvidia-smi "
					 "-L lists them");
			return;
		}
		p += strcspn(p, ",");
	}
	if (f->gpus.code != 0 || gpu_visible(&f->gpus) >= f->gpus.n)
		return;
	doctor_find(d, DOCTOR_NOTE, "CUDA_VISIBLE_DEVICES is '%s': programs see %zu of %zu GPUs",
		    list, gpu_visible(&f->gpus), f->gpus.n);
	doctor_remedy(d, "nothing, if that is meant; else unset it");
}

void doctor_gpu_none(struct doctor *d, const struct facts *f)
{
	static const char *const causes[] = {"CONTAINER_NO_GPU", "GPU_HIDDEN",	    "NODES_MISSING",
					     "UVM_MISSING",	 "NOUVEAU",	    "SECURE_BOOT",
					     "DRIVER_ABSENT",	 "DRIVER_MISMATCH", "WSL_LIBCUDA",
					     "WSL_DRIVER",	 "LD_STUBS",	    "LD_COMPAT"};
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (doctor_found(d, causes[i]))
			return;
	if (f->gpus.code == 100 && (f->module || f->host.wsl || f->host.jetson)) {
		const char *last = f->n_pci ? gpuid_last_driver(f->pci[0].id.cc) : NULL;
		doctor_find(d, DOCTOR_ERROR, "error 100: the driver is loaded and shows no GPU");
		if (last && strtol(f->host.driver, NULL, 10) > strtol(last, NULL, 10))
			doctor_remedy(d,
				      "install the driver of branch %s, the last one for %s: this "
				      "one is %s",
				      last, f->pci[0].id.name, f->host.driver);
		else
			doctor_remedy(d,
				      "see dmesg for NVRM lines (RmInitAdapter): a driver too old "
				      "for this GPU, the wrong flavour (open or not), or a fault");
	} else if (!f->n_pci && !f->gpus.n && !f->host.wsl && !f->host.jetson && !f->module &&
		   !f->container) {
		doctor_find(
			d, DOCTOR_NOTE,
			"there is no NVIDIA GPU on this machine: building works, running does not");
		doctor_remedy(
			d,
			"nothing for builds; a virtual machine must be given its GPU by the host");
	}
}

static void tell_arch(struct doctor *d, const struct facts *f, const char *name, int cc,
		      enum catalog_gpu bad)
{
	const struct catalog_release *first, *last;
	doctor_find(d, DOCTOR_ERROR, "%s makes no code for %s (compute capability %d.%d)%s",
		    f->sel.name, name, cc / 10, cc % 10,
		    bad == CATALOG_GPU_DROPPED ? ": support for it ended" : ", which is newer");
	if (!f->catalog || !catalog_gpu_range(f->catalog, cc, &first, &last))
		doctor_remedy(d, "nvcc --list-gpu-code shows what a toolkit serves");
	else if (bad == CATALOG_GPU_DROPPED)
		doctor_remedy(d, "cudaenv install %s, the last release for this GPU", last->label);
	else
		doctor_remedy(d, "cudaenv install %s or newer", first->label);
}

/* Each kind of GPU once: as the driver tells, else as PCI does. */
static void judge_arch(struct doctor *d, const struct facts *f, enum catalog_gpu bad)
{
	int seen = 0;
	for (size_t i = 0; f->known && i < f->gpus.n; i++) {
		const struct gpu *g = &f->gpus.items[i];
		if (g->cc != seen && catalog_gpu(f->known, g->cc) == bad)
			tell_arch(d, f, g->name, seen = g->cc, bad);
	}
	for (size_t i = 0; f->known && !f->gpus.n && i < f->n_pci; i++) {
		const struct gpuid *g = &f->pci[i].id;
		if (g->cc != seen && catalog_gpu(f->known, g->cc) == bad)
			tell_arch(d, f, g->name, seen = g->cc, bad);
	}
}

void doctor_gpu_dropped(struct doctor *d, const struct facts *f)
{
	judge_arch(d, f, CATALOG_GPU_DROPPED);
}

void doctor_gpu_too_new(struct doctor *d, const struct facts *f)
{
	judge_arch(d, f, CATALOG_GPU_TOO_NEW);
}
