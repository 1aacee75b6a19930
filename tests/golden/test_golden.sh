#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every sample trace with the options in its report.cmd gives its report.txt, byte for byte, with names from the trace
# alone: no file of this machine is looked at. To accept new reports: tests/golden/test_golden.sh --accept
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
unset NO_COLOR RWALKER_PAGER PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok golden - '$report' is not built"; exit 1; }
accept=${1-}
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT

# The report on stdout and its exit code. Run in the sample's folder, so that no path of this machine gets into it.
render()
{
	local -a words

	read -r -a words <"$1/report.cmd" || [[ ${words[*]} ]] || return 1
	(cd "$1" && "$report" --symfs "$nowhere" --debug-dir "$nowhere" "${words[@]}" trace.rwk)
}

failed=0 count=0
for folder in samples/*/; do
	folder=${folder%/}
	[[ -f $folder/trace.rwk ]] || continue
	count=$((count + 1))
	render "$folder" >"$nowhere/report" 2>"$nowhere/errors"
	code=$?
	if ((code != 0 && code != 3)); then
		echo "not ok $folder - exit code $code: $(head -n 1 "$nowhere/errors")"
		failed=1
	elif [[ $accept == --accept ]]; then
		cp "$nowhere/report" "$folder/report.txt"
		echo "ok $folder (accepted)"
	elif cmp -s "$nowhere/report" "$folder/report.txt"; then
		echo "ok $folder"
	else
		diff -u "$folder/report.txt" "$nowhere/report" | head -n 40
		echo "not ok $folder - the report differs from report.txt"
		failed=1
	fi
	size=$(stat -c %s "$folder/trace.rwk")
	((size < 300000)) || { echo "not ok $folder - its trace has $size bytes, the limit is 300000"; failed=1; }
done
((count)) || { echo "not ok golden - there is no sample trace"; exit 1; }
exit $failed
