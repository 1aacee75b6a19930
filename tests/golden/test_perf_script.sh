#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --export perf-script of every sample trace, collapsed by a reader of perf's text, equals --folded of the same trace;
# and that reader understands perf's own output. CHECK_LEVEL=check: of every third sample.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok perf_script - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip perf_script - 'python3' is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

# judge NAME WHY: ok if the texts are the same and WHY is empty.
judge()
{
	local why=$2

	[[ $why ]] || why=$(diff "$dir/folded" "$dir/collapsed" | head -n 3 | tr '\n' ' ')
	if [[ $why ]]; then not_ok "$1" "$why"; else ok "$1"; fi
}

# same TRACE KIND EVENTS OPTION...: compares one source. Waits count by time; their lost user stacks cannot appear in
# perf's text.
same()
{
	local trace=$1 kind=$2 events=$3 codes
	shift 3
	local -a names=(--symfs "$dir/nowhere" --debug-dir "$dir/nowhere") weights=()
	[[ $kind == offcpu || $kind == wakers ]] && weights=(--weights)
	"$report" "${names[@]}" --folded --source "$kind" "$@" "$trace" 2>"$dir/said" |
		sed 's/\[no kernel frames\]/[no call chain]/' | sort >"$dir/folded"
	codes="${PIPESTATUS[*]}"
	[[ -s $dir/folded || $codes != "1 0 0" ]] || return # the trace does not have it
	"$report" "${names[@]}" --export perf-script --source "$kind" "$@" "$trace" 2>>"$dir/said" |
		python3 tests/golden/collapse.py "${weights[@]}" "$events" 2>>"$dir/said" | sort >"$dir/collapsed"
	codes+=" ${PIPESTATUS[*]}"
	[[ $codes = "0 0 0 0 0 0" ]] && codes=
	judge "${trace#samples/} $kind $*" "${codes:+exit codes $codes: $(tail -n 1 "$dir/said")}"
	count=$((count + 1))
}

# perf's own output passes the same strict reader, and each of its events is counted once.
perf_itself()
{
	local fields=comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso code try
	for try in {1..10}; do # on a busy host perf may have been given no sample, or end early
		if ! perf record -q -g --sample-cpu --buildid-mmap -e cpu-clock -F 999 -o "$dir/perf.data" -- sh -c 'find /usr/share /usr/lib | sort -r' >"$dir/said" 2>&1; then
			((try < 10)) && continue
			echo "skip perf_itself - perf cannot record here: $(tail -n 1 "$dir/said")"
			return
		fi
		perf script -i "$dir/perf.data" -F "$fields" >"$dir/script" 2>/dev/null
		grep -q ' cpu-clock.*: $' "$dir/script" && break
	done
	grep -c ' cpu-clock.*: $' "$dir/script" >"$dir/folded"
	python3 tests/golden/collapse.py <"$dir/script" 2>"$dir/said" | awk '{ sum += $NF } END { print sum }' >"$dir/collapsed"
	code=${PIPESTATUS[0]}
	((code)) || code=
	judge "perf's own text" "${code:+exit code $code: $(tail -n 1 "$dir/said")}"
}

for trace in $(some_samples 2); do
	same "$trace" cpu '.*'
	same "$trace" cpu '.*' -K
	same "$trace" tracepoint '.*'
	same "$trace" kfunc probe:ext4_sync_fs --probe ext4_sync_fs
	same "$trace" kfunc 'probe:.*' --probe 'tcp_*'
	same "$trace" offcpu offcpu -K
	same "$trace" wakers wakeup -K
done
((count)) || not_ok perf_script "nothing was compared"
perf_itself
exit $((failures > 0))
