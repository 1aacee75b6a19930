# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Kernel functions and tracepoints under the recorder, with a workload that counts its calls: the truth is /out/NAME.truth, the
# trace /out/NAME.rwk. Meanwhile the kernel's own kprobe events count the same functions by thread: /out/NAME.counts has lines
# "FUNCTION TID COUNT". Judged by tests/vm/test_points.sh.
. /lib.sh

tracing=/sys/kernel/tracing

# count_function NAME... : counts with tracefs from now on
count_function() {
	for function; do
		echo "p:rw/$function $function" >>$tracing/kprobe_events &&
			echo 'hist:keys=common_pid' >$tracing/events/rw/"$function"/trigger &&
			echo 1 >$tracing/events/rw/"$function"/enable || echo "VM-FAIL: tracefs cannot count $function"
	done
}

# { common_pid:        123 } hitcount:        300
counts() {
	for function in "$tracing"/events/rw/*/; do
		sed -n "s/^{ common_pid: *\([0-9]*\) } hitcount: *\([0-9]*\)\$/$(basename "$function") \1 \2/p" "$function/hist"
	done
}

# points_run NAME 'OPTIONS' KIND ARGUMENT... : runs the workload below the recorder, which shares its stdout
points_run() {
	points_name=$1 points_options=$2
	shift 2
	# shellcheck disable=SC2086
	record "$points_name" $points_options -u --embed=min -- calls "$@"
	mv "/out/$points_name.out" "/out/$points_name.truth"
	counts >"/out/$points_name.counts"
}

have_recorder || exit 0
mount -t debugfs debugfs /sys/kernel/debug # lists where kprobes are forbidden
devices_make || exit 1
cd /tmp || exit 1

record mistyped --kfunc vfs_wrte -- true
count_function vfs_write do_sys_openat2 hrtimer_nanosleep linear_map
points_run exact '--kfunc vfs_write' plan 1 f
points_run regex '--kfunc /^(vfs_write|do_sys_openat2|hrtimer_nanosleep)$/' plan 1 f
# Exact names, two that must not be traced, and tracepoints of both kinds.
points_run several '--kfunc do_sys_openat2 --kfunc do_int3 --kfunc sched_clock --kfunc vfs_write --trace sys_enter --trace sys_exit_openat' plan 1 f
points_run module '--kfunc linear_map' direct "$raw" 40
# The recorder's BPF programs call this function: the tracepoint's program does once, and so does the function's own,
# which cannot run recursively.
points_run missed '--trace sys_enter_getppid --kfunc bpf_ktime_get_ns' plan 1 f
# The second function is called while a record is put into a ring, with the ring's lock held.
: >/out/inside.truth # no calls are reported one by one
record inside --kfunc vfs_write --kfunc _raw_spin_unlock_irqrestore -- dd if=/dev/zero of=/dev/null bs=1 count=2000

# Four programs that read and write one byte at a time, on a CPU whose tasks preempt each other everywhere.
preempt=/sys/kernel/debug/sched/preempt
if grep -q full $preempt; then
	for function in "$tracing"/events/rw/*/; do
		echo '!hist:keys=common_pid' >"$function/trigger"
		echo 0 >"$function/enable"
	done
	echo full >$preempt
	grep -q '(full)' $preempt || { echo "VM-FAIL: not preemptible"; exit 1; }
	four='for i in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=1 count=10000 & done; wait'
	: >/out/four.truth # no calls are reported one by one
	record four --kfunc vfs_read --kfunc vfs_write --kfunc ksys_read --kfunc ksys_write -- taskset 2 sh -c "$four"
fi

mount -t securityfs none /sys/kernel/security 2>/dev/null
vmexit wait &
until_true 50 test -p /tmp/vmexit
if echo confidentiality >/sys/kernel/security/lockdown; then
	record locked --kfunc vfs_write -- true
	record locked-cpu -p 1
else
	echo "# this kernel has no lockdown"
fi
exit 0
