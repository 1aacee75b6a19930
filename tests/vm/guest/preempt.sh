# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Kernel functions on a CPU whose tasks preempt each other everywhere (preempt=full): four programs that read and write one byte at
# a time. Judged by tests/vm/test_points.sh.
. /lib.sh

four='for i in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=1 count=10000 & done; wait'

have_recorder || exit 0
mount -t debugfs debugfs /sys/kernel/debug
grep -q '(full)' /sys/kernel/debug/sched/preempt || { echo "VM-FAIL: not preemptible"; exit 1; }

for run in two four; do : >/out/$run.truth; done # no calls are reported one by one
record two --kfunc vfs_read --kfunc vfs_write -- sh -c "$four"
record four --kfunc vfs_read --kfunc vfs_write --kfunc ksys_read --kfunc ksys_write -- sh -c "$four"
exit 0
mount -t debugfs debugfs /sys/kernel/debug
grep -q '(full)' /sys/kernel/debug/sched/preempt || { echo "VM-FAIL: not preemptible"; exit 1; }

for run in two four inside; do : >/out/$run.truth; done # no calls are reported one by one
record two --kfunc vfs_read --kfunc vfs_write -- sh -c "$four"
record four --kfunc vfs_read --kfunc vfs_write --kfunc ksys_read --kfunc ksys_write -- sh -c "$four"
# The second one is called while a record is put into a ring, with the ring's lock held.
record inside --kfunc vfs_write --kfunc _raw_spin_unlock_irqrestore -- dd if=/dev/zero of=/dev/null bs=1 count=2000
exit 0
