#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 900
#
# --dwarf in the guest, on every kernel: the programs load, also where the end of a stack's mapping cannot be looked up (RT),
# and the reader unwinds the call paths that the load is known to have (guest/frames.c), which frame pointers do not show.
. "$(dirname "$0")/lib.sh"

# path NAME VIEW WORDS : ok if some line of the folded stacks has them in this order
path() {
	verdict "$1" "no stack has '$3' in '$dir/dwarf.folded': $(grep -c . "$dir/dwarf.folded") lines" \
		grep -qE "$3" "$dir/dwarf.folded"
}

judge_kernel() { # KERNEL
	recorded "$1/run" dwarf || return
	"$REPORT" --folded "$dir/dwarf.rwk" >"$dir/dwarf.folded" 2>"$dir/dwarf.report-err"
	"$REPORT" --info "$dir/dwarf.rwk" >"$dir/dwarf.info" 2>&1
	count=$(grep -oE '[0-9]+ snapshot' "$dir/dwarf.info" | head -n 1)
	verdict "$1/snapshots" "${count:-no snapshot} in '$dir/dwarf.info'" [ "${count%% *}" -gt 100 ]
	path "$1/cpu" --folded '^frames;.*start_thread.*;burner;frames_outer;frames_middle;frames_burn'
	path "$1/wait" --folded '^frames;.*;napper;frames_nap;frames_sleep;.*nanosleep;.*schedule|^frames;.*;napper;frames_nap;frames_sleep;.*nanosleep'
	path "$1/hit" --folded '^frames;.*;writer;frames_loop;frames_write;.*write'
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels); do
	judged judge_kernel "dwarf-$kernel" "$kernel" dwarf.sh
done
