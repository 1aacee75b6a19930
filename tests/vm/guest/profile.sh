# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A profile of a load on every CPU, and two hosts that must be refused. Judged by tests/vm/test_profile.sh.
. /lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
echo "$cpus" >/out/cpus
have_recorder || { work 1 "$cpus" >/out/work; exit 0; }

# It has a thread that has used CPU time for each CPU.
is_busy() {
	[ "$(cat "/proc/$1/task"/*/stat | awk '{ sub(/.*\) /, ""); busy += $12 + $13 > 0 } END { print busy + 0 }')" -ge "$cpus" ]
}

work 60 "$cpus" >/out/work &
until_true 300 is_busy $!
# At the default of 3989 Hz an emulated CPU does little but take samples.
record profile -p 3 -u -f 500
kill $!
wait $!

stopwatch old-kernel 0 uname26 rwalker-record -o /out/old.rwk -p 1 >/out/old-kernel.out 2>/out/old-kernel.err
mount -t tmpfs none /sys/kernel/btf
stopwatch no-btf 0 rwalker-record -o /out/btf.rwk -p 1 >/out/no-btf.out 2>/out/no-btf.err
exit 0
