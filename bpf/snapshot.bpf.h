/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a reader unwinds a user stack from: the user registers of the current task, and its stack from there to the end of the
 * mapping. A read of user memory is all or nothing, so the end must be known (bpf/stack_end.bpf.h); where it is not, pages are
 * read until one is missing.
 * Told as a record of its own right before the one that it belongs to, on the same CPU and with the same time.
 */
#ifndef RWALKER_BPF_SNAPSHOT_BPF_H
#define RWALKER_BPF_SNAPSHOT_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/ring_snapshot.h"
#include "bpf/signal_stack.bpf.h"
#include "bpf/stack_end.bpf.h"

/* Not per CPU by its type: elements of those have 32 KiB at most. The recorder sets the value's size and how many. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct ring_snapshot));
} snapshot_scratch SEC(".maps");

struct page_read {
	void *to;
	u64 from, size, done;
};

static long read_page(u32 number, struct page_read *read)
{
	u64 at, part = page_part(number, read->from, read->size, snapshot_bytes, &at);

	if (!part || bpf_probe_read_user(read->to + at, part, (void *)(read->from + at)))
		return 1;
	read->done = at + part;
	return 0;
}

/* A page after the other, up to the first that is not there; bytes read. */
static __always_inline u64 read_pages(void *to, u64 from, u64 size)
{
	struct page_read read = {.to = to, .from = from, .size = size};

	bpf_loop(STACK_PAGES, read_page, &read, 0);
	return read.done;
}

static __always_inline u64 read_user_stack(struct task_struct *task, u64 sp, u64 most, bool look,
					   struct ring_snapshot *snapshot)
{
	u64 end = stack_end(task, sp, look), size = most, done;

	snapshot->address = sp;
	if (end && end - sp < size)
		size = (end - sp) & ~7ULL;
	if (end && end - sp > size + 7)
		snapshot->flags |= RING_SNAPSHOT_CUT;
	if (size > snapshot_bytes)
		size = snapshot_bytes;
	if (end && !bpf_probe_read_user(snapshot->stack, size, (void *)sp))
		return size;
	done = read_pages(snapshot->stack, sp, size);
	if (!end && done == size)
		snapshot->flags |= RING_SNAPSHOT_CUT;
	else if (end)
		snapshot->flags |= RING_SNAPSHOT_UNMAPPED;
	return done;
}

/* Not inline: it is large, and called in several places of an object. */
static __noinline enum ring_counter tell_stack(struct task_struct *task, u64 sp, u64 most, bool look,
					       struct ring_snapshot *snapshot)
{
	u64 size = read_user_stack(task, sp & ~7ULL, most, look, snapshot);

	if (size > snapshot_bytes)
		size = snapshot_bytes;
	snapshot->size = size;
	return ring_output(snapshot->head.cpu, snapshot, sizeof(*snapshot) + size);
}

/* Of the current task, for a record of this source with this time, whose scratch the caller holds. Whether it is in the ring. */
static __always_inline bool snapshot_tell(struct task_struct *task, struct ring_cpu *cpu, u64 time, u32 source, u64 most,
					  bool look, u32 flags)
{
	enum ring_counter outcome = RING_COUNT_NESTED;
	u32 number = bpf_get_smp_processor_id(), key = number * RING_NEST_LEVELS + cpu->depth - 1;
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct ring_snapshot *snapshot;
	u64 sp;

	if (!snapshot_bytes || (task->flags & PF_KTHREAD) || !task->mm || cpu->depth > RING_NEST_LEVELS)
		return false;
	snapshot = bpf_map_lookup_elem(&snapshot_scratch, &key);
	if (snapshot && !bpf_probe_read_kernel(snapshot->registers, user_registers_bytes(), regs)) {
		snapshot->head = (struct ring_head){.time = time, .cpu = number, .kind = RING_SNAPSHOT, .source = source};
		snapshot->flags = flags;
		task_describe(task, &snapshot->task);
		outcome = tell_stack(task, regs->sp, most, look, snapshot);
		sp = outcome == RING_COUNT_RECORDED && !flags ? interrupted_sp(task, regs->sp, snapshot) : 0;
		if (sp) {
			snapshot->flags = RING_SNAPSHOT_MORE;
			(void)tell_stack(task, sp - RED_ZONE, most, look, snapshot);
		}
	}
	if (outcome != RING_COUNT_RECORDED)
		cpu->counters[RING_COUNT_SNAPSHOT]++;
	return outcome == RING_COUNT_RECORDED;
}

#endif
