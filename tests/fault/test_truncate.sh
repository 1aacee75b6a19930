#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A trace truncated at every byte, under ASan and UBSan; see truncate.c. Every byte within chunks only at
# CHECK_LEVEL=long.
# time-limit: 1200
# Freed memory keeps the pages of its shadow, which the next allocation needs; at the check level, for less time than
# usual.
[[ ${CHECK_LEVEL:-check} == long ]] || export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:clear_shadow_mmap_threshold=1000000000
exec "$(dirname "$0")/../../${BUILD:-build}/san/tests/fault/truncate"
