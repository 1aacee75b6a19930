/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The mapping that a futex is in. The mm says where the heap and the program's own data are;
 * anything else must be looked up in the mappings of the process, with the mmap_lock. This is done
 * if the futex has not been seen on this CPU lately, and only if the lock is free: at the
 * switch-out, because since 2026 kernels let bpf_find_vma() look only at the current task while
 * interrupts are off, and the lock is released right after the switch (which is impossible on
 * PREEMPT_RT); or in a look at all tasks, for any of them. It needs Linux 6.2. If another mapping
 * takes its place, that is noticed a second or two later.
 */
#ifndef RWALKER_BPF_OBJECT_MAPPING_H
#define RWALKER_BPF_OBJECT_MAPPING_H

#include "bpf/object_name.bpf.h"

#define VM_SHARED 0x00000008
#define VM_GROWSDOWN 0x00000100

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct___parts {
	unsigned long start_data, start_brk, brk, start_stack;
	struct file *exe_file;
};

struct vm_area_struct___file {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
};

#pragma clang attribute pop

/* --- by the process' mappings --- */

/*
 * Called with the mmap_lock held, so the mapping stays. The name is read afterwards, because older
 * kernels add up the stacks of all nested calls; the program holds the RCU lock, so names do not go
 * away before that.
 */
static long take_mapping(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	const struct vm_area_struct___file *area = (const void *)vma;
	const u64 start = area->vm_start, end = area->vm_end, flags = area->vm_flags;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);
	struct file *file = area->vm_file;

	if (!room)
		return 0;
	room->name.mapping = flags & VM_GROWSDOWN || room->sp - start < end - start ? OBJECT_IN_STACK :
											       OBJECT_IN_MEMORY;
	if (!file)
		return 0;
	room->name.mapping = flags & VM_SHARED ? OBJECT_IN_SHARED : OBJECT_IN_FILE;
	room->name.offset = area->vm_pgoff * object_knobs.page_size + (room->place - start);
	room->name.device = file->f_inode->i_sb->s_dev;
	room->name.inode = file->f_inode->i_ino;
	room->dentry = as_number(file->f_path.dentry);
	room->mount = as_number(file->f_path.mnt);
	return 0;
}

/* task: the current one, or any if interrupts are on. number: of the room. */
static __noinline bool find_mapping(struct task_struct *task, u64 place, u64 token, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	const struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	if (!room)
		return false;
	room->name.length = room->name.flags = room->name.mapping = 0;
	room->name.device = room->name.inode = room->name.offset = 0;
	room->place = place;
	room->sp = regs->sp;
	room->dentry = room->mount = 0;
	if (bpf_find_vma(task, place, take_mapping, &number, 0))
		return false;
	room->name.token = token;
	if (room->dentry)
		path_read(room->dentry, room->mount, number);
	return true;
}

/* --- any mapping --- */

/*
 * The kernel places the parts of an mm at random addresses, so they differ between the programs
 * that a process executes.
 */
static __always_inline u64 mapping_token(const struct mm_struct___parts *mm, u64 place)
{
	return mix(mix(mix(as_number(mm), mm->start_brk), mm->start_stack), place) | 1;
}

static __always_inline void name_program(struct object_room *room, u64 file, struct ring_object *object, u32 number)
{
	u64 inode = (u64)OBJECT_READ(file, file, f_inode);

	object->device = OBJECT_READ(super_block, (u64)OBJECT_READ(inode, inode, i_sb), s_dev);
	object->inode = OBJECT_READ(inode, inode, i_ino);
	name_file(room, file, inode, number, object);
}

static __always_inline bool can_find_mappings(void)
{
	return kernel_has(RING_PART_MAPPINGS) && kernel_has(RING_PART_FILES) && kernel_has(RING_PART_NAMES);
}

static __always_inline bool is_in_program(const struct mm_struct___parts *mm, u64 place)
{
	return place >= mm->start_data && place < mm->brk;
}

/* Returns true if room->name now has something to write: the mapping of a place, if it was not written lately. */
static __noinline bool mapping_note(struct task_struct *task, u64 place)
{
	const struct mm_struct___parts *mm = (const void *)TASK_POINTER(task_struct, task, mm);
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 token;

	if (!can_find_mappings() || !mm || !room || !object_knobs.by_cast || is_in_program(mm, place))
		return false;
	token = mapping_token(mm, place);
	return !name_is_told(token) && find_mapping(task, place, token, number);
}

static __noinline void mapping_take(struct task_struct *task, struct ring_object *object, u32 number)
{
	const struct mm_struct___parts *mm = (const void *)TASK_POINTER(task_struct, task, mm);
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	const u64 place = object->place;

	if (!can_find_mappings() || !mm || !room)
		return;
	if (is_in_program(mm, place)) {
		object->mapping = place >= mm->start_brk ? OBJECT_IN_HEAP : OBJECT_IN_FILE;
		if (place < mm->start_brk)
			name_program(room, as_number(mm->exe_file), object, number);
		return;
	}
	if (!object_knobs.by_cast)
		return;
	object->token = mapping_token(mm, place);
	if (number == OBJECT_AT_LOOK && !name_is_told(object->token))
		(void)find_mapping(task, place, object->token, number);
}

#endif
