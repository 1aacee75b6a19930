# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Snapshots of code with signed return addresses, sampled by hardware cycles. Judged by tests/vm/test_aarch64.sh.
. /lib.sh

have_recorder || exit 0
# An emulated interrupt takes long, and the kernel would lower the maximum rate because of that.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
grep -m 1 ^Features /proc/cpuinfo >/out/features
objects=--no-objects
is_long && objects=
# The load begins when the recorder is ready, because starting up takes most of the time.
record aarch64 -p 3 --offcpu 3 --dwarf -f 250 --embed min $objects -- sh -c 'frames 4 & signals 4; wait'
exit 0
