/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A futex, the mapping that it is in, and the owner of the mutex whose lock word it is.
 *
 * The mm says where the heap and the program's own data are;
 * anything else must be looked up in the mappings of the process, with the mmap_lock. This is done
 * if the futex has not been seen on this CPU lately, and only if the lock is free: at the
 * switch-out, because since 2026 kernels let bpf_find_vma() look only at the current task while
 * interrupts are off, and the lock is released right after the switch (which is impossible on
 * PREEMPT_RT); or in a look at all tasks, for any of them. It needs Linux 6.2. If another mapping
 * takes its place, that is noticed a second or two later.
 */
#ifndef RWALKER_BPF_OBJECT_FUTEX_BPF_H
#define RWALKER_BPF_OBJECT_FUTEX_BPF_H

#include "bpf/object.bpf.h"
#include "bpf/user_mutex.h"

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
 * Called with the mmap_lock held, so the mapping stays. The name is read afterwards, because older kernels add up the
 * stacks of all nested calls; the program holds the RCU lock, so names do not go away before that.
 */
static long read_mapping(struct task_struct *task, struct vm_area_struct *vma, void *context)
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
	if (bpf_find_vma(task, place, read_mapping, &number, 0))
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
	return !name_is_written(token) && find_mapping(task, place, token, number);
}

static __noinline void mapping_describe(struct task_struct *task, struct ring_object *object, u32 number)
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
	if (number == OBJECT_AT_LOOK && !name_is_written(object->token))
		(void)find_mapping(task, place, object->token, number);
}

/* --- its owner, at the switch-out --- */

/*
 * The mutex is in the memory of the
 * process, which can be read only while the thread is still on the CPU: at the switch-out, before
 * it is known whether the wait will be a long one. So it is read only for threads whose last waits
 * were not all brief.
 */

#define NOTED_ANYWHERE (1ULL << 32) /* its owner may be in another process */

static __always_inline bool locks_with_inheritance(u32 operation)
{
	const u32 command = operation & FUTEX_COMMANDS;

	return command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
}

/* With priority inheritance, the kernel itself keeps the owner in the lock word. */
static __always_inline u64 inheriting_owner(u64 place)
{
	u32 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (const void *)place) || !(word & FUTEX_WAITERS))
		return 0;
	return word & FUTEX_TID_MASK ? (word & FUTEX_TID_MASK) | NOTED_ANYWHERE : 0;
}

static __always_inline u64 mutex_owner(u64 place, u32 operation, u32 value)
{
	struct user_mutex mutex;

	if (!may_be_mutex(place, operation, value))
		return 0;
	if (bpf_probe_read_user(&mutex, sizeof(mutex), (const void *)place) || !is_mutex(&mutex, operation, value))
		return 0;
	return mutex.owner;
}

/*
 * The thread that holds what the task goes to sleep for: its tid in the task's pid namespace, and NOTED_ANYWHERE;
 * or 0.
 */
static __always_inline u64 futex_owner(const struct call_arguments *with)
{
	const u32 operation = with->values[1];

	return locks_with_inheritance(operation) ? inheriting_owner(with->values[0]) :
						   mutex_owner(with->values[0], operation, with->values[2]);
}

enum { WAIT_NAMED = 4 };

/*
 * Returns true if there is a name to write. Names are looked up only in the first waits after one that got a record:
 * otherwise a program with many futexes and short waits would cause far more look-ups and writes than it has long
 * waits. More than one wait, because the wait for a condition variable is followed by one for its mutex. Only for tasks
 * that are recorded: of all programs that run at a switch, only the first one can use bpf_find_vma(), so another
 * recorder would find nothing.
 */
static __noinline bool note_futex(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	const struct call_arguments with = call_arguments(prev);

	entry->noted = futex_owner(&with);
	entry->noted_out = now;
	return entry->brief < WAIT_NAMED && !task_is_own(prev) && task_is_wanted(prev) &&
	       mapping_note(prev, with.values[0]);
}

/* --- at the end of the wait --- */

/*
 * The owner held the lock when the wait began, so it must have started before. Its tid may have been reused since. One
 * in another process may be in another pid namespace, where its tid means something else, unless the kernel itself
 * looked it up.
 */
static __always_inline bool futex_owner_describe(struct task_struct *task, struct object_room *room,
				       const struct wait_entry *entry)
{
	const u64 owner = find_thread(task, (u32)entry->noted);

	if (!owner || OBJECT_READ(task_struct, owner, start_time) > entry->out)
		return false;
	if (!(entry->noted & NOTED_ANYWHERE) && OBJECT_READ(task_struct, owner, tgid) != task->tgid)
		return false;
	owner_describe(owner, &room->beside.owner);
	room->beside.held = HELD_BY_OWNER;
	return true;
}

static __always_inline void futex_describe(struct task_struct *task, struct object_room *room,
				       const struct wait_entry *entry, const struct call_arguments *with,
				       u32 number, struct ring_object *object)
{
	const u32 command = with->values[1] & FUTEX_COMMANDS, value = with->values[2];

	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI &&
	    command != FUTEX_LOCK_PI2 && command != FUTEX_WAIT_REQUEUE_PI)
		return;
	object->kind = OBJECT_FUTEX;
	object->place = with->values[0];
	object->process = task->tgid;
	/* Locks of the C, Go and Rust libraries are 2 while others wait for them, or have the owner and a flag. */
	if (locks_with_inheritance(command) || value == MUTEX_CONTENDED || (value & FUTEX_WAITERS && value != ~0U))
		object->flags |= RING_OBJECT_LOCKED;
	mapping_describe(task, object, number);
	if (kernel_has(RING_PART_THREADS) && entry->noted_out == entry->out && entry->noted)
		object->beside = futex_owner_describe(task, room, entry);
}

#endif
