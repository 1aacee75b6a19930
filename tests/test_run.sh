#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The runner itself: what it counts, that failures reach its exit code, that the tally is the last line.

set -u
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# script NAME: makes a test script of what stands on stdin.
script()
{
	{ echo '#!/bin/bash'; cat; } >"$dir/$1"
	chmod +x "$dir/$1"
}

# expect NAME CODE TALLY [PATTERN] -- COMMAND...: the runner's exit code, last line, a line of its output.
expect()
{
	local name=$1 want=$2 tally=$3 pattern=$4 out code
	shift 5
	out=$(BUILD=$dir "$top/tests/run.sh" "$@" 2>&1)
	code=$?
	if [[ $code != "$want" ]]; then
		echo "not ok $name - exit code $code, not $want"
	elif [[ ${out##*$'\n'} != "$tally" ]]; then
		echo "not ok $name - last line '${out##*$'\n'}', not '$tally'"
	elif ! grep -q -e "$pattern" <<<"$out"; then
		echo "not ok $name - nothing matches '$pattern'"
	else
		echo "ok $name"
	fi
}

script good <<<'echo "ok a"; echo noise; echo "ok b"'
script bad <<<'echo "ok a"; echo "not ok b - it broke"; echo detail; exit 1'
script bad_but_zero <<<'echo "not ok b - it broke"'
script silent <<<'exit 0'
script crash <<<'echo "ok a"; echo last words; kill -SEGV $$'
script skip_whole <<<'echo "no such device"; exit 77'
script skip_lines <<<'echo "skip a - no root"; exit 77'
script skip_one <<<'echo "ok a"; echo "skip b - no root"'
script slow <<<$'# time-limit: 1\necho "ok a"; sleep 30; echo "ok b"'
script endless <<<'echo "ok a"; sleep 300; echo "ok b"'
script noisy <<<$'printf "\\033[2J"; seq 1000; exit 3'
script words <<<'echo "ok $1$2"; [[ $# = 2 ]]'

expect good_counts 0 "2 passed, 0 failed, 0 skipped" 'good: 2 ok' -- "$dir/good"
expect not_ok_fails 1 "1 passed, 1 failed, 0 skipped" '| detail' -- "$dir/bad"
expect not_ok_fails_with_exit_0 1 "0 passed, 1 failed, 0 skipped" 'b - it broke' -- "$dir/bad_but_zero"
expect silence_fails 1 "0 passed, 1 failed, 0 skipped" 'said nothing' -- "$dir/silent"
expect crash_fails 1 "1 passed, 1 failed, 0 skipped" '| last words' -- "$dir/crash"
expect whole_skip_says_why 1 "0 passed, 0 failed, 1 skipped" 'skip_whole - no such device' -- "$dir/skip_whole"
expect skip_lines_count_once 0 "2 passed, 0 failed, 1 skipped" 'a - no root' -- "$dir/good" "$dir/skip_lines"
expect one_skip_of_two 0 "1 passed, 0 failed, 1 skipped" 'b - no root' -- "$dir/skip_one"
expect time_limit_fails 1 "1 passed, 1 failed, 0 skipped" 'longer than 1 s' -- "$dir/slow"
expect missing_program_fails 1 "0 passed, 1 failed, 0 skipped" 'exit code 127' -- "$dir/absent"
expect no_test_fails 1 "0 passed, 0 failed, 0 skipped" . --
expect long_output_is_cut 1 "0 passed, 1 failed, 0 skipped" '(800 lines before' -- "$dir/noisy"
expect arguments_reach_the_test 0 "1 passed, 0 failed, 0 skipped" 'words' -- "$dir/words x y"
expect failure_among_good 1 "5 passed, 1 failed, 0 skipped" 'FAIL' -- "$dir/good" "$dir/bad" "$dir/good"
expect together_all_are_counted 1 "9 passed, 1 failed, 0 skipped" '| detail' -- --together "$dir/good" "$dir/bad" "$dir/good a" \
	"$dir/good b" --alone "$dir/good c"
expect together_with_nothing_else 0 "2 passed, 0 failed, 0 skipped" 'good: 2 ok' -- --together "$dir/good" --alone
expect together_silence_fails 1 "2 passed, 1 failed, 0 skipped" 'said nothing' -- --together "$dir/silent" "$dir/good" --alone
# The runner counts whole seconds: the first may be over at once. So the limit is of several.
TOTAL_LIMIT=4 expect total_limit_fails_the_rest 1 "3 passed, 2 failed, 0 skipped" 'not started' -- \
	"$dir/good" "$dir/endless" "$dir/good"

out=$(BUILD=$dir "$top/tests/run.sh" "$dir/noisy")
if [[ $out == *$'\033'* ]]; then
	echo "not ok escapes_are_shown_as_text"
else
	echo "ok escapes_are_shown_as_text"
fi
