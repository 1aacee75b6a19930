/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The waker that ends a wait: its context, and its stacks, which are written at the wakeup. */
#ifndef RWALKER_BPF_WAIT_WAKER_BPF_H
#define RWALKER_BPF_WAIT_WAKER_BPF_H

#include "bpf/stacks.bpf.h"
#include "bpf/wait.bpf.h"

/* --- packets --- */

/*
 * Whether the softirq delivers what the task itself has just sent, as on loopback: it handles this CPU's backlog of
 * packets, and runs in the task's own call, because the function that put a packet there enables softirqs again. A
 * packet that an interrupt put there in between would be delivered with it.
 */

static __always_inline bool is_within(u64 address, const struct ring_function *function)
{
	return address - function->start - 1 < function->end - function->start;
}

static __always_inline bool is_transmit(u64 address)
{
	const struct ring_function *all = object_functions.transmits;

	return is_within(address, &all[0]) || is_within(address, &all[1]) || is_within(address, &all[2]);
}

struct packet_search {
	const struct ring_wake *record;
	u32 count;
	bool backlog, own;
};

static long packet_step(u32 index, struct packet_search *search)
{
	enum { MOST = 40 };
	const u64 *frames = search->record->frames;

	if (index >= MOST || index + 1 >= search->count)
		return 1;
	if (is_within(frames[index], &object_functions.backlog))
		search->backlog = true;
	if (!is_within(frames[index], &object_functions.bh_enable))
		return 0;
	search->own = search->backlog && is_transmit(frames[index + 1]);
	return 1;
}

static __always_inline bool is_own_packet(const struct ring_wake *record, u32 count)
{
	struct packet_search search = {.record = record, .count = count};

	bpf_loop(count, packet_step, &search, 0);
	return *(volatile bool *)&search.own;
}

/* --- the waker --- */

const volatile bool waker_cast; /* bpf_rdonly_cast() is available */

static __always_inline int read_int(u64 address)
{
	int value = -1;

	if (waker_cast) {
		address -= __builtin_preserve_field_info(((struct thread_info *)0)->cpu, BPF_FIELD_BYTE_OFFSET);
		return ((struct thread_info *)bpf_rdonly_cast(
				(void *)address, bpf_core_type_id_kernel(struct thread_info)))
			->cpu;
	}
	(void)bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

/* x86 keeps the count per CPU. Programs learn its address only by its distance from the run queue. -1: unknown. */
static __always_inline int preempt_depth(struct task_struct *current_task, struct ring_cpu *cpu)
{
	struct rq *rq;

	if (bpf_core_field_exists(current_task->thread_info.preempt_count))
		return (int)current_task->thread_info.preempt_count;
	if (!cpu->preempt_count && wait_knobs.preempt_count && bpf_core_field_exists(current_task->se.cfs_rq->rq)) {
		rq = BPF_CORE_READ(current_task, se.cfs_rq, rq);
		cpu->preempt_count = rq ? (u64)rq + wait_knobs.preempt_count : 0;
	}
	return cpu->preempt_count ? read_int(cpu->preempt_count) : -1;
}

/* include/linux/preempt.h: bits 16-23 are interrupts, bit 8 a softirq being served. */
static __always_inline u32 context_of(struct task_struct *current_task, struct ring_cpu *cpu)
{
	enum { SERVING_SOFTIRQ = 1 << 8, IN_INTERRUPT = 0xff << 16 };
	int depth = preempt_depth(current_task, cpu);

	if (depth == -1)
		return WAKER_UNKNOWN;
	if (depth & IN_INTERRUPT)
		return WAKER_IRQ;
	if (bpf_core_field_exists(current_task->softirq_disable_cnt) &&
	    (current_task->softirq_disable_cnt & SERVING_SOFTIRQ))
		return WAKER_SOFTIRQ;
	return depth & SERVING_SOFTIRQ ? WAKER_SOFTIRQ : WAKER_TASK;
}

static __always_inline void note_waker(struct task_struct *waker, struct ring_cpu *cpu,
				       struct wait_entry *entry, u64 now)
{
	const u64 *comm = (const u64 *)waker->comm; /* but not its cgroup: each wakeup would pay for it */

	entry->waker_context = context_of(waker, cpu) | (waker->flags & PF_KTHREAD ? WAIT_WAKER_KERNEL : 0);
	entry->waker.time = now;
	entry->waker.start = waker->start_boottime;
	entry->waker.tgid = waker->tgid;
	entry->waker.tid = waker->pid;
	entry->waker.comm[0] = comm[0];
	entry->waker.comm[1] = comm[1];
}

static __always_inline u32 waker_context(const struct wait_entry *entry)
{
	return entry->waker_context & ~WAIT_WAKER_KERNEL;
}

static __always_inline void fill_waker(const struct wait_entry *entry, struct ring_waker *ret_waker)
{
	ret_waker->time = entry->waker.time;
	ret_waker->context = waker_context(entry);
	ret_waker->task.start = entry->waker.start;
	ret_waker->task.tgid = entry->waker.tgid;
	ret_waker->task.tid = entry->waker.tid;
	ret_waker->task.cgroup = 0;
	ret_waker->task.kernel_thread = !!(entry->waker_context & WAIT_WAKER_KERNEL);
	__builtin_memcpy(ret_waker->task.comm, entry->waker.comm, sizeof(ret_waker->task.comm));
}

static __always_inline u64 waker_stacks(void *ctx, const struct ring_slot *slot, struct task_struct *waker,
					struct wait_entry *entry, struct ring_wake *record)
{
	const u64 room = knobs.max_frames * 8;
	long kernel = bpf_get_stack(ctx, record->frames, room, 0), user = 0;
	u64 top = 0;

	if (kernel < 0)
		kernel = 0;
	barrier_var(kernel); /* 6.1 only knows the bounds of the register that was compared */
	if (kernel == room)
		record->flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	if (record->context == WAKER_SOFTIRQ && is_own_packet(record, (u64)kernel / 8)) {
		record->context = WAKER_TASK;
		entry->waker_context += WAKER_TASK - WAKER_SOFTIRQ;
	}
	if (wait_knobs.user_stacks && record->context == WAKER_TASK && !(waker->flags & PF_KTHREAD)) {
		user = bpf_get_stack(ctx, (void *)record->frames + kernel, room, BPF_F_USER_STACK);
		if (user <= 0) {
			record->flags |= RING_SAMPLE_NO_USER_FAULT;
			user = 0;
		}
		barrier_var(user);
		if (user == room)
			record->flags |= RING_SAMPLE_USER_TRUNCATED;
		if (user > 0)
			top = stack_top_read(waker, (void *)record->frames + kernel + user, &record->flags);
		record->flags |= snapshot_write(waker, slot, record->head.time, wait_knobs.wakers_source,
						RING_MAX_HOOK_SNAPSHOT, false, 0);
	}
	record->kernel_count = (u64)kernel / 8;
	record->user_count = (u64)user / 8;
	return (u64)kernel + (u64)user + top;
}

static __always_inline enum ring_counter put_wake(void *ctx, const struct ring_slot *slot, struct task_struct *waker,
						  struct task_struct *target, struct wait_entry *entry,
						  struct ring_wake *record)
{
	enum ring_counter outcome;

	record->head = head_of(RING_WAKE, entry->waker.time, wait_knobs.wakers_source);
	record->context = waker_context(entry);
	record->flags = 0;
	task_describe(waker, &record->task);
	task_describe(target, &record->target);
	outcome = ring_output(slot, record->head.cpu, record,
			      sizeof(*record) + waker_stacks(ctx, slot, waker, entry, record));
	if (outcome == RING_COUNT_RECORDED && record->flags & RING_SAMPLE_NO_SNAPSHOT)
		count_one(&slot->cpu->counters[RING_COUNT_SNAPSHOT]);
	return outcome;
}

static __always_inline void write_wake(void *ctx, struct ring_cpu *cpu, struct task_struct *waker,
				      struct task_struct *target, struct wait_entry *entry)
{
	const u64 most = sizeof(struct ring_wake) + (wait_knobs.user_stacks ? 2 : 1) * knobs.max_frames * 8;
	enum ring_counter outcome = RING_COUNT_RING_FULL;
	struct ring_wake *record;
	struct ring_slot slot;

	if (ring_has_room(bpf_get_smp_processor_id(), most)) {
		record = scratch_enter(cpu, &slot);
		if (record)
			outcome = put_wake(ctx, &slot, waker, target, entry, record);
		scratch_leave(&slot);
	}
	if (outcome != RING_COUNT_RECORDED)
		cpu->wakes_lost++;
}

#endif
