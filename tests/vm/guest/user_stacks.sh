# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A task in D, and one whose mm lock is held: walks with user stacks, and waits that do not end. Snapshots of user
# stacks from every source, of a load without frame pointers. Judged by tests/vm/test_user_stacks.sh.
. /lib.sh

devices_make || exit 1
dm suspend raw || exit 1
mmlock "$raw" >>/out/truth 2>>/out/waiters.err &
holder=$!
until_true 50 in_state mm-reader D
until_true 50 in_state mm-writer D
start w-vfork vfork
until_true 50 in_state w-vfork D
# The lock is still held when the deadline has passed.
timeout -s KILL 1 cat "/proc/$holder/maps" >/dev/null 2>&1
[ $? -eq 137 ] && echo "held $holder" >>/out/truth
have_recorder || exit 0

record kernel-only --no-objects --embed=none
record frames -u --no-objects --embed=min
record dwarf --dwarf --no-objects --embed=min
record all -a -u --no-objects --embed=none
objects=--no-objects
is_long && objects=
# The load begins when the recorder is ready, because starting up takes most of the time.
record events -p 60 --offcpu 60 --wakers --trace syscalls:sys_enter_write --dwarf -f 200 -c '^(frames|w-|mm-)' --system-wide $objects \
	--embed=min -- frames 3
exit 0
