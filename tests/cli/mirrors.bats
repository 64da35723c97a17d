#!/usr/bin/env bats
# NVIDIA's archives from mirrors that lack something, lie or break off.
load lib
load redist

@test "redist: a manifest of another release, product or shape" {
	serve
	fake 13.0.2 --says 11.7.0
	cudaenv install 13.0.2
	assert_status 6
	assert_stderr_has "is not that of cuda 13.0.2: it says cuda 11.7.0"
	fake 13.0.2 --says 11.7.0 --old
	cudaenv install 13.0.2
	assert_status 6
	assert_stderr_has "it says cuda 11.7.0"
	sed -i 's/"release_product": "cuda"/"release_product": "cudnn"/' "$mirror/cuda/redist/redistrib_13.0.2.json"
	fake 13.0.2
	sed -i 's/"release_product": "cuda"/"release_product": "cudnn"/' "$mirror/cuda/redist/redistrib_13.0.2.json"
	cudaenv install 13.0.2
	assert_status 6
	assert_stderr_has "it says cudnn"
	local kind
	for kind in badjson badpath nosha; do
		fake 13.0.2 --evil $kind
		cudaenv install 13.0.2
		[ "$status" -eq 6 ] || fail "$kind"
		assert_stderr_has redistrib_13.0.2.json
	done
	assert_nothing
	local good=$T/good.json file=$mirror/cuda/redist/redistrib_13.0.2.json shape
	fake 13.0.2
	cp "$file" "$good"
	for shape in 'cat "$good"; head -c 5000000 /dev/zero' 'printf "{\"a\":%.0s" {1..5000}' 'echo "[]"' \
		"echo '{\"release_date\": \"2022\"}'" 'head -c 300 "$good"' 'echo "<!DOCTYPE html>"'; do
		eval "$shape" >"$file"
		cudaenv install 13.0.2
		[ "$status" -eq 6 ] || [ "$status" -eq 5 ] || fail "$shape"
		[[ $err == *redistrib_13.0.2.json*"hint: "* ]] || fail "$shape"
	done
	assert_nothing
	for mode in html rawhtml empty; do
		cudaenv install --mirror "$at/$mode" 13.0.2
		[ "$status" -eq 6 ] || [ "$status" -eq 5 ] || fail "$mode"
	done
	assert_nothing
}

@test "redist: mirrors are tried in order, in both forms, by path as well" {
	mkdir "$T/none" "$T/plain"
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/plain" 13.0.2 --plain
	serve
	local first
	for first in "$at/file/none" "$at/status/403" "$at/status/503" "$at/html" "$at/close" http://127.0.0.1:1 "file://$T/none" \
		http://nowhere.invalid; do
		cudaenv install --mirror "${first// /%20} $at/file/mirror" --as a 13.0.2
		[ "$status" -eq 0 ] || fail "$first"
		cudaenv uninstall a
		cudaenv cache clear
	done
	for first in "$at/file/plain" "$at/file/plain/" "file://${T// /%20}/plain" "file://${T// /%20}/mirror//"; do
		cudaenv install --mirror "$first" --as a 13.0.2
		[ "$status" -eq 0 ] || fail "$first"
		cudaenv uninstall a
		cudaenv cache clear
	done
	# A list of mirrors is split at blanks, so a path among them has none.
	local plain
	plain=$(mktemp -d /tmp/cudaenv-mirror.XXXXXX)
	ln -s "$mirror" "$plain/m"
	cudaenv install --mirror "$plain/m" --as a 13.0.2
	rm -r "$plain"
	assert_status 0
}

# The large file of --size is right, and nothing is left over. Makes room for the next round.
assert_big_and_clean() { # SIZE WORDS
	[ "$status" -eq 0 ] || fail "$2"
	cmp "$v/a/lib64/libbig.so.1" <(python3 -c "import random,sys; sys.stdout.buffer.write(random.Random($1).randbytes($1))") || fail "$2"
	cudaenv uninstall a
	cudaenv cache clear
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
}

@test "redist: an archive that is wrong on the first mirror comes from the second" {
	fake 13.0.2 --size 400000
	serve
	local first
	for first in corrupt/200000 corrupt/20 short/100000 reset/100000 wronglen/-9 longer/9 html rawhtml status/404 status/503 gzip chunkcut/9; do
		cudaenv install --mirror "$at/$first/mirror $at/file/mirror" --components cuda_nvrtc --as a 13.0.2
		assert_big_and_clean 400000 "$first"
	done
}

# sha MANIFEST: what it says of cuda_nvrtc.
sha() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cuda_nvrtc"]["linux-x86_64"]["sha256"])' "$1"
}

@test "redist: a mirror changes a file under the same name" {
	fake 13.0.2 --size 1000
	serve
	local archive manifest=$mirror/cuda/redist/redistrib_13.0.2.json old=$T/old.json
	cudaenv install --components cuda_nvrtc --as old 13.0.2
	assert_status 0
	cp "$manifest" "$old"
	fake 13.0.2 --size 2000
	archive=$(echo "$mirror"/cuda/redist/cuda_nvrtc/linux-x86_64/*)
	# Manifest and archive are new: what the cache has under this name is another file.
	cudaenv install --components cuda_nvrtc --as new 13.0.2
	assert_status 0
	[ "$(stat -c %s "$v/old/lib64/libbig.so.1" "$v/new/lib64/libbig.so.1" | paste -sd' ')" = "1000 2000" ]
	[ "$(ls "$CUDAENV_ROOT"/cache/*."${archive##*/}" | wc -l)" -eq 2 ]
	# The manifest is the old one, the archive is new.
	cudaenv uninstall old new
	cudaenv cache clear
	cp "$old" "$manifest"
	cudaenv install --components cuda_nvrtc 13.0.2
	assert_status 6
	assert_stderr_has "$(stat -c %s "$archive") bytes"
	assert_stderr_has "the publisher may have replaced the file"
	assert_nothing
	# Of the same size, so that only the digests differ.
	fake 13.0.2 --size 1000
	cp "$manifest" "$old"
	printf X | dd of="$archive" bs=1 seek=700 conv=notrunc status=none
	cudaenv install --components cuda_nvrtc 13.0.2
	assert_status 6
	assert_stderr_has "wanted $(sha "$old"), got $(sha256sum <"$archive" | cut -d' ' -f1)"
	assert_nothing
}

@test "redist: a download that breaks off goes on, or starts over, while it is unpacked" {
	fake 13.0.2 --size 3000000
	serve
	local mode
	for mode in short/1000000x1 reset/2000000x2 corrupt/1500000x1 chunked nolength nolengthcut/1000000x1; do
		cudaenv install --mirror "$at/$mode/mirror" --components cuda_nvrtc --as a 13.0.2
		assert_big_and_clean 3000000 "$mode"
	done
}

@test "redist: a part from before is unpacked at once, and thrown away when it is wrong" {
	fake 13.0.2 --size 3000000
	serve
	local mode archive part
	archive=$(echo "$mirror"/cuda/redist/cuda_nvrtc/linux-x86_64/*)
	part=$CUDAENV_ROOT/cache/$(sha256sum <"$archive" | cut -d' ' -f1).${archive##*/}.part
	mkdir -p "$CUDAENV_ROOT/cache"
	for mode in file false206/7 no206 badtotal/3 416 norange partial/700000; do
		head -c 1000000 "$archive" >"$part"
		cudaenv install --mirror "$at/$mode/mirror" --components cuda_nvrtc --as a 13.0.2
		assert_big_and_clean 3000000 "$mode"
	done
	for mode in file norange 416; do
		{
			head -c 500000 "$archive"
			head -c 500000 /dev/zero
		} >"$part"
		cudaenv install --mirror "$at/$mode/mirror" --components cuda_nvrtc --as a 13.0.2
		assert_big_and_clean 3000000 "zeros, $mode"
		head -c 4000000 "$archive" /dev/zero >"$part" 2>/dev/null || :
		cudaenv install --mirror "$at/$mode/mirror" --components cuda_nvrtc --as a 13.0.2
		assert_big_and_clean 3000000 "too long, $mode"
	done
	# A whole file of the right size with wrong bytes under the final name.
	cp "$archive" "${part%.part}"
	printf X | dd of="${part%.part}" bs=1 seek=2000000 conv=notrunc status=none
	cudaenv install --components cuda_nvrtc --as a 13.0.2
	assert_big_and_clean 3000000 "cache"
}

@test "redist: archives that must be refused leave an untouched store" {
	serve
	local kind
	for kind in dotdot absolute newline linkout hardout device twice includelink notar html cut badsize badsha; do
		fake 13.0.2 --evil $kind
		cudaenv install --components cuda_nvrtc 13.0.2
		[ "$status" -eq 6 ] || [ "$kind" = html ] || fail "$kind: wanted status 6"
		[ "$status" -ne 0 ]
		assert_stderr_has cuda_nvrtc
		assert_nothing
	done
	fake 13.0.2
	cudaenv install 13.0.2
	assert_status 0
}

@test "redist: an archive that was packed in another way" {
	serve
	fake 13.0.2 --packed gzip
	cudaenv install --as gzip 13.0.2
	assert_status 0
	command -v zstd >/dev/null || return 0
	fake 13.0.2 --packed zstd
	cudaenv install --as zstd 13.0.2
	assert_status 0
	assert_exists "$v/zstd/nvvm/bin/cicc"
}

@test "redist: auto takes the source that serves and says why not the others" {
	python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$T/wheels" 13.0.2
	serve
	export UV_DEFAULT_INDEX=$at/simple CUDAENV_SOURCE=auto
	cudaenv install --mirror http://127.0.0.1:1 --as a 13.0.2
	assert_status 0
	assert_stderr_has "source redist does not serve: cannot fetch 'http://127.0.0.1:1/cuda/redist/redistrib_13.0.2.json'"
	assert_stderr_has "take 13.0.2 from source wheels"
	cudaenv install --mirror http://nowhere.invalid --as b 13.0.2
	assert_status 0
	# A broken manifest is a reason as well.
	fake 13.0.2 --says 11.7.0
	cudaenv install --as c 13.0.2
	assert_status 0
	assert_stderr_has "source redist does not serve: manifest"
	cudaenv install --source redist --mirror http://127.0.0.1:1/x --as d 13.0.2
	assert_status 5
	cudaenv install --mirror http://127.0.0.1:1 12.4.1
	assert_status 5
	assert_stderr_has "no source serves CUDA 12.4.1; redist: cannot fetch"
	assert_stderr_has "wheels: the wheels of 12.4.1 hold no nvcc"
}
