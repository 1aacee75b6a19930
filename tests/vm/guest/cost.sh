# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A thread that only enters and leaves the kernel, alone and while waits are recorded, in turn: lines "ROUND NAME
# CPU-NS" in /out/cost. "hooked" is the cost if each call runs a BPF program: if that makes no difference, the
# measurement shows nothing. Read by tests/bench/kernels.py.
. /lib.sh

rounds=5
calls=300000

loop() { # COMMAND... : runs it, with the loop as its last arguments
	"$@" calls hot getppid $calls
}

# beside OPTION... : the same while the recorder runs
beside() { loop rwalker-record "$@" --system-wide --embed=none --force -o /tmp/cost.rwk -- 2>>/out/recorder.err; }

run_of() {
	case $1 in
	alone) loop env ;;
	default) beside --offcpu 0 ;;
	user) beside --offcpu 0 -u ;;
	wakers) beside --offcpu 0 --wakers -u ;;
	every) beside --offcpu 0 -m 0 ;;
	hooked) beside --trace sys_exit --rate-limit 1 ;;
	esac
}

have_recorder || exit 0
loop env >/dev/null # costs that only the first run has
round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	for name in $(shuf -e alone default user wakers every hooked); do
		run_of "$name" | sed -n "s/^path .* run=\([0-9]*\) .*/$round $name \1/p" >>/out/cost
	done
done
[ "$(wc -l </out/cost)" = $((rounds * 6)) ]
