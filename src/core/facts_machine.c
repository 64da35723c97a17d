/* The kernel's side: modules, GPUs on PCI, and what kind of machine this is. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "core/facts.h"

enum { FACT_MAX = 1 << 16, PCI_MAX = 64 };

static bool read_has(const struct facts *f, const char *path, const char *word)
{
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	return facts_read(f, path, &b) && strcasestr(buf_str(&b), word);
}

static unsigned read_hex(const struct facts *f, const char *device, const char *name)
{
	autobuf struct buf b = BUF_INIT(FACT_MAX);
	autofree char *path = xasprintf("/sys/bus/pci/devices/%s/%s", device, name);
	return facts_read(f, path, &b) ? (unsigned)strtoul(buf_str(&b), NULL, 16) : 0;
}

/* VGA and 3D controllers are what NVIDIA's module binds; the card's audio and USB are not counted. */
static void take_pci(struct facts *f, const char *device)
{
	char link[PATH_MAX];
	unsigned class = read_hex(f, device, "class") >> 8;
	if (f->n_pci >= PCI_MAX || read_hex(f, device, "vendor") != 0x10de ||
	    (class != 0x0300 && class != 0x0302))
		return;
	struct facts_pci p = {.device = read_hex(f, device, "device")};
	autofree char *path = xasprintf("%s/sys/bus/pci/devices/%s/driver", f->at.root, device);
	ssize_t n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = '\0';
	snprintf(p.driver, sizeof p.driver, "%.31s", path_base(link));
	if (!gpuid_find(f->at.gpu_table, p.device, &p.id))
		p.id = (struct gpuid){0};
	f->pci = array_grow(f->pci, f->n_pci, sizeof *f->pci);
	f->pci[f->n_pci++] = p;
}

static const char *container_of(const struct facts *f)
{
	static const struct {
		const char *word, *name;
	} groups[] = {{"kubepods", "Kubernetes"},
		      {"docker", "docker"},
		      {"libpod", "podman"},
		      {"containerd", "containerd"},
		      {"lxc", "lxc"}};
	const char *named = getenv("container");
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return "Kubernetes";
	if (getenv("APPTAINER_CONTAINER") || getenv("SINGULARITY_CONTAINER"))
		return "apptainer";
	if (facts_there(f, "/run/.containerenv"))
		return "podman";
	if (facts_there(f, "/.dockerenv"))
		return "docker";
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (read_has(f, "/proc/1/cgroup", groups[i].word))
			return groups[i].name;
	return named && named[0] ? "a container" : NULL;
}

void facts_machine(struct facts *f)
{
	autofree char *path = xasprintf("%s/sys/bus/pci/devices", f->at.root);
	autodir DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			take_pci(f, e->d_name);
	f->container = container_of(f);
	f->module = facts_there(f, "/sys/module/nvidia") ||
		    facts_there(f, "/proc/driver/nvidia/version");
	f->nouveau = facts_there(f, "/sys/module/nouveau");
	f->uvm = facts_there(f, "/sys/module/nvidia_uvm");
}
