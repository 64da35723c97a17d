#!/usr/bin/env bats
# What is installed, where it lies on odd file systems, under odd clocks, and while others use it.
load lib
load redist

# in_layer COMMAND...: the commands in $1 (a script) with a root that lies in a lower layer of overlayfs, as what
# an earlier step of an image's build has installed.
in_layer() {
	can_mount || skip "needs to mount"
	mkdir "$T/layer" "$T/seen"
	unshare -m bash -ec '
		mount -t tmpfs none "$T/layer"
		mkdir "$T/layer/up" "$T/layer/work"
		cd "$T"
		mount -t overlay none -o "lowerdir=the root,upperdir=layer/up,workdir=layer/work" seen || exit 99
		export CUDAENV_ROOT=$T/seen
		eval "$1"' - "$1" >"$T/stdout" 2>"$T/stderr" || status=$?
	[ "${status:-0}" -ne 99 ] || skip "no overlayfs here"
	out=$(<"$T/stdout") err=$(<"$T/stderr")
	[ "${status:-0}" -eq 0 ] || fail "in a lower layer"
}

@test "a version of a lower layer: changed, built anew and uninstalled" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	# shellcheck disable=SC2016 # for the inner shell
	in_layer '
		"$CUDAENV" component remove 13.0.2 libcublas
		[ ! -e "$CUDAENV_ROOT/versions/13.0.2/lib64/libcublas.so.13" ]
		"$CUDAENV" component add 13.0.2 libcublas
		[ -e "$CUDAENV_ROOT/versions/13.0.2/lib64/libcublas.so.13" ]
		"$CUDAENV" install --force 13.0.2
		[ "$("$CUDAENV_ROOT/versions/13.0.2/bin/nvcc" --version)" = "nvcc of 13.0.2" ]
		"$CUDAENV" uninstall 13.0.2
		"$CUDAENV" prune
		[ -z "$(ls -A "$CUDAENV_ROOT/versions" "$CUDAENV_ROOT/store" "$CUDAENV_ROOT/staging" | grep -v :)" ]'
	# The layer itself is as it was.
	capture "$v/13.0.2/bin/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
}

@test "a root that is mounted read-only is used as any other" {
	can_mount || skip "needs to mount"
	serve
	cudaenv install --set-global 13.0.2
	assert_status 0
	# shellcheck disable=SC2016 # for the inner shell
	capture unshare -m bash -ec '
		mount --bind "$CUDAENV_ROOT" "$CUDAENV_ROOT" && mount -o remount,bind,ro "$CUDAENV_ROOT" || exit 99
		! touch "$CUDAENV_ROOT/x" 2>/dev/null
		eval "$("$CUDAENV" init bash)"
		cd /
		[ "$(nvcc --version)" = "nvcc of 13.0.2" ]
		"$CUDAENV" version
		"$CUDAENV" exec nvcc --version
		"$CUDAENV" component list >/dev/null
		"$CUDAENV" versions >/dev/null
		s=0 && "$CUDAENV" doctor >"$T/doctor" 2>&1 || s=$?
		[ $s -le 1 ] || ! "$CUDAENV" commands | grep -qx doctor
		s=0 && "$CUDAENV" uninstall -f 13.0.2 || s=$?
		[ $s -eq 7 ]'
	[ "$status" -ne 99 ] || skip "cannot mount"
	assert_status 0
	assert_stdout_has "nvcc of 13.0.2"
	assert_stderr_has "$CUDAENV_ROOT"
	assert_exists "$v/13.0.2/bin/nvcc"
}

@test "cache, TMPDIR, shims or staging on another file system; versions there are told" {
	can_mount || skip "needs to mount"
	serve
	mkdir "$T/other"
	mount -t tmpfs none "$T/other" 2>/dev/null || skip "cannot mount"
	local sub said=
	CUDAENV_CACHE_DIR=$T/other/cache TMPDIR=$T/other cudaenv install 13.0.2
	[ "$status" -eq 0 ] || said=variables
	for sub in staging cache shims versions; do
		rm -rf "$CUDAENV_ROOT"
		mkdir -p "$CUDAENV_ROOT" "$T/other/$sub"
		ln -s "$T/other/$sub" "$CUDAENV_ROOT/$sub"
		cudaenv install 13.0.2
		if [ $sub = versions ]; then
			[ "$status" -eq 7 ] && [[ $err == *"must be on one file system"* ]] || said+=" $sub"
			[ -z "$(ls -A "$T/other/versions" "$CUDAENV_ROOT/staging" | grep -v ':$')" ] || said+=" left"
		else
			[ "$("$CUDAENV_ROOT/shims/nvcc" +13.0.2)" = "nvcc of 13.0.2" ] || said+=" $sub"
		fi
	done
	umount "$T/other"
	[ -z "$said" ] || fail "$said"
}

@test "files that are dated tomorrow, or in 1970, stop nobody" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	local when
	for when in tomorrow 1970-01-02 2100-01-01; do
		cudaenv uninstall 13.0.2
		assert_status 0
		find "$CUDAENV_ROOT" -exec touch -h -d "$when" {} +
		cudaenv install --offline 13.0.2
		assert_status 0
		find "$CUDAENV_ROOT" -exec touch -h -d "$when" {} +
		capture "$CUDAENV_ROOT/shims/nvcc" +13.0.2 --version
		assert_stdout "nvcc of 13.0.2"
	done
}

@test "a clock of 1970 or 2100 stops nobody" {
	command -v faketime >/dev/null || skip "faketime is not here"
	[[ ${SANITIZE:-none} == none ]] || skip "the sanitizer must be loaded first"
	serve
	local when
	for when in '1970-01-02 00:00:00' '2100-01-01 00:00:00'; do
		capture faketime "$when" "$CUDAENV" install --set-global 13.0.2
		assert_status 0
		capture faketime "$when" "$CUDAENV" exec nvcc --version
		assert_stdout "nvcc of 13.0.2"
		# Under the right clock again, with what that one left.
		cudaenv component add 13.0.2 nsight_compute
		assert_status 0
		capture faketime "$when" "$CUDAENV" uninstall -f 13.0.2
		assert_status 0
		cudaenv cache clear
	done
}

# A file system that takes so many files: the room ends at each kind of step in turn.
@test "no space at any point: told with a next step, nothing left, and then it goes on" {
	can_mount || skip "needs to mount"
	fake 13.0.2 --size 100000
	serve
	mkdir "$T/small"
	export CUDAENV_ROOT=$T/small/root
	local n code said left ok
	for n in 2 3 5 8 11 14 18 30 50 90 130 160 166 190 220 236 244 251 256 260 263; do
		mount -t tmpfs -o size=100m,nr_inodes=$n none "$T/small" 2>/dev/null || skip "cannot mount"
		cudaenv install 13.0.2
		code=$status said=$err
		left=$(ls -A "$CUDAENV_ROOT/versions" "$CUDAENV_ROOT/staging" 2>/dev/null | grep -v ':$' | tr -d '\n')
		mount -o remount,nr_inodes=10000 "$T/small"
		cudaenv install 13.0.2
		ok=$status
		[ -x "$CUDAENV_ROOT/shims/cudafe++" ] || ok=shims
		umount "$T/small"
		[ "$code" -eq 7 ] && [[ $said == *"No space left on device"*"hint: "* ]] || fail "$n: $code: $said"
		# Behind the last step of the version itself come the shims.
		[ -z "$left" ] || [[ $left == 13.0.2 && $said == *"/shims/"* ]] || fail "$n left $left"
		[ "$ok" = 0 ] || fail "$n: not after that: $ok"
	done
}

@test "many at once: eight installs of one version, fifty hooks" {
	fake 13.0.2 --size 300000
	serve
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do
		"$CUDAENV" install 13.0.2 >"$T/out.$i" 2>&1 </dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || fail "$(tail -n 3 "$T"/out.*)"; done
	capture "$v/13.0.2/bin/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	# One works, the others find it.
	[ -z "$(requests | grep -o '"path": "[^"]*xz"' | sort | uniq -d)" ] || fail "$(requests)"
	[ -n "${SHIM:-}" ] || return 0
	echo 13.0 >.cuda-version
	pids=()
	for i in {1..50}; do
		"$SHIM" hook bash >"$T/hook.$i" 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in {2..50}; do cmp "$T/hook.1" "$T/hook.$i"; done
	grep -q "CUDA_HOME='$v/13.0.2'" "$T/hook.1"
}

@test "the global version is switched while others compile" {
	fake 12.4.1
	serve
	cudaenv install --set-global 12.4.1 13.0.2
	assert_status 0
	local i pid
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$CUDAENV" global 13.0.2
		"$CUDAENV" global 12.4.1
	done >/dev/null 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		for i in "$CUDAENV_ROOT/current/bin/nvcc" "$CUDAENV_ROOT/shims/nvcc"; do
			capture "$i" --version
			[[ $out =~ ^"nvcc of "(12.4.1|13.0.2)$ ]] || fail "$i"
		done
	done
	wait "$pid"
}
