#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh TARGET SECONDS: runs the target's inputs (seeds.py), and fuzzes for that many seconds. Findings go to
# build/fuzz/found/, new inputs to build/fuzz/work/.

set -u
cd "$(dirname "$0")/../.." || exit 1
target=$1 seconds=$2
build=${BUILD:-build}/fuzz
program=${BUILD:-build}/san/tests/fuzz/$target
corpus=$build/seeds/$target
work=$build/work/$target
found=$build/found

rm -rf "$corpus"
mkdir -p "$work" "$found"
python3 tests/fuzz/seeds.py "$target" "$corpus" "${BUILD:-build}"/tests/{golden,fault}/*.rwk samples/{containers,dump,probes}/trace.rwk ||
	{ echo "not ok $target-corpus - no seeds"; exit 1; }
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

# Before it fuzzes, it runs every input of both folders, and then prints INITED. Without that line, one of them failed.
inputs=$(find "$corpus" -type f 2>/dev/null | wc -l)
"$program" -timeout=20 -rss_limit_mb=1024 -artifact_prefix="$found/$target-" -max_total_time="$seconds" \
	-print_final_stats=1 "$work" "$corpus" 2>&1 | tee "$work.log"
code=${PIPESTATUS[0]}

if ((inputs == 0)); then
	echo "not ok $target-corpus - nothing in $corpus"
elif grep -aqE '^#[0-9]+[[:space:]]+INITED' "$work.log"; then
	echo "ok $target-corpus ($inputs inputs)"
else
	echo "not ok $target-corpus - an input of $corpus fails, or one of $work"
fi
if ((code == 0)); then
	echo "ok $target-fuzz ($seconds s)"
else
	echo "not ok $target-fuzz - see $found/$target-*; an input that fails becomes a test"
fi
