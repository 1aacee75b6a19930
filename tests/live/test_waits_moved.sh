#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Threads that are moved to another CPU while they sleep: since Linux 6.12 the kernel charges such a sleep to the run
# queue. The recorder does not, with and without wakers.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

readonly WANTED=5
rounds=$(at_level 60 400)

moved() { # NAME 'OPTIONS' [at-wakeup]
	# shellcheck disable=SC2086 # the options are words
	recorded "$1" "$record" --force --offcpu 0 $2 -o "$scratch/$1.rwk" -- "$workloads/moved_asleep" "$rounds" "$WANTED"
	judged python3 -B "$here/tests/live/moved_check.py" "$report" "$scratch/$1.rwk" "$scratch/$1.out" "$1" "${@:3}"
}

need_offcpu
[ "$(allowed_cpus | wc -l)" -ge 2 ] || skip "a thread is moved from one CPU to another: two are needed"
moved plain ''
moved wakers '--wakers' at-wakeup
moved every '-m 0'
finish
