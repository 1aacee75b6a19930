#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The page in browsers: hostile names, damage. The packages that drive browsers come from npm, into a
# folder outside of the project, $NODE_PACKAGES. Firefox is tested if it is installed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=${REPORTER:-build/rwalker-report}
hostile=tests/golden/hostile.sh
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
NODE_PACKAGES=${NODE_PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/rwalker-node}
export NODE_PACKAGES

for program in node npm chromium; do
	command -v "$program" >/dev/null || { skip_one page_browsers "'$program' is missing (apt-get install nodejs npm chromium)"; exit 0; }
done
why=$(tests/export/packages.sh puppeteer-core@24) || { skip_one page_browsers "$why"; exit 0; }
command -v firefox-esr >/dev/null && firefox=firefox || skip_one page_hostile_names_firefox "'firefox-esr' is missing (apt-get install firefox-esr)"
for number in 0 1 2 3 4 5 6 7 8 9 10; do
	kind=$("$hostile" "$scratch/hostile.rwk" "$number" 2>/dev/null) || { not_ok hostile "there is no trace"; break; }
	"$report" --no-cache --html --throughout "$scratch/hostile.rwk" -o "$scratch/$kind.html" 2>/dev/null || not_ok "page_$kind" "no page"
	for shape in '--svg --source cpu' '--svg=icicle --source offcpu'; do
		"$report" --no-cache $shape --throughout "$scratch/hostile.rwk" -o "$scratch/$kind${shape%% *}.svg" 2>/dev/null ||
			not_ok "svg_$kind" "no picture"
	done
	rm -f "$scratch/hostile.rwk"
done
node tests/page/hostile.mjs "$scratch" "chromium${firefox:+,firefox}" "$scratch"/*.html "$scratch"/*.svg 2>&1 ||
	not_ok page_hostile_names "it ended early"
[ "$failures" -eq 0 ]
