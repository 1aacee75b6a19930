#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A recorder starts when the kernel's verifier is done with its programs, which follows each way through them again for each state
# in which it comes there. So none may take it more than MOST instructions: on Linux 6.18 it is 16,700 at most, and was 52,000 before
# bpf/ made it look once at what it can (CONTRIBUTING.md, BPF).
# Truth: the kernel says of each program how many it looked at.
. "$(dirname "$0")/lib.sh"

readonly MOST=30000 LARGE=5000

# The instructions of each large program of the recorder that has been loaded, descending.
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
