#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --export sqlite: the database is sound and has the events that another export prints, to the nanosecond, and its
# views sum them up, for every sample (CHECK_LEVEL=check: every third), with filters and for several traces. The
# manual's queries give the rows that the manual shows.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=${BUILD:-build}/rwalker-report page=report/rwalker-sqlite.5
[[ -x $report ]] || { echo "not ok sqlite - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip sqlite - 'python3' is not installed"; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "skip sqlite - Python has no sqlite3"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

events=0
# same NAME TRACE OPTION...: the checker prints how many events it has compared.
same()
{
	local found base=$scratch/$1.sqlite
	"$report" --no-local-files --no-cache --export sqlite "${@:2}" -o "$base" 2>"$scratch/err"
	found=$(tests/golden/sqlite_check.py "$report" "$2" "$base" "${@:3}" 2>>"$scratch/err")
	verdict "$1" "$(tail -n 1 "$scratch/err")" [ -n "$found" ]
	events=$((events + ${found:-0}))
}

for trace in $(some_samples 2); do
	same "$(basename "$(dirname "$trace")")" "$trace"
done
verdict events_are_many "$events" [ $events -gt 5000 ]
waits=samples/waits/trace.rwk
same user_only $waits -U
same kernel_only $waits -K
same class $waits --class blocked
same time $waits --time 0,1
same comm $waits -c miller
same wakers_only $waits --source wakers
events=0
same several samples/cpu_paths/trace.rwk $waits samples/probes/trace.rwk
verdict several_are_all "$events" [ $events -gt 2500 ]
verdict several_recordings 'there are not three' \
	[ "$(python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM recordings").fetchone()[0])' \
	"$scratch/several.sqlite")" = 3 ]

# --- where it is written ---

exits no_pipe 2 "$report" --export sqlite $waits
exits not_to_stdout 2 "$report" --export sqlite $waits -o -
echo kept >"$scratch/kept"
exits exists 1 "$report" --export sqlite $waits -o "$scratch/kept"
exits full 1 "$report" --no-local-files --no-cache --export sqlite $waits -o /dev/full --force
verdict nothing_is_left "$(ls "$scratch")" [ "$(find "$scratch" -name '*.part' | wc -l)" = 0 ]

# --- the manual ---

python3 tests/golden/sqlite_manual.py "$page" "$report" "$scratch" >"$scratch/said"
failures=$((failures + $? + $(grep -c '^not ok' "$scratch/said")))
cat "$scratch/said"
[ $failures = 0 ]
