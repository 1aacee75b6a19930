/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What bpf/cgroups.bpf.c reports about control groups of version 2: those that exist, listed by an
 * iterator, parents first; and those made and removed later. All of it goes through a ring of its
 * own. Private, like bpf/ring_event.h.
 */
#ifndef RWALKER_BPF_RING_CGROUP_H
#define RWALKER_BPF_RING_CGROUP_H

enum {
	RING_CGROUP_BYTES = 4 << 20, /* of the ring: about 14,000 records */
	RING_CGROUP_NAME = 256,	       /* bytes, with the NUL */
};

enum ring_cgroup_kind { RING_CGROUP_EXISTS, RING_CGROUP_MADE, RING_CGROUP_REMOVED };

struct ring_cgroup {
	__u64 time; /* CLOCK_MONOTONIC */
	__u64 id;
	__u64 parent; /* id; 0: this is the root of the hierarchy */
	__u32 kind;   /* enum ring_cgroup_kind */
	__u32 length; /* of the name, without a NUL */
	char name[RING_CGROUP_NAME];
};

#endif
