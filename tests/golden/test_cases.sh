#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Hosts in trouble whose cause is known: the first screen shows it. FOLDER/cause has regular expressions, one per line,
# for the cause of the trouble in the folder's trace, which its case.sh knows. The digest matches them all.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok cases - '$report' is not built"; exit 1; }
count=0
for cause in samples/case_*/cause; do
	folder=${cause%/cause}
	digest=$("$report" --no-cache --no-local-files -q --digest "$folder/trace.rwk" 2>/dev/null)
	while IFS= read -r line; do
		verdict "$folder '$line'" "it is not in the digest" grep -qE -e "$line" <<<"$digest"
		count=$((count + 1))
	done <"$cause"
done
verdict causes_are_many "there are $count" [ "$count" -ge 12 ]
exit $((failures > 0))
