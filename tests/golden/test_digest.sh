#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The figures of the samples' digests, recomputed by a script; and the digest's width: on a terminal it folds lines at
# the terminal's width and has at most 25 lines; in a pipe it does not fold. CHECK_LEVEL=check: the width of every
# third sample.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8
export LC_ALL
unset NO_COLOR PAGER
export RWALKER_PAGER=

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok digest - '$report' is not built"; exit 1; }
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT
failed=0

# screen WIDTH TRACE: the digest on a terminal with WIDTH columns that does not change line ends.
screen()
{
	# shellcheck disable=SC2016 # sh expands it
	on_terminal sh -c 'stty cols "$1" rows 50 -opost && shift && exec "$@" 2>/dev/null' sh "$1" "$report" --no-cache \
		--symfs "$nowhere" --debug-dir "$nowhere" --digest "$2"
}

judge_width()
{
	local lines longest

	screen "$1" "$2" >"$nowhere/screen" || { echo "not ok digest $2 - it failed on a terminal"; return 1; }
	lines=$(wc -l <"$nowhere/screen")
	longest=$(wc -L <"$nowhere/screen")
	if ((lines > 25 || longest > $1)); then
		echo "not ok digest $2 - $lines lines of up to $longest columns on a terminal of $1"
		return 1
	fi
	echo "ok digest $2 on $1 columns"
}

python3 tests/golden/digest_check.py "$report" "$nowhere" samples/*/trace.rwk || failed=1
for trace in $(some_samples 0); do
	for width in 80 120 200; do
		judge_width "$width" "$trace" || failed=1
	done
	# A pipe has the words of a wide terminal, each line in one piece.
	screen 2000 "$trace" >"$nowhere/wide"
	"$report" --no-cache --symfs "$nowhere" --debug-dir "$nowhere" --digest "$trace" | cat >"$nowhere/pipe"
	if cmp -s "$nowhere/wide" "$nowhere/pipe"; then
		echo "ok digest $trace in a pipe"
	else
		echo "not ok digest $trace - in a pipe it differs from that on a wide terminal"
		failed=1
	fi
done
exit $failed
