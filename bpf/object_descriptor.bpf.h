/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a system call's descriptor refers to. */
#ifndef RWALKER_BPF_OBJECT_DESCRIPTOR_H
#define RWALKER_BPF_OBJECT_DESCRIPTOR_H

#include "bpf/object_anonymous.bpf.h"
#include "bpf/object_call.bpf.h"
#include "bpf/object_socket.bpf.h"
#include "bpf/wait_entry.bpf.h"

static __always_inline void take_inode(struct object_room *room, u64 file, struct ring_object *object, u32 number)
{
	u64 inode = (u64)OBJECT_READ(file, file, f_inode), block = (u64)OBJECT_READ(inode, inode, i_sb);
	u64 magic = OBJECT_READ(super_block, block, s_magic);
	u32 mode = OBJECT_READ(inode, inode, i_mode);

	object->device = OBJECT_READ(super_block, block, s_dev);
	object->inode = OBJECT_READ(inode, inode, i_ino);
	if (magic == ANON_INODE_FS_MAGIC) {
		object->kind = anonymous_kind_of(file);
		object->device = object->inode = 0;
		return;
	}
	object->descriptor = object->process = 0;
	if ((mode & S_IFMT) == S_IFSOCK) {
		socket_take((u64)OBJECT_READ(file, file, private_data), room, object);
		return;
	}
	object->kind = OBJECT_FILE;
	if ((mode & S_IFMT) == S_IFIFO)
		object->kind = OBJECT_PIPE;
	if ((mode & S_IFMT) == S_IFCHR)
		object->kind = OBJECT_DEVICE;
	if ((mode & S_IFMT) == S_IFBLK) { /* the same device by any path */
		object->kind = OBJECT_BLOCK;
		object->device = OBJECT_READ(inode, inode, i_rdev);
		object->inode = 0;
		return;
	}
	if (magic != PIPEFS_MAGIC)
		name_file(room, file, inode, number, object);
}

SEPARATE int take_file(u64 file, struct ring_object *object, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (room && object)
		take_inode(room, file, object, number);
	return 0;
}

static __always_inline void file_take(u64 file, struct ring_object *object, u32 number)
{
	take_file(as_number((const void *)file), object, number);
}

static __always_inline struct files_struct *files_of(struct task_struct *task)
{
	return TASK_POINTER(task_struct___files, task, files);
}

/* 0: it is not open. */
static __always_inline u64 find_file(struct files_struct *files, u32 descriptor)
{
	struct fdtable *table = files->fdt;

	if (!table || descriptor >= table->max_fds)
		return 0;
	return (u64)OBJECT_READ(hlist_head, as_number(table->fd) + (u64)descriptor * sizeof(u64), first);
}

/*
 * Notes the descriptor's file at the switch-out, before it is known whether the wait will be a long
 * one, if another thread could close the descriptor meanwhile and open something else in its place.
 * The call itself holds on to the file.
 */
static __always_inline void note_file(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	struct files_struct *files = files_of(prev);

	if (!files || files->count.counter == 1)
		return;
	entry->noted = find_file(files, call_arguments(prev).values[0]);
	entry->noted_out = now;
}

/* No other thread could have closed a descriptor meanwhile: there is none, and none of the process has ended. */
static __always_inline bool is_alone(struct task_struct *task, const struct files_struct *files)
{
	u64 signal = as_number(TASK_POINTER(task_struct___files, task, signal));

	return files->count.counter == 1 && !OBJECT_READ(signal_struct___runtime, signal, sum_sched_runtime);
}

/*
 * Whether the call works with the file: the kernel stack then has the file, or its data. That alone
 * is no proof: the word may be left from an earlier call. But it is the only evidence for a file
 * that was not noted.
 */
static __always_inline bool is_in_use(struct task_struct *task, u64 file, u32 number, u32 call)
{
	u64 data = (u64)OBJECT_READ(file, file, private_data);

	return stack_find_again(task, file, data ? data : file, number, call);
}

/* alone: see is_alone(). */
static __always_inline void file_in_use_take(struct task_struct *task, struct object_room *room, u64 file, bool alone,
					     u32 descriptor, u32 number, struct ring_object *object)
{
	if (!file || (!alone && !is_in_use(task, file, number, object->call)))
		return;
	object->descriptor = descriptor + 1;
	object->process = task->tgid;
	file_take(file, object, number);
	room->file = file;
}

static __always_inline void descriptor_take(struct task_struct *task, struct object_room *room,
					    const struct wait_entry *entry, u32 descriptor, u32 number,
					    struct ring_object *object)
{
	struct files_struct *files = files_of(task);
	bool noted = entry->noted_out == entry->out;

	if (files)
		file_in_use_take(task, room, noted ? entry->noted : find_file(files, descriptor),
				 !noted && is_alone(task, files), descriptor, number, object);
}

#endif
