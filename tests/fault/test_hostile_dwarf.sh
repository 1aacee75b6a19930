#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Malicious debug files (tests/fault/hostile_dwarf.py): the report stays within its time and memory limits, prints
# everything else as it does without them, and says which module's lines it could not read. Bytes are scattered in two
# ways, at CHECK_LEVEL=long in twelve.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report
trace=samples/mangled/trace.rwk
[[ -x $report ]] || { echo "not ok hostile_dwarf - '$report' is not built"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
id=$("$report" --info "$trace" | sed -n 's,.*/samples/mangled (file): .*build-id \([0-9a-f]*\)$,\1,p')
[[ $id ]] || { echo "not ok hostile_dwarf - no module of the sample has a build-id"; exit 1; }
file=$dir/.build-id/${id:0:2}/${id:2}.debug
mkdir -p "${file%/*}"
failed=0

# The stacks, without the account's lines about DWARF.
stacks()
{
	"$report" --symfs "$dir/nowhere" --debug-dir "$dir" --folded "$trace"
}

# The account, with its lines about DWARF.
notes()
{
	"$report" --symfs "$dir/nowhere" --debug-dir "$dir" --info "$trace" 2>&1
}

stacks >"$dir/without" 2>"$dir/account" || { echo "not ok hostile_dwarf - the sample cannot be reported"; exit 1; }

# judge KIND WORDS: judges the report with such a file, whose account has WORDS. Measures CPU time, because other
# tests may run beside it.
judge()
{
	local kind=$1 words=$2 code spent memory why=

	python3 tests/fault/hostile_dwarf.py "$kind" "$id" "$file" || { echo "not ok hostile_$kind - it cannot be made"; exit 1; }
	costing "$dir/cost" "$report" --symfs "$dir/nowhere" --debug-dir "$dir" --folded "$trace" \
		>"$dir/report" 2>"$dir/errors"
	code=$?
	read -r spent memory <"$dir/cost"
	((code == 0)) || why="exit code $code: $(head -n 1 "$dir/errors")"
	[[ $why ]] || ((spent < 5000)) || why="it took $spent ms"
	[[ $why ]] || ((memory < 1200)) || why="it took $memory MB"
	[[ $why ]] || [[ $kind = circle ]] || cmp -s "$dir/report" "$dir/without" || why="the stacks are others"
	[[ $why || ! $words ]] || notes | grep -q "$words" || why="it does not say '$words'"
	if [[ $why ]]; then
		echo "not ok hostile_$kind - $why"
		failed=1
	else
		echo "ok hostile_$kind ($spent ms, $memory MB; the file has $(stat -c %s "$file") bytes)"
	fi
}

judge bomb 'cannot decompress'
judge zstd-bomb 'cannot decompress'
judge long 'took too long\|too much memory'
judge deep 'took too long\|malformed or incomplete'
judge unit 'malformed or incomplete'
judge child 'malformed or incomplete'
judge sibling 'malformed or incomplete'
judge ranges 'malformed or incomplete'
judge circle ''
for seed in 1 2 $([[ ${CHECK_LEVEL:-check} != long ]] || echo 3 4 5 6 7 8 9 10 11 12); do
	judge "scattered:$seed" ''
done

# The limit of CPU time is for all processes of a report together.
python3 tests/fault/hostile_dwarf.py long "$id" "$file"
"$report" --symfs "$dir/nowhere" --debug-dir "$dir" --max-seconds 1 --no-cache --folded "$trace" >"$dir/report" 2>"$dir/errors"
code=$?
if [[ $code == 1 ]] && grep -q 'limit of CPU time was reached; --max-seconds' "$dir/errors"; then
	echo "ok hostile_seconds_in_all"
else
	echo "not ok hostile_seconds_in_all - exit code $code: $(head -n 1 "$dir/errors")"
	failed=1
fi
exit $failed
