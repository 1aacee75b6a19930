#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# The last CPU of this host goes offline and comes back during a recording: processes are read again, and the CPU is
# sampled.
. "$(dirname "$0")/lib.sh"

cpu=$(($(nproc --all) - 1))
switch=/sys/devices/system/cpu/cpu$cpu/online

# Brings the CPU back, whatever happens.
bring_back() { echo 1 >"$switch" 2>/dev/null; }
trap 'bring_back; cleanup' EXIT

fork_on() {
	taskset -c "$1" bash -c 'while :; do /bin/true; done' &
	children="$children $!"
}

is_recording() { "$report" --info "$scratch/away.rwk" 2>/dev/null | grep -q ' EVENTS'; }
is_told() { [ "$("$report" --dump "$scratch/away.rwk" 2>/dev/null | grep -c '^ *unsure')" -ge 2 ]; }

# Forks in the trace in the seconds after MOMENT, and the kernel's count for that time.
forks_since() { "$report" --dump "$scratch/away.rwk" 2>/dev/null | awk -v from="$1" '/^ *fork / { split($2, t, "="); n += t[2] > from } END { print n + 0 }'; }
forks_counted() { awk '$1 == "processes" { print $2 }' /proc/stat; }

need_recording
[ "$cpu" -gt 0 ] && [ -w "$switch" ] || skip "this host has no CPU that can go"
fork_on 0
start "$record" -p 600 -u -o "$scratch/away.rwk" 2>"$scratch/away.err"
recorder=$started
wait_for 60 is_recording || die "the recorder does not start"
echo 0 >"$switch" || die "CPU $cpu does not go"
sleep 3
bring_back
back=$(awk '{ printf "%.0f", $1 * 1e9 }' /proc/uptime)
fork_on "$cpu"
wait_for 30 is_told || fail "the processes are not told again"
told=$(awk '{ printf "%.0f", $1 * 1e9 }' /proc/uptime)
before=$(forks_counted)
sleep 4
after=$(forks_counted)
kill -INT "$recorder"
wait "$recorder"
"$report" --info "$scratch/away.rwk" >"$scratch/away.info" 2>&1
seen=$("$report" --dump "$scratch/away.rwk" 2>/dev/null |
	awk -v cpu="cpu=$cpu" -v from="$back" '/^ *sample / && $2 == cpu { split($3, t, "="); n += t[2] > from } END { print n + 0 }')
check_number "samples on the CPU that came back" "$seen > 1000"
check "--info tells when" grep -q "names unsure .*CPU $cpu are missing" "$scratch/away.info"
# Threads are in the kernel's count but not in the trace; most of these are processes.
check_number "forks in the trace afterwards, of $((after - before)) that the kernel counted" "$(forks_since "$told") > 0.7 * ($after - $before)"
figure "a CPU that came back: $seen samples on it, $(forks_since "$told") forks told of $((after - before)) tasks that were made"
finish
