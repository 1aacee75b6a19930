#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# FORMAT.md's worked example (appendix A) is dumped as its appendix B says, by the reporter and by the Python reader;
# and the two agree on the traces that the fuzzers start from.

set -u
cd "$(dirname "$0")/../.." || exit 1
report=${BUILD:-build}/rwalker-report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# ok NAME if the rest of the arguments, a command, is true.
check()
{
	local name=$1

	shift
	if "$@" >"$dir/said" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name - $(head -n 3 "$dir/said" | tr '\n' ' ')"
		failed=1
	fi
}

sed -n '/^## Appendix A/,/^## Appendix B/s/^[0-9a-f]\{3\}  \(\([0-9a-f]\{2\} \?\)\{1,16\}\).*/\1/p' format/FORMAT.md |
	python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$dir/example.rwk"
sed -n '/^## Appendix B/,$p' format/FORMAT.md | sed -n '/^```$/,/^```$/{/^```$/d;p}' >"$dir/expected"
"$report" --dump "$dir/example.rwk" >"$dir/ours"
python3 tests/rwk_dump.py "$dir/example.rwk" >"$dir/theirs"
check dump-example-report diff "$dir/expected" "$dir/ours"
check dump-example-python diff "$dir/expected" "$dir/theirs"
for trace in tests/fuzz/corpus/fuzz_trace_reader/{empty,closed,killed,embedded}; do
	"$report" --dump "$trace" >"$dir/ours"
	python3 tests/rwk_dump.py "$trace" >"$dir/theirs"
	check "dump-$(basename "$trace")" diff "$dir/ours" "$dir/theirs"
	check "dump-$(basename "$trace")-says-something" test -s "$dir/theirs"
done
exit $failed
