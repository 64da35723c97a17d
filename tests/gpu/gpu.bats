#!/usr/bin/env bats
# On a machine with a GPU: the programs that prove it, and what verify makes of them. $TOOLKIT is a toolkit of this
# machine.

# shellcheck source=tests/cli/lib.bash
. "$TESTLIB"

setup() {
	setup_root
	PATH=$PATH:$TOOLKIT/bin
}
teardown() { teardown_root; }

# program NAME [ARGUMENT...]: compiled from the bundled source, once for all tests, as machine code of the first GPU.
# $program is its path.
program() {
	local name=$1 cc
	shift
	program=$GPU_TEMP/$name
	[ ! -x "$program" ] || return 0
	cc=$(cat "$GPU_TEMP/cc" 2>/dev/null || :)
	"$TOOLKIT/bin/nvcc" ${cc:+-gencode "arch=compute_$cc,code=sm_$cc"} -o "$program" "$CUDAENV_KERNELS/$name.cu" "$@" -ldl
}

# changed NAME SED: the same of a source that sed changed, which must change it.
changed() {
	sed "$2" "$CUDAENV_KERNELS/$1.cu" >"$1.cu"
	! cmp -s "$1.cu" "$CUDAENV_KERNELS/$1.cu" || fail "$2 changes nothing"
	"$TOOLKIT/bin/nvcc" -I "$CUDAENV_KERNELS" -gencode "arch=compute_$(<"$GPU_TEMP/cc"),code=sm_$(<"$GPU_TEMP/cc")" \
		-o "$1" "$1.cu" -ldl
}

# json EXPRESSION: holds of `rows`, the lines of $out.
json() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
by = lambda **want: [r for r in rows if all(r.get(k) == v for k, v in want.items())]
assert eval(sys.argv[2]), rows' "$T/stdout" "$1" || fail "$1"
}

@test "device: what the GPUs are" {
	program device
	capture "$program"
	assert_status 0
	json 'rows[-1]["done"] and rows[-1]["devices"] == len(rows) - 1'
	json 'all(r["ok"] and r["gpu"] and r["uuid"].startswith(("GPU-", "MIG-")) for r in rows[:-1])'
	json 'all(r["memory"] > 1e9 and r["multiprocessors"] > 0 and r["driver"] >= 9000 for r in rows[:-1])'
	json 'all(r["pcie_gen"] is None or 1 <= r["pcie_gen"] <= r["pcie_gen_max"] for r in rows[:-1])'
	python3 -c 'import json; print(json.loads(open("'"$T/stdout"'").readline())["cc"].replace(".", ""))' >"$GPU_TEMP/cc"
	[ ! -f /proc/driver/nvidia/version ] ||
		json 'rows[0]["driver_version"] in open("/proc/driver/nvidia/version").read()'
}

@test "hello: every GPU runs it" {
	program hello
	capture "$program"
	assert_status 0
	json 'all(r["ok"] and r["threads"] == 65536 for r in rows) and rows[-1]["done"]'
}

@test "hello: a wrong value and a launch that did not run are told, status 1" {
	changed hello 's/out\[i\] = expected(i)/out[i] = expected(i) + (i == 777)/'
	capture ./hello
	assert_status 1
	json 'rows[-1]["ok"] is False and rows[-1]["what"] == "value" and rows[-1]["index"] == 777'
	changed hello 's/^\thello<<<.*/\t(void)hello;/'
	capture ./hello
	assert_status 1
	json 'rows[-1]["what"] == "threads" and rows[-1]["value"] == 0'
}

@test "bandwidth: each kind, checked, within what hardware can" {
	program bandwidth
	capture "$program" --quick --device 0
	assert_status 0
	json 'rows[-1]["done"] and rows[-1]["seconds"] < 60'
	json '{(r["kind"], r["memory"]) for r in rows[:-1] if r["memory"] != "cache"} >= {("h2d", "pinned"), ("d2h", "pinned"),
		("both", "pinned"), ("h2d", "pageable"), ("d2h", "pageable"), ("d2d", "device")}'
	json 'all(0 < r["gbps"] < 20000 and r["samples"] >= 3 for r in rows[:-1])'
	json 'max(r["gbps"] for r in by(kind="both")) > 0.8 * max(r["gbps"] for r in by(kind="h2d", memory="pinned"))'
}

@test "bandwidth: between GPUs" {
	program device
	capture "$program"
	[ "$(wc -l <"$T/stdout")" -gt 2 ] || skip "one GPU is here"
	program bandwidth
	capture "$program" --quick
	assert_status 0
	json 'by(kind="p2p", device=0, peer=1) and by(kind="p2p", device=1, peer=0) and by(kind="p2p-both", device=0, peer=1)'
}

@test "bandwidth: what does not arrive is told, status 1" {
	changed bandwidth 's/b->sizes.samples, ROW_US/b->sizes.samples, ROW_US * (c->from[0].memory[0] = 1)/'
	capture ./bandwidth --quick --max-bytes 1048576
	assert_status 1
	json 'rows[-1]["ok"] is False and rows[-1]["what"] == "copied to a device" and rows[-1]["index"] == 0'
	changed bandwidth 's/copy_check(c, bytes, salt)/copy_check(c, bytes, salt + 1)/'
	capture ./bandwidth --quick --max-bytes 1048576
	assert_status 1
}

@test "libraries of this toolkit give right results" {
	local name header ran=
	for name in nvrtc cublas cufft curand cudnn; do
		header=$name.h
		[ $name != cublas ] || header=cublas_v2.h
		[ -f "$TOOLKIT/include/$header" ] || continue
		program "lib_$name" "-l$name" || continue
		LD_LIBRARY_PATH=$TOOLKIT/lib64 capture "$program"
		assert_status 0
		json "rows[-1]['done'] and rows[-1]['test'] == '$name' and rows[-1]['version'] > 0"
		ran+=" $name"
	done
	[ -n "$ran" ] || skip "$TOOLKIT has none"
}

@test "CUDA_VISIBLE_DEVICES: forms that show a GPU and forms that show none" {
	local uuid form
	program device
	uuid=$("$program" | sed -n '1s/.*"uuid": "\([^"]*\)".*/\1/p')
	program hello
	for form in 0 "$uuid" "${uuid:0:12}" "0,99"; do
		CUDA_VISIBLE_DEVICES=$form capture "$program"
		[ "$status" -eq 0 ] || fail "$form"
		json 'len(rows) == 1'
	done
	for form in "" -1 99 x GPU-00000000-0000-0000-0000-000000000000 MIG-x; do
		CUDA_VISIBLE_DEVICES=$form capture "$program"
		[ "$status" -eq 3 ] || fail "$form"
		json 'rows[0]["code"] == 100'
	done
	CUDA_VISIBLE_DEVICES=0,0 capture "$program"
	assert_status 3
}

@test "compute-sanitizer finds nothing" {
	local tool
	command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
	program hello
	for tool in memcheck racecheck initcheck; do
		capture compute-sanitizer --tool $tool --error-exitcode 99 "$program"
		assert_status 0
	done
	program bandwidth
	capture compute-sanitizer --tool memcheck --error-exitcode 99 "$program" --quick --max-bytes 1048576
	assert_status 0
}

@test "verify: a toolkit of this machine, proved, measured, stored and reported" {
	local verdict
	cudaenv link here "$TOOLKIT"
	assert_status 0
	cudaenv verify --json --require-gpu --level bandwidth here
	verdict=$(python3 -c 'import json; print(json.load(open("'"$T/stdout"'"))["verdict"])')
	case $verdict in
	ok) assert_status 0 ;;
	host-compiler-refused | libc-headers) skip "$verdict: $out" ;;
	*) fail "$verdict" ;;
	esac
	json 'rows[0]["on"]["h2d"] > 1e8 and rows[0]["on"]["d2d"] > 1e9 and rows[0]["on"]["code"].startswith("sm_")'
	cp "$T/stdout" one
	cudaenv report one
	assert_status 0
	assert_stdout_has here
	cudaenv report --html page.html one
	grep -q '<svg' page.html
	CUDA_VISIBLE_DEVICES='' cudaenv verify --level run here
	refute_stdout_has "	ok"
	assert_stdout_has no-device-visible
}
