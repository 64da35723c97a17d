#!/usr/bin/env python3
"""An index of many releases, good and odd, for what chooses wheels: fakeindex.py FOLDER. Serve it with
httpd.py --simple FOLDER. (For wheels that can be installed: fakewheels.py, which also writes these.)

Names, versions and METADATA have the shapes of the real ones; each wheel holds one small file. Releases:
  13.0.2    simple extras, packages named once           13.5.0  extras that bring others along, a range
  13.4.1.0  a fourth part that is packaging only         13.6.0rc1  a pre-release
  13.1.0    withdrawn                                    13.1.1  for aarch64 only
  13.2.0    without nvcc                                 12.4.1  packages of 12.x (no nvcc in them)
  13.7.0    METADATA of another version                  13.7.1  a requirement that cannot be read
  13.8.0    a package that no index has                  13.8.1  a version that the index has not
  13.8.2    a needed package for other platforms only    13.8.3  a needed package withdrawn
  13.8.4    no METADATA                                  13.8.5  no zip archive
"""
import os
import sys

import fakewheels

X86 = "manylinux2014_x86_64.manylinux_2_17_x86_64"
ARM = "manylinux2014_aarch64.manylinux_2_17_aarch64"
BOTH = "(sys_platform == 'linux' or sys_platform == 'win32')"
LINUX = "(sys_platform == 'linux')"
ARM_ONLY = "(sys_platform == 'linux' and platform_machine == 'aarch64')"
MANY = ("(sys_platform == 'linux' and platform_machine == 'aarch64' or sys_platform == 'linux' and "
        "platform_machine == 'x86_64' or sys_platform == 'win32' and platform_machine == 'AMD64')")


def write(folder, name, version, tag, files, metadata):
    stem = f"{name.replace('-', '_')}-{version}"
    if metadata is not None:
        files = {**files, f"{stem}.dist-info/METADATA": metadata}
    path = os.path.join(folder, f"{stem}-{tag}.whl")
    fakewheels.write_wheel(path, f"{stem}.dist-info", [(n, text.encode(), 0o644) for n, text in files.items()])
    return path


def package(folder, name, version, platforms=(X86, ARM, "win_amd64")):
    for platform in platforms:
        path = write(folder, name, version, f"py3-none-{platform}",
                     {f"nvidia/cu13/share/{name}.txt": f"{name} {version} {platform}\n"},
                     f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
    return path


def metapackage(folder, version, extras, says=None):
    """extras: {extra: [(requirement, marker)]}; what they hold together is the extra `all`."""
    everything = {}
    for needs in extras.values():
        everything.update(dict.fromkeys(needs))
    lines = ["Metadata-Version: 2.4", "Name: cuda-toolkit", f"Version: {says or version}", "Summary: x",
             "Provides-Extra: all"]
    lines += [f"Requires-Dist: {need}; {marker} and extra == 'all'" for need, marker in sorted(everything)]
    for extra, needs in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; {marker} and extra == '{extra}'" for need, marker in needs]
    return write(folder, "cuda-toolkit", version, "py2.py3-none-any", {},
                 "\n".join(lines) + "\n\n# cuda-toolkit\nRequires-Dist: not-a-header\n")


def old_extras(number, marker=BOTH):
    names = {"cublas": "nvidia-cublas", "cccl": "nvidia-cuda-cccl", "crt": "nvidia-cuda-crt",
             "cudart": "nvidia-cuda-runtime", "cusolver": "nvidia-cusolver", "cusparse": "nvidia-cusparse",
             "nvcc": "nvidia-cuda-nvcc", "nvjitlink": "nvidia-nvjitlink", "nvml": "nvidia-nvml-dev",
             "nvptxcompiler": "nvidia-nvptxcompiler", "nvrtc": "nvidia-cuda-nvrtc", "nvvm": "nvidia-nvvm"}
    extras = {extra: [(f"{name}=={number}.*", marker)] for extra, name in names.items()}
    extras["culibos"] = [(f"nvidia-cuda-culibos=={number}.*", LINUX)]
    return extras


def new_extras(number):
    extras = old_extras(number, MANY)
    jit = (f"nvidia-nvjitlink<14,>={number}", MANY)
    extras["nvjitlink"] = [jit]
    extras["cusparse"].append(jit)
    extras["cusolver"] += [jit, *extras["cublas"], extras["cusparse"][0]]
    extras["nvcc"] += [*extras["crt"], *extras["cudart"], *extras["nvvm"]]
    extras["cudla"] = [(f"nvidia-cudla=={number}.*", ARM_ONLY)]
    extras["opencl"] = [(f"nvidia-cuda-opencl=={number}.*", MANY)]
    return extras


def only_nvcc(number, more=()):
    return {"nvcc": [(f"nvidia-cuda-nvcc=={number}.*", BOTH), *[(m, BOTH) for m in more]]}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    components = [needs[0][0].split("=")[0].split("<")[0] for needs in new_extras("0").values()]
    for name in components:
        for number in ("13.0.88", "13.4.59", "13.5.37", "13.5.90"):
            if name == "nvidia-cudla":
                package(folder, name, number, (ARM,))
            elif name == "nvidia-cuda-opencl":
                package(folder, name, number, (ARM, "win_amd64"))
            else:
                package(folder, name, number)
    for platform in (X86, ARM):
        for name in ("nvidia-nvjitlink", "nvidia-cuda-nvcc"):
            package(folder, name, "13.6.1rc1", (platform,))
    package(folder, "nvidia-cuda-nvcc", "13.5.37.1")
    metapackage(folder, "13.0.2", old_extras("13.0.88"))
    metapackage(folder, "13.4.1.0", new_extras("13.4.59"))
    metapackage(folder, "13.5.0", new_extras("13.5.37"))
    metapackage(folder, "13.6.0rc1", new_extras("13.6.1rc1".replace("rc1", "")))
    open(metapackage(folder, "13.1.0", old_extras("13.0.88")) + ".yanked", "w").write("broken\n")
    metapackage(folder, "13.1.1", old_extras("13.0.88", ARM_ONLY))
    metapackage(folder, "13.2.0", {"cudart": [("nvidia-cuda-runtime==13.0.88.*", BOTH)]})
    metapackage(folder, "12.4.1", {"nvcc": [("nvidia-cuda-nvcc-cu12==12.4.131.*", BOTH)]})
    metapackage(folder, "13.7.0", only_nvcc("13.0.88"), says="13.7.9")
    metapackage(folder, "13.7.1", only_nvcc("13.0.88", ["nvidia-x @ https://h.example/x"]))
    metapackage(folder, "13.8.0", only_nvcc("13.0.88", ["nvidia-nowhere==1.*"]))
    metapackage(folder, "13.8.1", only_nvcc("13.8.99"))
    metapackage(folder, "13.8.2", only_nvcc("13.8.2"))
    package(folder, "nvidia-cuda-nvcc", "13.8.2", (ARM, "win_amd64"))
    metapackage(folder, "13.8.3", only_nvcc("13.8.3"))
    open(package(folder, "nvidia-cuda-nvcc", "13.8.3", (X86,)) + ".yanked", "w").write("bad\n")
    write(folder, "cuda-toolkit", "13.8.4", "py2.py3-none-any", {}, None)
    with open(os.path.join(folder, "cuda_toolkit-13.8.5-py2.py3-none-any.whl"), "w") as f:
        f.write("this is no archive\n")
    open(os.path.join(folder, "cuda_toolkit-0.0.0a0.tar.gz"), "w").close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
