# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Starts recordings of waits with options that load other parts of the BPF programs. Judged by tests/vm/test_loads.sh.
. /lib.sh

number=0
# loads OPTION... : /out/loads gets the recording's name and its options
loads() {
	number=$((number + 1))
	echo "load-$number $*" >>/out/loads
	record load-$number --offcpu 0.1 --embed=none "$@"
}

have_recorder || exit 0
loads -m 0 -u --wakers
loads -u --wakers -c '^a|b$|sh'
loads -m 0 -u --no-objects
loads -m 0 --dwarf --wakers --no-objects
loads --dwarf --wakers
loads -u --flight 1m --max-memory 128M --max-cpu 5 -d 1
is_long || exit 0
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
exit 0
