#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Small traces with large uncompressed sections, together more than the memory that the reporter may use: each report
# and tool that needs them fails with 1 and says which limit it reached, within that limit; none lacks names without a
# message.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report make_trace=$PWD/${BUILD:-build}/tests/make_trace
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok large_sections - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# fails NAME MEGABYTES ARGUMENT...: the report runs out of memory, below the limit, and writes nothing to standard
# output.
fails()
{
	exits "$1" 1 costing "$scratch/cost" "$report" --no-cache "${@:3}"
	verdict "$1_says" "$(cat "$scratch/err")" grep -q 'not enough memory for this report; --max-memory raises' "$scratch/err"
	read -r _ most <"$scratch/cost"
	verdict "$1_size" "it took $most MB" [ "$most" -le "$2" ]
	verdict "$1_prints_nothing" "$(head -n 3 "$scratch/out")" [ ! -s "$scratch/out" ]
}

# large OUT MODULES SECTION PIECES
large() { python3 tests/fault/hostile_unwind.py "zeros:$3" "$2:$4" | "$make_trace" /dev/stdin "$1"; }

cp samples/frameless/trace.rwk "$scratch/honest.rwk"
# Sections whose claimed size has few bytes behind it, with the limit of a machine that has enough memory; missing bytes
# take none. Then .debug_frame and .eh_frame, complete.
large "$scratch/claims.rwk" 40 1 1
verdict small "$(stat -c %s "$scratch/claims.rwk") bytes" [ "$(stat -c %s "$scratch/claims.rwk")" -lt 100000 ]
fails claims 200 --max-memory 2G --tree "$scratch/claims.rwk"
for section in 2 1; do
	rm -f "$scratch/whole.rwk"
	large "$scratch/whole.rwk" 5 $section 512
	fails "whole_$section" 200 --max-memory 200M --folded "$scratch/whole.rwk"
done
fails needs 200 --max-memory 200M --needs "$scratch/whole.rwk"
fails condense 200 --max-memory 200M --condense -o "$scratch/made" "$scratch/whole.rwk"
verdict condense_leaves_nothing "a file" [ ! -e "$scratch/made" ]
fails beside_honest 200 --max-memory 200M --tree "$scratch/honest.rwk" "$scratch/whole.rwk"
exit $((failures > 0))
