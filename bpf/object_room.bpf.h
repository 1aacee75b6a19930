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
	OBJECT_FRAMES = 127, /* a deeper stack is not looked at */
};

struct path_walk { /* bpf/object_name.bpf.h */
	u64 dentry, mount, root; /* root: of the mount, a dentry */
	u32 at, flags;
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
	u64 now; /* CLOCK_MONOTONIC, when the search began */
	u64 place, sp, dentry, mount; /* of a search for a mapping */
	u64 file; /* the file of the call's descriptor; 0: not known */
	u64 places[OBJECT_PLACES]; /* by call: where its word was last time, relative to the stack pointer */
	u64 words[OBJECT_WORDS];
	u32 frame_bytes, marks; /* of `frames`, 0: there are none; enum ring_mark */
	u64 frames[OBJECT_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OBJECT_ROOMS);
	__type(key, u32);
	__type(value, struct object_room);
} object_rooms SEC(".maps");

#endif
