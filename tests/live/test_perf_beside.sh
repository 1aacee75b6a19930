#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# perf record, which runs beside rwalker-record -u while short-lived processes come and go, records as it would alone:
# it does not fail, no mapping record says that it carries a build-id, and its build-ids are those of the files.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool perf readelf python3
runs=$(at_level 2 30)

storm() { while :; do /bin/true; sh -c '/bin/true; :'; done; }

# flagged DATA: how many mapping records say that they carry a build-id.
flagged() {
	python3 - "$1" <<'PYTHON'
import struct, sys

MMAP2, CARRIES_BUILD_ID = 10, 1 << 14
data = open(sys.argv[1], "rb").read()
at, size = struct.unpack_from("<QQ", data, 40)  # of the records, in the file's header
end, flagged, mappings = at + size, 0, 0
while at + 8 <= end:
    kind, misc, length = struct.unpack_from("<IHH", data, at)
    mappings += kind == MMAP2
    flagged += kind == MMAP2 and bool(misc & CARRIES_BUILD_ID)
    at += max(length, 8)
print(flagged if mappings else "no mappings")
PYTHON
}

# wrong_ids DATA: the files whose build-ids are not theirs.
wrong_ids() {
	local id path
	perf buildid-list -i "$1" 2>"$scratch/list.err" | while read -r id path; do
		[ ! -f "$path" ] || readelf -n "$path" 2>/dev/null | grep -q "Build ID: $id\$" || echo "$path $id"
	done
}

# Of the listeners, the kernel serves the latest one first.
record_beside() { # NUMBER HOW...
	local number=$1 recorder listener
	perf record -N -a -F 99 "${@:2}" -o "$scratch/perf.data" -- sleep 2 >"$scratch/perf.out" 2>&1 &
	listener=$!
	pause $((number % 10 * 100000))
	"$record" -u -p 1 --force -o "$scratch/own.rwk" 2>"$scratch/own.err" &
	recorder=$!
	wait $listener
	check_equal "$number: perf record ${*:2}" 0 $?
	wait $recorder
	check_equal "$number: rwalker-record" 0 $?
	check_equal "$number: records that are flagged" 0 "$(flagged "$scratch/perf.data")"
	check_equal "$number: build-ids" "" "$(wrong_ids "$scratch/perf.data")"
}

start storm
for ((i = 0; i < runs; i++)); do
	if ((i % 2)); then record_beside $i --call-graph dwarf; else record_beside $i -g; fi
done
check_number "perf found build-ids" "$(perf buildid-list -i "$scratch/perf.data" 2>/dev/null | wc -l) > 0"
finish
