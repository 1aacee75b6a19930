#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Bits flipped anywhere in a trace, under ASan and UBSan; see flip.c, and flip_views.c for the reporter: all bits of the
# first headers, then 3,000 others, 48 for the reporter. CHECK_LEVEL=long: a million, 30,000 for the reporter.
# time-limit: 7200

set -u
cd "$(dirname "$0")/../.." || exit 1
programs=${BUILD:-build}/san/tests/fault
# Freed memory keeps the pages of its shadow, which the next allocation needs; at the check level, for less time than
# usual.
[[ ${CHECK_LEVEL:-check} == long ]] || export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:clear_shadow_mmap_threshold=1000000000
failed=0

"$programs/flip" || failed=1
"$programs/flip_views" || failed=1
exit $failed
