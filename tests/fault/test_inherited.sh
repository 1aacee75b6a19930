#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What whoever starts us may have closed, ignored, limited or taken away: a report is whole or its absence an error, a
# command keeps its exit code and signals, and no process stays behind.
# shellcheck disable=SC2317 # verdict and exits call functions
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report record=$PWD/${BUILD:-build}/rwalker-record trace=$PWD/samples/cpu_paths/trace.rwk
[[ -x $report ]] || { echo "not ok inherited - '$report' is not built"; exit 1; }
scratch=$(mktemp -d)
: >"$scratch/left"
trap 'rm -rf "$scratch"' EXIT

# alone COMMAND...: in a session of its own, whose number is in $scratch/session. Its exit code.
# shellcheck disable=SC2016 # sh expands it
alone() { setsid -w sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/session" "$@"; }

# Waits until nothing of that session is left; a zombie of which nobody has heard yet ends by itself.
left_behind() {
	local session tries=100
	session=$(cat "$scratch/session")
	while pgrep -s "$session" >"$scratch/left"; do
		((tries--)) || { ps -o pid,stat,time,args -s "$session"; return 1; }
		sleep 0.1
	done
}

# closed NAME CODE 'REDIRECTIONS' ARGUMENT...: a report with these redirections; $scratch/out is its stdout, if that is open.
closed() {
	local name=$1 code=$2 how=$3 got
	shift 3
	eval 'alone "$report" --no-cache --no-local-files "$@" >"$scratch/out" 2>"$scratch/err"' "$how"
	got=$?
	verdict "$name" "exit code $got, not $code: $(head -n 1 "$scratch/err")" [ "$got" = "$code" ]
	verdict "$name leaves nothing behind" "$(cat "$scratch/left")" left_behind
}

"$report" --no-cache --no-local-files --tree "$trace" >"$scratch/wanted" 2>/dev/null
verdict "a report" "it is empty" [ -s "$scratch/wanted" ]
for how in '<&-' '2>&-' '<&- 2>&-'; do
	closed "$how" 0 "$how" --tree "$trace"
	verdict "$how changes nothing" "the report differs" cmp -s "$scratch/out" "$scratch/wanted"
done
for how in '>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	closed "$how" 1 "$how" --tree "$trace"
	[[ $how = *2* ]] || verdict "$how is said" "$(cat "$scratch/err")" grep -q "cannot write the report to stdout: Bad file descriptor" "$scratch/err"
	closed "$how, to a file" 0 "$how" --html -o "$scratch/page.html" --force "$trace"
	verdict "$how, to a file: it is whole" "$(tail -c 20 "$scratch/page.html")" grep -q '</html>' "$scratch/page.html"
done
closed "a full disk" 1 '>/dev/full' --tree "$trace"
verdict "a full disk is said" "$(cat "$scratch/err")" grep -q "cannot write the report to stdout: No space left" "$scratch/err"
for word in --html --svg '--export pprof'; do
	# shellcheck disable=SC2016,SC2086 # sh expands it; two words
	exits "$word with a limit of file size" 1 sh -c 'ulimit -f 1; exec "$@"' sh "$report" --no-cache --no-local-files $word \
		-o "$scratch/limited" --force "$trace"
	verdict "$word: the limit is said" "$(cat "$scratch/err")" grep -q "File too large" "$scratch/err"
done

if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016
	exits "without /dev" 0 unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh "$report" --no-cache --no-local-files --tree "$trace"
	verdict "without /dev nothing changes" "the report differs" cmp -s "$scratch/out" "$scratch/wanted"
else
	skip_one "without /dev" "this user may make no mount namespace"
fi

# The recorder: the command's exit code and its signals. It runs only where BPF does.
recorded() { "$record" --force -i 10 -a -o "$scratch/trace.rwk" -- "$@"; }
if ! recorded true 2>"$scratch/err"; then
	skip_one "the recorder" "it records nothing here: $(head -n 1 "$scratch/err")"
	exit $((failures > 0))
fi
exits "children are ignored" 7 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$record" --force -i 10 -a -o "$scratch/trace.rwk" -- sh -c 'exit 7'
# What else whoever starts this test ignores, both have.
ignored() { (for each; do trap '' "$each"; done; recorded grep SigIgn /proc/self/status 2>/dev/null); }
directly() { (for each; do trap '' "$each"; done; grep SigIgn /proc/self/status); }
verdict "what was ignored stays ignored" "$(ignored USR1 PIPE)" [ "$(ignored USR1 PIPE)" = "$(directly USR1 PIPE)" ]
verdict "what was not is not" "$(ignored)" [ "$(ignored)" = "$(directly)" ]
verdict "they differ" "$(ignored)" [ "$(ignored)" != "$(ignored USR1 PIPE)" ]
for how in '<&-' '>&-' '<&- >&- 2>&-'; do
	eval 'alone "$record" --force -p 0.1 -u -o "$scratch/trace.rwk" 2>"$scratch/err"' "$how"
	verdict "the recorder, $how" "exit code $?" [ $? = 0 ]
	verdict "the recorder, $how, leaves nothing behind" "$(cat "$scratch/left")" left_behind
	exits "the recorder, $how: a trace" 0 "$report" --info "$scratch/trace.rwk"
done
exits "a trace to a closed stdout" 1 sh -c 'exec "$0" -p 0.1 -o - >&-' "$record"
verdict "a trace to a closed stdout: it is said" "$(cat "$scratch/err")" grep -q "cannot write to '-': Bad file descriptor" "$scratch/err"
exits "few descriptors, little memory" 0 sh -c 'ulimit -n 64; ulimit -v 400000; exec "$0" -p 0.1 -u --force -o "$1"' "$record" "$scratch/trace.rwk"
exit $((failures > 0))
