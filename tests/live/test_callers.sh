#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The call and object of waits that are in no system call of the thread itself, or in an odd one: workers of io_uring,
# calls by int 0x80, direct I/O on a block device, compared with what the workload prints; functions of kworkers,
# compared with the kernel's own tracepoints.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"
need_tracefs

need_offcpu
rounds=$(at_level 60 1000)
instance=$tracing/instances/rwalker-callers-$$
loop=

clear_up() {
	[ -z "$loop" ] || losetup -d "$loop"
	[ ! -d "$instance" ] || rmdir "$instance"
	cleanup
}

trap clear_up EXIT
case $(stat -f -c %T "$scratch") in
tmpfs | ramfs | overlayfs) echo "# block devices: files are in memory" ;;
*)
	dd if=/dev/zero of="$scratch/disk" bs=1M count=1 status=none
	loop=$(losetup -f --show "$scratch/disk" 2>"$scratch/said") || echo "# block devices: $(cat "$scratch/said")"
	;;
esac
if [ -n "$loop" ] && mkdir "$instance" 2>/dev/null && [ -d "$instance/events/workqueue" ]; then
	echo mono >"$instance/trace_clock"
	echo 16384 >"$instance/buffer_size_kb"
	echo 1 >"$instance/events/workqueue/workqueue_execute_start/enable"
	echo 1 >"$instance/events/workqueue/workqueue_execute_end/enable"
fi

recorded callers "$record" --force --system-wide -c '^(c-|iou-wrk-|kworker/)' --ringbuf-size 64 --offcpu 0 -m 1us -o "$scratch/callers.rwk" -- "$workloads/callers" "$rounds" "$scratch" "$loop"
cp "$scratch/callers.out" "$scratch/callers.truth"
if [ -d "$instance" ]; then
	echo 0 >"$instance/tracing_on"
	cat "$instance/trace" >"$scratch/callers.log"
	judged python3 -B "$here/tests/live/objects_check.py" kworkers "$scratch/callers.rwk" "$scratch/callers.log" "$rounds" "$report"
fi
judged python3 -B "$here/tests/live/objects_check.py" callers "$scratch/callers.rwk" "$scratch/callers.truth" "$rounds"

"$report" --waits-on "$scratch/callers.rwk" -c '^(c-|iou-wrk)' >"$scratch/view" 2>/dev/null
lacks '^c-compat missing' "$scratch/callers.truth" && check "--waits-on has the 32-bit call" grep -qE ' c-compat +in read \(32-bit\)' "$scratch/view"
lacks '^c-ring missing' "$scratch/callers.truth" && check "--waits-on has io_uring's worker" grep -qE ' iou-wrk-[0-9]+ +io_uring worker' "$scratch/view"
finish
