#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# corpus.c writes the same seeds in every run, and tests/fuzz/corpus has them: a difference is a change of the format.
# Whole traces are compressed, and another LZ4 may do that differently, so these are only compared between two runs.

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
scratch=$dir/said # of exits()
mkdir "$scratch" "$dir/once" "$dir/again"

for run in once again; do
	exits "corpus-written-$run" 0 "${BUILD:-build}/tests/fault/corpus" "$dir/$run"
done
exits corpus-runs-are-the-same 0 diff -r "$dir/once" "$dir/again"
count=0
while IFS= read -r seed; do
	exits "corpus-$seed" 0 cmp "$dir/once/$seed" "tests/fuzz/corpus/$seed"
	count=$((count + 1))
done < <(cd "$dir/once" && find . -type f ! -path './fuzz_trace_reader/*' -printf '%P\n' | sort)
verdict corpus-count "$count seeds" [ "$count" -ge 19 ]
exit $((failures > 0))
