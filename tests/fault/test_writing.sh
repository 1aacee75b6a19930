#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every call of the write path fails the n-th time it is made (write_faults.c); a writer is killed at random moments, at
# CHECK_LEVEL=long 500 times (kill.c); a disk is full: a tmpfs of 64 KiB, 128 KiB ... 4 MiB, each written to until it is full
# (full_disk.c). If we may not mount in a namespace of our own, the in-memory disks of write_faults.c remain.
# time-limit: 1200

set -u
cd "$(dirname "$0")/../.." || exit 1
programs=$PWD/${BUILD:-build}/tests/fault

full_disks()
{
	local disk size sizes=0 bad=0 said
	disk=$(mktemp -d) || exit 1
	trap 'rmdir "$disk"' EXIT
	for ((size = 64; size <= 4096; size += 64)); do
		mount -t tmpfs -o "size=${size}k" none "$disk" || { echo "not ok full-disk - cannot mount a tmpfs"; exit 1; }
		said=$("$programs/full_disk" "$disk/trace.rwk") || { bad=$((bad + 1)); echo "not ok full-disk-${size}k - $said"; }
		((size % 1024)) || echo "# ${size} KiB: $said"
		umount "$disk"
		sizes=$((sizes + 1))
	done
	((bad)) || echo "ok full-disk ($sizes sizes)"
	exit $((bad > 0))
}

[[ ${1:-} != inside ]] || full_disks
failed=0
"$programs/write_faults" || failed=1
"$programs/kill" || failed=1
if unshare --mount true 2>/dev/null; then
	unshare --mount --propagation private "$0" inside || failed=1
else
	echo "skip full-disk - no right to mount (needs root)"
fi
exit $failed
