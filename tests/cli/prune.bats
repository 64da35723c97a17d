#!/usr/bin/env bats
# prune: what no version needs goes, and nothing else.
load lib
setup() {
	setup_root
	fake_toolkit 13.0.2
	used=$(printf '%064d' 1)
	unused=$(printf '%064d' 2)
	entry "$used" cuda_nvcc 13.0.2
	entry "$unused" libcublas 13.1.0.3
}
teardown() { teardown_root; }

# entry SHA256 NAME VERSION: a component in the store.
entry() {
	local dir=$CUDAENV_ROOT/store/$1
	mkdir -p "$dir/tree/lib"
	head -c 100000 /dev/urandom >"$dir/tree/lib/$2.so"
	printf '{"format": 1, "name": "%s", "version": "%s", "bytes": 100000, "files": []}\n' "$2" "$3" >"$dir/component.json"
	chmod -R a-w "$dir/tree/lib"
}

left_overs() {
	mkdir -p "$CUDAENV_ROOT/staging/13.0.2.77/bin" "$CUDAENV_ROOT/cache"
	head -c 50000 /dev/urandom >"$CUDAENV_ROOT/staging/13.0.2.77/bin/nvcc"
	chmod 555 "$CUDAENV_ROOT/staging/13.0.2.77/bin"
	head -c 7000 /dev/urandom >"$CUDAENV_ROOT/cache/$used.cuda_nvcc.tar.xz.part"
	echo whole >"$CUDAENV_ROOT/cache/$unused.libcublas.tar.xz"
	echo mine >"$CUDAENV_ROOT/cache/notes"
}

@test "prune removes unused components, left-overs and parts, and says how much came back" {
	left_overs
	cudaenv prune
	assert_status 0
	assert_stdout ''
	[[ $err =~ note:\ 1[67][0-9]\ kB\ came\ back ]] || fail
	[ "$(ls "$CUDAENV_ROOT/store")" = "$used" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	[ "$(ls "$CUDAENV_ROOT/cache")" = "$unused.libcublas.tar.xz
notes" ]
	assert_exists "$prefix/bin/nvcc"
	cudaenv prune
	assert_status 0
	assert_stderr_has "0 B came back"
}

@test "prune -n prints what would go, and changes nothing" {
	left_overs
	touch "$CUDAENV_ROOT/lock"
	find "$CUDAENV_ROOT" -printf '%p %m %T@ %s\n' | grep -v '/lock ' | sort >"$T/before"
	cudaenv prune -n
	assert_status 0
	[[ $out =~ left\ over\ +13\.0\.2\.77 ]] || fail
	[[ $out =~ unused\ +libcublas\ 13\.1\.0\.3 ]] || fail
	[[ $out =~ 7\.00\ kB\ +part\ +cuda_nvcc\.tar\.xz ]] || fail
	refute_stdout_has 'cuda_nvcc 13.0.2'
	[[ $err =~ note:\ 1[67][0-9]\ kB\ would\ come\ back ]] || fail
	find "$CUDAENV_ROOT" -printf '%p %m %T@ %s\n' | grep -v '/lock ' | sort >"$T/after"
	cmp "$T/before" "$T/after"
	cudaenv --json prune -n
	python3 - "$T/stdout" "$CUDAENV_ROOT" <<-'EOP'
		import json, sys
		rows = json.load(open(sys.argv[1]))
		assert [r["kind"] for r in rows] == ["left over", "unused", "part"], rows
		assert all(r["path"].startswith(sys.argv[2]) for r in rows) and rows[2]["bytes"] == 7000, rows
	EOP
	cudaenv --json prune
	python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["freed"] > 150000' "$T/stdout"
}

@test "prune: what another version's files hold does not count as coming back" {
	mkdir -p "$prefix/lib64"
	ln "$CUDAENV_ROOT/store/$unused/tree/lib/libcublas.so" "$prefix/lib64/"
	cudaenv prune
	assert_status 0
	refute_exists "$CUDAENV_ROOT/store/$unused"
	[ "$(stat -c %s "$prefix/lib64/libcublas.so")" -eq 100000 ]
	[[ $err =~ note:\ [0-9.]+\ k?B\ came\ back ]] || fail
	[[ ! $err =~ \ 1[0-9][0-9] ]] || fail
}

@test "prune: a version whose record cannot be read keeps everything" {
	left_overs
	echo '{' >"$prefix/.cudaenv/record.json"
	cudaenv prune
	assert_status 1
	assert_stderr_has "$prefix/.cudaenv/record.json"
	assert_stderr_has "what 13.0.2 uses"
	assert_exists "$CUDAENV_ROOT/store/$unused"
	assert_exists "$CUDAENV_ROOT/staging/13.0.2.77"
}

@test "prune waits for an install, and a root without anything is fine" {
	exec 9>"$CUDAENV_ROOT/lock"
	flock 9
	CUDAENV_LOCK_WAIT=0 cudaenv prune
	exec 9>&-
	assert_status 10
	assert_exists "$CUDAENV_ROOT/store/$unused"
	chmod -R u+w "$CUDAENV_ROOT"
	rm -r "$CUDAENV_ROOT"
	cudaenv prune
	assert_status 0
	cudaenv prune x
	assert_status 2
}
