#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Modules that come and go: two libraries at one place, a binary that was deleted, a
# program in another mount and pid namespace.
. "$(dirname "$0")/lib.sh"

# record_named NAME COMMAND...
record_named() {
	local name=$1
	shift
	run_ok "$name" "$record" -u -f 999 -o "$scratch/$name.rwk" -- "$@" || return
	folded "$scratch/$name.rwk" >"$scratch/$name.folded"
}

# check_function NAME FUNCTION LEAST: at least this share of the samples is in FUNCTION.
check_function() {
	local got
	got=$(folded_share "$scratch/$1.folded" ";$2(;| )")
	check_number "$1: share of $2 is $got" "$got >= $3"
}

# check_comm NAME COMM FUNCTION: what COMM did, it did there.
check_comm() {
	local got
	check_number "$1: samples of $2" "$(folded_sum "$scratch/$1.folded" "^$2;") > 50"
	got=$(folded_share "$scratch/$1.folded" ";$3(;| )" "^$2;")
	check_number "$1: share of $3 under $2 is $got" "$got >= 0.9"
}

build_plug() { # NAME
	${CC:-cc} -O1 -shared -fPIC -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		-DBURN="$1" "$here/tests/live/workloads/plug/plug.c" -o "$scratch/$1.so"
}

test_dlopen() {
	local places
	build_plug plug_first && build_plug plug_second || die "cannot build the shared objects"
	record_named dlopen "$workloads/dlopen" 100 "$scratch/plug_first.so" "$scratch/plug_second.so" ||
		return
	places=$(awk '/^base/ { print $3 }' "$scratch/dlopen.out" | sort -u | wc -l)
	check_equal "places the libraries were loaded at" 1 "$places"
	check_function dlopen plug_first 0.45
	check_function dlopen plug_second 0.45
}

test_deleted() {
	record_named deleted "$workloads/deleted" "$scratch/short_lived_file" 1 || return
	check "the workload deleted its file" [ ! -e "$scratch/short_lived_file" ]
	check_function deleted burn_deleted 0.9
}

test_namespaces() {
	mkdir "$scratch/place"
	record_named ns "$workloads/ns" "$scratch/place" 1 || return
	check "the path is not visible outside" [ ! -e "$scratch/place/inner" ]
	check_function ns burn_inside 0.9
}

# The same for a process that ran before the recording began.
test_already_running() {
	mkdir -p "$scratch/early_place"
	start "$workloads/deleted" "$scratch/early_file" 4
	start "$workloads/ns" "$scratch/early_place" 4
	sleep 0.5
	run_ok early "$record" -p 2 -u -f 999 -o "$scratch/early.rwk" || return
	folded "$scratch/early.rwk" >"$scratch/early.folded"
	check_comm early early_file burn_deleted
	check_comm early inner burn_inside
}

need_recording
test_dlopen
test_deleted
test_namespaces
test_already_running
finish
