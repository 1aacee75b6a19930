#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# How a recording ends: Ctrl-C once, twice, kill -9, and --finalize after that. At the long level, kill -9 at 500 moments, else at 4.
# two tries: names are read by processes with deadlines, which pass if the host takes the processor away.
. "$(dirname "$0")/lib.sh"

# let_burners CONT|STOP: the burners are stopped while nothing is recorded.
let_burners() { kill -"$1" "$burner_user" "$burner_kernel"; }

# begin NAME: starts an endless recording of the burners, and of $pids, and returns when it is well under way.
begin() {
	local name=$1
	let_burners CONT
	"$record" -p 0 -u -f 4000 --pid "$burner_user,$burner_kernel$pids" -o "$scratch/$name.rwk" 2>"$scratch/$name.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 60 has_samples "$scratch/$name.rwk" 1000 '^burner;' || die "the recording does not start: $(cat "$scratch/$name.err")"
}

# end_after SIGNAL...: sends them 0.2 s apart; sets $code to the exit code and $took to milliseconds.
# The shell's own message about a killed child is not of interest.
end_after() {
	local from signal
	from=$(date +%s%N)
	for signal; do
		kill "-$signal" "$recorder"
		sleep 0.2
	done
	wait "$recorder"
	code=$?
	took=$((($(date +%s%N) - from) / 1000000))
	let_burners STOP
} 2>/dev/null

# With OPTION -q, names of functions that the trace lacks are read from this host's files.
check_readable() { # NAME LEAST_SAMPLES [CODE [OPTION]]
	run_code report "${3-0}" "$report" --folded "${4---no-local-files}" "$scratch/$1.rwk"
	mv "$scratch/report.out" "$scratch/$1.folded"
	mv "$scratch/report.err" "$scratch/$1.report"
	check_number "$1: samples" "$(folded_sum "$scratch/$1.folded" '^burner;') > $2"
}

# The burner in the kernel shows up in main, because libc's read() hides its caller from a walk.
named() { folded_share "$scratch/$1.folded" '^burner;.*;(burn_user|main)(;| )' '^burner;'; }

check_named() {
	check_number "$1: share of samples with a name" "$(named "$1") > 0.95" ||
		{ head -n 3 "$scratch/$1.folded"; "$report" --info "$scratch/$1.rwk"; cat "$scratch/$1.err"; } >&2
}

test_once() {
	begin once
	end_after INT
	check_equal "exit code after Ctrl-C" 0 "$code"
	check_number "Ctrl-C took $took ms" "$took < 10000"
	check_readable once 300 0 -q
	check_named once
	run_code once 0 "$report" --no-local-files --tree "$scratch/once.rwk"
}

# Without embedding: it ends at once, unless the machine is busy.
test_twice() {
	local try
	for try in 1 2 3 4 5; do
		rm -f "$scratch/twice.rwk"
		begin twice
		end_after INT INT
		[ "$took" -ge 2000 ] || break
		echo "# two Ctrl-C took $took ms, try $try"
	done
	check_equal "exit code after two Ctrl-C" 0 "$code"
	check_number "two Ctrl-C took $took ms" "$took < 2000"
	check_readable twice 300
	run_ok twice "$report" --no-local-files --info "$scratch/twice.rwk"
}

# end_by SIGNAL: the signal ends the recording in order, as Ctrl-C does.
end_by() {
	begin "$1"
	end_after "$1"
	check_equal "exit code after SIG$1" 0 "$code"
	check_readable "$1" 300
	check_equal "SIG$1: how it ended" 'in order' "$("$report" --no-local-files --info "$scratch/$1.rwk" | sed -nE 's/^ *ended +//p')"
}

grows_on() { [ "$(stat -c %s "$1")" -gt $(($2 + 4000)) ]; }

# Signals that other programs treat as requests end nothing, neither the recorder nor its helpers.
test_user_signals() {
	local signal size helpers
	begin user
	helpers=$(pgrep -P "$recorder" | sort | tr '\n' ' ')
	for signal in USR1 USR2 PIPE; do
		# shellcheck disable=SC2086 # one word each
		kill "-$signal" "$recorder" $helpers
		size=$(stat -c %s "$scratch/user.rwk")
		check "it records on after SIG$signal" wait_for 60 grows_on "$scratch/user.rwk" "$size"
	done
	check_equal "its helpers" "$helpers" "$(pgrep -P "$recorder" | sort | tr '\n' ' ')"
	end_after INT
	check_equal "exit code after SIGUSR1, SIGUSR2, SIGPIPE and Ctrl-C" 0 "$code"
	check_readable user 300
}

# Nothing but the last chunk is lost, and kernel functions have names without any embedding.
test_killed() {
	begin killed
	end_after KILL
	check_equal "exit code after SIGKILL" 137 "$code"
	check_readable killed 300 3
	run_code info 3 "$report" --no-local-files --info "$scratch/killed.rwk"
	cat "$scratch/info.out" "$scratch/info.err" >"$scratch/info"
	check "kernel functions have names" grep -qE ';(do_syscall_64|asm_sysvec|entry_SYSCALL)' "$scratch/killed.folded"
	check "it is said that the recording was cut off" \
		grep -qiE 'finalize|not closed|incomplete|unfinished|killed' "$scratch/info" "$scratch/killed.report"
}

test_finalize() {
	local before
	before=$(folded_sum "$scratch/killed.folded")
	run_ok finalize "$record" --finalize "$scratch/killed.rwk"
	check_readable killed 300 3 -q
	check_equal "samples after --finalize" "$before" "$(folded_sum "$scratch/killed.folded")"
	check_named killed
	run_code finalized 3 "$report" --no-local-files --info "$scratch/killed.rwk"
}

knows_build_id() { "$report" --dump "$1" 2>/dev/null | grep -q "^  module .*/$2\" build_id=[0-9a-f]"; }

share_named() { # NAME COMM
	"$report" --no-local-files --folded "$scratch/$1.rwk" >"$scratch/$1.folded" 2>/dev/null
	folded_share "$scratch/$1.folded" "^$2;.*;burn_user(;| )" "^$2;"
}

# A program without a build-id is identified by its device and inode, which another file may get after the program is
# deleted. A file that has changed since must give no names; with a build-id it still counts as the same.
test_changed_files() {
	local kind kinds='plain whole'
	for kind in $kinds; do
		cp "$workloads/burn" "$scratch/$kind"
		[ $kind = whole ] || run_ok plain objcopy --remove-section=.note.gnu.build-id "$scratch/$kind"
		start "$scratch/$kind" "$kind" 600 user 10
		pids="$pids,$started"
	done
	begin changed
	for kind in $kinds; do
		check "$kind: it is recorded" wait_for 60 has_samples "$scratch/changed.rwk" 100 "^$kind;"
	done
	check "build-ids are written" wait_for 60 knows_build_id "$scratch/changed.rwk" whole
	end_after KILL
	# shellcheck disable=SC2086 # one word each
	kill -KILL ${pids//,/ }
	pids=
	cp "$scratch/changed.rwk" "$scratch/unchanged.rwk"
	run_ok unchanged "$record" --finalize "$scratch/unchanged.rwk"
	for kind in $kinds; do
		cat "$scratch/$kind" >"$scratch/copy"
		cat "$scratch/copy" >"$scratch/$kind"
	done
	run_ok changed "$record" --finalize "$scratch/changed.rwk"
	check_number "unchanged, without a build-id: share with a name" "$(share_named unchanged plain) > 0.95"
	check_number "unchanged, with a build-id: share with a name" "$(share_named unchanged whole) > 0.95"
	check_number "changed, without a build-id: share with a name" "$(share_named changed plain) == 0"
	check_number "changed, with a build-id: share with a name" "$(share_named changed whole) > 0.95"
}

# kill -9 at random moments from the very beginning: readable, or reported as empty.
test_random_moments() {
	local n trace code broken=0 total seconds
	total=$(at_level 4 500)
	seconds=$(at_level 1 2)
	for ((n = 0; n < total; n++)); do
		trace=$scratch/random.rwk
		rm -f "$trace"
		"$record" -p 0 -u -f 4000 -o "$trace" 2>/dev/null &
		recorder=$!
		let_burners CONT
		sleep "$(awk -v part=$RANDOM -v all="$seconds" 'BEGIN { print part / 32768 * all }')"
		end_after KILL
		[ -s "$trace" ] || continue
		timeout 100 "$report" --no-local-files --info "$trace" >"$scratch/out" 2>&1
		code=$?
		[ $code -eq 3 ] || { broken=$((broken + 1)); cat "$scratch/out" >&2; }
	done
	check_equal "files that could not be read, or seem complete, of $total" 0 $broken
}

# All children must be idle: one that is still starting, or changing its user, would be stopped before the kernel
# knows that it must die with its parent.
has_idle_children() {
	local children child
	children=$(pgrep -P "$1") || return 1
	for child in $children; do asleep "$child" || return 1; done
}

# begin_stuck NAME: starts a recording of the user behind sudo, then stops its helpers and the process that forks
# them: $stuck.
begin_stuck() {
	SUDO_UID=65533 SUDO_GID=65532 begin "$1"
	stuck=$(pgrep -P "$recorder")
	check_equal "processes that start helpers" 1 "$(wc -w <<<"$stuck")"
	check "there are helpers, and they wait" wait_for 60 has_idle_children "$stuck"
	stuck="$stuck $(pgrep -P "$stuck" | tr '\n' ' ')"
	# shellcheck disable=SC2086 # one word each
	kill -STOP $stuck
}

check_gone() { # WHEN
	# shellcheck disable=SC2086 # one word each
	check "$1, no helper is left" wait_for 10 have_ended $stuck
}

# No helper outlives the recorder, and none keeps it from ending, even if all are stopped and the recorder is no
# longer root.
test_stuck_helpers() {
	chmod 777 "$scratch"
	begin_stuck stuck
	end_after INT
	check_equal "exit code with stuck helpers" 0 "$code"
	check_number "the end took $took ms" "$took < 20000"
	check_gone "after Ctrl-C"
	check_readable stuck 300
	begin_stuck orphans
	end_after KILL
	check_gone "after SIGKILL"
}

# Helpers that are stopped or killed cost a moment, and no names of files that are open: others take their place.
test_lost_helpers() {
	local signal spawner
	for signal in STOP KILL; do
		begin "lost-$signal"
		spawner=$(pgrep -P "$recorder")
		check "there are helpers, and they wait" wait_for 60 has_idle_children "$spawner"
		stuck=$(pgrep -P "$spawner" | tr '\n' ' ')
		# shellcheck disable=SC2086 # one word each
		kill "-$signal" $stuck
		end_after INT
		check_equal "exit code after SIG$signal of helpers" 0 "$code"
		check_number "the end took $took ms" "$took < 10000"
		check_gone "after SIG$signal"
		check_readable "lost-$signal" 300
		check_named "lost-$signal"
	done
}

need_recording
start "$workloads/burn" burner 600 user 10
burner_user=$started
start "$workloads/burn" burner 600 kernel 10
burner_kernel=$started
pids=
test_once
test_twice
for signal in TERM HUP; do end_by $signal; done
test_stuck_helpers
test_lost_helpers
test_user_signals
test_killed
test_finalize
test_changed_files
test_random_moments
finish
