#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The page's own figures (#selftest) agree with the reporter's text, for every sample: computed without a browser, and
# by Chromium. Idle threads are not left out, because --folded has them. At the check level, the pages of two samples
# have names from files of this machine, and selftest_check.py compares some ranges of time.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=${REPORTER:-build/rwalker-report}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

command -v node >/dev/null || { skip_one page_figures "'node' is missing (apt-get install nodejs)"; exit 0; }
command -v chromium >/dev/null || skip_one page_in_chromium "'chromium' is missing (apt-get install chromium)"
"$report" --help | grep -q -e --html || { skip_one page_figures "this reporter has no --html"; exit 0; }
# Starting Chromium takes seconds, and reading this machine's files takes half of the time: the check level does that
# for one sample with waits and one without.
[ "${CHECK_LEVEL:-check}" = long ] && in_browser=' ' || in_browser=' waits mangled '

# The lines that the page prints about itself in Chromium, without a display, a network, or a profile that is kept.
in_chromium() {
	chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$scratch/chromium" --timeout=60000 \
		--virtual-time-budget=20000 --dump-dom "file://$1#selftest" 2>/dev/null |
		python3 -c 'import html, re, sys
print(html.unescape(re.search(r"<pre id=\"selftest\">([^<]*)</pre>", sys.stdin.read())[1]))'
}

# A trace with so many waits that the page is in microseconds; some waits are shorter than one, or have less than one
# in the recording.
mkdir "$scratch/many"
"${BUILD:-build}/tests/golden/make_many" "$scratch/many/trace.rwk" || not_ok page_figures_many "there is no trace"

for sample in samples/*/trace.rwk "$scratch/many/trace.rwk"; do
	name=$(basename "$(dirname "$sample")") page=$scratch/page.html
	local_files=--no-local-files
	case $in_browser in ' ' | *" $name "*) local_files= ;; esac
	rm -f "$page"
	if ! "$report" --no-cache $local_files --html --throughout "$sample" -o "$page" 2>"$scratch/err"; then
		not_ok "page_figures_$name" "$(head -n 1 "$scratch/err")"
		continue
	fi
	node tests/page/selftest_lines.mjs "$page" >"$scratch/lines" 2>&1
	why=$(python3 -B tests/page/selftest_check.py "$report" "$sample" --throughout $local_files <"$scratch/lines" 2>&1)
	code=$?
	verdict "page_figures_$name" "$(echo "$why" | tr '\n' ' ')" [ "$code" -eq 0 ]
	case $in_browser in ' ' | *" $name "*) ;; *) continue ;; esac
	command -v chromium >/dev/null || continue
	in_chromium "$page" >"$scratch/chromium_lines" 2>"$scratch/err"
	verdict "page_in_chromium_$name" "$(diff "$scratch/lines" "$scratch/chromium_lines" | head -n 4 | tr '\n' ' ')" \
		cmp -s "$scratch/lines" "$scratch/chromium_lines"
done
[ "$failures" -eq 0 ]
