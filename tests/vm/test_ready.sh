#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
#
# Control groups; which descriptor ended waits for several, and for which pages threads waited, on Debian's kernels (tests/live/test_ready.sh,
# test_pages.sh).
. "$(dirname "$0")/lib.sh"

rounds=20

judge_kernel() { # NAME
	judge_cgroups "$1"
	for run in ready pages; do
		recorded "$1/$run" $run
		python3 -B "tests/live/${run}_check.py" "$dir/$run.rwk" "$dir/$run.truth" $rounds 2>&1 |
			sed -E "s|^yes |ok $1/|; s|^no ([^:]*): (.*)\$|not ok $1/\\1 - \\2|; s|^no |not ok $1/|"
		verdict "$1/$run-loads" "the kernel refuses a program" lacks 'refuses the program' "$dir/$run.err"
	done
	recorded "$1/block" block
	read -r major minor <"$dir/block.truth"
	python3 -B tests/rwk_dump.py "$dir/block.rwk" >"$dir/block.dump"
	verdict "$1/block-device" "no page of dm-$((0x$minor)): $(grep 'kind=19' "$dir/block.dump" | head -n 3)" \
		grep -qE " kind=19 .* device=$((0x$major * 256 + 0x$minor)) inode=0 .* name=\"dm-$((0x$minor))\"" "$dir/block.dump"
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.1-cloud); do
	judged judge_kernel "ready-$kernel" "$kernel" ready.sh 2
done
exit 0
