#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh COMMAND... : runs tests side by side and counts their results. Each COMMAND is one argument: a program, or a
# program and its arguments in one string. Tests run in the top folder, JOBS of them at once (one more than there are
# processors, because some wait), in the order given.
#
# A test prints lines "ok NAME", "not ok NAME - why", "skip NAME - why"; the rest of its output is shown only if it
# fails. Its exit code:
#	0	its lines count; a test without any has failed
#	77	skipped: its last line says why, unless it printed skip lines
#	other	failed: counts as one more failure, unless it printed a "not ok" line
#
# Lines among the first 20 of a script:
#	# tier: full, # tier: long	the Makefile leaves it out of the tiers before this one
#	# time-limit: SECONDS		else TIME_LIMIT (600)
#	# alone: WHY			it runs when all others are done, by itself
#	# only recorder: WHY		no test in tests/live runs beside it; of the others in tests/live, two at once
#	# two tries: WHY		it compares figures that the host spoils if it takes CPU time away: if a check fails, it
#					runs once more by itself, when all others are done, and that counts. Not with TRIES=1.
# After TOTAL_LIMIT seconds (0: none), the remaining tests count as failed.
#
# The last line is always "N passed, N failed, N skipped". The exit code is 0 if something was tested and nothing
# failed, else 1. build/log/ has the output of each test, and in the file times lines "WALL CPU COMMAND", in seconds.

set -u
cd "$(dirname "$0")/.." || exit 1

build=${BUILD:-build}
logs=$build/log
export XDG_CACHE_HOME=$PWD/$build/cache	# not the user's cache
unset DEBUGINFOD_URLS			# no names from a server
passed=0 failed=0 skipped=0
failures=() skips=() again=() unlucky=()
readonly ALL=1000 RECORDERS=2		# shares of the machine
at_once=${JOBS:-$(($(nproc) + ($(nproc) > 1)))}

# The python3 of a version manager is a script that starts dozens of processes, and tests start it hundreds of times.
pass_over_script()
{
	local found program

	found=$(command -v python3) && [[ $(head -c 2 "$found" | tr -d '\0') == '#!' ]] || return
	program=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') && [[ -x $program ]] || return
	mkdir -p "$build/bin" && ln -sfn "$program" "$build/bin/python3" && PATH=$PWD/$build/bin:$PATH
}

# Starting a process may take longer than a test runs, so the functions below start none for a test that is good.

# says COMMAND WORDS: whether the script has a line "# WORDS: TEXT" among its first 20; sets $text.
says()
{
	local head=() line mark=

	[[ -r ${1%% *} ]] && read -r -n 2 mark <"${1%% *}"
	[[ $mark == '#!' ]] && mapfile -t -n 20 head <"${1%% *}"
	for line in "${head[@]}"; do
		[[ $line == "# $2: "?* ]] && text=${line#"# $2: "} && return
	done
	return 1
}

# share_of COMMAND: sets $share to what it needs of the machine: ALL of it, a part of RECORDERS, or 0.
share_of()
{
	local text

	share=0
	[[ $1 != tests/live/* ]] || share=1
	says "$1" 'only recorder' && share=$RECORDERS
	says "$1" alone && share=$ALL
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
	((lines > 200)) && echo "    | ($((lines - 200)) lines before these are in $1)"
	tail -n 200 "$1" | cat -v | sed 's/^/    | /'
}

# judge COMMAND LOG CODE LIMIT WALL CPU: counts what a finished test printed.
judge()
{
	local name=${1#"$build/"} log=$2 code=$3 good bad left count why='' word=ok text
	# shellcheck disable=SC2034 # collect() fills it
	local passes=()

	if [[ $code == 1 && ${TRIES:-2} != 1 && ! -e $log.first ]] && grep -aq '^not ok ' "$log" && says "$1" 'two tries'; then
		again+=("$1")
		collect "$name" unlucky 'not ok ' "$log"
		echo "once more, when all others are done: $name"
		show_log "$log"
		mv "$log" "$log.first"
		return
	fi
	collect "$name" passes 'ok ' "$log"
	good=$count
	collect "$name" failures 'not ok ' "$log"
	bad=$count
	collect "$name" skips 'skip ' "$log"
	left=$count
	case $code in
	0) ((good + bad + left)) || why="said nothing" ;;
	77) ((left)) || { left=1; skips+=("$name - $(tail -n 1 "$log" | cat -v)"); } ;;
	124 | 137) why="ran longer than $4 s" ;;
	*) ((bad)) || why="exit code $code" ;;
	esac
	[[ $why ]] && { bad=$((bad + 1)); failures+=("$name - $why"); }
	((passed += good, failed += bad, skipped += left))
	((left && !good)) && word=skip
	((bad)) && word=FAIL
	printf '%-4s %s: %d ok, %d failed, %d skipped, %s s (%s s of CPU)\n' "$word" "$name" "$good" "$bad" "$left" "$5" "$6"
	echo "$5 $6 $name" >>"$logs/times"
	((bad)) && show_log "$log"
}

# Sets $log to the log file of a command.
find_log()
{
	log=${1#"$build/"}
	log=$logs/${log//[!A-Za-z0-9_.-]/_}.log
}

# execute COMMAND LOG: runs one test; writes its seconds, exit code and time limit to LOG.end.
execute()
{
	local limit=${TIME_LIMIT:-600} code=1 text TIMEFORMAT='%3R %3U %3S'

	says "$1" time-limit && limit=$text
	((TOTAL_LIMIT && limit > TOTAL_LIMIT - SECONDS)) && limit=$((TOTAL_LIMIT - SECONDS))
	if ((limit <= 0)); then
		echo "not ok ${1#"$build/"} - not started, $TOTAL_LIMIT s are over" >"$2"
		echo 0.000 0.000 0.000 >"$2.end"
	else
		{ time timeout -k 5 "$limit" bash -c "$1" >"$2" 2>&1 </dev/null; } 2>"$2.end"
		code=$?
	fi
	echo "$code $limit" >>"$2.end"
}

# seconds MS: sets $tenths to the seconds, with one decimal.
seconds() { printf -v tenths '%d.%d' $((($1 + 50) / 1000)) $((($1 + 50) / 100 % 10)); }

# Judges the tests that have ended.
reap()
{
	local pid command log wall user system code limit lines count tenths

	for pid in "${!running[@]}"; do
		kill -0 "$pid" 2>/dev/null && continue
		command=${queue[${running[$pid]}]} wall=0 user=0 system=0 code=lost limit=0 # lost: its runner was killed
		unset "running[$pid]"
		find_log "$command"
		mapfile -t lines <"$log.end"
		((${#lines[@]} < 2)) || { read -r wall user system <<<"${lines[-2]}" && read -r code limit <<<"${lines[-1]}"; }
		seconds "$((10#${wall//[.,]/}))"
		wall=$tenths
		seconds "$((10#${user//[.,]/} + 10#${system//[.,]/}))"
		judge "$command" "$log" "$code" "$limit" "$wall" "$tenths"
	done
}

# Sets $next to the first test of the queue that has not started and may start now. False if there is none.
choose()
{
	local used=0 number

	for number in "${running[@]}"; do
		used=$((used + shares[number]))
	done
	((${#running[@]} < at_once)) || return
	for next in "${waiting[@]}"; do
		((used + shares[next] <= RECORDERS || ${#running[@]} == 0)) && return
	done
	return 1
}

# run COMMAND... : those with the share ALL come last.
run()
{
	local queue=("$@") shares=() waiting=() alone=() i next log share
	local -A running=() # by the process: the number in the queue

	for i in "${!queue[@]}"; do
		share_of "${queue[i]}"
		shares+=("$share")
		if ((share == ALL)); then alone+=("$i"); else waiting+=("$i"); fi
	done
	waiting+=("${alone[@]}")
	while ((${#waiting[@]} + ${#running[@]})); do
		if ! choose; then
			wait -n
			reap
			continue
		fi
		[[ ! -t 1 ]] || printf '... %s\e[K\r' "${queue[next]#"$build/"}"
		find_log "${queue[next]}"
		: >"$log.end" # an interrupted run may have left one
		execute "${queue[next]}" "$log" &
		running[$!]=$next
		for i in "${!waiting[@]}"; do [[ ${waiting[i]} == "$next" ]] && unset "waiting[i]"; done
	done
}

# Prints the reason for which a test was skipped, and what to install, if a program is missing.
with_package()
{
	local program package

	[[ $1 =~ \'([a-z0-9_-]+)\'\ is\ (not\ installed|missing) && $1 != *apt-get* ]] || { echo "  $1"; return; }
	program=${BASH_REMATCH[1]} package=$program
	case $program in
	perf) package=linux-perf ;;
	ctags) package=universal-ctags ;;
	readelf | objcopy | nm) package=binutils ;;
	unshare | setpriv | taskset | setsid | flock | chrt | setarch) package=util-linux ;;
	qemu-system-x86_64) package=qemu-system-x86 ;;
	qemu-system-aarch64) package=qemu-system-arm ;;
	aarch64-linux-gnu-gcc) package=gcc-aarch64-linux-gnu ;;
	busybox) package=busybox-static ;;
	mke2fs) package=e2fsprogs ;;
	xz) package=xz-utils ;;
	node) package=nodejs ;;
	go) package=golang-go ;;
	llvm-symbolizer) package=llvm ;;
	systemd-analyze) package=systemd ;;
	dpkg-buildpackage | dh) package=debhelper ;;
	rpmbuild) package=rpm ;;
	eu-*) package=elfutils ;;
	esac
	echo "  $1 (apt-get install $package)"
}

account()
{
	local skip

	printf '\nSeconds, and of CPU time, by kind; all within %d s:\n' "$SECONDS"
	awk '{ kind = $3; sub(/^(san\/)?tests\//, "", kind); sub(/\/.*/, "", kind); wall[kind] += $1; cpu[kind] += $2; wall["all"] += $1; cpu["all"] += $2 }
		END { for (kind in cpu) printf "  %-12s %7.1f %7.1f\n", kind, wall[kind], cpu[kind] }' "$logs/times" | sort -k 3n
	((${#skips[@]})) && printf '\nSkipped, and why:\n' && for skip in "${skips[@]}"; do with_package "$skip"; done
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
readonly TOTAL_LIMIT=${TOTAL_LIMIT:-0}
mkdir -p "$logs" && rm -f "$logs"/*.first && : >"$logs/times" || exit 1
run "$@"
at_once=1
run "${again[@]}"
account
((failed == 0 && passed > 0))
