#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# FORMAT.md's worked example (appendix A) is dumped as its appendix B says, by the reporter and by the Python reader;
# and the two agree on the traces of which there is a text, also on a cut one, on all samples, and on thousands of random events
# (many_events.py), whose fields come back. A trace that is made of a dump has that dump.

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=${BUILD:-build}/rwalker-report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
scratch=$dir # of exits()

# dumped NAME CODE TRACE: both readers end with that code; their texts are in "ours" and "theirs".
dumped()
{
	exits "$1-report-ends" "$2" "$report" --dump "$3"
	mv "$dir/out" "$dir/ours"
	exits "$1-python-ends" 0 python3 tests/rwk_dump.py "$3"
	mv "$dir/out" "$dir/theirs"
}

sed -n '/^## Appendix A/,/^## Appendix B/s/^[0-9a-f]\{3\}  \(\([0-9a-f]\{2\} \?\)\{1,16\}\).*/\1/p' format/FORMAT.md |
	python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$dir/example.rwk"
sed -n '/^## Appendix B/,$p' format/FORMAT.md | sed -n '/^```$/,/^```$/{/^```$/d;p}' >"$dir/expected"
dumped dump-example 3 "$dir/example.rwk"
exits dump-example-report 0 diff "$dir/expected" "$dir/ours"
exits dump-example-python 0 diff "$dir/expected" "$dir/theirs"
traces=${BUILD:-build}/tests make_trace=${BUILD:-build}/tests/make_trace
head -c -1500 "$traces/golden/private.rwk" >"$dir/killed.rwk"
python3 tests/fault/many_events.py | "$make_trace" /dev/stdin "$dir/events.rwk"
for trace in "$traces"/{golden,fault}/*.rwk samples/*/trace.rwk "$dir"/{killed,events}.rwk; do
	name=dump-${trace##*/} code=0
	[[ $name != *-trace.rwk ]] || name=dump-$(basename "${trace%/*}")
	[[ $name != *killed.rwk ]] || code=3
	dumped "$name" $code "$trace"
	exits "$name" 0 diff "$dir/ours" "$dir/theirs"
	verdict "$name-says-something" "the dump is empty" test -s "$dir/theirs"
	[[ $code == 0 ]] || continue
	exits "$name-made" 0 "$make_trace" "$dir/ours" "$dir/again.rwk"
	verdict "$name-again" "$(diff "$dir/ours" <("$report" --dump "$dir/again.rwk") | head -n 3)" cmp -s "$dir/ours" <("$report" --dump "$dir/again.rwk")
done
cat "$traces"/golden/*.rwk >"$dir/joined.rwk"
dumped dump-joined 0 "$dir/joined.rwk"
exits dump-joined 0 diff "$dir/ours" "$dir/theirs"
"$report" --dump "$dir/events.rwk" >"$dir/ours"
exits dump-events-are-those-that-were-written 0 python3 tests/fault/many_events.py "$dir/ours"
verdict dump-events-fields "$(head -n 3 "$dir/out")" [ ! -s "$dir/out" ]
sed -i '0,/^  wait cpu=1/s//  wait cpu=2/' "$dir/ours"
verdict dump-events-finds-a-mistake "it does not" grep -q 'wait cpu 2, not 1' <(python3 tests/fault/many_events.py "$dir/ours")
exits dump-one-of-two-is-damaged 3 "$report" --dump "$dir/killed.rwk" "$traces/golden/private.rwk"
exit $((failures > 0))
