#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --diff of pairs of samples has the figures that a script computes from --export perf-script of both; a change with a
# known cause (samples/release_1 and release_2) is in the first lines, and a trace does not differ from itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok diff - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip diff - 'python3' is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# print OPTION... TRACE: a report with names from the traces alone and nothing left out.
print()
{
	"$report" --symfs "$dir/nowhere" --debug-dir "$dir/nowhere" --no-cache --throughout "$@" 2>>"$dir/said"
}

# side TRACE KIND NAME: prints SCRIPT,START,STOP of the source.
side()
{
	local -A kinds=([cpu]=1 [offcpu]=2)

	print --export perf-script --source "$2" "$1" >"$dir/$3"
	print --dump "$1" | sed -n "s/^  source id=[0-9]* kind=${kinds[$2]} .* start=\([0-9]*\) stop=\([0-9]*\) .*/\1,\2/p" |
		tail -n 1 | sed "s|^|$dir/$3,|"
}

# same BEFORE AFTER KIND OPTION...
same()
{
	local why name="$1 $2 $3"
	local -a sides=("$(side "samples/$1/trace.rwk" "$3" before)" "$(side "samples/$2/trace.rwk" "$3" after)")

	print --diff --min-percent 0 "${@:4}" --base "samples/$1/trace.rwk" "samples/$2/trace.rwk" >"$dir/diff"
	if why=$(python3 -B tests/golden/diff_check.py "$dir/diff" "$3" "${sides[@]}" 2>&1); then
		ok "$name ($why)"
	else
		not_ok "$name" "$(tail -n 5 <<<"$why" | tr '\n' ' ')"
	fi
}

# first NAME TITLE PATTERN: the first line of the table matches.
first()
{
	local line
	line=$(awk -v title="$2" 'index($0, "# " title) == 1 { found = 1 } found && /^ / { print; exit }' "$dir/release")
	verdict "$1" "$line" grep -qE "$3" <<<"$line"
}

# The second release does something that the first does not.
known_cause()
{
	local whole
	print --diff --base samples/release_1/trace.rwk samples/release_2/trace.rwk >"$dir/release"
	first cpu_self 'functions by themselves' '\+[0-9.]+ +[0-9.]+  parse$'
	whole=$(grep -A 2 -E '^ .*\+.* desk blocked in futex' "$dir/release" | head -n 3)
	verdict held_by_archive "$whole" grep -q 'woken by archive .*, which was blocked in hrtimer_nanosleep' <<<"$whole"
	verdict sum_up_is_the_same "$(grep sum_up "$dir/release")" lacks ' sum_up$' "$dir/release"
}

# A trace that is compared with itself has no changes.
itself()
{
	local sample changed=
	for sample in samples/*/; do
		print --diff --min-percent 0 --base "${sample}trace.rwk" "${sample}trace.rwk" >"$dir/diff"
		changed+=$(grep -E '^ ' "$dir/diff" | grep -v '+0\.00')
	done
	verdict itself "$changed" [ -z "$changed" ]
}

# The checker finds a wrong figure.
finds_mistakes()
{
	local -a sides=("$(side samples/release_1/trace.rwk cpu before)" "$(side samples/release_2/trace.rwk cpu after)")
	print --diff --min-percent 0 --base samples/release_1/trace.rwk samples/release_2/trace.rwk |
		awk '!changed && /  parse$/ { $2 += 7; changed = 1; $0 = "   " $1 "   " $2 "   " $3 "   " $4 "  " $5 } { print }' >"$dir/diff"
	if python3 -B tests/golden/diff_check.py "$dir/diff" cpu "${sides[@]}" >/dev/null 2>&1; then
		not_ok "finds a wrong figure" "the script is content"
	else
		ok "finds a wrong figure"
	fi
}

same release_1 release_2 cpu
same release_1 release_2 offcpu
same release_2 release_1 offcpu
same cpu_paths release_1 cpu
same waits release_2 offcpu
known_cause
itself
finds_mistakes
exit $((failures > 0))
