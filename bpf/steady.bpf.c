/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether the kernel calls its scheduler's clock stable: the same on all CPUs, read from one counter without
 * corrections. The kernel keeps this in a static key, whose count is above zero then. Run once, on request.
 */
#include "bpf/kernel.h"

extern const void __sched_clock_stable __ksym __weak;

SEC("syscall")
int read_steady(int *steady)
{
	int count = 0;

	if (&__sched_clock_stable && !bpf_probe_read_kernel(&count, sizeof(count), &__sched_clock_stable))
		*steady = count > 0;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
