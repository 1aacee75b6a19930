/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which file ended a wait in an epoll. */
#ifndef RWALKER_BPF_OBJECT_READY_H
#define RWALKER_BPF_OBJECT_READY_H

#include "bpf/kernel_locks.bpf.h"
#include "bpf/object_descriptor.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct eventpoll {
	struct list_head rdllist; /* of struct epitem.rdllink: files that are ready, the oldest first */
};

struct epoll_filefd {
	struct file *file;
	int fd; /* with which the file was added */
} __attribute__((packed));

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
};

#pragma clang attribute pop

/* Nothing is known yet. */
static __always_inline void begin_object(struct object_room *room)
{
	room->name.token = room->name.mapping = room->file = 0;
	room->beside.held = room->beside.ready = room->beside.object.kind = 0;
}

/* descriptor: the one of the file, plus 1; 0 if not known. */
static __always_inline void ready_take(struct task_struct *task, struct object_room *room, u64 file, u32 descriptor,
				       u32 number)
{
	struct ring_object *found = &room->beside.object;

	__builtin_memset(found, 0, sizeof(*found));
	found->descriptor = room->beside.ready = descriptor;
	found->process = task->tgid;
	file_take(file, found, number);
}

static __always_inline u64 first_ready(u64 poll)
{
	return (u64)OBJECT_READ(eventpoll, poll, rdllist.next);
}

/* The descriptor may have been closed since it was added, or reused for another file. */
static __always_inline bool still_leads(struct task_struct *task, u32 descriptor, u64 file)
{
	struct files_struct *files = files_of(task);

	return files && find_file(files, descriptor) == file;
}

static __always_inline u64 poll_of_epoll(u64 epoll)
{
	return (u64)OBJECT_READ(file, epoll, private_data);
}

/*
 * The first file in the ready list of an epoll, and the descriptor with which it was added; 0 if
 * the list is empty.
 */
static __always_inline u64 file_of_first(u64 poll, u64 first, u32 *descriptor)
{
	u64 item = first - OFFSET_OF(struct epitem, rdllink);

	if (!first || first == poll + OFFSET_OF(struct eventpoll, rdllist))
		return 0;
	*descriptor = OBJECT_READ(epitem, item, ffd.fd);
	return (u64)OBJECT_READ(epitem, item, ffd.file);
}

/*
 * The ready list was empty when the thread went to sleep. The first item in it now ended the wait,
 * or would have; the thread is about to take it, unless another waiter of the same epoll was
 * faster. While a list is being taken apart, it looks empty. An item cannot go away before it is
 * removed from the list: if it is first both before and after the look, the look was valid.
 */
static __always_inline bool epoll_take(struct task_struct *task, struct object_room *room, u32 number)
{
	u64 poll = poll_of_epoll(room->file), first = first_ready(poll);
	u32 descriptor = 0;
	u64 file = file_of_first(poll, first, &descriptor);

	if (!file)
		return false;
	ready_take(task, room, file, still_leads(task, descriptor, file) ? descriptor + 1 : 0, number);
	return first_ready(poll) == first;
}

#endif
