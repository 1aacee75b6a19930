#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The text about a wait's object is the same in --events, --tasks, --tree -v, the page and all exports, for every sample
# (CHECK_LEVEL=check: for every third).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok suffix - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip suffix - 'python3' is not installed"; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "skip suffix - Python has no sqlite3"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

texts=0
for trace in $(some_samples 1); do
	found=$(python3 -B tests/golden/suffix_check.py "$report" "$trace" 2>"$scratch/err")
	verdict "$(basename "$(dirname "$trace")")" "$(tail -n 1 "$scratch/err")" [ -n "$found" ]
	texts=$((texts + ${found:-0}))
done
verdict texts_are_many "$texts" [ "$texts" -gt 10 ]
