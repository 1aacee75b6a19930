#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Bits flipped anywhere in a trace, under ASan and UBSan; see flip.c, flip_views.c for the reporter, and flip_file.c
# for the sample traces: all bits of the first headers, then 3,000 others, 48 for the reporter, and 40 of each
# sample. CHECK_LEVEL=long: a million, 30,000 for the reporter, 20,000 of each sample.
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
flips=40
[[ ${CHECK_LEVEL:-check} == long ]] && flips=20000
for trace in samples/*/*.rwk; do
	[[ -f $trace ]] || continue
	name=${trace%/*} name=${name##*/}
	if said=$("$programs/flip_file" "$trace" "$flips"); then
		echo "ok flip-$name ($flips flips)"
	else
		echo "not ok flip-$name - $said"
		failed=1
	fi
done
exit $failed
