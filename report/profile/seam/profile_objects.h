/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What waits were for. Each wait has the number of an operation (a system call, or what else its
 * thread was in) and of an object (a file, a socket, a futex ...), as far as the trace says. Item 0
 * of both lists is "not known". Texts come from the trace and are not safe to print unescaped; ""
 * is not known.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_OBJECTS_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile/seam/profile_waits.h"

struct profile;

enum profile_object_kind {
	PROFILE_OBJECT_NONE,
	PROFILE_OBJECT_FILE,
	PROFILE_OBJECT_DEVICE,
	PROFILE_OBJECT_PIPE,
	PROFILE_OBJECT_TCP,
	PROFILE_OBJECT_UDP,
	PROFILE_OBJECT_UNIX,
	PROFILE_OBJECT_SOCKET,
	PROFILE_OBJECT_EVENTFD,
	PROFILE_OBJECT_TIMERFD,
	PROFILE_OBJECT_SIGNALFD,
	PROFILE_OBJECT_INOTIFY,
	PROFILE_OBJECT_EPOLL,
	PROFILE_OBJECT_ANONYMOUS, /* another descriptor without a file */
	PROFILE_OBJECT_FUTEX,
	PROFILE_OBJECT_CHILD,
	PROFILE_OBJECT_SLEEP,
	PROFILE_OBJECT_WORK, /* a function of a kworker */
	PROFILE_OBJECT_LOCK, /* of the kernel; the wait says who held it (profile_waits.h, `owner`) */
	PROFILE_OBJECT_BLOCK, /* a block device */
	PROFILE_OBJECT_CGROUP, /* with a quota of CPU time: `offset` ns in each `address` ns */
	PROFILE_OBJECT_KINDS
};

enum profile_lock {
	PROFILE_LOCK_UNKNOWN,
	PROFILE_LOCK_MUTEX,
	PROFILE_LOCK_RWSEM,
	PROFILE_LOCK_PERCPU_RWSEM,
	PROFILE_LOCK_RT_MUTEX,
	PROFILE_LOCK_SPIN, /* of a kernel in which waiters for one sleep */
	PROFILE_LOCK_RWLOCK, /* likewise */
	PROFILE_LOCK_SEMAPHORE,
	PROFILE_LOCKS
};

enum profile_mapping { /* where a futex is */
	PROFILE_MAPPING_UNKNOWN,
	PROFILE_IN_HEAP,
	PROFILE_IN_STACK,
	PROFILE_IN_MEMORY,
	PROFILE_IN_FILE,   /* data of a program or library */
	PROFILE_IN_SHARED, /* the same futex for all processes that map the file */
	PROFILE_MAPPINGS
};

enum profile_object_flag {
	PROFILE_OBJECT_DELETED = 1,
	PROFILE_OBJECT_CUT = 2,	     /* the name lacks its beginning */
	PROFILE_OBJECT_ABSTRACT = 4, /* the name of a unix socket that has no file */
	PROFILE_OBJECT_LISTENS = 8,  /* a socket that only accepts connections */
	PROFILE_OBJECT_MMAP_LOCK = 16, /* the lock of the mappings of `process` */
};

enum profile_direction { PROFILE_NEITHER, PROFILE_READS, PROFILE_WRITES, PROFILE_DIRECTIONS };

/* Processes that use an end of a pipe or connection, as far as waits tell. */
struct profile_users {
	uint32_t processes; /* 0: none is known */
	uint32_t task;	    /* of one of them */
	bool one_thread;    /* no other thread was seen there */
};

struct profile_object {
	uint8_t kind;	/* enum profile_object_kind */
	uint8_t flags;	/* enum profile_object_flag */
	uint16_t port, peer_port;
	uint8_t lock; /* enum profile_lock */
	uint8_t mapping; /* enum profile_mapping */
	uint32_t host;
	uint32_t process;    /* tgid that owns the futex, descriptor or mappings, or of the child; 0: any, or none */
	uint32_t descriptor; /* plus 1; 0: it does not matter */
	uint64_t device, inode;
	uint64_t net;	     /* of a socket: its network namespace; 0: unknown */
	uint64_t peer_inode; /* of the unix socket at the other end; 0: unknown */
	uint64_t address;    /* of a futex; of a lock, its number, from 1, which identifies it within its recording */
	const char *comm;    /* of the process */
	uint64_t offset;     /* of a futex: in its shared file */
	const char *name;    /* of a file (of a futex: the mapped one), a unix socket, a function, a lock's variable,
			      * a block device: "sda1" */
	const char *local, *peer; /* addresses of a socket without ports, "127.0.0.1" */
	/* Of a pipe, who reads and who writes it; of a socket or child (PROFILE_NEITHER), who is at the other end. */
	struct profile_users users[PROFILE_DIRECTIONS];
};

enum profile_operation_kind {
	PROFILE_IN_UNKNOWN,
	PROFILE_IN_CALL,
	PROFILE_IN_COMPAT_CALL, /* of a 32-bit program */
	PROFILE_IN_FAULT,
	PROFILE_IN_KERNEL_THREAD,
	PROFILE_IN_IO_WORKER,
	PROFILE_IN_STOPPED,
};

struct profile_operation {
	enum profile_operation_kind kind;
	const char *name; /* "read", "call 471", "page fault" */
	enum profile_direction direction; /* of a call that reads from or writes to a descriptor */
	bool many; /* a call that waits for any of several descriptors */
};

/* How many of the waits and walked tasks that pass all other filters profile_filter.on kept and left out. */
struct profile_chosen {
	size_t waits, left_out;
	uint32_t kinds; /* of the objects of both: bit per enum profile_object_kind */
};

struct profile_chosen profile_chosen(const struct profile *profile);

size_t profile_objects(const struct profile *profile, const struct profile_object **ret_objects);
size_t profile_operations(const struct profile *profile, const struct profile_operation **ret_operations);

#endif
