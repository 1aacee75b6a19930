#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# test_terminal.sh [--accept]: digest, tree and functions as a terminal of 80 columns shows them, byte for byte
# (terminal.txt). On any, no line is longer than the terminal is wide, and the digest of no sample has more than 25 lines;
# colours change nothing else, NO_COLOR switches them off, and a pipe gets each line in one piece. CHECK_LEVEL=check: the
# digests of every third sample.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8 TERM=xterm RWALKER_PAGER=
export LC_ALL TERM RWALKER_PAGER
unset NO_COLOR PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok terminal - '$report' is not built"; exit 1; }
text=tests/golden/terminal.txt
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT

# screen COLUMNS OPTION... TRACE: the output on a terminal with that many columns that does not change line ends.
screen()
{
	# shellcheck disable=SC2016 # sh expands it
	on_terminal sh -c 'stty cols "$1" rows 50 -opost && shift && exec "$@" 2>/dev/null' sh "$1" "$report" --no-cache -q \
		--symfs "$nowhere" --debug-dir "$nowhere" "${@:2}"
}

bare() { sed 's/\x1b\[[0-9;]*m//g' "$1"; }

narrow_enough() { (($(wc -L <"$2") <= $1)); }

# in_a_pipe NAME OPTION... TRACE: the words of a wide terminal, each line in one piece.
in_a_pipe()
{
	NO_COLOR=1 screen 5000 "${@:2}" >"$nowhere/wide"
	"$report" --no-cache -q --symfs "$nowhere" --debug-dir "$nowhere" "${@:2}" 2>/dev/null | cat >"$nowhere/pipe"
	verdict "$1 in a pipe" "it is not that of a wide terminal" cmp -s "$nowhere/wide" "$nowhere/pipe"
}

judge()
{
	local view=$1 columns

	shift
	for columns in 80 120 200; do
		NO_COLOR=1 screen "$columns" "$@" >"$nowhere/plain"
		((columns != 80)) || { echo "=== $view ==="; cat "$nowhere/plain"; } >>"$nowhere/all"
		verdict "$view fits into $columns columns" "a line is longer" narrow_enough "$columns" "$nowhere/plain"
		verdict "$view without colours" "NO_COLOR leaves some" lacks $'\x1b' "$nowhere/plain"
		screen "$columns" "$@" >"$nowhere/coloured"
		verdict "$view with colours" "they change the text" cmp -s "$nowhere/plain" <(bare "$nowhere/coloured")
	done
	in_a_pipe "$view" "$@"
}

judge_digest()
{
	local columns

	for columns in 80 120 200; do
		NO_COLOR=1 screen "$columns" --digest "$1" >"$nowhere/plain"
		verdict "digest of $1 on $columns columns" "$(wc -lL <"$nowhere/plain") lines and columns" \
			eval "narrow_enough $columns '$nowhere/plain' && (($(wc -l <"$nowhere/plain") <= 25))"
	done
	in_a_pipe "digest of $1" --digest "$1"
}

judge digest --digest samples/waits/trace.rwk
judge tree --tree -c miller --min-percent 10 samples/waits/trace.rwk
judge functions --functions --min-percent 5 samples/mangled/trace.rwk
screen 80 --tree samples/cpu_paths/trace.rwk >"$nowhere/tree"
verdict "the tree has colours" "it has none" grep -q $'\x1b' "$nowhere/tree"
[[ ${1-} != --accept ]] || cp "$nowhere/all" "$text"
diff -u "$text" "$nowhere/all" | head -n 20
verdict "views on 80 columns" "they differ from $text" cmp -s "$text" "$nowhere/all"
for trace in $(some_samples 0); do judge_digest "$trace"; done
exit $((failures > 0))
