#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The unwind information in a trace with --dwarf, whole or for the functions that were hit: the reader finds the stacks
# by it alone, also after kill -9 and --finalize. A section that is too large is embedded for those functions only.
. "$(dirname "$0")/lib.sh"

bare=$scratch/bare			# has .eh_frame
debug=$scratch/debug			# has .debug_frame instead
path='main;bare_outer;bare_middle;bare_leaf'

build_bare() { # FILE OPTION...
	local file=$1
	shift
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls "$@" \
		"$here/tests/live/workloads/plug/no_frame_pointers.c" -o "$file" ||
		die "cannot build '$file'"
}

# check_path TRACE COMM PATH: most samples of the program show who called whom, by what is in the trace.
check_path() {
	folded "$1" -c "^$2\$" --no-local-files >"$scratch/folded"
	check_number "$(basename "$1"): samples" "$(folded_sum "$scratch/folded") > 100"
	check_number "$(basename "$1"): share with the path" \
		"$(folded_share "$scratch/folded" "$(path_ere "$3")") > 0.7"
}

test_min() {
	embedded min "$record" --dwarf -f 999 --embed min -o "$scratch/min.rwk" -- "$bare" 0.5 || return
	check_path "$scratch/min.rwk" bare "$path"
}

# Compressed sections, as Go's linker makes them by default: with zlib, old and new style.
test_packed() {
	local how
	for how in zlib zlib-gnu; do
		objcopy --compress-debug-sections=$how "$debug" "$scratch/packed-$how" 2>"$scratch/objcopy.err" ||
			die "objcopy: $(<"$scratch/objcopy.err")"
		check "$how: it is packed" eval \
			"readelf -SW '$scratch/packed-$how' | grep -qE ' \\.zdebug_frame | \\.debug_frame .* C '"
	done
	# shellcheck disable=SC2016 # the inner shell's words
	embedded packed "$record" --dwarf -f 999 -o "$scratch/packed.rwk" -- \
		sh -c 'for how in zlib zlib-gnu; do "$0-$how" 0.5; done' "$scratch/packed" || return
	for how in zlib zlib-gnu; do check_path "$scratch/packed.rwk" "packed-$how" "$path"; done
}

# mostly_with_path TRACE: whether a trace that is being written has enough samples, most of them with the program's
# path.
mostly_with_path() {
	has_samples "$1" 300 "^bare;" || return
	"$report" --folded -c bare "$1" >"$scratch/so_far" 2>/dev/null
	awk "BEGIN { exit !($(folded_share "$scratch/so_far" "$(path_ere "$path")") > 0.8) }"
}

# Killed, then finalized twice.
record_killed() {
	rm -f "$scratch/killed.rwk"
	"$record" -p 0 --dwarf -f 999 -c '^bare$' -o "$scratch/killed.rwk" 2>"$scratch/killed.err" &
	recorder=$!
	start "$bare" 60
	# The program started at the same time, so the recorder may read its mappings after its first samples.
	wait_for 60 mostly_with_path "$scratch/killed.rwk" || fail "the recorder wrote nothing"
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	kill "$started"
	cp "$scratch/killed.rwk" "$scratch/killed_min.rwk"
	run_ok finalize "$record" --finalize "$scratch/killed.rwk"
	run_ok finalize_min "$record" --embed min --finalize "$scratch/killed_min.rwk"
}

# The reader finds the same stacks from the functions that were hit as from whole sections.
test_finalize() {
	local try
	for try in 1 2 3 4 5; do
		record_killed
		if embedded_in_time "$scratch/killed.rwk" && embedded_in_time "$scratch/killed_min.rwk"; then break; fi
		echo "# killed: a file was not opened in time, try $try"
	done
	check_path "$scratch/killed.rwk" bare "$path"
	folded "$scratch/killed.rwk" -v >"$scratch/all"
	folded "$scratch/killed_min.rwk" -v >"$scratch/hit"
	check "the same stacks by all entries and by those that were hit" cmp -s "$scratch/all" "$scratch/hit"
}

build_big() { # NAME BYTES
	${CC:-cc} -shared "-DNAME=$1" "-DBYTES=$2" "$here/tests/live/workloads/plug/big_unwind.S" \
		-o "$scratch/$1.so" || die "cannot build '$1.so'"
}

# 64 MB in all: a larger section is never embedded whole. The stack that leads through all files is complete.
test_budget() {
	build_big big_huge 70000000
	build_big big_first 100000
	build_big big_second 100000
	cat >"$scratch/through.c" <<-'END'
		#include <time.h>
		void big_huge(void (*callee)(void)), big_first(void (*callee)(void)), big_second(void (*callee)(void));
		static void step_burn(void)
		{
			for (clock_t end = clock() + CLOCKS_PER_SEC; clock() < end;)
				for (volatile int i = 0; i < 100000; i++)
					;
		}
		static void step_second(void) { big_second(step_burn); __asm__ volatile(""); }
		static void step_first(void) { big_first(step_second); __asm__ volatile(""); }
		int main(void) { big_huge(step_first); return 0; }
	END
	${CC:-cc} -O1 -fomit-frame-pointer "$scratch/through.c" -Wl,-rpath,"$scratch" \
		"$scratch"/big_{huge,first,second}.so -o "$scratch/through" || die "cannot build 'through'"
	embedded big "$record" --dwarf -f 999 -o "$scratch/big.rwk" -- "$scratch/through" || return
	check_path "$scratch/big.rwk" through "main;big_huge;step_first;big_first;step_second;big_second;step_burn"
	check "the trace is small" [ "$(stat -c %s "$scratch/big.rwk")" -lt 5000000 ]
}

need_recording
need_tool readelf objcopy "${CC:-cc}"
build_bare "$bare"
build_bare "$debug" -g -fno-asynchronous-unwind-tables -fno-unwind-tables
test_min
test_packed
test_finalize
test_budget
finish
