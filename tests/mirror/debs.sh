#!/usr/bin/env bash
# Debian's packages of a CUDA release, without touching what apt knows of this machine.
# usage: debs.sh LABEL FOLDER
# FOLDER/LABEL holds them afterwards; each is fetched once. The Debian mirror is the one of this machine's apt,
# or $CUDAENV_TESTS_DEBIAN. Where they cannot be had, the last line says why and the status is 77.
set -eu

label=$1 folder=$2/$1
case $label in
11.2.2)
	suite=bullseye
	packages='nvidia-cuda-toolkit=11.2.2 nvidia-cuda-dev=11.2.2 libnvvm4=11.2.152~11.2.2 libcudart11.0=11.2.152~11.2.2
		libnvrtc11.2=11.2.152~11.2.2 libthrust-dev=1.11.0'
	;;
11.8.0)
	suite=bookworm
	packages='nvidia-cuda-toolkit=11.8.89~11.8.0 nvidia-cuda-dev=11.8.89~11.8.0 libnvvm4=11.8.89~11.8.0
		libcudart11.0=11.8.89~11.8.0 libnvrtc11.2=11.8.89~11.8.0 libnvrtc-builtins11.8=11.8.89~11.8.0
		libnvidia-ml-dev=11.8.86~11.8.0 libcurand10=11.1.1+~10.3.0.86~11.8.0
		libcu++-dev=1.8.1 libcub-dev=1.17.2 libthrust-dev=1.17.2'
	;;
12.4.1)
	suite=trixie
	packages='nvidia-cuda-toolkit=12.4.131~12.4.1 nvidia-cuda-dev=12.4.127~12.4.1 libnvvm4=12.4.131~12.4.1
		libcudart12=12.4.127~12.4.1 libnvrtc12=12.4.127~12.4.1 libnvrtc-builtins12.4=12.4.127~12.4.1
		libnvidia-ml-dev=12.4.127~12.4.1 libcurand10=11.1.1+~10.3.5.147~12.4.1
		libcu++-dev=2.3.2 libcub-dev=2.3.2 libthrust-dev=2.3.2'
	;;
*)
	echo "Debian has no packages of $label" >&2
	exit 2
	;;
esac

skip() {
	echo "$*" >&2
	exit 77
}

have() { compgen -G "$folder/${1%%=*}_${1#*=}[-~]*.deb" >/dev/null; }

lacking=()
mkdir -p "$folder"
for p in $packages; do
	have "$p" || lacking+=("${p%%=*}")
done
[ "${#lacking[@]}" -gt 0 ] || exit 0

for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null || skip "there is no $tool to get Debian's packages of $label"
done
# shellcheck disable=SC2016 # apt expands them
debian=${CUDAENV_TESTS_DEBIAN:-$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 2>/dev/null |
	grep -v security | sed -n 's/^Debian //p' | head -n 1)}
[ -n "$debian" ] || skip "apt knows no Debian mirror (nor does CUDAENV_TESTS_DEBIAN name one)"

state=$(mktemp -d "$folder/.fetch.XXXXXX")
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ ! -f $keys ] || signed="[signed-by=$keys]"
echo "deb ${signed:-} $debian $suite main non-free" >"$state/sources.list"
: >"$state/status"
apt=(apt-get -q -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/nonexistent
	-o Dir::Etc::preferencesparts=/nonexistent -o "Dir::State=$state" -o "Dir::State::lists=$state/lists"
	-o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o APT::Architecture=amd64
	-o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=2)

"${apt[@]}" update >"$state/log" 2>&1 || :
"${apt[@]}" --print-uris download "${lacking[@]}" >"$state/uris" 2>>"$state/log" ||
	skip "'$debian' does not list the packages of $label: $(grep -E '^[EW]:' "$state/log" | head -n 1)"

echo "fetching $(awk '{ n += $3 } END { printf "%d", n / 1e6 }' "$state/uris") MB of Debian's packages of $label" >&2
mkdir "$state/new"
(cd "$state/new" && "${apt[@]}" download "${lacking[@]}") >>"$state/log" 2>&1 ||
	skip "cannot fetch Debian's packages of $label: $(grep -E '^[EW]:' "$state/log" | head -n 1)"
mv "$state/new"/*.deb "$folder/"
for p in $packages; do
	have "$p" || skip "'$debian' has another version than $p"
done
