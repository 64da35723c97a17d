#!/usr/bin/env bats
# More and fewer components of an installed version, from a mirror on this machine.
load lib
load redist

# The names that the record has, in one line.
recorded() {
	python3 -c 'import json,sys; print(*sorted(c["name"] for c in json.load(open(sys.argv[1]))["components"]))' \
		"$v/${1:-13.0.2}/.cudaenv/record.json"
}
profile() { sed -n 's/.*"profile": "\(.*\)".*/\1/p' "$v/13.0.2/.cudaenv/record.json"; }
fetched() { requests | grep -c 'archive.tar.xz' || :; }
minimal="cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_nvcc cuda_nvrtc libnvptxcompiler libnvvm"

install() {
	serve
	cudaenv install --profile minimal 13.0.2
	assert_status 0
	export CUDAENV_VERSION=13.0
}

@test "component list: what is installed and what could be" {
	install
	cudaenv component list
	assert_status 0
	[[ $out =~ cuda_nvcc\ +13\.0\.2\ +[0-9]+\ B\ +[0-9]+\ B\ +installed ]] || fail
	[[ $out =~ libcublas\ +13\.0\.2\ +[0-9]+\ B$'\n' ]] || fail
	refute_stdout_has nvidia_driver
	[ "$(tail -n +2 "$T/stdout" | cut -d' ' -f1)" = "$(tail -n +2 "$T/stdout" | cut -d' ' -f1 | sort)" ]
	cudaenv --json component list 13
	assert_status 0
	python3 - "$T/stdout" <<-'EOP'
		import json, sys
		rows = {r["name"]: r for r in json.load(open(sys.argv[1]))}
		assert rows["cuda_nvcc"]["installed"] and rows["cuda_nvcc"]["bytes"] > 0, rows
		assert not rows["libcublas"]["installed"] and rows["libcublas"]["size"] > 0, rows
		assert rows["libcublas"]["version"] == "13.0.2" and len(rows) == 12, rows
	EOP
}

@test "component list without a network: the kept manifest says it, else only what is installed" {
	install
	kill "$server"
	cudaenv component list
	assert_status 0
	assert_stdout_has libcublas
	assert_stderr ''
	cudaenv cache list
	assert_stdout_has "  whole  redistrib_13.0.2.json"
	cudaenv cache clear
	cudaenv component list
	assert_status 0
	refute_stdout_has libcublas
	assert_stdout_has cuda_nvcc
	assert_stderr_has "what is not installed cannot be listed: "
}

@test "component add: only what is new is fetched, the version is another one in one step" {
	install
	local n before
	n=$(fetched)
	before=$(stat -c %i "$v/13.0.2")
	cudaenv component add libcublas cuda_nvcc
	assert_status 0
	assert_stdout "$v/13.0.2"
	[ "$(fetched)" -eq $((n + 1)) ]
	[ "$(recorded)" = "${minimal/libnvpt/libcublas libnvpt}" ]
	[ "$(profile)" = custom ]
	assert_exists "$v/13.0.2/lib64/libcublas.so.13"
	assert_exists "$v/13.0.2/lib64/libcublas.so"
	[ "$(stat -c %i "$v/13.0.2")" -ne "$before" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	capture "$CUDAENV_ROOT/shims/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
}

@test "component add: what is there already is not built again, and needs no network" {
	install
	kill "$server"
	local before
	before=$(stat -c %i "$v/13.0.2")
	cudaenv component add 13.0.2 cuda_crt
	assert_status 0
	assert_stdout "$v/13.0.2"
	assert_stderr_has "has that already"
	[ "$(stat -c %i "$v/13.0.2")" -eq "$before" ]
	cudaenv --json component add --profile minimal
	assert_status 0
	python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["verdict"] == "files-ok"' "$T/stdout"
}

@test "component add --profile: from minimal to default to full, nothing fetched twice" {
	install
	cudaenv component add --profile default -n
	assert_status 0
	assert_stdout_has libcublas
	refute_stdout_has nsight_compute
	refute_exists "$v/13.0.2/lib64/libcublas.so.13"
	[ "$(profile)" = minimal ]
	cudaenv component add --profile default 13.0.2
	assert_status 0
	[ "$(recorded)" = "cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_cupti cuda_nvcc cuda_nvrtc libcublas libnvptxcompiler libnvvm" ]
	[ "$(profile)" = default ]
	cudaenv component add --profile full
	assert_status 0
	[ "$(profile)" = full ]
	capture "$CUDAENV_ROOT/shims/ncu"
	assert_stdout "ncu of 13.0.2"
	[ "$(fetched)" -eq 12 ]
	[ "$(requests | grep -o '[a-z_]*-linux-x86_64-[^"]*' | sort | uniq -d)" = "" ]
	[ "$(recorded | grep -c driver)" -eq 0 ]
}

@test "component add: unknown names, wrong calls" {
	install
	cudaenv component add libcubals
	assert_status 4
	assert_stderr_has "did you mean 'libcublas'"
	cudaenv component add
	assert_status 2
	cudaenv component add 13.0.2
	assert_status 2
	cudaenv component add libcublas --profile default
	assert_status 2
	cudaenv component add --profile defalt
	assert_status 2
	cudaenv component add 12.4 libcublas
	assert_status 3
	cudaenv component add --force libcublas
	assert_status 2
	assert_stderr_has "'component add' has no option '--force'"
	cudaenv component ad libcublas
	assert_status 2
	assert_stderr_has "did you mean 'cudaenv component add'"
	cudaenv component list 13 x
	assert_status 2
	[ "$(recorded)" = "$minimal" ]
	CUDAENV_VERSION=system cudaenv component list
	assert_status 2
}

@test "component add: a broken archive leaves the version as it is" {
	fake 13.0.2 --evil dotdot
	serve
	cudaenv install --components cuda_nvcc 13.0.2
	assert_status 0
	local before
	before=$(cd "$v" && find . | sort | sha256sum)
	cudaenv component add 13.0.2 cuda_nvrtc
	assert_status 6
	[ "$(cd "$v" && find . | sort | sha256sum)" = "$before" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	refute_exists "$T/evil"
}

@test "component add: a manifest that was replaced since the install is told" {
	install
	echo ' ' >>"$mirror/cuda/redist/redistrib_13.0.2.json"
	# The kept one is the right one.
	cudaenv component add cuda_cupti
	assert_status 0
	cudaenv cache clear
	cudaenv component add libcublas
	assert_status 6
	assert_stderr_has "$(sha256sum <"$mirror/cuda/redist/redistrib_13.0.2.json" | cut -d' ' -f1)"
	[ "$(recorded)" = "cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_cupti cuda_nvcc cuda_nvrtc libnvptxcompiler libnvvm" ]
}

@test "component add, remove: a store that lost something gets it back" {
	install
	cudaenv component add libcublas
	assert_status 0
	rm -rf "$CUDAENV_ROOT/store" "$CUDAENV_ROOT/cache"
	cudaenv component add cuda_cupti
	assert_status 0
	[ "$(ls "$CUDAENV_ROOT/store" | wc -l)" -eq 10 ]
	cudaenv component remove libcublas
	assert_status 0
	[ "$(ls "$CUDAENV_ROOT/store" | wc -l)" -eq 9 ]
}

@test "component remove: gives the space back, refuses what nvcc needs" {
	install
	cudaenv component add libcublas cuda_cupti
	assert_status 0
	kill "$server"
	cudaenv component remove 13.0.2 libcublas cuda_cupti
	assert_status 0
	assert_stdout "$v/13.0.2"
	assert_stderr_has "came back"
	[ "$(recorded)" = "$minimal" ]
	refute_exists "$v/13.0.2/lib64/libcublas.so.13"
	refute_exists "$v/13.0.2/lib64/libcublas.so"
	[ "$(ls "$CUDAENV_ROOT/store" | wc -l)" -eq 8 ]
	cudaenv component remove libcublas
	assert_status 4
	assert_stderr_has "has no component 'libcublas' installed"
	cudaenv component remove cuda_nvtrc
	assert_stderr_has "did you mean 'cuda_nvrtc'"
	local name
	for name in cuda_nvcc cuda_crt libnvvm cuda_cudart cuda_cccl; do
		cudaenv component remove "$name"
		assert_status 2
		assert_stderr_has "nothing compiles with 13.0.2 without '$name'"
	done
	cudaenv component remove
	assert_status 2
	# shellcheck disable=SC2086
	cudaenv component remove -f $minimal
	assert_status 2
	assert_stderr_has "cudaenv uninstall"
	[ "$(recorded)" = "$minimal" ]
	cudaenv component remove -f cuda_crt
	assert_status 0
	refute_exists "$v/13.0.2/bin/crt/link.stub"
	cudaenv versions
	assert_stdout_has tree-incomplete
	cudaenv component add cuda_crt --offline
	assert_status 0
	cudaenv versions
	assert_stdout_has files-ok
}

@test "component remove: what another version uses stays in the store" {
	install
	cudaenv install --components libcublas --as blas 13.0.2
	assert_status 0
	cudaenv component add libcublas
	cudaenv component remove libcublas
	assert_status 0
	assert_exists "$v/blas/lib64/libcublas.so.13"
	[ "$(ls "$CUDAENV_ROOT/store" | wc -l)" -eq 9 ]
	cudaenv component list blas
	assert_status 0
	[[ $out =~ libcublas\ .*installed ]] || fail
}

@test "component: linked and shared versions can be seen, not changed" {
	install
	mv "$CUDAENV_ROOT" "$T/site"
	export CUDAENV_SHARED_ROOTS=$T/site
	cudaenv component list
	assert_status 0
	[[ $out =~ cuda_nvcc\ +13\.0\.2\ +[0-9]+\ B\ +[0-9]+\ B\ +installed ]] || fail
	cudaenv component which-has nvcc
	assert_stdout "cuda_nvcc	bin/nvcc"
	cudaenv component add libcublas
	assert_status 2
	assert_stderr_has "not changed"
	FAKE_ROOT=$T/foreign fake_toolkit 12.4.1
	rm -r "$prefix/.cudaenv"
	cudaenv link mine "$prefix"
	assert_status 0
	cudaenv component list mine
	assert_status 2
	assert_stderr_has "'mine' was not installed by cudaenv"
	cudaenv component remove mine cuda_nvcc
	assert_status 2
}

@test "component which-has: by name, suffix, path and link" {
	install
	local file
	for file in libcudart.so libcudart.so.13 lib64/libcudart.so libcudart.so.13.1.2 "$v/13.0.2/lib64/libcudart.so" \
		targets/x86_64-linux/lib/libcudart.so.13.1.2; do
		cudaenv component which-has "$file"
		assert_status 0
		assert_stdout "cuda_cudart	targets/x86_64-linux/lib/libcudart.so.13.1.2"
	done
	cudaenv component which-has 13.0.2 cuda/std/version
	assert_stdout "cuda_cccl	targets/x86_64-linux/include/cuda/std/version"
	cudaenv --json component which-has cicc
	assert_status 0
	python3 -c 'import json,sys; assert json.load(open(sys.argv[1])) == [
		{"component": "libnvvm", "path": "nvvm/bin/cicc", "installed": True}]' "$T/stdout"
	cudaenv component which-has version.json
	assert_status 127
	assert_stderr_has "made when that was installed"
	cudaenv component which-has no-such-file.h
	assert_status 127
	assert_stderr_has "cudaenv component list"
	cudaenv component which-has 'udart.so'
	assert_status 127
	cudaenv component which-has
	assert_status 2
}

@test "component which-has: what is not installed, by what other versions have, or by its name" {
	fake 12.4.1
	install
	cudaenv install --profile full 12.4.1
	assert_status 0
	cudaenv component which-has ncu
	assert_status 0
	assert_stdout "nsight_compute	nsight-compute-2024.1.1/ncu"
	assert_stderr_has "cudaenv component add 13.0.2 nsight_compute"
	cudaenv uninstall 12.4.1
	cudaenv component which-has ncu
	assert_status 0
	assert_stdout nsight_compute
	cudaenv --json component which-has libcusolverMg.so
	python3 -c 'import json,sys; assert json.load(open(sys.argv[1])) == [
		{"component": "libcusolver", "path": None, "installed": False}]' "$T/stdout"
}

@test "component: two at once change one version after the other" {
	install
	"$CUDAENV" component add libcublas >/dev/null 2>"$T/a" </dev/null &
	local a=$!
	"$CUDAENV" component add cuda_cupti >/dev/null 2>"$T/b" </dev/null &
	wait $a || fail "$(cat "$T/a")"
	wait $! || fail "$(cat "$T/b")"
	[ "$(recorded)" = "cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_cupti cuda_nvcc cuda_nvrtc libcublas libnvptxcompiler libnvvm" ]
}

@test "component: killed at any moment, the version is the old or the new one" {
	fake 13.0.2 --size 3000000
	serve
	cudaenv install --components cuda_nvcc 13.0.2
	assert_status 0
	local i
	for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
		"$CUDAENV" component add 13.0.2 cuda_nvrtc >/dev/null 2>&1 </dev/null &
		sleep "0.$(printf %02d $((i * 3)))"
		kill -9 $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		assert_exists "$v/13.0.2/bin/nvcc"
		case " $(recorded) " in
		*" cuda_nvrtc "*) assert_exists "$v/13.0.2/lib64/libbig.so.1" ;;
		*) refute_exists "$v/13.0.2/lib64/libbig.so.1" ;;
		esac
	done
	cudaenv component add 13.0.2 cuda_nvrtc
	assert_status 0
	assert_exists "$v/13.0.2/lib64/libbig.so.1"
}

@test "component: of wheels, by either name, from the index that they came from" {
	python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$T/wheels" 13.0.2
	serve
	export UV_DEFAULT_INDEX=$at/simple CUDAENV_VERSION=13.0.2
	cudaenv install --source wheels --profile minimal 13.0.2
	assert_status 0
	cudaenv component list
	assert_stdout_has libcublas
	# The setting says redist; the record says wheels.
	cudaenv component add nvidia-cublas
	assert_status 0
	assert_exists "$v/13.0.2/lib64/libcublas.so.13"
	[ "$(requests | grep -c 'packages/nvidia_')" -eq 9 ]
	cudaenv component add libcubals
	assert_status 4
	assert_stderr_has "did you mean 'libcublas'"
	kill "$server"
	cudaenv component remove nvidia-cublas
	assert_status 0
	refute_exists "$v/13.0.2/lib64/libcublas.so.13"
	cudaenv component add libcublas --offline
	assert_status 0
	assert_exists "$v/13.0.2/lib64/libcublas.so.13"
}

@test "component add: what can be added is completed from the kept manifest" {
	install
	kill "$server"
	cudaenv complete -- component add 13.0.2 ''
	assert_status 0
	assert_stdout "libcublas
cuda_cupti
cuda_documentation
nsight_compute"
	cudaenv complete -- component add libc
	assert_stdout libcublas
}
