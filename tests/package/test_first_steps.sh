#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 5400
#
# Runs the lines of README.md under "Always on", as a user with sudo who has just built the packages: the first line
# in a Debian with nothing else, the others after that system has booted in a virtual machine. DEBS=FOLDER: uses
# packages that were built before.
. "$(dirname "$0")/../vm/lib.sh"

kernel=${KERNELS:-6.1-cloud}
image=$RESULTS/first_steps.ext4

# The first block of commands in the section.
lines() { awk '/^## / { within = /^## Always on/ } within && /^    / { print substr($0, 5); seen = 1; next } seen { exit }' README.md; }

find_packages() {
	debs=${DEBS:-build/deb}
	[ -n "${DEBS-}" ] || make deb >"$scratch/log" 2>&1 || { not_ok "first_steps/packages" "$(tail -n 3 "$scratch/log" | tr '\n' ' ')"; exit 1; }
}

# Makes a user with sudo, who has the packages where they were built.
make_user() {
	in_root_ok "first_steps/sudo" sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install sudo'
	in_root_ok "first_steps/user" useradd --create-home --shell /bin/bash reader
	echo 'reader ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/reader"
	cp "$debs"/*.deb "$root/home/reader/"
}

# install_by_line NUMBER: runs that line as the user, who answers yes to apt's questions.
install_by_line() {
	in_root_ok "first_steps/$(lines | sed -n 1p | cut -c1-40)" \
		su - reader -c "echo y | $(lines | sed -n 1p)"
	verdict "first_steps/is_not_enabled" "it is" \
		[ ! -e "$root/etc/systemd/system/multi-user.target.wants/rwalker-flight.service" ]
}

make_image() {
	rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$image"
	truncate -s 800M "$image"
	PATH=$PATH:/sbin:/usr/sbin mke2fs -q -t ext4 -d "$root" "$image"
}

[ "$(id -u)" = 0 ] || { echo "skip first_steps - a clean system takes root"; exit 77; }
need_programs
mkdir -p "$RESULTS"
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
. tests/package/lib.sh
verdict "first_steps/lines" "README.md has $(lines | wc -l) lines" [ "$(lines | wc -l)" = 4 ]
tests/vm/fetch.sh "$kernel" 2>"$NOTES.fetch" || { echo "skip first_steps - $(tail -n 1 "$NOTES.fetch")"; exit 77; }
find_packages
unpack_root first_steps || exit 77
make_user
install_by_line
make_image
lines | sed -n '2,$p' >"$scratch/first_steps_lines"
dir=$RESULTS/first_steps
tests/vm/vm.sh -t 2400 -d "$image" "$kernel" tests/vm/guest/first_steps.sh "$dir" "$scratch/first_steps_lines" tests/vm/guest/first_steps_judge.sh
code=$?
verdict "first_steps" "the guest ended with $code (124: time is over, 200: crash), see '$dir/console.log'" [ $code = 0 ]
[ ! -e "$dir/test.log" ] || cat "$dir/test.log"
exit $((failures > 0))
