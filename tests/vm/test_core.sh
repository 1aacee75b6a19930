#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The oldest kernel that we support loads all BPF programs, and what they record there is right: waits, wakers and
# chains, calls of a kernel function and a tracepoint, a task that is stuck; hosts that cannot be recorded get a clear message. The other tests here have the details, on
# more kernels. At the long level, each set of options for waits: each leaves other parts of the code.
. "$(dirname "$0")/lib.sh"

checked() { # NAME CHECKER TRUTH CHECK...
	checked_name=$1 checker=$2 truth=$3
	shift 3
	{ WAITS_EMULATED=1 python3 -B "tests/live/$checker" "$REPORT" "$dir/everything.rwk" "$dir/$truth.truth" "$@" 2>&1 ||
		echo "no checker: it ended with $?"; } | verdicts_of "$checked_name"
}

refused() { # NAME RUN WORD
	verdict "$1/$2" "exit code $(time_of "$2" 3), '$3' in: $(tail -n 2 "$dir/$2.err" | tr '\n' ' ')" \
		eval "[ $(time_of "$2" 3) = 1 ] && grep -qi '$3' '$dir/$2.err'"
}

judge_kernel() { # KERNEL
	refused "$1" old-kernel '6\.1'
	refused "$1" no-btf btf
	while read -r run options; do
		code=$(time_of "$run" 3)
		verdict "$1/$(echo "$options" | tr -d ' ')" "ended with $code: $(head -n 1 "$dir/$run.err")" [ "$code" = 0 -o "$code" = 3 ]
	done <"$dir/loads"
	recorded "$1/run" everything || return
	checked "$1/sleeps" waits_check.py sleeps brackets comms least:1000 wakers:s10=timer,s40=timer,s150=timer
	checked "$1/chain" waits_check.py chain brackets comms wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer chains
	tasks_of "$dir/everything.rwk" >"$dir/tasks"
	verdict "$1/stuck" "the task in D is '$(grep '^w-read' "$dir/tasks")'" grep -qE '^w-read	[0-9]+	D	[^-].*vfs_read' "$dir/tasks"
	reported "$dir/folded" 0 --folded --source kfunc -c '^calls$' "$dir/everything.rwk"
	verdict "$1/kfunc" "$(head -n 3 "$dir/folded")" grep -q 'vfs_write' "$dir/folded"
	reported "$dir/cpu" 0 --folded --source cpu "$dir/everything.rwk"
	verdict "$1/cpu" "there are no samples" [ -s "$dir/cpu" ]
}

need_programs
command -v python3 >/dev/null || { echo "'python3' is missing (apt-get install python3)"; exit 77; }
mkdir -p "$RESULTS"
VM_SECONDS=600
for kernel in $([ "${CHECK_LEVEL:-check}" = check ] && echo 6.1-cloud || kernels); do
	judged judge_kernel "core-$kernel" "$kernel" core.sh
done
exit 0
