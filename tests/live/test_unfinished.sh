#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A trace without its end, and one that did not fit on the disk: every view and every tool exits with 3 and says once
# that what is missing is unknown. For a trace that ended as requested: 0, and no such message. The check level shows
# one trace without its end in all views, the others only in some, and does not condense these.
. "$(dirname "$0")/lib.sh"

said='what is missing is unknown'
views='--tree|--histogram|--stacks|--folded --source cpu|--wakers|--chains|--top-waits|--summary|--events|--tasks|
	--export perf-script|--tree -c nobody|--stacks -K|--info|--needs|--dump|--at 0.5'

some='--tree|--folded --source cpu|--info|--dump'

# check_all NAME CODE LINES VIEWS: runs each view and tool on NAME.rwk.
check_all() {
	local view code old_ifs=$IFS said_in
	kill -STOP "$burner" # it has nothing to do meanwhile
	IFS='|'
	for view in $4; do
		IFS=$old_ifs
		# shellcheck disable=SC2086 # words of a command line
		"$report" $view --no-cache --no-local-files "$scratch/$1.rwk" >"$scratch/view.out" 2>"$scratch/view.err"
		code=$?
		check_equal "$1: exit code of ${view##*[[:space:]]--}" "$2" $code
		said_in=$(grep -hv '^  note ' "$scratch/view.out" "$scratch/view.err" | grep -c "$said") # --info has notes as well
		check_equal "$1: lines of ${view##*[[:space:]]--} that say it" "$3" "$said_in"
	done
	[ "$4" = "$views" ] || [ "$1" = whole ] || { kill -CONT "$burner"; return; }
	for view in '--condense --partial --no-local-files' --resolve-lines; do
		rm -f "$scratch/made.rwk"
		# shellcheck disable=SC2086
		"$report" $view --no-cache -o "$scratch/made.rwk" "$scratch/$1.rwk" >"$scratch/view.out" 2>"$scratch/view.err"
		check_equal "$1: exit code of $view" "$2" $?
		"$report" --tree --no-cache --no-local-files "$scratch/made.rwk" >"$scratch/view.out" 2>&1
		check_equal "$1: exit code of --tree after $view" "$2" $?
	done
	"$report" --tree --no-cache --no-local-files - <"$scratch/$1.rwk" >"$scratch/view.out" 2>&1
	check_equal "$1: exit code from a pipe" "$2" $?
	kill -CONT "$burner"
}

sources='-p 0 --offcpu 0 --wakers -u --dwarf -w 0 -c ^(burner|rwk_sleep)$'

# On a small disk the recorder leaves 64 MiB free; another file fills the rest.
on_small_disk() {
	mount -t tmpfs -o size="$(at_level 65 66)m" none "$scratch/disk" || exit 77
	# shellcheck disable=SC2086
	timeout 200 "$record" $sources -f 9973 --embed none -o "$scratch/disk/full.rwk" 2>"$scratch/disk.err"
	rc=$?
	cp "$scratch/disk/full.rwk" "$scratch/full.rwk"
	exit $rc
}

need_recording
start "$workloads/burn" burner 600 user 30
burner=$started
# shellcheck disable=SC2086
recorded whole "$record" $sources -d 1 -f 199 -o "$scratch/whole.rwk"
check_all whole 0 0 "$(at_level "$some" "$views")"

head -c "$(($(stat -c %s "$scratch/whole.rwk") / 2))" "$scratch/whole.rwk" >"$scratch/cut.rwk"
check_all cut 3 1 "$views"
# shellcheck disable=SC2086
"$record" $sources -f 199 -o "$scratch/killed.rwk" 2>/dev/null &
recorder=$!
children="$children $recorder"
wait_for 60 eval '"$report" --no-local-files --folded --source cpu "$scratch/killed.rwk" 2>/dev/null | grep -q "^burner;"' ||
	fail "the recording does not start"
run_code unfinished 3 "$report" --no-local-files --tree "$scratch/killed.rwk" # while it is still being written
kill -KILL $recorder
wait $recorder 2>/dev/null
check_all killed 3 1 "$(at_level "$some" "$views")"
run_ok finalize "$record" --finalize "$scratch/killed.rwk"
run_code finalized 3 "$report" --no-local-files --tree "$scratch/killed.rwk" # names were added, events were not

# shellcheck disable=SC2086
run_code limited 4 "$record" $sources -f 9973 --max-size 512K -o "$scratch/limited.rwk"
check "--max-size was reached" grep -q 'max-size' "$scratch/limited.err"
run_ok limited "$report" --no-local-files --tree "$scratch/limited.rwk"

if unshare --mount true 2>/dev/null; then
	mkdir "$scratch/disk"
	export -f on_small_disk at_level
	export scratch record sources level
	unshare --mount --propagation private bash -c on_small_disk
	check_equal "exit code with a full disk" 4 $?
	check_all full 3 1 "$(at_level "$some" "$views")"
fi
finish
