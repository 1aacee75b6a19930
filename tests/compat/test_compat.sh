#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1200
# Traces outlive the programs that wrote them. tests/compat/VERSION/ has traces that this version of the recorder
# wrote, and what this tree's reporter must print for them. The long level also tests the reverse: the reporter of
# VERSION, built from its commit (VERSION/commit), reads the samples of this tree with the same totals, or says what
# it does not know.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# build_old COMMIT FOLDER: builds the reporter of a commit in a folder.
build_old()
{
	rm -rf "$2"
	mkdir -p "$2"
	git archive "$1" | tar x -C "$2" && make -s -C "$2" BUILD=build report >"$2/log" 2>&1
}

# totals REPORTER TRACE: for each source, the sum that the reporter prints and its number of lines. No line for a
# source that the trace does not have.
totals()
{
	local kind

	for kind in cpu offcpu wakers tracepoint kfunc tasks; do
		"$1" --symfs /dev/null --debug-dir /dev/null --folded --source "$kind" "$2" 2>/dev/null |
			awk -v kind="$kind" '{ sum += $NF } END { if (NR) print kind, sum, NR }'
	done
}

# same_totals TOTALS TOTALS: each line is rounded down to microseconds, and better names make different lines.
same_totals()
{
	[[ $1 ]] && paste -d ' ' <(echo "$1") <(echo "$2") |
		awk '$1 != $4 || $2 - $5 > $6 || $5 - $2 > $3 { differs = 1 } END { exit differs }'
}

judge_totals()
{
	local old new

	old=$(totals "$1" "$2")
	new=$(totals "$build/rwalker-report" "$2")
	if same_totals "$old" "$new"; then
		echo "ok $version totals of $2"
	else
		echo "not ok $version totals of $2 - it has '${old//$'\n'/, }', this reporter '${new//$'\n'/, }'"
		failed=1
	fi
}

# judge_report OLD TRACE FILE.cmd: judges a report with the options in a sample's file. The samples lack nothing, so
# it ends with 0; with 3 only if it treats an unknown count as losses and says so, with 2 only if it lacks an option
# and says so.
judge_report()
{
	local code words expected=0

	read -r -a words <"$3"
	"$1" --symfs /dev/null --debug-dir /dev/null "${words[@]}" "$2" >"$dir/out" 2>"$dir/err"
	code=$?
	if grep -qE '^rwalker-report: error: .*option' "$dir/err"; then
		expected=2
	elif grep -q 'lost for a reason that this version does not know' "$dir/out" "$dir/err"; then
		expected=3
	fi
	if ((code == expected)) && [[ $expected == 2 || -s $dir/out ]]; then
		echo "ok $version $3"
	else
		echo "not ok $version $3 - exit code $code, not $expected: $(head -n 1 "$dir/err")"
		failed=1
	fi
}

judge_old()
{
	local commit old=$build/compat/$version trace command

	commit=$(<"tests/compat/$version/commit")
	git cat-file -e "$commit^{commit}" 2>/dev/null ||
		{ echo "skip $version reporter - commit $commit is not in this repository"; return; }
	build_old "$commit" "$old" || { echo "not ok $version reporter - it cannot be built, see '$old/log'"; failed=1; return; }
	for trace in samples/*/trace.rwk; do
		judge_totals "$old/build/rwalker-report" "$trace"
		for command in "${trace%/*}"/*.cmd; do
			judge_report "$old/build/rwalker-report" "$trace" "$command"
		done
	done
}

tests/golden/test_golden.sh tests/compat/*/*/ || failed=1
if [[ ${CHECK_LEVEL:-check} == long ]]; then
	for version in tests/compat/*/; do
		version=$(basename "$version")
		judge_old
	done
fi
exit $failed
