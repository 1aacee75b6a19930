#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A trace with very many records of one kind, for each kind (many_records.py): reports and tools stay within their
# limits of memory and CPU time; a report is complete, or ends with 1 and says that --max-memory was reached.
# CHECK_LEVEL=long: 5 million of each with the usual limits, through a report, --info and --condense, and prints what
# they used.
# time-limit: 7200
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
unset NO_COLOR RWALKER_PAGER PAGER RWALKER_CACHE

build=${BUILD:-build}
report=$build/rwalker-report make_trace=$build/tests/make_trace many=tests/fault/many_records.py
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok many_records - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=50000 memory=40 seconds=60 tools=('')
if [[ ${CHECK_LEVEL:-check} == long ]]; then
	count=5000000 memory=2048 seconds=600
	tools=('' --info "--condense --partial -o $scratch/made")
fi
short=0

# judge CODE MB MS: what is wrong, if anything.
judge()
{
	local out='not enough memory.*--max-memory raises the limit'
	[[ $1 == [013] ]] || echo "exit code $1: $(tail -n 1 "$scratch/err")"
	[[ $1 != 1 ]] || grep -qE "$out" "$scratch/err" || echo "exit code 1, and it does not say why: $(tail -n 1 "$scratch/err")"
	[[ $1 == 1 ]] || lacks -i 'not enough memory' "$scratch/err" || echo "exit code $1 without memory"
	(($2 <= memory && $3 <= seconds * 1000)) || echo "$2 MB, $3 ms"
}

look()
{
	local words code mb cpu wrong
	read -r -a words <<<"$2"
	rm -f "$scratch/made"
	costing "$scratch/cost" "$report" --no-cache --no-local-files --max-memory "${memory}M" "${words[@]}" "$scratch/t.rwk" >/dev/null 2>"$scratch/err"
	code=$?
	read -r cpu mb <"$scratch/cost"
	wrong=$(judge "$code" "$mb" "$cpu" | paste -sd' ')
	verdict "$1${words[0]:+ ${words[0]}}" "$wrong" [ -z "$wrong" ]
	[[ $code != 1 ]] || ((short++))
	echo "# $1 ${words[0]-}: exit code $code, $mb MB, $cpu ms of CPU time"
}

while read -r kind; do
	python3 $many "$kind" $count | "$make_trace" /dev/stdin "$scratch/t.rwk" || not_ok "$kind" "cannot be made"
	for tool in "${tools[@]}"; do look "$kind" "$tool"; done
done < <(python3 $many --kinds)
verdict limit_is_reached "by $short reports" [ $short -ge 3 ]
exit $((failures > 0))
