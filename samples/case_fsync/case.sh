# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Slow syncs: the disk answers at once, but the thread of the kernel that writes the journal gets no CPU.
mount -t ext4 /dev/vdb /mnt/a
build/samples/case_fsync /mnt/a/ledger 600 &
program=$!
until [ -s /mnt/a/ledger ]; do sleep 0.1; done
trouble() { sleep 2; }
record_while trouble -p 2 --offcpu 2 --wakers -u -f 499
kill -KILL "$program"
wait "$program" || true
umount /mnt/a
cause '^comms .*% reindex'
cause '^ +held by jbd2/vdb-8 waiting for a CPU'
cause '^pressure +CPU: runnable threads waited for [5-9][0-9]'
