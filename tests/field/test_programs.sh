#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# Programs whose stacks are hard to unwind, each compared with its own call graph (programs/*.graph): no
# frame is wrong, no incomplete chain is called whole, names are the same as gdb's, and perf, with
# snapshots or by frame pointers, finds no more.
. "$(dirname "$0")/lib.sh"

sources=$field/programs
seconds=$(at_level 1 2)

# value NAME KEY: one of the checker's figures
value() { sed -nE "1s/.*\b$2=([0-9.]+).*/\1/p" "$scratch/$1.judged"; }

judge() { # NAME GRAPH TABLE
	python3 -B "$field/programs_check.py" stacks "$sources/$2.graph" "$scratch/$1.script" "${@:3}" >"$scratch/$1.judged" ||
		die "'$1' cannot be judged"
	figure "$1: $(head -n 1 "$scratch/$1.judged")"
}

runs() { [ "$(awk '{ print $14 }' "/proc/$started/stat" 2>/dev/null || echo 0)" -ge 20 ]; }

record_ours() { # NAME HOW
	run_ok "$1" "$record" --force --pid "$started" -p "$seconds" "$2" -o "$scratch/$1.rwk"
	"$report" --export perf-script -U -q "$scratch/$1.rwk" >"$scratch/$1.script" 2>"$scratch/$1.notes"
}

record_perf() { # NAME HOW
	perf record -q --buildid-mmap --no-bpf-event -e cpu-clock:u -F 499 --call-graph "$2" -p "$started" -o "$scratch/$1.data" \
		-- sleep "$seconds" 2>"$scratch/$1.err" || die "perf: $(tail -n 1 "$scratch/$1.err")"
	perf script --no-inline --no-demangle -F pid,ip,sym,symoff,dso -i "$scratch/$1.data" >"$scratch/$1.script" 2>/dev/null
}

# Asks gdb while the program still runs, because gdb needs its load address.
compare_names() { # NAME
	python3 -B "$field/programs_check.py" addresses "$scratch/$1.script" >"$scratch/$1.gdb"
	gdb -q -nx -batch -iex "set print demangle off" -p "$started" -x "$scratch/$1.gdb" >"$scratch/$1.answers" 2>"$scratch/$1.gdb-err" </dev/null
	python3 -B "$field/programs_check.py" names "$scratch/$1.script" "$scratch/$1.answers" >"$scratch/$1.judged"
	figure "$1, names beside gdb's: $(head -n 1 "$scratch/$1.judged")"
	check_number "$1: names" "$(value "$1" names) > 4"
	check_equal "$1: names that are not gdb's$(sed -n 's/^#//p' "$scratch/$1.judged")" "0 0" "$(value "$1" different) $(value "$1" missing)"
}

check_stacks() { # NAME WHOLE: the share of samples that are right from the leaf to where the program begins, at least
	local more
	more=$(sed -n 's/^#//p' "$scratch/$1.judged")
	check_number "$1: samples" "$(value "$1" stacks) > 50"
	check_equal "$1: frames that are wrong$more" 0 "$(value "$1" wrong)"
	check_equal "$1: chains that are called whole, and do not reach the program's begin$more" 0 "$(value "$1" false_roots)"
	check_number "$1: whole" "$(value "$1" whole) >= $2"
	check_number "$1: not more are called whole than are$more" "$(value "$1" rooted) <= $(value "$1" whole) + 0.0001"
}

# We and perf sample a program at different times: a difference of a tenth is allowed. The callers of code without a
# table (jitted) are unknown, and frames that perf shows there may be wrong.
check_perf() { # OURS PERF
	[[ $1 = jitted* ]] || check_number "$1: right frames per sample, perf's $(value "$2" right)" "$(value "$1" right) >= 0.9 * $(value "$2" right)"
	check_number "$1: whole chains, perf's $(value "$2" whole)" "$(value "$1" whole) >= $(value "$2" whole) - 0.05"
}

judge_program() { # NAME GRAPH WHOLE TABLE COMMAND...
	local name=$1 graph=$2 whole=$3 table=()
	[ -z "$4" ] || table=("$4")
	start_nobody "${@:5}" >"$scratch/$name.out" 2>&1
	wait_for 60 runs || die "'$name' does not run: $(tail -n 3 "$scratch/$name.out")"
	record_ours "$name" --dwarf
	record_perf "$name-perf" dwarf,65528
	record_ours "$name-u" -u
	record_perf "$name-perf-u" fp
	for kind in "$name" "$name-perf" "$name-u" "$name-perf-u"; do judge "$kind" "$graph" "${table[@]}"; done
	check_stacks "$name" "$whole"
	check_perf "$name" "$name-perf"
	check_perf "$name-u" "$name-perf-u"
	compare_names "$name"
	kill -KILL "$started"
	wait "$started" 2>/dev/null
}

build_programs() {
	cd "$private" || die "no folder"
	gcc -O2 -g -gz=zlib -fno-asynchronous-unwind-tables -fno-unwind-tables "$sources/frames.c" -o packed &&
		gcc -O2 -no-pie "$sources/frames.c" -o frames && strip -o stripped frames && nm -S frames >frames.nm &&
		musl-gcc -O2 -g -static "$sources/frames.c" -o musl &&
		cp "$sources/deep.ml" . && ocamlopt -o deep deep.ml &&
		cp "$sources/jitted.lua" . &&
		GOCACHE=$private/cache GOFLAGS=-trimpath go build -o cgo "$sources/cgo.go" || die "cannot build the programs"
}

need_recording
need_tool perf gdb python3
need_field gcc go musl-gcc ocamlopt luajit
make_private
build_programs >"$scratch/build.out" 2>&1
judge_program packed frames 0.99 '' ./packed
judge_program stripped frames 0.99 "$private/frames.nm" ./stripped
judge_program musl frames 0 '' ./musl # no table, no frame records: its stacks end, and are not called whole
judge_program cgo cgo 0.97 '' ./cgo
judge_program deep deep 0.95 '' ./deep
judge_program jitted jitted 0 '' luajit jitted.lua
finish
