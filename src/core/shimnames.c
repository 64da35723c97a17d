#include "core/shimnames.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

/* What builds need from the system, whatever folder of a toolkit has one too. */
static const char *const never[] = {
	"[",	   "addr2line",	   "ar",	 "as",
	"awk",	   "bash",	   "c++",	 "c++filt",
	"cat",	   "cc",	   "chmod",	 "clang",
	"clang++", "cmake",	   "cp",	 "cpack",
	"cpp",	   "ctest",	   "curl",	 "dash",
	"date",	   "dirname",	   "echo",	 "env",
	"expr",	   "false",	   "find",	 "g++",
	"gawk",	   "gcc",	   "gcov",	 "gdb",
	"git",	   "gld",	   "gmake",	 "gold",
	"grep",	   "gzip",	   "head",	 "install",
	"kill",	   "ld",	   "ld.bfd",	 "ld.gold",
	"ld.lld",  "lld",	   "ln",	 "ls",
	"make",	   "mawk",	   "meson",	 "mkdir",
	"mktemp",  "mv",	   "ninja",	 "nm",
	"objcopy", "objdump",	   "openssl",	 "patch",
	"perl",	   "pip",	   "pkg-config", "pkgconf",
	"printf",  "pwd",	   "python",	 "python-config",
	"ranlib",  "readelf",	   "readlink",	 "realpath",
	"rm",	   "rmdir",	   "sed",	 "sh",
	"size",	   "sleep",	   "sort",	 "ssh",
	"strings", "strip",	   "su",	 "sudo",
	"tail",	   "tar",	   "tee",	 "test",
	"touch",   "tr",	   "true",	 "uname",
	"unzip",   "wc",	   "wget",	 "which",
	"xargs",   "xz",	   "zip",	 "zsh",
	"cudaenv", "cudaenv-shim",
};

/* What a linked tree gets shims for. */
static const char *const known[] = {
	"__nvcc_device_query",
	"bin2c",
	"compute-sanitizer",
	"cu++filt",
	"cuobjdump",
	"cudafe++",
	"fatbinary",
	"ncu",
	"ncu-ui",
	"nsight",
	"nsys",
	"nsys-ui",
	"nvcc",
	"nvdisasm",
	"nvlink",
	"nvprof",
	"nvprune",
	"nvvp",
	"ptxas",
	"tileiras",
};
static const char *const known_beginnings[] = {"cuda-", "nsight-", "nv-nsight-"};

/* Whether word (of n bytes) is in the list. */
static bool listed(const char *const *list, size_t count, const char *word, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == n && !memcmp(list[i], word, n))
			return true;
	return false;
}

/* Without a version at the end: gcc of gcc-11, python of python3.11. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);
	while (n > 1 && strchr("0123456789.", name[n - 1]))
		n--;
	while (n > 1 && name[n - 1] == '-')
		n--;
	return n;
}

bool shimnames_want(const char *name, bool ours)
{
	if (name[0] == '.' || name[0] == '-')
		return false;
	if (ours)
		return !listed(never, ARRAY_LEN(never), name, stem(name)) &&
		       !listed(never, ARRAY_LEN(never), name, strlen(name));
	for (size_t i = 0; i < ARRAY_LEN(known_beginnings); i++)
		if (!strncmp(name, known_beginnings[i], strlen(known_beginnings[i])))
			return true;
	return listed(known, ARRAY_LEN(known), name, strlen(name));
}
