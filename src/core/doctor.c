#include "core/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/doctor_checks.h"

/* In the order in which they are told; a check may ask what those above it found. */
static const struct {
	const char *code;
	doctor_check *run;
} checks[] = {
	{"NOT_SELECTED", doctor_not_selected},
	{"CONDA_IN_FRONT", doctor_conda},
	{"SUDO_PATH", doctor_sudo},
	{"PATH_SHIM_LATE", doctor_path_shim_late},
	{"PATH_FOREIGN_NVCC", doctor_path_foreign},
	{"PATH_DUPLICATE", doctor_path_duplicate},
	{"VAR_STALE", doctor_var_stale},
	{"VAR_DISAGREE", doctor_var_disagree},
	{"LD_ENTRY", doctor_ld_entry},
	{"LD_STUBS", doctor_ld_stubs},
	{"LD_COMPAT", doctor_ld_compat},
	{"LD_CONF_CUDA", doctor_ld_conf},
	{"LD_TWO_CUDART", doctor_ld_two_cudart},
	{"LD_ENTRY", doctor_ld_other},
	{"LD_CLASH_FRAMEWORK", doctor_ld_clash},
	{"CUDNN_VARIANT", doctor_cudnn_variant},
	{"CUDNN_TWO", doctor_cudnn_two},
	{"LINK_DANGLING", doctor_link_dangling},
	{"LINK_ALTERNATIVES", doctor_link_alternatives},
	{"CONTAINER_NO_GPU", doctor_container},
	{"WSL_LIBCUDA", doctor_wsl_libcuda},
	{"WSL_DRIVER", doctor_wsl_driver},
	{"JETSON_ARCH", doctor_jetson},
	{"NOUVEAU", doctor_nouveau},
	{"SECURE_BOOT", doctor_secure_boot},
	{"DRIVER_ABSENT", doctor_driver_absent},
	{"DRIVER_MISMATCH", doctor_driver_mismatch},
	{"DRIVER_TOO_OLD", doctor_driver_too_old},
	{"NODES_MISSING", doctor_nodes},
	{"UVM_MISSING", doctor_uvm},
	{"FABRIC_MANAGER", doctor_fabric},
	{"GPU_HIDDEN", doctor_gpu_hidden},
	{"GPU_NONE", doctor_gpu_none},
	{"GPU_ARCH_DROPPED", doctor_gpu_dropped},
	{"GPU_ARCH_TOO_NEW", doctor_gpu_too_new},
	{"DRIVER_ERROR", doctor_driver_error},
	{"CCBIN_REFUSED", doctor_ccbin},
	{"GLIBC_HEADERS", doctor_glibc},
	{"FRAMEWORK_CUDA", doctor_framework},
	{"BUILD_TWO_CUDA", doctor_filled},
	{"BUILD_TWO_CUDA", doctor_var_lists},
	{"CMAKE_CACHE_DRIFT", doctor_drift},
	{"CCACHE_SHIM", doctor_ccache},
	{"TREE_INCOMPLETE", doctor_tree},
	{"STORE_CHANGED", doctor_store},
	{"ROOT_MOVED", doctor_moved},
	{"SHIM_FOREIGN", doctor_shims},
	{"DISK_LOW", doctor_disk},
	{"NET_MIRROR", doctor_net},
};

static printf_like(1, 0) char *line(const char *fmt, va_list ap)
{
	char *s = NULL;
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	err_sanitize(s);
	return s;
}

void doctor_find(struct doctor *d, enum doctor_severity severity, const char *what, ...)
{
	va_list ap;
	va_start(ap, what);
	d->items = array_grow(d->items, d->n, sizeof *d->items);
	d->items[d->n++] = (struct doctor_finding){
		.code = d->code, .severity = severity, .what = line(what, ap)};
	va_end(ap);
}

void doctor_remedy(struct doctor *d, const char *remedy, ...)
{
	va_list ap;
	va_start(ap, remedy);
	free(d->items[d->n - 1].remedy);
	d->items[d->n - 1].remedy = line(remedy, ap);
	va_end(ap);
}

bool doctor_found(const struct doctor *d, const char *code)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->items[i].code, code))
			return true;
	return false;
}

void doctor_examine(struct doctor *d, const struct facts *f)
{
	*d = (struct doctor){0};
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		d->code = checks[i].code;
		checks[i].run(d, f);
	}
	/* Few, and those of one severity keep their order. */
	for (size_t i = 1; i < d->n; i++)
		for (size_t j = i; j && d->items[j - 1].severity > d->items[j].severity; j--) {
			struct doctor_finding swap = d->items[j];
			d->items[j] = d->items[j - 1];
			d->items[j - 1] = swap;
		}
}

bool doctor_has_errors(const struct doctor *d)
{
	return d->n && d->items[0].severity == DOCTOR_ERROR;
}

void doctor_clear(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->items[i].what);
		free(d->items[i].remedy);
	}
	free(d->items);
	*d = (struct doctor){0};
}

const char *doctor_code(size_t i)
{
	return i < ARRAY_LEN(checks) ? checks[i].code : NULL;
}

const char *doctor_severity_name(enum doctor_severity s)
{
	static const char *const names[] = {"error", "warning", "note"};
	return names[s];
}
