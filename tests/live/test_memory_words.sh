#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A trace without --dwarf holds no words of a program's memory: what the kernel reads by following a register that is
# not a frame pointer is cut off before it is written. The test searches for the words of a list that a workload walks
# with that register, and for what the workload has on its stacks, in registers, on its heap, in its arguments and its
# environment. With --dwarf they are in the trace, and --condense removes them.
. "$(dirname "$0")/lib.sh"

# cut_stacks NAME: the number of stacks that were cut off at an address that is not code.
cut_stacks() { "$report" --no-local-files --info "$scratch/$1.rwk" | awk '$1 == "quality" && $3 == "user-astray:" { print $2 }'; }

take_words() { # NAME
	sed '/ready/d' "$scratch/$1.out" >"$scratch/$1.words"
	check_equal "$1: words, and secrets of 16 bytes" "128 64" \
		"$(grep -c '^word' "$scratch/$1.words") $(grep -c '^bytes' "$scratch/$1.words")"
}

# found NAME [OPTION]: prints the words that are found in the trace.
found() { python3 "$here/tests/canaries.py" "$scratch/$1.rwk" "$scratch/$1.words" "${@:2}"; }

record_words() { # NAME OPTION...
	local name=$1 cut
	shift
	run_ok "$name" "$record" -u -o "$scratch/$name.rwk" "$@" -- "$workloads/list_cursor" 1 || return
	take_words "$name"
	check_words "$name"
	cut=$(cut_stacks "$name")
	check_number "$name: stacks that would have had some: $cut" "0$cut > 0"
}

check_words() { # NAME
	check_equal "$1: words of memory in the trace" "" "$(found "$1" | head -3)"
	check "$1: the program's own frames are there" grep -q '^l[^;]*;.*\(follow\|nap_there\)' \
		<("$report" -q --folded -U "$scratch/$1.rwk" 2>/dev/null)
}

# A walk copies the thread's own stack and follows frame pointers only inside of it.
test_walk() {
	start "$workloads/list_cursor" 60 >"$scratch/walk.out"
	until grep -q ready "$scratch/walk.out"; do sleep 0.05; done
	until grep -q nanosleep "/proc/$started/task/"*/wchan 2>/dev/null || [ ! -d "/proc/$started" ]; do sleep 0.05; done
	take_words walk
	run_ok walk "$record" -a -u --pid "$started" -o "$scratch/walk.rwk"
	kill "$started"
	check_words walk
}

# canaries.py must find words in each form, and in a packed chunk.
test_finder() {
	python3 - "$scratch" <<-'END'
		import base64, sys
		scratch = sys.argv[1]
		open(scratch + "/fake.words", "w").write("word 7f0123456789\nword 7abcdef01234\nword 1122334455667788\n"
		    "bytes 00112233445566778899aabbccddeeff\nbytes f0e0d0c0b0a090807060504030201001\n"
		    "text a secret\ntext another one\ntext nowhere\n")
		open(scratch + "/fake.rwk", "wb").write(b"..." + (0x7f0123456789).to_bytes(8, "little") + b"1122334455667788" +
		    bytes.fromhex("ffeeddccbbaa9988")[::-1] + b"." + base64.b64encode(b"so: a secret, it is") + "other o".encode())
	END
	check_equal "the finder finds" "word 7f0123456789,word 1122334455667788,bytes 00112233445566778899aabbccddeeff,\
text a secret,text another one," "$(found fake | tr '\n' ,)"
}

# Stack memory holds the words, and --condense removes all of them.
test_condensed() {
	run_ok dwarf "$record" -p 0 -u --dwarf -o "$scratch/dwarf.rwk" -- "$workloads/list_cursor" 1 || return
	take_words dwarf
	check_number "dwarf: secrets in the trace" "$(found dwarf --chunks | grep -c '^bytes') > 32"
	run_ok condensed "$report" --condense --partial "$scratch/dwarf.rwk" -o "$scratch/condensed.rwk" || return
	cp "$scratch/dwarf.words" "$scratch/condensed.words"
	check_words condensed
}

need_recording
need_tool python3
test_finder
record_words cpu -p 0
record_words waits --offcpu 0 --wakers
record_words every-wait --offcpu 0 -m 0
record_words points --trace sched:sched_switch --rate-limit 1000
test_walk
test_condensed
finish
