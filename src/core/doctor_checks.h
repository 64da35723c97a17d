#pragma once
/* The checks, one for each code, by subject; and how they tell what they found. */
#include "core/doctor.h"

/* A finding of the check that runs, and the remedy of the last one. */
void doctor_find(struct doctor *d, enum doctor_severity s, const char *what, ...) printf_like(3, 4);
void doctor_remedy(struct doctor *d, const char *remedy, ...) printf_like(2, 3);
/* Whether a check that ran before found something. */
bool doctor_found(const struct doctor *d, const char *code);

typedef void doctor_check(struct doctor *d, const struct facts *f);

/* doctor_path.c */
doctor_check doctor_not_selected, doctor_path_shim_late, doctor_path_foreign, doctor_path_duplicate,
	doctor_conda, doctor_sudo;
/* doctor_vars.c */
doctor_check doctor_var_disagree, doctor_var_stale;
/* doctor_loader.c */
doctor_check doctor_ld_clash, doctor_ld_stubs, doctor_ld_compat, doctor_ld_two_cudart,
	doctor_ld_entry, doctor_ld_other, doctor_ld_conf, doctor_cudnn_variant, doctor_cudnn_two;
/* doctor_link.c */
doctor_check doctor_link_dangling, doctor_link_alternatives;
/* doctor_driver.c */
doctor_check doctor_driver_absent, doctor_driver_mismatch, doctor_driver_too_old, doctor_nouveau,
	doctor_secure_boot, doctor_driver_error;
/* doctor_gpu.c */
doctor_check doctor_gpu_none, doctor_gpu_dropped, doctor_gpu_too_new, doctor_gpu_hidden,
	doctor_nodes, doctor_uvm, doctor_fabric;
/* doctor_container.c */
doctor_check doctor_container, doctor_wsl_libcuda, doctor_wsl_driver, doctor_jetson;
/* doctor_build.c */
doctor_check doctor_var_lists, doctor_ccbin, doctor_glibc, doctor_filled, doctor_drift,
	doctor_framework, doctor_ccache;
/* doctor_tree.c */
doctor_check doctor_tree, doctor_store, doctor_moved, doctor_shims;
/* doctor_disk.c, doctor_net.c */
doctor_check doctor_disk, doctor_net;
