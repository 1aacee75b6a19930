#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# contrib/sql: over a fleet made of the samples, DuckDB and chDB (ClickHouse's engine) give the same answer to each
# query, and the right one if it can be known otherwise. They come from npm, into a folder outside of the project,
# $NODE_PACKAGES.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
root=$PWD report=$PWD/${BUILD:-build}/rwalker-report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NODE_PACKAGES=${NODE_PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/rwalker-node}

for program in node npm python3; do
	command -v $program >/dev/null || { skip_one fleet "'$program' is missing (apt)"; exit 0; }
done
engines=
for package in @duckdb/node-api@latest chdb@3; do
	name=${package%@*}
	why=$(tests/export/packages.sh "$package") || { skip_one "fleet_${name##*/}" "$why"; continue; }
	[[ $name = chdb ]] && engines+=" chdb" || engines+=" duckdb"
done

# Six hosts; two of them have another kernel, and half of the traces are a day older.
samples='waits case_fsync case_mount case_container cpu_paths mangled'
for sample in $samples; do
	cp "samples/$sample/trace.rwk" "$scratch/$sample.rwk"
done
REPORTER=$report exits exported 0 contrib/sql/fleet.sh "$scratch/fleet" "$scratch"/*.rwk
cp "$scratch/fleet/recordings.csv" "$scratch/recordings"
REPORTER=$report exits again 0 contrib/sql/fleet.sh "$scratch/fleet" "$scratch"/*.rwk
verdict only_once 'a trace is there twice' cmp -s "$scratch/recordings" "$scratch/fleet/recordings.csv"
sed -i -E 's/^"([a-z_]*)","host"/"\1","\1"/; /^"(waits|mangled)"/s/"6[^"]*"/"6.1.0"/' "$scratch/fleet/recordings.csv"

# answer ENGINE QUERY
answer()
{
	local views=$1
	[[ $1 = chdb ]] && views=clickhouse
	(cd "$scratch/fleet" && node "$root/tests/export/query.mjs" "$1" "$root/contrib/sql/$views.sql" "$root/contrib/sql/$2.sql") 2>&1
}

count=0
for query in contrib/sql/*.sql; do
	query=$(basename "$query" .sql)
	case $query in duckdb | clickhouse) continue ;; esac
	count=$((count + 1))
	for engine in $engines; do
		answer "$engine" "$query" >"$scratch/$query.$engine"
		cp "$scratch/$query.$engine" "$scratch/$query"
		verdict "${query}_in_$engine" "$(head -n 1 "$scratch/$query")" grep -qE '^[^ ]+.*[|].*[0-9]$|[|]' "$scratch/$query"
	done
	[[ $engines != *' '*' '* ]] || verdict "${query}_same" "$(diff "$scratch/$query.duckdb" "$scratch/$query.chdb" | head -n 3 | tr '\n' ' ')" \
		cmp -s "$scratch/$query.duckdb" "$scratch/$query.chdb"
done
verdict all_queries "$count" [ $count -ge 8 ]
[[ $engines ]] || exit $((failures > 0))

# Compares with a database of the same traces, and with what is known about the samples.
for sample in $samples; do
	"$report" --no-cache --export sqlite "$scratch/$sample.rwk" -o "$scratch/$sample.sqlite" 2>/dev/null
done
python3 tests/export/fleet_check.py "$scratch" >"$scratch/said" || not_ok fleet_check "it ended early"
cat "$scratch/said"
failures=$((failures + $(grep -c '^not ok' "$scratch/said")))
[ $failures = 0 ]
