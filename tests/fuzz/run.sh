#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh TARGET SECONDS: runs the inputs of the target's corpus, and fuzzes for that many seconds. Findings go to
# build/fuzz/found/. The corpus in the tree is not changed; new inputs stay in build/fuzz/work/. Inputs in the trace's format
# are written by tests/fault/corpus.

set -u
cd "$(dirname "$0")/../.." || exit 1
target=$1 seconds=$2
build=${BUILD:-build}/fuzz
program=${BUILD:-build}/san/tests/fuzz/$target
seeds=$build/seeds/$target corpus=tests/fuzz/corpus/$target
work=$build/work/$target
found=$build/found

mkdir -p "$work" "$found" "$seeds"
"${BUILD:-build}/tests/fault/corpus" "$seeds" || { echo "not ok $target-corpus - no seeds"; exit 1; }
[[ -d $seeds/$target ]] && corpus=$seeds/$target
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
