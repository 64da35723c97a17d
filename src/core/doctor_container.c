/* Places where the driver is somebody else's: containers, WSL, Jetson. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/doctor_checks.h"

static const char run_with[] = "docker run --gpus all IMAGE, podman run --device "
			       "nvidia.com/gpu=all IMAGE (CDI), or resources.limits "
			       "nvidia.com/gpu in Kubernetes";

static bool capability_missing(const char *word)
{
	const char *have = getenv("NVIDIA_DRIVER_CAPABILITIES");
	return have && have[0] && !strstr(have, "all") && !strstr(have, word);
}

/* The kernel's side is the host's and visible; devices and libraries come with the container's options. */
void doctor_container(struct doctor *d, const struct facts *f)
{
	const char *shown = getenv("NVIDIA_VISIBLE_DEVICES");
	bool devices = facts_there(f, "/dev/nvidiactl");
	if (!f->container || f->host.wsl || f->host.jetson || (devices && f->gpus.libcuda[0]))
		return;
	if (devices) {
		doctor_find(
			d, DOCTOR_ERROR,
			"the container has GPU devices, but not the driver's library libcuda.so.1");
		if (capability_missing("compute"))
			doctor_remedy(
				d,
				"NVIDIA_DRIVER_CAPABILITIES must have 'compute' (it is '%s'): "
				"start it with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
				getenv("NVIDIA_DRIVER_CAPABILITIES"));
		else
			doctor_remedy(d,
				      "let NVIDIA's container toolkit start it, it brings the "
				      "library: %s",
				      run_with);
	} else if (!f->module) {
		doctor_find(d, DOCTOR_NOTE,
			    "this container (%s) sees no driver: building works, running does not",
			    f->container);
		doctor_remedy(d,
			      "nothing for builds; to run: %s, on a host with a GPU and its driver",
			      run_with);
	} else if (shown && (!shown[0] || !strcmp(shown, "void") || !strcmp(shown, "none"))) {
		doctor_find(
			d, DOCTOR_WARNING,
			"NVIDIA_VISIBLE_DEVICES is '%s': this container was started without a GPU",
			shown);
		doctor_remedy(d, "start it with NVIDIA_VISIBLE_DEVICES=all: %s", run_with);
	} else {
		doctor_find(d, DOCTOR_WARNING,
			    "the host has driver %s, but this container (%s) was started without "
			    "its GPUs",
			    f->host.driver[0] ? f->host.driver : "loaded", f->container);
		doctor_remedy(d, "start it with them: %s", run_with);
	}
}

void doctor_wsl_libcuda(struct doctor *d, const struct facts *f)
{
	if (!f->host.wsl || facts_there(f, "/usr/lib/wsl/lib/libcuda.so.1"))
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "WSL without '/usr/lib/wsl/lib/libcuda.so.1': the Windows driver does not "
		    "serve it");
	doctor_remedy(d, "update NVIDIA's driver in Windows, then wsl --update and wsl --shutdown; "
			 "install no driver here");
}

/* A Linux driver's library in front of the one that speaks to Windows. */
void doctor_wsl_driver(struct doctor *d, const struct facts *f)
{
	const char *lib = f->gpus.libcuda;
	if (!f->host.wsl || !lib[0] || strstr(lib, "/usr/lib/wsl/"))
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "a Linux driver is installed inside WSL: '%s' hides that of Windows", lib);
	doctor_remedy(d, "remove it (apt-get purge 'libnvidia-*' 'nvidia-driver*'): WSL uses the "
			 "Windows driver");
}

void doctor_jetson(struct doctor *d, const struct facts *f)
{
	if (!f->host.jetson || !facts_version(f) || !host_arch_known(f->host.arch))
		return;
	autofree char *targets = xasprintf("%s/targets", f->sel.prefix);
	autofree char *own = xasprintf("%s/%s-linux", targets, f->host.arch);
	if (access(targets, F_OK) < 0 || access(own, F_OK) == 0)
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "this Jetson needs toolkits for '%s', but %s is made for another platform",
		    f->host.arch, f->sel.name);
	doctor_remedy(d, "cudaenv install -f --arch %s %s", f->host.arch, f->sel.name);
}
