#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --export perf-script of every sample trace, read by a collapser of perf's text, is --folded of the same trace; and that
# collapser reads what perf itself prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C.UTF-8
export LC_ALL

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok perf_script - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip perf_script - python3 is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 count=0

verdict()
{
	if (($2)); then
		echo "not ok $1"
		diff "$dir/folded" "$dir/collapsed" | head -n 10
		failed=1
	else
		echo "ok $1"
	fi
}

# same TRACE KIND EVENTS OPTION...: of one source. Waits count by time; their lost user stacks have no place in perf's text.
same()
{
	local trace=$1 kind=$2 events=$3
	shift 3
	local -a names=(--symfs "$dir/nowhere" --debug-dir "$dir/nowhere") weights=()
	[[ $kind == offcpu || $kind == wakers ]] && weights=(--weights)
	"$report" "${names[@]}" --folded --source "$kind" "$@" "$trace" 2>/dev/null |
		sed 's/\[no kernel frames\]/[no call chain]/' | sort >"$dir/folded"
	[[ -s $dir/folded ]] || return
	"$report" "${names[@]}" --export perf-script --source "$kind" "$@" "$trace" 2>/dev/null |
		python3 tests/golden/collapse.py "${weights[@]}" "$events" | sort >"$dir/collapsed"
	((PIPESTATUS[1] == 0)) && cmp -s "$dir/folded" "$dir/collapsed"
	verdict "${trace#samples/} $kind $*" $?
	count=$((count + 1))
}

# What perf prints passes the same strict reader, and each of its events is counted once.
perf_itself()
{
	local fields=comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso
	if ! perf record -q -a -g --buildid-mmap -e cpu-clock -F 199 -o "$dir/perf.data" -- sleep 0.5 >/dev/null 2>&1; then
		echo "skip perf_itself - perf cannot record here"
		return
	fi
	perf script -i "$dir/perf.data" -F "$fields" >"$dir/script" 2>/dev/null
	grep -c ' cpu-clock.*: $' "$dir/script" >"$dir/folded"
	python3 tests/golden/collapse.py <"$dir/script" | awk '{ sum += $NF } END { print sum }' >"$dir/collapsed"
	((PIPESTATUS[0] == 0)) && cmp -s "$dir/folded" "$dir/collapsed"
	verdict "perf's own text" $?
}

for trace in samples/*/trace.rwk; do
	same "$trace" cpu '.*'
	same "$trace" cpu '.*' -K
	same "$trace" tracepoint '.*'
	same "$trace" kfunc probe:ext4_sync_fs --probe ext4_sync_fs
	same "$trace" kfunc 'probe:.*' --probe 'tcp_*'
	same "$trace" offcpu offcpu -K
	same "$trace" wakers wakeup -K
done
((count)) || { echo "not ok perf_script - nothing was compared"; failed=1; }
perf_itself
exit $failed
