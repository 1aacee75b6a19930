#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1800
# Our unwinder on what perf recorded with registers and stacks: at least as many frames per sample as perf itself
# finds (many times as many where perf cannot unwind), and each step equal to libdw's. CHECK_LEVEL=long: all programs,
# 4,000 samples each.

set -u
cd "$(dirname "$0")/../.." || exit 1
oracle=${BUILD:-build}/tests/oracle/against_perf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [[ $(uname -m) != x86_64 ]]; then
	echo "skip perf_oracle - its snapshots are x86-64"
	exit 77
fi
if [[ ! -x $oracle ]]; then
	echo "skip perf_oracle - built only where libdw-dev is"
	exit 77
fi
if ! perf record -q --buildid-mmap --no-bpf-event -o "$dir/try" -e cpu-clock --call-graph dwarf,16384 true 2>/dev/null >&2; then
	echo "skip perf_oracle - 'perf' is not installed, or may not record"
	exit 77
fi
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	durations='6 15 40 100' samples=4000
	programs='python3 perl git sqlite3 cc1 clang node rustc exceptions exceptions_static kubectl sorting_musl'
else
	durations='1 3 8' samples=400
	programs='perl exceptions exceptions_static'
fi

. tests/oracle/programs.bash

# The least number of our frames per frame of perf's. Where perf can unwind, it is a bit less than 1: a sample in
# execve() only has the stack of the next program, of which we use nothing. A static glibc has no table that perf's
# libunwind finds; V8, Go and musl have no call frame information.
declare -A ratio=([node]=4 [exceptions_static]=8 [kubectl]=8 [sorting_musl]=4)

# record NAME COMMAND...: runs the command over and over for some seconds. With build-ids: if another recorder on this
# machine asks for them, the kernel marks everybody's mapping records as having them, and perf without the option fails.
record()
{
	local name=$1
	shift
	# shellcheck disable=SC2016
	command perf record -q -m 16M --buildid-mmap --no-bpf-event -e cpu-clock -F 997 --call-graph dwarf,16384 -o "$dir/$name.data" -- \
		timeout "$seconds" sh -c 'while :; do "$@"; done' sh "$@" >/dev/null 2>&1 </dev/null
}

# Records longer if the machine is busy, to get enough samples.
record_enough()
{
	local name=$1 seconds

	for seconds in $durations; do
		record "$@"
		command perf script -F pid,tid,time,ip --ns --no-inline --max-stack 1024 -i "$dir/$name.data" \
			>"$dir/$name.txt" 2>"$dir/$name.err" </dev/null || return 1
		(($(grep -c ': *$' "$dir/$name.txt") >= samples * 5 / 4)) && break
	done
	return 0
}

perf()
{
	local name=$1 flags=()

	[[ $name = kubectl ]] && flags=(-g)
	if ! record_enough "$@"; then
		echo "not ok perf_$name - perf cannot read what it wrote: $(tail -n 1 "$dir/$name.err")"
		return
	fi
	timeout 300 "$oracle" ${VERBOSE:+-v} -n "$samples" -r "${ratio[$name]:-0.998}" "${flags[@]}" \
		"$name" "$dir/$name.data" "$dir/$name.txt" | tee -a "$dir/account"
	rm -f "$dir/$name.data" "$dir/$name.txt"
}

for program in $programs; do
	"program_$program" perf
done

# Ten programs and 40,000 samples, if they are installed.
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	count=$(grep -c '^ok ' "$dir/account")
	total=$(awk '/^# [a-z0-9_]+: [0-9]+ samples/ { total += $3 } END { print total + 0 }' "$dir/account")
	if ((count < 10)); then
		echo "skip perf_total - $count programs and $total samples; ten programs are wanted, and not all of them are here"
	elif ((total < 40000)); then
		echo "not ok perf_total - $total samples, 40000 are wanted"
	else
		echo "ok perf_total ($total samples of $count programs)"
	fi
fi
