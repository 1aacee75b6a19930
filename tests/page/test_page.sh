#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The page's own figures (selftest.js) agree with the reporter's text, for every sample, with filters, for several
# recordings, and within a limit of size: computed without a browser. Idle threads are not left out, because --folded has
# them. At the check level, the pages of two samples have names from files of this machine, and selftest_check.py compares
# some ranges of time. Chromium, if it is here, shows a page of each kind.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=${REPORTER:-build/rwalker-report}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

command -v node >/dev/null || { skip_one page_figures "'node' is missing (apt-get install nodejs)"; exit 0; }
command -v chromium >/dev/null || skip_one page_in_chromium "'chromium' is missing (apt-get install chromium)"
# Reading this machine's files takes half of the time: the check level does that for one sample with waits and one without.
[ "${CHECK_LEVEL:-check}" = long ] && in_full=' ' || in_full=' waits mangled '
page=$scratch/page.html

# figures NAME TRACE OPTION...
figures() {
	local why code
	rm -f "$page"
	if ! "$report" --no-cache --html --throughout "${@:3}" "$2" -o "$page" 2>"$scratch/err"; then
		not_ok "page_figures_$1" "$(head -n 1 "$scratch/err")"
		return
	fi
	node tests/page/selftest_lines.mjs "$page" >"$scratch/lines" 2>&1
	why=$(python3 -B tests/page/selftest_check.py "$report" "$2" --throughout "${@:3}" <"$scratch/lines" 2>&1)
	code=$?
	verdict "page_figures_$1" "$(echo "$why" | tr '\n' ' ')" [ "$code" -eq 0 ]
}

# in_chromium NAME: the page shows its parts, without a display, a network, or a profile that is kept.
in_chromium() {
	command -v chromium >/dev/null || return
	chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$scratch/chromium" --timeout=60000 \
		--virtual-time-budget=20000 --dump-dom "file://$page" >"$scratch/dom" 2>/dev/null
	verdict "page_in_chromium_$1" "$(grep -o 'id="trouble"[^<]*' "$scratch/dom")" grep -q 'id="trouble".* hidden' "$scratch/dom"
	verdict "page_has_tables_$1" 'the table is empty' grep -q '<td' "$scratch/dom"
}

# many FILE: a trace with more waits than a page shows in ns. Some are shorter than a microsecond: in the middle, and at
# both ends of the recording, which cut them off. A new thread is not put on a run queue at once. Another one has two
# sleeps that overlap, because their times are from two clocks.
many() {
	awk 'function wait(task, from, to, more) { printf "wait task=%d source=2 time=@%d length=%d %s\n", task, to, to - from, more }
		BEGIN {
			end = 1000100700; asleep = "state=1 kernel=do_sleep"
			print "base 5000s\nsource id=2 kind=2 weight=2 name=\"sched_switch\" start=@0 stop=@" end
			print "meta key=\"hostname\" value=\"example\"\nmeta key=\"machine\" value=\"x86_64\"\nmeta key=\"cpus\" value=\"2\""
			print "module id=1 kind=2 path=\"[kernel]\"\nkernel-symbol module=1 offset=0x1000 size=0x100 name=\"do_sleep\""
			for (tid = 101; tid <= 104; tid++)
				printf "task tgid=%d tid=%d start=7 comm=\"%s\"\n", tid == 103 ? 101 : tid, tid, tid == 103 ? "new" : "pair"
			wait(1, -5000, 300, asleep " flags=256")
			wait(2, 200, 900, asleep)
			for (i = 0; i < 50001; i++)
				wait(1, 20000 * i + 2500, 20000 * i + 9500, asleep)
			wait(3, end - 900000, end - 500000, "wait_class=4 run_queue=100us")
			wait(4, 50030000, 50036000, asleep)
			wait(4, 50016000, 950000000, asleep)
			wait(2, end - 300, end, asleep " flags=1024")
		}' | "${BUILD:-build}/tests/make_trace" /dev/stdin "$1"
}

for sample in samples/*/trace.rwk; do
	name=$(basename "$(dirname "$sample")")
	case $in_full in
	' ' | *" $name "*) figures "$name" "$sample" && in_chromium "$name" ;;
	*) figures "$name" "$sample" --no-local-files ;;
	esac
done
# So many waits that the page is in microseconds; some are shorter than one, or have less than one in the recording.
many "$scratch/many.rwk" || not_ok page_figures_many "there is no trace"
figures many "$scratch/many.rwk" --no-local-files
cat samples/waits/trace.rwk samples/case_mount/trace.rwk >"$scratch/two.rwk"
figures two_recordings "$scratch/two.rwk" --no-local-files
figures filtered samples/case_fsync/trace.rwk --no-local-files -c '^(jbd2|fsync)'
figures kernel_only samples/waits/trace.rwk --no-local-files -K
"$report" --no-cache --no-local-files --html --throughout samples/case_fsync/trace.rwk >"$scratch/whole" 2>/dev/null
figures limited samples/case_fsync/trace.rwk --no-local-files --max-page $(($(stat -c %s "$scratch/whole") - 9000))
[ "$failures" -eq 0 ]
