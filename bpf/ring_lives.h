/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What bpf/lives.bpf.c counts, and what the recorder counts in the kernel's records. Private, like
 * bpf/ring_event.h.
 */
#ifndef RWALKER_BPF_RING_LIVES_H
#define RWALKER_BPF_RING_LIVES_H

enum ring_life { RING_LIFE_FORK, RING_LIFE_RENAME, RING_LIFE_EXIT, RING_LIVES };

struct ring_lives { /* of one CPU, running totals */
	__u64 counts[RING_LIVES];
};

#endif
