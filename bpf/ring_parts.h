/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What falls away by itself if this kernel's types lack a member that it needs (record/probe/probe_parts.c has the
 * members). Programs ask kernel_has(), bpf/kernel.h.
 */
#ifndef RWALKER_BPF_RING_PARTS_H
#define RWALKER_BPF_RING_PARTS_H

enum ring_part {
	RING_PART_CGROUPS,
	RING_PART_QUOTAS,
	RING_PART_MARKS, /* of threads that a quota keeps from running; Linux 6.18 */
	RING_PART_FILES, /* this one and those that follow: of what threads wait for */
	RING_PART_NAMES,
	RING_PART_SOCKETS,
	RING_PART_ADDRESSES,
	RING_PART_UNIX,
	RING_PART_EPOLL,
	RING_PART_MAPPINGS,
	RING_PART_THREADS,
	RING_PART_SLEEP,
	RING_PART_WORK,
	RING_PART_LOCKS,
	RING_PART_OWNERS, /* of locks */
	RING_PARTS
};

#endif
