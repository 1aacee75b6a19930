#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The figures of the samples' digests, recomputed by a script. Hosts in trouble whose cause is known: the digest of
# samples/case_*/trace.rwk matches each line of that folder's file `cause`, a regular expression.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export LC_ALL=C.UTF-8
unset NO_COLOR PAGER

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok digest - '$report' is not built"; exit 1; }
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT
count=0
for cause in samples/case_*/cause; do
	digest=$("$report" --no-cache --no-local-files -q --digest "${cause%/cause}/trace.rwk" 2>/dev/null)
	while IFS= read -r line; do
		verdict "${cause%/cause} '$line'" "it is not in the digest" grep -qE -e "$line" <<<"$digest"
		count=$((count + 1))
	done <"$cause"
done
verdict causes_are_many "there are $count" [ "$count" -ge 12 ]
python3 tests/golden/digest_check.py "$report" "$nowhere" samples/*/trace.rwk || failures=1
exit $((failures > 0))
