#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What threads waited for, compared with a workload that waits many times on each kind of object and prints which:
# calls, kinds and objects are all right, and no wait has the wrong object when a descriptor is closed or reused while
# the thread sleeps. Then the same without objects, condensed and scrubbed: nothing private is left.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"

need_offcpu
mkdir "$scratch/objects-secret"
rounds=$(at_level 100 1000)

record_objects() { # NAME OPTION...
	local name=$1
	shift
	recorded "$name" "$record" --force --offcpu 0 "$@" -o "$scratch/$name.rwk" -- "$workloads/objects" "$rounds" "$scratch/objects-secret"
	cp "$scratch/$name.out" "$scratch/$name.truth"
}

record_objects all
check "this kernel's types lack nothing" lacks 'types lack' "$scratch/all.err"
judged python3 -B "$here/tests/live/objects_check.py" objects "$scratch/all.rwk" "$scratch/all.truth" "$rounds"

# Below mounts, below other roots, and in a namespace of its own.
mkdir "$scratch/away"
away=$(at_level 40 1000)
recorded away "$record" --force --offcpu 0 -o "$scratch/away.rwk" -- python3 -B "$here/tests/live/processes.py" away "$away" "$scratch/away"
cp "$scratch/away.out" "$scratch/away.truth"
judged python3 -B "$here/tests/live/objects_check.py" objects "$scratch/away.rwk" "$scratch/away.truth" "$away"

# What changes its name under a wait's feet: at once, or when its name has aged; what does not keeps its own.
mkdir "$scratch/aged"
recorded aged "$record" --force --offcpu 0 -o "$scratch/aged.rwk" -- python3 -B "$here/tests/live/processes.py" aged "$scratch/aged"
python3 -B "$here/tests/rows.py" "$report" "$scratch/aged.rwk" --source offcpu -c '^w-' >"$scratch/aged.json"
while read -r comm path; do
	check "$comm is for $path" grep -q "\"comm\":\"$comm\".*\"object_name\":\"$scratch/aged/$path\"" "$scratch/aged.json"
	check "... and nothing else" lacks -v "$path\"" <(grep "\"comm\":\"$comm\".*\"object_name\"" "$scratch/aged.json")
done <<-END
	w-a a
	w-b b
	w-near old/pipe
	w-moved new/pipe
	w-far above/1/2/3/4/pipe
	w-aged below/1/2/3/4/pipe
	w-kept kept
	w-still kept
END
check_equal "w-still is for the same object as w-kept" 1 \
	"$("$report" --dump "$scratch/aged.rwk" | grep -ac "object-name .*path=\"$scratch/aged/kept\"")"

"$report" --waits-on "$scratch/all.rwk" >"$scratch/view" 2>/dev/null
inode=$(sed -n 's/^w-pipe .*inode=//p' "$scratch/all.truth")
check "--waits-on has the pipe" grep -qE "^ .* pipe +w-pipe +in read of pipe:$inode\$" "$scratch/view"
check "--waits-on has the file" grep -qE "file +w-file +in flock of $scratch/objects-secret/w-file\$" "$scratch/view"
# Its begin and its end are by two clocks, which differ by microseconds.
check "--waits-on has the sleep" grep -qE 'sleep +w-sleep +sleep( 7\.0[0-9] ms| 6\.9[0-9] ms)?$' "$scratch/view"
check_equal "--waits-on=futex: kinds" futex "$("$report" --waits-on=futex "$scratch/all.rwk" 2>/dev/null | awk '/^ / { print $7 }' | sort -u)"
# --at shows the nearest wait of each thread, so the moment is within a wait for the pipe.
moment=$(python3 -B "$here/tests/rows.py" "$report" "$scratch/all.rwk" --source offcpu -c '^w-pipe$' |
	sed -n "s/.*\"out_ns\":\([0-9]*\),.*\"what_for\":\"in read of pipe:$inode.*/\1/p" | awk 'NR == 10 { printf "%.9f", ($1 + 1000) / 1e9 }')
for view in --top-waits=0 --events "--at +${moment:-0}s~100s"; do # all of the recording
	# shellcheck disable=SC2086
	check "$view has the pipe" grep -q "in read of pipe:$inode" <("$report" $view "$scratch/all.rwk" 2>/dev/null)
done

record_objects none --no-objects
check "--no-objects: nothing is recorded" lacks -aE '^  object|call=[1-9]' <("$report" --dump "$scratch/none.rwk")
check "--no-objects: none is shown" lacks 'pipe:' <("$report" --events "$scratch/none.rwk" 2>/dev/null)

# To the kernel's verifier, each set of options is a different program, which it may refuse although it accepts others.
for options in -u '-m 0 --wakers -u'; do
	# shellcheck disable=SC2086
	recorded loads "$record" --force --offcpu 0 $options -o "$scratch/loads.rwk" -- sleep 0.05
	check "'$options': the kernel takes the program" lacks 'refuses the program' "$scratch/loads.err"
done

run_ok condense "$report" --condense "$scratch/all.rwk" -o "$scratch/small.rwk"
"$report" --dump "$scratch/small.rwk" >"$scratch/small.dump"
check "--condense leaves no path" lacks -a objects-secret "$scratch/small.dump"
check "--condense leaves stand-ins" grep -aq 'object-name number=[0-9]* path="file#1" address= peer_address=$' "$scratch/small.dump"
check "--condense keeps the pipe" grep -q "in read of pipe:$inode" <("$report" --events "$scratch/small.rwk" 2>/dev/null)
run_ok scrub "$report" --scrub "$scratch/all.rwk" -o "$scratch/public.rwk"
check "--scrub leaves no path" lacks -a objects-secret <("$report" --dump "$scratch/public.rwk")
check "--scrub keeps what it was" grep -q "in read of pipe:" <("$report" --events "$scratch/public.rwk" 2>/dev/null)
finish
