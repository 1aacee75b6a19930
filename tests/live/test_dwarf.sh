#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --dwarf: the call paths of a program without frame pointers (workloads/frameless.c lists them), as the reader unwinds
# them from the copies made while it ran: samples, waits, wakers, hits. Incomplete stacks say so. --condense: every report
# of the new trace is the same, and no stack memory and no command line is left in it.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"
need_tracefs

SECONDS_LONG=3

# folded NAME SOURCE [TRACE] : its stacks without the frames of the C library, whose names depend on what is installed
folded() {
	"$report" --folded --source "$2" "${3:-$scratch/all.rwk}" 2>>"$scratch/report.err" | sed -E 's/\[?libc[^;]*;//g' >"$scratch/$1"
}

# weight_of FILE RE : of the stacks that match
weight_of() { re=$2 awk '$0 ~ ENVIRON["re"] { sum += $NF } END { printf "%.0f\n", sum }' "$1"; }

# share FILE RE_ALL RE_OF_THESE : percentage of the weight
share() {
	local all with
	all=$(weight_of "$1" "$2")
	with=$(grep -E -- "$2" "$1" | re=$3 awk '$0 ~ ENVIRON["re"] { sum += $NF } END { printf "%.0f\n", sum }')
	awk -v all="$all" -v with="$with" 'BEGIN { print all ? 100 * with / all : -1 }'
}

test_samples() {
	folded cpu cpu
	check_number "samples of the burner" "$(weight_of "$scratch/cpu" 'fl_outer;fl_middle;fl_burn') > 30"
	check_number "its path, from the thread's first function" \
		"$(share "$scratch/cpu" 'fl_middle;fl_burn [0-9]+$' '^frameless;([A-Za-z_][^;]*;)*burner;fl_outer;fl_middle;fl_burn ') >= 99"
	check_number "a handler runs on a stack of its own" \
		"$(share "$scratch/cpu" 'fl_handled;fl_burn [0-9]+$' ';fl_handler;fl_handled;fl_burn ') >= 99"
	check_number "and stands on what it interrupted" \
		"$(share "$scratch/cpu" 'fl_handled;fl_burn [0-9]+$' '^frameless;.*;handler;fl_raiser;fl_raising;.*fl_handler;') >= 99"
	check_number "no program of ours in front of what was interrupted" \
		"$(weight_of "$scratch/cpu" 'bpf_prog_[^;]*_cpu_sample') == 0"
}

# A stack that is larger than the snapshot is reported as truncated.
test_truncated() {
	check_number "samples of the deep one" "$(weight_of "$scratch/cpu" 'fl_bottom;fl_burn') > 30"
	check_number "more than 64 KiB of stack end in a note" \
		"$(share "$scratch/cpu" 'fl_bottom;fl_burn [0-9]+$' '\[truncated[^;]*\];.*fl_deeper;fl_bottom;fl_burn ') >= 99"
	check_number "of 4 KiB frames, 64 KiB show 13 at least" \
		"$(share "$scratch/cpu" 'fl_bottom;fl_burn [0-9]+$' "$(printf 'fl_deeper;%.0s' {1..13})fl_bottom;fl_burn ") >= 99"
	run_ok info "$report" --info "$scratch/all.rwk"
	check "--info says how many are cut" grep -qE '^  note +[0-9]+ unwound stacks? .*\[truncated\]' "$scratch/info.out"
}

test_waits() {
	local wait
	folded waits offcpu
	for wait in locks_a:fl_path_a locks_b:fl_path_b; do
		check_number "who took the lock, ${wait#*:}" \
			"$(share "$scratch/waits" "${wait#*:}" "^frameless;([A-Za-z_][^;]*;)*${wait%:*};${wait#*:};fl_hold;") >= 99"
	done
	# A single wait of half the run, in microseconds.
	check_number "the one long wait" \
		"$(weight_of "$scratch/waits" 'sleeper;fl_rest;fl_sleep;.*nanosleep') > $((SECONDS_LONG * 1000000 * 45 / 100))"
	"$report" --folded --wakers "$scratch/all.rwk" >"$scratch/wakers" 2>>"$scratch/report.err"
	check "the waker's path" grep -qE 'fl_path_[ab].*fl_hold|fl_hold.*fl_path_[ab]' "$scratch/wakers"
}

test_hits() {
	folded hits tracepoint
	check_number "hits of a tracepoint" \
		"$(share "$scratch/hits" 'fl_sleep' ';sleeper;fl_rest;fl_sleep;') >= 99"
	check_number "there are some" "$(weight_of "$scratch/hits" 'fl_hold') > 20"
}

# To show that frame pointers would not have given the above.
test_frame_pointers_do_not() {
	run_ok plain "$record" -p 0 -u -f 1000 --sw-perf --force -o "$scratch/plain.rwk" -- "$workloads/frameless" 1
	folded plain cpu "$scratch/plain.rwk"
	check_number "samples" "$(weight_of "$scratch/plain" 'fl_bottom;fl_burn') > 20"
	check_number "frame pointers do not show a path beyond the words at the top of the stack" \
		"$(share "$scratch/plain" 'fl_bottom;fl_burn [0-9]+$' 'fl_deeper;fl_deeper;') < 5"
}

# Our reporter has no frame pointers either, so following them leads astray. The recording says so, but not for
# samples of which a copied stack exists.
test_astray() {
	local work="'$report' --no-cache --tree '$scratch/all.rwk' >/dev/null 2>&1; true"
	astray() { sed -n 's/^  quality *\([0-9]*\) user-astray.*/\1/p' "$scratch/$1.out" | awk '{ n += $1 } END { print n + 0 }'; }

	run_ok by_pointer "$record" -p 0 -u -f 997 --sw-perf --force -o "$scratch/by_pointer.rwk" -- sh -c "$work"
	run_ok by_copy "$record" -p 0 --dwarf --sw-perf --force -o "$scratch/by_copy.rwk" -- sh -c "$work"
	for trace in by_pointer by_copy; do
		run_ok "$trace" "$report" --info "$scratch/$trace.rwk"
	done
	check_number "frame pointers lead astray" "$(astray by_pointer) > 5"
	check_number "which does not matter where there is a copy" \
		"$(astray by_copy) * 20 <= $(sed -n 's/^  unwound *\([0-9]*\) user stacks$/\1/p' "$scratch/by_copy.out")"
}

test_what_is_in_the_file() {
	"$report" --dump "$scratch/all.rwk" >"$scratch/dump"
	python3 -B "$here/tests/rwk_dump.py" "$scratch/all.rwk" >"$scratch/python"
	check "FORMAT.md says what is in the file" cmp -s "$scratch/dump" "$scratch/python"
	check_number "snapshots lie in chunks that are marked" \
		"$(grep -cE '^chunk .* type SNAPSHOTS .* flags 0x2 ' "$scratch/dump") > 0"
	check_equal "and nowhere else" "" "$(awk '/^chunk/ { type = $8 } /^  snapshot / && type != "SNAPSHOTS"' "$scratch/dump" | head -n 1)"
	check_number "997 Hz unless -f says otherwise" "$(grep -c '^  source id=1 .*frequency=997 period=1003009 ' "$scratch/dump") > 0"
}

test_size_and_frequency() {
	run_ok small "$record" -p 0 --dwarf --dwarf-size 4096 -f 250 --sw-perf --force -o "$scratch/small.rwk" -- "$workloads/frameless" 1
	"$report" --dump "$scratch/small.rwk" >"$scratch/dump"
	check_equal "the largest snapshot" 4096 "$(sed -nE 's/^  snapshot .* size=([0-9]+) .*/\1/p' "$scratch/dump" | sort -n | tail -n 1)"
	check_number "an explicit -f is obeyed" "$(grep -c '^  source id=1 .*frequency=250 ' "$scratch/dump") > 0"
}

# shown NAME: what reports say of the trace, and its notes. A process on this host may wait for a file, whose name
# --condense leaves out.
shown() {
	local view
	for view in --tree --wakers --chains '--events -v -s'; do
		# shellcheck disable=SC2086 # views have several words
		"$report" $view "$scratch/$1.rwk" 2>&1
	done
	"$report" --info "$scratch/$1.rwk" 2>/dev/null | grep '^  note '
}
without_files() { sed -E 's@( of )(/[^ ,]+|file#[0-9]+)@\1FILE@; s@(on futex 0x[0-9a-f]+ in )[^ ]+@\1FILE@'; }

# found NAME: the words of the stack of `deep` that are in the trace.
found() { python3 -B "$here/tests/canaries.py" "$scratch/$1.rwk" "$scratch/words" --chunks; }

test_condense() {
	sed -n 's/^stack /text /p' "$scratch/all.out" >"$scratch/words"
	check_equal "the canary was on the stack" "$(cat "$scratch/words")" "$(found all)"
	run_ok condense "$report" --condense "$scratch/all.rwk" -o "$scratch/small.rwk" || return
	check "condensed: all reports are the same" cmp <(shown all | without_files) <(shown small | without_files) ||
		diff <(shown all) <(shown small) | head -n 10 >&2
	check_equal "condensed: the canary is gone" "" "$(found small)"
	"$report" --dump "$scratch/small.rwk" >"$scratch/dump"
	check "condensed: no snapshots, and no unwind information" lacks -E \
		'type SNAPSHOTS|^  snapshot |snapshot=[1-9]|^  embed-unwind |meta key=.command_line' "$scratch/dump"
	check "condensed: the other reader agrees" cmp -s "$scratch/dump" <(python3 -B "$here/tests/rwk_dump.py" "$scratch/small.rwk")
	check "condensed: it is smaller" [ "$(stat -c %s "$scratch/small.rwk")" -lt "$(stat -c %s "$scratch/all.rwk")" ]
}

need_recording
need_tool python3
recorded all "$record" -p 0 --offcpu 0 --wakers --trace syscalls:sys_enter_clock_nanosleep --dwarf --sw-perf --force \
	-o "$scratch/all.rwk" -- "$workloads/frameless" "$SECONDS_LONG"
test_samples
test_truncated
test_waits
test_hits
test_frame_pointers_do_not
test_astray
test_what_is_in_the_file
test_condense
test_size_and_frequency
finish
