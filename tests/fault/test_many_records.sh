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

# measured COMMAND...: prints its exit code, the peak MB of its largest process, seconds of CPU time; its errors go to
# $scratch/err.
measured()
{
	python3 -c '
import os, resource, sys
null, errors = os.open(os.devnull, os.O_WRONLY), os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, errors, 2)])
code, used = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_maxrss >> 10, round(used.ru_utime + used.ru_stime))' "$scratch/err" "$@"
}

# judge CODE MB SECONDS: what is wrong, if anything.
judge()
{
	local out='not enough memory.*--max-memory raises the limit'
	[[ $1 == [013] ]] || echo "exit code $1: $(tail -n 1 "$scratch/err")"
	[[ $1 != 1 ]] || grep -qE "$out" "$scratch/err" || echo "exit code 1, and it does not say why: $(tail -n 1 "$scratch/err")"
	[[ $1 == 1 ]] || lacks -i 'not enough memory' "$scratch/err" || echo "exit code $1 without memory"
	(($2 <= memory && $3 <= seconds)) || echo "$2 MB, $3 s"
}

look()
{
	local words code mb cpu wrong
	read -r -a words <<<"$2"
	rm -f "$scratch/made"
	read -r code mb cpu < <(measured "$report" --no-cache --no-local-files --max-memory "${memory}M" "${words[@]}" "$scratch/t.rwk")
	wrong=$(judge "$code" "$mb" "$cpu" | paste -sd' ')
	verdict "$1${words[0]:+ ${words[0]}}" "$wrong" [ -z "$wrong" ]
	[[ $code != 1 ]] || ((short++))
	echo "# $1 ${words[0]-}: exit code $code, $mb MB, $cpu s of CPU time"
}

while read -r kind; do
	python3 $many "$kind" $count | "$make_trace" /dev/stdin "$scratch/t.rwk" || not_ok "$kind" "cannot be made"
	for tool in "${tools[@]}"; do look "$kind" "$tool"; done
done < <(python3 $many --kinds)
verdict limit_is_reached "by $short reports" [ $short -ge 3 ]
exit $((failures > 0))
