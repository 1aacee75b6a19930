/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What programs leave out at present, to cost less; the recorder changes it while they run. The
 * rules of bpf/ring_event.h apply.
 */
#ifndef RWALKER_BPF_RING_REGIME_H
#define RWALKER_BPF_RING_REGIME_H

enum ring_lack { /* record/plan/cpu_ladder.c asserts that they equal the format's */
	RING_LACKS_WAKER_STACKS = 1,
	RING_LACKS_WAKERS = 2,
	RING_LACKS_SNAPSHOTS = 4,
	RING_LACKS_USER_STACKS = 8,
	RING_LACKS_HITS = 16,
	RING_LACKS_WAITS = 32,
	RING_LACKS_SAMPLES = 64,
	RING_LACKS_KERNEL_STACKS = 128, /* of waits */
	RING_LACKS_EARLY_STACKS = 256,	/* user stacks taken when a thread leaves its CPU */
};

struct ring_regime {
	__u64 lacks; /* enum ring_lack */
	__u64 least; /* ns: shorter waits are summed */
	__u64 since; /* CLOCK_MONOTONIC: anything noted of a wait before this is outdated; 0: nothing is */
};

#endif
