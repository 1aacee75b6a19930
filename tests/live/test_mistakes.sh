#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The recorder reports at once what does not exist: processes, names, commands, tracepoints, folders. It leaves no file.
# tests/golden/test_mistakes.sh has the mistakes that can be reported without examining the host.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../mistakes.sh"

need_recording

# Process ids that do not exist: the kernel assigns none this large.
export NOBODY=4194305 NOBODY2=4194306
export BROKEN=$scratch/broken FOLDER=$scratch TEXT=$scratch/text
printf '#!/no/such/interpreter\n' >"$BROKEN"
chmod +x "$BROKEN"
echo text >"$TEXT"
start "$workloads/cpu_paths" 300 10 >/dev/null
export PROCESS=$started
has_threads() { [ "$(find /proc/"$PROCESS"/task -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]; }
wait_for 60 has_threads || die "the workload does not start"
THREAD=$(find /proc/"$PROCESS"/task -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$PROCESS" | head -n 1)
export THREAD

answers "$record" "$report" none "$scratch" >"$scratch/verdicts" <<'TABLE'
record 1 | --pid $NOBODY -p 5                       | there is no process 4194305
record 1 | --pid $NOBODY,$NOBODY2                   | there is no process 4194305, nor 1 more
record 1 | --tid $NOBODY --offcpu 5                 | there is no thread 4194305
record 1 | --pid $THREAD -p 5                       | but a thread; --tid
record 1 | -c '^no such name$'                      | no thread has a name that matches -c '^no such name$'
record 1 | -c '^no such name$' -a                   | no thread has a name
record 1 | -- nosuchcommand                         | cannot run 'nosuchcommand': No such file or directory
record 1 | -u -p 5 -- ./nosuchcommand               | cannot run './nosuchcommand': No such file or directory
record 1 | -- $FOLDER                               | Permission denied
record 1 | -- $TEXT                                 | Permission denied
record 1 | -- $BROKEN                               | No such file or directory
record 1 | --trace sched:sched_swich:1              | did you mean 'sched:sched_switch'?
record 1 | --trace sched_swtich:1                   | did you mean; sched_switch
record 1 | --kfunc vfs_raed:1                       | did you mean 'vfs_read'?
record 1 | --trace 'nosuch:*'                       | matches nothing in this kernel
record 1 | -o $FOLDER                               | is a folder; trace.rwk
record 1 | -o $FOLDER --force                       | is a folder; trace.rwk
record 1 | -o $TEXT                                 | already exists; --force
record 1 | -o nosuchfolder/t.rwk                    | cannot create 'nosuchfolder/t.rwk'
record 1 | --cgroup nosuchgroup                     | no control group fits --cgroup 'nosuchgroup'; /proc/PID/cgroup
record 2 | --cgroup /tmp                            | /sys/fs/cgroup/
record 1 | --container nosuchcontainer              | --container 'nosuchcontainer'
record 2 | -P 8000                                  | no CPU 8000
record 2 | -c '['                                   | regular expression
record 1 | --pid $PROCESS,$NOBODY -p 50ms -o /dev/null --force | there is no process 4194305; not a regular file
record 0 | -p 50ms -c '^no such name$' -o - >$TEXT | that get one are recorded
record 0 | -p 50ms -o - -- true >$TEXT               | left out (idle CPUs, itself, not asked for)
TABLE
checks=$((checks + $(grep -c '^ok' "$scratch/verdicts")))
grep -v '^ok' "$scratch/verdicts" | while IFS= read -r line; do fail "${line#not ok }"; done

# On a terminal, the recorder shows what it is doing while it starts.
python3 -B "$(dirname "$0")/on_terminal.py" - "$scratch/screen" '' "$record" -p 50ms -o "$scratch/seen.rwk" >"$scratch/seen.out" 2>&1
check "it ends well: $(cat "$scratch/seen.out")" grep -q 'exit 0' "$scratch/seen.out"
check "what the start does is shown" grep -q 'starting: loading programs' "$scratch/screen"
check "nothing of it stays" lacks 'starting' "$scratch/screen.lines"

# The last line has the command that shows what was recorded.
next_is() {
	recorded next "$record" --force -o "$scratch/next.rwk" "${@:2}" || return
	check "${*:2}: next is $1" grep -q "next: rwalker-report $1 $scratch/next.rwk" "$scratch/next.err"
}
next_is --chains --offcpu 300ms --wakers
next_is --top-waits --offcpu 300ms
next_is --tree -p 300ms --sw-perf --pid "$PROCESS"
next_is --tasks -a
next_is --info -p 50ms -c '^no such name$'
finish
