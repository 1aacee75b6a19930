#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A stripped program with MiniDebugInfo: its functions get their names from the trace after the program was deleted,
# also after --condense. They have none with --embed min, which does not embed the section, nor if the program lacks
# the section.
. "$(dirname "$0")/lib.sh"

need_recording
command -v xz >/dev/null || { echo "skip mini_debug_info - 'xz' is not installed"; exit 77; }
program=$scratch/inlined
nm -D --defined-only "$workloads/inlined" | grep -q ' main$' && { echo "skip mini_debug_info - main is exported"; exit 77; }

# The program has no symbols except those in the section, if `packed`.
make_program()
{
	objcopy -S --keep-symbol=main --keep-symbol=real "$workloads/inlined" "$scratch/mini"
	objcopy --only-keep-debug "$scratch/mini" "$scratch/mini.debug"
	xz -kf --check=crc32 "$scratch/mini.debug"
	objcopy -S ${1:+--add-section .gnu_debugdata="$scratch/mini.debug.xz"} "$workloads/inlined" "$program"
}

# functions TRACE: how many of the program's functions have names.
functions() { "$report" --folded -q "$1" 2>>"$scratch/report.err" | tee "$scratch/functions" | sed 's/ [0-9]*$//' | tr ';' '\n' | grep -xE 'main|real' | sort -u | wc -l; }

# record_as NAME OPTION...
record_as()
{
	local trace=$scratch/$1.rwk
	shift
	check "recording ${trace##*/}" "$record" -u -f 200 "$@" -o "$trace" -- "$program" 1 2>"$scratch/errors" || cat "$scratch/errors" >&2
}

make_program packed
record_as full
record_as dwarf --dwarf
record_as min --embed min
make_program
record_as none
rm "$program"

check_equal "names in the trace" 2 "$(functions "$scratch/full.rwk")"
[ ! -s "$scratch/failures" ] || { "$report" --info "$scratch/full.rwk"; head -n 20 "$scratch/functions"; } >"$scratch/full.err"
check_equal "beside unwind information" 2 "$(functions "$scratch/dwarf.rwk")"
check_equal "--embed min" 0 "$(functions "$scratch/min.rwk")"
check_equal "without the section" 0 "$(functions "$scratch/none.rwk")"
check "condensing" "$report" --condense "$scratch/dwarf.rwk" -o "$scratch/condensed.rwk"
check_equal "condensed" 2 "$(functions "$scratch/condensed.rwk")"
finish
