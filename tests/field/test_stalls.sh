#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 3000
#
# Stalls made on purpose on Debian's kernels: a suspended device, a frozen file system, locks that are held for three
# seconds (the mmap_lock, a file lock, a program's mutex), a hog in a control group, a group that gets too little CPU
# time (cpu.max), one with too little memory (memory.high). For each, its rule of --trigger makes a dump as soon as
# can be expected; the dump begins before the stall, and its reports show the cause.
. "$(dirname "$0")/../vm/lib.sh"

# Guests are slow, and so are stalls.
VM_SECONDS=900

began() { awk -v stall="$1" '$1 == "stall" && $2 == stall { print $3 }' "$dir/truth"; }
fired() { "$REPORT" --dump "$dir/$1.rwk" 2>/dev/null | sed -n "s|^ *trigger time=\([0-9]*\) dump=[1-9][0-9]* rule=\"$2\" .*|\1|p" | tail -n 1; }
holds_since() { "$REPORT" --dump "$dir/$1.rwk" 2>/dev/null | sed -n 's/^ *window since=\([0-9]*\) .*/\1/p'; }

# judge_stall NAME STALL TASK RULE EARLIEST LATEST VIEW CAUSE: the rule may fire from EARLIEST and must fire by LATEST
# ms after TASK began to wait or run. The guest's clocks disagree by some hundred ms.
judge_stall() {
	recorded_stall=$1/$2
	verdict "$recorded_stall/dump" "there is none: $(tail -n 2 "$dir/flight.err" | tr '\n' ' ')" [ -s "$dir/$2.rwk" ]
	[ -s "$dir/$2.rwk" ] || return
	begin=$(awk -v task="$3" '$1 == "truth" && $2 == task { print $5 }' "$dir/truth")
	begin=${begin:-$(began "$2")}
	time=$(fired "$2" "$4")
	after=$(((${time:-0} - begin) / 1000000))
	echo "# figure: $recorded_stall: fired $after ms after it began"
	verdict "$recorded_stall/soon" "it fired $after ms after it began" between $after $(($5 - 500)) $(($6 + 1500))
	verdict "$recorded_stall/from_before" "it holds what was from $(holds_since "$2") on" [ "$(holds_since "$2")" -lt "$(began "$2")" ]
	reported "$dir/$2.view" 0 $7 "$dir/$2.rwk"
	verdict "$recorded_stall/cause" "$(head -n 12 "$dir/$2.view" | tr '\n' ' ')" grep -qE "$8" "$dir/$2.view"
}

judge_kernel() { # NAME
	verdict "$1/exit" "it ended with $(sed -n 's/^exit //p' "$dir/truth")" grep -qE '^exit [03]$' "$dir/truth"
	judge_stall "$1" device w-write 'stuck:D>3s' 3000 3000 --digest 'w-write tid .* in pwrite64 of (/dev/|block device )dm-[0-9]'
	judge_stall "$1" frozen w-create 'stuck:D>3s' 3000 3000 --digest 'w-create tid .* in openat? on percpu-rwsem'
	judge_stall "$1" mmap mm-reader 'stuck:D>3s' 3000 3000 --chains=^mm-writer$ 'in mmap on mmap_lock of mm-writer '
	judge_stall "$1" flock w-flock 'wait:comm=/^w-flock$/>2s' 2500 3000 --chains 'woken by w-flock-holder .*, sleep 3[.]'
	judge_stall "$1" mutex w-mutex 'wait:comm=/^w-mutex$/>2s' 3000 3000 --chains 'w-mutex blocked .*futex wanted of w-mutex .*held (at first )?by w-mutex-holder'
	judge_stall "$1" hog w-hog 'cpu:hogs>80%/2s' 1600 2000 --digest '^processes  .*w-hog'
	judge_stall "$1" slow w-slow 'psi:slow/cpu.some>50%/2s' 500 2000 --chains 'w-slow preempted in '
	judge_stall "$1" tight w-eat 'psi:tight/memory.some>20%/2s' 400 2000 --digest 'w-eat blocked in mem_cgroup_handle_over_high'
}

need_programs
mkdir -p "$RESULTS"
for kernel in ${KERNELS:-6.1-cloud 6.12-cloud}; do
	judged judge_kernel "stalls-$kernel" "$kernel" stalls.sh
done
exit 0
