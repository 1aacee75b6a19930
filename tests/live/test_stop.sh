#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# How a recording ends: Ctrl-C once, twice, kill -9, and --finalize after that.
. "$(dirname "$0")/lib.sh"

has_grown() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 20000 ]; }

# begin NAME OPTION...: an endless recording of some burners, well under way.
begin() {
	local name=$1
	shift
	"$record" -p 0 -u -f 4000 "$@" -o "$scratch/$name.rwk" 2>"$scratch/$name.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 10 has_grown "$scratch/$name.rwk" || die "the recording does not start: $(cat "$scratch/$name.err")"
	sleep 1
}

# end_after SIGNAL...: sends them 0.2 s apart; the exit code in $code, milliseconds in $took.
# The shell's own remark about a child that was killed is not of interest.
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
} 2>/dev/null

check_readable() { # NAME LEAST_SAMPLES
	"$report" --folded "$scratch/$1.rwk" >"$scratch/$1.folded" 2>"$scratch/$1.report"
	check_number "$1: samples" "$(folded_sum "$scratch/$1.folded" '^burner;') > $2"
}

# The burner in the kernel is seen in main: libc's read() hides its caller from a walk.
named() { folded_share "$scratch/$1.folded" '^burner;.*;(burn_user|main)(;| )' '^burner;'; }

test_once() {
	begin once
	end_after INT
	check_equal "exit code after Ctrl-C" 0 "$code"
	check_number "Ctrl-C took $took ms" "$took < 10000"
	check_readable once 300
	check_number "share of samples with a name" "$(named once) > 0.95"
	run_code once 0 "$report" --tree "$scratch/once.rwk"
}

test_twice() {
	begin twice
	end_after INT INT
	check_number "two Ctrl-C took $took ms" "$took < 2000"
	check_readable twice 300
	run_ok twice "$report" --info "$scratch/twice.rwk"
}

test_term() {
	begin term
	end_after TERM
	check_equal "exit code after SIGTERM" 0 "$code"
	check_readable term 300
}

# Nothing but the last chunk is lost, and kernel functions have names without any embedding.
test_killed() {
	begin killed
	end_after KILL
	check_readable killed 300
	"$report" --info "$scratch/killed.rwk" >"$scratch/info" 2>&1
	check_number "exit code of --info" "$? == 0 || $? == 3"
	check "kernel functions have names" grep -qE ';(do_syscall_64|asm_sysvec|entry_SYSCALL)' "$scratch/killed.folded"
	check "it is said that the recording was cut off" \
		grep -qiE 'finalize|not closed|incomplete|unfinished|killed' "$scratch/info" "$scratch/killed.report"
}

test_finalize() {
	local before
	before=$(folded_sum "$scratch/killed.folded")
	run_ok finalize "$record" --finalize "$scratch/killed.rwk"
	check_readable killed 300
	check_equal "samples after --finalize" "$before" "$(folded_sum "$scratch/killed.folded")"
	check_number "share of samples with a name" "$(named killed) > 0.95"
	run_code finalized 0 "$report" --info "$scratch/killed.rwk"
}

test_not_a_trace() {
	echo 'not a trace' >"$scratch/other"
	"$record" --finalize "$scratch/other" 2>/dev/null
	check_number "exit code of --finalize for another file" "$? != 0"
	check_equal "its content" "not a trace" "$(cat "$scratch/other")"
}

# kill -9 at random moments from the very first on: readable, or empty and said so.
test_random_moments() {
	local n trace code broken=0 total
	total=$(at_level 15 500)
	for ((n = 0; n < total; n++)); do
		trace=$scratch/random.rwk
		rm -f "$trace"
		"$record" -p 0 -u -f 4000 -o "$trace" 2>/dev/null &
		recorder=$!
		sleep "$(awk -v s=$RANDOM 'BEGIN { print s / 32768 * 2 }')"
		end_after KILL
		[ -s "$trace" ] || continue
		timeout 20 "$report" --info "$trace" >"$scratch/out" 2>&1
		code=$?
		[ $code -eq 0 ] || [ $code -eq 3 ] || { broken=$((broken + 1)); cat "$scratch/out" >&2; }
	done
	check_equal "files that could not be read, of $total" 0 $broken
}

need_recording
start "$workloads/burn" burner 600
start "$workloads/burn" burner 600 kernel
test_once
test_twice
test_term
test_killed
test_finalize
test_not_a_trace
test_random_moments
finish
