/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The page, and its file, that a task waits for: to be read, written back or unlocked. All these
 * waits are in one function of the kernel, whose stack frame tells which page it is.
 */
#ifndef RWALKER_BPF_OBJECT_PAGE_H
#define RWALKER_BPF_OBJECT_PAGE_H

#include "bpf/kernel_pages.bpf.h"
#include "bpf/object_mapped.bpf.h"

enum { PAGE_FRAMES = 8 }; /* innermost ones: those of the scheduler, then that of this function */

/* The return address in that function; 0 if the task is not in it. */
static __always_inline u64 return_to_wait(struct task_struct *task, struct object_room *room)
{
	const u64 start = object_functions.page_wait, bytes = object_functions.page_wait_end - start;
	long got = bpf_get_task_stack(task, room->words, PAGE_FRAMES * sizeof(u64), 0);

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < PAGE_FRAMES; i++) {
		u64 at = *(volatile u64 *)&room->words[i];

		if ((s64)(i * sizeof(u64)) >= got)
			return 0;
		if (at - start < bytes)
			return at;
	}
	return 0;
}

/* The address of the task's struct wait_page_queue, in the frame above the return address; 0 if not found. */
static __always_inline u64 find_page_wait(struct task_struct *task, u64 back, u32 number)
{
	const u64 wake = object_functions.page_wake, flags = 3; /* which stack_find() ignores */
	u64 frame = stack_find(task, back & ~flags, back & ~flags, number);
	u64 at = frame ? stack_find_from(task, frame, wake, wake, number) : 0, wait, link, next;

	if (!at)
		return 0;
	wait = at - bpf_core_field_offset(struct wait_page_queue, wait.func);
	link = wait + bpf_core_field_offset(struct wait_page_queue, wait.entry);
	next = (u64)OBJECT_READ(wait_page_queue, wait, wait.entry.next);
	if ((u64)OBJECT_READ(wait_page_queue, wait, wait.private) != as_number(task) ||
	    (u64)OBJECT_READ(list_head, next, prev) != link)
		return 0;
	return wait;
}

/*
 * A read that finds a page locked drops its reference and sleeps: when it wakes up, the page may be
 * another file's. All other waiters keep their reference. A waiter that does not want the lock for
 * itself may be such a read. Then the page counts only if it is of the call's file.
 */
static __always_inline bool is_held(u64 wait, const struct ring_object *object)
{
	return OBJECT_READ(wait_page_queue, wait, bit_nr) != PG_LOCKED ||
	       OBJECT_READ(wait_page_queue, wait, wait.flags) & WQ_FLAG_EXCLUSIVE ||
	       object->context == RING_CALL_FAULT;
}

static __always_inline bool is_of_file(u64 file, u64 mapping)
{
	return file && (u64)OBJECT_READ(file___mapping, file, f_mapping) == mapping;
}

/* Forgets the call's own object, which does not matter any more. */
static __always_inline void forget_object(struct object_room *room, struct ring_object *object)
{
	const struct ring_object known = {.context = object->context, .call = object->call};

	*object = known;
	room->name.token = 0;
}

/* Pages of a block device itself, such as those of a file system's own data, have no inode that anybody knows. */
static __always_inline void describe_page(u64 inode, struct ring_object *object)
{
	u64 block = (u64)OBJECT_READ(inode, inode, i_sb);

	object->kind = RING_OBJECT_PAGE;
	if ((OBJECT_READ(inode, inode, i_mode) & S_IFMT) == S_IFBLK) {
		object->device = OBJECT_READ(inode, inode, i_rdev);
	} else {
		object->device = OBJECT_READ(super_block, block, s_dev);
		object->inode = OBJECT_READ(inode, inode, i_ino);
	}
}

/* Pages of a block device need no name: the device has one. */
static __always_inline void name_page(struct task_struct *task, struct object_room *room, u64 mapping, u64 inode,
				      u64 wait, u32 number, struct ring_object *object)
{
	u64 file;

	if (!object->inode || object->context > RING_CALL_FAULT)
		return;
	file = mapped_file(task, wait, mapping, inode);
	if (file)
		name_file(room, file, inode, number, object);
}

/*
 * *object: what the call works with. Its name is kept if the page is of the same file. Returns true if the
 * task waits for a page, perhaps of no file, or of an unknown one.
 */
static __noinline bool page_take(struct task_struct *task, u32 number, struct ring_object *object)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 back, wait, folio, mapping, inode, token = object->token, name;

	if (!room)
		return false;
	back = return_to_wait(task, room);
	if (!back)
		return false;
	name = room->name.token;
	forget_object(room, object);
	wait = find_page_wait(task, back, number);
	if (!wait)
		return true;
	folio = as_number(OBJECT_READ(wait_page_queue, wait, folio));
	mapping = as_number(OBJECT_READ(folio, folio, mapping));
	if (!mapping || mapping & PAGE_MAPPING_FLAGS || (!is_held(wait, object) && !is_of_file(room->file, mapping)))
		return true;
	inode = as_number(OBJECT_READ(address_space, mapping, host));
	if (!inode)
		return true;
	object->page = OBJECT_READ(folio, folio, index) + 1;
	describe_page(inode, object);
	if (!is_of_file(room->file, mapping)) {
		name_page(task, room, mapping, inode, wait, number, object);
	} else if (object->inode) {
		object->token = token;
		room->name.token = name;
	}
	return true;
}

#endif
