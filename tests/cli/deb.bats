#!/usr/bin/env bats
# Installing from apt repositories: small packages in the shape of Debian's and NVIDIA's, signed by keys of our own.
load lib

setup_file() {
	command -v gpg >/dev/null || skip "no gpg"
	command -v gpgv >/dev/null || skip "no gpgv"
	# A line of apt's cannot have a blank in the path of a key.
	KEYS=$(mktemp -d /tmp/cudaenv-keys.XXXXXX)
	export KEYS
	python3 "$SOURCE_ROOT/tests/index/fakedebs.py" key "$KEYS/ours"
	fakedebs toolkit "$KEYS/debs" 12.4.1
	fakedebs debian "$KEYS/repo" trixie "$KEYS/debs" --key "$KEYS/ours"
}

teardown_file() {
	local home
	for home in "$KEYS"/*/pubring.kbx; do
		gpgconf --homedir "${home%/*}" --kill gpg-agent || :
	done
	[ -z "${KEYS:-}" ] || rm -rf "$KEYS"
}

setup() {
	setup_root
	export CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 CUDAENV_SOURCE=deb
	mkdir -p "$T/apt/etc/apt/sources.list.d"
	v=$CUDAENV_ROOT/versions
}

teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
	teardown_root
}

fakedebs() { python3 "$SOURCE_ROOT/tests/index/fakedebs.py" "$@"; }

# sources LINE...: all that apt is set to.
sources() { printf '%s\n' "$@" >"$T/apt/etc/apt/sources.list"; }
# The good repository, of which apt itself takes another suite and no non-free.
good() { sources "deb [signed-by=$KEYS/ours/key.asc] file:$KEYS/repo bookworm main"; }
# In a URI a blank is written so.
url() { echo "file:${1// /%20}"; }
# repo OPTION...: one of this test's own.
repo() {
	rm -rf "$T/repo"
	fakedebs debian "$T/repo" trixie "${DEBS:-$KEYS/debs}" --key "$KEYS/ours" "$@"
	sources "deb [signed-by=$KEYS/ours/key.gpg ${OPTIONS:-}] $(url "$T/repo") trixie main"
}

refute() { ! "$@" || fail "should not hold: $*"; }

nothing_left() {
	[ -z "$(ls -A "$v" 2>/dev/null)" ] || fail "a version was left"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ] || fail "staging was left"
	refute_exists "$T/evil"
}

# refused STATUS TEXT [INSTALL-OPTION...]
refused() {
	local wanted=$1 text=$2
	shift 2
	cudaenv install "$@" 12.4
	[ "$status" -eq "$wanted" ] || fail "wanted status $wanted"
	[[ $err == *"$text"* ]] || fail "wanted in stderr: $text"
	nothing_left
	rm -rf "$CUDAENV_ROOT"
}

serve() {
	coproc HTTPD { exec python3 "$SOURCE_ROOT/tests/httpd.py" --root "$1" 2>/dev/null; }
	server=$HTTPD_PID
	read -r port <&"${HTTPD[0]}"
	at=http://127.0.0.1:$port
}

@test "deb: a whole version of Debian's packages in the drop-in layout" {
	local before t=targets/x86_64-linux f
	good
	before=$(find "$T/apt" -printf '%p %T@ %s\n' | sort)
	cudaenv install 12.4
	assert_status 0
	assert_stdout "$v/12.4.1"
	assert_stderr_has "trixie/non-free, signed by Test Archive"
	assert_stderr_has "take 12.4.1 from source deb"
	[ "$(find "$T/apt" -printf '%p %T@ %s\n' | sort)" = "$before" ]
	for f in bin/nvcc bin/nvcc.profile bin/crt/link.stub bin/ptxas nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc \
		nvvm/lib64/libnvvm.so nvvm/include/nvvm.h include/cuda_runtime.h include/nv/target include/thrust/version.h \
		lib64/libcudart.so lib64/libcudart_static.a lib64/libcublas.so lib64/libcublas_static.a \
		lib64/stubs/libcuda.so.1 bin/compute-sanitizer licenses/cuda_dev/copyright pkg-config/cudart.pc; do
		assert_exists "$v/12.4.1/$f"
	done
	[ "$(readlink "$v/12.4.1/lib64")" = $t/lib ]
	# Debian's wrappers and its own profile stay out, and so do documents and other packages.
	for f in bin/gcc bin/hello bin/ncu share etc usr; do refute_exists "$v/12.4.1/$f"; done
	grep -q 'TOP *= \$(_HERE_)' "$v/12.4.1/bin/nvcc.profile"
	[ -z "$(find -L "$v/12.4.1" -type l)" ]
	cudaenv local 12.4
	capture "$CUDAENV_ROOT/shims/nvcc" --version
	assert_stdout "nvcc of 12.4.1"
	capture "$v/12.4.1/bin/compute-sanitizer"
	assert_stdout "compute-sanitizer of 12.4.1"
	grep -q '"source": "deb"' "$v/12.4.1/.cudaenv/record.json"
	grep -A2 '"libcurand"' "$v/12.4.1/version.json" | grep -q 10.3.5.147
}

@test "deb: the minimal profile keeps a part of the large package, under a name of its own" {
	good
	cudaenv install --profile minimal --as least 12.4
	assert_status 0
	assert_exists "$v/least/lib64/libcudart_static.a"
	assert_exists "$v/least/lib64/libnvrtc.so.12"
	assert_exists "$v/least/include/cublas_v2.h"
	refute_exists "$v/least/lib64/libcublas_static.a"
	refute_exists "$v/least/lib64/stubs/libcublas.so"
	[ -z "$(find -L "$v/least" -type l)" ]
	cudaenv install --as all 12.4
	assert_status 0
	assert_exists "$v/all/lib64/libcublas_static.a"
	refute_exists "$v/least/lib64/libcublas_static.a"
	cudaenv install --profile full --as full 12.4
	assert_status 0
	[ -n "$(ls "$v"/full/nsight-compute*/ncu)" ]
	cudaenv component add least libcublas
	assert_status 0
	assert_exists "$v/least/lib64/libcublas.so.12"
	cudaenv install --components nvcc --as x 12.4
	assert_status 4
	assert_stderr_has "did you mean 'cuda_nvcc'?"
	cudaenv install --components cuda_nvcc,libcublas --as x 12.4
	assert_status 0
	assert_exists "$v/x/lib64/libcudart_static.a"
	refute_exists "$v/x/lib64/libcublas_static.a"
}

@test "deb: NVIDIA's flat repository, several releases side by side" {
	fakedebs toolkit --nvidia "$T/nv" 12.4.0
	fakedebs toolkit --nvidia "$T/nv" 12.4.1
	fakedebs toolkit --nvidia "$T/nv" 13.0.2
	fakedebs flat "$T/flat" "$T/nv" --key "$KEYS/ours"
	printf '%s\n' "Types: deb" "URIs: $(url "$T/flat")" "Suites: ./" "Signed-By:" >"$T/apt/etc/apt/sources.list.d/x.sources"
	sed 's/^$/./; s/^/ /' "$KEYS/ours/key.asc" >>"$T/apt/etc/apt/sources.list.d/x.sources"
	cudaenv list-remote --source deb --bare
	assert_stdout "12.4.0
12.4.1
13.0.2"
	cudaenv install 12.4.0 13.0
	assert_status 0
	capture "$v/12.4.0/bin/nvcc"
	assert_stdout "nvcc of 12.4.0"
	capture "$v/13.0.2/bin/nvcc"
	assert_stdout "nvcc of 13.0.2"
	[ "$(readlink "$v/12.4.0/lib64")" = targets/x86_64-linux/lib ]
	assert_exists "$v/12.4.0/lib64/libcublas.so.12"
	assert_exists "$v/12.4.0/nvvm/bin/cicc"
	refute_exists "$v/12.4.0/bin/nvidia-smi"
	cudaenv install --profile minimal --as least 12.4.1
	assert_status 0
	refute_exists "$v/least/lib64/libcublas.so.12"
	capture "$v/least/bin/nvcc"
	assert_stdout "nvcc of 12.4.1"
}

@test "deb: auto comes to it last, and says why the others did not serve" {
	good
	export CUDAENV_SOURCE=auto CUDAENV_MIRROR=http://127.0.0.1:1 PIP_INDEX_URL=http://127.0.0.1:1/simple
	cudaenv install 12.4
	assert_status 0
	assert_stderr_has "source redist does not serve: "
	assert_stderr_has "source wheels does not serve: "
	assert_stderr_has "take 12.4.1 from source deb"
	cudaenv list-remote --source deb --json
	assert_status 0
	[ "$(python3 -c 'import json,sys; print([(r["version"], r["sources"], r["installed"]) for r in json.load(sys.stdin)])' <<<"$out")" = \
		"[('12.4.1', ['deb'], True)]" ]
	cudaenv install 12.9
	[ "$status" -ne 0 ]
	assert_stderr_has "has CUDA 12.9"
	assert_stderr_has "they have: 12.4.1"
}

@test "deb: what a signature must be: there, whole, of a key that apt would take" {
	repo
	rm "$T/repo/dists/trixie/InRelease"
	refused 6 "is not signed"
	cudaenv install --allow-unsigned 12.4
	assert_status 0
	assert_stderr_has "without a look at its signature, as you asked for"
	rm -rf "$CUDAENV_ROOT"
	OPTIONS=trusted=yes repo
	rm "$T/repo/dists/trixie/InRelease"
	cudaenv install 12.4
	assert_status 0
	rm -rf "$CUDAENV_ROOT"

	repo
	fakedebs key "$KEYS/theirs"
	sources "deb [signed-by=$KEYS/theirs/key.gpg] $(url "$T/repo") trixie main"
	refused 6 "which is none of those trusted for it"
	# Without signed-by it is apt's own keyrings.
	sources "deb $(url "$T/repo") trixie main"
	refused 6 "which is none of those trusted for it"
	mkdir -p "$T/apt/etc/apt/trusted.gpg.d"
	cp "$KEYS/ours/key.asc" "$T/apt/etc/apt/trusted.gpg.d/"
	cudaenv install --dry-run 12.4
	assert_status 0
	sources "deb [signed-by=0123456789ABCDEF0123456789ABCDEF01234567] $(url "$T/repo") trixie main"
	refused 6 "has no signature that counts"

	repo
	sed -i 's/^Codename: .*/Codename: other/' "$T/repo/dists/trixie/InRelease"
	refused 6 "does not fit: it was changed"
	repo --detached
	cudaenv install --dry-run 12.4
	assert_status 0
	sed -i 's/^Codename: .*/Codename: other/' "$T/repo/dists/trixie/Release"
	refused 6 "does not fit: it was changed"
	# What stands around the signed text does not count.
	repo
	sed -i '1i SHA256:\n 0 1 non-free/binary-amd64/Packages.xz\n' "$T/repo/dists/trixie/InRelease"
	cudaenv install --dry-run 12.4
	assert_status 0
}

@test "deb: a repository that has expired, unless apt is set to take it" {
	repo --valid -1
	refused 6 "has expired: it is valid until"
	OPTIONS=check-valid-until=no repo --valid -1
	cudaenv install --dry-run 12.4
	assert_status 0
	repo --valid -1
	mkdir -p "$T/apt/etc/apt/apt.conf.d"
	echo 'Acquire::Check-Valid-Until "false";' >"$T/apt/etc/apt/apt.conf.d/99x"
	cudaenv install --dry-run 12.4
	assert_status 0
	rm "$T/apt/etc/apt/apt.conf.d/99x"
	repo --valid 3
	cudaenv install --dry-run 12.4
	assert_status 0
}

@test "deb: no gpgv: the package that has it is named" {
	local tool
	good
	mkdir "$T/few"
	for tool in sh env tr ls rm cat sed grep; do ln -s "$(command -v $tool)" "$T/few/"; done
	PATH=$T/few refused 9 "no program 'gpgv'"
	PATH=$T/few cudaenv install 12.4
	assert_stderr_has "install the package 'gpgv'"
	sources "deb [signed-by=$KEYS/none.gpg] file:$KEYS/repo trixie main"
	refused 9 "there is no key to check"
}

@test "deb: an index that is not the one that was signed, or not for this machine" {
	repo --lie packages
	refused 6 "sha256"
	repo --lie name
	refused 6 "package 'libnvrtc12' has no usable 'Filename:'"
	repo --arch arm64 --release-arch amd64
	refused 4 "has packages for 'arm64' where those for 'amd64' should be"
	repo --arch arm64 --release-arch arm64
	refused 4 "is not for 'amd64', only for all arm64"
	repo --form gz --no-hash
	cudaenv install --dry-run 12.4
	assert_status 0
	rm -r "$T/repo/dists/trixie/main"
	rm -rf "$CUDAENV_ROOT"
	refused 5 "main/binary-amd64/Packages.gz"
}

@test "deb: a package that is not what the index says, or no sound package" {
	local kind
	repo --lie sha
	refused 6 "sha256"
	repo --lie size
	refused 6 "libnvrtc12_12.4.131~12.4.1-2_amd64.deb"
	for kind in dotdot absolute linkout abslink device twice arsize noar nodata cut html; do
		DEBS=$T/debs-$kind
		fakedebs toolkit --evil $kind "$DEBS" 12.4.1
		repo
		refused 6 "'libnvrtc12_12.4.131~12.4.1-2_amd64.deb'"
	done
}

@test "deb: lines of apt's that are wrong or not for us" {
	sources "deb cdrom:[Debian GNU/Linux 12 _Bookworm_]/ bookworm main" "deb http://x" \
		"deb [signed-by=$KEYS/ours/key.gpg] file:$KEYS/repo trixie main" "deb mirror+file:/x y main"
	printf 'Types: deb\nnonsense\n' >"$T/apt/etc/apt/sources.list.d/b.sources"
	cudaenv install --dry-run 12.4
	assert_status 0
	assert_stderr_has "'$T/apt//etc/apt/sources.list' line 2: no suite behind the URI"
	assert_stderr_has "'$T/apt//etc/apt/sources.list.d/b.sources' line 2: no 'Field: value'"
	sources "deb http://example.org/x stable other"
	rm "$T/apt/etc/apt/sources.list.d/b.sources"
	cudaenv install --dry-run 12.4
	assert_status 4
	assert_stderr_has "apt here is set to no repository that may have CUDA"
	cudaenv list-remote --source deb
	assert_status 4
}

@test "deb: over http, by hash, with apt's proxy; a page in place of a file" {
	serve "$KEYS"
	sources "deb [signed-by=$KEYS/ours/key.gpg] $at/file/repo bookworm main"
	cudaenv install 12.4
	assert_status 0
	python3 -c 'import sys, urllib.request as u; print(u.build_opener(u.ProxyHandler({})).open(sys.argv[1]).read().decode())' \
		"$at/log" >"$T/log"
	grep -q 'non-free/binary-amd64/by-hash/SHA256/' "$T/log"
	refute grep 'Packages.xz' "$T/log"
	# Nothing twice, but for what is not there.
	[ -z "$(grep -o '/file/repo/pool/[^ "]*' "$T/log" | sort | uniq -d)" ]
	rm -rf "$CUDAENV_ROOT"
	# A host that only the proxy knows, and one that it is not asked for.
	mkdir -p "$T/apt/etc/apt/apt.conf.d"
	printf 'Acquire::http { Proxy "%s/"; Proxy::127.0.0.1 "DIRECT"; };\n' "$at" >"$T/apt/etc/apt/apt.conf.d/99x"
	sources "deb [signed-by=$KEYS/ours/key.gpg] http://mirror.invalid/file/repo bookworm main"
	cudaenv install 12.4
	assert_status 0
	rm -rf "$CUDAENV_ROOT"
	sources "deb [signed-by=$KEYS/ours/key.gpg] $at/file/repo bookworm main"
	http_proxy=http://127.0.0.1:1 cudaenv install --dry-run 12.4
	assert_status 0
	rm -rf "$CUDAENV_ROOT"
	sources "deb [signed-by=$KEYS/ours/key.gpg] $at/html/repo bookworm main"
	refused 5 "HTML"
	sources "deb [signed-by=$KEYS/ours/key.gpg] $at/rawhtml/repo bookworm main"
	refused 5 "HTML"
}

@test "deb: offline, what was installed once" {
	serve "$KEYS"
	sources "deb [signed-by=$KEYS/ours/key.gpg] $at/file/repo trixie main"
	refused 5 "offline" --offline
	cudaenv install 12.4
	assert_status 0
	kill "$server"
	cudaenv uninstall 12.4.1
	cudaenv install --offline 12.4
	assert_status 0
}

@test "deb: --mirror: a distribution's, a flat one, a heap of packages" {
	sources "# none"
	cp "$KEYS/ours/key.gpg" "$T/apt/etc/apt/trusted.gpg"
	cudaenv install --mirror "$KEYS/repo" --dry-run 12.4
	assert_status 0
	assert_stderr_has "trixie/non-free"
	fakedebs toolkit --nvidia "$T/nv" 12.4.1
	fakedebs flat "$T/flat" "$T/nv" --key "$KEYS/ours"
	cudaenv install --mirror "$(url "$T/flat/")" --dry-run 12.4
	assert_status 0
	# shellcheck source=/dev/null
	here=$(. /etc/os-release && echo "$ID${VERSION_ID//./}")
	mkdir -p "$T/host/cuda/repos/$here"
	ln -s "$T/flat" "$T/host/cuda/repos/$here/x86_64"
	cudaenv install --mirror "$(url "$T/host")" --dry-run 12.4
	assert_status 0
	fakedebs flat "$T/heap" "$T/nv" --bare
	cudaenv install --mirror "$(url "$T/heap")" --dry-run 12.4
	[ "$status" -ne 0 ]
	cudaenv install --mirror "$(url "$T/heap")" --allow-unsigned 12.4
	assert_status 0
}
