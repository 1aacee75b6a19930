/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits. A thread's user stack can be read only while the thread is current, and before it is back in
 * user space: when it leaves the CPU, before the length of the wait is known, or from the switch-in on, when it is
 * known which waits get a record (enum ring_user_way).
 */
#ifndef RWALKER_BPF_WAIT_USER_BPF_H
#define RWALKER_BPF_WAIT_USER_BPF_H

#include "bpf/stacks.bpf.h"
#include "bpf/wait.bpf.h"

/* --- task work --- */

/*
 * Work that a thread does on its way back to user space, in its own context and with no lock held:
 * bpf_task_work of Linux 6.18. The kernel needs an element of a map while one is pending. A
 * thread's element follows from its tid; if another thread has it, the next ones are tried.
 *
 * Later kernels have the function without "_impl", and supply its last argument themselves.
 */

enum { TASK_WORKS = 4096, TASK_WORK_TRIES = 4 }; /* a power of two */

const volatile bool task_work_plain_name;

struct bpf_task_work {
	__u64 __opaque;
};

struct bpf_map {
	u32 id;
} __attribute__((preserve_access_index));

typedef int (*task_work_callback)(struct bpf_map *map, void *key, void *value);

extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					      task_work_callback callback, void *aux__prog) __weak __ksym;
extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					 task_work_callback callback) __weak __ksym;
extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

struct task_work_place {
	struct bpf_task_work work;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TASK_WORKS);
	__type(key, u32);
	__type(value, struct task_work_place);
} task_works SEC(".maps");

static __always_inline long task_work_try(struct task_struct *task, u32 place, task_work_callback callback)
{
	struct task_work_place *at = bpf_map_lookup_elem(&task_works, &place);

	if (!at)
		return -1;
	return task_work_plain_name ? bpf_task_work_schedule_resume(task, &at->work, &task_works, callback) :
				      bpf_task_work_schedule_resume_impl(task, &at->work, &task_works, callback, NULL);
}

/*
 * Returns true if the callback will run before the task's next instruction in user space. If not,
 * the kernel had a reason.
 */
static __always_inline bool task_work_schedule(struct task_struct *task, task_work_callback callback)
{
	enum { APART = 1021 }; /* threads of one process have tids close to each other */

	for (u32 i = 0; i < TASK_WORK_TRIES; i++)
		if (!task_work_try(task, (task->pid + i * APART) & (TASK_WORKS - 1), callback))
			return true;
	return false;
}

/* --- the record --- */

/* task: the current one. Returns the size of its stack in bytes. */
static __always_inline u64 read_user_frames(struct task_struct *task, struct ring_user_stack *record)
{
	const u64 room = knobs.max_frames * 8;
	long bytes = bpf_get_task_stack(task, record->frames, room, BPF_F_USER_STACK);

	record->flags = 0;
	record->reason = USER_MISSING_NONE;
	record->count = 0;
	if (bytes <= 0 || !task->mm) { /* an exiting task without its memory still has one frame */
		record->reason = task->flags & PF_EXITING ? USER_MISSING_EXITING : USER_MISSING_FAULT;
		return 0;
	}
	if (bytes == room)
		record->flags |= RING_SAMPLE_USER_TRUNCATED;
	record->count = bytes / 8u;
	barrier_var(bytes);
	if (bytes < 0 || bytes > room)
		return 0;
	return bytes + stack_top_read(task, (void *)record->frames + bytes, &record->flags);
}

/*
 * Writes the user stack of the current task, or why there is none. since: 0 if the task leaves the
 * CPU; else it has finished waiting.
 */
static __noinline void write_user_stack(struct task_struct *task, u64 now, u64 since, u32 reason)
{
	bool switched = !since;
	struct ring_cpu *cpu = ring_this_cpu();
	struct ring_user_stack *record;
	struct ring_slot slot;
	u64 length = sizeof(*record);
	enum ring_counter outcome;

	if (!cpu || (!reason && !ring_has_room(bpf_get_smp_processor_id(), length + knobs.max_frames * 8)))
		return; /* the reader counts waits whose stack is missing */
	record = scratch_enter(cpu, &slot);
	if (record) {
		record->head = head_of(RING_USER_STACK, now, wait_knobs.source);
		record->since = since;
		task_describe(task, &record->task);
		if (reason) {
			record->reason = reason;
			record->flags = record->count = 0;
		} else {
			length += read_user_frames(task, record);
			record->flags |= snapshot_write(task, &slot, now, wait_knobs.source,
							switched ? RING_MAX_HOOK_SNAPSHOT : knobs.snapshot_bytes, !switched,
							switched ? RING_SNAPSHOT_BEFORE : 0);
		}
		outcome = ring_output(&slot, record->head.cpu, record, length);
		/* For a wait that begins, the recorder counts it, if the wait gets a record. */
		if (outcome == RING_COUNT_RECORDED && !switched && record->flags & RING_SAMPLE_NO_SNAPSHOT)
			count_one(&cpu->counters[RING_COUNT_SNAPSHOT]);
	}
	scratch_leave(&slot);
}

static __always_inline void read_user_registers(struct task_struct *task, u64 *ret_ip, u64 *ret_sp)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_ip = bpf_core_field_exists(regs->ip) ? regs->ip : regs->pc;
	*ret_sp = regs->sp;
}

static __always_inline bool has_user_stack(struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* --- at the switch-out --- */

enum { PATIENCE = 64 };

/*
 * A preempted thread that is in no system call, or has finished it, does not pass the hook at a
 * call's return. Its user stack is taken at the switch-out, in vain if the wait turns out to be
 * short. So it is not taken if all of the last waits were short.
 */
static __always_inline bool worth_writing(struct task_struct *prev, struct wait_entry *entry, bool preempt)
{
	long number;

	if (wait_knobs.user_before)
		return true;
	/* A task that is preempted, but not by `preempt`, has left its system call. */
	if ((preempt || entry->wait_class != WAIT_PREEMPTED) && in_system_call(prev, &number)) {
		entry->flags |= ENTRY_IN_SYSCALL;
		return false;
	}
	return entry->wait_class == WAIT_BLOCKED || entry->hasty < PATIENCE;
}

static __always_inline void user_stack_before(struct task_struct *prev, struct wait_entry *entry, u64 now, bool preempt)
{
	if (!wait_knobs.user_stacks || (!wait_knobs.user_before && wait_knobs.user_way != RING_BY_SYS_EXIT))
		return;
	if (!has_user_stack(prev) || !worth_writing(prev, entry, preempt))
		return;
	if (task_is_own(prev) || !task_is_wanted(prev))
		return;
	entry->flags |= ENTRY_USER_WRITTEN;
	write_user_stack(prev, now, 0, USER_MISSING_NONE);
}

static __always_inline void learn_length(struct wait_entry *entry, u64 length)
{
	if (wait_knobs.user_way != RING_BY_SYS_EXIT || entry->wait_class == WAIT_BLOCKED ||
	    (entry->flags & ENTRY_IN_SYSCALL))
		return;
	if (length < budget_least(wait_knobs.least) / 4)
		entry->hasty += entry->hasty < PATIENCE;
	else
		entry->hasty = 0;
}

/* --- from the switch-in on --- */

/* What the wait's record says about the user stack. */
static __always_inline u32 plan_user_stack(struct task_struct *task, const struct wait_entry *entry)
{
	const bool hook = wait_knobs.user_way == RING_BY_SYS_EXIT;

	if (!wait_knobs.user_stacks)
		return 0;
	if (!has_user_stack(task))
		return RING_WAIT_USER_KTHREAD;
	if (entry->flags & ENTRY_USER_WRITTEN || wait_knobs.user_way == RING_BY_NONE ||
	    (hook && !(entry->flags & ENTRY_IN_SYSCALL)))
		return RING_WAIT_USER_BEFORE;
	return RING_WAIT_USER_LATER;
}

/*
 * Since when waits of the sleeping task's present system call have had no user stack; 0 if the task was elsewhere then.
 */
static __always_inline u64 still_pending(struct task_struct *task, const struct wait_entry *entry)
{
	u64 ip, sp;

	read_user_registers(task, &ip, &sp);
	return ip == entry->ip && sp == entry->sp ? entry->pending : 0;
}

/* The current task is about to run on: takes the user stack of its waits since it was last in user space. */
static __noinline void write_pending(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 ip, sp, since, now;

	if (!entry || !entry->pending)
		return;
	since = entry->pending;
	entry->pending = 0;
	read_user_registers(task, &ip, &sp);
	now = bpf_ktime_get_ns();
	if (now < since) /* may be by the run queue's clock */
		now = since;
	write_user_stack(task, now, since, ip == entry->ip && sp == entry->sp ? USER_MISSING_NONE : USER_MISSING_CHANGED);
}

/* For the task whose switch-in or system call was noted on this CPU (note_pending()). */
static __always_inline void write_pending_here(void)
{
	struct ring_cpu *cpu = ring_this_cpu();

	if (cpu && cpu->pending) {
		cpu->pending = 0;
		write_pending(bpf_get_current_task_btf());
	}
}

/* Preemptible, so per-CPU data cannot be used here. */
static int write_on_the_way(struct bpf_map *map, void *key, void *value)
{
	bpf_preempt_disable();
	write_pending(bpf_get_current_task_btf());
	bpf_preempt_enable();
	return 0;
}

/*
 * Called after the record of a wait with USER_LATER. One stack serves all waits of a call: it is
 * asked for with the first.
 */
static __always_inline void want_user_stack(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	if (entry->pending)
		return;
	entry->pending = now;
	read_user_registers(task, &entry->ip, &entry->sp);
}

/*
 * Called at the end of a switch-in whose wait is the first of a call. Not by want_user_stack(), whose callers have
 * little room left on the stack: old kernels count what is scheduled as called.
 */
static __noinline void schedule_user_stack(struct task_struct *task, struct wait_entry *entry)
{
	const u64 since = entry->pending;

	if (task_work_schedule(task, write_on_the_way))
		return;
	entry->pending = 0;
	write_user_stack(task, since, since, USER_MISSING_UNSCHEDULED);
}

/* For the hooks that look at this CPU's own memory and at nothing else. */
static __always_inline void note_pending(struct ring_cpu *cpu, u64 pending)
{
	if (wait_knobs.user_way == RING_BY_SWITCH || wait_knobs.user_way == RING_BY_SYS_EXIT)
		cpu->pending = pending;
}

#endif
