/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a wait was for: a part of its record (ring_wait.h), after the waker. A name precedes the
 * first wait for its object on each CPU, in a record of its own; the two have the same token.
 * Kernel addresses (token, place of OBJECT_WORK and _LOCK) do not leave the recorder.
 */
#ifndef RWALKER_BPF_RING_OBJECT_H
#define RWALKER_BPF_RING_OBJECT_H

#include "bpf/ring_calls.h"
#include "bpf/ring_event.h"

enum { RING_NAME_BYTES = 256, RING_OBJECT_ADDRESS = 16 };

enum ring_object_flag {
	RING_OBJECT_LOCKED = 1, /* the futex word looks like that of a lock that somebody holds */
};

struct ring_object {
	__u64 call;   /* its number, for NATIVE and COMPAT */
	__u64 place;  /* of a futex or lock: its address; of a kworker: the function's */
	__u64 device, inode;
	__u64 peer;   /* inode of a unix socket's other end, 0: unknown */
	__u64 net;    /* of an internet socket: its network namespace's cookie; 0: unknown */
	__u64 token;  /* of its name, 0: it has none */
	__u64 asked;  /* for SLEEP: ns; until object_lasts(), when it is to end; 0: unknown */
	__u64 offset; /* of a control group: its quota */
	__u32 mapping; /* enum object_mapping, unless it comes with the name */
	__u32 context, kind;
	__u32 process; /* tgid that a futex, descriptor or mmap_lock belongs to; the child's, 0: any */
	__u32 descriptor; /* plus 1; of kinds that nothing else tells apart */
	__u32 lock;   /* enum lock_kind */
	__u32 beside; /* bool: a struct ring_beside follows */
	__u32 flags; /* enum ring_object_flag, about the wait */
	__u16 state, port, peer_port, unused; /* of a socket */
	__u8 address[RING_OBJECT_ADDRESS], peer_address[RING_OBJECT_ADDRESS]; /* IPv4 in the form ::ffff:a.b.c.d */
};

struct ring_beside { /* what only few waits have */
	struct ring_task owner; /* if HELD_BY_OWNER */
	__u32 held;  /* enum wait_held */
	__u32 ready; /* a descriptor, plus 1; 0: none */
	struct ring_object object; /* what the descriptor refers to */
};

struct ring_name { /* of kind RING_NAME */
	struct ring_head head;
	__u64 token;
	__u32 length, flags; /* enum object_flag */
	struct ring_task task; /* that waited for it */
	/* For a futex: its mapping (enum object_mapping), the mapped file, and where the futex is in it. */
	__u64 device, inode, offset;
	__u32 mapping, unused;
	char bytes[2 * RING_NAME_BYTES]; /* a path begins at RING_NAME_BYTES - length */
};

#endif
