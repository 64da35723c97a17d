#!/usr/bin/env bash
# NVIDIA's component archives: unpacked from the cache, and fetched from a local nginx, beside what people run
# instead: tests/bench/redist.sh [CUDAENV [ROUNDS [TABLE...]]]. Ratios are medians of per-round ratios to a table's
# first row; rows rotate. Tables: small one blocks set from full limited store patch (default: all, in under ten minutes
# with the default three rounds). docs/performance.md has what it prints.
# DATA names the folder of the archives (default: below the user's cache). What it lacks is cut from a toolkit,
# CUDA=/usr/local/cuda-13.0, in NVIDIA's layout, with xz -6: once, some minutes.
# shellcheck disable=SC2016 # backquotes are those of markdown
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
cudaenv=$(realpath "${1:-$here/../../build/src/cli/cudaenv}")
# The same without a prefix around it: meson compile -C build bench-unpack
unpack=${cudaenv%/src/cli/cudaenv}/tests/bench/bench-unpack
rounds=${2:-3}
shift $(($# < 2 ? $# : 2))
tables=${*:-small one blocks set from full limited store patch}
data=${DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-bench/redist}
cuda=${CUDA:-/usr/local/cuda-13.0}
python=${PYTHON:-/usr/bin/python3}
version=13.0.2

T=$(mktemp -d)
nginx=
cleanup() {
	[ -z "$nginx" ] || kill "$nginx" 2>/dev/null || :
	wait
	chmod -R u+w "$T"
	rm -rf "$T"
}
trap cleanup EXIT

# ---- archives

stage() { # NAME VERSION: sets top
	top=$T/stage/$1-linux-x86_64-$2-archive
	mkdir -p "$top/include" "$top/lib"
	echo 'terms of use' >"$top/LICENSE"
}
pack() { # FILE XZ-OPTION: of the staged top
	[ -e "$1" ] && return
	echo "making $1" >&2
	tar --owner=0 --group=0 -C "$T/stage" -cf - "${top##*/}" | nice xz -6 "$2" -c >"$1.new"
	mv "$1.new" "$1"
}
make_archives() {
	local lib=$cuda/lib64
	mkdir -p "$data/blocks"
	stage cuda_nvcc 13.0.88
	if [ ! -e "$data/${top##*/}.tar.xz" ]; then
		cp -a "$cuda/bin" "$cuda/nvvm" "$top/"
		mkdir -p "$top/nvvm/lib64"
		cp "$lib"/libnvvm.so.4 "$top/nvvm/lib64/" 2>/dev/null || :
	fi
	pack "$data/${top##*/}.tar.xz" -T1
	stage cuda_cccl 13.0.85
	[ -e "$data/${top##*/}.tar.xz" ] || cp -a "$cuda/include/cccl" "$top/include/"
	pack "$data/${top##*/}.tar.xz" -T1
	stage libcufft 12.0.0.61
	if [ ! -e "$data/${top##*/}.tar.xz" ] || [ ! -e "$data/blocks/${top##*/}.tar.xz" ]; then
		cp "$lib"/libcufft.so.12 "$lib"/libcufftw.so.12 "$top/lib/"
	fi
	pack "$data/${top##*/}.tar.xz" -T1
	pack "$data/blocks/${top##*/}.tar.xz" -T2
	stage libcublas 13.1.0.3
	[ -e "$data/${top##*/}.tar.xz" ] || cp "$lib"/libcublas.so.13 "$lib"/libcublasLt.so.13 "$top/lib/"
	pack "$data/${top##*/}.tar.xz" -T1
	rm -rf "$T/stage"
}
# These two take those of the test mirror.
case $tables in from | patch | 'from patch') ;; *) make_archives ;; esac
nvcc=$(echo "$data"/cuda_nvcc-*.xz) cccl=$(echo "$data"/cuda_cccl-*.xz)
cufft=$(echo "$data"/libcufft-*.xz) cublas=$(echo "$data"/libcublas-*.xz)
blocks=$(echo "$data"/blocks/libcufft-*.xz)

# manifest FOLDER ARCHIVE...: a redist folder with those, by links.
cat >"$T/manifest.py" <<'P'
import hashlib, json, os, sys
folder, *archives = sys.argv[1:]
os.makedirs(folder)
manifest = {"release_date": "2025-10-09", "release_label": "13.0.2", "release_product": "cuda"}
for path in archives:
    file = os.path.basename(path)
    name, _, rest = file.partition("-linux-x86_64-")
    # Without what it needs it would be refused under its own name.
    name = name.replace("cuda_nvcc", "compiler")
    os.symlink(path, os.path.join(folder, file))
    with open(path, "rb") as f:
        digest = hashlib.file_digest(f, "sha256") if hasattr(hashlib, "file_digest") else hashlib.sha256(f.read())
    manifest[name] = {"name": name, "version": rest[:-len("-archive.tar.xz")], "linux-x86_64": {
        "relative_path": file, "sha256": digest.hexdigest(), "md5": "0" * 32, "size": str(os.path.getsize(path))}}
with open(os.path.join(folder, "redistrib_13.0.2.json"), "w") as f:
    json.dump(manifest, f)
with open(os.path.join(folder, "sums"), "w") as f:
    for name in manifest:
        if "-" not in name and isinstance(manifest[name], dict):
            m = manifest[name]["linux-x86_64"]
            f.write("%s  %s\n" % (m["sha256"], m["relative_path"]))
P

# ---- measuring

# Prints seconds, peak memory in MB and processor seconds of a command.
cat >"$T/measure.py" <<'P'
import os, sys, time
start = time.monotonic()
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.environ["LOG"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(1, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
status, use = os.wait4(pid, 0)[1:]
print("%.3f %d %.2f" % (time.monotonic() - start, use.ru_maxrss >> 10, use.ru_utime + use.ru_stime))
sys.exit(os.waitstatus_to_exitcode(status))
P
# A busy machine shall not decide: each row runs in a session of its own, ahead of the others where we may.
cat >"$T/ahead" <<'S'
#!/bin/sh
{ echo -20 >/proc/self/autogroup; } 2>/dev/null
exec nice -n -20 "$@" 2>/dev/null
S
chmod 755 "$T/ahead"
sed '/^manifest_sha256/d' "$here/../../share/versions.ini" >"$T/versions.ini"
mkdir "$T/home"

measure() {
	env -i PATH=/usr/bin:/bin HOME="$T/home" LOG="$T/log" T="$T" CUDAENV_CATALOG="$T/versions.ini" \
		CUDAENV_SHIM="$here/../../build/shims/cudaenv-shim" CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 \
		setsid -w "$T/ahead" "$python" "$T/measure.py" "$@"
}
# install OUT CACHE MIRROR [OPTION...]
install() {
	local out=$1 cache=$2 mirror=$3
	shift 3
	CUDAENV_ROOT=$out measure env CUDAENV_ROOT="$out" CUDAENV_CACHE_DIR="$cache" \
		"$cudaenv" -q install --source redist --mirror "$mirror" --profile full "$@" "$version"
}
# warm NAME ARCHIVE...: a redist folder and a cache that has all of it.
warm() {
	local name=$1
	shift
	"$python" "$T/manifest.py" "$T/$name" "$@"
	install "$T/$name.root" "$T/$name.cache" "file://$T/$name" >/dev/null || { cat "$T/log"; exit 1; }
	chmod -R u+w "$T/$name.root"
	rm -rf "$T/$name.root"
}

# table NAME TITLE FILES ROW...: runs the function `row N OUT` for each; FILES must be there after each one.
# Inodes are not given back before the end: ext4 is slow to give out those that were freed a minute ago, and would
# charge that to the next row. Nor is space, but for large files.
table() {
	local name=$1 title=$2 files=$3 r k i out result n
	shift 3
	for ((r = 0; r < rounds; r++)); do
		for ((k = 0; k < $#; k++)); do
			i=$(((k + r) % $#))
			out=$T/out.$name.$r.$i
			mkdir "$out"
			sync
			result=$(row $i "$out") || { echo "$title: row $i failed"; cat "$T/log"; exit 1; }
			n=$(find "$out" -path '*/cache' -prune -o -type f -size +0 -print | grep -vc '\.tar\.xz$' || :)
			[ "$n" -ge "$files" ] || { echo "$title: row $i: $n files only"; exit 1; }
			echo "$r $i $result" >>"$T/results.$name"
			chmod -R u+w "$out"
			find "$out" -type f -size +1M -exec truncate -s 0 {} +
		done
	done
	"$python" "$T/table.py" "$T/results.$name" "$title" "$@"
}
cat >"$T/table.py" <<'P'
import statistics, sys
rounds = {}
for line in open(sys.argv[1]):
    r, i, *values = line.split()
    rounds.setdefault(int(r), {})[int(i)] = [float(v) for v in values]
print("\n| %s | ratio | s | cpu s | peak MB |\n| --- | --- | --- | --- | --- |" % sys.argv[2])
for i, name in enumerate(sys.argv[3:]):
    def median(get):
        return statistics.median(get(rows) for rows in rounds.values())
    ratio = median(lambda x: x[i][0] / x[0][0])
    print(("| **%s** | **%.2f**" if name.startswith("cudaenv") else "| %s | %.2f") % (name, ratio) + " | %.2f | %.2f | %d |" % (
        median(lambda x: x[i][0]), median(lambda x: x[i][2]), max(rows[i][1] for rows in rounds.values())))
P

# goal NUMBER MUST TABLE ROW BASE WHAT: for the table at the end.
goals=()
goal() { goals+=("$(printf '%s\t' "$@")"); }
cat >"$T/goals.py" <<'P'
import statistics, sys
top, *goals = sys.argv[1:]
def ratio(table, row, base):
    rounds = {}
    for line in open("%s/results.%s" % (top, table)):
        r, i, seconds = line.split()[:3]
        rounds.setdefault(r, {})[i] = float(seconds)
    return statistics.median(x[row] / x[base] for x in rounds.values())
rows, peak = [], 0
for g in goals:
    number, must, table, row, base, what = g.split("\t")[:6]
    rows.append((int(number), "| %s. %s | **%.2f** | %s |" % (number, what, ratio(table, row, base), must)))
    for line in open("%s/results.%s" % (top, table)):
        r, i, seconds, memory, cpu = line.split()
        if i == row:
            peak = max(peak, int(memory))
rows.append((18, "| 18. peak memory of these rows | **%d MB** | 256 MB |" % peak))
print("\n| goal | ratio | at most |\n| --- | --- | --- |")
print("\n".join(text for _, text in sorted(rows, key=lambda r: r[0])))
P

one() {
	warm one "$cublas"
	row() {
		case $1 in
		0) measure tar xJf "$cublas" -C "$2" ;;
		1) measure bsdtar xf "$cublas" -C "$2" ;;
		2) install "$2" "$T/one.cache" "file://$T/one" ;;
		3) measure "$unpack" "$2" "$cublas" ;;
		4) measure env NO_HASH=1 "$unpack" "$2" "$cublas" ;;
		esac
	}
	table one 'one archive, 115 MB, one block' 3 '`tar xJf`' '`bsdtar xf`' 'cudaenv install, with sha256' \
		'its unpacking alone, with sha256' 'the same without sha256'
	goal 10 0.95 one 2 0 'one big archive, one block, with sha256 / `tar xJf` alone'
	goal 14 1.03 one 3 4 'unpacking with / without sha256'
}

blocks() {
	warm blocks "$blocks"
	row() {
		case $1 in
		0) measure tar xJf "$blocks" -C "$2" ;;
		1) measure sh -c 'xz -dc -T0 "$1" | tar x -C "$2"' sh "$blocks" "$2" ;;
		2) install "$2" "$T/blocks.cache" "file://$T/blocks" ;;
		esac
	}
	table blocks 'one archive, 43 MB, six blocks' 3 '`tar xJf`' '`xz -dc -T0 \| tar x`' 'cudaenv install, with sha256'
	goal 12 0.70 blocks 2 0 'several blocks, with sha256 / `tar xJf` alone'
}

small() {
	warm small "$cccl"
	row() {
		case $1 in
		0) measure tar xJf "$cccl" -C "$2" ;;
		1) measure bsdtar xf "$cccl" -C "$2" ;;
		2) measure sh -ec 'tar xJf "$1" -C "$2"; sync -f "$2"' sh "$cccl" "$2" ;;
		3) measure "$unpack" "$2" "$cccl" ;;
		4) install "$2" "$T/small.cache" "file://$T/small" ;;
		esac
	}
	table small '1,700 small files' 1600 '`tar xJf`' '`bsdtar xf`' '`tar xJf`, `sync -f`' \
		'cudaenv unpacking alone, with sha256, durable' 'cudaenv install, with sha256, durable, linked into a prefix'
	goal 13 1.05 small 3 0 '1,700 small files, with sha256, durable / `tar xJf`'
}

set_of_4() {
	local all=("$cublas" "$cufft" "$nvcc" "$cccl")
	warm set "${all[@]}"
	row() {
		case $1 in
		0) measure sh -ec 'cd "$1"; out=$2; shift 2; sha256sum --quiet -c sums; for a; do tar xJf "$a" -C "$out"; done' \
			sh "$T/set" "$2" "${all[@]}" ;;
		1) measure sh -ec 'out=$1; shift; for a; do echo "$a"; done | xargs -P2 -I{} tar xJf {} -C "$out"' sh "$2" "${all[@]}" ;;
		2) install "$2" "$T/set.cache" "file://$T/set" ;;
		esac
	}
	table set 'four archives, 228 MB' 1600 '`sha256sum`, `tar xJf`, one after another' \
		'`xargs -P2 tar xJf`, largest first, no sha256' 'cudaenv install, with sha256'
	goal 11 0.60 set 2 0 'four archives, with sha256 / `sha256sum` and `tar xJf`'
}

# Everything is in the store already: by a version under another name.
store() {
	"$python" "$T/manifest.py" "$T/store" "$cublas" "$cufft" "$nvcc" "$cccl"
	install "$T/full" "$T/store.cache" "file://$T/store" --as first >/dev/null || { cat "$T/log"; exit 1; }
	row() {
		case $1 in
		0) measure cp -a "$T/full/versions/first" "$2/" ;;
		1) install "$T/full" "$T/store.cache" "file://$T/store" --as "again${2##*.store}" ;;
		esac
	}
	table store 'a version that is wholly in the store' 0 '`cp -a` of its tree' 'cudaenv install'
	goal 20 0.15 store 1 0 'a version wholly in the store / `cp -a` of its tree'
}

# ---- end to end

serve() {
	[ -z "$nginx" ] || return 0
	"$python" "$T/manifest.py" "$T/net" "$cufft" "$nvcc" "$cccl"
	port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >"$T/nginx.conf" <<-C
		daemon off; pid $T/nginx.pid; error_log $T/nginx.log; worker_processes 1;
		$([ "$(id -u)" -ne 0 ] || echo 'user root;')
		events { worker_connections 256; }
		http {
			log_format bytes '\$body_bytes_sent \$uri'; access_log $T/access.log bytes; sendfile on; client_body_temp_path $T/b; proxy_temp_path $T/p; fastcgi_temp_path $T/f;
			uwsgi_temp_path $T/u; scgi_temp_path $T/s;
			server {
				listen 127.0.0.1:$port; root $T;
				location /net/ { }
				location /mirror/ { }
				# Small pieces: the first of a request is not counted.
				location /limited/ { alias $T/net/; limit_rate 25m; sendfile_max_chunk 256k; }
			}
		}
	C
	# It stands for another machine: what runs here shall not slow the link.
	local first=()
	! chrt -f 1 true 2>/dev/null || first=(chrt -f 1)
	setsid "$T/ahead" ${first[@]+"${first[@]}"} nginx -p "$T" -c "$T/nginx.conf" 2>"$T/nginx.log" &
	nginx=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		curl -s -o /dev/null "http://127.0.0.1:$port/net/sums" && return
		sleep 0.2
	done
	cat "$T/nginx.log"
	return 1
}

cat >"$T/by-hand" <<'S'
#!/bin/sh -e
# URL SUMS OUT
cd "$3"
while read -r sum file; do
	curl -sSf -O "$1/$file"
	echo "$sum  $file" | sha256sum --quiet -c
	tar xJf "$file"
done <"$2"
S
cat >"$T/aria2" <<'S'
#!/bin/sh -e
# URL SUMS OUT: all at once with eight connections each, then the digests, then two tars at once
cd "$3"
while read -r sum file; do
	printf '%s/%s\n\tout=%s\n' "$1" "$file" "$file"
done <"$2" >list
aria2c -q -j3 -x8 -s8 -k1M --file-allocation=none -i list
sha256sum --quiet -c "$2"
ls -S ./*.tar.xz | xargs -P2 -n1 tar xJf
S
chmod 755 "$T/by-hand" "$T/aria2"

full() {
	serve
	local where=http://127.0.0.1:$port/net
	row() {
		case $1 in
		0) measure "$T/by-hand" "$where" "$T/net/sums" "$2" ;;
		1) measure "$T/aria2" "$where" "$T/net/sums" "$2" ;;
		2) install "$2" "$2/cache" "$where" ;;
		esac
	}
	table full 'three archives, 113 MB, full speed' 1600 '`curl`, `sha256sum`, `tar xJf`, one after another' \
		'`aria2c -j3 -x8`, `sha256sum`, two `tar` at once' 'cudaenv install'
	goal 15 0.70 full 2 0 'three archives at full speed / `curl`, `sha256sum`, `tar`'
	goal 15 1.00 full 2 1 'the same / `aria2c` and two `tar` at once'
}
limited() {
	serve
	local where=http://127.0.0.1:$port/limited
	row() {
		case $1 in
		0) measure "$T/by-hand" "$where" "$T/net/sums" "$2" ;;
		1) measure "$T/aria2" "$where" "$T/net/sums" "$2" ;;
		2) measure sh -ec 'cd "$1"; while read -r sum file; do curl -sSf -O "$2/$file"; done <"$3"' \
			sh "$2" "$where" "$T/net/sums" ;;
		3) install "$2" "$2/cache" "$where" -j1 ;;
		4) install "$2" "$2/cache" "$where" ;;
		esac
	}
	table limited 'the same, 25 MiB/s a connection' 0 '`curl`, `sha256sum`, `tar xJf`, one after another' \
		'`aria2c -j3 -x8` (24 connections), `sha256sum`, two `tar` at once' '`curl` alone: the link' \
		'cudaenv install -j1 (one connection)' 'cudaenv install (three connections)'
	goal 16 0.60 limited 3 0 'one connection of 25 MiB/s / `curl`, `sha256sum`, `tar`'
	goal 17 1.15 limited 3 2 'the same / the link alone'
}

# Real releases, where the tests of this machine have built their mirror.
mirror=$(echo "${XDG_CACHE_HOME:-$HOME/.cache}"/cudaenv-tests/mirror-*)

# The same files with a manifest beside them, without one, and in a bundle.
from() {
	if [ ! -e "$mirror/cuda/redist/redistrib_12.4.1.json" ]; then
		echo "no test mirror: meson test mirror makes it" >&2
		return
	fi
	local lone=("$mirror"/cuda/redist/*/linux-x86_64/*-12.4.*.xz "$mirror"/cuda/redist/libcurand/linux-x86_64/*-10.3.5.*.xz)
	cat "${lone[@]}" >/dev/null
	CUDAENV_ROOT=$T/from.root measure env CUDAENV_ROOT="$T/from.root" "$cudaenv" -q bundle create 12.4.1 --profile full \
		--mirror "$mirror" -o "$T/from.tar" >/dev/null || { cat "$T/log"; exit 1; }
	row() {
		case $1 in
		0) CUDAENV_ROOT=$2 measure env CUDAENV_ROOT="$2" "$cudaenv" -q install --profile full --from "$mirror" 12.4.1 ;;
		1) CUDAENV_ROOT=$2 measure env CUDAENV_ROOT="$2" "$cudaenv" -q install 12.4.1 --from "${lone[@]}" ;;
		2) CUDAENV_ROOT=$2 measure env CUDAENV_ROOT="$2" "$cudaenv" -q install --from "$T/from.tar" ;;
		esac
	}
	table from "eleven archives of 12.4.1, 132 MB" 1600 'cudaenv install --from FOLDER, which has a manifest' \
		'cudaenv install --from ARCHIVE..., which nobody vouches for' 'cudaenv install --from BUNDLE'
	goal 23 1.10 from 1 0 'lone archives / the same in a folder with a manifest'
	goal 24 1.10 from 2 0 'a bundle / the same in a folder with a manifest'
}

# What comes over the net.
patch() {
	if [ ! -e "$mirror/cuda/redist/redistrib_13.0.1.json" ]; then
		echo "no test mirror: meson test mirror makes it" >&2
		return
	fi
	ln -s "$mirror" "$T/mirror"
	"$python" "$here/../mirror/mirror.py" --pin "$here/../../share/versions.ini" "$mirror" >"$T/versions.ini"
	serve
	local label bytes=()
	for label in 13.0.2 13.0.1; do
		: >"$T/access.log"
		version=$label install "$T/patch" "$T/patch.cache" "http://127.0.0.1:$port/mirror" --profile default \
			>/dev/null || { cat "$T/log"; exit 1; }
		sleep 1 # for nginx's log
		bytes+=("$(awk '/xz$/ { n += $1 } END { print n }' "$T/access.log")")
	done
	echo "0 0 ${bytes[0]} 0 0" >"$T/results.patch"
	echo "0 1 ${bytes[1]} 0 0" >>"$T/results.patch"
	goal 19 0.35 patch 1 0 "13.0.1 beside 13.0.2: bytes fetched, ${bytes[1]} / ${bytes[0]}"
}

for t in $tables; do
	case $t in
	one | blocks | small | from | full | limited | store | patch) "$t" ;;
	set) set_of_4 ;;
	*) echo "no table '$t'" >&2; exit 2 ;;
	esac
done
"$python" "$T/goals.py" "$T" "${goals[@]}"
