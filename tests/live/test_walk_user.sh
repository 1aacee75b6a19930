#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# User stacks of threads that sleep throughout, in walks and as waits that have not ended when the recording does, by frame
# pointers with -u, without them with --dwarf; a running thread is marked as running, a kernel thread has none.
. "$(dirname "$0")/lib.sh"

# walk NAME OPTION...: records; the --tasks view, and the stacks of open waits, folded. If the helper that copies the stacks
# gets no CPU within its deadline, they are reported as missing, and if that happens to the one that opens files, names are.
# Then the test records once more.
walk() {
	local name=$1 try
	shift
	for try in 1 2 3 4 5; do
		recorded "$name" "$record" --force -o "$scratch/$name.rwk" "$@" || return
		"$report" --tasks "$scratch/$name.rwk" >"$scratch/$name.tasks"
		"$report" --folded --source offcpu --class open -c '^sl_(framed|plain)$' "$scratch/$name.rwk" 2>/dev/null >"$scratch/$name.open"
		grep -q 'its memory was locked\|\[sleepers\]' <<<"$(stack "$name.tasks" sl_framed)$(stack "$name.tasks" sl_plain)" ||
			grep -qE 'no user stack|\[sleepers\]' "$scratch/$name.open" || break
		echo "# $name: stacks were not copied in time, try $try"
	done
}

half() { "$report" --tasks "-$2" "$scratch/$1.rwk" >"$scratch/$1.$3"; } # half NAME U|K user|kernel

# stack FILE COMM: the lines below the head of one of the workload's tasks, joined by commas.
stack() {
	awk -v comm="$2" '
		/^# common stacks/ { exit }
		/^comm / { on = $2 == comm; next }
		on && NF { printf "%s,", substr($0, 5) }' "$scratch/$1"
}

check_path() { # WHAT FILE COMM FUNCTIONS
	check "$1: '$(stack "$2" "$3")' has $4" grep -qF ",$4," <<<",$(stack "$2" "$3")"
}

# The system call of its only wait does not return, and yet it shows the user code that led to it.
check_open() { # WHAT NAME COMM FUNCTIONS
	local got
	got=$(grep "^$3;" "$scratch/$2.open" | sed 's/ [0-9]*$//')
	check_equal "$1: stacks of $3" 1 "$(grep -c . <<<"$got")"
	check "$1: '$got' has '$4'" grep -qF "$4" <<<"$got"
	check "$1: '$got' goes on in the kernel" grep -q 'pause.*;.*do_syscall_64' <<<"$got"
}

# On a busy machine the spinner may be waiting for a CPU at the walk. Then it has a user stack, unless it ran before
# the stack was copied.
check_spinner() { # FILE
	case $(stack "$1" sl_spinner) in
	'[running on CPU '[0-9]*'],' | *spinner,* | *'the task ran before it was copied],') checks=$((checks + 1)) ;;
	*) fail "a thread that runs: '$(stack "$1" sl_spinner)'" ;;
	esac
}

test_frame_pointers() {
	walk frames -a --offcpu 0.2 -u --pid "$pid"
	check_path "by frame pointers" frames.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	check_path "below the kernel's frames" frames.tasks sl_framed entry_SYSCALL_64_after_hwframe,__libc_pause
	check_open "open, by frame pointers" frames sl_framed 'framed;nap_outer;nap_middle;'
	half frames U user
	half frames K kernel
	check "-U: only user frames" grep -q '^__libc_pause,nap_inner,nap_middle' <<<"$(stack frames.user sl_framed)"
	check "-K: only kernel frames" grep -q 'do_syscall_64,entry_SYSCALL_64_after_hwframe,$' <<<"$(stack frames.kernel sl_framed)"
	check_spinner frames.tasks
	check "a walk without -u has no user stacks" test_without_users
}

test_without_users() {
	walk plain -a --pid "$pid"
	lacks 'nap_\|user stack' "$scratch/plain.tasks"
}

test_dwarf() {
	walk dwarf -a --offcpu 0.2 --dwarf --pid "$pid"
	check_path "with a snapshot" dwarf.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	check_path "without frame pointers" dwarf.tasks sl_plain __libc_pause,doze_inner,doze_middle,doze_outer,plain
	check_open "open, with a snapshot" dwarf sl_framed 'framed;nap_outer;nap_middle;nap_inner;'
	check_open "open, without frame pointers" dwarf sl_plain 'plain;doze_outer;doze_middle;doze_inner;'
	check_spinner dwarf.tasks
}

# All tasks of the host: the walk is complete, each sleeping thread has a stack or a reason, kernel threads have neither. Each
# unended wait in a system call has a record of its user stack, or of why there is none.
test_all() {
	local bare waits
	walk all -a --offcpu 0.2 -m 100ms -u
	check_path "among all tasks" all.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	half all U user
	check_equal "a kernel thread" "" "$(stack all.user kthreadd | sed 's/^\[no user frames\],$//')"
	bare=$("$report" --dump "$scratch/all.rwk" | awk '/^ *walk-task / && / user=0 missing=0 snapshot=0/' | wc -l)
	check_equal "tasks without a user stack and without a reason" 0 "$bare"
	"$report" --dump "$scratch/all.rwk" | python3 -B -c '
import re
import sys

NOT_ENDED, USER_LATER = 1024, 64
tids, waiting, told = [], [], [] # of threads, and when; a stack may be in a later chunk than its wait
for line in sys.stdin:
    kind = line.split(None, 1)[0] if line.strip() else ""
    fields = dict(re.findall(r"(\w+)=(\w+)", line))
    if kind == "chunk":
        tids = ["0"]
    elif kind == "task":
        tids.append(fields["tid"])
    elif kind == "wait" and int(fields["flags"], 0) & NOT_ENDED and int(fields["flags"], 0) & USER_LATER:
        waiting.append((tids[int(fields["task"])], int(fields["time"])))
    elif kind == "user-stack" and (int(fields["user"]) or int(fields["missing"])):
        told.append((tids[int(fields["task"])], int(fields["time"]), int(fields["since"])))
bare = [1 for tid, end in waiting if not any(tid == of and time - since <= end <= time for of, time, since in told)]
print(len(waiting), len(bare))' >"$scratch/all.counts"
	read -r waits bare <"$scratch/all.counts"
	check_number "waits in system calls that had not ended: $waits" "$waits >= 3"
	check_equal "of them with neither a user stack nor a reason" 0 "$bare"
}

# A walk every second beside a profile: the walks cost the profile no samples, and each has its user stacks.
test_beside_a_profile() {
	walk beside -p 3 -i 1 -a --dwarf --pid "$pid"
	check_number "walks with the stack: $(grep -c doze_middle "$scratch/beside.tasks")" \
		"$(grep -c doze_middle "$scratch/beside.tasks") >= 3"
}

need_offcpu
start_sleepers
test_frame_pointers
test_dwarf
test_all
test_beside_a_profile
finish
