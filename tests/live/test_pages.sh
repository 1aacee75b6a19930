#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# For which pages of which files threads waited, by read and where the file is mapped, against a workload that knows which are not in
# memory.
# two tries: a wait is shorter than -m, and has no record, if the disk is faster than that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

need_offcpu
rounds=$(at_level 200 2000)
case $(stat -f -c %T "$scratch") in
tmpfs | ramfs | overlayfs) skip "files are in memory" "the scratch folder is on no disk" ;;
esac

recorded pages "$record" --force --offcpu 0 -m 5us -o "$scratch/pages.rwk" -- "$workloads/pages" "$rounds" "$scratch/file"
cp "$scratch/pages.out" "$scratch/pages.truth"
check_equal "the workload waited in three ways" 3 "$(cut -d' ' -f1 "$scratch/pages.truth" | sort -u | wc -l)"
judged python3 -B "$here/tests/live/pages_check.py" "$scratch/pages.rwk" "$scratch/pages.truth" "$rounds"

"$report" --waits-on=page "$scratch/pages.rwk" >"$scratch/view" 2>/dev/null
check "--waits-on has the file" grep -qE " page +p-read +in pread64 on pages of $scratch/file\.read\$" "$scratch/view"
check "--events has the page" grep -qE "in pread64 on page [0-9]+ of $scratch/file\.read" <("$report" --events "$scratch/pages.rwk" 2>/dev/null)
check "--scrub leaves no inode" lacks -E "inode=$(stat -c %i "$scratch/file.read") " \
	<("$report" --scrub "$scratch/pages.rwk" -o "$scratch/public.rwk" 2>/dev/null && "$report" --dump "$scratch/public.rwk")
finish
