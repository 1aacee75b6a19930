#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --max-cpu: in a storm of waits and processes the recorder records less, and as that is still too much, nothing for a
# while; after the storm it records everything again. The trace and its reports say so, and the account adds up.
. "$(dirname "$0")/lib.sh"

impatient=$build/tests/live/recorder/stream_recorder
[ -x "$impatient" ] || die "make test-programs first"
need_recording
need_tool python3

BUDGET=3 # percent of one CPU: less than counting the switches of the storm takes

has_said() { grep -qF -- ": $1" "$scratch/storm.err"; }
is_whole() { tail -n 1 "$scratch/storm.err" | grep -q ': records everything again$'; }

storm() {
	start bash -c "while :; do '$workloads/waits' ring 20 2000000 >/dev/null; done"
	storm=$started
}

calm() {
	pkill -KILL -P "$storm"
	kill -KILL "$storm"
	wait "$storm" 2>/dev/null
}

RWALKER_CALM_MS=1500 program=$impatient begin_recorder storm --offcpu 0 -m 0 -u --wakers -p 0 -f 99 --max-cpu $BUDGET --embed none \
	-o "$scratch/storm.rwk"
storm
wait_for 120 has_said 'records less from now on' || die "it does not record less: $(cat "$scratch/storm.err")"
wait_for 120 has_said pauses || die "it does not pause: $(cat "$scratch/storm.err")"
used=$(python3 "$here/tests/live/outside.py" cpu "$recorder" 5)
check_number "used $used% while it pauses" "$used <= $BUDGET"
calm
wait_for 120 is_whole || fail "it does not record all again: $(tail -n 3 "$scratch/storm.err")"
sleep 1
kill -INT "$recorder"
wait "$recorder"
code=$?
# Beside other tests the storm may fill a ring before the recorder records less. It must report that.
[ "$code" = 3 ] && check "what was lost is said" grep -qE '[1-9][0-9,]* lost' "$scratch/storm.err" && code=0
check_equal "exit code" 0 "$code"

"$report" --dump "$scratch/storm.rwk" 2>/dev/null | grep -E '^  (budget|wait) ' >"$scratch/dump"
sed -n 's/^  budget .* step=\([0-9]*\) .*/\1/p' "$scratch/dump" >"$scratch/steps"
check_equal "the first steps in the trace" "1 2" "$(head -n 2 "$scratch/steps" | xargs)"
check_equal "the last one" 0 "$(tail -n 1 "$scratch/steps")"
check_equal "each step is in the trace" "$(grep -c -- '--max-cpu is' "$scratch/storm.err")" "$(wc -l <"$scratch/steps")"
"$report" --no-local-files --info "$scratch/storm.rwk" >"$scratch/info" 2>/dev/null
check "--info says when less" grep -qE '^  recorded less +from [0-9.]+ s to [0-9.]+ s: waits below 10 ms' "$scratch/info"
check "--info says when nothing" grep -qE '^  paused +from [0-9.]+ s to [0-9.]+ s: nothing' "$scratch/info"
check "the account adds up" lacks -i 'does not add up\|do not add up' "$scratch/info"
for view in --top-waits --tree --digest --chains; do
	"$report" --no-local-files $view "$scratch/storm.rwk" >"$scratch/view" 2>&1
	check "$view says it" grep -qE 'from [0-9.]+ s to [0-9.]+ s the recorder left out' "$scratch/view"
done
check "nothing is recorded in a pause" python3 - "$scratch/dump" <<'PY'
import re, sys
dump = open(sys.argv[1], encoding='ascii', errors='replace').read()
steps = [(int(m[1]), int(m[2])) for m in re.finditer(r'^  budget time=(\d+) step=(\d+)', dump, re.M)]
pauses = [(a[0], b[0]) for a, b in zip(steps, steps[1:]) if a[1] == 2]
for m in re.finditer(r'^  wait .*?flags=(0x[0-9a-f]+).*? time=(\d+) length=(\d+)', dump, re.M):
    end, length = int(m[2]), int(m[3])
    for start, until in pauses:
        if end - length < until and end > start + 10**8 and not int(m[1], 16) & 0x400: # begun before the recording
            sys.exit(f'a wait from {end - length} to {end} reaches into a pause from {start} to {until}')
PY
finish
