/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The shared object that dlopen.c loads. The test compiles it twice, with
 * -DBURN=plug_first and -DBURN=plug_second: same layout, other names.
 */
#include "../truth.h"

void BURN(uint64_t cpu_ns)
{
	uint64_t x = cpu_ns | 1;
	uint64_t stop_at = clock_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < stop_at)
		BURN_SLICE(x);
}

void plug_run(uint64_t cpu_ns);
void plug_run(uint64_t cpu_ns)
{
	BURN(cpu_ns);
	__asm__ volatile("");
}
