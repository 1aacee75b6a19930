# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Snapshots of user stacks from every source, of a load without frame pointers. Judged by tests/vm/test_dwarf.sh.
. /lib.sh

have_recorder || exit 0
# Until it is killed: loading the programs may take a minute here.
frames 600 &
load=$!
record dwarf -p 3 --offcpu 3 --wakers --trace syscalls:sys_enter_write:3 --dwarf -f 200 -c frames
kill $load
exit 0
