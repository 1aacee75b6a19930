#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --max-cpu: in a storm of waits and processes the recorder records less, step by step, until it and its BPF programs
# keep the budget by the kernel's own figures; after the storm it records everything again. The trace and its reports
# say so, and the account of waits adds up. --realtime-safe: waits have no kernel stacks, and the reports say so.
. "$(dirname "$0")/lib.sh"

stepping=$build/tests/live/recorder/stream_recorder
[ -x "$stepping" ] || die "make test-programs first"
need_recording
need_tool python3

BUDGET=8 # percent of one CPU

# The steps in the dump of the trace.
steps() { sed -n 's/^  regime .* step=\([0-9]*\) .*/\1/p' "$scratch/dump"; }
says() { grep -c "records $1 from now on" "$scratch/storm.err"; }
has_said() { [ "$(says "$1")" -ge "$2" ]; }
has_paused() { tail -n 1 "$scratch/storm.err" | grep -qE 'less from now on \(step ([0-9]+) of \1\)'; }
is_whole() {
	local line last=
	while read -r line; do last=$line; done <"$scratch/storm.err"
	[[ $last == *'more from now on (step 0 '* ]]
}

storm() {
	start bash -c "while :; do '$workloads/token_ring' 20 2000000 >/dev/null; done"
	storm=$started
}

calm() {
	pkill -KILL -P "$storm"
	kill -KILL "$storm"
	wait "$storm" 2>/dev/null
}

# How many steps it takes is this machine's matter.
start env RWALKER_CALM_MS=1500 "$stepping" --offcpu 0 -m 0 -u --wakers -p 0 -f 99 --max-cpu $BUDGET --embed none \
	-o "$scratch/storm.rwk" 2>"$scratch/storm.err"
recorder=$started
storm
wait_for 120 has_said less 1 || die "it does not record less: $(cat "$scratch/storm.err")"
# However slow this machine is, some step is below the budget, or nothing remains to be left out.
settled() {
	has_paused && return
	local used
	used=$(python3 "$here/tests/live/outside.py" cpu "$recorder" 4)
	awk "BEGIN { exit !($used > 0 && $used <= $BUDGET) }"
}
wait_for 60 settled || fail "it does not settle"
# The recorder may step up and down at the boundary: only the mean counts. Tests that run beside this one make waits,
# too, which cost CPU time until the recorder steps down, three seconds later. So one of five stretches must keep the
# budget.
for _ in 1 2 3 4 5; do
	used=$(python3 "$here/tests/live/outside.py" cpu "$recorder" 6)
	awk "BEGIN { exit !($used > 0 && $used <= 1.2 * $BUDGET) }" && break
done
check_number "used $used% in the storm" "$used > 0 && $used <= 1.2 * $BUDGET"
down=$(says less)
calm
wait_for 120 is_whole || fail "it does not record all again: $(tail -n 3 "$scratch/storm.err")"
sleep 1
kill -INT "$recorder"
wait "$recorder"
code=$?
# Beside other tests the storm may fill a ring before the recorder steps down. It must report that.
[ "$code" = 3 ] && check "what was lost is said" grep -qE '[1-9][0-9,]* lost' "$scratch/storm.err" && code=0
check_equal "exit code" 0 "$code"
echo "# $down steps down, $used% used of $BUDGET% in the storm"

"$report" --dump "$scratch/storm.rwk" 2>/dev/null | grep -E '^  (regime|wait) ' >"$scratch/dump"
check_equal "the last step in the trace" 0 "$(steps | tail -n 1)"
check_equal "the first" 1 "$(steps | head -n 1)"
check_equal "each step is in the trace" "$(grep -c 'from now on' "$scratch/storm.err")" "$(steps | wc -l)"
check "they are one apart" awk 'NR > 1 && ($1 - last) ^ 2 != 1 { exit 1 } { last = $1 }' <(steps)
"$report" --no-local-files --info "$scratch/storm.rwk" >"$scratch/info" 2>/dev/null
check "--info says when" grep -qE '^  recorded less +from [0-9.]+ s to [0-9.]+ s: ' "$scratch/info"
check "the account adds up" lacks -i 'does not add up\|do not add up' "$scratch/info"
for view in --top-waits --tree --digest --chains; do
	"$report" --no-local-files $view "$scratch/storm.rwk" >"$scratch/view" 2>&1
	check "$view says it" grep -qE 'from [0-9.]+ s to [0-9.]+ s the recorder left out' "$scratch/view"
done
# Whatever was left out, no thread waited longer than the recording lasted.
check "no wait is longer than the recording" python3 - "$scratch/dump" <<'PY'
import re, sys
dump = open(sys.argv[1], encoding='ascii', errors='replace').read()
regimes = [(int(m[1]), int(m[2], 16)) for m in re.finditer(r'^  regime time=(\d+) .*lacks=(0x[0-9a-f]+)', dump, re.M)]
pauses = [(a[0], b[0]) for a, b in zip(regimes, regimes[1:]) if a[1] & 32]
begun_before = 2
for m in re.finditer(r'^  wait .*?flags=(0x[0-9a-f]+).*? time=(\d+) length=(\d+)', dump, re.M):
    end, length = int(m[2]), int(m[3])
    for start, until in pauses:
        # Nothing is known about the time in which waits were paused.
        if end - length < until and end > start + 10**8 and not int(m[1], 16) & 0x400:
            sys.exit(f'a wait from {end - length} to {end} reaches into a pause from {start} to {until}')
PY

recorded safe "$record" --offcpu 1 -m 0 --wakers -u --realtime-safe --embed none -o "$scratch/safe.rwk"
"$report" --dump "$scratch/safe.rwk" >"$scratch/dump"
check "safe: there are waits" grep -q '^  wait ' "$scratch/dump"
check "safe: no wait has a kernel stack" lacks -E '^  wait .* flags=0x[0-9a-f]*[13579bdf] ' "$scratch/dump"
check "safe: no wakeup is recorded" lacks '^  wake ' "$scratch/dump"
"$report" --no-local-files --top-waits "$scratch/safe.rwk" >"$scratch/view" 2>&1
check "safe: reports say it" grep -q 'no kernel stacks of waits' "$scratch/view"
finish
