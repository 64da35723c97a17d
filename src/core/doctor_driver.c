/* Module, libraries and toolkit of one another's age. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "core/doctor_checks.h"

enum { EFI_VARIABLE_MAX = 64 };

static bool any_pci(const struct facts *f, const char *driver)
{
	for (size_t i = 0; i < f->n_pci; i++)
		if (!strcmp(f->pci[i].driver, driver))
			return true;
	return false;
}

/* The desktop's and server's driver: WSL and Jetson have theirs from elsewhere, a container from its host. */
static bool own_driver(const struct facts *f)
{
	return !f->host.wsl && !f->host.jetson && !f->container;
}

/* nvidia.ko for the kernel that runs, wherever the package or DKMS put it. */
static bool on_disk(const struct facts *f)
{
	static const char *const folders[] = {
		"updates/dkms",		"updates",	     "extra",
		"kernel/drivers/video", "kernel/nvidia-580", "kernel/drivers/char"};
	static const char *const names[] = {"nvidia.ko",	 "nvidia.ko.xz",
					    "nvidia.ko.zst",	 "nvidia.ko.gz",
					    "nvidia-current.ko", "nvidia-current.ko.xz"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		for (size_t j = 0; j < ARRAY_LEN(names); j++) {
			autofree char *path =
				xasprintf("/lib/modules/%s/%s/%s", f->kernel, folders[i], names[j]);
			if (facts_there(f, path))
				return true;
		}
	return false;
}

/* Sources for a kernel other than this one. */
static bool has_sources(const struct facts *f)
{
	autofree char *path = xasprintf("%s/usr/src", f->at.root);
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (!strncmp(e->d_name, "nvidia-", 7))
			return true;
	return facts_there(f, "/var/lib/dkms/nvidia") ||
	       facts_there(f, "/var/lib/dkms/nvidia-current");
}

void doctor_nouveau(struct doctor *d, const struct facts *f)
{
	if (!any_pci(f, "nouveau") || f->module)
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "the kernel's nouveau driver holds the GPU, so NVIDIA's cannot");
	doctor_remedy(
		d, "blacklist nouveau (a file in /etc/modprobe.d), rebuild the initramfs, reboot");
}

/* The variable is 4 bytes of attributes and one of value. */
void doctor_secure_boot(struct doctor *d, const struct facts *f)
{
	autobuf struct buf b = BUF_INIT(EFI_VARIABLE_MAX);
	if (f->module || !f->n_pci || !own_driver(f) || !on_disk(f) ||
	    !facts_read(f,
			"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
			&b) ||
	    b.len != 5 || b.data[4] != 1)
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "NVIDIA's module is installed but not loaded, and Secure Boot is on: it "
		    "refuses modules without a known key");
	doctor_remedy(
		d,
		"sign the module and enrol the key (mokutil --import), or switch Secure Boot off");
}

static void no_driver(struct doctor *d, const struct facts *f, const struct facts_pci *p)
{
	const char *last = gpuid_last_driver(p->id.cc),
		   *need = f->known ? f->known->driver_min : NULL;
	if (p->id.cc)
		doctor_find(d, DOCTOR_ERROR, "%s (compute capability %d.%d) is here, but no driver",
			    p->id.name, p->id.cc / 10, p->id.cc % 10);
	else
		doctor_find(d, DOCTOR_ERROR,
			    "an NVIDIA GPU (PCI id 10de:%04x) is here, but no driver", p->device);
	if (last)
		doctor_remedy(d, "install NVIDIA's driver of branch %s, the last one for this GPU",
			      last);
	else
		doctor_remedy(d, "install NVIDIA's driver%s%s%s",
			      need ? ", for the selected toolkit " : "", need ? need : "",
			      need ? " or newer" : "");
}

void doctor_driver_absent(struct doctor *d, const struct facts *f)
{
	if (f->gpus.libcuda[0] || !own_driver(f) || doctor_found(d, "NOUVEAU") ||
	    doctor_found(d, "SECURE_BOOT") || doctor_found(d, "LD_STUBS"))
		return;
	if (f->module) {
		doctor_find(d, DOCTOR_ERROR,
			    "driver %s is loaded, but its library libcuda.so.1 is not found",
			    f->host.driver[0] ? f->host.driver : "of NVIDIA");
		doctor_remedy(d, "install the driver's libraries of the same version (libcuda1, "
				 "libnvidia-compute, nvidia-driver-cuda)");
	} else if (f->n_pci && on_disk(f)) {
		doctor_find(d, DOCTOR_ERROR,
			    "an NVIDIA GPU is here and the driver is installed, but not loaded");
		doctor_remedy(d, "sudo modprobe nvidia; dmesg says why where that fails");
	} else if (f->n_pci && has_sources(f)) {
		doctor_find(d, DOCTOR_ERROR,
			    "the driver is installed, but not built for the running kernel %s",
			    f->kernel);
		doctor_remedy(d, "install the headers of this kernel and run dkms autoinstall, or "
				 "reboot into the kernel it was built for");
	} else if (f->n_pci) {
		no_driver(d, f, &f->pci[0]);
	}
}

/* "libcuda.so.550.54.14": the version that the file's name tells. */
static const char *library_version(const struct facts *f)
{
	const char *so = strstr(path_base(f->gpus.libcuda), ".so.");
	return so && strchr(so + 4, '.') ? so + 4 : "";
}

void doctor_driver_mismatch(struct doctor *d, const struct facts *f)
{
	const char *library = f->gpus.nvml_driver[0] ? f->gpus.nvml_driver : library_version(f);
	bool differ = own_driver(f) && f->gpus.driver[0] && library[0] &&
		      strcmp(f->gpus.driver, library) != 0 && !strstr(f->gpus.libcuda, "/compat/");
	if ((f->gpus.nvml_code != 18 && f->gpus.code != 803 && !differ) ||
	    doctor_found(d, "LD_COMPAT"))
		return;
	doctor_find(d, DOCTOR_ERROR, "the kernel runs driver %s, but its libraries are %s%s",
		    f->gpus.driver[0] ? f->gpus.driver : "of another version",
		    library[0] && differ ? library : "of another version",
		    f->gpus.code == 803 ? " (error 803)" : "");
	doctor_remedy(
		d, f->container
			   ? "start the container anew: the host's driver was changed while it ran"
			   : "reboot (or reload the nvidia modules): the driver was upgraded while "
			     "it was loaded");
}

static const char *cuda_words(const struct facts *f, char out[VERSION_TEXT])
{
	return f->host.cuda ? facts_cuda_number(f->host.cuda, out) : "an unknown CUDA";
}

void doctor_driver_too_old(struct doctor *d, const struct facts *f)
{
	char number[VERSION_TEXT];
	const char *driver = f->host.driver[0] ? f->host.driver : "of this machine";
	const char *need =
		f->known ? f->known->driver_floor ? f->known->driver_floor : f->known->driver_min
			 : NULL;
	if (!facts_version(f) || doctor_found(d, "DRIVER_MISMATCH"))
		return;
	if (f->known && f->fit == HOST_FIT_NONE) {
		doctor_find(d, DOCTOR_ERROR,
			    "driver %s supports up to CUDA %s: programs of %s do not run", driver,
			    cuda_words(f, number), f->sel.name);
		doctor_remedy(d,
			      "install driver %s or newer, or use a toolkit up to %s (cudaenv "
			      "install supported)",
			      need ? need : "of its release notes", cuda_words(f, number));
	} else if (f->known && f->fit == HOST_FIT_MINOR) {
		doctor_find(d, DOCTOR_WARNING,
			    "driver %s supports up to CUDA %s: machine code of %s runs, its PTX "
			    "does not (error 222)",
			    driver, cuda_words(f, number), f->sel.name);
		doctor_remedy(d, "compile for the GPU itself (-arch=native, or sm_XX)%s%s",
			      f->known->driver_min ? ", or install driver " : "",
			      f->known->driver_min ? f->known->driver_min : "");
	} else if (f->gpus.code == 35 || f->gpus.code == 36) {
		doctor_find(d, DOCTOR_ERROR, "error %d: %s", f->gpus.code,
			    gpu_code_cause(f->gpus.code));
		doctor_remedy(d, "%s", gpu_code_remedy(f->gpus.code));
	}
}

/* What no check above explains. Unknown numbers are told as they are. */
void doctor_driver_error(struct doctor *d, const struct facts *f)
{
	static const int elsewhere[] = {-1, 0, 34, 35, 36, 100, 802, 803, 804};
	char buf[32];
	if (f->gpus.end == GPUS_HUNG || f->gpus.end == GPUS_CRASHED) {
		doctor_find(d, DOCTOR_ERROR, "the driver's library %s in %s",
			    f->gpus.end == GPUS_HUNG ? "does not answer" : "crashed", f->gpus.step);
		doctor_remedy(
			d,
			"see dmesg for lines with NVRM or Xid; a reboot is what helps most often");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++)
		if (f->gpus.code == elsewhere[i])
			return;
	if ((f->gpus.code == 999 && doctor_found(d, "UVM_MISSING")) ||
	    (f->gpus.code == 101 && doctor_found(d, "GPU_HIDDEN")))
		return;
	const char *cause = gpu_code_cause(f->gpus.code), *remedy = gpu_code_remedy(f->gpus.code);
	doctor_find(d, DOCTOR_ERROR, "cuInit gives error %d, %s%s%s", f->gpus.code,
		    gpu_code_name(f->gpus.code, buf, sizeof buf), cause ? ": " : "",
		    cause ? cause : "");
	doctor_remedy(d, "%s", remedy ? remedy : "see dmesg for lines with NVRM or Xid");
}
