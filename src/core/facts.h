#pragma once
/*
 * What `doctor` looks at, gathered once: what is selected, what PATH, variables and the loader would take, the
 * driver and its GPUs, the machine. Nothing here needs CUDA, a driver or root.
 *
 * The environment, the working folder and the folders that these name are this process's own; /proc, /sys,
 * /dev, /etc and the system's library folders are looked at below `root`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/layout.h"
#include "base/product.h"
#include "base/resolve.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/gpu.h"
#include "core/gpuid.h"
#include "core/host.h"

struct facts_places {
	const char *root;	 /* "" */
	const char *machine;	 /* uname's word; NULL: ask */
	const char *kernel;	 /* release of the running kernel; NULL: ask */
	const char *glibc;	 /* "2.36"; NULL: ask; "": another C library */
	const struct gpus *gpus; /* NULL: gpu_probe */
	const char *gpu_table;	 /* gpus.tsv; NULL: the installed one */
};

/* An nvcc on PATH. */
struct facts_nvcc {
	char *path, *real;
	char *tree;		    /* its toolkit; "" where its place does not tell */
	char release[VERSION_TEXT]; /* "11.5"; "" unknown */
	bool shim, right;	    /* right: a shim, or of the selected version */
};

/* A variable that names a toolkit, and is set. */
struct facts_var {
	const char *name;
	char *value, *tree;
	char release[VERSION_TEXT];
	bool there, right;
};

/* A folder of the loader's search order. */
struct facts_folder {
	char *path;
	char *from; /* "LD_LIBRARY_PATH", "/etc/ld.so.conf.d/cuda.conf"; "" the system's own */
	bool there;
};

/* libcudart.so.N or libcudnn.so.N in that order. */
struct facts_lib {
	char *path; /* as found */
	char *real;
	const char *from; /* of the folder */
	char soname[32];  /* "libcudart.so.12" */
	char version[32]; /* "12.4.127", as the file is named; else that of the soname */
	bool cudnn;
};

struct facts_pci {
	unsigned device;
	char driver[32]; /* "nvidia", "nouveau", "vfio-pci"; "" none */
	struct gpuid id; /* cc 0: not known */
};

/* A Python framework, by what it left on disk. */
struct facts_framework {
	char *name;		    /* "torch" */
	char version[VERSION_TEXT]; /* "2.3.0+cu121" */
	char cuda[VERSION_TEXT];    /* "12.1"; "" made for the CPU alone or unknown */
	char cudnn[32];		    /* "8.6.0", that it brought with it; "" none */
	bool cpu;
	char *folder; /* site-packages */
};

struct facts_mirror {
	char *shown; /* without credentials */
	bool ok;
	struct err why;
};

struct facts {
	struct facts_places at;
	const struct layout *layout;
	const struct config *config;
	const struct catalog *catalog; /* may be NULL */

	struct selection sel;
	bool resolved; /* else `why`; sel.spec and origin may be set */
	struct err why;
	struct product_selection cudnn; /* beside it; prefix "": none is asked for */
	struct err cudnn_why;		/* code ERR_NONE, or why the one asked for is not there */
	char release[VERSION_TEXT], nvcc[VERSION_TEXT]; /* of the selected prefix; "" unknown */
	const struct catalog_release *known;		/* its release; NULL: not in the catalog */

	struct gpus gpus;
	struct host host;
	enum host_fit fit;	   /* of the selected release */
	const char *container;	   /* "docker", "podman", ...; NULL: none */
	bool module, nouveau, uvm; /* loaded */
	char kernel[80], glibc[16];

	struct facts_nvcc *nvccs;
	size_t n_nvccs;
	struct facts_var *vars;
	size_t n_vars;
	struct facts_folder *folders;
	size_t n_folders;
	struct facts_lib *libs;
	size_t n_libs;
	struct facts_pci *pci;
	size_t n_pci;
	struct facts_framework *frameworks;
	size_t n_frameworks;
	struct facts_mirror *mirrors; /* with facts_ask_mirrors */
	size_t n_mirrors;
	uint64_t disk_free; /* bytes for this user where the root lies */
};

/* Never fails: what cannot be found out is told as unknown. layout, config and catalog are borrowed. */
void facts_gather(struct facts *f, const struct facts_places *at, const struct layout *layout,
		  const struct config *config, const struct catalog *catalog);
/* Asks each mirror of the settings for its list of releases. false only when interrupted. */
must_check bool facts_ask_mirrors(struct facts *f, struct err *err);
void facts_clear(struct facts *f);

/* For the checks. Paths begin with '/' and are below `root`. */
bool facts_there(const struct facts *f, const char *path);
bool facts_read(const struct facts *f, const char *path, struct buf *out);
/* A version of ours is selected and there. */
bool facts_version(const struct facts *f);
/* "12040" is 12.4. */
const char *facts_cuda_number(int n, char out[VERSION_TEXT]);

/* The parts of facts_gather. */
void facts_path(struct facts *f);
void facts_vars(struct facts *f);
void facts_loader(struct facts *f);
/* "8.6.0", by the header of the cuDNN whose libraries are in folder. */
bool facts_cudnn_version(const char *folder, char *out, size_t cap);
void facts_machine(struct facts *f);
void facts_frameworks(struct facts *f);
/* The toolkit that a file P/bin/nvcc belongs to: P, "" where that is no toolkit. The caller frees. */
char *facts_tree_of(const char *nvcc);
/* The same for a folder that is or lies in it, as "P/targets/x86_64-linux/lib". */
char *facts_tree_around(const char *folder);
/* Whether path is <root>/shims/<name>. */
bool facts_is_shim(const struct facts *f, const char *path);
