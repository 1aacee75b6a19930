#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Shares of CPU time: within 2 points of the workload's own count.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
# only recorder: the kernel skips our program while another recorder's is running on that CPU, and shares shift.
. "$(dirname "$0")/lib.sh"

points=2

# The number of samples that the kernel counted but did not deliver while a CPU was busy, and their percentage of all.
undelivered() {
	"$report" --no-local-files --info "$1" 2>/dev/null |
		sed -nE 's/^ *CPU [0-9]+: ([0-9]+) seen = .*; ([0-9]+) more were counted .*, ([0-9]+) of them while .*/\1 \2 \3/p' |
		awk '{ seen += $1; n += $2 - $3 } END { printf "%d %.0f\n", n, seen ? 100 * n / seen : 0 }'
}

# record_shares WORKLOAD COMMS_ERE SECONDS. The kernel runs no BPF program of a perf event while it runs another one:
# if somebody else traces on this host meanwhile, samples are missing here, as --info says. Then the test records once
# more.
record_shares() {
	local name=$1 try missing
	for try in 1 2 3; do
		run_ok "$name" "$record" --force -u -f 999 -o "$scratch/$name.rwk" -- "$workloads/$name" "$3"
		read -r _ missing < <(undelivered "$scratch/$name.rwk")
		[ "$missing" -gt 1 ] || break
		echo "# $name: $missing % of the samples were not delivered, try $try"
	done
	folded "$scratch/$name.rwk" -c "$2" >"$scratch/$name.folded"
}

test_user_paths() {
	record_shares cpu_paths '^cpu_(paths|thread)$' "$(at_level 5 20)"
	check_truth "$scratch/cpu_paths.folded" "$scratch/cpu_paths.out" $points
}

# Kernel frames are below the user frames that called them, and nowhere else.
test_kernel_paths() {
	local f=$scratch/kernel_paths.folded reading
	record_shares kernel_paths '^kernel_paths$' "$(at_level 5 20)"
	check_truth "$f" "$scratch/kernel_paths.out" $points
	# As a share of the samples beyond the kernel's entry, which takes a third of the time if the hypervisor
	# intercepts it.
	reading=$(folded_share "$f" ';path_zero;.*;ksys_read;vfs_read' ';path_zero;.*;ksys_read')
	check_number "samples under path_zero that are in vfs_read" "$reading > 0.9"
	check_number "there are enough of them" "$(folded_sum "$f" ';path_zero;.*;vfs_read') > 100"
	check_equal "samples under path_user that are in vfs_read" 0 \
		"$(folded_sum "$f" ';path_user;.*;vfs_read')"
}

# One busy CPU gives as many samples as were requested, but none while the host has taken the CPU away, which the
# kernel counts.
test_sample_count() {
	local got expect missing
	expect=$(awk -v hz="$(source_field "$scratch/cpu_paths.rwk" frequency)" '/^total_ns/ { print $2 * hz / 1e9 }' "$scratch/cpu_paths.out")
	got=$(folded_sum "$scratch/cpu_paths.folded")
	read -r missing _ < <(undelivered "$scratch/cpu_paths.rwk")
	check_number "samples: $got of $expect, $missing not delivered" \
		"$got > 0.95 * $expect - ${missing:-0} && $got < 1.05 * $expect"
}

need_recording
test_user_paths
test_sample_count
test_kernel_paths
finish
