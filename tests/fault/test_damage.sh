#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Under ASan and UBSan: a trace truncated at every byte (truncate.c), bits flipped anywhere (flip.c), and the reporter on
# such traces (flip_views.c): all bits of the first headers, then 3,000 others, 48 for the reporter. CHECK_LEVEL=long: every
# byte of a longer trace; a million flips, 30,000 for the reporter.
# time-limit: 7200

set -u
cd "$(dirname "$0")/../.." || exit 1
# Freed memory keeps the pages of its shadow, which the next allocation needs; at the check level, for less time than
# usual.
[[ ${CHECK_LEVEL:-check} == long ]] || export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:clear_shadow_mmap_threshold=1000000000
failed=0
for program in truncate flip flip_views; do
	"${BUILD:-build}/san/tests/fault/$program" || failed=1
done
exit $failed
