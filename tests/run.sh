#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh [COMMAND...] [--in-pairs COMMAND...] [--together COMMAND...]: runs each test and counts its results.
# Each COMMAND is one argument: a program, or a program and its arguments in one string. Tests run from the top
# folder, one by one. Those after --together and --in-pairs run side by side: one more than there are processors,
# because some wait, and at most two of those after --in-pairs. The next to start is the first one in the queue that
# may. A line "# alone: WHY" among a script's first 20 makes it wait until all others are done and then run by itself;
# a line "# only recorder: WHY" keeps it from running beside other tests given after --in-pairs.
#
# A test prints lines "ok NAME", "not ok NAME - why", "skip NAME - why"; the rest of its output
# is shown only if the test fails. Its exit code:
#	0	its lines count; a test without any has failed
#	77	skipped: its last line says why, unless it printed skip lines
#	other	failed: counts as one more failure, unless it printed a "not ok" line
# A script with a line "# two tries: WHY" among its first 20 compares figures that the host can spoil, for example by
# taking CPU time away from the guest. If one of its checks fails, it is run again by itself when all others are done:
# a real fault fails again. Only the second run counts; what failed at first is listed. TRIES=1 and the long level
# allow no second run. A line "# time-limit: SECONDS" among a script's first 20 sets its limit; TIME_LIMIT (300) is the
# default. After TOTAL_LIMIT seconds (0: none), the remaining tests count as failed. With STRETCH=1, these limits hold
# for a machine that starts a process in 1.5 ms and computes as fast as that of tests/RESULTS.md; on a machine that is
# slower now, or busy, they are up to three times as long.
#
# The last line is always "N passed, N failed, N skipped". The exit code is 0 if something was tested
# and nothing failed, else 1. build/log/ has the output of each test; build/log/times has the seconds that each one
# took, as "WALL CPU COMMAND", of which times.sh makes tables. BEGAN is when the build began, in seconds since 1970.

set -u
cd "$(dirname "$0")/.." || exit 1

readonly LOG_LINES=200	# shown of a failing test; the log file has all
logs=${BUILD:-build}/log bin=${BUILD:-build}/bin
export XDG_CACHE_HOME=$PWD/${BUILD:-build}/cache	# not the user's cache
unset DEBUGINFOD_URLS				# no names from a server
passed=0 failed=0 skipped=0
failures=() skips=() again=() unlucky=()
[[ ${CHECK_LEVEL-} == long ]] && TRIES=1

# The python3 of a version manager is a script that starts dozens of processes, and tests start it hundreds of times.
pass_over_script()
{
	local found program

	found=$(command -v python3) && [[ $(head -c 2 "$found" | tr -d '\0') == '#!' ]] || return
	program=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') && [[ -x $program ]] || return
	mkdir -p "$bin" && ln -sfn "$program" "$bin/python3" && PATH=$PWD/$bin:$PATH
}

start_processes() { local i; for ((i = 0; i < 200; i++)); do /bin/true; done; }
compute() { local i; for ((i = 0; i < 60000; i++)); do :; done; }

# percent_of USUAL COMMAND: the time that it takes now, in percent of the usual ms. The best of three.
percent_of()
{
	local try began took percent=$((1 << 30)) usual=$1

	for try in 1 2 3; do
		began=${EPOCHREALTIME/[.,]/}
		"$2"
		took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
		((took * 100 / usual < percent)) && percent=$((took * 100 / usual))
	done
	echo "$percent"
}

# The time that starting processes or computing takes now, in percent of the usual, whichever is more. 100 to 300.
measure_stretch()
{
	local starts computing percent

	starts=$(percent_of 300 start_processes)
	computing=$(percent_of 130 compute) # a third of the time where tests needed 3 times the CPU time
	percent=$((starts > computing ? starts : computing))
	((percent > 300)) && percent=300
	echo $((percent < 100 ? 100 : percent))
}

# Starting a process may take longer than a test runs. The functions below are called for each of hundreds of tests,
# so they start none.

# Sets $head to the first 20 lines of a script. Empty for a program that is not a script.
read_head()
{
	local mark=

	head=()
	[[ -r $1 ]] && read -r -n 2 mark <"$1"
	[[ $mark != '#!' ]] || mapfile -t -n 20 head <"$1"
}

# Sets $limit to the time limit of the test, in seconds.
find_limit()
{
	local head line

	limit=${TIME_LIMIT:-300}
	read_head "$1"
	for line in "${head[@]}"; do
		[[ $line =~ ^'# time-limit: '([0-9]+)$ ]] && limit=${BASH_REMATCH[1]} && break
	done
	limit=$((limit * stretch / 100))
	((total_limit && limit > total_limit - SECONDS)) && limit=$((total_limit - SECONDS))
}

# collect NAME LIST PREFIX LOG: adds "NAME: text" to the list for each line of the log that begins with the prefix,
# and sets $count to their number.
collect()
{
	local -n list=$2
	local line lines

	count=0
	mapfile -t lines <"$4"
	for line in "${lines[@]}"; do
		[[ $line == "$3"* ]] || continue
		[[ $line != *[![:print:]]* ]] || line=$(cat -v <<<"$line")
		list+=("$1: ${line#"$3"}")
		count=$((count + 1))
	done
}

show_log()
{
	local lines

	lines=$(wc -l <"$1")
	((lines > LOG_LINES)) && echo "    | ($((lines - LOG_LINES)) lines before these are in $1)"
	tail -n "$LOG_LINES" "$1" | cat -v | sed 's/^/    | /'
}

# has_two_tries COMMAND LOG CODE: whether a test whose check failed may run again.
has_two_tries()
{
	[[ $3 == 1 && ${TRIES:-2} != 1 && ! -e $2.first ]] && grep -aq '^not ok ' "$2" &&
		says "$1" 'two tries'
}

# Judges one finished test. In: name, log file, exit code, time limit, seconds of wall-clock time and of CPU time.
judge()
{
	local name=$1 log=$2 code=$3 limit=$4 seconds=$5 busy=$6
	local good bad left count why='' word=ok
	# shellcheck disable=SC2034 # collect() fills it
	local passes=()

	collect "$name" passes 'ok ' "$log"
	good=$count
	collect "$name" failures 'not ok ' "$log"
	bad=$count
	collect "$name" skips 'skip ' "$log"
	left=$count
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
	printf '%-4s %s: %d ok, %d failed, %d skipped, %s s (%s s of CPU)\n' "$word" "$name" "$good" "$bad" "$left" "$seconds" "$busy"
	echo "$seconds $busy $name" >>"$logs/times"
	((bad)) && show_log "$log"
}

# Sets $log to the log file of a test.
find_log()
{
	log=${1#"${BUILD:-build}/"}
	log=$logs/${log//[!A-Za-z0-9_.-]/_}.log
}

# Runs one test; writes its exit code, time limit and seconds to LOG.end.
execute()
{
	local command=$1 log=$2 limit code=1 words TIMEFORMAT='%3R %3U %3S'

	find_limit "${command%% *}"
	if ((limit <= 0)); then
		echo "not ok ${command#"${BUILD:-build}/"} - not started, $total_limit s are over" >"$log"
		echo 0.000 0.000 0.000 >"$log.end"
	else
		[[ $command == */* ]] || command=./$command
		words=(bash -c "$command")
		[[ $command == *[!A-Za-z0-9_./\ -]* ]] || read -r -a words <<<"$command" # needs no shell
		{ time timeout -k 5 "$limit" "${words[@]}" >"$log" 2>&1 </dev/null; } 2>"$log.end"
		code=$?
	fi
	echo "$code $limit" >>"$log.end"
}

# round MS: sets $tenths to the seconds, with one decimal.
round() { printf -v tenths '%d.%d' $((($1 + 50) / 1000)) $((($1 + 50) / 100 % 10)); }

# Judges a test that has finished.
conclude()
{
	local log wall=0 user=0 system=0 code=lost limit=0 lines=() count tenths # lost: its runner was killed

	find_log "$1"
	[[ -e $log.end ]] && mapfile -t lines <"$log.end"
	((${#lines[@]} < 2)) || { read -r wall user system <<<"${lines[-2]}" && read -r code limit <<<"${lines[-1]}"; }
	if has_two_tries "$1" "$log" "$code"; then
		again+=("$1")
		collect "${1#"${BUILD:-build}/"}" unlucky 'not ok ' "$log"
		echo "once more, when all others are done: ${1#"${BUILD:-build}/"}"
		show_log "$log"
		mv "$log" "$log.first"
		return
	fi
	round "$((10#${wall//[.,]/}))"
	wall=$tenths
	round "$((10#${user//[.,]/} + 10#${system//[.,]/}))"
	judge "${1#"${BUILD:-build}/"}" "$log" "$code" "$limit" "$wall" "$tenths"
}

# Sets $next to the first test of the queue that has not started and may start now. False if there is none.
choose()
{
	local used=0 number

	for number in "${running[@]}"; do
		used=$((used + shares[number]))
	done
	for next in "${waiting[@]}"; do
		if ((shares[next] == ALL)); then
			((${#running[@]} == 0)) # no other test overtakes it
			return
		fi
		((used + shares[next] <= RECORDERS && ${#running[@]} < at_once)) && return
	done
	return 1
}

# Judges the tests that have ended.
reap()
{
	local pid

	for pid in "${!running[@]}"; do
		kill -0 "$pid" 2>/dev/null && continue
		conclude "${queue[${running[$pid]}]}"
		unset "running[$pid]"
	done
}

# Runs the tests of the queue.
run()
{
	local command log next i waiting=("${!queue[@]}")
	local -A running=() # by the process: the number in the queue

	while ((${#waiting[@]} + ${#running[@]})); do
		if ! choose; then
			wait -n
			reap
			continue
		fi
		command=${queue[next]}
		((${#running[@]})) || [[ ! -t 1 ]] || printf '... %s\r' "${command#"${BUILD:-build}/"}"
		find_log "$command"
		: >"$log.end" # an interrupted run may have left one
		execute "$command" "$log" &
		running[$!]=$next
		for i in "${!waiting[@]}"; do [[ ${waiting[i]} == "$next" ]] && unset "waiting[i]"; done
	done
}

# says COMMAND WORDS: whether the script has the line "# WORDS: WHY" among its first 20.
says()
{
	local head line

	read_head "${1%% *}"
	for line in "${head[@]}"; do
		[[ $line == "# $2: "?* ]] && return
	done
	return 1
}

# find_share COMMAND SHARE: sets $share to SHARE, unless the script's own lines ask for another.
find_share()
{
	share=$2
	if (($2 == ALL)) || says "$1" alone; then
		share=$ALL
	elif (($2)) && says "$1" 'only recorder'; then
		share=$RECORDERS
	fi
}

account()
{
	((${#skips[@]})) && printf '\nSkipped, and why:\n' && printf '  %s\n' "${skips[@]}"
	((${#unlucky[@]})) && printf '\nFailed at a first try, and were run again:\n' && printf '  %s\n' "${unlucky[@]}"
	((${#failures[@]})) && printf '\nFailed:\n' && printf '  %s\n' "${failures[@]}"
	printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
}

interrupt()
{
	local job

	for job in $(jobs -p); do
		pkill -P "$job" # "timeout", which ends the test
		kill "$job"
	done 2>/dev/null
	failures+=("interrupted")
	((failed++))
	account
	exit 1
}

trap interrupt INT TERM
pass_over_script
stretch=100
[[ ${STRETCH-} ]] && stretch=$(measure_stretch) && unset STRETCH # not for a test that runs this script
((stretch == 100)) || echo "This machine is slow or busy: time limits are $stretch % of the usual ones."
readonly stretch total_limit=$((${TOTAL_LIMIT:-0} * stretch / 100))
mkdir -p "$logs" && rm -f "$logs"/*.first && : >"$logs/times" || exit 1
# The share of the machine that a test needs: ALL of it, a part of the room for RECORDERS, or 0.
readonly ALL=1000 RECORDERS=2
processors=$(nproc)
at_once=$((processors < 2 ? 1 : processors + 1))
queue=() shares=() alone=() asked=$ALL
for argument; do
	case $argument in
	--together) asked=0 ;;
	--in-pairs) asked=$((processors < 2 ? RECORDERS : 1)) ;;
	*)
		find_share "$argument" "$asked"
		if ((share == ALL && asked != ALL)); then
			alone+=("$argument")
		else
			queue+=("$argument")
			shares+=("$share")
		fi
		;;
	esac
done
for argument in "${alone[@]}"; do
	queue+=("$argument")
	shares+=("$ALL")
done
run
if ((${#again[@]})); then
	queue=("${again[@]}")
	mapfile -t shares < <(printf "$ALL\n%.0s" "${again[@]}")
	run
fi
# How long the build took is known only if $BEGAN is set.
[[ ${BEGAN-} ]] && echo "$((EPOCHSECONDS - SECONDS - BEGAN)) - (build)" >>"$logs/times"
echo "$SECONDS - (tests)" >>"$logs/times"
account
((failed == 0 && passed > 0))
