# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A mount that hangs: its file system is frozen, so that whoever writes to it waits in D. It is thawed after the recording.
mount -t ext4 /dev/vdb /mnt/a
: >/mnt/a/archive
fsfreeze --freeze /mnt/a
build/samples/case_mount /mnt/a/archive &
writers=$!
trouble() { sleep 2; }
record_while trouble -a --offcpu 2 --wakers -u
fsfreeze --unfreeze /mnt/a
wait "$writers"
umount /mnt/a
cause '^story [12] +backup blocked in percpu_rwsem_wait'
cause 'longest in D: (backup|nightly_report) tid'
