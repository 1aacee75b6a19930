#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Long operations of the reporter: a progress line on a terminal and never in a pipe; Ctrl-C in the middle gives what
# is known so far, with a note that it is incomplete; it leaves no process, no partial file and nothing wrong in the
# cache; and a complete report does not depend on how many modules are read at once. Operations that must take long
# are kept stopped most of the time until the line is shown (on_terminal.py --slowly), or delayed by a library in
# front of libdw.
. "$(dirname "$0")/lib.sh"

need_tool python3

on_terminal() { python3 "$here/tests/live/on_terminal.py" "$@"; }

# pressed [OPTION] NAME ENDING PATTERN COMMAND...: stdout to NAME.out, the terminal to NAME.screen.
pressed() {
	local option=
	case $1 in --*) option=$1; shift ;; esac
	local name=$1 ending=$2 pattern=$3
	shift 3
	check_equal "$name: how it ends" "$ending, pressed, 0, left" \
		"$(on_terminal $option "$scratch/$name.out" "$scratch/$name.screen" "$pattern" "$@")"
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

pressed --slowly reading 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk
said reading 'warning: stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read'
clean reading
check 'reading: so does the account' grep -qE '^# stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read(;|$)' reading.out
check 'reading: there is a tree' grep -q '^>>> .*crunch' reading.out
check 'reading: one line, written again' grep -qE $'\r\033\[K(reading|unwinding) ' reading.screen

# With --folded, the account goes to stderr and the output can be counted: less than everything, more than nothing.
"$report" --no-cache -q --folded long.rwk >whole.out 2>whole.err
check_equal 'in no terminal: exit code' 0 $?
check 'in no terminal: no progress' lacks -E "(reading|unwinding) "$'long|\r' whole.err
pressed --slowly part 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --folded long.rwk
check_number 'a part of the samples' "0 < $(folded_sum part.out) && $(folded_sum part.out) < $(folded_sum whole.out)"
check_equal 'undisturbed: how it ends' 'exit 0, not pressed, 0, left' \
	"$(on_terminal --slowly --look undisturbed.out undisturbed.screen '(reading|unwinding) long.rwk: [0-9]+%' "$report" --no-cache -q --folded long.rwk)"
check 'undisturbed: the same bytes' cmp whole.out undisturbed.out
check 'undisturbed: there was progress' grep -qE '(reading|unwinding) long.rwk: [0-9]+%' undisturbed.screen
clean undisturbed

pressed --slowly unwinding 'exit 3' 'unwinding snapshots.rwk: [1-9][0-9]*%' "$report" --no-cache -q --source cpu --stacks snapshots.rwk
clean unwinding

# The pager starts only when there is something to read, so an earlier Ctrl-C does not end it. Of root's, it is another
# user's.
chmod 711 . && mkdir -m 1777 pages
check_equal 'pager: how it ends' 'exit 3, pressed, 0, left' \
	"$(RWALKER_PAGER='cat >pages/paged' on_terminal --slowly - pager.screen '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk)"
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
pressed pipe 'exit 0' go bash pipe.bash "$report" "$here/samples/cpu_paths/trace.rwk"
"$report" --no-cache -q --folded "$here/samples/cpu_paths/trace.rwk" >one.out 2>/dev/null
check 'pipe: the whole report' cmp one.out pipe.out

# --- writing: no partial file ------------------------------------------------------------------------------------------------

pressed --slowly condense 'exit 1' 'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o condensed.rwk
said condense "stopped by Ctrl-C: 'condensed.rwk' is not written"
clean condense
check 'condense: no file' test ! -e condensed.rwk

if grep -q ' /proc ' /proc/mounts && python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null; then
	check_equal 'killed: in the middle' 'signal 9, pressed, 0, left' "$(on_terminal --slowly --kill killed.out killed.screen \
		'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o killed.rwk)"
	check 'killed: no file' test ! -e killed.rwk
fi

check_equal 'no temporary file is left' '' "$(ls -A tmp)"
finish
