#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# rwalker-report as a command: exit codes, streams, terminals, full disks, readers that exit early, damaged and
# hostile files.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export TERM=xterm
unset NO_COLOR RWALKER_PAGER PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok cli - '$report' is not built"; exit 1; }
trace=$PWD/samples/cpu_paths/trace.rwk
[[ -f $trace ]] || { echo "not ok cli - there is no sample trace"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# reports NAME CODE ARGUMENT...: exits() of the reporter.
reports() { exits "$1" "$2" "$report" "${@:3}"; }

# said NAME [OPTION...] PATTERN FILE: ok if grep, with these options, finds something.
said() { verdict "$1" "nothing matches in '${*: -1}': $(head -n 1 "${*: -1}" | cat -v)" grep -q "${@:2}"; }

# same NAME FILE FILE
same() { verdict "$1" "$(cmp "$2" "$3" 2>&1 | head -n 1)" cmp -s "$2" "$3"; }

# at_terminal NAME [VARIABLE=VALUE...] ARGUMENT...: the reporter exits with 0 on a terminal of its own, which receives $scratch/out.
at_terminal() { exits "$1" 0 on_terminal "${@:2}"; }

test_exit_codes()
{
	local word
	reports "help" 0 --help
	verdict "help goes to stdout" "stderr: $(head -n 1 "$scratch/err")" [ -s "$scratch/out" -a ! -s "$scratch/err" ]
	reports "version" 0 --version
	said "version names its libraries" 'lz4 [0-9]' "$scratch/out"
	reports "completion" 0 --completion
	verdict "completion is a script" "bash cannot parse it" bash -n "$scratch/out"
	reports "no trace" 2
	reports "unknown option" 2 --fold "$trace"
	said "the nearest option is named" -F -e '--folded' "$scratch/err"
	reports "a recorder's letter" 2 -p 5 "$trace"
	said "its program is named" 'rwalker-record' "$scratch/err"
	reports "no such file" 1 "$scratch/nothing"
	said "the file is named" -F "$scratch/nothing" "$scratch/err"
	echo 'not a trace at all' >"$scratch/other"
	for word in --tree --info --needs --dump; do
		reports "another file, $word" 1 $word "$scratch/other"
		said "another file, $word: it is named" -F "$scratch/other" "$scratch/err"
	done
	# The file header of a trace before version 1.0.
	printf '%b' \
		'\x89\x52\x57\x4b\x0d\x0a\x1a\x0a\x01\x00\x01\x00\x40\x00\x00\x00' \
		'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' \
		'\x27\x7d\x75\x80\xd7\x97\x4d\x9d\x12\xba\x62\x42\x49\x2d\x76\x39' \
		'\x23\x26\xbd\xd9\x2c\x6d\xea\x18\x00\x00\x40\x00\xca\x32\x1b\x71' \
		>"$scratch/early.rwk"
	reports "a pre-release trace" 1 "$scratch/early.rwk"
	verdict "a pre-release trace is refused in one line" "$(head -n 2 "$scratch/err")" \
		[ "$(cat "$scratch/err")" = "rwalker-report: error: '$scratch/early.rwk' is of a pre-release version of rwalker; record again" ]
	reports "an empty file" 1 /dev/null
	said "an empty file is named" -F /dev/null "$scratch/err"
	reports "a folder" 1 "$scratch"
	said "a folder is named" -F "$scratch" "$scratch/err"
}

# The file of an export has the same bytes as stdout, is complete or does not exist, and is replaced only on request.
test_file_of_export()
{
	local made=$scratch/made link=$scratch/link
	"$report" --export perf-script "$trace" >"$scratch/expected" 2>/dev/null
	reports "export into a file" 0 --export perf-script -o "$made" "$trace"
	same "a file of an export has what stdout gets" "$made" "$scratch/expected"
	reports "an existing file" 1 --export perf-script -o "$made" "$trace"
	said "an existing file: the way out" -F -e --force "$scratch/err"
	echo old >"$made"
	reports "a file to be replaced, another trace that cannot be read" 1 --export perf-script --force -o "$made" "$scratch/nothing"
	verdict "the old file stays if there is no new one" "$(head -c 40 "$made")" [ "$(<"$made")" = old ]
	reports "a file to be replaced" 0 --export perf-script --force -o "$made" "$trace"
	same "a replaced file is the new one" "$made" "$scratch/expected"
	cp "$trace" "$scratch/t.rwk"
	reports "the trace itself as the output" 2 --export perf-script --force -o "$scratch/t.rwk" "$scratch/t.rwk"
	same "a trace is not replaced while it is read" "$trace" "$scratch/t.rwk"
	ln -s "$made" "$link"
	reports "a link as the output" 1 --export perf-script --force -o "$link" "$trace"
	reports "a folder as the output" 1 --export perf-script --force -o "$scratch" "$trace"
	verdict "nothing is left behind" "$(ls -A "$scratch")" [ -z "$(find "$scratch" -name '*.part')" ]
}

test_streams()
{
	local word
	reports "a file" 0 --tree "$trace"
	cp "$scratch/out" "$scratch/file"
	exits "stdin" 0 "$report" --tree - <"$trace"
	same "stdin gives the same" "$scratch/out" "$scratch/file"
	exits "a pipe" 0 "$report" --tree - < <(cat "$trace")
	same "a pipe gives the same" "$scratch/out" "$scratch/file"
	reports "twice" 0 --tree "$trace"
	same "twice gives the same" "$scratch/out" "$scratch/file"
	"$report" --dump "$trace" 2>"$scratch/err" | head -n 1 >/dev/null
	set -- "${PIPESTATUS[0]}"
	# The dump is longer than a pipe can hold: SIGPIPE ends it.
	verdict "a reader that goes away: no word" "exit code $1: $(head -n 1 "$scratch/err")" [ "$1" = 141 -a ! -s "$scratch/err" ]
	for word in --tree --help --dump; do
		exits "a full disk, $word" 1 to_full "$word" "$trace"
		said "a full disk, $word: it is said" 'cannot write' "$scratch/err"
	done
}

# shellcheck disable=SC2317 # exits() calls it
to_full() { "$report" "$@" >/dev/full; }

test_terminal()
{
	local colour=$'\033\\[[0-9]'
	command -v python3 >/dev/null || { skip_one terminal "'python3' is not installed"; return; }
	at_terminal "a pager on a terminal" env RWALKER_PAGER="sed s/^/paged:/" "$report" --folded "$trace"
	said "the pager is used" '^paged:' "$scratch/out"
	at_terminal "a pager that is left at once is no failure" env RWALKER_PAGER="false" "$report" --folded "$trace"
	at_terminal "--no-pager" env RWALKER_PAGER="sed s/^/paged:/" "$report" --no-pager --tree "$trace"
	verdict "--no-pager uses none" "it does" lacks '^paged:' "$scratch/out"
	said "colour on a terminal" "$colour" "$scratch/out"
	at_terminal "NO_COLOR" env NO_COLOR=1 "$report" --no-pager --tree "$trace"
	verdict "NO_COLOR has no colour" "it has" lacks "$colour" "$scratch/out"
	reports "a pipe" 0 --tree "$trace"
	verdict "no colour in a pipe" "there is" lacks $'\033' "$scratch/out"
	reports "--color in a pipe" 0 --color --tree "$trace"
	said "there is colour" "$colour" "$scratch/out"
}

test_damage()
{
	local size word
	size=$(stat -c %s "$trace")
	cp "$trace" "$scratch/hurt.rwk"
	printf '\377\377\377\377' | dd of="$scratch/hurt.rwk" bs=1 seek=$((size / 2)) conv=notrunc status=none
	for word in --info --dump --needs --tree; do
		reports "a damaged trace, $word" 3 $word "$scratch/hurt.rwk"
	done
	said "the damage is told" -iE '^# .*(damage|missing)' "$scratch/out"
	head -c $((size / 2)) "$trace" >"$scratch/cut.rwk"
	reports "half a trace" 3 --tree "$scratch/cut.rwk"
	said "half a trace: it is said" '^# .*has no end.*what is missing is unknown' "$scratch/out"
}

test_limits()
{
	reports "no memory" 1 --max-memory 3M --tree "$trace"
	said "and it is said" -iE 'memory|allocate' "$scratch/err"
	reports "limits can be raised" 0 --max-memory 0 --max-seconds 0 "$trace"
}

test_exit_codes
test_streams
test_file_of_export
test_terminal
test_damage
test_limits
exit $((failures > 0))
