#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Reports with various amounts of memory: each is complete, with its exit code, or fails with 1 and says that it lacks
# memory. None exits with 0 or 3 but has fewer names than it should. The sizes are 1.5 MB apart, at CHECK_LEVEL=long
# 50 KB.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
report=${BUILD:-build}/rwalker-report
[ -x "$report" ] || { echo "not ok memory - '$report' is not built"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
[ "${CHECK_LEVEL:-check}" = long ] && step=50 || step=1500

# sweep TRACE OPTION... : increases address space from 8 MB on until three reports in a row are complete
sweep() {
	local trace=$1 size whole=0 short=0 wrong=0 full rc
	shift
	"$report" "$@" -q --no-cache --symfs "$dir" --debug-dir "$dir" "$trace" >"$dir/full" 2>"$dir/err"
	full=$?
	for ((size = 8000; whole < 3 && size < 400000; size += step)); do
		(ulimit -v $size; exec "$report" "$@" -q --no-cache --symfs "$dir" --debug-dir "$dir" "$trace") >"$dir/out" 2>"$dir/err"
		rc=$?
		if [ $rc = $full ] && cmp -s "$dir/out" "$dir/full"; then
			whole=$((whole + 1))
		elif [[ $rc = 1 || $rc = 127 ]] && grep -qiE 'memory|allocate|failed to map|that opens files has ended' "$dir/err"; then
			short=$((short + 1)) # 127: the loader's own exit code
		else
			wrong=$((wrong + 1))
			echo "# $size KB: exit code $rc: $(tail -n 1 "$dir/err")"
		fi
	done
	if [ $wrong = 0 ] && [ $whole = 3 ] && [ $short -gt 0 ]; then
		echo "ok $* of $trace: $short sizes too small, and said so"
	else
		echo "not ok $* of $trace - $wrong reports are neither whole nor failed for want of memory; $whole whole, $short failed"
		failed=1
	fi
}

sweep samples/cpu_paths/trace.rwk --tree
sweep samples/frameless/trace.rwk --tree
sweep samples/frameless/trace.rwk --folded --source cpu
sweep samples/waits/trace.rwk --stacks
sweep samples/waits/trace.rwk --chains
sweep samples/mangled/trace.rwk --needs
sweep samples/frameless/trace.rwk --info
sweep samples/stuck/trace.rwk --tasks
exit $failed
