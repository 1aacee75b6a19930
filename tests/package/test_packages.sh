#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 3600
#
# The packages of what is committed: the source archive builds and works, lintian has nothing to say, and in a Debian with nothing
# else they install, upgrade from the version before (tests/package/previous: its commit and version), keep what the
# administrator changed, and leave nothing behind when they are purged. The rpm spec builds. With DEBS=FOLDER and
# BEFORE=FOLDER, packages that were built before are used.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
root=$scratch/root

# in_root COMMAND...: in the clean system, in which nothing runs.
in_root() {
	unshare --mount --pid --fork sh -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

# in_root_ok NAME COMMAND...
in_root_ok() {
	local name=$1 rc
	shift
	in_root "$@" >"$scratch/out" 2>&1
	rc=$?
	verdict "$name" "'$*' ended with $rc: $(tail -n 3 "$scratch/out" | tr '\n' ' ')" [ $rc = 0 ]
}

apt_install() { in_root_ok "$1" apt-get -q -y --no-install-recommends install "${@:2}"; }

there() { verdict "$1: $2" "it is not there" [ -e "$root$2" ]; }
gone() { verdict "$1: no $2" "it is there" [ ! -e "$root$2" ]; }
has_user() { grep -q '^rwalker:' "$root/etc/passwd"; }
lacks_user() { ! has_user; }

# --- building ---

# archive: the source archive alone gives programs that work.
test_archive() {
	local archive unpacked=$scratch/archive
	archive=$(make -s dist)
	mkdir "$unpacked"
	tar -xf "$archive" -C "$unpacked"
	unpacked=$(echo "$unpacked"/*)
	verdict "archive: builds" "$(tail -n 3 "$scratch/log" 2>/dev/null)" \
		sh -c "make -s -j2 -C '$unpacked' WERROR=1 all >'$scratch/log' 2>&1"
	verdict "archive: its reports" "tests/golden/test_golden.sh fails there" \
		sh -c "cd '$unpacked' && tests/golden/test_golden.sh >'$scratch/log' 2>&1 && ! grep -q '^not ok' '$scratch/log'"
}

build() {
	debs=${DEBS-}
	[ -z "$debs" ] || return 0
	make deb >"$scratch/log" 2>&1 || { not_ok "packages: build" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"; return 1; }
	debs=build/deb
	verdict "packages: lintian" "$(lintian "$debs"/*.changes 2>&1 | grep '^[EWI]:' | head -n 3)" \
		sh -c "! lintian '$debs'/*.changes 2>&1 | grep -q '^[EW]:'"
}

# The version before, from its commit.
build_before() {
	local commit version
	before=${BEFORE-}
	[ -z "$before" ] || return 0
	read -r commit version <tests/package/previous
	git cat-file -e "$commit" 2>/dev/null || { skip_one "packages: upgrade" "the history lacks $commit"; return 1; }
	before=$scratch/before
	mkdir -p "$before/rwalker-$version"
	git archive "$commit" | tar -x -C "$before/rwalker-$version"
	(cd "$before/rwalker-$version" && dpkg-buildpackage -us -uc -b) >"$scratch/log" 2>&1 && return
	not_ok "packages: the version before" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"
	return 1
}

# --- in the clean system ---

# put FOLDER PLACE: the two packages, under short names.
put() {
	cp "$1"/rwalker-record_[0-9]*.deb "$root/$2/record.deb"
	cp "$1"/rwalker-report_[0-9]*.deb "$root/$2/report.deb"
}

prepare() {
	local made
	made=$(tests/package/root.sh 2>"$scratch/said") || { skip_one "packages: a clean system" "$(tail -n 1 "$scratch/said")"; return 1; }
	mkdir "$root"
	tar -xf "$made" -C "$root" --exclude='./dev/*'
	mkdir "$root/new" "$root/before"
	put "$debs" new
	in_root_ok "packages: the archive" apt-get -q update
}

has_all() { # WHEN
	local file
	for file in /usr/bin/rwalker-record /usr/bin/rwalker-report /lib/systemd/system/rwalker-flight.service /etc/rwalker/flight.conf \
		/usr/share/bash-completion/completions/rwalker-record /usr/share/zsh/vendor-completions/_rwalker-report \
		/usr/share/fish/vendor_completions.d/rwalker-record.fish; do there "$1" $file; done
	verdict "$1: the service's user" "there is none" has_user
	in_root_ok "$1: the recorder runs" rwalker-record --config /etc/rwalker/flight.conf --version
	in_root_ok "$1: the reporter runs" rwalker-report --version
}

enabled=/etc/systemd/system/multi-user.target.wants/rwalker-flight.service

nothing_is_left() { # WHEN
	local left
	left=$(find "$root" -xdev -name '*rwalker*' ! -path "$root/new/*" ! -path "$root/before/*" | sed "s|^$root||" | tr '\n' ' ')
	verdict "$1: nothing is left" "$left" [ -z "$left" ]
	verdict "$1: no user is left" "the user is there" lacks_user
}

test_install() {
	apt_install "install" /new/record.deb /new/report.deb
	has_all "installed"
	gone "installed, but not enabled" $enabled
	verdict "installed: four manuals" "$(in_root dpkg -L rwalker-record rwalker-report | grep '/man./.')" \
		[ "$(in_root dpkg -L rwalker-record rwalker-report | grep -c '/man./.')" = 4 ]
	in_root_ok "purge" apt-get -q -y purge rwalker-record rwalker-report
	nothing_is_left "purged"
}

test_upgrade() {
	build_before || return
	put "$before" before
	apt_install "the version before" /before/record.deb /before/report.deb
	apt_install "upgrade" /new/record.deb /new/report.deb
	has_all "upgraded"
	gone "upgraded, but not enabled" $enabled
}

test_changes_stay() {
	echo '--max-dumps 3' >>"$root/etc/rwalker/flight.conf"
	in_root_ok "enable" systemctl enable rwalker-flight.service
	in_root_ok "install again" apt-get -q -y --reinstall install /new/record.deb
	verdict "what was changed stays" "the options are the package's" grep -q '^--max-dumps 3' "$root/etc/rwalker/flight.conf"
	verdict "what was enabled stays so" "it is not" [ -L "$root$enabled" ]
	mkdir -p "$root/var/lib/rwalker"
	touch "$root/var/lib/rwalker/rwalker-host-20260101-000000.rwk"
	in_root_ok "remove" apt-get -q -y remove rwalker-record rwalker-report
	gone "removed" /usr/bin/rwalker-record
	gone "removed" /lib/systemd/system/rwalker-flight.service
	there "removed, but not the options" /etc/rwalker/flight.conf
	there "removed, but not the dumps" /var/lib/rwalker/rwalker-host-20260101-000000.rwk
	in_root_ok "purge at last" apt-get -q -y purge rwalker-record rwalker-report
	nothing_is_left "purged at last"
}

# --- rpm ---

test_rpm() {
	local package
	command -v rpmbuild >/dev/null || { skip_one rpm "rpmbuild is missing"; return; }
	if ! make rpm RPMFLAGS="--nodeps --define 'clang clang-14' --define 'llvm_strip llvm-strip-14'" >"$scratch/log" 2>&1; then
		not_ok "rpm: builds" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"
		return
	fi
	package=$(find build/rpm/RPMS -name 'rwalker-record-[0-9]*.rpm' | head -n 1)
	verdict "rpm: has the service" "$package" sh -c "rpm -qlp '$package' | grep -q /systemd/system/rwalker-flight.service"
	verdict "rpm: keeps changed options" "$package" sh -c "rpm -qcp '$package' | grep -qx /etc/rwalker/flight.conf"
	! command -v rpmlint >/dev/null ||
		verdict "rpm: rpmlint" "$(rpmlint contrib/rpm/rwalker.spec 2>&1 | grep ': E:' | head -n 3)" \
			sh -c "! rpmlint contrib/rpm/rwalker.spec 2>&1 | grep -q ': E:'"
}

[ "$(id -u)" = 0 ] || { echo "skip packages - a clean system takes root"; exit 77; }
for tool in git dh lintian mmdebstrap unshare; do
	command -v $tool >/dev/null || { echo "skip packages - '$tool' is missing ('make deps-package')"; exit 77; }
done
[ -n "${DEBS-}" ] || test_archive
if build && prepare; then
	test_install
	test_upgrade
	test_changes_stay
fi
[ -n "${DEBS-}" ] || test_rpm
exit $((failures > 0))
