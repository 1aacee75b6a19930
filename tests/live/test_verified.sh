#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A recording begins only when the kernel's verifier is done with the recorder's programs. It follows each path once
# for each state in which it gets there. So no program may take more than MOST verified instructions: on Linux 6.18
# the most is 16,700, and was 52,000 before bpf/ was written so that most code is verified only once (CONTRIBUTING.md,
# BPF). Truth: the kernel's count of verified instructions of each program.
. "$(dirname "$0")/lib.sh"

readonly MOST=30000 LARGE=5000

# The verified instructions of each large program that the recorder has loaded, descending.
large() { cat "/proc/$started/fdinfo/"* 2>/dev/null | awk -v large=$LARGE '$1 == "verified_insns:" && $2 >= large { print $2 }' | sort -rn; }

have_loaded() { [ "$(large | wc -l)" -ge "$1" ] || [ ! -d "/proc/$started" ]; }

check_large() { # NAME HOW_MANY OPTION...
	local name=$1 count=$2 most
	shift 2
	start "$record" -o "$scratch/$name.rwk" "$@" 2>"$scratch/$name.err"
	wait_for 60 have_loaded "$count"
	most=$(large | head -n 1)
	check_number "$name: what was looked at of the largest of $(large | wc -l)" "$(large | wc -l) >= $count && ${most:-0} <= $MOST"
	kill "$started"
	wait "$started" 2>/dev/null
}

need_recording
check_large walk 1 -i 600 --pid $$ # until it is killed
check_large waits 2 --offcpu 0 --wakers -u
finish
