# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# One recording of everything, of workloads that know their waits and of a task that a suspended disk holds; then
# recordings with options that load other parts of the BPF programs. Judged by tests/vm/test_core.sh.
. /lib.sh

work() { # NAME KIND ARGUMENT...
	work_name=$1
	shift
	waits "$@" >"/out/$work_name.truth" || echo "VM-FAIL: 'waits $*' ended with $?"
}

# loads OPTION... : /out/loads gets the recording's name and its options
number=0
loads() {
	number=$((number + 1))
	echo "load-$number $*" >>/out/loads
	record load-$number --offcpu 0.1 --embed=none "$@"
}

if [ "${1:-}" = work ]; then
	work sleeps sleeps 1
	work chain chain 10
	calls plan 1 /tmp/f >/out/calls.truth
	exit
fi
devices_make || exit 1
dm suspend raw || exit 1
start w-read read "$raw" 4096
until_true 50 in_state w-read D
record everything --force -p 0 --offcpu 0 --wakers -u -a --kfunc vfs_write --trace sys_enter_openat --embed=min --system-wide -- sh /test.sh work
for options in '--no-objects -m 0 -u' '--dwarf --wakers -m 0 --trace sys_exit_write' '--flight 1m -p 0 --max-memory 128M --max-cpu 5'; do
	# shellcheck disable=SC2086
	loads -d 1 $options
done
if is_long; then
	for least in '' '-m 0'; do
		for stacks in '' -u --dwarf; do
			for wakers in '' --wakers; do
				for objects in '' --no-objects; do
					# shellcheck disable=SC2086
					loads $least $stacks $wakers $objects
				done
			done
		done
	done
fi

# Two hosts that must be refused.
stopwatch old-kernel 0 uname26 rwalker-record -o /out/old.rwk -p 1 >/out/old-kernel.out 2>/out/old-kernel.err
mount -t tmpfs none /sys/kernel/btf
stopwatch no-btf 0 rwalker-record -o /out/btf.rwk -p 1 >/out/no-btf.out 2>/out/no-btf.err
exit 0
