#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A full disk of every size: a tmpfs of 64 KiB, 128 KiB ... 4 MiB, each written to until it is full.
# If we may not mount in a namespace of our own, the in-memory disks of write_faults.c remain.
# time-limit: 600

set -u
cd "$(dirname "$0")/../.." || exit 1
program=$PWD/${BUILD:-build}/tests/fault/full_disk

if [[ ${1:-} != inside ]]; then
	if ! unshare --mount true 2>/dev/null; then
		echo "no right to mount (needs root)"
		exit 77
	fi
	exec unshare --mount --propagation private "$0" inside
fi

disk=$(mktemp -d) || exit 1
trap 'rmdir "$disk"' EXIT
sizes=0 bad=0
for ((size = 64; size <= 4096; size += 64)); do
	if ! mount -t tmpfs -o "size=${size}k" none "$disk"; then
		echo "not ok full-disk - cannot mount a tmpfs"
		exit 1
	fi
	said=$("$program" "$disk/trace.rwk") || { bad=$((bad + 1)); echo "not ok full-disk-${size}k - $said"; }
	((size % 1024 == 0)) && echo "# ${size} KiB: $said"
	umount "$disk"
	sizes=$((sizes + 1))
done
((bad == 0)) && echo "ok full-disk ($sizes sizes)"
exit $((bad > 0))
