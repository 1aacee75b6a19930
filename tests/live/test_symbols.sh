#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Symbol and offset of an address are those that perf script prints for the same address: in
# the program, in libc, in the kernel. Address randomisation is off, so both see the
# same addresses; an option keeps kernel addresses.
# two tries: compared with another recorder, which does not observe exactly the same moments.
. "$(dirname "$0")/lib.sh"

# "ADDRESS NAME+0xOFFSET" once per address of perf's call chains. Leaves and callers are used
# as they are in the chain; perf's context marks and unknown names are left out. So are BPF programs:
# they come and go, one at the address of another, and perf asks for them only at the end.
# For user code, perf prints the offset in the file; the start and file offset of the mappings,
# which it prints, too, turn it into an address. The last mapping of a file is the program's: those
# before it belong to setarch.
perf_names() { # DATA COMM
	perf script -i "$1" --comms "$2" -F ip,sym,symoff,dso --no-inline --show-mmap-events 2>/dev/null |
		perl -ne '
			if (/MMAP2? .*\[0x(\w+)\(.*\) @ (\w+) .*\]: r-xp (.*)/) {
				$moved{$3} = hex($1) - hex($2) if hex($1) < 1 << 63;
			} elsif (/^\s+([0-9a-f]+) ([^ @][^ ]*\+0x\w+) \((.*)\)$/ && $2 !~ /^bpf_prog_/) {
				push @frames, [hex $1, $2, $3];
			}
			END { printf "%x %s\n", $_->[0] + ($moved{$_->[2]} // 0), $_->[1] for @frames }' |
		LC_ALL=C sort -u
}

our_names() { # TRACE COMM
	"$report" --stacks -v -s -c "$2" "$1" |
		sed -nE 's/^ *0x0*([0-9a-f]+) ([^ ]+\+0x[0-9a-f]+)( .*)?$/\1 \2/p' | sort -u
}

record_both() { # WORKLOAD [ARGUMENT]
	run_ok "$1" "$record" --force -u -f 4000 --keep-kernel-addresses -o "$scratch/$1.rwk" -- \
		bash -c 'beside_perf "$@"' - 4000 "$scratch/$1.data" setarch -R "$workloads/$1" ${2-}
}

# add_names FILE: adds the names on the input to those in the file.
add_names() { LC_ALL=C sort -u - "$1" -o "$1"; }

# addresses_of FILE ERE: the addresses whose lines match.
addresses_of() { grep -E "$2" "$1" | cut -d' ' -f1 | LC_ALL=C sort -u; }

# If perf has a name for an address that we also have, ours must be the same. Enough addresses that
# match ERE must be among them. If the CPUs are busy, perf may lose most of its samples; because the
# addresses are the same each time, runs are added up until there are enough. The first run has them
# if one sample in ten arrives.
check_names() { # LEAST ERE WORKLOAD [ARGUMENT]
	local least=$1 ere=$2 common different try
	shift 2
	: >"$scratch/$1.perf"
	: >"$scratch/$1.ours"
	for try in 1 2 3 4 5 6; do
		record_both "$@"
		perf_names "$scratch/$1.data" "$1" | add_names "$scratch/$1.perf"
		our_names "$scratch/$1.rwk" "$1" | add_names "$scratch/$1.ours"
		common=$(comm -12 <(addresses_of "$scratch/$1.perf" "$ere") <(addresses_of "$scratch/$1.ours" '') | wc -l)
		[ "$common" -lt "$least" ] || break
	done
	check_number "$1: addresses of '$ere' that both saw, in $try runs: $common" "$common >= $least"
	different=$(join "$scratch/$1.perf" "$scratch/$1.ours" | without_aliases)
	check_equal "$1: addresses with another name" "" "$different"
}

# Prints the first few "ADDRESS THEIRS OURS" that do not mean the same. Two names are the same if a
# symbol table lists both with the same value, and the offsets are equal. perf names the byte at a
# return address, we the one before it: the return address of _start's call of _dl_start is the first
# byte of _dl_start_user, and those of the kernel's SRSO returns are in the next thunk.
without_aliases() {
	awk -v tables="$scratch/tables" '
		BEGIN {
			while ((getline line <tables) > 0) {
				split(line, field)
				sub(/@.*/, "", field[4])
				values[field[4]] = values[field[4]] " " field[1] ":" field[2]
			}
		}
		function name(text) { return substr(text, 1, match(text, /\+0x[^+]*$/) - 1) }
		function offset(text) { return substr(text, length(name(text)) + 1) }
		function same_place(one, other,  all, i, n) {
			n = split(values[one], all, " ")
			for (i = 1; i <= n; i++)
				if (index(values[other] " ", " " all[i] " "))
					return 1
			return 0
		}
		$2 == $3 || offset($2) == offset($3) && same_place(name($2), name($3)) { next }
		$2 == "_dl_start_user+0x0" && $3 ~ /^_start\+/ { next }
		$2 ~ /^srso_(alias_)?return_thunk\+0x0$/ && $3 ~ /^srso_(alias_)?safe_ret\+/ { next }
		{ print $1 " perf " $2 ", ours " $3 }' | head -5
}

# The vdso's code in memory.
dump_vdso() {
	python3 -c '
lines = [line.split() for line in open("/proc/self/maps")]
start, end = next([int(part, 16) for part in line[0].split("-")] for line in lines if line[-1] == "[vdso]")
memory = open("/proc/self/mem", "rb")
memory.seek(start)
open("'"$1"'", "wb").write(memory.read(end - start))'
}

# "FILE VALUE TYPE NAME" for everything that the workloads run; for libc, also the names of its debug file.
make_tables() {
	local libc id
	libc=$(ldd "$workloads/places" | awk '/libc\.so/ { print $3 }')
	id=$(readelf -n "$libc" | awk '/Build ID/ { print $3 }')
	dump_vdso "$scratch/vdso"
	{
		sed 's/^/kernel /' /proc/kallsyms
		nm "$workloads/places" | sed 's/^/places /'
		nm -D "$scratch/vdso" | sed 's/^/vdso /'
		{ nm -D "$libc"; nm "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"; } | sed 's/^/libc /'
	} >"$scratch/tables" 2>/dev/null
}

need_recording
need_tool perf setarch nm ldd readelf python3
make_tables
check_names 64 ' main\+' places # one return address for each of its 64 calls of 25 ms of CPU time
check_names 100 '^ffff' kernel_paths 3
finish
