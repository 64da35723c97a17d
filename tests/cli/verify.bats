# verify: levels, what is printed, stored and shown, and the exit status. The toolkits are scripts, and the
# driver is tests/unit/fake_cuda.c; real toolkits are in tests/toolkit/verify.bats.
load lib

setup() {
	setup_root
	[ -e "${FAKE_CUDA:-}" ] || skip "the fake driver is not built"
	mkdir "$T/driver"
	ln -s "$FAKE_CUDA" "$T/driver/libcuda.so.1"
	ln -s "$FAKE_CUDA" "$T/driver/libnvidia-ml.so.1"
	mkdir "$T/kernels"
	echo 'kernel' | tee "$T/kernels/hello.cu" >"$T/kernels/bandwidth.cu"
	export CUDAENV_KERNELS="$T/kernels" FAKE_CUDA_VERSION=12040 FAKE_DRIVER=550.54.15
	# The kernel's word counts more than the library's, where there is a real driver.
	DRIVER=$(sed -n '1s/.* Module[^0-9]*\([0-9.]*\) .*/\1/p' /proc/driver/nvidia/version 2>/dev/null) ||
		DRIVER=$FAKE_DRIVER
	for tool in gcc g++; do
		printf '#!/bin/sh\necho 12.1\n' >"$T/bin/$tool"
		chmod 755 "$T/bin/$tool"
	done
}
teardown() { teardown_root; }

# With the driver in the loader's path.
driven() { LD_LIBRARY_PATH="$T/driver" cudaenv "$@"; }

# toolkit VERSION: whole for verify; its nvcc logs its arguments and makes programs out of $prefix/TEXT, where
# TEXT is sass, ptx, speed or default.
toolkit() {
	fake_toolkit "$1"
	local file
	for file in bin/nvcc.profile nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc bin/cudafe++ bin/ptxas \
		bin/fatbinary bin/nvlink bin/crt/link.stub include/crt/host_config.h include/cuda_runtime.h \
		lib64/libcudart.so lib64/libcudart_static.a lib64/libcudadevrt.a; do
		mkdir -p "$(dirname "$prefix/$file")"
		echo content >"$prefix/$file"
		chmod 755 "$prefix/$file"
	done
	cat >"$prefix/bin/nvcc" <<-'EOS'
		#!/bin/sh
		top=${0%/bin/nvcc}
		[ "$1" != --list-gpu-code ] || { echo sm_80 sm_90; exit; }
		if [ -e "$top/before" ]; then sh "$top/before" "$@" || exit; fi
		kind=default
		for a; do
			case $a in
			*code=sm_*) [ $kind = speed ] || kind=sass;;
			*code=compute_*) kind=ptx;;
			bandwidth.cu) kind=speed;;
			esac
			[ "$last" = -o ] && out=$a
			last=$a
		done
		echo "$@" >>"$top/log"
		cat "$top/$kind" >"$out"
		chmod 755 "$out"
	EOS
	program sass ok
	program ptx ok
	program speed 'echo "{\"test\": \"bandwidth\", \"ok\": true, \"device\": 0, \"kind\": \"h2d\", \"memory\": \"pinned\", \"gbps\": 50}"' ok
	program default 'touch '"'$T/ran'" ok
}

# program TEXT LINE...: `ok` and `fails CODE NAME` stand for what kernels/proof.h says.
program() {
	local file=$prefix/$1 line code name
	shift
	echo '#!/bin/sh' >"$file"
	for line; do
		case $line in
		ok) echo 'echo "{\"test\": \"hello\", \"ok\": true, \"device\": 0, \"done\": true}"' ;;
		fails*)
			read -r _ code name <<<"$line"
			echo "echo '{\"ok\": false, \"call\": \"cudaMalloc\", \"code\": $code, \"name\": \"$name\"}'; exit 3"
			;;
		*) echo "$line" ;;
		esac >>"$file"
	done
}

stored() { python3 -c 'import json,sys; print(eval("v" + sys.argv[2], {"v": json.load(open(sys.argv[1]))}))' "$prefix/.cudaenv/verdict.json" "$1"; }

@test "verify: without a GPU it compiles, and that is enough unless a GPU is required" {
	[ ! -e /proc/driver/nvidia/version ] || skip "a real driver is here"
	toolkit 12.4.1
	FAKE_GPUS='' driven verify --level run 12.4.1
	assert_status 0
	[[ $out == "12.4.1"$'\t'"compiled"$'\t'* ]] || fail
	refute_exists "$T/ran"
	FAKE_GPUS='' driven verify --level bandwidth --require-gpu 12.4.1
	assert_status 1
	assert_stderr_has "there is no GPU to run on: the driver's library is here, and no GPU"
	FAKE_GPUS='' driven verify --require-gpu 12.4.1
	assert_status 1
	driven verify --require-gpu 12.4.1
	assert_status 0
	# A toolkit that is broken is another matter.
	mv "$prefix/bin/ptxas" "$T/away"
	driven verify --require-gpu 12.4.1
	assert_status 8
	mv "$T/away" "$prefix/bin/ptxas"
	driven verify --require-gpu --level compile 12.4.1
	assert_status 2
	assert_stderr_has "--require-gpu means 'run'"
}

@test "verify: runs machine code and PTX, measures, stores what on" {
	toolkit 12.4.1
	driven verify --level bandwidth 12.4.1
	assert_status 0
	assert_stdout $'12.4.1\tok\tFake GPU 0: sm_90 and PTX; 50.0 GB/s to it, 0.0 back, 0 on its memory'
	[ "$(stored '["on"]["driver"]')" = "$DRIVER" ] || fail
	[ "$(stored '["on"]["uuids"]')" = GPU-a0000000-0000-0000-0000-000000000000 ] || fail
	[ "$(stored '["level"]')" = bandwidth ] || fail
	[ "$(stored '["results"][0]["code"]')" = sm_90 ] || fail
	grep -q -- '-gencode=arch=compute_90,code=sm_90 ' "$prefix/log" || fail
	grep -q -- '-gencode=arch=compute_90,code=compute_90 ' "$prefix/log" || fail
	# A line of JSON for each version has all of it.
	driven verify --level bandwidth 12.4.1 --json
	python3 - "$T/stdout" <<-'EOS' || fail
		import json, sys
		(v,) = [json.loads(l) for l in open(sys.argv[1])]
		assert v["version"] == "12.4.1" and v["release"] == "12.4.1" and v["verdict"] == "ok", v
		assert v["level"] == "bandwidth" and v["host"] and v["date"].endswith("Z"), v
		assert v["on"]["cuda"] == 12040 and v["on"]["h2d"] == 50e9 and v["on"]["ptx"] == "ok", v
		(g,) = v["gpus"]
		assert g["cc"] == "9.0" and g["ordinal"] == 0 and g["pcie_gen_max"] == 5 and g["mig"] is False, g
		assert [r["code"] for r in v["results"]] == ["sm_90", "compute_90", "sm_90", "sm_90"], v
	EOS
}

@test "verify: a cause each, with its remedy and status 8" {
	toolkit 12.4.1
	local word text
	while read -r word text; do
		program sass "$text"
		driven verify --level run 12.4.1
		assert_status 8
		[[ $out == "12.4.1"$'\t'"$word"$'\t'* ]] || fail "wanted $word"
		assert_stderr_has "12.4.1: "
		[ "$(stored '["verdict"]')" = "$word" ] || fail
	done <<-'EOS'
		driver-too-old fails 35 cudaErrorInsufficientDriver
		fabric-not-ready fails 802 cudaErrorSystemNotReady
		compat-library fails 804 cudaErrorCompatNotSupportedOnDevice
		busy-or-exclusive fails 46 cudaErrorDevicesUnavailable
		wrong-result echo '{"ok": false, "what": "value", "index": 3}'; exit 1
		crashed kill -SEGV $$
	EOS
}

@test "verify: PTX of a newer CUDA than the driver's is told, and no failure" {
	toolkit 12.4.1
	program ptx 'fails 222 cudaErrorUnsupportedPtxVersion'
	driven verify --level run 12.4.1
	assert_status 0
	assert_stdout_has "machine code (sm_90) runs; PTX of CUDA 12.4.1 is newer than driver $DRIVER (CUDA 12.4) knows"
	assert_stderr_has "-arch=sm_90"
	[ "$(stored '["on"]["ptx"]')" = ptx-too-new ] || fail
}

@test "verify: GPUs beside the toolkit's list" {
	toolkit 12.4.1
	FAKE_GPUS=35 driven verify --level run 12.4.1
	assert_status 8
	[[ $out == *$'\tarch-dropped\t'* ]] || fail
	assert_stderr_has "CUDA 11.8"
	FAKE_GPUS=120 driven verify --level run 12.4.1
	assert_status 8
	[[ $out == *$'\tarch-too-new\t'* ]] || fail
	assert_stderr_has "cudaenv install 12.8"
	FAKE_GPUS='35 90' driven verify --level run 12.4.1
	assert_status 0
	assert_stdout_has "no code for GPU 0"
}

@test "verify: GPUs that are hidden, a driver that fails, crashes or is a stub" {
	toolkit 12.4.1
	program default 'fails 100 cudaErrorNoDevice'
	for value in '' 7 GPU-ff MIG-1 0,0; do
		CUDA_VISIBLE_DEVICES=$value driven verify --level run 12.4.1
		assert_status 8
		[[ $out == *$'\tno-device-visible\t'*"CUDA_VISIBLE_DEVICES is '$value'"* ]] || fail
	done
	CUDA_VISIBLE_DEVICES=GPU-a0 driven verify --level run 12.4.1
	assert_status 0
	CUDA_VISIBLE_DEVICES=0 FAKE_CUINIT=crash driven verify --level run 12.4.1
	assert_status 8
	[[ $out == *$'\tcrashed\t'*cuInit* ]] || fail
	program sass 'fails 34 cudaErrorStubLibrary'
	FAKE_CUINIT=34 driven verify --level run 12.4.1
	[[ $out == *$'\tstub-loaded\t'* ]] || fail
	# Only a stub is there, as where an image is built: nothing can run.
	mkdir "$T/stubs"
	ln -s "$FAKE_CUDA" "$T/stubs/libcuda.so.1"
	LD_LIBRARY_PATH="$T/stubs" cudaenv verify --level run 12.4.1
	if [ ! -e /proc/driver/nvidia/version ]; then
		assert_status 0
		[[ $out == *$'\tcompiled\t'* ]] || fail
	fi
}

@test "verify --all: each version once, the good ones beside the bad" {
	local v
	for v in 11.8.0 12.4.1 13.0.2; do toolkit "$v"; done
	rm "$prefix/nvvm/bin/cicc"
	cp -r "$CUDAENV_ROOT/versions/12.4.1" "$T/tree"
	rm -r "$T/tree/.cudaenv"
	cudaenv link mine "$T/tree"
	driven verify --all --level run
	assert_status 8
	[ "$(cut -f 1,2 "$T/stdout")" = $'13.0.2\ttree-incomplete\n12.4.1\tok\n11.8.0\tok\nmine\tok' ] || fail
	assert_stdout_has "'nvvm/bin/cicc' is missing"
	# A tree that is not ours is left as it is.
	refute_exists "$T/tree/.cudaenv"
	# Named twice it is proved once.
	driven verify --level run 12.4.1 12.4
	assert_stdout $'12.4.1\tok\tFake GPU 0: sm_90 and PTX'
}

@test "verify: several versions, and the programs of one, are compiled side by side" {
	# Each waits for another one to be there, which one after the other would do in vain.
	cat >"$T/meet" <<-'EOS'
		touch "$T/at.$1"
		for i in $(seq 600); do
			[ ! -e "$T/at.$2" ] || exit 0
			sleep 0.1
		done
		exit 1
	EOS
	local v other
	for v in 11.8.0 12.4.1; do
		toolkit $v
		[ $v = 11.8.0 ] && other=12.4.1 || other=11.8.0
		cat >"$prefix/before" <<-EOF
			case \$* in
			*code=sm_90*hello.cu) sh "\$T/meet" $v $other && sh "\$T/meet" $v.sass $v.ptx ;;
			*code=compute_90*) sh "\$T/meet" $v.ptx $v.sass ;;
			esac
		EOF
	done
	CUDAENV_JOBS=2 driven verify --level run --all
	assert_status 0
}

@test "versions: the verdict, and when it is stale" {
	[ ! -e /proc/driver/nvidia/version ] || skip "a real driver is here"
	toolkit 12.4.1
	driven verify --level run 12.4.1
	cudaenv versions --json
	python3 - "$T/stdout" <<-'EOS' || fail
		import json, sys
		(v,) = [v for v in json.load(open(sys.argv[1])) if v["name"] == "12.4.1"]
		assert v["verdict"] == "ok" and v["gpu"] == "Fake GPU 0" and v["driver"] == "550.54.15", v
		assert v["stale"] == "found on driver 550.54.15, here is none" and v["verified"], v
	EOS
	cudaenv versions
	assert_stdout_has "ok (stale)"
	CUDAENV_VERSION=12.4.1 cudaenv version --verbose
	assert_stdout_has "found on driver 550.54.15, here is none"
	driven verify --level compile 12.4.1
	cudaenv versions
	refute_stdout_has stale
}
