# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A profile of a load on every CPU, and two hosts that must be refused. Judged by tests/vm/test_profile.sh.
. /lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
echo "$cpus" >/out/cpus
have_recorder || { work 1 "$cpus" >/out/work; exit 0; }

# Whether each thread of the load has used a second of CPU time; in ticks of 10 ms.
is_enough() {
	[ "$(cat "/proc/$1/task"/*/stat | awk '{ sub(/.*\) /, ""); enough += $12 + $13 >= 100 } END { print enough + 0 }')" -ge "$cpus" ]
}

if [ "${1:-}" = load ]; then
	work 600 "$cpus" >/out/work &
	until_true 6000 is_enough $!
	kill $!
	wait
	exit
fi
# The load begins when the recorder is ready. At the default of 3989 Hz an emulated CPU would do little but take
# samples.
record profile -p 600 -u -f 500 --embed=min --system-wide -- sh /test.sh load

stopwatch old-kernel 0 uname26 rwalker-record -o /out/old.rwk -p 1 >/out/old-kernel.out 2>/out/old-kernel.err
mount -t tmpfs none /sys/kernel/btf
stopwatch no-btf 0 rwalker-record -o /out/btf.rwk -p 1 >/out/no-btf.out 2>/out/no-btf.err
exit 0
