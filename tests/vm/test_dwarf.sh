#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 900
#
# --dwarf in the guest, on every kernel: the programs load, even if the end of a stack's mapping cannot be looked up (RT),
# and the reader unwinds the known call paths of the load (guest/frames.c), which frame pointers do not show.
. "$(dirname "$0")/lib.sh"

# path NAME SOURCE WORDS : ok if some stack of the source has them in this order
path() {
	reported "$dir/$2.folded" 0 --folded --source "$2" "$dir/dwarf.rwk"
	verdict "$1" "no stack has '$3' in '$dir/$2.folded' ($(grep -c . "$dir/$2.folded") lines)" grep -qE "$3" "$dir/$2.folded"
}

judge_kernel() { # KERNEL
	recorded "$1/run" dwarf || return
	reported "$dir/dwarf.info" 0 --info "$dir/dwarf.rwk"
	count=$(grep -oE '[0-9]+ snapshot' "$dir/dwarf.info" | head -n 1)
	count=${count%% *}
	verdict "$1/snapshots" "${count:-no} snapshots in '$dir/dwarf.info'" [ "${count:-0}" -gt 100 ]
	path "$1/cpu" cpu '^frames;.*;burner;frames_outer;frames_middle;frames_burn'
	path "$1/wait" offcpu '^frames;.*;napper;frames_nap;frames_sleep;.*nanosleep'
	path "$1/hit" tracepoint '^frames;.*;writer;frames_loop;frames_write;'
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.1-cloud); do
	judged judge_kernel "dwarf-$kernel" "$kernel" dwarf.sh
done
