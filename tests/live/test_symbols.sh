#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Symbol and offset of an address are what perf script prints for the same address: in
# the program, in libc, in the kernel. Address randomisation is off so that both see the
# same addresses, kernel addresses are kept on request.
. "$(dirname "$0")/lib.sh"

# "ADDRESS NAME+0xOFFSET" once per address, of perf's call chains. Leaf and callers alike
# are taken as they lie in the chain; perf's context marks and unknown names are left out.
perf_names() {
	perf script -i "$1" --comms "$2" -F ip,sym,symoff --no-inline 2>/dev/null |
		awk 'NF == 2 && $2 ~ /\+0x/ { print $1, $2 }' | sort -u
}

our_names() { # TRACE COMM
	"$report" --stacks -v -s -c "$2" "$1" |
		sed -nE 's/^ *0x0*([0-9a-f]+) ([^ ]+\+0x[0-9a-f]+)( .*)?$/\1 \2/p' | sort -u
}

record_both() { # WORKLOAD
	run_ok "$1" "$record" -u -f 4000 --keep-kernel-addresses -o "$scratch/$1.rwk" -- \
		bash -c 'beside_perf "$@"' - 4000 "$scratch/$1.data" setarch -R "$workloads/$1" 3
}

# A name that perf has for an address that we have too must be ours as well.
check_names() { # WORKLOAD LEAST
	local common different
	record_both "$1"
	perf_names "$scratch/$1.data" "$1" >"$scratch/$1.perf"
	our_names "$scratch/$1.rwk" "$1" >"$scratch/$1.ours"
	common=$(join <(awk '{ print $1 }' "$scratch/$1.perf" | sort -u) \
		<(awk '{ print $1 }' "$scratch/$1.ours" | sort -u) | wc -l)
	check_number "$1: addresses that both saw: $common" "$common >= $2"
	different=$(join "$scratch/$1.perf" "$scratch/$1.ours" | same_or_alias)
	check_equal "$1: addresses with another name" "" "$different"
}

# Two names are the same where the kernel or the program has both at one place: the offsets
# are equal and the linker's table lists both names with one value.
same_or_alias() {
	local address theirs ours
	while read -r address theirs ours; do
		[ "$theirs" = "$ours" ] && continue
		[ "${theirs##*+}" = "${ours##*+}" ] && is_alias "${theirs%+*}" "${ours%+*}" && continue
		echo "$address perf $theirs, ours $ours"
	done | head -5
}

is_alias() { # NAME NAME
	local value
	value=$(value_of "$1")
	[ -n "$value" ] && [ "$value" = "$(value_of "$2")" ]
}

value_of() { awk -v name="$1" '{ sub(/@.*/, "", $3) } $3 == name { print $1; exit }' "$scratch/tables"; }

make_tables() {
	local libc
	libc=$(ldd "$workloads/cpu_paths" | awk '/libc\.so/ { print $3 }')
	{ cat /proc/kallsyms; nm -D "$libc"; nm "$workloads/cpu_paths"; } >"$scratch/tables" 2>/dev/null
}

need_recording
need_tool perf setarch nm ldd
make_tables
check_names cpu_paths 10
check_names kernel_paths 100
finish
