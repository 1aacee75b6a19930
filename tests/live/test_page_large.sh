#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The page's own figures (selftest.js) for a large trace, whose times are in microseconds, agree with the reporter's
# text: sums, functions, threads, twenty ranges of time, chains. One trace is of waits; at the long level it has a
# million of them, a second trace is of samples, and a third has everything at once. Names come from the trace.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3
need_tool node

# busy SECONDS: pairs of processes that send each other a byte, and shells that come and go, for that long.
busy() {
	python3 - "$1" <<'END'
import os, subprocess, sys, time
end = time.monotonic() + float(sys.argv[1])
for _ in range(3):
    (a, b), (c, d) = os.pipe(), os.pipe()
    for source, target, begin in ((a, d, True), (c, b, False)):
        if not os.fork():
            for other in {a, b, c, d} - {source, target}:
                os.close(other)  # so each process ends when the other does
            if begin:
                os.write(target, b"x")
            while time.monotonic() < end and os.read(source, 1):
                os.write(target, b"x")
            os._exit(0)
    for descriptor in (a, b, c, d):
        os.close(descriptor)
while time.monotonic() < end:
    subprocess.run(["sh", "-c", ": $(seq 2000 | wc -l)"], stdout=subprocess.DEVNULL, check=False)
END
}

# record_busy LEAST SECONDS: records with $options; true if the page lists at least that many events one by one.
record_busy() {
	busy "$(($2 + 1))" &
	children="$children $!"
	recorded record "$record" $options -d "$2" --force -o "$trace" || return
	wait $!
	"$report" --no-cache --no-local-files --html --throughout "$trace" >"$page" 2>/dev/null
	node tests/page/selftest_lines.mjs "$page" >"$scratch/lines" 2>&1
	events=$(sed -n 's/.*"what":"source".*"kind":"\(cpu\|offcpu\)".*"count":\([0-9]*\).*/\2/p' "$scratch/lines" | awk '{ n += $1 } END { print n + 0 }')
	[ "${events:-0}" -ge "$1" ]
}

# compare NAME LEAST SECONDS OPTION...
compare() {
	local name=$1 least=$2 seconds=$3 trace=$scratch/$1.rwk page=$scratch/page.html events why
	shift 3
	local options="$*"
	enough() { record_busy "$least" "$1"; }
	growing "$seconds" enough
	checks=$((checks + 1))
	why=$(python3 -B tests/page/selftest_check.py "$report" "$trace" --throughout --no-local-files <"$scratch/lines" 2>&1) ||
		fail "$name: $(tail -n 5 <<<"$why" | tr '\n' ' ')"
	echo "# $name: $events events, a page of $(stat -c %s "$page") bytes, $(tail -n 1 <<<"$why")"
	rm -f "$trace"
}

cd "$here" || exit 1
if [ "$level" = long ]; then
	compare waits 1000000 20 --offcpu 0 -m 0 --wakers -u
	compare samples 50001 10 -p 0 -u -f 3989
	compare everything 300000 10 -p 0 --offcpu 0 -m 0 --wakers -u -i 1
else
	compare waits 50001 1 --offcpu 0 -m 0 --wakers -u
fi
finish
