#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The runner itself: what it counts, that failures set its exit code, that the tally is the last line.

set -u
unset TRIES JOBS TOTAL_LIMIT TIME_LIMIT
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# script NAME: makes a test script from stdin.
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
# shellcheck disable=SC2016 # for the script, which kills the runner's process for it
script killer <<<'echo "ok a"; kill -KILL "$(cut -d" " -f4 "/proc/$PPID/stat")"'
script skip_whole <<<'echo "no such device"; exit 77'
script skip_lines <<<'echo "skip a - no root"; exit 77'
script skip_one <<<'echo "ok a"; echo "skip b - no root"'
script slow <<<$'# time-limit: 1\necho "ok a"; sleep 30; echo "ok b"'
script endless <<<'echo "ok a"; sleep 300; echo "ok b"'
script noisy <<<$'printf "\\033[2J"; seq 1000; exit 3'
script lonely <<<"# alone: the other must have finished
[[ -e $dir/finished.good ]] && echo 'ok alone'"
script only <<<"# only recorder: as if others disturbed it
exec $dir/busy \"\$@\""
script busy <<END
touch "$dir/running.\$1"
sleep 0.3
((\$(find "$dir" -name 'running.*' | wc -l) <= \$2)) && echo "ok at_most_\$2"
sleep 0.3
mv "$dir"/{running,finished}."\$1"
END
# Its check fails at the first try, and with an argument also at the second.
script unlucky <<END
# two tries: as if the host had taken the processor away
[[ -e $dir/tried && \$# = 0 ]] && { echo "ok a"; exit 0; }
touch "$dir/tried"
echo "not ok a - too long"
exit 1
END
script unlucky_crash <<<$'# two tries: as if\necho "not ok a - it broke"; kill -SEGV $$'
# Two of these wait for each other, so both must run at the same time.
script meet <<END
touch "$dir/met.\$1"
for ((i = 0; i < 200; i++)); do
	[[ -e "$dir/met.\$2" ]] && { echo "ok met"; exit 0; }
	sleep 0.1
done
exit 1
END
script words <<<'echo "ok $1$2"; [[ $# = 2 ]]'

expect good_counts 0 "2 passed, 0 failed, 0 skipped" 'good: 2 ok' -- "$dir/good"
expect not_ok_fails 1 "1 passed, 1 failed, 0 skipped" '| detail' -- "$dir/bad"
expect not_ok_fails_with_exit_0 1 "0 passed, 1 failed, 0 skipped" 'b - it broke' -- "$dir/bad_but_zero"
expect silence_fails 1 "0 passed, 1 failed, 0 skipped" 'said nothing' -- "$dir/silent"
expect crash_fails 1 "1 passed, 1 failed, 0 skipped" '| last words' -- "$dir/crash"
expect killed_runner_fails 1 "3 passed, 1 failed, 0 skipped" 'killer - exit code lost' -- "$dir/killer" "$dir/good"
expect whole_skip_says_why 1 "0 passed, 0 failed, 1 skipped" 'skip_whole - no such device' -- "$dir/skip_whole"
expect skip_lines_count_once 0 "2 passed, 0 failed, 1 skipped" 'a - no root' -- "$dir/good" "$dir/skip_lines"
expect one_skip_of_two 0 "1 passed, 0 failed, 1 skipped" 'b - no root' -- "$dir/skip_one"
expect time_limit_fails 1 "1 passed, 1 failed, 0 skipped" 'longer than 1 s' -- "$dir/slow"
expect missing_program_fails 1 "0 passed, 1 failed, 0 skipped" 'exit code 127' -- "$dir/absent"
expect no_test_fails 1 "0 passed, 0 failed, 0 skipped" . --
expect long_output_is_cut 1 "0 passed, 1 failed, 0 skipped" '(800 lines before' -- "$dir/noisy"
expect arguments_reach_the_test 0 "1 passed, 0 failed, 0 skipped" 'words' -- "$dir/words x y"
expect failure_among_good 1 "5 passed, 1 failed, 0 skipped" 'FAIL' -- "$dir/good" "$dir/bad" "$dir/good x"
expect alone_waits_for_the_others 0 "2 passed, 0 failed, 0 skipped" '^ok   .*lonely: 1 ok' -- "$dir/lonely" "$dir/busy good 9"
JOBS=1 expect one_by_one 0 "3 passed, 0 failed, 0 skipped" . -- "$dir/busy a 1" "$dir/busy b 1" "$dir/busy c 1"
expect an_only_recorder_is_one 0 "3 passed, 0 failed, 0 skipped" . -- "$dir/only a 1" "$dir/only b 1" "$dir/only c 1"
JOBS=2 expect others_are_at_once 0 "2 passed, 0 failed, 0 skipped" . -- "$dir/meet a b" "$dir/meet b a"
# The runner counts whole seconds, and the first may be over at once. So the limit is several seconds.
TOTAL_LIMIT=4 JOBS=1 expect total_limit_fails_the_rest 1 "3 passed, 2 failed, 0 skipped" 'not started' -- \
	"$dir/good" "$dir/endless" "$dir/good"

rm -f "$dir/tried"
expect first_try_is_listed 0 "3 passed, 0 failed, 0 skipped" '^  .*unlucky: a - too long' -- "$dir/unlucky" "$dir/good"
expect second_try_is_the_last 1 "2 passed, 1 failed, 0 skipped" 'a - too long' -- "$dir/unlucky always" "$dir/good"
expect crash_has_one_try 1 "0 passed, 1 failed, 0 skipped" 'it broke' -- "$dir/unlucky_crash"
rm -f "$dir/tried"
TRIES=1 expect one_try_if_asked 1 "0 passed, 1 failed, 0 skipped" 'a - too long' -- "$dir/unlucky"

out=$(BUILD=$dir "$top/tests/run.sh" "$dir/noisy")
if [[ $out == *$'\033'* ]]; then
	echo "not ok escapes_are_shown_as_text"
else
	echo "ok escapes_are_shown_as_text"
fi

# A second of waiting and no work, a second of work.
script sleeper <<<'sleep 1; echo "ok a"'
script worker <<<'while ((SECONDS < 2)); do :; done; echo "ok a"'
BUILD=$dir "$top/tests/run.sh" "$dir/sleeper" "$dir/worker" >/dev/null
if awk '/sleeper/ { s = $1 >= 1 && $1 < 60 && $2 < 0.5 } /worker/ { w = $1 >= 1 && $2 > 0 && $2 <= $1 + 0.1 } END { exit !(s && w && NR == 2) }' \
	"$dir/log/times"; then
	echo "ok times_are_kept"
else
	echo "not ok times_are_kept - '$(cat "$dir/log/times")'"
fi
