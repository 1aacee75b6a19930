#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every sample trace with the options in each of its NAME.cmd gives its NAME.txt, byte for byte, with names from the trace
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

# The report on stdout and its exit code: FOLDER NAME. Run in the sample's folder, so that no path of this machine gets into it.
render()
{
	local -a words

	read -r -a words <"$1/$2.cmd" || [[ ${words[*]} ]] || return 1
	(cd "$1" && "$report" --symfs "$nowhere" --debug-dir "$nowhere" "${words[@]}" trace.rwk)
}

# One report of a sample: FOLDER NAME.
judge()
{
	local code folder=$1 name=$2

	render "$folder" "$name" >"$nowhere/report" 2>"$nowhere/errors"
	code=$?
	if ((code != 0 && code != 3)); then
		echo "not ok $folder $name - exit code $code: $(head -n 1 "$nowhere/errors")"
		return 1
	elif [[ $accept == --accept ]]; then
		cp "$nowhere/report" "$folder/$name.txt"
		echo "ok $folder $name (accepted)"
	elif cmp -s "$nowhere/report" "$folder/$name.txt"; then
		echo "ok $folder $name"
	else
		diff -u "$folder/$name.txt" "$nowhere/report" | head -n 40
		echo "not ok $folder $name - the report differs from $name.txt"
		return 1
	fi
}

failed=0 count=0
for folder in samples/*/; do
	folder=${folder%/}
	[[ -f $folder/trace.rwk ]] || continue
	count=$((count + 1))
	for command in "$folder"/*.cmd; do
		name=${command##*/}
		judge "$folder" "${name%.cmd}" || failed=1
	done
	size=$(stat -c %s "$folder/trace.rwk")
	((size < 300000)) || { echo "not ok $folder - its trace has $size bytes, the limit is 300000"; failed=1; }
done
((count)) || { echo "not ok golden - there is no sample trace"; exit 1; }
exit $failed
