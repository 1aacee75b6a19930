#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Long operations of the reporter: a progress line on a terminal and never in a pipe; Ctrl-C in the middle gives what
# is known so far, with a note that it is incomplete; it leaves no process and no partial file.
. "$(dirname "$0")/lib.sh"

need_tool python3

# ended NAME HOW ENDING PATTERN COMMAND...: stdout to NAME.out, the terminal to NAME.screen.
ended() {
	check_equal "$1: how it ends" "$3, matched, 0 left" \
		"$(python3 -B "$here/tests/live/on_terminal.py" "$2" "${out-$scratch/$1.out}" "$scratch/$1.screen" "${@:4}")"
}

# said NAME ERE: the terminal shows a line that matches at the end.
said() { check "$1: says '$2'" grep -qE "$2" "$scratch/$1.screen.lines" || cat "$scratch/$1.screen.lines" >&2; }
# clean NAME: no progress line is left on the terminal.
clean() { check "$1: the line is gone" lacks -E '^(reading|unwinding|lines of|names|condensing) ' "$scratch/$1.screen.lines"; }

cd "$scratch" || exit 1
export HOME=$scratch/home TERM=xterm TMPDIR=$scratch/tmp
mkdir home tmp

# --- reading: a file that takes a while ---------------------------------------------------------------------------------------

many() { # TRACE COUNT
	local i files=()
	for ((i = 0; i < $2; i++)); do files+=("$here/samples/$1/trace.rwk"); done
	cat "${files[@]}"
}
many cpu_paths 800 >long.rwk
many frameless 400 >snapshots.rwk

ended reading press 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk
said reading 'warning: stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read'
clean reading
check 'reading: so does the account' grep -qE '^# stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read(;|$)' reading.out
check 'reading: there is a tree' grep -q '^>>> .*crunch' reading.out
check 'reading: one line, written again' grep -qE $'\r\033\[K(reading|unwinding) ' reading.screen

# With --folded, the account goes to stderr and the output can be counted: less than everything, more than nothing.
"$report" --no-cache -q --folded long.rwk >whole.out 2>whole.err
check_equal 'in no terminal: exit code' 0 $?
check 'in no terminal: no progress' lacks -E "(reading|unwinding) "$'long|\r' whole.err
ended part press 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --folded long.rwk
check_number 'a part of the samples' "0 < $(folded_sum part.out) && $(folded_sum part.out) < $(folded_sum whole.out)"
ended unwinding press 'exit 3' 'unwinding snapshots.rwk: [1-9][0-9]*%' "$report" --no-cache -q --source cpu --stacks snapshots.rwk
clean unwinding

# The pager starts only when there is something to read, so an earlier Ctrl-C does not end it. Of root's, it is another
# user's.
chmod 711 . && mkdir -m 1777 pages
out=- RWALKER_PAGER='cat >pages/paged' ended pager press 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk
check 'pager: has the report' grep -q '^# stopped by Ctrl-C' pages/paged

# If the input is a pipe, Ctrl-C ended the recording at its other end, and the report leaves out nothing.
cat >pipe.bash <<'END'
reads() { # the worker reads; it gets Ctrl-C as SIGUSR1
	local pid
	for pid in $(pgrep -s 0 -x rwalker-report); do
		grep -qE '^SigCgt:.*[2367abef]..$' "/proc/$pid/status" 2>/dev/null && return
	done
	return 1
}
recorder() { # ends the recording on Ctrl-C, once the reporter has begun to read
	ended=
	trap 'ended=1' INT
	until reads; do sleep 0.01; done
	echo go >&2
	while [ ! "$ended" ]; do sleep 0.01; done
	cat "$2"
}
trap : INT
recorder "$@" | "$1" --no-cache -q --folded -
END
ended pipe press 'exit 0' go bash pipe.bash "$report" "$here/samples/cpu_paths/trace.rwk"
"$report" --no-cache -q --folded "$here/samples/cpu_paths/trace.rwk" >one.out 2>/dev/null
check 'pipe: the whole report' cmp one.out pipe.out

# --- writing: no partial file ------------------------------------------------------------------------------------------------

ended condense press 'exit 1' 'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o condensed.rwk
said condense "stopped by Ctrl-C: 'condensed.rwk' is not written"
clean condense
check 'condense: no file' test ! -e condensed.rwk

if grep -q ' /proc ' /proc/mounts && python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null; then
	ended killed kill 'signal 9' 'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o killed.rwk
	check 'killed: no file' test ! -e killed.rwk
fi

check_equal 'no temporary file is left' '' "$(ls -A tmp)"
finish
