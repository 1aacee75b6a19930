#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The trace has the function names of a stripped Go program, as Debian ships them. They are in its .gopclntab, which
# another reader lists for comparison. The report reads no files of this machine.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool gron python3 readelf
program=$(command -v gron)
check "it is stripped" eval "! readelf -SW '$program' | grep -q '\.symtab'"
awk 'BEGIN { printf "["; for (i = 0; i < 100000; i++) printf "{\"a\":%d,\"b\":[\"x\",{\"c\":null}]},", i; print "1]" }' \
	>"$scratch/in.json"
run_ok go "$record" -u -f 999 -o "$scratch/go.rwk" -- sh -c "'$program' '$scratch/in.json' >/dev/null"
mkdir "$scratch/empty"
folded "$scratch/go.rwk" -U -c gron --symfs "$scratch/empty" --debug-dir "$scratch/empty" >"$scratch/go.folded"
check_number "samples" "$(folded_sum "$scratch/go.folded") > 200"
# Its frame sizes are there as well: with them, callers are exact, whether its memory was copied or not.
run_ok dwarf "$record" --dwarf -f 499 -o "$scratch/dwarf.rwk" -- sh -c "'$program' '$scratch/in.json' >/dev/null"
folded "$scratch/dwarf.rwk" -U -c gron --symfs "$scratch/empty" --debug-dir "$scratch/empty" >"$scratch/dwarf.folded"
for way in go dwarf; do
	check_number "$way: share that ends where goroutines and threads begin" \
		"$(folded_share "$scratch/$way.folded" '^gron;(runtime\.(goexit|mstart|rt0_go|clone)|_rt0_)') > 0.9"
	check_number "$way: share with an unknown caller" \
		"$(folded_share "$scratch/$way.folded" '\[caller unknown\]') < 0.03"
done
check_number "share of samples in functions of main" "$(folded_share "$scratch/go.folded" ';main\.') > 0.3"
check_number "share of samples with a frame of the program that has no name" \
	"$(folded_share "$scratch/go.folded" '\[gron\]') < 0.02"
# Each function in its .gopclntab (Go 1.18 and later), by src/debug/gosym/pclntab.go's description of it.
python3 - "$program" >"$scratch/names" <<'END'
import struct
import subprocess
import sys

path = sys.argv[1]
data = open(path, "rb").read()
for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout.splitlines():
    words = line.split("]", 1)[-1].split()
    if words and words[0] in (".gopclntab", ".data.rel.ro.gopclntab"):
        address, offset, size = (int(word, 16) for word in words[2:5])
        table = data[offset : offset + size]

magic, _, _, pointer = struct.unpack_from("<IHBB", table)
assert magic in (0xFFFFFFF0, 0xFFFFFFF1) and pointer == 8
count, _, text, names, _, _, _, functions = struct.unpack_from("<8Q", table, 8)
for number in range(count):
    start, where = struct.unpack_from("<II", table, functions + 8 * number)
    end = struct.unpack_from("<I", table, functions + 8 * number + 8)[0]
    entry, name = struct.unpack_from("<II", table, functions + where)
    assert entry == start
    if end > start:
        begin = names + name
        print(table[begin : table.index(b"\0", begin)].decode())
END
sort -u "$scratch/names" >"$scratch/table"
sed 's/ [0-9]*$//' "$scratch/go.folded" | tr ';' '\n' | grep -E '^(main|runtime|encoding/json|sort|strings|os|fmt)\.' |
	sort -u >"$scratch/shown"
check_number "functions of Go that were seen" "$(wc -l <"$scratch/shown") > 20"
check_equal "names that the other reader does not know" "" "$(comm -23 "$scratch/shown" "$scratch/table" | head -3)"
finish
