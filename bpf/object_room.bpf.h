/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the search for objects finds and remembers. In a map, because programs have too little stack for it. */
#ifndef RWALKER_BPF_OBJECT_ROOM_H
#define RWALKER_BPF_OBJECT_ROOM_H

#include "bpf/kernel_calls.bpf.h"
#include "bpf/ring_object.h"

enum {
	OBJECT_AT_SWITCH, OBJECT_AT_LOOK, OBJECT_ROOMS, /* a switch may interrupt a look at all tasks */
	OBJECT_WORDS = 64,
	OBJECT_PLACES = 16, /* a power of two */
};

struct path_walk { /* bpf/object_name.bpf.h */
	u64 dentry, mount, root; /* root: of the mount, a dentry */
	u32 at, flags;
};

struct poll_walk { /* bpf/object_poll_queues.bpf.h: the files that are waited for */
	u64 queues, page; /* addresses of the first entry on the stack, and of the first one in the last page */
	u32 on_stack, count, pages; /* pages before the last one: their entries are not looked at */
	u64 file, only; /* only: the file of all entries so far; 0: there are several */
	u32 key; /* POLL* that were waited for */
};

struct set_search { /* bpf/object_poll_set.bpf.h: the descriptor of a file that is waited for */
	u64 table, file; /* table: of the open files */
	u64 sets, size, bits; /* select: address and bytes of its sets; bits: those of 64 descriptors, */
	u32 first, named, entries; /* starting with this one; descriptors in the sets so far; at most so many */
	u64 at; /* address of what is searched */
	u32 words, begin; /* poll */
	u32 most, count; /* length of the table of open files; what the call was given as its count */
	u32 key, descriptor, found;
};

struct stack_search { /* bpf/object_stack.bpf.h */
	u64 at, end, one, other;
	u64 found; /* the address of a word that is one of the two; 0: none yet */
};

struct object_room { /* one for each CPU */
	struct ring_name name; /* to be written before the wait, if its token is not 0 */
	struct ring_beside beside; /* to be copied after the object, if object->beside is set */
	struct path_walk walk;
	struct stack_search search;
	struct poll_walk poll;
	struct set_search set;
	u64 now; /* CLOCK_MONOTONIC, when the search began */
	u64 place, sp, dentry, mount; /* of a search for a mapping */
	u64 file; /* the file of the call's descriptor; 0: not known */
	u64 polled; /* the file that ended a poll, or the only one that it waits for */
	bool polled_called; /* one of the files called for the wakeup */
	bool polled_alone; /* the call was given one only */
	u32 polled_descriptor; /* its descriptor plus 1; 0: not known */
	u32 polled_for; /* POLL* that it was waited for */
	u32 polled_entries; /* wait queues that the poll is in, at most */
	u64 places[OBJECT_PLACES]; /* by call: where its word was last time, relative to the stack pointer */
	u64 queues_at; /* likewise, a poll's queues */
	u64 list_at, sets_at; /* its list, or the sets of a select, relative to the queues */
	u64 words[OBJECT_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OBJECT_ROOMS);
	__type(key, u32);
	__type(value, struct object_room);
} object_rooms SEC(".maps");

#endif
