#!/usr/bin/env bats
# Installing real toolkits from a mirror in NVIDIA's form.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }
setup() { redist_setup; }
teardown() { redist_teardown; }

# Small archives without a compiler, for what need not be proved by compiling.
SMALL=cuda_cuobjdump,cuda_cuxxfilt,cuda_nvml_dev,cuda_nvprune,cuda_profiler_api

installed_and_proved() {
	[ ! -f "$REDIST/status.$LABEL" ] || fail "status $(<"$REDIST/status.$LABEL")" "$(<"$REDIST/err.$LABEL")"
	[ "$(<"$REDIST/out.$LABEL")" = "$P" ] || fail "$(<"$REDIST/out.$LABEL")"
	grep -qx "verified $LABEL: compiled" "$REDIST/err.$LABEL" || fail "$(<"$REDIST/err.$LABEL")"
	CUDAENV_ROOT=$ROOT cudaenv verify --level compile "$LABEL"
	assert_status 0
	assert_stdout_has compiled
	CUDAENV_ROOT=$ROOT capture "$ROOT/shims/nvcc" "+$LABEL" --version
	assert_stdout_has "release $V,"
}

@test "11.8, 12.4 and 13.0: each is proved by its own nvcc" { each installed_and_proved; }

@test "11.8 takes the newest accepted compiler where the default is too new" {
	need 11.8.0
	local default
	default=$(gcc -dumpversion)
	[ "${default%%.*}" -gt 11 ] || skip "gcc $default is not too new"
	command -v g++-11 || skip "no g++-11"
	grep -q 'note: host compiler of this toolkit: /usr/bin/g++-11' "$REDIST/err.11.8.0"
	grep -q '^compiler-bindir' "$ROOT/versions/11.8.0/bin/nvcc.profile"
	cp "$CUDAENV_KERNELS/hello.cu" .
	capture "$ROOT/versions/11.8.0/bin/nvcc" -o hello hello.cu
	assert_status 0
	readelf -p .comment hello | grep -q 'GCC: .*) 11\.'
	need 12.4.1
	[ "${default%%.*}" -gt 13 ] || refute grep -q '^compiler-bindir' "$ROOT/versions/12.4.1/bin/nvcc.profile"
}

# without_compilers COMMAND...: in a world without g++ up to 11 and without clang.
without_compilers() {
	capture unshare -m bash -c '
		for c in /usr/bin/g++-[0-9] /usr/bin/g++-1[01] /usr/bin/clang++*; do
			[ ! -e "$c" ] || mount --bind /dev/null "$c" || exit 99
		done
		exec "$@"' - "$@"
	[ "$status" -ne 99 ] || skip "cannot mount"
}

@test "11.8 where no accepted compiler is: installed, the package is named, status 9" {
	need 11.8.0
	can_mount || skip "needs root to hide compilers"
	[ "$(gcc -dumpversion | cut -d . -f 1)" -gt 11 ] || skip "the default gcc is accepted"
	export CUDAENV_ROOT=$ROOT
	without_compilers "$CUDAENV" install --as bare --mirror "$SERVER/bare" 11.8.0
	assert_status 9
	assert_stderr_has "host-compiler-refused"
	assert_stderr_has "g++-11"
	[ "$(bytes bare)" -eq 0 ]
	cudaenv versions
	assert_stdout_has host-compiler-refused
	# As soon as one is there, it is taken.
	cudaenv verify bare
	assert_status 0
	assert_stdout_has compiled
	cudaenv uninstall bare
	assert_status 0
}

@test "the real catalog refuses the test mirror: another manifest than NVIDIA's" {
	need 12.4.1
	CUDAENV_CATALOG=$REAL_CATALOG cudaenv install --mirror "$SERVER/real" 12.4.1
	assert_status 6
	assert_stderr_has "$SERVER/real/cuda/redist/redistrib_12.4.1.json"
	assert_stderr_has "sha256 $(sha256sum <"$MIRROR/cuda/redist/redistrib_12.4.1.json" | cut -d ' ' -f 1)"
	assert_stderr_has "$(sed -n '/^\[12.4.1\]/,/^\[/s/^manifest_sha256 = //p' "$REAL_CATALOG")"
	[ -z "$(ls -A "$CUDAENV_ROOT/versions" "$CUDAENV_ROOT/store" "$CUDAENV_ROOT/cache" 2>/dev/null)" ]
	[ "$(bytes real)" -eq 0 ]
}

# What was asked of the server: the manifest, and each archive once and as a whole.
fetched_once() {
	served "first-$LABEL" >"$T/log"
	python3 - "$T/log" "$MIRROR/cuda/redist/redistrib_$LABEL.json" <<-'EOP'
		import collections, json, sys
		manifest = json.load(open(sys.argv[2]))
		sizes = {c["linux-x86_64"]["relative_path"]: int(c["linux-x86_64"]["size"])
		         for c in manifest.values() if isinstance(c, dict)}
		seen = collections.Counter()
		for line in open(sys.argv[1]):
		    status, sent, wanted, path = line.split()
		    assert status == "200" and wanted == "-", line
		    path = path.split("/cuda/redist/")[1]
		    seen[path] += 1
		    assert path.endswith(".json") or int(sent) == sizes[path], line
		assert set(seen.values()) == {1}, seen
		assert len(seen) == len(sizes) + 1, (seen, sizes)
	EOP
}

@test "each file is fetched once" { each fetched_once; }

says_what_it_is() {
	python3 - "$P" "$LABEL" "$MIRROR/cuda/redist/redistrib_$LABEL.json" <<-'EOP'
		import hashlib, json, sys
		prefix, label, path = sys.argv[1:]
		text = open(path, "rb").read()
		components = {k: v for k, v in json.loads(text).items() if isinstance(v, dict)}
		v = json.load(open(prefix + "/version.json"))
		assert list(v)[0] == "cuda" and v.pop("cuda") == {"name": "CUDA SDK", "version": label}, v
		assert v == {k: {"name": c["name"], "version": c["version"]} for k, c in components.items()}, v
		r = json.load(open(prefix + "/.cudaenv/record.json"))
		assert (r["label"], r["source"], r["arch"]) == (label, "redist", "x86_64"), r
		assert r["manifest"] == {"file": f"redistrib_{label}.json", "pinned": True,
		                         "sha256": hashlib.sha256(text).hexdigest()}, r["manifest"]
		assert {c["name"]: (c["version"], c["sha256"], c["size"]) for c in r["components"]} == {
		    k: (c["version"], c["linux-x86_64"]["sha256"], int(c["linux-x86_64"]["size"]))
		    for k, c in components.items()}, r["components"]
	EOP
}

@test "version.json and the record say what the manifest says" { each says_what_it_is; }

looks_like_usr_local_cuda() {
	local t=targets/x86_64-linux f
	[ "$(readlink "$P/include")" = $t/include ]
	[ "$(readlink "$P/lib64")" = $t/lib ]
	[ "$(readlink "$P/lib")" = $t/lib ]
	for f in bin/nvcc bin/nvcc.profile bin/crt/link.stub nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc \
		nvvm/lib64/libnvvm.so nvvm/include/nvvm.h include/cuda.h include/crt/host_config.h lib64/libcudart.so \
		lib64/libcudart_static.a lib64/libcudadevrt.a lib64/libculibos.a lib64/stubs/libcuda.so.1 \
		lib64/libnvrtc-builtins.so licenses/cuda_nvcc/LICENSE pkg-config/cudart.pc; do
		[ -f "$P/$f" ] || fail "no $f"
	done
	[ -z "$(find -L "$P" -type l)" ] || fail "dangling links"
	[ -z "$(find -L "$P" -name 'libcuda.so*' | grep -v /stubs/)" ] || fail "a libcuda beside the real libraries"
	capture "$P/bin/ptxas" --version
	assert_stdout_has "release $V,"
	[ ! -d "$P/compute-sanitizer" ] || "$P/bin/compute-sanitizer" --version
}

@test "the layout is that of /usr/local/cuda" { each looks_like_usr_local_cuda; }

open_to_all() {
	[ -z "$(find "$P" -type d ! -perm 755)" ] || fail "$(find "$P" -type d ! -perm 755)"
	[ -z "$(find "$P" -type f ! -perm -444)" ] || fail "$(find "$P" -type f ! -perm -444)"
	[ -z "$(find "$P" -type f -perm /111 ! -perm -111)" ]
	[ -z "$(find "$P" -perm /7022 ! -type l)" ]
	[ ! -w "$P/bin/nvcc" ] || [ "$(id -u)" -eq 0 ]
}

@test "installed under umask 077, every user can use it, and nobody can write to it" {
	each open_to_all
	[ -z "$(find "$ROOT/store" -type f -perm /222 -print -quit)" ]
}

# same_tree ROOT: what the archives of $SMALL list is what the prefix has, with the execute bits; beside it only what
# cudaenv adds.
same_tree() {
	python3 - "$MIRROR/cuda/redist" "$1/versions/12.4.1" "$SMALL" <<-'EOP'
		import json, os, sys, tarfile
		redist, prefix, names = sys.argv[1:]
		manifest = json.load(open(redist + "/redistrib_12.4.1.json"))
		wanted = {}
		for name in names.split(","):
		    for m in tarfile.open(f"{redist}/{manifest[name]['linux-x86_64']['relative_path']}"):
		        path = m.name.partition("/")[2]
		        if not path or m.isdir():
		            continue
		        path = f"licenses/{name}/{path}" if path == "LICENSE" else path
		        real = os.path.realpath(os.path.dirname(f"{prefix}/{path}")) + "/" + os.path.basename(path)
		        wanted[os.path.relpath(real, os.path.realpath(prefix))] = m
		for path, m in wanted.items():
		    st = os.lstat(f"{prefix}/{path}")
		    if m.issym():
		        assert os.readlink(f"{prefix}/{path}") == m.linkname, path
		    elif not path.endswith(".pc"):
		        assert st.st_size == m.size, path
		        assert st.st_mode & 0o7777 == (0o555 if m.mode & 0o111 else 0o444), (path, oct(st.st_mode))
		there = {os.path.relpath(os.path.join(d, f), prefix) for d, _, files in os.walk(prefix) for f in files}
		# What a drop-in needs and the archives of a distribution lack is made.
		ours = (".cudaenv/", "version.json", "pkg-config/", "targets/x86_64-linux/lib/stubs/libnvidia-ml.so.1")
		made = {p for p in there - set(wanted) if not p.startswith(ours)}
		assert not made, made
		folders = {oct(os.stat(d).st_mode & 0o7777) for d, _, _ in os.walk(prefix)}
		assert folders == {"0o755"}, folders
	EOP
}

@test "umask 027 and 077: trees and execute bits are those of the archives" {
	need 12.4.1
	local mask
	for mask in 027 077; do
		export CUDAENV_ROOT=$T/root-$mask CUDAENV_CACHE_DIR=$ROOT/cache
		(umask $mask && "$CUDAENV" install --offline --components "$SMALL" --mirror "$SERVER/mask" 12.4.1 </dev/null)
		same_tree "$CUDAENV_ROOT"
	done
}

@test "no text, link or record names the staging folder" {
	local traces
	[ -z "$(ls -A "$ROOT/staging")" ]
	traces=$(
		grep -rlF "$ROOT/staging" "$ROOT/versions" "$ROOT/store" "$ROOT/shims"
		find "$ROOT" -lname '*staging*'
		# Links of a prefix stay in it.
		find "$ROOT/versions" -lname '/*' ! -path '*/.cudaenv/ccbin/*'
	) || :
	[ -z "$traces" ] || fail "$traces"
}

@test "a patch release beside it: a third of the bytes at most, and they come back" {
	need 13.0.2 13.0.1
	export CUDAENV_ROOT=$ROOT
	local first second
	cudaenv install --mirror "$SERVER/patch" 13.0.1
	assert_status 0
	assert_stderr_has "verified 13.0.1: compiled"
	first=$(bytes first-13.0.2)
	second=$(bytes patch)
	echo "# $second of $first bytes" >&2
	[ $((second * 100)) -le $((first * 35)) ] || fail "$second of $first bytes"
	[ "$second" -gt 1000000 ]
	[ "$ROOT/versions/13.0.1/nvvm/bin/cicc" -ef "$ROOT/versions/13.0.2/nvvm/bin/cicc" ]
	[ "$ROOT/versions/13.0.1/bin/ptxas" -ef "$(find "$ROOT/store" -path '*/tree/bin/ptxas' -samefile "$ROOT/versions/13.0.1/bin/ptxas")" ]
	cudaenv uninstall 13.0.1
	assert_status 0
	assert_stderr_has "came back"
	cudaenv verify --level files 13.0.2
	assert_status 0
}

the_least_that_compiles() {
	export CUDAENV_ROOT=$ROOT
	cudaenv install --profile minimal --as "least-$V" --mirror "$SERVER/least-$V" "$LABEL"
	assert_status 0
	assert_stderr_has "verified least-$V: compiled"
	[ "$(bytes "least-$V")" -eq 0 ]
	refute_exists "$ROOT/versions/least-$V/include/curand.h"
	refute_exists "$ROOT/versions/least-$V/bin/cuobjdump"
	cudaenv uninstall "least-$V"
	assert_status 0
	assert_exists "$P/bin/ptxas"
}

@test "the minimal profile is enough for nvcc" { each the_least_that_compiles; }

@test "-f builds it anew without a byte from the server" {
	need 12.4.1
	export CUDAENV_ROOT=$ROOT
	echo damage >"$ROOT/versions/12.4.1/mark"
	cudaenv install -f --verify files --mirror "$SERVER/anew" 12.4.1
	assert_status 0
	refute_exists "$ROOT/versions/12.4.1/mark"
	[ "$(bytes anew)" -eq 0 ]
	cudaenv verify 12.4.1
	assert_status 0
}

@test "offline: another root is filled from the cache" {
	need 12.4.1
	export CUDAENV_CACHE_DIR=$ROOT/cache
	cudaenv install --offline --components "$SMALL" 12.4.1
	assert_status 0
	capture "$CUDAENV_ROOT/versions/12.4.1/bin/cuobjdump" --version
	assert_stdout_has "release 12.4"
	export CUDAENV_CACHE_DIR=$T/empty
	cudaenv install --offline --components "$SMALL" --as other --mirror "$SERVER/none" 12.4.1
	# The store has it all, only the manifest is lacking.
	assert_status 5
	assert_stderr_has offline
}

@test "a damaged archive in the cache is told, fetched anew, and offline it is no success" {
	need 12.4.1
	local archive
	cudaenv install --components "$SMALL" --mirror "$SERVER/damage" 12.4.1
	assert_status 0
	archive=$(ls "$CUDAENV_ROOT"/cache/*cuobjdump*.xz)
	cudaenv uninstall 12.4.1
	printf X | dd of="$archive" bs=1 seek=100000 conv=notrunc 2>/dev/null
	cudaenv install --components "$SMALL" --offline --mirror "$SERVER/damage" 12.4.1
	assert_status 5
	assert_stderr_has "'$archive' is damaged"
	refute_exists "$CUDAENV_ROOT/versions/12.4.1"
	cudaenv install --components "$SMALL" --mirror "$SERVER/mended" 12.4.1
	assert_status 0
	assert_stderr_has "'$archive' is damaged"
	[ "$(served mended | grep -c 'xz$')" -eq 1 ]
}

@test "what the manifest lacks for this platform or by this name is said" {
	need 12.4.1
	cudaenv install --components nvcc --mirror "$SERVER/lacks" 12.4.1
	assert_status 4
	assert_stderr_has "did you mean 'cuda_nvcc'?"
	cudaenv install --components curand --mirror "$SERVER/lacks" 12.4.1
	assert_status 4
	assert_stderr_has "did you mean 'libcurand'?"
	cudaenv install --arch sbsa --mirror "$SERVER/lacks" 12.4.1
	assert_status 4
	assert_stderr_has "not made for linux-sbsa"
	cudaenv install --mirror "$SERVER/lacks" 12.4.0
	assert_status 4
	assert_stderr_has "redistrib_12.4.0.json"
}

@test "mirrors in turn: flat folders, a file://, one that is away" {
	need 11.8.0
	cudaenv install --components "$SMALL" --mirror "http://127.0.0.1:1/x,$SERVER/flat-one/flat" 11.8.0
	assert_status 0
	[ "$(served flat-one | grep -c ' 200 \|^200 ')" -eq 6 ] || fail "$(served flat-one)"
	cudaenv uninstall 11.8.0
	rm -r "$CUDAENV_ROOT/cache"
	cudaenv install --components "$SMALL" --mirror "file://$MIRROR" 11.8.0
	assert_status 0
	rm -rf "$CUDAENV_ROOT"
	cudaenv install --components "$SMALL" --mirror "$MIRROR" 11.8
	assert_status 0
	cudaenv list-remote --source redist --mirror "$SERVER/list" 2>/dev/null || :
}

nothing_left() { [ -z "$(ls -A "$CUDAENV_ROOT/versions" 2>/dev/null; ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ]; }

# refused STATUS TEXT MODE: small archives through that mode of the server.
refused() {
	cudaenv install --components "$SMALL" --mirror "$BAD/$3" 12.4.1
	[ "$status" -eq "$1" ] || fail "$3: wanted status $1"
	[[ $err == *"$2"* ]] || fail "$3: wanted in stderr: $2"
	[[ $err == *"hint: "* ]] || fail "$3: no hint"
	nothing_left || fail "$3 left something"
	rm -rf "$CUDAENV_ROOT/store" "$CUDAENV_ROOT"/cache/*.xz "$CUDAENV_ROOT"/cache/*.part
}

@test "a mirror that misbehaves: refused with its status, nothing is left" {
	need 12.4.1
	misbehave
	# The manifest of all of these comes from the cache.
	cudaenv install -n --components "$SMALL" --mirror "$BAD" 12.4.1
	assert_status 0
	refused 6 sha256 corrupt/2000
	refused 5 HTML html
	refused 5 HTML rawhtml
	refused 5 404 status/404
	refused 5 403 status/403
	refused 5 loop redirect/loop
	refused 5 file:///etc/passwd redirect/scheme
	refused 6 expected longer/1000
	refused 6 expected empty
	refused 6 compresses gzip
	refused 5 reply close
	cudaenv install --components "$SMALL" --mirror "$BAD/status/503,$BAD/corrupt/2000,$SERVER/last" 12.4.1
	assert_status 0
}

# fill_up: what is left of the small disk is taken as soon as the first archive is being unpacked.
fill_up() {
	until compgen -G "$CUDAENV_ROOT/staging/store-*" >/dev/null; do sleep 0.02; done
	dd if=/dev/zero of="$T/small/taken" bs=64k 2>/dev/null || :
}

@test "a full disk and a read-only root are told with the path, nothing is left, and then it works" {
	need 12.4.1
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	mkdir "$T/small"
	mount -t tmpfs -o size=80m none "$T/small" || skip "cannot mount"
	local code_err what=(install --components "cuda_sanitizer_api,$SMALL" 12.4.1) code ro ro_err free free_err
	export CUDAENV_CACHE_DIR=$T/cache CUDAENV_ROOT=$T/small/root
	fill_up &
	CUDAENV_MIRROR=$SERVER/full/rate/2000000 cudaenv "${what[@]}"
	kill $! 2>/dev/null || :
	wait
	code=$status code_err=$err
	nothing_left || code=left
	export CUDAENV_MIRROR=$SERVER/full
	cudaenv "${what[@]}"
	free=$status free_err=$err
	rm "$T/small/taken"
	mount -o remount,ro "$T/small"
	cudaenv "${what[@]}"
	ro=$status ro_err=$err
	mount -o remount,rw "$T/small"
	cudaenv "${what[@]}"
	umount "$T/small"
	assert_status 0
	[ "$code" = 7 ] && [[ $code_err == *"space"* ]] || fail "full disk: $code: $code_err"
	[ "$free" = 7 ] && [[ $free_err == *"not enough space in '$T/small/root'"* ]] || fail "no space: $free: $free_err"
	[ "$ro" = 7 ] && [[ $ro_err == *"$T/small/root"* ]] || fail "read-only: $ro: $ro_err"
}

@test "12.4 in a bundle: fetched, verified, carried away, and proved by its own nvcc where there is no network" {
	need 12.4.1
	CUDAENV_CACHE_DIR=$T/cache cudaenv bundle create 12.4.1 --profile minimal --mirror "$SERVER/bundle"
	assert_status 0
	assert_stdout cudaenv-12.4.1-linux-x86_64.tar
	rm -r "$T/cache"
	export CUDAENV_OFFLINE=1 CUDAENV_ROOT=$T/elsewhere
	cudaenv bundle verify "$out"
	assert_status 0
	assert_stdout_has "whole: cuda 12.4.1 for x86_64"
	cudaenv install --from cudaenv-12.4.1-linux-x86_64.tar
	assert_status 0
	assert_stderr_has "verified 12.4.1: compiled"
	refute_stderr_has "not pinned"
}
