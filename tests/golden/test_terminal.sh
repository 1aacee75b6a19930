#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# test_terminal.sh [--accept]: digest, tree and functions as terminals of 80, 120 and 200 columns show them, byte for
# byte (terminal/VIEW.txt): no line is longer than the terminal is wide; colours change nothing else, NO_COLOR
# switches them off, and a pipe gets each line in one piece.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8 TERM=xterm RWALKER_PAGER=
export LC_ALL TERM RWALKER_PAGER
unset NO_COLOR PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok terminal - '$report' is not built"; exit 1; }
texts=tests/golden/terminal
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT
failed=0

# verdict NAME WHY COMMAND...
verdict()
{
	local name=$1 why=$2

	shift 2
	if "$@"; then
		echo "ok terminal $name"
	else
		echo "not ok terminal $name - $why"
		failed=1
	fi
}

# screen COLUMNS OPTION... TRACE: the output on a terminal with that many columns that does not change line ends.
screen()
{
	# shellcheck disable=SC2016 # sh expands it
	on_terminal sh -c 'stty cols "$1" rows 50 -opost && shift && exec "$@" 2>/dev/null' sh "$1" "$report" --no-cache -q \
		--symfs "$nowhere" --debug-dir "$nowhere" "${@:2}"
}

bare() { sed 's/\x1b\[[0-9;]*m//g' "$1"; }

narrow_enough() { (($(wc -L <"$2") <= $1)); }

judge()
{
	local view=$1 columns golden=$texts/$1.txt

	shift
	: >"$nowhere/widths"
	for columns in 80 120 200; do
		NO_COLOR=1 screen "$columns" "$@" >"$nowhere/plain"
		{ echo "=== $columns columns ==="; cat "$nowhere/plain"; } >>"$nowhere/widths"
		verdict "$view fits into $columns columns" "a line is longer" narrow_enough "$columns" "$nowhere/plain"
		verdict "$view without colours" "NO_COLOR leaves some" lacks $'\x1b' "$nowhere/plain"
		screen "$columns" "$@" >"$nowhere/coloured"
		verdict "$view with colours" "they change the text" cmp -s "$nowhere/plain" <(bare "$nowhere/coloured")
	done
	[[ $accept != --accept ]] || cp "$nowhere/widths" "$golden"
	diff -u "$golden" "$nowhere/widths" | head -n 20
	verdict "$view" "it differs from $golden" cmp -s "$golden" "$nowhere/widths"
	NO_COLOR=1 screen 5000 "$@" >"$nowhere/wide"
	"$report" --no-cache -q --symfs "$nowhere" --debug-dir "$nowhere" "$@" 2>/dev/null | cat >"$nowhere/pipe"
	verdict "$view in a pipe" "it is not that of a wide terminal" cmp -s "$nowhere/wide" "$nowhere/pipe"
}

accept=${1-}
judge digest --digest samples/waits/trace.rwk
judge tree --tree -c miller --min-percent 10 samples/waits/trace.rwk
judge functions --functions --min-percent 5 samples/mangled/trace.rwk
screen 80 --tree samples/cpu_paths/trace.rwk >"$nowhere/tree"
verdict "the tree has colours" "it has none" grep -q $'\x1b' "$nowhere/tree"
exit $failed
