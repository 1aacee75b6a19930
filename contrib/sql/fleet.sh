#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# fleet.sh FOLDER TRACE...: exports each trace into a folder that duckdb.sql and clickhouse.sql read: events/NAME.csv, stacks/NAME.csv,
# and a line in recordings.csv. A trace that is there already is left alone, so that traces can be added day by day. The name of a
# trace's file must be its own: HOST-DATE.rwk, say.
set -eu
(($# > 1)) || { echo "usage: ${0##*/} FOLDER TRACE..." >&2; exit 2; }
report=${REPORTER:-rwalker-report}
folder=$1
shift
mkdir -p "$folder/events" "$folder/stacks"
[[ -e $folder/recordings.csv ]] || echo 'file,host,kernel,cpus,day,seconds' >"$folder/recordings.csv"

# describe NAME TRACE: the line of a trace, of its first recording.
describe()
{
	"$report" --info "$2" | NAME=$1 awk '
		function quoted(text) { gsub(/"/, "\"\"", text); return "\"" text "\"" }
		function rest(count) { $0 = $0; sub(/^ *[^ ]+ +/, ""); return $0 }
		/^section 2:/ { exit }
		/^  host / { host = rest() }
		/^  kernel / { kernel = rest() }
		/^  CPUs / { cpus = $2 }
		/^  recorded / { day = $2; seconds = $(NF - 1) }
		END { print quoted(ENVIRON["NAME"]) "," quoted(host) "," quoted(kernel) "," cpus "," day "," seconds }'
}

# export_to FILE FORM TRACE: exit code 3 is a trace that lacks events, which its report says.
export_to()
{
	"$report" --export "$2" "$3" -o "$1" --force || [[ $? = 3 ]]
}

for trace; do
	name=${trace##*/}
	name=${name%.rwk}
	[[ ! -e $folder/events/$name.csv ]] || continue
	export_to "$folder/stacks/$name.csv" csv-stacks "$trace"
	describe "$name" "$trace" >>"$folder/recordings.csv"
	export_to "$folder/events/$name.csv" csv "$trace"
done
