#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Bits flipped anywhere in a trace, under ASan and UBSan; see flip.c, flip_views.c for the reporter,
# and flip_file.c for the sample traces. CHECK_LEVEL=long: a million, 30,000 for the reporter, 20,000 of each sample.
# time-limit: 7200

set -u
cd "$(dirname "$0")/../.." || exit 1
programs=${BUILD:-build}/san/tests/fault
failed=0

"$programs/flip" || failed=1
"$programs/flip_views" || failed=1
flips=150
[[ ${CHECK_LEVEL:-check} == long ]] && flips=20000
for trace in samples/*/*.rwk; do
	[[ -f $trace ]] || continue
	if said=$("$programs/flip_file" "$trace" "$flips"); then
		echo "ok flip-$(basename "$(dirname "$trace")") ($flips flips)"
	else
		echo "not ok flip-$(basename "$(dirname "$trace")") - $said"
		failed=1
	fi
done
exit $failed
