/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What waits were for. Each wait has the number of an operation (a system call, or what else its
 * thread was in) and of an object (a file, a socket, a futex ...), as far as the trace says. Item 0
 * of both lists is "not known". Texts come from the trace and are not safe to print unescaped; ""
 * is not known.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_OBJECTS_H
#define RWALKER_REPORT_PROFILE_PROFILE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile/profile_waits.h"

struct profile;

enum profile_direction { PROFILE_NEITHER, PROFILE_READS, PROFILE_WRITES, PROFILE_DIRECTIONS };

/* Processes that use an end of a pipe or connection, as far as waits tell. */
struct profile_users {
	uint32_t processes; /* 0: none is known */
	uint32_t task;	    /* of one of them */
	bool one_thread;    /* no other thread was seen there */
};

struct profile_object {
	uint8_t kind;	/* enum object_kind */
	uint8_t flags;	/* enum object_flag */
	uint16_t port, peer_port;
	uint8_t lock; /* enum lock_kind */
	uint8_t mapping; /* enum object_mapping */
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

struct profile_operation {
	enum wait_call kind;
	const char *name; /* "read", "call 471", "page fault" */
	enum profile_direction direction; /* of a call that reads from or writes to a descriptor */
	bool many; /* a call that waits for any of several descriptors */
};

/* How many of the waits and walked tasks that pass all other filters profile_filter.on kept and left out. */
struct profile_chosen {
	size_t waits, left_out;
	uint32_t kinds; /* of the objects of both: bit per enum object_kind */
};

struct profile_chosen profile_chosen(const struct profile *profile);

size_t profile_objects(const struct profile *profile, const struct profile_object **ret_objects);
size_t profile_operations(const struct profile *profile, const struct profile_operation **ret_operations);

#endif
