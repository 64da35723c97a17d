# shellcheck shell=sh
# Which packages bring what building and testing need. Sourced by bootstrap.sh and check.sh.
#
# need NAME...: nothing is installed, and no package manager is asked, while every NAME is there already.
# A NAME of pkg-config begins with "pc:", one that may be missing ends with "?".

# name            apt                   dnf               zypper            pacman        apk
package_table='
cc                build-essential       gcc               gcc               base-devel    build-base
c++               build-essential       gcc-c++           gcc-c++           base-devel    build-base
meson             meson                 meson             meson             meson         meson
ninja             ninja-build           ninja-build       ninja             ninja         samurai
pkg-config        pkg-config            pkgconf           pkgconf           pkgconf       pkgconf
pc:libcurl        libcurl4-openssl-dev  libcurl-devel     libcurl-devel     curl          curl-dev
pc:libcrypto      libssl-dev            openssl-devel     libopenssl-devel  openssl       openssl-dev
pc:inih           libinih-dev           inih-devel        libinih-devel     libinih       inih-dev
pc:jansson        libjansson-dev        jansson-devel     libjansson-devel  jansson       jansson-dev
pc:libarchive     libarchive-dev        libarchive-devel  libarchive-devel  libarchive    libarchive-dev
pc:liblzma        liblzma-dev           xz-devel          xz-devel          xz            xz-dev
pc:libisal        libisal-dev           isa-l-devel       isa-l-devel       isa-l         isa-l-dev
pc:libxml-2.0     libxml2-dev           libxml2-devel     libxml2-devel     libxml2       libxml2-dev
pc:tomlplusplus   libtomlplusplus-dev   tomlplusplus-devel tomlplusplus-devel tomlplusplus tomlplusplus-dev
musl-gcc          musl-tools            -                 -                 musl          -
scdoc             scdoc                 scdoc             scdoc             scdoc         scdoc
pip               python3-pip           python3-pip       python3-pip       python-pip    py3-pip
pc:cmocka         libcmocka-dev         libcmocka-devel   libcmocka-devel   cmocka        cmocka-dev
python3           python3               python3           python3           python        python3
bats              bats                  bats              bats              bats          bats
clang             clang                 clang             clang             clang         clang
zsh               zsh                   zsh               zsh               zsh           zsh
fish              fish                  fish              fish              fish          fish
dash              dash                  dash              dash              dash          dash
shellcheck        shellcheck            ShellCheck        ShellCheck        shellcheck    shellcheck
clang-format-14   clang-format-14       -                 -                 -             -
strace            strace                strace            strace            strace        strace
cmake             cmake                 cmake             cmake             cmake         cmake
expect            expect                expect            expect            expect        expect
g++-11            g++-11                -                 -                 -             -
direnv            direnv                direnv            direnv            direnv        direnv
pyvenv            python3-venv          python3           python3           python        python3
modulecmd         environment-modules   environment-modules environment-modules -         -
nginx             nginx-light           nginx             nginx             nginx         nginx
zstd              zstd                  zstd              zstd              zstd          zstd
makeself          makeself              makeself          -                 -             makeself
xz                xz-utils              xz                xz                xz            xz
gpg               gnupg                 gnupg2            gpg2              gnupg         gnupg
gpgv              gpgv                  gnupg2            gpg2              gnupg         gnupg
tmux              tmux                  tmux              tmux              tmux          tmux
sudo              sudo                  sudo              sudo              sudo          sudo
faketime          faketime              libfaketime       libfaketime       libfaketime   libfaketime
lmod              lmod                  Lmod              lua-lmod          -             -
chromium          chromium              chromium          chromium          chromium      chromium
'

there() {
	case $1 in
	pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
	pyvenv) python3 -c 'import venv' ;;
	lmod) test -e /usr/share/lmod/lmod/init/bash ;;
	modulecmd) test -e /usr/share/modules/init/bash || test -e /usr/share/Modules/init/bash ;;
	pip) command -v pip || command -v pip3 || command -v uv || python3 -m pip --version ;;
	nginx) PATH=$PATH:/usr/sbin command -v nginx ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

# package COLUMN NAME
package() {
	printf '%s' "$package_table" | awk -v column="$1" -v name="$2" '$1 == name && $column != "-" { print $column }'
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Prints the NAMEs that are not there; with "?" behind it one that may stay away.
missing() {
	for name; do
		there "${name%\?}" || echo "$name"
	done
}

required() {
	printf '%s\n' "$lacking" | grep -v '?$'
}

need() {
	lacking=$(missing "$@")
	[ -n "$lacking" ] || return 0
	if ! command -v apt-get >/dev/null; then
		tell_other_systems
	elif [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		echo "packages are missing and there is no sudo; as root: apt-get install $(packages 2)" >&2
	else
		install_by_apt
		return
	fi
	# What may stay away is no reason to stop.
	! required >/dev/null
}

# The packages of $lacking for the system of this column of the table.
packages() {
	for name in $lacking; do
		package "$1" "${name%\?}"
	done | sort -u | tr '\n' ' '
}

tell_other_systems() {
	{
		echo "no apt on this system; missing: $(echo "$lacking" | tr '\n' ' ')"
		if command -v dnf >/dev/null; then
			echo "install what is missing: dnf install $(packages 3)"
		elif command -v zypper >/dev/null; then
			echo "install what is missing: zypper install $(packages 4)"
		elif command -v pacman >/dev/null; then
			echo "install what is missing: pacman -S --needed $(packages 5)"
		elif command -v apk >/dev/null; then
			echo "install what is missing: apk add $(packages 6)"
		fi
	} >&2
}

# Not every release has every package that may stay away.
has_candidate() {
	apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

install_by_apt() {
	if required >/dev/null; then
		as_root apt-get update || echo "apt-get update failed; going on with the lists that are there" >&2
	fi
	needed='' extra=''
	for name in $lacking; do
		p=$(package 2 "${name%\?}")
		case "$needed $extra " in *" $p "*) continue ;; esac
		case $name in
		*\?) ! has_candidate "$p" || extra="$extra $p" ;;
		*) needed="$needed $p" ;;
		esac
	done
	# shellcheck disable=SC2086 # names of packages
	[ -z "$needed$extra" ] || apt_install $needed $extra || {
		# Some of those that may stay away exclude each other.
		[ -n "$extra" ] && { [ -z "$needed" ] || apt_install $needed; } || return
		for p in $extra; do
			apt_install "$p" || echo "going on without $p" >&2
		done
	}
}

apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove "$@"
}

# shellcheck disable=SC2034 # for who sources this
build_needs='cc c++ pkg-config ninja meson pc:libcurl pc:libcrypto pc:inih pc:jansson pc:libarchive
	pc:liblzma pc:libisal pc:libxml-2.0 pc:tomlplusplus musl-gcc? scdoc?'

# meson is too old on some systems that are still in use.
meson_serves() {
	meson_version=$(meson --version) || return 1
	case $meson_version in
	0.[0-9].* | 0.[1-5][0-9].* | 0.60.*)
		echo "meson 0.61 or newer is needed, this is $meson_version; a newer one: python3 -m pip install --user meson" >&2
		return 1
		;;
	esac
}
