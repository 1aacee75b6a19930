#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --dwarf where unwinding is hard, compared with the chains that the program is built to have
# (workloads/plug/hard_stacks.c): no caller is wrong, no incomplete chain is called whole, and each chain says why it ends.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

program=$scratch/hard
first='^hard;([^;]*;)*main;'
ends='^hard;\[no unwind information\];' # before a function without a table or a frame record, whatever lies on its stack

weight() { awk '{ sum += $NF } END { printf "%.0f\n", sum }'; }

# share_of RE_ALL RE_RIGHT: percentage of the samples matching the first that also match the second; -1 if there are
# too few.
share_of() {
	local all right
	all=$(grep -E -- "$1" "$scratch/folded" | weight)
	right=$(grep -E -- "$1" "$scratch/folded" | grep -E -- "$2" | weight)
	awk -v all="$all" -v right="$right" 'BEGIN { printf "%.2f\n", (all > 20 ? 100 * right / all : -1) }'
}

check_chain() { check_number "$1" "$(share_of "$2" "$3") >= 99"; } # NAME RE_ALL RE_RIGHT

check_chains() { # HOW
	check_chain "$1: pushes" ';hs_pushes;' "${ends}hs_pushes;hs_burn "
	check_chain "$1: a large frame" ';hs_large;hs_burn ' "${ends}hs_large;hs_burn "
	check_chain "$1: a large frame itself" ';hs_large ' "${ends}hs_large "
	check_chain "$1: no frame pointer" ';hs_clears;' "${ends}hs_clears;hs_burn "
	check_chain "$1: before a jump" ';hs_jumps ' "${ends}hs_jumps "
	check_chain "$1: behind a jump" ';hs_jumped ' "${ends}hs_jumped "
	check_chain "$1: a function that is returned to and was not called" ';hs_returned;' "${first}by_writes;hs_returned;hs_burn "
	check_chain "$1: a handler upon another" ';second_handler;' "${first}by_signals;.*first_handler;.*second_handler;hs_burn "
	check_chain "$1: a coroutine begins on a stack of its own" ';in_coroutine;' \
		'^hard;\[another stack\];([^;]*;)*coroutine;in_coroutine;hs_burn '
	check_chain "$1: a stack that was not in memory" ';hs_far ' '^hard;\[stack not in memory\];hs_far '
	check_number "$1: nothing is called too long" "$(awk '/\[truncated/ { n += $NF } END { print n + 0 }' "$scratch/folded") == 0"
}

fold() { # TRACE OPTION...
	local trace=$1
	shift
	folded "$trace" -U -c '^hard$' "$@" >"$scratch/folded"
}

need_recording
need_tool "${CC:-cc}"
[[ $(uname -m) = x86_64 ]] || skip "the program is x86-64 assembly"
${CC:-cc} -O2 -g "$here"/tests/live/workloads/plug/hard_stacks.{c,S} -o "$program" || die "cannot build '$program'"
embedded hard "$record" -p 0 --dwarf --sw-perf -c '^hard$' --force -o "$scratch/hard.rwk" -- "$program" 2500
fold "$scratch/hard.rwk"
check_chains "on its machine"
rooted=$(awk '!/\[(another stack|truncated|no unwind|bad return|too deep|stack not)/ { r += $NF } { a += $NF } END { printf "%.4f", r / a }' "$scratch/folded")
coroutines=$(folded_share "$scratch/folded" ';in_coroutine;')
check_number "rooted is nothing that has no caller" "$rooted <= 1.001 - $coroutines - $(folded_share "$scratch/folded" ';hs_(pushes|large|clears|jumps|jumped|far)[; ]')"
run_ok info "$report" --info "$scratch/hard.rwk"
check "code without a table is said" \
	grep -qE '^  note +[0-9]+ unwound stacks? .* ending in code without unwind information' "$scratch/info.out"
check "another stack is said" grep -qE '^  note +[0-9]+ unwound stacks? .* ending where another stack begins' "$scratch/info.out"
check "a stack that was not in memory is said" \
	grep -qE '^  note +[0-9]+ unwound stacks? .* without callers: the stack was not in memory' "$scratch/info.out"
check "and no larger --dwarf-size advised" lacks 'dwarf-size copies more' "$scratch/info.out"

mkdir "$scratch/empty"
fold "$scratch/hard.rwk" --symfs "$scratch/empty" --debug-dir "$scratch/empty"
check_chains "elsewhere"
run_ok condense "$report" --condense "$scratch/hard.rwk" -o "$scratch/small.rwk"
fold "$scratch/small.rwk"
check_chains "condensed"
finish
