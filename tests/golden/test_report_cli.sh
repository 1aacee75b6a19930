#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# rwalker-report as a command: exit codes, streams, terminals, full disks, readers that go away, damaged and
# hostile files; and the dump of every sample trace against the Python reader's.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL TERM=xterm
unset NO_COLOR RWALKER_PAGER PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok cli - '$report' is not built"; exit 1; }
traces=(samples/*/trace.rwk)
trace=$PWD/${traces[0]}
[[ -f $trace ]] || { echo "not ok cli - there is no sample trace"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# verdict NAME CODE: of the command before it.
verdict()
{
	if (($2)); then
		echo "not ok $1"
		sed 's/^/# /' "$dir/err" | head -n 5
		failed=1
	else
		echo "ok $1"
	fi
}

# exits NAME CODE ARGUMENT...
exits()
{
	local name=$1 want=$2 code
	shift 2
	"$report" "$@" >"$dir/out" 2>"$dir/err"
	code=$?
	((code == want)) || echo "# exit code $code, not $want"
	verdict "$name" $((code != want))
}

# A command on a terminal of its own; what the terminal got.
on_terminal()
{
	python3 -c '
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
	os.execvp(sys.argv[1], sys.argv[1:])
while True:
	try:
		data = os.read(fd, 65536)
	except OSError:
		break
	if not data:
		break
	sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@"
}

test_exit_codes()
{
	local word
	exits "help" 0 --help
	[[ -s $dir/out && ! -s $dir/err ]]
	verdict "help goes to stdout" $?
	exits "version" 0 --version
	grep -q 'lz4 [0-9]' "$dir/out"
	verdict "version names its libraries" $?
	exits "completion" 0 --completion
	bash -n "$dir/out"
	verdict "completion is a script" $?
	exits "no trace" 2
	exits "unknown option" 2 --fold "$trace"
	grep -q 'did you mean "--folded"' "$dir/err"
	verdict "the nearest option is named" $?
	exits "a recorder's letter" 2 -p 5 "$trace"
	grep -q 'rwalker-record' "$dir/err"
	verdict "its program is named" $?
	exits "no such file" 1 "$dir/nothing"
	grep -q "$dir/nothing" "$dir/err"
	verdict "the file is named" $?
	echo 'not a trace at all' >"$dir/other"
	for word in --tree --info --needs --dump; do
		exits "another file, $word" 1 $word "$dir/other"
	done
	exits "an empty file" 1 /dev/null
	exits "a folder" 1 "$dir"
}

test_streams()
{
	"$report" --tree "$trace" >"$dir/file"
	"$report" --tree - <"$trace" >"$dir/stdin"
	cmp "$dir/file" "$dir/stdin" 2>"$dir/err"
	verdict "stdin gives the same" $?
	cat "$trace" | "$report" --tree - | cmp - "$dir/file" 2>"$dir/err"
	verdict "a pipe gives the same" $?
	"$report" --tree "$trace" | cmp - "$dir/file" 2>"$dir/err"
	verdict "twice gives the same" $?
	"$report" --dump "$trace" 2>"$dir/err" | head -n 1 >/dev/null
	[[ ! -s $dir/err ]]
	verdict "a reader that goes away: no word" $?
	for word in --tree --help --dump; do
		"$report" $word "$trace" >/dev/full 2>"$dir/err"
		[[ $? -eq 1 ]] && grep -q 'cannot write' "$dir/err"
		verdict "a full disk, $word" $?
	done
}

test_terminal()
{
	command -v python3 >/dev/null || { echo "skip terminal - python3 is not installed"; return; }
	RWALKER_PAGER="sed s/^/paged:/" on_terminal "$report" --folded "$trace" 2>"$dir/err" | grep -q '^paged:'
	verdict "a pager on a terminal" $?
	RWALKER_PAGER="false" on_terminal "$report" --folded "$trace" >"$dir/out" 2>"$dir/err"
	verdict "a pager that is left at once is no failure" $?
	RWALKER_PAGER="sed s/^/paged:/" on_terminal "$report" --no-pager --tree "$trace" >"$dir/out" 2>"$dir/err"
	! grep -q '^paged:' "$dir/out"
	verdict "--no-pager" $?
	grep -q $'\033\[[0-9]' "$dir/out"
	verdict "colour on a terminal" $?
	NO_COLOR=1 on_terminal "$report" --no-pager --tree "$trace" 2>"$dir/err" | grep -q $'\033\[[0-9]*m'
	verdict "NO_COLOR" $((!$?))
	"$report" --tree "$trace" 2>"$dir/err" | grep -q $'\033'
	verdict "no colour in a pipe" $((!$?))
	"$report" --color --tree "$trace" 2>"$dir/err" | grep -q $'\033'
	verdict "--color in a pipe" $?
}

test_damage()
{
	local size
	size=$(stat -c %s "$trace")
	cp "$trace" "$dir/hurt.rwk"
	printf '\377\377\377\377' | dd of="$dir/hurt.rwk" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	for word in --tree --info --dump --needs; do
		exits "a damaged trace, $word" 3 $word "$dir/hurt.rwk"
	done
	"$report" --tree "$dir/hurt.rwk" 2>/dev/null | grep -qiE '^# .*(damage|missing)'
	verdict "the damage is told" $?
	head -c $((size / 2)) "$trace" >"$dir/cut.rwk"
	"$report" --tree "$dir/cut.rwk" >"$dir/out" 2>"$dir/err"
	[[ $? -eq 0 || $? -eq 3 ]] && grep -qiE '^# .*(unfinished|stopped)' "$dir/out"
	verdict "half a trace" $?
}

test_limits()
{
	exits "no memory" 1 --max-memory 3M --tree "$trace"
	[[ -s $dir/err ]]
	verdict "and it is said" $?
	exits "limits can be raised" "$("$report" "$trace" >/dev/null 2>&1; echo $?)" --max-memory 0 --max-seconds 0 "$trace"
}

test_dumps()
{
	command -v python3 >/dev/null || { echo "skip dump - python3 is not installed"; return; }
	for one in "${traces[@]}"; do
		"$report" --dump "$one" >"$dir/ours" 2>"$dir/err"
		python3 tests/rwk_dump.py "$one" >"$dir/theirs" 2>>"$dir/err"
		cmp "$dir/ours" "$dir/theirs" 2>>"$dir/err"
		verdict "dump of $one" $?
	done
	cat "${traces[@]}" >"$dir/all.rwk"
	"$report" --dump "$dir/all.rwk" | cmp - <(python3 tests/rwk_dump.py "$dir/all.rwk") 2>"$dir/err"
	verdict "dump of all of them in one file" $?
}

test_exit_codes
test_streams
test_terminal
test_damage
test_limits
test_dumps
exit $failed
