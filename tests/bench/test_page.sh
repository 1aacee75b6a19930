#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# What `make bench` does to BENCH.md: it rewrites the requested sections and nothing else.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "'python3' is not installed"; exit 77; }
exec python3 -B tests/bench/page_check.py
