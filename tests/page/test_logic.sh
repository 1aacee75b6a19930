#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The page's logic without a browser: decoding of payloads, weights of selections, and what is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

command -v node >/dev/null || { skip_one page_logic "'node' is missing (apt-get install nodejs)"; exit 0; }
for file in tests/page/*.test.mjs; do
	name=page_$(basename "$file" .test.mjs)
	why=$(node --test --test-reporter=tap "$file" 2>&1)
	code=$?
	verdict "$name" "$(echo "$why" | grep -A 12 '^ *not ok' | head -n 40 | tr '\n' ' ')" [ "$code" -eq 0 ]
done
[ "$failures" -eq 0 ]
