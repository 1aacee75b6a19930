# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Control groups; waits for several descriptors, and for pages of files: the workloads of tests/live/test_ready.sh and test_pages.sh. Judged by
# tests/vm/test_ready.sh.
. /lib.sh

devices_make || exit 1
record_cgroups
record ready --force --offcpu 0 -m 500us --embed=none -- ready "${rounds:-20}"
cp /out/ready.out /out/ready.truth
record pages --force --offcpu 0 -m 5us --embed=none -- pages "${rounds:-20}" /mnt/a/file
cp /out/pages.out /out/pages.truth
record block --force --offcpu 0 -m 5us --embed=none -- dd if="$raw" of=/dev/null bs=64k count="${rounds:-20}"
stat -L -c '%t %T' "$raw" >/out/block.truth
exit 0
