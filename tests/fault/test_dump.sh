#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# FORMAT.md's worked example (appendix A) is dumped as its appendix B says, by the reporter and by the Python reader;
# and the two agree on the traces of which there is a text, also on cut ones.

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
traces=${BUILD:-build}/tests
head -c -1500 "$traces/golden/private.rwk" >"$dir/killed.rwk"
for trace in "$traces"/{golden,fault}/*.rwk "$dir/killed.rwk"; do
	name=dump-$(basename "$trace" .rwk) code=0
	[[ $name != *killed ]] || code=3
	dumped "$name" $code "$trace"
	exits "$name" 0 diff "$dir/ours" "$dir/theirs"
	verdict "$name-says-something" "the dump is empty" test -s "$dir/theirs"
done
exits dump-one-of-two-is-damaged 3 "$report" --dump "$dir/killed.rwk" "$traces/golden/private.rwk"
exit $((failures > 0))
