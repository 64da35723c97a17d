#include "core/host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/io.h"
#include "core/gpulib.h"

enum { FACT_MAX = 4096 };

static bool read_fact(const char *root, const char *path, struct buf *out)
{
	struct err err;
	autofree char *full = xasprintf("%s%s", root, path);
	return io_read_file(full, out, &err);
}

/*
 * Jetson boards have toolkits of their own (aarch64) up to release 36 of their system; from 38 on
 * (Thor, CUDA 13) they take those of servers. The file begins "# R36 (release), REVISION: 4.0,
 * ...".
 */
static bool is_old_jetson(const char *root)
{
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	if (read_fact(root, "/etc/nv_tegra_release", &b)) {
		const char *r = strstr(buf_str(&b), "# R");
		return !r || strtol(r + 3, NULL, 10) < 38;
	}
	buf_clear(&b);
	return read_fact(root, "/sys/devices/soc0/family", &b) && strstr(buf_str(&b), "Tegra");
}

static void probe_arch(struct host *h, const struct host_places *at)
{
	const char *arch = at->machine;
	if (!strcmp(arch, "aarch64"))
		arch = is_old_jetson(at->root) ? "aarch64" : "sbsa";
	snprintf(h->arch, sizeof h->arch, "%s", arch);
}

/* The kernel says so, and there is the device of its paravirtual GPU. */
static bool is_wsl(const char *root)
{
	struct stat st;
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	autofree char *device = xasprintf("%s/dev/dxg", root);
	return stat(device, &st) == 0 || (read_fact(root, "/proc/sys/kernel/osrelease", &b) &&
					  strcasestr(buf_str(&b), "microsoft"));
}

static bool is_jetson(const char *root)
{
	struct stat st;
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	autofree char *release = xasprintf("%s/etc/nv_tegra_release", root);
	return stat(release, &st) == 0 || (read_fact(root, "/sys/devices/soc0/family", &b) &&
					   strcasestr(buf_str(&b), "tegra"));
}

static bool take_driver(struct host *h, const char *s, size_t len)
{
	struct version v;
	if (len >= sizeof h->driver || !version_parse(s, len, &v) || v.n < 2)
		return false;
	memcpy(h->driver, s, len);
	h->driver[len] = '\0';
	return true;
}

/*
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.98  ..." or "NVRM version: NVIDIA UNIX Open
 * Kernel Module for x86_64  515.57  Release Build ...": the first word behind "Module" that is a
 * number.
 */
static bool driver_from_proc(struct host *h, const char *root)
{
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	if (!read_fact(root, "/proc/driver/nvidia/version", &b))
		return false;
	const char *p = strstr(buf_str(&b), "NVRM version:");
	if (!p)
		return false;
	const char *end = p + strcspn(p, "\n");
	p = strstr(p, " Module");
	if (!p)
		return false;
	for (p += strlen(" Module"); p < end;) {
		p += strspn(p, " \t");
		size_t n = strcspn(p, " \t\n");
		if (!n || take_driver(h, p, n))
			return n > 0;
		p += n;
	}
	return false;
}

static bool driver_from_sys(struct host *h, const char *root)
{
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	return read_fact(root, "/sys/module/nvidia/version", &b) &&
	       take_driver(h, buf_str(&b), strcspn(buf_str(&b), " \t\r\n"));
}

bool host_kernel_driver(const char *root, char *out, size_t cap)
{
	struct host h = {0};
	if (!driver_from_proc(&h, root) && !driver_from_sys(&h, root))
		return false;
	snprintf(out, cap, "%s", h.driver);
	return true;
}

static void driver_from_nvml(struct host *h, const char *const *names)
{
	int (*init)(void), (*version)(char *, unsigned), (*end)(void);
	char text[96] = "";
	struct gpulib l;
	gpulib_open(&l, names);
	if (!l.lib)
		return;
	GPULIB_SYMBOL(&l, "nvmlInit_v2", init);
	GPULIB_SYMBOL(&l, "nvmlSystemGetDriverVersion", version);
	GPULIB_SYMBOL(&l, "nvmlShutdown", end);
	if (init && version && end && init() == 0) {
		if (version(text, sizeof text - 1) == 0)
			take_driver(h, text, strlen(text));
		end();
	}
	gpulib_close(&l);
}

static void probe_cuda(struct host *h, const char *const *names)
{
	int (*version)(int *);
	struct gpulib l;
	gpulib_open(&l, names);
	if (!l.lib)
		return;
	GPULIB_SYMBOL(&l, "cuDriverGetVersion", version);
	int n = 0;
	if (version && version(&n) == 0 && n >= 1000)
		h->cuda = n;
	gpulib_close(&l);
}

void host_probe_at(struct host *h, const struct host_places *at)
{
	*h = (struct host){0};
	probe_arch(h, at);
	h->wsl = is_wsl(at->root);
	h->jetson = is_jetson(at->root);
	if (!driver_from_proc(h, at->root) && !driver_from_sys(h, at->root))
		driver_from_nvml(h, at->libnvml);
	probe_cuda(h, at->libcuda);
}

void host_probe(struct host *h)
{
	struct utsname u = {0};
	uname(&u);
	host_probe_at(h, &(struct host_places){.root = "",
					       .machine = u.machine,
					       .libcuda = gpulib_cuda,
					       .libnvml = gpulib_nvml});
}

bool host_arch_known(const char *arch)
{
	return !strcmp(arch, "x86_64") || !strcmp(arch, "sbsa") || !strcmp(arch, "aarch64") ||
	       !strcmp(arch, "ppc64le");
}

static bool at_least(const char *have, const char *need)
{
	struct version h, n;
	return need && version_parse(have, strlen(have), &h) &&
	       version_parse(need, strlen(need), &n) && version_compare(&h, &n) >= 0;
}

static enum host_fit number_fit(const struct host *h, const struct catalog_release *r,
				unsigned number)
{
	if (!h->cuda)
		return HOST_FIT_UNKNOWN;
	if ((unsigned)h->cuda >= number)
		return HOST_FIT_FULL;
	return (unsigned)h->cuda / 1000 == r->v.part[0] ? HOST_FIT_MINOR : HOST_FIT_NONE;
}

enum host_fit host_fit(const struct host *h, const struct catalog_release *r)
{
	unsigned number = r->v.part[0] * 1000 + r->v.part[1] * 10;
	if (h->wsl || h->jetson)
		return number_fit(h, r, number);
	if ((!h->driver[0] && !h->cuda) || (!h->cuda && !r->driver_min && !r->driver_floor))
		return HOST_FIT_UNKNOWN;
	if (at_least(h->driver, r->driver_min) || (h->cuda > 0 && (unsigned)h->cuda >= number))
		return HOST_FIT_FULL;
	return at_least(h->driver, r->driver_floor) ? HOST_FIT_MINOR : HOST_FIT_NONE;
}

static bool offered_here(const struct host *h, const struct catalog *c,
			 const struct catalog_release *r, const char *source)
{
	if (source)
		return catalog_offers(c, r, source, h->arch);
	for (const char *const *s = catalog_sources; *s; s++)
		if (catalog_offers(c, r, *s, h->arch))
			return true;
	return false;
}

static bool none_supported(const struct host *h, const char *source,
			   const struct catalog_release *oldest, struct err *err)
{
	if (!oldest) {
		err_set(err, ERR_HOST, "no CUDA toolkit is known for '%s'%s%s", h->arch,
			source ? " from " : "", source ? source : "");
		return err_hint(err, "'cudaenv list-remote --all' shows what there is elsewhere");
	}
	if (!h->driver[0] && !h->cuda) {
		err_set(err, ERR_HOST, "there is no NVIDIA driver here to say what it supports");
		return err_hint(err, "name a version, or 'latest': building needs no driver");
	}
	err_set(err, ERR_HOST, "driver %s is too old for every CUDA release that %s%s%s has",
		h->driver[0] ? h->driver : "of this machine", source ? "'" : "",
		source ? source : "any source", source ? "'" : "");
	const char *need = oldest->driver_floor ? oldest->driver_floor : oldest->driver_min;
	return need && err_hint(err, "CUDA %s needs driver %s", oldest->label, need);
}

bool host_supported(const struct host *h, const struct catalog *c, const char *source,
		    const struct catalog_release **out, struct err *err)
{
	const struct catalog_release *minor = NULL, *oldest = NULL;
	for (size_t i = c->n; i-- > 0;) {
		const struct catalog_release *r = &c->releases[i];
		if (!offered_here(h, c, r, source))
			continue;
		enum host_fit fit = host_fit(h, r);
		oldest = r;
		if (fit == HOST_FIT_FULL) {
			*out = r;
			return true;
		}
		if (fit == HOST_FIT_MINOR && !minor)
			minor = r;
	}
	if (!minor)
		return none_supported(h, source, oldest, err);
	*out = minor;
	return true;
}
