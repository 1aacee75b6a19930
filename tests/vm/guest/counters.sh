# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sampling by hardware cycles, some of which are not delivered. Judged by tests/vm/test_aarch64.sh.
. /lib.sh

have_recorder || exit 0
# An emulated interrupt takes long, and the kernel would lower the maximum rate because of that.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# First beside a counter that does not sample (/out/watched); then with more counters than the hardware has; then at a
# rate that the kernel stops allowing during the recording.
for cpu in 0 1; do (while :; do :; done) & loads="${loads-} $!"; done
cycles watch >/out/watched &
counter=$!
for cpu in 0 1; do until_true 100 grep -q "^cycles $cpu " /out/watched; done
record counted -p 3 -f 250 --embed none
kill $counter
cycles 14 &
counter=$!
record lent -p 2 -f 250 --embed none
kill $counter
(
	written /out/throttled.rwk
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 100 >/proc/sys/kernel/perf_event_max_sample_rate
) &
record throttled -p 3 -f 2000 --embed none
# shellcheck disable=SC2086
kill $loads
exit 0
