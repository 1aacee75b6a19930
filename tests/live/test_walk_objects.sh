#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# What walked tasks sleep on, compared with a workload that sleeps on each kind of object and on kernel locks whose
# holders it knows, and prints which. Who holds up whom. (test_objects.sh asks what --condense and --scrub leave.)
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3
mkdir "$scratch/asleep-secret"
: >"$scratch/truth"
"$workloads/asleep" "$scratch/asleep-secret" >"$scratch/truth" 2>"$scratch/said" &
children="$children $!"
wait_for 60 grep -q ^ready "$scratch/truth" || {
	grep -q userfaultfd "$scratch/said" && skip "userfaultfd: $(cat "$scratch/said")"
	die "the workload does not sleep: $(cat "$scratch/said")"
}

walk() { # NAME OPTION...
	local name=$1
	shift
	run_ok "$name" "$record" --force -o "$scratch/$name.rwk" "$@"
	check "$name: the kernel takes the program" lacks 'refuses the program' "$scratch/$name.err"
	"$report" --tasks "$scratch/$name.rwk" >"$scratch/$name.tasks" 2>/dev/null
}

walk all -a
judged python3 -B "$here/tests/live/objects_check.py" asleep "$scratch/all.rwk" "$scratch/truth"
walk users -a -u
judged env ASLEEP_USERS=1 python3 -B "$here/tests/live/objects_check.py" asleep "$scratch/users.rwk" "$scratch/truth"
holder=$(sed -n 's/^w-pthread .*holder=//p' "$scratch/truth")
check "--tasks has the holder of a mutex of the process" grep -qE \
	"^comm w-pthread .*, on futex .* \(held by h-pthread $holder\)\$" <("$report" --tasks "$scratch/users.rwk" 2>/dev/null)

inode=$(sed -n 's/^w-pipe .*inode=//p' "$scratch/truth")
check "--tasks has the pipe" grep -qE "^comm w-pipe .*, in read of pipe:$inode( |\$)" "$scratch/all.tasks"
check "--tasks has the file" grep -qE "^comm w-flock .*, in flock of $scratch/asleep-secret/flock\$" "$scratch/all.tasks"
holder=$(sed -n 's/^w-mutex .*owner=//p' "$scratch/truth")
check "--tasks has the mutex and its holder" grep -qE "^comm w-mutex2 .* state D .*, in write on mutex [^ ]+ \(held by h-mutex $holder\)\$" \
	"$scratch/all.tasks"

# The holder of the mutex sleeps in S, so a walk without options does not have it; for tasks in D it shows the same.
walk plain
check "the default walk has the holder, too" grep -qE "^comm w-mutex .*\(held by h-mutex $holder\)\$" "$scratch/plain.tasks"
check "its holder was not walked" lacks -E "^comm h-mutex (.* )?$holder( |\$)" "$scratch/plain.tasks"

"$report" --chains "$scratch/all.rwk" >"$scratch/chains" 2>/dev/null
first=$(sed -n 's/^w-rwsem2 .*owner=//p' "$scratch/truth")
check "--chains begins with who holds the rwsem" \
	grep -qE "^>>> h-rwsem tid [0-9]+ .*: holds up 2 tasks\$" "$scratch/chains"
check "--chains has who waits for who waits" \
	grep -qE "^    w-rwsem tid $first pid .* on rwsem #[0-9]+: holds up 1 task\$" "$scratch/chains"
check "... below it" grep -qE "^        w-rwsem2 tid .* on mutex #[0-9]+\$" "$scratch/chains"
check "--chains counts what has no known holder" grep -q '^# in D for other reasons: ' "$scratch/chains"
check "--chains=COMM has one way" lacks w-mutex <("$report" --chains=w-rwsem2 "$scratch/all.rwk" 2>/dev/null)
check "the digest names a holder" grep -qE 'tasks held up by h-(mutex|rwsem) ' <("$report" --digest "$scratch/all.rwk" 2>/dev/null)

walk none -a --no-objects
check "--no-objects: nothing is recorded" lacks -aE '^  object|call=[1-9]' <("$report" --dump "$scratch/none.rwk")
check "both readers print the same" cmp <("$report" --dump "$scratch/all.rwk") <(python3 -B "$here/tests/rwk_dump.py" "$scratch/all.rwk")

finish
