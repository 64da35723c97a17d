#!/usr/bin/env python3
"""Adds a release to a local mirror in exactly the form of NVIDIA's redist folders, with real content.

    mirror.py MIRROR LABEL FOLDER

FOLDER holds what LABEL is made of: Debian's packages (*.deb: 11.8.0, 12.4.1) or NVIDIA's wheels (*.whl: 13.0.2
and 13.0.1). MIRROR/cuda/redist/redistrib_LABEL.json and MIRROR/cuda/redist/COMPONENT/linux-x86_64/*.tar.xz come
out. What is there already is not packed again, so labels share archives whose component has the same version.

    mirror.py --stamp      a word that changes when old mirrors are of no use any more
    mirror.py --pin CATALOG MIRROR
                           prints CATALOG with the digests of this mirror's manifests in place of NVIDIA's own
"""
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

STAMP = "1"

# Component: (name and version in NVIDIA's manifest). Other members of a release: its date, and for wheels the
# component that each one becomes. Older manifests do not name themselves.
RELEASES = {
    "11.8.0": {
        "release_date": "2022-10-03",
        "components": {
            "cuda_cccl": ("CXX Core Compute Libraries", "11.8.89"),
            "cuda_cudart": ("CUDA Runtime (cudart)", "11.8.89"),
            "cuda_cuobjdump": ("cuobjdump", "11.8.86"),
            "cuda_cuxxfilt": ("CUDA cuxxfilt (demangler)", "11.8.86"),
            "cuda_nvcc": ("CUDA NVCC", "11.8.89"),
            "cuda_nvml_dev": ("CUDA NVML Headers", "11.8.86"),
            "cuda_nvprune": ("CUDA nvprune", "11.8.86"),
            "cuda_nvrtc": ("CUDA NVRTC", "11.8.89"),
            "cuda_profiler_api": ("CUDA Profiler API", "11.8.86"),
            "cuda_sanitizer_api": ("CUDA Compute Sanitizer API", "11.8.86"),
            "libcurand": ("CUDA cuRAND", "10.3.0.86"),
        },
    },
    "12.4.1": {
        "release_date": "2024-04-03",
        "release_label": "12.4.1",
        "components": {
            "cuda_cccl": ("CXX Core Compute Libraries", "12.4.127"),
            "cuda_cudart": ("CUDA Runtime (cudart)", "12.4.127"),
            "cuda_cuobjdump": ("cuobjdump", "12.4.127"),
            "cuda_cuxxfilt": ("CUDA cuxxfilt (demangler)", "12.4.127"),
            "cuda_nvcc": ("CUDA NVCC", "12.4.131"),
            "cuda_nvml_dev": ("CUDA NVML Headers", "12.4.127"),
            "cuda_nvprune": ("CUDA nvprune", "12.4.127"),
            "cuda_nvrtc": ("CUDA NVRTC", "12.4.127"),
            "cuda_profiler_api": ("CUDA Profiler API", "12.4.127"),
            "cuda_sanitizer_api": ("CUDA Compute Sanitizer API", "12.4.127"),
            "libcurand": ("CUDA cuRAND", "10.3.5.147"),
        },
    },
    "13.0.2": {
        "release_date": "2025-10-09",
        "release_label": "13.0.2",
        "components": {
            "cuda_cccl": ("CXX Core Compute Libraries", "13.0.85"),
            "cuda_crt": ("CUDA CRT", "13.0.88"),
            "cuda_cudart": ("CUDA Runtime (cudart)", "13.0.96"),
            "cuda_culibos": ("CUDA MATH Library (cuda culibos)", "13.0.85"),
            "cuda_nvcc": ("CUDA NVCC", "13.0.88"),
            "cuda_nvrtc": ("CUDA NVRTC", "13.0.88"),
            "libnvptxcompiler": ("CUDA libnvptxcompiler", "13.0.88"),
            "libnvvm": ("CUDA NVVM", "13.0.88"),
        },
    },
}
# A patch release before it, for what two of them share: less than a third of the bytes is its own, under
# versions that no real release has.
RELEASES["13.0.1"] = {
    "release_date": "2025-09-04",
    "release_label": "13.0.1",
    "components": {
        **RELEASES["13.0.2"]["components"],
        "cuda_cudart": ("CUDA Runtime (cudart)", "13.0.81"),
        "cuda_nvcc": ("CUDA NVCC", "13.0.81"),
    },
}

LIB = r"usr/lib/x86_64-linux-gnu/"
TOOLS = r"usr/lib/nvidia-cuda-toolkit/"

# (component, a path in Debian's packages, its place in NVIDIA's archive); the first that fits decides.
DEB_RULES = [
    ("cuda_nvcc", TOOLS + r"(bin/(nvcc|crt/.*))", r"\1"),
    ("cuda_nvcc", TOOLS + r"bin/cicc", "nvvm/bin/cicc"),
    ("cuda_nvcc", TOOLS + r"(libdevice/.*)", r"nvvm/\1"),
    ("cuda_nvcc", r"usr/(bin/(ptxas|nvlink|fatbinary|bin2c|cudafe\+\+|__nvcc_device_query))", r"\1"),
    ("cuda_nvcc", r"usr/(include/nvvm\.h)", r"nvvm/\1"),
    ("cuda_nvcc", LIB + r"(libnvvm\..*)", r"nvvm/lib64/\1"),
    ("cuda_nvcc", r"usr/(include/(crt/.*|fatbinary_section\.h|nvPTXCompiler\.h))", r"\1"),
    ("cuda_cuobjdump", r"usr/(bin/cuobjdump)", r"\1"),
    ("cuda_cuxxfilt", r"usr/(bin/cu\+\+filt)", r"\1"),
    ("cuda_nvprune", r"usr/(bin/nvprune)", r"\1"),
    ("cuda_sanitizer_api", r"usr/bin/(compute-sanitizer|TreeLauncher.*)", r"compute-sanitizer/\1"),
    ("cuda_sanitizer_api", TOOLS + r"(compute-sanitizer/.*)", r"\1"),
    ("cuda_cccl", r"usr/(include/(thrust|cub|cuda|nv)/.*)", r"\1"),
    ("cuda_nvrtc", r"usr/(include/nvrtc\.h)", r"\1"),
    ("cuda_nvrtc", LIB + r"((stubs/)?libnvrtc(-builtins)?\.so.*)", r"lib/\1"),
    ("cuda_nvml_dev", r"usr/(include/nvml\.h)", r"\1"),
    ("cuda_nvml_dev", LIB + r"(stubs/libnvidia-ml\.so)", r"lib/\1"),
    ("libcurand", r"usr/(include/curand.*)", r"\1"),
    ("libcurand", LIB + r"((stubs/)?libcurand\.so.*)", r"lib/\1"),
    ("cuda_profiler_api", r"usr/(include/(cuda_profiler_api|cudaProfiler)\.h)", r"\1"),
    ("cuda_cudart", LIB + r"((stubs/libcuda\.|libcudart|libcudadevrt|libculibos).*)", r"lib/\1"),
    # The rest of the headers is the runtime's, but for those of libraries that are not packed.
    (None, r"usr/include/(cu(blas|dss|fft|pti|solver|sparse|dalibxt)|np|nv(blas|[Ff]atbin|jpeg|JitLink|perf|Tools|tx3)|"
           r"cuda-gdb|generated_|Openacc|Openmp).*", ""),
    ("cuda_cudart", r"usr/(include/((cooperative_groups/)?[^/]+(/[^/]+)?))", r"\1"),
]

WHEELS = {
    "nvidia_cuda_cccl": "cuda_cccl",
    "nvidia_cuda_crt": "cuda_crt",
    "nvidia_cuda_culibos": "cuda_culibos",
    "nvidia_cuda_nvcc": "cuda_nvcc",
    "nvidia_cuda_nvrtc": "cuda_nvrtc",
    "nvidia_cuda_runtime": "cuda_cudart",
    "nvidia_nvptxcompiler": "libnvptxcompiler",
    "nvidia_nvvm": "libnvvm",
}
WHEEL_TOP = "nvidia/cu13/"

# Wheels leave out what these rules put back: other folders, and what no test needs is not packed.
WHEEL_RULES = [
    (None, r"\.metadata/.*|lib/libnvrtc(-builtins)?\.alt\..*|lib/libnvptxcompiler_static\.a|(.*/)?__init__\.py", ""),
    ("libnvvm", r"(include/nvvm\.h)", r"nvvm/\1"),
    ("libnvvm", r"lib/(libnvvm\..*)", r"nvvm/lib64/\1"),
    ("", r"(.*)", r"\1"),
]

# Debian's profile names Debian's folders.
NVCC_PROFILE = """
TOP              = $(_HERE_)/..

NVVMIR_LIBRARY_DIR = $(TOP)/$(_NVVM_BRANCH_)/libdevice

LD_LIBRARY_PATH += $(TOP)/lib:
PATH            += $(TOP)/$(_NVVM_BRANCH_)/bin:$(_HERE_):

INCLUDES        +=  "-I$(TOP)/$(_TARGET_DIR_)/include" $(_SPACE_)

LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)/stubs" \
"-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)"

CUDAFE_FLAGS    +=
PTXAS_FLAGS     +=
"""

PC = """cudaroot=/usr/local/cuda-{short}
libdir=${{cudaroot}}/targets/x86_64-linux/lib
includedir=${{cudaroot}}/targets/x86_64-linux/include

Name: {name}
Description: {description}
Version: {short}
Libs: -L${{libdir}}{stubs} -l{name}
Cflags: -I${{includedir}}
"""
PC_FILES = {
    "cuda_cudart": [("cuda", "CUDA Driver Library", "/stubs"), ("cudart", "CUDA Runtime Library", "")],
    "cuda_nvrtc": [("nvrtc", "A runtime compilation library for CUDA C++", "")],
    "libcurand": [("curand", "CUDA Random Number Generation Library", "")],
}


def place(rules, path):
    """(component, path in its archive) or None."""
    for component, pattern, target in rules:
        found = re.fullmatch(pattern, path)
        if found:
            return (component, found.expand(target)) if component is not None else None
    return None


def write(path, source, mode):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        shutil.copyfileobj(source, f, 1 << 20)
    os.chmod(path, mode)


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def from_deb(deb, work, wanted):
    """Only what is wanted is written: one of these packages holds gigabytes of static libraries."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE, bufsize=0) as unpacked:
        with tarfile.open(fileobj=unpacked.stdout, mode="r|", bufsize=1 << 20) as tar:
            for member in tar:
                found = place(DEB_RULES, member.name.removeprefix("./"))
                if not found or found[0] not in wanted or not (member.isfile() or member.issym()):
                    continue
                target = os.path.join(work, *found)
                # Programs that Debian moved elsewhere come back with a link in their old place.
                if member.issym() and os.path.lexists(target):
                    continue
                if member.issym():
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    os.symlink(os.path.basename(member.linkname), target)
                else:
                    write(target, tar.extractfile(member), member.mode | 0o644)
    if unpacked.returncode:
        sys.exit(f"cannot unpack {deb}")


def from_wheel(wheel, work, wanted):
    component = WHEELS.get(os.path.basename(wheel).split("-")[0])
    if component not in wanted:
        return
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or not entry.filename.startswith(WHEEL_TOP):
                continue
            found = place(WHEEL_RULES, entry.filename[len(WHEEL_TOP):])
            if not found or found[0] not in ("", component):
                continue
            with archive.open(entry) as source:
                write(os.path.join(work, component, found[1]), source,
                      0o755 if "/bin/" in entry.filename and "/crt/" not in entry.filename and
                      not entry.filename.endswith(".profile") else 0o644)
    link_libraries(os.path.join(work, component))


def link_libraries(tree):
    """libX.so -> libX.so.N, which wheels cannot hold."""
    for folder, _, files in os.walk(tree):
        for name in fnmatch.filter(files, "lib*.so.*"):
            plain = os.path.join(folder, name[:name.index(".so.") + 3])
            if not os.path.lexists(plain):
                os.symlink(name, plain)


def complete(work, component, label):
    """What NVIDIA's archives have and these packages do not."""
    tree = os.path.join(work, component)
    write_text(os.path.join(tree, "LICENSE"),
               f"A test mirror's copy of {component}; its files are under NVIDIA's CUDA licence.\n")
    short = ".".join(label.split(".")[:2])
    for name, description, stubs in PC_FILES.get(component, []):
        write_text(os.path.join(tree, "pkg-config", f"{name}-{short}.pc"),
                   PC.format(short=short, name=name, description=description, stubs=stubs))
    profile = os.path.join(tree, "bin/nvcc.profile")
    if component == "cuda_nvcc" and not os.path.exists(profile):
        write_text(profile, NVCC_PROFILE)


def pack(work, component, path):
    """The fastest preset: what is tested is not how small it gets."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    top = os.path.basename(path)[:-len(".tar.xz")]
    os.rename(os.path.join(work, component), os.path.join(work, top))
    with open(path + ".tmp", "wb") as out, \
            subprocess.Popen(["tar", "-C", work, "--owner=0", "--group=0", "--numeric-owner", "--sort=name",
                              "--mtime=@0", "-cf", "-", top], stdout=subprocess.PIPE) as tar:
        subprocess.run(["xz", "-0", "-T1", "-c"], stdin=tar.stdout, stdout=out, check=True)
    if tar.returncode:
        sys.exit(f"cannot pack {component}")
    os.rename(path + ".tmp", path)


def digests(path):
    sha, md5 = hashlib.sha256(), hashlib.md5()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            sha.update(block)
            md5.update(block)
    return {"sha256": sha.hexdigest(), "md5": md5.hexdigest(), "size": str(os.path.getsize(path))}


def archive_name(component, version):
    return f"{component}/linux-x86_64/{component}-linux-x86_64-{version}-archive.tar.xz"


def add(mirror, label, folder):
    redist = os.path.join(mirror, "cuda", "redist")
    manifest = os.path.join(redist, f"redistrib_{label}.json")
    if os.path.exists(manifest):
        return
    release = RELEASES[label]
    paths = {c: os.path.join(redist, archive_name(c, v)) for c, (_, v) in release["components"].items()}
    lacking = {c for c, path in paths.items() if not os.path.exists(path)}
    os.makedirs(redist, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=mirror) as work:
        for name in sorted(os.listdir(folder)):
            if lacking and name.endswith((".deb", ".whl")):
                unpack = from_deb if name.endswith(".deb") else from_wheel
                unpack(os.path.join(folder, name), work, lacking)
        for component in sorted(lacking):
            complete(work, component, label)
            pack(work, component, paths[component])
    body = {k: v for k, v in release.items() if k != "components"}
    if "release_label" in body:
        body["release_product"] = "cuda"
    for component, (name, version) in sorted(release["components"].items()):
        body[component] = {
            "name": name, "license": "CUDA Toolkit", "license_path": f"{component}/LICENSE.txt", "version": version,
            "linux-x86_64": {"relative_path": archive_name(component, version), **digests(paths[component])}}
        if "release_label" not in body:
            del body[component]["license_path"]
    write_text(manifest + ".tmp", json.dumps(body, indent=4))
    os.rename(manifest + ".tmp", manifest)


def pin(catalog, mirror):
    with open(catalog, encoding="utf-8") as f:
        text = f.read()
    redist = os.path.join(mirror, "cuda", "redist")
    for name in fnmatch.filter(os.listdir(redist), "redistrib_*.json"):
        label = re.escape(name[len("redistrib_"):-len(".json")])
        text, n = re.subn(r"(?m)(^\[%s\]\n(?:(?!\[).*\n)*?manifest_sha256 = )[0-9a-f]{64}$" % label,
                          lambda m: m[1] + digests(os.path.join(redist, name))["sha256"], text)
        if n != 1:
            sys.exit(f"{catalog} has no digest of {name}")
    sys.stdout.write(text)


def main():
    if sys.argv[1:] == ["--stamp"]:
        print(STAMP)
    elif len(sys.argv) == 4 and sys.argv[1] == "--pin":
        pin(*sys.argv[2:])
    elif len(sys.argv) == 4 and sys.argv[2] in RELEASES:
        add(*sys.argv[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
