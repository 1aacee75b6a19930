#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 3600
#
# The packages of the committed tree: the source archive builds and works, lintian has no complaints, and in a Debian
# with nothing else they install, keep the administrator's changes, and leave nothing behind when they are purged.
# DEBS=FOLDER: uses packages that were built before.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
. tests/package/lib.sh

apt_install() { in_root_ok "$1" apt-get -q -y --no-install-recommends install "${@:2}"; }

# --- building ---

# archive: programs built from the source archive alone work.
test_archive() {
	local archive unpacked=$scratch/archive
	archive=$(make -s dist)
	mkdir "$unpacked"
	tar -xf "$archive" -C "$unpacked"
	unpacked=$(echo "$unpacked"/*)
	verdict "archive: builds" "$(tail -n 3 "$scratch/log" 2>/dev/null)" \
		sh -c "make -s -j2 -C '$unpacked' WERROR=1 all test-samples >'$scratch/log' 2>&1"
	verdict "archive: its reports" "tests/golden/test_golden.sh fails there" \
		sh -c "cd '$unpacked' && tests/golden/test_golden.sh >'$scratch/log' 2>&1 && ! grep -q '^not ok' '$scratch/log'"
}

# names: of packages, one a line.
names() { grep -oE '[a-z][a-z0-9-]{3,}' | sort; }

test_needs() {
	sed -n '/^DEPS_BUILD/,/[^\\]$/p' Makefile | names | grep -vx build-essential >"$scratch/deps"
	sed -n '/^Build-Depends:/,/^Standards/{s/([^)]*)//g; /^Standards/d; s/^Build-Depends://p; t; p}' debian/control | names | grep -v ^debhelper >"$scratch/control"
	verdict "packages: need what 'make deps' installs" "$(diff "$scratch/deps" "$scratch/control" | grep '^[<>]' | tr '\n' ' ')" \
		cmp -s "$scratch/deps" "$scratch/control"
}

build() {
	local rc
	debs=${DEBS-}
	[ -z "$debs" ] || return 0
	make deb >"$scratch/log" 2>&1 || { not_ok "packages: build" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"; return 1; }
	debs=build/deb
	# An upload to Debian itself would close a bug.
	lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning "$debs"/*.changes >"$scratch/log" 2>&1
	rc=$?
	verdict "packages: lintian" "it ended with $rc: $(grep '^[EW]:' "$scratch/log" | head -n 3 | tr '\n' ' ')" [ $rc = 0 ]
}

# --- in the clean system ---

# put FOLDER PLACE: copies the two packages, under short names.
put() {
	mkdir -p "$root/given/$2"
	cp "$1"/rwalker-record_[0-9]*.deb "$root/given/$2/record.deb"
	cp "$1"/rwalker-report_[0-9]*.deb "$root/given/$2/report.deb"
}

# put_next: makes the next version of the recorder's package, with other options.
put_next() {
	local next=$scratch/next
	dpkg-deb -R "$root/given/new/record.deb" "$next"
	sed -i 's/^Version: .*/&+next/' "$next/DEBIAN/control"
	echo '--max-dumps 30' >>"$next$config"
	mkdir -p "$root/given/next"
	dpkg-deb --root-owner-group -b "$next" "$root/given/next/record.deb" >/dev/null
}

prepare() {
	unpack_root packages || return
	put "$debs" new
	put_next
	in_root_ok "packages: the archive" apt-get -q update
	files "$scratch/at_first"
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

# No file with our name, nor any other file that belongs to no package.
nothing_is_left() { # WHEN
	local left
	left=$(find "$root" -xdev -name '*rwalker*' ! -path "$root/given/*" | sed "s|^$root||" | tr '\n' ' ')
	verdict "$1: nothing is left" "$left" [ -z "$left" ]
	files "$scratch/now"
	left=$(comm -13 "$scratch/at_first" "$scratch/now" | comm -23 - <(owned) | head -n 5 | tr '\n' ' ')
	verdict "$1: no file of nobody's is left" "$left" [ -z "$left" ]
	verdict "$1: no user is left" "the user or the group is there" lacks_user
}

# The files of all packages. Some packages list them below the links to /usr in the top folder.
owned() { sed 's@^/\(bin\|sbin\|lib\|lib32\|lib64\|libx32\)\(/.*\)@&\n/usr/\1\2@' "$root"/var/lib/dpkg/info/*.list | sort -u; }

test_install() {
	apt_install "install" /given/new/record.deb /given/new/report.deb
	has_all "installed"
	gone "installed, but not enabled" $enabled
	verdict "installed: four manuals" "$(in_root dpkg -L rwalker-record rwalker-report | grep '/man./.')" \
		[ "$(in_root dpkg -L rwalker-record rwalker-report | grep -c '/man./.')" = 4 ]
	in_root_ok "purge" apt-get -q -y purge rwalker-record rwalker-report
	nothing_is_left "purged"
}

keeps_changes() { # WHEN
	verdict "$1: what was changed stays" "the options are the package's" has_line $config '--max-dumps 3'
	verdict "$1: what was enabled stays so" "it is not" [ -L "$root$enabled" ]
}

test_changes_stay() {
	apt_install "install once more" /given/new/record.deb /given/new/report.deb
	echo '--max-dumps 3' >>"$root$config"
	in_root_ok "enable" systemctl enable rwalker-flight.service
	in_root_ok "install again" apt-get -q -y --reinstall install /given/new/record.deb
	keeps_changes "installed again"
	in_root_ok "the next version" apt-get -q -y -o Dpkg::Options::=--force-confold install /given/next/record.deb
	keeps_changes "the next version"
	there "the next version's options" $config.dpkg-dist
	make_a_dump
	in_root_ok "remove" apt-get -q -y remove rwalker-record rwalker-report
	gone "removed" /usr/bin/rwalker-record
	gone "removed" /lib/systemd/system/rwalker-flight.service
	there "removed, but not the options" $config
	there "removed, but not the dumps" $dump
	apt_install "installed once more" /given/next/record.deb
	keeps_changes "installed once more"
	in_root_ok "purge at last" apt-get -q -y purge rwalker-record
	nothing_is_left "purged at last"
}

[ "$(id -u)" = 0 ] || { echo "skip packages - a clean system takes root"; exit 77; }
for tool in git dh lintian mmdebstrap unshare; do
	command -v $tool >/dev/null || { echo "skip packages - '$tool' is not installed"; exit 77; }
done
test_needs
[ -n "${DEBS-}" ] || test_archive
if build && prepare; then
	test_install
	test_changes_stay
fi
exit $((failures > 0))
