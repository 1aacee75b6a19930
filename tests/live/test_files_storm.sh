#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# An unprivileged user maps more files than the recorder can number, each once. A program that root starts afterwards
# has its names all the same, and so has another user's.
# two tries: names are read by processes with deadlines, which pass if the host takes the processor away.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool setpriv objcopy
villain=65533 other=65531

as_user() { exec setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }
files=$((16384 + 4000)) # MODULE_TABLE_MAX
chmod 755 "$scratch"
cp "$workloads/burn" "$scratch/burn"
cp "$workloads/burn" "$scratch/burn_other"
objcopy --remove-section=.note.gnu.build-id "$scratch/burn_other" # else it would be the same file
cp "$workloads/copies" "$scratch"
mkdir -m 777 "$scratch/many"

begin_recorder t -p 0 -u -o "$scratch/t.rwk"
(as_user $villain "$scratch/copies" many "$scratch/many" $files >"$scratch/storm.out" 2>"$scratch/storm.err") &
children="$children $!"
wait_for 120 grep -q 'done' "$scratch/storm.out" || die "the storm does not end"
start "$scratch/burn" burner 600 user 10
(as_user $other "$scratch/burn_other" other 600 user 10) &
children="$children $!"
for comm in burner other; do
	wait_for 60 has_samples "$scratch/t.rwk" 100 "^$comm;" || die "no samples of $comm"
done
end_recorder t
"$report" --folded --no-local-files "$scratch/t.rwk" >"$scratch/folded" 2>"$scratch/report.err"
check "the storm has filled its share" grep -q 'mapped files beyond the limit' <("$report" --info "$scratch/t.rwk")
for comm in burner other; do
	check_number "$comm: share with a name" "$(folded_share "$scratch/folded" "^$comm;.*;burn_user(;| )" "^$comm;") > 0.8" ||
		"$report" --info "$scratch/t.rwk" | grep -E 'burn' >&2
done
finish
