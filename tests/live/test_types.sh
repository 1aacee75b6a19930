#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 1500
#
# Kernels whose types lack a member: recording goes on without what hangs on it, or is refused with its name. The
# recorder sees types in which members were renamed; the kernel is the same. At the long level, locks whose waiters are in a
# ring (Linux 7.1) are found as ever.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3 unshare
types=$here/tests/live/btf_without.py
unshare -m true 2>/dev/null || skip "no mount namespaces"

# beside TYPES COMMAND...: runs it where these are the kernel's types.
beside() { unshare -m --propagation private sh -c 'mount --bind "$0" /sys/kernel/btf/vmlinux && exec "$@"' "$@"; }

# without NAME MEMBER...: records. Its exit code.
without() {
	local name=$1
	shift
	python3 -B "$types" "$scratch/types" "$@" || return 9
	run "$name" beside "$scratch/types" "$record" --offcpu 0.02 -p 0.02 -a -u --wakers --force -o "$scratch/$name.rwk"
}

# The member alone falls away, with what hangs on it.
falls_away() {
	without gone "$@"
	check_equal "without $*: exit code" 0 $?
	check "without $*: all programs load" lacks 'refuses the program' "$scratch/gone.err"
}

falls_or_is_named() {
	without gone "$1"
	local code=$?
	if [ $code = 0 ]; then
		check "without $1: all programs load" lacks 'refuses the program' "$scratch/gone.err"
	else
		check "without $1 ($code): it is named" grep -qE "types lack '(struct )?.*${1#*.}'" "$scratch/gone.err"
	fi
}

ring=
for lock in mutex rw_semaphore semaphore; do ring="$ring $lock.wait_list=first_waiter"; done
falls_away semaphore.wait_list mutex.wait_list rw_semaphore.wait_list
falls_away $ring
falls_away task_struct.blocker
falls_away rwsem_waiter.type
falls_or_is_named rq.clock

# One of each part, each of which is named; futexes need none of them.
parts='css_set.dfl_cgrp cfs_bandwidth.quota files_struct.count dentry.d_hash sock_common.skc_state sock.sk_protocol
	unix_sock.peer epitem.ffd vm_area_struct.vm_file pid.level hrtimer.function kthread.data list_head.prev'
# shellcheck disable=SC2086
falls_away $parts
for member in $parts; do check "$member is named" grep -q "types lack '$member': nothing is recorded about " "$scratch/gone.err"; done
check "futexes are there" grep -q ' futex ' <(python3 -B "$here/tests/rows.py" "$report" "$scratch/gone.rwk" | sed 's/"object_kind":"futex"/ futex /')
check "nothing else is" lacks -E '"object_kind":"(file|pipe|tcp|unix)"' <(python3 -B "$here/tests/rows.py" "$report" "$scratch/gone.rwk")

# A recording begins only when the kernel's verifier is done with the recorder's programs. It follows each path once for each
# state in which it gets there. So no program may take more than MOST verified instructions: on Linux 6.18 the most is 19,100,
# and was 52,000 before bpf/ was written so that most code is verified only once (CONTRIBUTING.md, BPF).
readonly MOST=30000 LARGE=5000

# The verified instructions of each large program that the recorder has loaded, descending.
large() { cat "/proc/$started/fdinfo/"* 2>/dev/null | awk -v large=$LARGE '$1 == "verified_insns:" && $2 >= large { print $2 }' | sort -rn; }

have_loaded() { [ "$(large | wc -l)" -ge "$1" ] || [ ! -d "/proc/$started" ]; }

check_large() { # NAME HOW_MANY OPTION...
	local name=$1 count=$2 most
	shift 2
	start "$record" -o "$scratch/$name.rwk" "$@" 2>"$scratch/$name.err"
	wait_for 60 have_loaded "$count"
	most=$(large | head -n 1)
	check_number "$name: what was looked at of the largest of $(large | wc -l)" "$(large | wc -l) >= $count && ${most:-0} <= $MOST"
	kill "$started"
	wait "$started" 2>/dev/null
}

check_large walk 1 -i 600 --pid $$ # until it is killed
check_large waits 2 --offcpu 0 --wakers -u

[ "$level" = long ] || finish
python3 -B "$types" "$scratch/types" $ring
check "locks of 7.1 are found" beside "$scratch/types" "$here/tests/live/test_walk_objects.sh"
check "locks of 7.1 that were waited for are found" beside "$scratch/types" "$here/tests/live/test_locks.sh"
python3 -B "$types" "$scratch/types" task_struct.blocker
check "locks are found where the kernel does not mark tasks" beside "$scratch/types" "$here/tests/live/test_locks.sh"
finish
