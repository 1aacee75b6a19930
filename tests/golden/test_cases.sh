#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Hosts in trouble whose cause is known: the first screen shows the cause.
set -u
cd "$(dirname "$0")/../.." || exit 1
report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok cases - '$report' is not built"; exit 1; }
nowhere=$(mktemp -d)
trap 'rm -rf "$nowhere"' EXIT
python3 tests/golden/cases_check.py "$report" "$nowhere" samples/case_*/
