#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# test_golden.sh [--accept] [FOLDER...]: the trace of every FOLDER (default: all of samples/), with the options in
# each of its NAME.cmd, gives its NAME.txt, byte for byte, with names from the trace alone: no files of this machine
# are read. NAME.said, if present, has the exit code on its first line, unless that is 0, and then stderr. With
# --accept, new reports are accepted. No trace may contain the name of the machine on which it was recorded:
# samples/record.sh records elsewhere.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
unset NO_COLOR RWALKER_PAGER PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok golden - '$report' is not built"; exit 1; }
accept=
[[ ${1-} != --accept ]] || { accept=$1; shift; }
(($#)) || set -- samples/*/
nowhere=$(mktemp -d)
: >"$nowhere/nothing"
trap 'rm -rf "$nowhere"' EXIT

# render FOLDER NAME: the report on stdout, and its exit code. Runs in the sample's folder, so that no path of this
# machine gets into the report.
render()
{
	local -a words

	read -r -a words <"$1/$2.cmd" || [[ ${words[*]} ]] || return 1
	(cd "$1" && LC_ALL=C.UTF-8 "$report" --symfs "$nowhere" --debug-dir "$nowhere" "${words[@]}" trace.rwk)
}

# judge FOLDER NAME: judges one report of a sample.
judge()
{
	local code folder=$1 name=$2 said=$nowhere/nothing

	render "$folder" "$name" >"$nowhere/report" 2>"$nowhere/errors"
	code=$?
	sed -i '/^sandbox /d' "$nowhere/report" # depends on this machine
	((code == 0)) || sed -i "1i exit $code" "$nowhere/errors"
	((code == 0)) || [[ -s $nowhere/errors ]] || echo "exit $code" >"$nowhere/errors"
	[[ ! -e $folder/$name.said ]] || said=$folder/$name.said
	if [[ $accept == --accept ]]; then
		accept "$folder/$name"
		echo "ok $folder $name (accepted)"
	elif ! diff -u "$folder/$name.txt" "$nowhere/report" >"$nowhere/diff"; then
		head -n 40 "$nowhere/diff"
		echo "not ok $folder $name - the report differs from $name.txt"
		return 1
	elif ! diff -u "$said" "$nowhere/errors" >"$nowhere/diff"; then
		head -n 40 "$nowhere/diff"
		echo "not ok $folder $name - exit code or stderr differ from $name.said"
		return 1
	else
		echo "ok $folder $name"
	fi
}

accept()
{
	cp "$nowhere/report" "$1.txt"
	rm -f "$1.said"
	[[ ! -s $nowhere/errors ]] || cp "$nowhere/errors" "$1.said"
}

# The host and the files that a trace names, one per line.
names_of()
{
	"$report" --dump "$1" 2>/dev/null |
		sed -n 's/^  module .* path="\([^"]*\)" build_id=.*/\1/p; s/^  meta key="hostname" value="\(.*\)"$/host \1/p'
}

judge_names()
{
	local names foreign

	names=$(names_of "$1/trace.rwk" | sort -u)
	foreign=$(grep -vxE 'host (host|example)|/(src/rwalker|usr|bin)/.*|\[[a-z]+\]|\w+' <<<"$names" | tr '\n' ' ')
	if [[ ! $names || $foreign ]]; then
		echo "not ok $1 names - ${foreign:-none; samples/record.sh gives it some}"
		return 1
	fi
	echo "ok $1 names"
}

failed=0 count=0
for folder; do
	folder=${folder%/}
	[[ -f $folder/trace.rwk || -f $folder/trace.text ]] || continue
	count=$((count + 1))
	for command in "$folder"/*.cmd; do
		name=${command##*/}
		judge "$folder" "${name%.cmd}" || failed=1
	done
	judge_names "$folder" || failed=1
	size=$(stat -c %s "$folder/trace.rwk")
	((size < 300000)) || { echo "not ok $folder - its trace has $size bytes, the limit is 300000"; failed=1; }
done
((count)) || { echo "not ok golden - there is no trace"; exit 1; }
exit $failed
