/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What waits were for (FORMAT.md §5, §13). Waits refer to objects by number; a later record with
 * the same number may add to an earlier one. What may be private (paths, addresses of peers, names
 * of sockets) is in separate chunks, which can be dropped. Members are in the order of the fields
 * on disk.
 */
#ifndef RWALKER_FORMAT_EVENT_OBJECT_H
#define RWALKER_FORMAT_EVENT_OBJECT_H

#include "format/event_text.h"

enum object_kind {
	OBJECT_FILE = 1,
	OBJECT_DEVICE = 2, /* a character device: terminals, /dev/... */
	OBJECT_PIPE = 3,
	OBJECT_TCP = 4,
	OBJECT_UDP = 5,
	OBJECT_UNIX = 6,
	OBJECT_SOCKET = 7, /* of another family or protocol */
	OBJECT_EVENTFD = 8,
	OBJECT_TIMERFD = 9,
	OBJECT_SIGNALFD = 10,
	OBJECT_INOTIFY = 11,
	OBJECT_EPOLL = 12,
	OBJECT_ANONYMOUS = 13, /* another descriptor without a file */
	OBJECT_FUTEX = 14,
	OBJECT_CHILD = 15,
	OBJECT_SLEEP = 16,
	OBJECT_WORK = 17, /* what a kworker was doing */
	OBJECT_LOCK = 18, /* the kernel's own */
	OBJECT_BLOCK = 19, /* the block device `device` */
	OBJECT_CGROUP = 20, /* with a quota of CPU time: `offset` ns in each `place` ns; inode: its folder's */
};

enum object_lock {
	LOCK_MUTEX = 1,
	LOCK_RWSEM = 2,
	LOCK_PERCPU_RWSEM = 3,
	LOCK_RT_MUTEX = 4,
	LOCK_SPIN = 5, /* of a kernel in which its waiters sleep (PREEMPT_RT) */
	LOCK_RWLOCK = 6, /* likewise */
	LOCK_SEMAPHORE = 7,
};

enum object_flag {
	OBJECT_DELETED = 1,
	OBJECT_CUT = 2,	     /* the beginning of its path is missing */
	OBJECT_ABSTRACT = 4, /* a unix socket's name is not that of a file */
	OBJECT_MMAP_LOCK = 8, /* the lock of the mappings of `tgid` */
};

enum object_mapping { /* the one that a futex is in */
	OBJECT_IN_HEAP = 1,
	OBJECT_IN_STACK = 2, /* of the process, or of the thread that waited */
	OBJECT_IN_MEMORY = 3, /* without a file */
	OBJECT_IN_FILE = 4, /* a private mapping of that file: most often the data of a program or library */
	OBJECT_IN_SHARED = 5, /* a shared one: the same place in the file is the same futex for all processes */
};

struct event_object {
	uint32_t number; /* from 1 */
	uint32_t kind;	 /* enum object_kind */
	uint64_t flags;	 /* enum object_flag */
	uint32_t tgid;	 /* of the process whose futex or descriptor it is; of the child, 0: any */
	uint32_t descriptor; /* plus 1, for objects that nothing else tells apart; 0: it does not matter */
	uint64_t device, inode;
	uint64_t place;	 /* a futex's address in its process; a function's offset in `module`; a lock's number */
	uint32_t module; /* of a function; 0: unknown */
	uint32_t family, state; /* of a socket: AF_*, TCP_* */
	uint32_t port, peer_port;
	uint64_t peer; /* a unix socket's other end: its inode */
	uint32_t lock; /* enum object_lock */
	struct event_text name; /* of a variable that is a kernel lock; of a block device */
	uint32_t mapping; /* enum object_mapping; 0: unknown */
	uint64_t offset; /* of a futex: in that variable, else in the file of OBJECT_IN_SHARED */
	uint64_t net;	 /* of an internet socket: a number for its network namespace; 0: unknown */
};

struct event_object_name {
	uint32_t number;
	struct event_text path;			 /* of a file, also a mapped one, or a unix socket's name */
	struct event_text address, peer_address; /* 16 bytes, IPv4 as ::ffff:a.b.c.d */
};

#endif
