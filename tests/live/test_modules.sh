#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Modules that come and go: two libraries at one address; a deleted binary and a program in another mount and pid namespace
# that ran before the recording began (test_elsewhere.sh has those that begin later); two programs with one build-id.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

# record_named NAME COMMAND...
record_named() {
	local name=$1
	shift
	run_ok "$name" "$record" --force -u -f 999 -o "$scratch/$name.rwk" -- "$@" || return
	folded "$scratch/$name.rwk" >"$scratch/$name.folded"
}

# check_function NAME FUNCTION LEAST: at least this share of the samples is in FUNCTION.
check_function() {
	local got
	got=$(folded_share "$scratch/$1.folded" ";$2(;| )")
	check_number "$1: share of $2 is $got" "$got >= $3"
}

# check_comm NAME COMM FUNCTION: all samples of COMM are in that function.
check_comm() {
	local got
	check_number "$1: samples of $2" "$(folded_sum "$scratch/$1.folded" "^$2;") > 50"
	got=$(folded_share "$scratch/$1.folded" ";$3(;| )" "^$2;")
	check_number "$1: share of $3 under $2 is $got" "$got >= 0.9"
}

# A shared object that workloads/dlopen.c loads. All have the same layout.
build_plug() { # NAME
	printf '#include "workload.h"\nBURNER(%s)\nvoid plug_run(uint64_t ns) { %s(ns); __asm__ volatile(""); }\n' "$1" "$1" |
		${CC:-cc} -D_GNU_SOURCE -I"$here/tests/live/workloads" -O1 -shared -fPIC -fno-omit-frame-pointer \
			-fno-optimize-sibling-calls -x c - -o "$scratch/$1.so"
}

test_dlopen() {
	local places
	build_plug plug_first && build_plug plug_second || die "cannot build the shared objects"
	record_named dlopen "$workloads/dlopen" 100 "$scratch/plug_first.so" "$scratch/plug_second.so" ||
		return
	places=$(awk '/^base/ { print $3 }' "$scratch/dlopen.out" | sort -u | wc -l)
	check_equal "places the libraries were loaded at" 1 "$places"
	# Both burn the same CPU time, in short turns. If one library were mistaken for the other, one of them would
	# have all samples, or too many.
	check_function dlopen plug_first 0.35
	check_function dlopen plug_second 0.35
	check_function dlopen 'plug_(first|second)' 0.9
}

# runs PID COMM: whether the process has that comm and has used a few ticks of CPU time.
runs() {
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ] && [ "$(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12)" -gt 2 ]
}

record_early() { # SECONDS
	run_ok early "$record" -p "$1" -u -f 999 --force -o "$scratch/early.rwk" &&
		has_samples "$scratch/early.rwk" 51 '^early_file;' && has_samples "$scratch/early.rwk" 51 '^inner;'
}

test_already_running() {
	local inner
	mkdir -p "$scratch/early_place"
	start "$workloads/copies" deleted "$scratch/early_file" 600
	wait_for 60 runs "$started" early_file || die "the first workload does not start"
	start "$workloads/copies" ns "$scratch/early_place" 600
	wait_for 60 pgrep -P "$started" -x inner >/dev/null || die "the second workload does not start"
	inner=$(pgrep -P "$started" -x inner)
	children="$children $inner"
	wait_for 60 runs "$inner" inner || die "the second workload does nothing"
	growing 2 record_early
	folded "$scratch/early.rwk" >"$scratch/early.folded"
	check_comm early early_file burn_deleted
	check_comm early inner burn_inside
}

# Programs that differ in their symbols only, made to have one build-id; and a copy, which is the same file.
test_one_build_id() {
	local fruit
	objcopy --dump-section .note.gnu.build-id="$scratch/id" "$workloads/churn_apple" || die "objcopy"
	for fruit in apple berry; do
		objcopy --update-section .note.gnu.build-id="$scratch/id" "$workloads/churn_$fruit" "$scratch/$fruit" || die "objcopy"
	done
	cp "$scratch/apple" "$scratch/again"
	record_named twins sh -c "'$scratch/apple' 200; '$scratch/berry' 200; '$scratch/again' 200" || return
	check_comm twins apple burn_apple
	check_comm twins berry burn_berry
	check_comm twins again burn_apple
	check "it says which file has another's build-id" grep -q "/berry' has the build-id of another file" "$scratch/twins.err"
	check "but not of a copy" lacks "/again' has" "$scratch/twins.err"
}

need_recording
command -v objcopy >/dev/null && test_one_build_id
test_dlopen
test_already_running
finish
