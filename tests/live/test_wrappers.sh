#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# With -u, the callers of functions without a frame record (workloads/wrappers.c): libc's wrappers of system calls, and
# leaves that compute, whose CPU time by caller the program knows. --dwarf has the same waits. A word that merely lies
# where a return address might is not taken for one, and a caller that cannot be proved is said to be missing.
. "$(dirname "$0")/lib.sh"

# share FILE LEAF ERE: of the weight of the stacks that match LEAF, the percentage that also matches ERE.
share() {
	leaf=$2 re=$3 awk '$0 ~ ENVIRON["leaf"] { all += $NF; with += $0 ~ ENVIRON["re"] ? $NF : 0 }
		END { print all ? 100 * with / all : -1 }' "$1"
}

need_offcpu
[ "$(uname -m)" = x86_64 ] || skip "the workload's leaves are x86-64"

for way in -u --dwarf; do
	recorded "$way" "$record" --force "$way" -f 997 --sw-perf -p 0 --offcpu 0 --wakers -o "$scratch/w$way.rwk" -- "$workloads/wrappers"
	"$report" --no-local-files -q --folded --source cpu -c '^wrappers$' "$scratch/w$way.rwk" >"$scratch/cpu$way" 2>/dev/null
	"$report" --no-local-files -q --folded --source offcpu -c '^wrappers$' --class blocked -U "$scratch/w$way.rwk" >"$scratch/waits$way" 2>/dev/null
	"$report" --no-local-files -q --chains -c '^wrappers$' "$scratch/w$way.rwk" >"$scratch/chains$way" 2>/dev/null
done

# Every wait of the main thread, by the function that called the library.
for name in sleep read poll; do
	for way in -u --dwarf; do
		check "$way: $name: the whole chain" grep -qE "^wrappers;(.*;)?main;wr_outer_$name;wr_inner_$name;[^[]*$" "$scratch/waits$way"
		check "$way: $name: never without its caller" lacks "wr_outer_$name;[^w]" "$scratch/waits$way"
	done
done
check "futex: the caller, beyond one that uses the frame pointer" grep -q 'wait_for_condition' "$scratch/waits-u"
check "the verdict names who called" grep -q 'hrtimer_nanosleep (wr_inner_sleep)' "$scratch/chains-u"
check "and never who called that" lacks '(wr_outer' "$scratch/chains-u"

# The shares of CPU time by caller, in points of the leaf's.
all=$(awk '/^wr_(one|two)/ { sum += $2 } END { print sum }' "$scratch/-u.out")
for name in wr_one wr_two; do
	truth=$(awk -v name=$name -v all="$all" '$1 == name { print 100 * $2 / all }' "$scratch/-u.out")
	seen=$(share "$scratch/cpu-u" ';wr_leaf(;| [0-9]+$)' ";measure;$name;wr_leaf")
	check_number "$name: $seen % of the leaf, $truth by its clock" "($seen - $truth) ^ 2 <= 4"
done
check_number "wr_leaf: samples with another caller" "$(share "$scratch/cpu-u" ';wr_leaf(;| [0-9]+$)' ';measure;wr_(one|two);wr_leaf') == 100"
check_number "wr_pusher: by its caller, not by a word that it pushed" "$(share "$scratch/cpu-u" ';wr_pusher(;| [0-9]+$)' ';measure;wr_push;wr_pusher') >= 99.9"
check "wr_decoy called nothing" lacks ';wr_decoy;' "$scratch/cpu-u"
check_number "wr_hidden: its caller is known, and what is beyond is said to be missing" \
	"$(share "$scratch/cpu-u" ';wr_hidden(;| [0-9]+$)' '^wrappers;\[caller unknown\];wr_hides;wr_hidden') >= 99"
finish
