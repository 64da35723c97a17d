/* Each code of doctor, from a machine in which one thing is wrong; and that a good machine has none. */
#include "scene.h"

static struct catalog catalog;
static char *source_root, *gpu_table;

/* What differs from the good machine. */
struct scene {
	const char *code;
	enum doctor_severity severity;
	const char *files, *env; /* relative to the scratch folder, where '@' is not given */
	void (*change)(struct gpus *g);
	const char *what, *remedy; /* parts */
	const char *glibc, *machine;
	uint64_t disk;
	const char *alone; /* another code that must not be told as well */
};

static void no_driver(struct gpus *g)
{
	*g = (struct gpus){.end = GPUS_TOLD, .code = -1, .nvml_code = -1};
}

static void result(struct gpus *g, int code)
{
	g->code = code;
	g->n = 0;
}

static void r34(struct gpus *g)
{
	result(g, 34);
}
static void r35(struct gpus *g)
{
	result(g, 35);
}
static void r46(struct gpus *g)
{
	result(g, 46);
}
static void r100(struct gpus *g)
{
	result(g, 100);
}
static void r101(struct gpus *g)
{
	result(g, 101);
}
static void r100_590(struct gpus *g)
{
	r100(g);
	snprintf(g->driver, sizeof g->driver, "590.44.01");
	snprintf(g->nvml_driver, sizeof g->nvml_driver, "590.44.01");
}
static void r802(struct gpus *g)
{
	result(g, 802);
}
static void r803(struct gpus *g)
{
	result(g, 803);
}
static void r999(struct gpus *g)
{
	result(g, 999);
}
static void r4711(struct gpus *g)
{
	result(g, 4711);
}
static void r804(struct gpus *g)
{
	result(g, 804);
	snprintf(g->libcuda, sizeof g->libcuda, "/usr/local/cuda-12.4/compat/libcuda.so.1");
}
static void compat(struct gpus *g)
{
	snprintf(g->libcuda, sizeof g->libcuda, "/usr/local/cuda-12.4/compat/libcuda.so.1");
}
static void compat_803(struct gpus *g)
{
	r803(g);
	compat(g);
}
static void hung(struct gpus *g)
{
	result(g, -1);
	g->end = GPUS_HUNG;
	snprintf(g->step, sizeof g->step, "cuInit");
}
static void nvml_18(struct gpus *g)
{
	g->nvml_code = 18;
	g->nvml_driver[0] = '\0';
}
static void upgraded(struct gpus *g)
{
	snprintf(g->nvml_driver, sizeof g->nvml_driver, "560.35.03");
}
static void old_driver(struct gpus *g)
{
	g->cuda = 11040;
	snprintf(g->driver, sizeof g->driver, "470.82.01");
	snprintf(g->nvml_driver, sizeof g->nvml_driver, "470.82.01");
}
static void minor_driver(struct gpus *g)
{
	g->cuda = 12020;
	snprintf(g->driver, sizeof g->driver, "535.54.03");
	snprintf(g->nvml_driver, sizeof g->nvml_driver, "535.54.03");
}
static void no_nodes(struct gpus *g)
{
	r100(g);
	g->nodes = 0;
	g->node_ctl = g->node_uvm = false;
}
static void no_right(struct gpus *g)
{
	r100(g);
	g->node_ctl = false;
}
static void no_library(struct gpus *g)
{
	no_driver(g);
	snprintf(g->driver, sizeof g->driver, "550.54.15");
	g->node_ctl = g->node_uvm = true;
	g->nodes = 1;
}
static void cc_30(struct gpus *g)
{
	g->items[0].cc = 35;
	snprintf(g->items[0].name, sizeof g->items[0].name, "Tesla K40");
}
static void cc_120(struct gpus *g)
{
	g->items[0].cc = 120;
	snprintf(g->items[0].name, sizeof g->items[0].name, "RTX 5090");
}
static void wsl(struct gpus *g)
{
	snprintf(g->libcuda, sizeof g->libcuda, "/usr/lib/wsl/lib/libcuda.so.1");
	g->driver[0] = '\0';
	snprintf(g->nvml_driver, sizeof g->nvml_driver, "546.80");
	g->nodes = 0;
	g->node_ctl = g->node_uvm = false;
}
static void wsl_linux(struct gpus *g)
{
	wsl(g);
	snprintf(g->libcuda, sizeof g->libcuda, "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
}
static void two_gpus(struct gpus *g)
{
	g->items[1] = g->items[0];
	g->items[1].ordinal = -1;
	g->n = 2;
}

#define NO_MODULE "-fs/proc/driver\n-fs/sys/module/nvidia\n-fs/sys/module/nvidia_uvm\n-fs/dev\n"
#define NO_GPU NO_MODULE "-fs/sys/bus\n"
#define UNBOUND "-fs/sys/bus/pci/devices/0000:19:00.0/driver\n"
#define PCI_ID(id) "fs/sys/bus/pci/devices/0000:19:00.0/device|0x" id "^\n"
#define EFI "fs/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define WSL NO_GPU "fs/dev/dxg|\n"
#define FOREIGN "!o/bin/nvcc|#!/bin/sh^echo 'release 11.5, V11.5.119'\n"
#define V124 "@/r/versions/12.4.1"

#define SITE "venv/lib/python3.11/site-packages/"
#define TORCH(version, cuda)                                                                       \
	SITE "torch/version.py|__version__ = '" version "'^cuda = '" cuda "'^\n"
#define CUDNN_81 "a/libcudnn.so.8.1.0|x\na/libcudnn.so.8>libcudnn.so.8.1.0\n"

/* A row names what it needs. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct scene scenes[] = {
	/* selection and PATH */
	{"NOT_SELECTED", DOCTOR_ERROR, NULL, "CUDAENV_VERSION=13.0", NULL,
	 "'13.0' is not installed", "install"},
	{"NOT_SELECTED", DOCTOR_ERROR, NULL, "CUDAENV_CUDNN_VERSION=9.3", NULL, "9.3", "cudnn"},
	{"PATH_SHIM_LATE", DOCTOR_ERROR, FOREIGN, "PATH=@/o/bin:@/r/shims:@/bin", NULL,
	 "/o/bin/nvcc' (11.5) stands before", "rc file", .alone = "PATH_FOREIGN_NVCC"},
	{"PATH_SHIM_LATE", DOCTOR_WARNING, NULL, "PATH=@/bin", NULL, "no nvcc is on PATH",
	 "cudaenv init"},
	{"PATH_FOREIGN_NVCC", DOCTOR_ERROR, FOREIGN, "PATH=@/o/bin:@/bin", NULL,
	 "(11.5), but 12.4.1 is selected and not on PATH", "cudaenv exec",
	 .alone = "PATH_SHIM_LATE"},
	{"PATH_FOREIGN_NVCC", DOCTOR_ERROR, NULL, "PATH=@/r/versions/11.8.0/bin:@/bin", NULL,
	 "(11.8.0)", "init"},
	{"PATH_FOREIGN_NVCC", DOCTOR_NOTE, FOREIGN, "PATH=@/r/shims:@/o/bin:@/bin", NULL,
	 "1 other nvcc", "hash -r"},
	{"PATH_DUPLICATE", DOCTOR_WARNING, NULL, "PATH=" V124 "/bin:@/bin:@/r/versions/11.8.0/bin",
	 NULL, "another version", "hook"},
	{"PATH_DUPLICATE", DOCTOR_WARNING, NULL, "PATH=" V124 "/bin:@/bin:" V124 "/bin", NULL,
	 "twice", "hook"},
	{"CONDA_IN_FRONT", DOCTOR_ERROR, "!conda/bin/nvcc|#!/bin/sh^echo release 12.1\n",
	 "CONDA_PREFIX=@/conda\nPATH=@/conda/bin:@/r/shims:@/bin", NULL, "its nvcc (12.1) wins",
	 "conda deactivate", .alone = "PATH_SHIM_LATE"},
	{"SUDO_PATH", DOCTOR_WARNING, NULL, "SUDO_USER=ann\nPATH=@/bin", NULL, "in place of ann's",
	 "env PATH", .alone = "PATH_SHIM_LATE"},
	/* variables */
	{"VAR_DISAGREE", DOCTOR_ERROR, NULL, "CUDA_HOME=@/r/versions/11.8.0", NULL,
	 "CUDA_HOME says 11.8.0, but selected is 12.4.1", "hook"},
	{"VAR_DISAGREE", DOCTOR_ERROR, NULL,
	 "CUDAENV_VERSION=system\nCUDA_HOME=@/r/versions/11.8.0\nCUDA_PATH=" V124, NULL,
	 "CUDA_HOME says 11.8.0, CUDA_PATH says 12.4.1", "hook"},
	{"VAR_DISAGREE", DOCTOR_ERROR, NULL,
	 "CUDA_HOME=" V124 "\nCUDACXX=@/r/versions/11.8.0/bin/nvcc", NULL, "CUDACXX says 11.8.0",
	 "hook"},
	{"VAR_DISAGREE", DOCTOR_ERROR, NULL,
	 "PATH=" V124 "/bin\nCUDA_HOME=@/r/versions/11.8.0\nCUDA_PATH=" V124
	 "\nCUDA_ROOT=@/r/versions/11.8.0\nCUDAToolkit_ROOT=@/r/versions/"
	 "11.8.0\nCUDACXX=@/r/versions/11.8.0/bin/nvcc",
	 NULL,
	 "CUDA_HOME says 11.8.0, CUDA_ROOT says 11.8.0, CUDAToolkit_ROOT says 11.8.0, CUDACXX says "
	 "11.8.0, but selected is 12.4.1",
	 "hook"},
	{"VAR_STALE", DOCTOR_ERROR, NULL, "CUDA_PATH=/usr/local/cuda-6.5", NULL,
	 "CUDA_PATH is '/usr/local/cuda-6.5'", "unset CUDA_PATH", .alone = "VAR_DISAGREE"},
	/* loader */
	{"LD_ENTRY", DOCTOR_WARNING, NULL, "LD_LIBRARY_PATH=/usr/lib32 /usr/local/cuda-6.5/lib64",
	 NULL, "holds a blank", "rc files"},
	{"LD_ENTRY", DOCTOR_WARNING, NULL, "LD_LIBRARY_PATH=lib64", NULL, "is relative",
	 "rc files"},
	{"LD_ENTRY", DOCTOR_WARNING, NULL, "LD_LIBRARY_PATH=~/cuda/lib64", NULL, "begins with '~'",
	 "rc files"},
	{"LD_ENTRY", DOCTOR_WARNING, NULL, "LD_LIBRARY_PATH=/nowhere/cuda/lib64", NULL,
	 "is not there", "rc files"},
	{"LD_STUBS", DOCTOR_ERROR, NULL, "LD_LIBRARY_PATH=" V124 "/lib64/stubs", NULL,
	 "in LD_LIBRARY_PATH", "out of LD_LIBRARY_PATH"},
	{"LD_STUBS", DOCTOR_ERROR, "fs/etc/ld.so.conf|/opt/cuda/lib64/stubs^\n", NULL, r34,
	 "/etc/ld.so.conf", "ldconfig"},
	{"LD_STUBS", DOCTOR_ERROR, NULL, NULL, r34, "stub", "loader's path",
	 .alone = "DRIVER_ERROR"},
	{"LD_COMPAT", DOCTOR_ERROR,
	 "fs/proc/driver/nvidia/version|NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  "
	 "x^\n",
	 NULL, r804, "forward compatibility is for data-centre GPUs",
	 "update the driver to 550.54.15, or use a toolkit up to 12.2", .alone = "DRIVER_ERROR"},
	{"LD_COMPAT", DOCTOR_ERROR, NULL, NULL, compat_803, "error 803", "cuda-compat",
	 .alone = "DRIVER_MISMATCH"},
	{"LD_COMPAT", DOCTOR_NOTE, NULL, NULL, compat, "CUDA 12.4 comes from", "newer driver"},
	{"LD_CONF_CUDA", DOCTOR_WARNING,
	 "fs/etc/ld.so.conf|include ld.so.conf.d/*.conf^\nfs/etc/ld.so.conf.d/cuda-11-7.conf|# "
	 "x^@/cuda-11.7/lib64^\n"
	 "cuda-11.7/lib64/\n",
	 NULL, NULL, "/etc/ld.so.conf.d/cuda-11-7.conf' names", "ldconfig"},
	{"LD_TWO_CUDART", DOCTOR_WARNING,
	 "a/libcudart.so.12>libcudart.so.12.1.105\na/libcudart.so.12.1.105|x\n",
	 "LD_LIBRARY_PATH=@/a:" V124 "/lib64", NULL, "two libcudart.so.12: ", "LD_LIBRARY_PATH",
	 .alone = "LD_ENTRY"},
	{"LD_ENTRY", DOCTOR_WARNING,
	 "a/libcudart.so.12>libcudart.so.12.1.105\na/libcudart.so.12.1.105|x\n",
	 "LD_LIBRARY_PATH=@/a", NULL, "@/a' in LD_LIBRARY_PATH is of another toolkit (12.1.105)",
	 "rc files"},
	{"LD_ENTRY", DOCTOR_WARNING,
	 "a/libcudart.so.13>libcudart.so.13.0.96\n"
	 "a/libcudart.so.13.0.96|x\n",
	 "LD_LIBRARY_PATH=@/a:" V124 "/lib64", NULL, "(13.0.96): programs of 12.4.1 get",
	 "rc files", .alone = "LD_TWO_CUDART"},
	{"LD_CLASH_FRAMEWORK", DOCTOR_WARNING,
	 "venv/lib/python3.11/site-packages/torch/version.py|__version__ = '2.4.0+cu124'^cuda: "
	 "Optional[str] = '12.4'^\n",
	 "VIRTUAL_ENV=@/venv\nLD_LIBRARY_PATH=" V124 "/lib64", NULL,
	 "what torch 2.4.0+cu124 brought", "ld_library_path never"},
	{"LD_CLASH_FRAMEWORK", DOCTOR_WARNING,
	 TORCH("2.0.1+cu118", "11.8") CUDNN_81 SITE
	 "nvidia/cudnn/lib/\n" SITE
	 "nvidia/cudnn/include/cudnn_version.h|#define CUDNN_MAJOR 8^#define CUDNN_MINOR "
	 "6^#define CUDNN_PATCHLEVEL 0^\n",
	 "VIRTUAL_ENV=@/venv\nLD_LIBRARY_PATH=@/a", NULL,
	 "'@/a/libcudnn.so.8' (8.1.0), which comes before what torch 2.0.1+cu118 brought with it, "
	 "cuDNN 8.6.0",
	 "ld_library_path never"},
	{"LD_CLASH_FRAMEWORK", DOCTOR_WARNING,
	 TORCH("1.12.0+cu113", "11.3") CUDNN_81 SITE "torch/lib/libcudnn.so.8|x\n",
	 "VIRTUAL_ENV=@/venv\nLD_LIBRARY_PATH=@/a", NULL, "brought with it, cuDNN 8", "env -u"},
	{"CUDNN_VARIANT", DOCTOR_ERROR, "cudnn/9.3.0-cuda11/\n", "CUDNN_HOME=@/cudnn/9.3.0-cuda11",
	 NULL, "is made for CUDA 11, but 12.4.1", "for CUDA 12"},
	{"CUDNN_TWO", DOCTOR_WARNING,
	 "a/libcudnn.so.8.1.0|x\na/libcudnn.so.8>libcudnn.so.8.1.0\nb/libcudnn.so.8|x\n"
	 "include/cudnn_version.h|#define CUDNN_MAJOR 8^#define CUDNN_MINOR 6^#define "
	 "CUDNN_PATCHLEVEL 0^\n",
	 "LD_LIBRARY_PATH=@/a:@/b", NULL, "(8.1.0) hides", "keep one"},
	/* links */
	{"LINK_DANGLING", DOCTOR_ERROR, "fs/usr/local/cuda>/usr/local/cuda-9.9\n", NULL, NULL,
	 "'/usr/local/cuda-9.9'", "system-link 12.4.1"},
	{"LINK_DANGLING", DOCTOR_ERROR, "r/versions/old>/gone\n", NULL, NULL, "version 'old'",
	 "cudaenv unlink old"},
	{"LINK_ALTERNATIVES", DOCTOR_WARNING,
	 "fs/etc/alternatives/cuda>@/r/versions/11.8.0\nfs/usr/local/cuda>@/fs/etc/alternatives/"
	 "cuda\n",
	 NULL, NULL, "(11.8.0)", "update-alternatives --config cuda"},
	{"LINK_ALTERNATIVES", DOCTOR_NOTE,
	 "fs/etc/alternatives/cuda>" V124 "\nfs/usr/local/cuda>@/fs/etc/alternatives/cuda\n", NULL,
	 NULL, "(12.4.1)", "nothing"},
	/* driver */
	{"DRIVER_ABSENT", DOCTOR_ERROR, NO_MODULE UNBOUND, NULL, no_driver,
	 "H100 SXM5 80GB (compute capability 9.0) is here, but no driver", "550.54.15 or newer",
	 .alone = "GPU_NONE"},
	{"DRIVER_ABSENT", DOCTOR_ERROR,
	 NO_MODULE UNBOUND "fs/lib/modules/6.1/updates/dkms/nvidia.ko|x\n", NULL, no_driver,
	 "installed, but not loaded", "modprobe nvidia"},
	{"DRIVER_ABSENT", DOCTOR_ERROR, NO_MODULE UNBOUND "fs/usr/src/nvidia-550.54.15/\n", NULL,
	 no_driver, "not built for the running kernel 6.1", "dkms"},
	{"DRIVER_ABSENT", DOCTOR_ERROR, NULL, NULL, no_library, "libcuda.so.1 is not found",
	 "libcuda1"},
	{"DRIVER_ABSENT", DOCTOR_ERROR, NO_MODULE UNBOUND PCI_ID("102d"), NULL, no_driver,
	 "Tesla K80", "branch 470, the last one"},
	{"DRIVER_ABSENT", DOCTOR_ERROR, NO_MODULE UNBOUND PCI_ID("fffe"), NULL, no_driver,
	 "PCI id 10de:fffe", "550.54.15 or newer"},
	{"NOUVEAU", DOCTOR_ERROR,
	 NO_MODULE UNBOUND
	 "fs/sys/bus/pci/devices/0000:19:00.0/driver>../drivers/nouveau\nfs/sys/module/nouveau/\n",
	 NULL, no_driver, "nouveau", "blacklist", .alone = "DRIVER_ABSENT"},
	{"SECURE_BOOT", DOCTOR_ERROR,
	 NO_MODULE UNBOUND "fs/lib/modules/6.1/updates/dkms/nvidia.ko|x\n" EFI "|abcd\001\n", NULL,
	 no_driver, "Secure Boot", "mokutil", .alone = "DRIVER_ABSENT"},
	{"DRIVER_MISMATCH", DOCTOR_ERROR, NULL, NULL, nvml_18, "550.54.15", "reboot"},
	{"DRIVER_MISMATCH", DOCTOR_ERROR, NULL, NULL, upgraded, "libraries are 560.35.03",
	 "reboot"},
	{"DRIVER_MISMATCH", DOCTOR_ERROR, NULL, NULL, r803, "(error 803)", "reboot",
	 .alone = "DRIVER_ERROR"},
	{"DRIVER_TOO_OLD", DOCTOR_ERROR,
	 "fs/proc/driver/nvidia/version|NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  "
	 "x^\n",
	 NULL, old_driver, "driver 470.82.01 supports up to CUDA 11.4", "525.60.13 or newer"},
	{"DRIVER_TOO_OLD", DOCTOR_WARNING,
	 "fs/proc/driver/nvidia/version|NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  "
	 "x^\n",
	 NULL, minor_driver,
	 "supports up to CUDA 12.2: machine code of 12.4.1 runs, its PTX does not", "-arch=native"},
	{"DRIVER_TOO_OLD", DOCTOR_ERROR, NULL, NULL, r35, "error 35", "newer driver",
	 .alone = "DRIVER_ERROR"},
	{"DRIVER_ERROR", DOCTOR_ERROR, NULL, NULL, r46, "error 46", "nvidia-smi -c DEFAULT"},
	{"DRIVER_ERROR", DOCTOR_ERROR, NULL, NULL, r4711, "error 4711", "dmesg"},
	{"DRIVER_ERROR", DOCTOR_ERROR, NULL, NULL, r999, "error 999", "nvidia_uvm",
	 .alone = "UVM_MISSING"},
	{"DRIVER_ERROR", DOCTOR_ERROR, NULL, NULL, hung, "does not answer in cuInit", "reboot"},
	/* GPUs */
	{"NODES_MISSING", DOCTOR_ERROR, "-fs/dev\n", NULL, no_nodes, "/dev/nvidiactl is missing",
	 "nvidia-modprobe -c0 -u", .alone = "UVM_MISSING"},
	{"NODES_MISSING", DOCTOR_ERROR, NULL, NULL, no_right, "may not open", "group"},
	{"UVM_MISSING", DOCTOR_ERROR, "-fs/sys/module/nvidia_uvm\n-fs/dev/nvidia-uvm\n", NULL, r999,
	 "nvidia_uvm is not loaded: no CUDA program can start (error 999)", "modprobe nvidia_uvm",
	 .alone = "DRIVER_ERROR"},
	{"FABRIC_MANAGER", DOCTOR_ERROR, NULL, NULL, r802, "error 802",
	 "nvidia-fabricmanager, of the same version as driver 550.54.15", .alone = "DRIVER_ERROR"},
	{"GPU_HIDDEN", DOCTOR_WARNING, NULL, "CUDA_VISIBLE_DEVICES=", r100, "it hides every GPU",
	 "unset", .alone = "GPU_NONE"},
	{"GPU_HIDDEN", DOCTOR_WARNING, NULL, "CUDA_VISIBLE_DEVICES=-1", r100, "it hides every GPU",
	 "unset"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=7", r100,
	 "there is no GPU 7: 1 is here, so programs see none", "nvidia-smi -L"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=0,7", NULL, "only those before it",
	 "nvidia-smi -L"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=0,0", r101, "names one GPU twice",
	 "nvidia-smi -L", .alone = "DRIVER_ERROR"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=GPU-12345678", NULL,
	 "no GPU here has the UUID 'GPU-12345678'", "nvidia-smi -L"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=0,GPU-8a56a4bc", NULL,
	 "numbers as well as UUIDs, so only those before it", "nvidia-smi -L"},
	{"GPU_HIDDEN", DOCTOR_ERROR, NULL, "CUDA_VISIBLE_DEVICES=all", r100,
	 "neither a number nor a UUID", "nvidia-smi -L"},
	{"GPU_HIDDEN", DOCTOR_NOTE, NULL, "CUDA_VISIBLE_DEVICES=0", two_gpus, "see 1 of 2",
	 "unset"},
	{"GPU_NONE", DOCTOR_ERROR, NULL, NULL, r100, "error 100", "RmInitAdapter"},
	{"GPU_NONE", DOCTOR_ERROR,
	 PCI_ID("1db6") "fs/proc/driver/nvidia/version|NVRM version: NVIDIA UNIX x86_64 Kernel "
			"Module  590.44.01  x^\n",
	 NULL, r100_590, "error 100", "branch 580, the last one for Tesla V100"},
	{"GPU_NONE", DOCTOR_NOTE, NO_GPU, NULL, no_driver, "no NVIDIA GPU", "builds",
	 .alone = "DRIVER_ABSENT"},
	{"GPU_ARCH_DROPPED", DOCTOR_ERROR, NULL, NULL, cc_30, "Tesla K40 (compute capability 3.5)",
	 "cudaenv install 11.8.0"},
	{"GPU_ARCH_DROPPED", DOCTOR_ERROR, NO_MODULE UNBOUND PCI_ID("102d"), NULL, no_driver,
	 "Tesla K80 (compute capability 3.7)", "cudaenv install 11.8.0"},
	{"GPU_ARCH_TOO_NEW", DOCTOR_ERROR, NULL, NULL, cc_120, "RTX 5090 (compute capability 12.0)",
	 "cudaenv install 12.8.0"},
	/* other machines */
	{"CONTAINER_NO_GPU", DOCTOR_NOTE, NO_GPU "fs/.dockerenv|\n", NULL, no_driver,
	 "(docker) sees no driver", "--gpus all", .alone = "GPU_NONE"},
	{"CONTAINER_NO_GPU", DOCTOR_WARNING, "-fs/dev\nfs/run/.containerenv|\n", NULL, no_driver,
	 "the host has driver 550.54.15, but this container (podman)", "nvidia.com/gpu=all",
	 .alone = "NODES_MISSING"},
	{"CONTAINER_NO_GPU", DOCTOR_WARNING, "-fs/dev\nfs/proc/1/cgroup|0::/kubepods/x^\n",
	 "NVIDIA_VISIBLE_DEVICES=void", no_driver, "NVIDIA_VISIBLE_DEVICES is 'void'", "=all"},
	{"CONTAINER_NO_GPU", DOCTOR_ERROR, "fs/.dockerenv|\n", "NVIDIA_DRIVER_CAPABILITIES=utility",
	 no_library, "not the driver's library", "compute,utility"},
	{"WSL_LIBCUDA", DOCTOR_ERROR, WSL, NULL, no_driver, "WSL without", "wsl --update",
	 .alone = "GPU_NONE"},
	{"WSL_DRIVER", DOCTOR_ERROR, WSL "fs/usr/lib/wsl/lib/libcuda.so.1|x\n", NULL, wsl_linux,
	 "a Linux driver is installed inside WSL", "remove", .alone = "DRIVER_MISMATCH"},
	{"JETSON_ARCH", DOCTOR_ERROR,
	 NO_GPU "fs/etc/nv_tegra_release|# R36 (release), REVISION: 4.0^\n", NULL, no_driver,
	 "needs toolkits for 'aarch64'", "--arch aarch64", .machine = "aarch64",
	 .alone = "DRIVER_ABSENT"},
	/* builds */
	{"CCBIN_REFUSED", DOCTOR_ERROR,
	 SCENE_GCC("14") "!bin/gcc-12|#!/bin/sh^echo 12^\n!bin/g++-12|#!/bin/sh^echo 12^\n", NULL,
	 NULL, "12.4.1 refuses the default compiler, gcc 14", "-ccbin @/bin/g++-12"},
	{"CCBIN_REFUSED", DOCTOR_ERROR, "-bin/g++\n", NULL, NULL, "neither gcc nor g++", ""},
	{"GLIBC_HEADERS", DOCTOR_ERROR,
	 V124 "/include/crt/math_functions.h|double cospi(double x);\n", NULL, NULL,
	 "glibc 2.41 declares cospi, sinpi", "CUDA 13.0 or newer", .glibc = "2.41"},
	{"GLIBC_HEADERS", DOCTOR_ERROR,
	 V124 "/include/crt/math_functions.h|double cospi(double x) "
	      "__NV_IEC_60559_FUNCS_EXCEPTION_SPECIFIER;\n",
	 NULL, NULL, "glibc 2.42 declares rsqrt", "CUDA 13.2 or newer", .glibc = "2.42"},
	{"BUILD_TWO_CUDA", DOCTOR_WARNING,
	 "fs/usr/local/include/cublas_v2.h|x\nfs/usr/local/include/cublas.h|x\n"
	 "fs/usr/local/include/npp.h|x\nfs/usr/local/include/cufft.h|x\n" V124
	 "/include/cufft.h|x\n" V124 "/.cudaenv/record.json|x\n",
	 NULL, NULL,
	 "12.4.1 has no libcublas libnpp: compilers and linkers take another toolkit's, from "
	 "'/usr/local/include'",
	 "cudaenv component add 12.4.1 libcublas libnpp;"},
	{"BUILD_TWO_CUDA", DOCTOR_WARNING,
	 "fs/usr/include/curand.h|x\n" V124 "/.cudaenv/lacks/include/curand.h|x\n", NULL, NULL,
	 "12.4.1 has no libcurand: compilers and linkers (but for its nvcc, which refuses)",
	 "where it came from; CMake"},
	{"BUILD_TWO_CUDA", DOCTOR_WARNING, "other/version.txt|CUDA Version 11.8.89\n",
	 "LIBRARY_PATH=:/nowhere:" V124 "/lib64:@/other/targets/x86_64-linux/lib/stubs", NULL,
	 "LIBRARY_PATH names '@/other/targets/x86_64-linux/lib/stubs' of CUDA 11.8",
	 "take it out of LIBRARY_PATH"},
	{"BUILD_TWO_CUDA", DOCTOR_WARNING, "other/bin/nvcc.profile|x\n", "CPATH=@/other/include",
	 NULL, "CPATH names '@/other/include', which is another toolkit's, but selected is 12.4.1",
	 "take it out of CPATH"},
	{"FRAMEWORK_CUDA", DOCTOR_ERROR,
	 "venv/lib/python3.11/site-packages/torch/version.py|__version__ = '2.1.0+cu118'^cuda = "
	 "'11.8'^\n",
	 "VIRTUAL_ENV=@/venv\nCUDA_HOME=" V124, NULL,
	 "torch 2.1.0+cu118 is made for CUDA 11.8, but 12.4.1", "cudaenv local 11.8"},
	{"FRAMEWORK_CUDA", DOCTOR_WARNING,
	 "home/.local/lib/python3.11/site-packages/torch/version.py|cuda: Optional[str] = "
	 "'12.1'^__version__ = '2.1.0'^\n",
	 NULL, NULL, "made for CUDA 12.1, but 12.4.1", "cudaenv local 12.1"},
	{"FRAMEWORK_CUDA", DOCTOR_WARNING, TORCH("2.1.0", "12.1"),
	 "VIRTUAL_ENV=@/venv\nPATH=@/bin\nCUDA_PATH=" V124, NULL,
	 "(an extension build takes '" V124 "')", "cudaenv local 12.1"},
	{"FRAMEWORK_CUDA", DOCTOR_WARNING, TORCH("2.1.0", "12.1"), "VIRTUAL_ENV=@/venv\nPATH=@/bin",
	 NULL, "(an extension build finds no toolkit)", "cudaenv local 12.1"},
	{"FRAMEWORK_CUDA", DOCTOR_WARNING,
	 TORCH("2.1.0", "12.1") "fs/usr/local/cuda>/usr/local/cuda-12.1\n",
	 "VIRTUAL_ENV=@/venv\nPATH=@/bin", NULL, "(an extension build ", "cudaenv local 12.1"},
	{"FRAMEWORK_CUDA", DOCTOR_NOTE,
	 "fs/usr/lib/python3/dist-packages/torch/version.py|cuda: Optional[str] = None^__version__ "
	 "= '2.1.0+cpu'^\n",
	 NULL, NULL, "for the CPU alone", "PyTorch's index"},
	{"FRAMEWORK_CUDA", DOCTOR_NOTE,
	 "conda/lib/python3.12/site-packages/jax_cuda11_plugin-0.4.30.dist-info/\n",
	 "CONDA_PREFIX=@/conda", NULL, "jax 0.4.30 is made for CUDA 11", "cudaenv local 11"},
	{"CMAKE_CACHE_DRIFT", DOCTOR_WARNING,
	 "work/build/CMakeCache.txt|CMAKE_CUDA_COMPILER:FILEPATH=@/r/versions/11.8.0/bin/nvcc^\n",
	 NULL, NULL, "'build' is configured by CMake for CUDA 11.8.0", "CMakeCache.txt"},
	{"CCACHE_SHIM", DOCTOR_WARNING, "!bin/ccache|#!/bin/sh^echo mtime\n", NULL, NULL,
	 "one for all versions", "CCACHE_COMPILERCHECK='%compiler% --version'"},
	{"CCACHE_SHIM", DOCTOR_WARNING, "!bin/ccache|#!/bin/sh^echo content\n", NULL, NULL,
	 "'ccache nvcc'", "the hook"},
	{"TREE_INCOMPLETE", DOCTOR_ERROR, "-r/versions/12.4.1/nvvm/bin\n", NULL, NULL,
	 "12.4.1 lacks nvvm/bin/cicc", "install -f 12.4.1"},
	{"TREE_INCOMPLETE", DOCTOR_ERROR,
	 "r/versions/12.4.1/.cudaenv/verdict.json|{\"format\": 1, \"verdict\": \"wrong-result\", "
	 "\"level\": \"run\", "
	 "\"detail\": \"\", \"hint\": \"mend it\", \"ccbin\": \"\", \"host_compiler\": \"\", "
	 "\"date\": \"2026-01-01T00:00:00Z\"}\n",
	 NULL, NULL, "wrong-result", "mend it"},
	{"SHIM_FOREIGN", DOCTOR_WARNING, "!r/shims/ncu|#!/bin/sh\n", NULL, NULL,
	 "/shims/ncu' is no shim", "rehash"},
	{"SHIM_FOREIGN", DOCTOR_WARNING, "!shim|newer\n", NULL, NULL, "shim", "rehash"},
	{"DISK_LOW", DOCTOR_WARNING, NULL, NULL, NULL, "5000 MB", "prune", .disk = 5000000000},
	{"DISK_LOW", DOCTOR_ERROR, NULL, NULL, NULL, "100 MB", "prune", .disk = 100000000},
};

static const struct doctor_finding *find(const struct doctor *d, const char *code)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->items[i].code, code))
			return &d->items[i];
	return NULL;
}

static void examine(struct doctor *d, const struct scene *s)
{
	struct facts *f = xcalloc(1, sizeof *f);
	struct gpus g = scene_gpus();
	autofree char *root = scene_expand("@/fs");
	if (s->change)
		s->change(&g);
	facts_gather(f,
		     &(struct facts_places){.root = root,
					    .machine = s->machine ? s->machine : "x86_64",
					    .kernel = "6.1",
					    .glibc = s->glibc ? s->glibc : "2.36",
					    .gpus = &g,
					    .gpu_table = gpu_table},
		     &scene_layout, NULL, &catalog);
	f->disk_free = s->disk ? s->disk : UINT64_MAX;
	doctor_examine(d, f);
	facts_clear(f);
	free(f);
}

static void run(const struct scene *s)
{
	void *state = NULL;
	struct doctor d;
	assert_int_equal(scene_enter(&state), 0);
	assert_int_equal(chdir(scene_top), 0);
	scene_put_all(s->files);
	scene_environment(s->env);
	assert_int_equal(chdir("work"), 0);
	examine(&d, s);
	const struct doctor_finding *x = s->code ? find(&d, s->code) : d.n ? &d.items[0] : NULL;
	autofree char *remedy = scene_expand(s->remedy ? s->remedy : "");
	autofree char *what = scene_expand(s->what ? s->what : "");
	if (!s->code && x)
		fail_msg("%s: %s", x->code, x->what);
	if (s->code && !x)
		fail_msg("%s (%s) is not found; the first: %s", s->code, s->what,
			 d.n ? d.items[0].code : "none");
	if (x && (x->severity != s->severity || !strstr(x->what, what) || !x->remedy ||
		  !strstr(x->remedy, remedy)))
		fail_msg("%s %s: %s -> %s", doctor_severity_name(x->severity), x->code, x->what,
			 x->remedy ? x->remedy : "no remedy");
	if (s->alone && find(&d, s->alone))
		fail_msg("%s: %s as well: %s", s->code, s->alone, find(&d, s->alone)->what);
	for (size_t i = 0; i < d.n; i++)
		assert_true(d.items[i].remedy && d.items[i].remedy[0] &&
			    !strchr(d.items[i].what, '\n'));
	doctor_clear(&d);
	assert_int_equal(scratch_leave(&state), 0);
}

static void test_codes(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++)
		run(&scenes[i]);
}

/* Machines on which nothing is wrong. */
static void test_nothing(void **state)
{
	static const struct scene good[] = {
		{0},
		{.env = "PATH=" V124 "/bin:@/r/shims:@/bin\nCUDA_HOME=" V124
			"\nCUDACXX=@/r/shims/nvcc"},
		{.files = "link>r/versions/12.4.1\n",
		 .env = "CUDA_HOME=@/link\nCUDA_VISIBLE_DEVICES=0"},
		{.env = "CUDA_VISIBLE_DEVICES=GPU-8a56a4bc"},
		{.env = "CUDA_VISIBLE_DEVICES=MIG-c0b5c8a6"},
		{.env = "CUDA_VISIBLE_DEVICES= 0x"},
		{.files = WSL "fs/usr/lib/wsl/lib/libcuda.so.1|x\n", .change = wsl},
		{.files = "fs/.dockerenv|\n", .env = "NVIDIA_VISIBLE_DEVICES=all"},
		{.env = "CUDAENV_VERSION=system\nPATH=@/bin"},
		{.files = "a/libcudart.so.12>libcudart.so.12.1.105\na/libcudart.so.12.1.105|x\n",
		 .env = "LD_LIBRARY_PATH=@/r/versions/12.4.1/lib64:@/a"},
		/* A driver newer than the toolkit is no finding. */
		{.files = SCENE_GCC("11"), .env = "CUDAENV_VERSION=11.8"},
		{.files = "fs/etc/ld.so.conf|include /etc/ld.so.conf^/opt/x^\n"},
		{.files = "a/libcudart.so.12>libcudart.so.12.4.99\na/libcudart.so.12.4.99|x\n",
		 .env = "LD_LIBRARY_PATH=@/a"},
		{.glibc = "2.42"},
		{.files = "!bin/ccache|#!/bin/sh^echo '%compiler% --version'\n"},
		{.files = "!bin/ccache|#!/bin/sh^echo mtime\n",
		 .env = "PATH=" V124 "/bin:@/r/shims:@/bin"},
		{.files = "!bin/ccache|#!/bin/sh^exit 1\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		run(&good[i]);
}

/* Every code has a scene above, but for those that need more than files. */
static void test_all_codes(void **state)
{
	static const char *const elsewhere[] = {"STORE_CHANGED", "ROOT_MOVED", "NET_MIRROR"};
	const char *code;
	for (size_t i = 0; (code = doctor_code(i)); i++) {
		bool seen = false;
		for (size_t j = 0; j < ARRAY_LEN(scenes); j++)
			seen |= !strcmp(scenes[j].code, code);
		for (size_t j = 0; j < ARRAY_LEN(elsewhere); j++)
			seen |= !strcmp(elsewhere[j], code);
		if (!seen)
			fail_msg("no test has %s", code);
	}
}

static int setup(void **state)
{
	struct err err;
	source_root = xstrdup(getenv("SOURCE_ROOT"));
	gpu_table = xasprintf("%s/share/gpus.tsv", source_root);
	autofree char *ini = xasprintf("%s/share/versions.ini", source_root);
	return catalog_load(&catalog, ini, &err) ? 0 : -1;
}

static int teardown(void **state)
{
	catalog_clear(&catalog);
	free(source_root);
	free(gpu_table);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_all_codes),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
