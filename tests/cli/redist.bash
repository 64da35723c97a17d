# shellcheck shell=bash
# Small archives in the shape of NVIDIA's on mirrors on this machine, for redist.bats and mirrors.bats.
setup() {
	setup_root
	# The mirrors here are not NVIDIA's, so the catalog knows no digest of their manifests.
	sed '/^manifest_sha256/d' "$SOURCE_ROOT/share/versions.ini" >"$T/versions.ini"
	export CUDAENV_CATALOG=$T/versions.ini CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 CUDAENV_SOURCE=redist
	# Nor is apt's real mirror asked where all sources are.
	printf 'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "/dev/null";\n' >"$T/apt.conf"
	export APT_CONFIG=$T/apt.conf
	mirror=$T/mirror
	v=$CUDAENV_ROOT/versions
	fake 13.0.2
}

teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
	teardown_root
}

fake() { python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$mirror" "$@"; }

# serve: $T as files; $at is the server. Later requests can be read with `requests`.
serve() {
	coproc HTTPD { exec python3 "$SOURCE_ROOT/tests/httpd.py" --root "$T" --simple "$T/wheels" 2>/dev/null; }
	server=$HTTPD_PID
	read -r port <&"${HTTPD[0]}"
	at=http://127.0.0.1:$port
	export CUDAENV_MIRROR=$at/file/mirror
}

requests() { python3 -c 'import sys,urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())' "$at/log"; }

pin() { # pin LABEL SHA256: into the catalog
	sed -i "s/^\[$1\]\$/&\nmanifest_sha256 = $2/" "$CUDAENV_CATALOG"
}

assert_nothing() {
	[ -z "$(ls -A "$v" 2>/dev/null)" ] || fail "a version was left"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ] || fail "staging was left"
	refute_exists "$T/evil"
	refute_exists /tmp/evil-absolute
}
