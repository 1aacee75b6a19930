#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which pages of which files threads waited for, in read() and in mappings, compared with a workload that knows which
# pages are not in memory. Which block device, with dd on a loop device.
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
check_equal "the workload waited in four ways" 4 "$(cut -d' ' -f1 "$scratch/pages.truth" | sort -u | wc -l)"
judged python3 -B "$here/tests/live/pages_check.py" "$scratch/pages.rwk" "$scratch/pages.truth" "$rounds"

"$report" --waits-on=page "$scratch/pages.rwk" >"$scratch/view" 2>/dev/null
check "--waits-on has the file" grep -qE " page +p-read +in pread64 on pages of $scratch/file\.read\$" "$scratch/view"
check "--events has the page" grep -qE "in pread64 on page [0-9]+ of $scratch/file\.read" <("$report" --events "$scratch/pages.rwk" 2>/dev/null)
check "--scrub leaves no inode" lacks -E "inode=$(stat -c %i "$scratch/file.read") " \
	<("$report" --scrub "$scratch/pages.rwk" -o "$scratch/public.rwk" 2>/dev/null && "$report" --dump "$scratch/public.rwk")

loop=
if ! command -v losetup >/dev/null; then
	skip "block devices" "losetup is missing"
elif ! dd if=/dev/zero of="$scratch/disk" bs=1M count=4 status=none || ! loop=$(losetup -f --show "$scratch/disk" 2>"$scratch/said"); then
	skip "block devices" "no loop device: $(cat "$scratch/said")"
else
	number=$(printf '%d:%d' 0x"$(stat -c %t "$loop")" 0x"$(stat -c %T "$loop")")
	text="block device ${loop#/dev/} ($number)"
	recorded direct "$record" --force --offcpu 0 -m 1us -o "$scratch/direct.rwk" -- dd if="$loop" of=/dev/null bs=4k iflag=direct
	recorded buffered "$record" --force --offcpu 0 -m 1us -o "$scratch/buffered.rwk" -- \
		sh -c "blockdev --flushbufs $loop && exec dd if=$loop of=/dev/null bs=4k"
	losetup -d "$loop"
	check "a block device by O_DIRECT" grep -qF "in read of $text" <("$report" --waits-on=block -c '^dd$' "$scratch/direct.rwk" 2>/dev/null)
	check "pages of a block device" grep -qE "in read on page(s| [0-9]+) of ${text//[()]/.}" \
		<("$report" --waits-on=page "$scratch/buffered.rwk" 2>/dev/null)
	check "both readers print the same" cmp <("$report" --dump "$scratch/direct.rwk") <(python3 -B "$here/tests/rwk_dump.py" "$scratch/direct.rwk")
	run_ok condense "$report" --condense "$scratch/direct.rwk" -o "$scratch/small.rwk"
	check "--condense keeps the device" grep -qF "$text" <("$report" --waits-on=block "$scratch/small.rwk" 2>/dev/null)
	run_ok scrub "$report" --scrub "$scratch/direct.rwk" -o "$scratch/strange.rwk"
	check "--scrub keeps its name only" grep -qE "block device ${loop#/dev/} .[0-9:]+." <("$report" --waits-on=block "$scratch/strange.rwk" 2>/dev/null)
fi
finish
