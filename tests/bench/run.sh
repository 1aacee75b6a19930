#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh: measures rwalker against perf on this machine and rewrites build/bench/BENCH.md, or the sections in
# BENCH_SECTIONS. BENCH_QUICK=1 is a run of two minutes that shows that the benchmark works; its figures mean nothing.
cd "$(dirname "$0")/../.." || exit 1
[ "$(id -u)" -eq 0 ] || { echo "bench: recording needs root" >&2; exit 77; }
command -v perf >/dev/null || { echo "bench: perf is not installed" >&2; exit 77; }
reason=$(build/tests/live/workloads/can_bpf) || { echo "bench: $reason" >&2; exit 77; }
exec python3 -B tests/bench/bench.py
