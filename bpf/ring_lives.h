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

/*
 * Processes that share their memory with their parent, which no record tells: clone(CLONE_VM) without CLONE_THREAD.
 * Those of vfork() and posix_spawn(), which are many, are left out: the parent waits until they call exec.
 */
enum { RING_SHARES = 64 };

struct ring_shares {
	__u32 count; /* so far; the latest ones are in items, each at its number modulo RING_SHARES */
	struct ring_share {
		__u64 time;
		__u32 parent_tgid, tgid;
	} items[RING_SHARES];
};

#endif
