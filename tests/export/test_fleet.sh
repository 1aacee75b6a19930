#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The queries of contrib/sql over several traces: each has an answer, which agrees with the databases of the single traces and
# with what is known about the samples.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=$PWD/${BUILD:-build}/rwalker-report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for program in sqlite3 python3; do
	command -v $program >/dev/null || { skip_one fleet "'$program' is not installed"; exit 0; }
done

# Six hosts; two of them have another kernel, and half of the traces are a day older.
samples='waits case_fsync case_mount case_container cpu_paths mangled'
for sample in $samples; do
	cp "samples/$sample/trace.rwk" "$scratch/$sample.rwk"
	"$report" --no-cache --export sqlite "$scratch/$sample.rwk" -o "$scratch/$sample.sqlite" 2>/dev/null
done
fleet=$scratch/fleet
REPORTER=$report exits exported 0 contrib/sql/fleet.sh "$fleet" "$scratch"/*.rwk
before=$(sqlite3 "$fleet" 'SELECT count(*) FROM waits')
REPORTER=$report exits again 0 contrib/sql/fleet.sh "$fleet" "$scratch"/*.rwk
verdict only_once 'a trace is there twice' [ "$(sqlite3 "$fleet" 'SELECT count(*) FROM waits')" = "$before" ]
sqlite3 "$fleet" "UPDATE recordings SET host = file; UPDATE recordings SET kernel = '6.1.0' WHERE file IN ('waits', 'mangled')"
for query in contrib/sql/*.sql; do
	name=$(basename "$query" .sql)
	sqlite3 -bail "$fleet" <"$query" >"$scratch/$name" 2>&1
	verdict "$name" "$(head -n 1 "$scratch/$name")" grep -q '^[^ ].*[|]' "$scratch/$name"
done
python3 -B tests/export/fleet_check.py "$scratch" >"$scratch/said" || not_ok fleet_check "it ended early"
cat "$scratch/said"
failures=$((failures + $(grep -c '^not ok' "$scratch/said")))
[ $failures = 0 ]
