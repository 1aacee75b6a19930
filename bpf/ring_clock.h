/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of the ABI in ring_event.h for the clock program. Private, as there. */
#ifndef RWALKER_BPF_RING_CLOCK_H
#define RWALKER_BPF_RING_CLOCK_H

#include "bpf/ring_event.h"

/* Argument and result of the clock program (bpf/clock.bpf.h). */
struct ring_clock {
	__u64 monotonic;    /* now */
	__u64 last_arrival; /* when the caller was switched in, sched_clock */
	__u32 tgid;	    /* of the caller, in the init pid namespace */
	__u32 unused;
};

#endif
