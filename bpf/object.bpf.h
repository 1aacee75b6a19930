/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How it is found out what a wait is for: the words and functions on the thread's kernel stack, its system call, and
 * names of files, which are read if they were not written lately.
 */
#ifndef RWALKER_BPF_OBJECT_BPF_H
#define RWALKER_BPF_OBJECT_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/wait_entry.bpf.h"

enum {
	OBJECT_AT_SWITCH, OBJECT_AT_LOOK, OBJECT_ROOMS, /* a switch may interrupt a look at all tasks */
	OBJECT_WORDS = 64,
	OBJECT_PLACES = 16, /* a power of two */
	OBJECT_FRAMES = 127, /* a deeper stack is not looked at */
};

struct path_walk {
	u64 dentry, mount, root; /* root: of the mount, a dentry */
	u32 at, flags;
};

struct stack_search {
	u64 at, end, one, other;
	u64 found; /* the address of a word that is one of the two; 0: none yet */
};

struct object_room { /* one for each CPU; in a map, because programs have too little stack for it */
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

/* --- words on the kernel stack: what the system call works with, as its file, or the timer that will wake it up --- */

enum {
	OBJECT_PARTS = 5, /* of OBJECT_WORDS, that are searched from the stack pointer on */
	OBJECT_RUN = 16, /* words of a part that are compared at once */
	OBJECT_FLAGS = 3, /* bits that the kernel keeps in a pointer to a file */
};

static __always_inline u64 stack_pointer(struct task_struct *task)
{
	struct task_struct___x86 *x86 = (void *)task;
	struct task_struct___arm64 *arm64 = (void *)task;

	if (bpf_core_field_exists(x86->thread.sp))
		return x86->thread.sp;
	return bpf_core_field_exists(arm64->thread.cpu_context.sp) ? arm64->thread.cpu_context.sp : 0;
}

/* Where the frames end: above them are the user registers. */
static __always_inline u64 kernel_stack_end(struct task_struct *task)
{
	return as_number((const void *)bpf_task_pt_regs(task));
}

static __always_inline bool read_part(struct object_room *room)
{
	const struct stack_search *search = &room->search;
	u64 left = search->end - search->at, bytes = left < sizeof(room->words) ? left : sizeof(room->words);

	return !bpf_probe_read_kernel(room->words, bytes, (const void *)search->at);
}

/*
 * Sets search->found to the address of the first of these words that is one of the two, ignoring
 * the low bits. The result is in memory, where the verifier does not distinguish its values. Beyond
 * the end of the stack, the buffer has old words.
 */
static __always_inline void find_word(struct stack_search *search, const volatile u64 *words)
{
	const u64 one = search->one, other = search->other;
	u64 at = search->at;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < OBJECT_RUN; i++, at += sizeof(u64)) {
		u64 word = words[i] & ~(u64)OBJECT_FLAGS;

		if (word == one || word == other)
			goto found;
	}
	return;
found:
	if (at < search->end)
		*(volatile u64 *)&search->found = at;
}

/*
 * Searches a few words of the stack, which is read in larger parts. Returns 1 if one was found, or
 * none are left. The verifier looks once at a function that bpf_loop() calls, but at each round of
 * a loop, which it compares with all others.
 */
static long search_block(u32 index, void *context)
{
	u32 first = index % (OBJECT_WORDS / OBJECT_RUN) * OBJECT_RUN;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);

	if (!room || room->search.at >= room->search.end || (!first && !read_part(room)))
		return 1;
	find_word(&room->search, &room->words[first]);
	room->search.at += OBJECT_RUN * sizeof(u64);
	return *(volatile u64 *)&room->search.found != 0;
}

/* Searches as room->search says. */
SEPARATE int search_stack(u32 number)
{
	bpf_loop(OBJECT_PARTS * OBJECT_WORDS / OBJECT_RUN, search_block, &number, 0);
	return 0;
}

static __always_inline u64 word_at(u64 address)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)address);
	return word;
}

/*
 * The address of the first word that is one of these two; 0 if there is none nearby. at: where to
 * start; 0: at the stack pointer.
 */
static __always_inline u64 stack_find_from(struct task_struct *task, u64 at, u64 one, u64 other, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 begin = at ? at : stack_pointer(task);

	if (!room || !begin)
		return 0;
	room->search = (struct stack_search){.at = begin, .one = one, .other = other};
	room->search.end = kernel_stack_end(task);
	search_stack(number);
	return room->search.found;
}

static __always_inline u64 stack_find(struct task_struct *task, u64 one, u64 other, u32 number)
{
	return stack_find_from(task, 0, one, other, number);
}

/*
 * The same for a task in that call, but not always the first such word: it first tries where the
 * word was last time, because what a kernel does between a call and the switch is mostly the same.
 */
static __noinline u64 stack_find_again(struct task_struct *task, u64 one, u64 other, u32 number, u32 call)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 begin = stack_pointer(task), *place, at, word;

	if (!room || !begin)
		return 0;
	place = &room->places[call & (OBJECT_PLACES - 1)];
	at = begin + *place;
	word = at < kernel_stack_end(task) ? word_at(at) & ~(u64)OBJECT_FLAGS : 0;
	if (word && (word == one || word == other))
		return at;
	at = stack_find(task, one, other, number);
	if (at)
		*place = at - begin;
	return at;
}

/* --- functions among its frames --- */

/*
 * Whether a sleeping thread is in its system call's own work. It may have to wait before the call begins (seccomp,
 * ptrace), for memory meanwhile (a page fault, reclaim), or after the call is over (the freezer, memory.high). The
 * functions among its frames tell. If some frames are missing, nothing is written.
 */

struct mark_search {
	const u64 *frames;
	u32 count, marks;
};

/* The number of the last function that does not begin after this address; without branches, of which there are many. */
static __always_inline u64 function_of(u64 address)
{
	u64 at = 0;

	for (u32 bit = RING_MARKED_BITS; bit--;) {
		at += (object_functions.starts[at + (1 << bit)] - address - 1) >> 63 << bit;
		barrier_var(at);
		at &= RING_MARKED_FUNCTIONS - (1 << bit); /* for 6.1's verifier */
	}
	return at;
}

static long mark_frame(u32 index, struct mark_search *search)
{
	u64 before, at; /* before: a return address may be the first byte of the next function */

	if (index >= search->count || index >= OBJECT_FRAMES)
		return 1;
	before = search->frames[index] - 1;
	at = function_of(before);
	if (UNLIKELY(before - object_functions.starts[at] < object_functions.marked[at].bytes))
		search->marks |= object_functions.marked[at].mark;
	return 0;
}

/* Leaves the frames in the room, and sets room->marks. */
static __always_inline void frames_read(struct task_struct *task, struct object_room *room)
{
	const u32 most = object_knobs.max_frames < OBJECT_FRAMES ? object_knobs.max_frames : OBJECT_FRAMES;
	struct mark_search search = {.frames = room->frames};
	long bytes;

	room->marks = RING_MARK_UNKNOWN;
	bytes = bpf_get_task_stack(task, room->frames, sizeof(room->frames), 0);
	if (bytes <= 0 || bytes >= most * sizeof(u64))
		return;
	room->frame_bytes = bytes;
	search.count = bytes / sizeof(u64);
	bpf_loop(search.count, mark_frame, &search, 0);
	room->marks = object_functions.marks_known ? *(volatile u32 *)&search.marks : RING_MARK_UNKNOWN;
}

/* --- names that have been written in the last second or two --- */

/*
 * A slot has room for a few tokens, not just one: if two objects that take turns evicted each other, both would be read
 * each time, and beside another recorder, ours would never be read, because the kernel lets only one of them look at
 * mappings at a time.
 */

enum { WRITTEN_SETS = 256, WRITTEN_IN_SET = 4 };

struct written_names {
	u64 tokens[WRITTEN_IN_SET]; /* the one that was written last comes first */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WRITTEN_SETS);
	__type(key, u32);
	__type(value, struct written_names);
} object_names SEC(".maps");

__u64 names_forgotten; /* how often the recorder has forgotten all names and needed them again */

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* The lowest bit of a token is always set. */
static __always_inline struct written_names *written_names(u64 token)
{
	u32 place = token >> 1 & (WRITTEN_SETS - 1);

	return bpf_map_lookup_elem(&object_names, &place);
}

/*
 * Once the recorder has forgotten the names, each token counts as a new one; the old ones are
 * evicted as others come. So it does after a second or two, at another moment for each token: a
 * folder may be renamed, and another file mapped at the same place.
 */
static __always_inline u64 remembered(u64 token)
{
	u64 age = bpf_jiffies64() + (token >> 32 & 0xffff);

	return token + 2 * (*(volatile __u64 *)&names_forgotten + (object_knobs.on ? age >> object_knobs.age_bits : 0));
}

static __always_inline bool name_is_written(u64 token)
{
	const struct written_names *written = written_names(token);

	token = remembered(token);
	return written && (written->tokens[0] == token || written->tokens[1] == token || written->tokens[2] == token ||
			written->tokens[3] == token);
}

static __always_inline void mark_written(u64 token)
{
	struct written_names *written = written_names(token);

	if (!written)
		return;
	token = remembered(token);
	written->tokens[3] = written->tokens[2];
	written->tokens[2] = written->tokens[1];
	written->tokens[1] = written->tokens[0];
	written->tokens[0] = token;
}

/* --- paths, up to the root of the mount namespace --- */

enum { OBJECT_DEPTH = 48 /* folders and mounts */, OBJECT_FOLDERS = 3 /* in a token */ };

static __always_inline long cross_mount(struct path_walk *walk)
{
	u64 above = (u64)OBJECT_READ(mount, walk->mount, mnt_parent);

	if (!above || above == walk->mount)
		return 1;
	walk->dentry = (u64)OBJECT_READ(mount, walk->mount, mnt_mountpoint);
	walk->mount = above;
	walk->root = (u64)OBJECT_READ(mount, above, mnt.mnt_root);
	return 0;
}

static long path_step(u32 index, void *context)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);
	struct path_walk *walk;
	u32 at, length;
	u64 above;

	if (!room)
		return 1;
	walk = &room->walk;
	at = walk->at;
	above = (u64)OBJECT_READ(dentry, walk->dentry, d_parent);
	if (walk->dentry == walk->root)
		return cross_mount(walk);
	if (!above || above == walk->dentry)
		return 1;
	length = OBJECT_READ(dentry, walk->dentry, d_name.len);
	if (index + 1 == OBJECT_DEPTH || length + 1 > at) {
		walk->flags |= OBJECT_CUT;
		return 1;
	}
	at = (at - length - 1) & (RING_NAME_BYTES - 1);
	room->name.bytes[at] = '/';
	bpf_probe_read_kernel(&room->name.bytes[at + 1], length & (RING_NAME_BYTES - 1),
			      OBJECT_READ(dentry, walk->dentry, d_name.name));
	walk->at = at;
	walk->dentry = above;
	return 0;
}

SEPARATE int path_read(u64 dentry, u64 vfsmount, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct path_walk *walk;

	if (!room)
		return 0;
	walk = &room->walk;
	walk->dentry = dentry;
	walk->at = RING_NAME_BYTES;
	walk->flags = 0;
	walk->mount = vfsmount - OFFSET_OF(struct mount, mnt);
	walk->root = (u64)OBJECT_READ(vfsmount, vfsmount, mnt_root);
	if (dentry != walk->root && !OBJECT_READ(dentry, dentry, d_hash.pprev))
		walk->flags = OBJECT_DELETED;
	bpf_loop(OBJECT_DEPTH, path_step, &number, 0);
	room->name.flags = walk->flags;
	room->name.length = RING_NAME_BYTES - walk->at;
	return 0;
}

/* Separate, because older kernels add up the stacks of all nested calls. */
SEPARATE u64 folders_of(u64 dentry)
{
	u64 hash = 0;

	for (u32 i = 0; i < OBJECT_FOLDERS; i++) {
		dentry = as_number(OBJECT_READ(dentry, dentry, d_parent));
		hash = mix(mix(hash, dentry), OBJECT_READ(dentry, dentry, d_name.hash_len));
	}
	return hash;
}

/* A file's token changes when the file, or one of the nearest folders above it, is renamed or replaced. */
static __always_inline void name_file(struct object_room *room, u64 file, u64 inode, u32 number,
				      struct ring_object *object)
{
	u64 dentry = as_number(OBJECT_READ(file, file, f_path.dentry));
	u64 vfsmount = as_number(OBJECT_READ(file, file, f_path.mnt));
	u64 token;

	if (!kernel_has(RING_PART_NAMES))
		return;
	token = mix(mix(dentry, vfsmount), folders_of(dentry));
	token = mix(mix(token, OBJECT_READ(dentry, dentry, d_name.hash_len)), OBJECT_READ(inode, inode, i_generation));
	token = mix(token, !OBJECT_READ(dentry, dentry, d_hash.pprev)) | 1;
	object->token = token;
	if (name_is_written(token))
		return;
	path_read(dentry, vfsmount, number);
	room->name.token = token;
}

/* --- the context of a wait: a system call with its arguments, or something else --- */

/* Whether the call is one of a 32-bit program, or was made by int 0x80. */
static __always_inline bool is_compat(struct task_struct *task)
{
	struct task_struct___x86 *x86 = (void *)task;
	struct task_struct___arm64 *arm64 = (void *)task;

	if (bpf_core_field_exists(x86->thread_info.status))
		return x86->thread_info.status & TS_COMPAT;
	return arm64->thread_info.flags & TIF_32BIT_MASK;
}

/* marks: enum ring_mark, of its frames. */
static __always_inline u32 context_of_call(struct task_struct *task, u32 state, u32 marks)
{
	long number;

	if (task->flags & PF_IO_WORKER)
		return WAIT_IN_IO_WORKER;
	if (task->flags & (PF_KTHREAD | PF_USER_WORKER))
		return WAIT_IN_KERNEL_THREAD;
	if (state & (TASK_STOPPED_BIT | TASK_TRACED_BIT))
		return WAIT_IN_STOP;
	if (state & TASK_FROZEN) /* for no call, whatever it was in */
		return WAIT_IN_UNKNOWN;
	if (!in_system_call(task, &number))
		return (marks & (RING_MARK_ENTRY | RING_MARK_BACK)) == RING_MARK_ENTRY ? WAIT_IN_FAULT :
											 WAIT_IN_UNKNOWN;
	if (marks & RING_MARK_BACK || !in_unfinished_call(task, &number))
		return WAIT_IN_UNKNOWN;
	return is_compat(task) ? WAIT_IN_COMPAT_CALL : WAIT_IN_CALL;
}

#endif
