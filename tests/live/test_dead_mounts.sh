#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --finalize when the trace's programs are on mounts that do not answer any more, and that nothing marks as such:
# automounts whose daemon is silent, like a dead file server. Each makes a helper miss its deadline; after four, no
# more files are opened. --finalize ends in time.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3 setsid unshare objcopy
grep -qw autofs /proc/filesystems || skip "the kernel has no autofs"

mounts=6 leave=4 # MAX_STUCK of module_files.c: the number of helpers that are left behind
deadline() { sed -nE "s/^\\s*DEADLINE_$1 = ([0-9]+),.*/\\1/p" "$here/record/plan/deadlines.h"; }

# silence.py FOLDER...: mounts automounts there, whose requests nobody reads. Processes of its own process group would
# not wait.
cat >"$scratch/silence.py" <<'END'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
reads, writes = os.pipe()
for folder in sys.argv[1:]:
	options = f"fd={writes},pgrp={os.getpgrp()},minproto=5,maxproto=5,indirect"
	if libc.mount(b"silent", folder.encode(), b"autofs", 0, options.encode()):
		sys.exit(os.strerror(ctypes.get_errno()))
print("ready", flush=True)
time.sleep(600)
END

folders=()
for ((i = 0; i < mounts; i++)); do
	folders+=("$scratch/room$i")
	mkdir -p "$scratch/room$i/on"
	# With a build-id, all of them would count as one file, if the recorder reads it before its end.
	objcopy --remove-section=.note.gnu.build-id "$workloads/burn" "$scratch/room$i/on/burn$i"
	start "$scratch/room$i/on/burn$i" "dead$i" 600 >/dev/null
done

seen() { [ "$("$report" --folded --no-local-files --source cpu "$scratch/t.rwk" 2>/dev/null | folded_comms - | grep -c '^dead[0-9]$')" = $mounts ]; }
start "$record" -p 0 -u -c '^dead[0-9]$' --embed none -o "$scratch/t.rwk" 2>"$scratch/record.err"
recorder=$started
wait_for 120 seen || die "not all programs are seen: $(cat "$scratch/record.err")"
kill -KILL "$recorder" && wait "$recorder" 2>/dev/null
for pid in $children; do kill -KILL "$pid" 2>/dev/null; done
wait 2>/dev/null
cp "$scratch/t.rwk" "$scratch/alive.rwk"

# Without the mounts every file is found, so only they make the difference.
run_ok alive "$record" --finalize "$scratch/alive.rwk"
check "alive: names" grep -q '/on/burn.*: full' <("$report" --info "$scratch/alive.rwk")

# finalize: runs in its own mount namespace, in which the folders do not answer.
finalize() {
	setsid python3 "$scratch/silence.py" "${folders[@]}" >"$scratch/ready" 2>"$scratch/silence.err" &
	echo $! >"$scratch/daemon"
	wait_for 60 grep -q ready "$scratch/ready" || exit 99
	exec timeout -k 5 $((bound / 1000)) "$record" --finalize "$scratch/t.rwk"
}
# Time for the helpers that are left behind, for later requests that get no answer, and a margin for a busy machine.
bound=$((leave * ($(deadline PROCESS) + 1000) + 3000)) # a second for each start and end (common/gate/)
export -f finalize wait_for pause
export scratch bound record
# shellcheck disable=SC2016 # the inner shell's words
unshare -m --propagation private bash -c "$(declare -p folders); finalize" >"$scratch/dead.out" 2>"$scratch/dead.err"
code=$?
kill -KILL "$(cat "$scratch/daemon")" 2>/dev/null
[ $code != 99 ] || skip "automounts cannot be made: $(cat "$scratch/silence.err")"
check_equal "dead: exit code of --finalize" 0 $code
"$report" --info "$scratch/t.rwk" >"$scratch/info"
check "dead: what was added is whole" grep -q '^  ended  *in order' "$scratch/info"
check "dead: no names" lacks '/on/burn.*: full' "$scratch/info"
check_equal "dead: files that it says it could not open" $mounts "$(grep -c '/on/burn.*: no file: it could not be opened' "$scratch/info")"
finish
