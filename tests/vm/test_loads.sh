#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 1800
#
# Debian's kernels load the BPF programs of waits whatever is wanted of them: each set of options leaves other parts of
# the code, and each verifier has its own limits.
. "$(dirname "$0")/lib.sh"

judge_kernel() { # NAME
	while read -r run options; do
		code=$(time_of "$run" 3)
		verdict "$1/$(echo "$options" | tr -d ' ')" "ended with $code: $(head -n 1 "$dir/$run.err")" [ "$code" = 0 -o "$code" = 3 ]
	done <"$dir/loads"
}

need_programs
VM_SECONDS=600
mkdir -p "$RESULTS"
for kernel in $(kernels); do
	judged judge_kernel "loads-$kernel" "$kernel" loads.sh
done
exit 0
