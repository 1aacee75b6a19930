#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Exports in the hands of their consumers: the functions, labels and several files in go tool pprof, and the database in
# sqlite's shell, compared with what reports print.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=${BUILD:-build}/rwalker-report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PPROF_TMPDIR=$scratch HOME=$scratch GOFLAGS=-mod=mod GOTOOLCHAIN=local

quiet() { "$report" --no-local-files --no-cache "$@" 2>/dev/null; }

# totals_of_pprof FILE TYPE: "MS NAME" of each function, including its callees.
totals_of_pprof()
{
	go tool pprof -top -cum -unit ms -nodefraction 0 -nodecount 1000000 -sample_index "$2" "$1" 2>"$scratch/pprof_err" |
		sed '1,/flat%/d' | awk '{ ms = $4; sub(/ms$/, "", ms); $1 = $2 = $3 = $4 = $5 = ""; sub(/^ +/, "")
			sub(/ \(inline\)$/, ""); sub(/^<unknown>$/, "[unknown]"); printf "%.1f %s\n", ms, $0 }'
}

# totals_of_report TRACE KIND: the same from --functions, which has two figures for waits. Leaves out a name that is
# in several modules, or both inlined and called.
totals_of_report()
{
	quiet --functions=total --min-percent 0 --throughout --source "$2" "$1" | grep '^ *[0-9]' |
		awk -v OFMT=%.1f -v waits="$2" '{ columns = waits == "offcpu" ? 7 : 5; ms = columns == 7 ? $5 + $6 : $4
			for (i = 1; i <= columns; i++) $i = ""
			sub(/^ +/, ""); sub(/  ?\[[^]]*\]$/, ""); sub(/ \[inlined\]$/, "")
			names[$0]++; of[$0] = ms } END { for (name in of) if (names[name] == 1) print of[name], name }'
}

# same_functions SAMPLE KIND: both round, and for waits two figures are added, so the last digit may differ by two.
same_functions()
{
	local trace=samples/$1/trace.rwk
	quiet --export pprof "$trace" -o "$scratch/$1.pb.gz" --force
	totals_of_pprof "$scratch/$1.pb.gz" "$2" >"$scratch/theirs"
	totals_of_report "$trace" "$2" >"$scratch/ours"
	awk -v name="$1 $2" 'FNR == NR { ms = $1; $1 = ""; theirs[$0] = ms; next }
		{ ms = $1; $1 = ""; count++; if (!($0 in theirs) || (ms - theirs[$0]) ^ 2 > 0.0441) bad = bad " " ms $0 " not " theirs[$0] ";" }
		END { if (bad != "" || count < 20) print count " functions:" substr(bad, 1, 200) }' "$scratch/theirs" "$scratch/ours" >"$scratch/bad"
	verdict "functions_$1_$2" "$(cat "$scratch/bad" "$scratch/pprof_err" | head -n 3 | tr '\n' ' ')" [ ! -s "$scratch/bad" ]
}

if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
	same_functions cpu_paths cpu
	same_functions mangled cpu
	same_functions waits offcpu
	same_functions case_fsync offcpu
	go tool pprof -tags -sample_index waits "$scratch/waits.pb.gz" >"$scratch/tags" 2>/dev/null
	verdict labels "$(tr '\n' ' ' <"$scratch/tags" | head -c 300)" [ "$(grep -cE '^ *(class|comm|host|kind|pid|tid):' "$scratch/tags")" = 6 ]
	verdict label_of_waits "$(tr '\n' ' ' <"$scratch/tags" | head -c 300)" grep -qE '^ +181[.0]* .*: blocked$' "$scratch/tags"
	go tool pprof -top -tagfocus tid=604 -unit ms "$scratch/waits.pb.gz" >"$scratch/focus" 2>/dev/null
	verdict one_thread "$(head -n 6 "$scratch/focus" | tr '\n' ' ')" grep -qE 'accounting for 19[0-9.]+ms' "$scratch/focus"
	quiet --export pprof samples/containers/trace.rwk -o "$scratch/containers.pb.gz" --force
	go tool pprof -tags -sample_index waits "$scratch/containers.pb.gz" >"$scratch/tags" 2>/dev/null
	verdict label_container "$(tr '\n' ' ' <"$scratch/tags" | head -c 300)" \
		eval "grep -qE '^ *container: ' '$scratch/tags' && grep -qE ': aaaabbbbcccc\$' '$scratch/tags'"
	go tool pprof -top -tagfocus container=3f4e5d6c7b8a -unit ms -sample_index offcpu "$scratch/containers.pb.gz" >"$scratch/focus" 2>/dev/null
	verdict one_container "$(head -n 6 "$scratch/focus" | tr '\n' ' ')" grep -qE 'accounting for 300ms' "$scratch/focus"
	go tool pprof -proto -output "$scratch/merged.pb.gz" "$scratch/waits.pb.gz" "$scratch/case_fsync.pb.gz" >/dev/null 2>&1
	go tool pprof -raw "$scratch/merged.pb.gz" >"$scratch/raw" 2>/dev/null
	verdict several_files "$(head -n 3 "$scratch/raw")" grep -q 'offcpu/nanoseconds' "$scratch/raw"
else
	skip_one pprof "'go tool pprof' is missing (apt-get install golang-go)"
fi

if command -v sqlite3 >/dev/null; then
	quiet --export sqlite samples/waits/trace.rwk -o "$scratch/waits.sqlite"
	sqlite3 -readonly "$scratch/waits.sqlite" 'PRAGMA integrity_check; SELECT count(*), printf("%.1f", sum(weight) / 1e6) FROM waits' \
		>"$scratch/said" 2>&1
	heading=$(quiet --tree samples/waits/trace.rwk | sed -n 's/^# offcpu sched_switch: \([0-9]*\) waits, \([0-9.]*\) ms in.*/ok \1|\2/p')
	verdict sqlite_shell "$(tr '\n' ' ' <"$scratch/said")" [ "$(tr '\n' ' ' <"$scratch/said")" = "$heading " ]
	quiet --export sqlite samples/containers/trace.rwk -o "$scratch/containers.sqlite"
	sqlite3 -readonly "$scratch/containers.sqlite" 'SELECT t.container, count(*), sum(w.weight) / 1000000 FROM waits w
		JOIN tasks t ON t.id = w.task WHERE t.container_id <> "" GROUP BY 1 ORDER BY 1' >"$scratch/said" 2>&1
	verdict sqlite_containers "$(tr '\n' ' ' <"$scratch/said")" grep -qxF '001122334455|1|300' "$scratch/said"
	# written once more by another sqlite than ours
	sqlite3 "$scratch/waits.sqlite" .dump | sqlite3 "$scratch/again.sqlite"
	verdict sqlite_dump 'it cannot be loaded again' \
		[ "$(sqlite3 "$scratch/again.sqlite" 'SELECT count(*) FROM wait_list')" = "$(sqlite3 "$scratch/waits.sqlite" 'SELECT count(*) FROM waits')" ]
else
	skip_one sqlite_shell "'sqlite3' is not installed"
fi
[ $failures = 0 ]
