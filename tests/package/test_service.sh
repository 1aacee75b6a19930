#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: long
# time-limit: 9000
#
# rwalker-flight.service under a real systemd, in a Debian that boots on Debian's kernels: it starts, makes dumps,
# reloads, survives when the OOM killer kills another process, is restarted when it hangs, and ends in order. Its
# dumps have names, on a kernel with Debian's perf_event_paranoid and what Debian's package grants, and with nine
# capabilities where the setting is lower. Rules about control groups fire.
. "$(dirname "$0")/../vm/lib.sh"

image=$RESULTS/service.ext4

# Makes the system's disk, with the user that the packages make.
make_image() {
	root=$(tests/package/root.sh 2>"$NOTES.root") || { echo "skip service - $(tail -n 1 "$NOTES.root")"; exit 77; }
	tree=$(mktemp -d)
	trap 'rm -rf "$tree"' EXIT INT TERM
	tar -xf "$root" -C "$tree" --exclude='./var/lib/apt/lists/*' --exclude='./var/cache/*' --exclude='./dev/*'
	chroot "$tree" useradd --system --user-group --no-create-home --home-dir /var/lib/rwalker rwalker
	rm -f "$image"
	truncate -s 700M "$image"
	mke2fs -q -t ext4 -d "$tree" "$image"
}

# The dump from when the kernel killed the hog: it begins before the hog, as far as the minute goes, and has the hog's
# own samples.
judge_hog() {
	reported "$dir/hog" 0 --folded --source cpu -c '^hog$' "$dir/after_hog.rwk"
	verdict "$1/has_the_hog" "$(head -n 1 "$dir/hog.said")" grep -q '^hog;' "$dir/hog"
	reported "$dir/hog.info" 0 --info "$dir/after_hog.rwk"
	kept=$(sed -n 's/^ *dump .*: the last \([0-9]*\)\..* s of .*/\1/p' "$dir/hog.info")
	age=$(cat "$dir/after_hog.seconds")
	echo "# figure: $1/window_after_the_hog: $kept s, $age s after it began; $(grep '^ *lost ' "$dir/hog.info")"
	verdict "$1/has_what_was_before" "the dump has $kept s, the hog began $age s before" [ "${kept:-0}" -ge "$((age < 59 ? age : 59))" ]
}

judge() {
	judge_hog "$1"
	for dump in "$dir"/*.rwk; do
		[ -e "$dump" ] || { not_ok "$1/dumps" "there are none"; return; }
		reported "$dir/info" 0 --info "$dump"
		verdict "$1/sources" "$(grep source "$dir/info")" grep -q 'source .*cpu-clock' "$dir/info"
		verdict "$1/sources" "$(grep source "$dir/info")" grep -q 'source .*offcpu' "$dir/info"
	done
	for dump in "$dir"/*.rwk; do "$REPORT" --dump "$dump" 2>/dev/null | grep '^ *trigger '; done >"$dir/triggers"
	verdict "$1/pressure_of_a_group" "$(sed 's/.* rule=//' "$dir/triggers" | sort | uniq -c)" grep -q 'rule="psi:system.slice' "$dir/triggers"
	verdict "$1/cpu_of_a_group" "$(sed 's/.* rule=//' "$dir/triggers" | sort | uniq -c)" grep -q 'rule="cpu:system.slice' "$dir/triggers"
	reported "$dir/folded" 0 --folded --source offcpu "$(ls "$dir"/*.rwk | head -n 1)"
	verdict "$1/kernel_names" "$(head -n 3 "$dir/folded")" grep -q ';kthread;' "$dir/folded"
	verdict "$1/user_names" "$(head -n 3 "$dir/folded")" grep -qE '^(systemd|systemd-journal|sh);.*(epoll_wait|wait4|waitpid|libsystemd)' "$dir/folded"
}

need_programs
PATH=$PATH:/sbin:/usr/sbin
mkdir -p "$RESULTS"
make_image
sed 's|@BINDIR@|/usr/bin|; s|@SYSCONFDIR@|/etc|' contrib/systemd/rwalker-flight.service >"$RESULTS/rwalker-flight.service"
for kernel in ${KERNELS:-6.1-cloud 6.12-cloud}; do
	tests/vm/fetch.sh "$kernel" 2>"$NOTES.fetch" || { skip_one "service-$kernel" "$(tail -n 1 "$NOTES.fetch")"; continue; }
	dir=$RESULTS/service-$kernel
	case $kernel in 6.1-*) words= ;; *) words=sysctl.kernel.perf_event_paranoid=2 ;; esac
	tests/vm/vm.sh -t 3600 -a "$words" -d "$image" "$kernel" tests/vm/guest/service.sh "$dir" "$RECORD" "$RESULTS/rwalker-flight.service" \
		contrib/systemd/flight.conf debian/perf-event-paranoid.conf tests/vm/guest/service_judge.sh
	code=$?
	verdict "service-$kernel" "the guest ended with $code (124: time is over, 200: crash), see '$dir/console.log'" [ $code = 0 ]
	[ ! -e "$dir/test.log" ] || sed "s|service/|service-$kernel/|" "$dir/test.log"
	[ $code != 0 ] || judge "service-$kernel"
done
exit 0
