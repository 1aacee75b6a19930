#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh [--together COMMAND... --alone] COMMAND...: runs each test and counts what it says. Each COMMAND
# is one argument: a program, or a program and its arguments in one string. Tests run from the top
# folder; those after --together several at a time, the others one after the other.
#
# What a test says: lines "ok NAME", "not ok NAME - why", "skip NAME - why" on its output; the rest
# is shown only when the test fails. How it ends:
#	0	its lines stand; a test that said nothing has failed
#	77	it was skipped: its last line says why, unless it said so in skip lines
#	other	it failed: one failure more, unless it said so in a "not ok" line
# A line "# time-limit: SECONDS" among a script's first 20 sets its limit; TIME_LIMIT (300) is the
# default. When TOTAL_LIMIT (0: none) seconds are over, what is left counts as failed.
#
# The last line is always "N passed, N failed, N skipped". Exit code 0 if something was tested and
# nothing failed, else 1.

set -u
cd "$(dirname "$0")/.." || exit 1

readonly LOG_LINES=200	# shown of a failing test; the file has them all
logs=${BUILD:-build}/log
export XDG_CACHE_HOME=$PWD/${BUILD:-build}/cache	# not the names that somebody has gathered
passed=0 failed=0 skipped=0
failures=() skips=()

# Seconds that the test may take.
limit_of()
{
	local limit

	limit=$(sed -n '1,20s/^# time-limit: \([0-9]\+\)$/\1/p' "$1" 2>/dev/null | head -n 1)
	limit=${limit:-${TIME_LIMIT:-300}}
	if ((${TOTAL_LIMIT:-0} && limit > TOTAL_LIMIT - SECONDS)); then
		limit=$((TOTAL_LIMIT - SECONDS))
	fi
	echo "$limit"
}

# Adds "NAME: text" for each line of the log that begins with $3 to the list named $2.
collect()
{
	local -n list=$2
	local line

	while IFS= read -r line; do
		list+=("$1: ${line#"$3"}")
	done < <(grep -a "^$3" "$4" | cat -v)
}

show_log()
{
	local lines

	lines=$(wc -l <"$1")
	((lines > LOG_LINES)) && echo "    | ($((lines - LOG_LINES)) lines before these are in $1)"
	tail -n "$LOG_LINES" "$1" | cat -v | sed 's/^/    | /'
}

# Judges one finished test. In: name, log file, exit code, time limit, seconds it took.
judge()
{
	local name=$1 log=$2 code=$3 limit=$4 seconds=$5
	local good bad left why='' word=ok

	good=$(grep -ac '^ok ' "$log")
	bad=$(grep -ac '^not ok ' "$log")
	left=$(grep -ac '^skip ' "$log")
	collect "$name" failures 'not ok ' "$log"
	collect "$name" skips 'skip ' "$log"
	case $code in
	0) ((good + bad + left)) || why="said nothing" ;;
	77) ((left)) || { left=1; skips+=("$name - $(tail -n 1 "$log" | cat -v)"); } ;;
	124 | 137) why="ran longer than $limit s" ;;
	*) ((bad)) || why="exit code $code" ;;
	esac
	[[ $why ]] && { bad=$((bad + 1)); failures+=("$name - $why"); }
	((passed += good, failed += bad, skipped += left))
	((left && !good)) && word=skip
	((bad)) && word=FAIL
	printf '%-4s %s: %d ok, %d failed, %d skipped, %s s\n' "$word" "$name" "$good" "$bad" "$left" "$seconds"
	((bad)) && show_log "$log"
}

log_of()
{
	echo "$logs/$(printf %s "${1#"${BUILD:-build}/"}" | tr -c 'A-Za-z0-9_.-' _).log"
}

# Runs one test; its exit code, time limit and seconds are left in LOG.end.
execute()
{
	local command=$1 log=$2 limit start code

	limit=$(limit_of "${command%% *}")
	start=$EPOCHREALTIME
	if ((limit <= 0)); then
		echo "not ok ${command#"${BUILD:-build}/"} - not started, $TOTAL_LIMIT s are over" >"$log"
		code=1
	else
		[[ $command == */* ]] || command=./$command
		timeout -k 5 "$limit" bash -c "$command" >"$log" 2>&1 </dev/null
		code=$?
	fi
	awk "BEGIN { printf \"$code $limit %.1f\\n\", ${EPOCHREALTIME/,/.} - ${start/,/.} }" >"$log.ending" &&
		mv "$log.ending" "$log.end"
}

# Judges what has been executed.
conclude()
{
	local log code limit seconds

	log=$(log_of "$1")
	{ read -r code limit seconds <"$log.end"; } 2>/dev/null || code="lost" # somebody killed what ran it
	rm -f "$log.end"
	judge "${1#"${BUILD:-build}/"}" "$log" "$code" "$limit" "$seconds"
}

run_alone()
{
	[[ -t 1 ]] && printf '... %s\r' "${1#"${BUILD:-build}/"}"
	execute "$1" "$(log_of "$1")"
	conclude "$1"
}

# Runs as many at a time as there are processors; they are judged in the order in which they stand here.
run_together()
{
	local command log most started=0 next=1

	most=$(nproc)
	for command in "$@"; do
		while (($(jobs -rp | wc -l) >= most)); do
			wait -n
		done
		log=$(log_of "$command")
		rm -f "$log.end" # of a run that was interrupted
		execute "$command" "$log" &
		((++started))
		while ((next <= started)) && [[ -e $(log_of "${!next}").end ]]; do
			conclude "${!next}"
			((++next))
		done
	done
	wait
	for (( ; next <= $#; next++)); do
		conclude "${!next}"
	done
}

account()
{
	((${#skips[@]})) && printf '\nSkipped, and why:\n' && printf '  %s\n' "${skips[@]}"
	((${#failures[@]})) && printf '\nFailed:\n' && printf '  %s\n' "${failures[@]}"
	printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
}

trap 'kill $(jobs -p) 2>/dev/null; failures+=("interrupted"); ((failed++)); account; exit 1' INT TERM
mkdir -p "$logs" || exit 1
together=()
if [[ ${1-} == --together ]]; then
	while shift && [[ ${1---alone} != --alone ]]; do
		together+=("$1")
	done
	shift
fi
run_together "${together[@]}"
for command in "$@"; do
	run_alone "$command"
done
account
((failed == 0 && passed > 0))
