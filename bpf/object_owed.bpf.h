/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A connection on which the process of a sleeping thread owes an answer, searched for among its
 * descriptors. Only a look at all tasks has the time. A process with several threads may owe
 * several answers: each of its threads that a look comes to is given the next one, whoever of them
 * is to answer.
 */
#ifndef RWALKER_BPF_OBJECT_OWED_H
#define RWALKER_BPF_OBJECT_OWED_H

#include "bpf/object_ready.bpf.h"
#include "bpf/object_stream.bpf.h"

enum { OWED_DESCRIPTORS = 1024 /* of a process, at most */ };

struct owed_search {
	u64 files; /* of the process that was looked at last; a number, because it may be gone */
	u64 table, file;
	u32 next, end; /* the first of its descriptors that was not looked at; after the last one */
	u32 process; /* enum stream_process */
	u32 descriptor; /* of `file`, plus 1 */
	u32 unclear; /* descriptors that are OWED_IF_ALONE; 0 once one is owed for certain */
};

/* One reader at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct owed_search);
} owed_searches SEC(".maps");

static __always_inline struct owed_search *this_owed(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&owed_searches, &zero);
}

static long owed_step(u32 index, void *context)
{
	struct owed_search *search = this_owed();
	u64 file;
	int owed;

	(void)index;
	(void)context;
	if (!search || search->next >= search->end)
		return 1;
	file = (u64)OBJECT_READ(hlist_head, search->table + search->next++ * sizeof(u64), first);
	owed = file ? file_is_owed(as_number((const void *)file), search->process) : NOT_OWED;
	if (owed == NOT_OWED)
		return 0;
	search->unclear = owed == OWED ? 0 : search->unclear + 1;
	search->file = file;
	search->descriptor = search->next;
	return owed == OWED;
}

static __always_inline bool owed_begin(struct owed_search *search, struct files_struct *files)
{
	struct fdtable *table = files->fdt;

	if (!table)
		return false;
	if (search->files != as_number(files)) {
		search->files = as_number(files);
		search->next = 0;
	}
	search->table = as_number(table->fd);
	search->end = table->max_fds < OWED_DESCRIPTORS ? table->max_fds : OWED_DESCRIPTORS;
	search->file = 0;
	search->unclear = 0;
	return true;
}

/* A debugger may stop single threads. */
static __always_inline u32 process_of(struct task_struct *task, u32 state)
{
	u64 group = as_number(TASK_POINTER(task_struct___files, task, signal));
	u32 alone = OBJECT_READ(signal_struct, group, nr_threads) == 1 ? PROCESS_ALONE : 0;

	if (state & TASK_STOPPED_BIT || (alone && state & TASK_TRACED_BIT))
		return alone | PROCESS_STOPPED;
	return alone;
}

/*
 * Leaves the connection in the room, beside what the wait is for, and says so in the object's flags.
 * A connection that another thread closed meanwhile does not count, nor if the wait ended meanwhile.
 */
static __noinline bool owed_take(struct task_struct *task, u32 state, struct object_room *room,
				 struct ring_object *object)
{
	struct files_struct *files = files_of(task);
	struct owed_search *search = this_owed();
	u64 again;

	if (!search || !files || room->beside.ready || !owed_begin(search, files))
		return false;
	search->process = process_of(task, state);
	bpf_loop(OWED_DESCRIPTORS, owed_step, NULL, 0);
	if (!search->file || search->unclear > 1)
		return false;
	room->name.token = 0;
	ready_take(task, room, search->file, search->descriptor, OBJECT_AT_LOOK);
	again = as_number((const void *)find_file(files, search->descriptor - 1));
	if (again != search->file || file_is_owed(again, search->process) == NOT_OWED)
		return false;
	if (task->on_cpu || is_queued(task))
		return false;
	object->flags |= RING_OBJECT_OWES | (search->process ? RING_OBJECT_ALONE : 0);
	object->beside = true;
	return true;
}

/* To be called when a look begins, and when it comes back to a task whose connection was not written. */
static __always_inline void owed_forget(void)
{
	struct owed_search *search = this_owed();

	if (search)
		search->files = 0;
}

#endif
