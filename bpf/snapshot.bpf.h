/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The data from which a reader unwinds a user stack: the user registers of the current task, and
 * its stack from the stack pointer to the end of the mapping. A read of user memory is all or
 * nothing, so the end must be known (bpf/stack_end.bpf.h). If it is not, pages are read until one
 * is missing.
 *
 * It is written as a record of its own right before the record that it belongs to, on the same CPU
 * and with the same time.
 */
#ifndef RWALKER_BPF_SNAPSHOT_BPF_H
#define RWALKER_BPF_SNAPSHOT_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/ring_snapshot.h"
#include "bpf/signal_stack.bpf.h"
#include "bpf/stack_end.bpf.h"

/*
 * By CPU, for those that are online: a map with as many slots as ring_scratch. Not a per-CPU map:
 * its elements have at most 32 KiB, and exist for CPUs that never come online. The recorder sets
 * the size of values and the number of entries.
 */
struct snapshot_slots {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct ring_snapshot));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__array(values, struct snapshot_slots);
} snapshot_scratch SEC(".maps");

struct page_read {
	struct ring_snapshot *to;
	u64 from, size;
};

/*
 * Progress is kept in a map, whose contents the verifier does not follow. As a variable it would
 * make each page a new state: loading took three times as long.
 */
static long read_page(u32 number, struct page_read *read)
{
	u64 at, part = page_part(number, read->from, read->size, snapshot_bytes, &at);

	if (!part || bpf_probe_read_user((void *)read->to->stack + at, part, (void *)(read->from + at)))
		return 1;
	read->to->size = at + part;
	return 0;
}

/* Reads page by page, up to the first missing one. Returns the bytes read. */
static __always_inline u64 read_pages(struct ring_snapshot *to, u64 from, u64 size)
{
	struct page_read read = {.to = to, .from = from, .size = size};

	to->size = 0;
	bpf_loop(STACK_PAGES, read_page, &read, 0);
	return to->size;
}

static __always_inline u64 read_user_stack(struct task_struct *task, u64 sp, u64 most, bool look,
					   struct ring_snapshot *snapshot)
{
	u64 end = stack_end(task, sp, look), size = most, done;

	snapshot->address = sp;
	if (end && end - sp < size)
		size = (end - sp) & ~7ULL;
	if (end && end - sp > size + 7)
		snapshot->flags |= SNAPSHOT_CUT;
	if (size > snapshot_bytes)
		size = snapshot_bytes;
	if (end && !bpf_probe_read_user(snapshot->stack, size, (void *)sp))
		return size;
	done = read_pages(snapshot, sp, size);
	if (!end && done == size)
		snapshot->flags |= SNAPSHOT_CUT;
	else if (end)
		snapshot->flags |= SNAPSHOT_UNMAPPED;
	return done;
}

struct stack_wanted {
	u64 sp, most;
	bool look; /* as for stack_end() */
};

/* Not inline: it is large, and called in several places of an object. */
static __noinline enum ring_counter tell_stack(struct task_struct *task, const struct ring_slot *slot,
					       const struct stack_wanted *wanted, struct ring_snapshot *snapshot)
{
	u64 size = read_user_stack(task, wanted->sp & ~7ULL, wanted->most, wanted->look, snapshot);

	if (size > snapshot_bytes)
		size = snapshot_bytes;
	snapshot->size = size;
	return ring_output(slot, snapshot->head.cpu, snapshot, sizeof(*snapshot) + size);
}

/*
 * For the current task, a record of this source with this time, and the slot that the caller holds.
 * Returns the flag for that record: RING_SAMPLE_SNAPSHOT, RING_SAMPLE_NO_SNAPSHOT, or 0 if no
 * snapshot of this task is wanted.
 */
static __always_inline u32 snapshot_tell(struct task_struct *task, const struct ring_slot *slot,
					 u64 time, u32 source, u64 most, bool look, u32 flags)
{
	enum ring_counter outcome = RING_COUNT_NESTED;
	u32 number = bpf_get_smp_processor_id(), key = slot->number;
	void *slots = bpf_map_lookup_elem(&snapshot_scratch, &number);
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct stack_wanted wanted = {.most = most, .look = look};
	struct ring_snapshot *snapshot = NULL;

	if (!snapshot_bytes || (task->flags & PF_KTHREAD) || !task->mm)
		return 0;
	/* Most snapshots are much smaller than the largest. */
	if (slots && ring_has_room(number, most < ring_size / 8 ? most : ring_size / 8))
		snapshot = bpf_map_lookup_elem(slots, &key);
	if (snapshot && !bpf_probe_read_kernel(snapshot->registers, user_registers_bytes(), regs)) {
		snapshot->head = (struct ring_head){.time = time, .cpu = number,
						    .kind = RING_SNAPSHOT, .source = source};
		snapshot->flags = flags;
		task_describe(task, &snapshot->task);
		wanted.sp = regs->sp;
		outcome = tell_stack(task, slot, &wanted, snapshot);
		wanted.sp = outcome == RING_COUNT_RECORDED && !flags ? interrupted_sp(task, regs->sp, snapshot) : 0;
		if (wanted.sp) {
			wanted.sp -= RED_ZONE;
			snapshot->flags = RING_SNAPSHOT_MORE;
			(void)tell_stack(task, slot, &wanted, snapshot);
		}
	}
	return outcome == RING_COUNT_RECORDED ? RING_SAMPLE_SNAPSHOT : RING_SAMPLE_NO_SNAPSHOT;
}

#endif
