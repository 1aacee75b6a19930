#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Walks with user stacks: sleeping threads show how they got there, by frame pointers with -u, without them with --dwarf; a
# running one is marked as running, a kernel thread has none.
. "$(dirname "$0")/lib.sh"

# walk NAME OPTION...: a walk and its --tasks view. If the helper that copies the stacks gets no CPU within its
# deadline, they are reported as missing. Then the test walks once more.
walk() {
	local name=$1 try
	shift
	for try in 1 2 3 4 5; do
		run_ok "$name" "$record" --force -o "$scratch/$name.rwk" "$@" || return
		"$report" --tasks "$scratch/$name.rwk" >"$scratch/$name.tasks"
		grep -q 'its memory was locked' <<<"$(stack "$name.tasks" sl_framed)$(stack "$name.tasks" sl_plain)" || break
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

# On a busy machine the spinner may be waiting for a CPU at the walk. Then it has a user stack, unless it ran before
# the stack was copied.
check_spinner() { # FILE
	case $(stack "$1" sl_spinner) in
	'[running on CPU '[0-9]*'],' | *spinner,* | *'the task ran before it was copied],') checks=$((checks + 1)) ;;
	*) fail "a thread that runs: '$(stack "$1" sl_spinner)'" ;;
	esac
}

test_frame_pointers() {
	walk frames -a -u --pid "$pid"
	check_path "by frame pointers" frames.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	check_path "below the kernel's frames" frames.tasks sl_framed entry_SYSCALL_64_after_hwframe,__libc_pause
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
	walk dwarf -a --dwarf --pid "$pid"
	check_path "with a snapshot" dwarf.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	check_path "without frame pointers" dwarf.tasks sl_plain __libc_pause,doze_inner,doze_middle,doze_outer,plain
	check_spinner dwarf.tasks
}

# All tasks of the host: the walk is complete, each sleeping thread has a stack or a reason, kernel threads have neither.
test_all() {
	local bare
	walk all -a -u
	check_path "among all tasks" all.tasks sl_framed __libc_pause,nap_inner,nap_middle,nap_outer,framed
	half all U user
	check_equal "a kernel thread" "" "$(stack all.user kthreadd | sed 's/^\[no user frames\],$//')"
	bare=$("$report" --dump "$scratch/all.rwk" | awk '/^ *walk-task / && / user=0 missing=0 snapshot=0/' | wc -l)
	check_equal "tasks without a user stack and without a reason" 0 "$bare"
}

# A walk every second beside a profile: the walks cost the profile no samples, and each has its user stacks.
test_beside_a_profile() {
	walk beside -p 3 -i 1 -a --dwarf --pid "$pid"
	check_number "walks with the stack: $(grep -c doze_middle "$scratch/beside.tasks")" \
		"$(grep -c doze_middle "$scratch/beside.tasks") >= 3"
}

need_recording
start_sleepers
test_frame_pointers
test_dwarf
test_all
test_beside_a_profile
finish
