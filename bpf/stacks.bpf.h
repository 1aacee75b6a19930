/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The stacks of the current task, from a program's context, and its user stack as bytes: the snapshots of --dwarf. */
#ifndef RWALKER_BPF_STACKS_BPF_H
#define RWALKER_BPF_STACKS_BPF_H

#include "bpf/ring.bpf.h"

/* --- where the user stack ends: the kernel knows the main one's end, for others the mapping is remembered by thread --- */

enum { STACK_RANGES = 256 }; /* a power of two */

struct stack_range { /* the mapping that a thread's stack is in */
	u64 thread; /* tgid and tid; 0: none */
	u64 start, end;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_RANGES);
	__type(key, u32);
	__type(value, struct stack_range);
} stack_ranges SEC(".maps");

static long note_range(struct task_struct *task, struct vm_area_struct *vma, struct stack_range *range)
{
	range->start = vma->vm_start;
	range->end = vma->vm_end;
	return 0;
}

static __always_inline bool on_signal_stack(struct task_struct *task, u64 sp)
{
	return sp - task->sas_ss_sp < task->sas_ss_size;
}

/*
 * 0 if unknown. look: whether the mapping may be looked up here (never in the scheduler, which
 * holds locks that the lookup may need).
 */
static __always_inline u64 stack_end(struct task_struct *task, u64 sp, bool look)
{
	u64 thread = (u64)task->tgid << 32 | (u32)task->pid, main_end = task->mm->start_stack;
	u32 place = (task->pid ^ task->tgid) & (STACK_RANGES - 1);
	struct stack_range *known, found = {};

	if (on_signal_stack(task, sp))
		return task->sas_ss_sp + task->sas_ss_size;
	if (on_main_stack(main_end, sp))
		return main_end;
	known = bpf_map_lookup_elem(&stack_ranges, &place);
	if (!known)
		return 0;
	if (known->thread == thread && sp >= known->start && sp < known->end)
		return known->end;
	if (!look || bpf_find_vma(task, sp, note_range, &found, 0) || found.end <= sp)
		return 0;
	known->thread = thread;
	known->start = found.start;
	known->end = found.end;
	return found.end;
}

/* --- the interrupted stack of a signal handler --- */

/*
 * Finds the interrupted stack of a signal handler that runs on a stack of its own (sigaltstack(2)). The kernel has put
 * the interrupted registers on the handler's stack, after its description of that stack (struct ucontext: uc_stack), by
 * which they are found: Linux arch/x86/include/asm/sigframe.h, arch/arm64/kernel/signal.c.
 */

enum {
	RED_ZONE = 128, /* bytes below the stack pointer that a leaf function may use */
	SIGNAL_STACK_WORDS = 4096,
	SP_BEHIND_X86 = 18, /* words from uc_stack.ss_sp to the saved stack pointer */
	SP_BEHIND_ARM64 = 52,
	FRAME_ROOM = (SP_BEHIND_ARM64 + 1) * 8, /* less than the smallest snapshot */
};

struct frame_search { /* small: on 6.1, the programs with it use all of their stack */
	const struct ring_snapshot *snapshot;
	u64 start, length; /* of the handler's stack */
	u64 found;
};

static __always_inline bool is_x86(void)
{
	return bpf_core_field_exists(struct pt_regs___kernel, orig_ax);
}

static long look_for_frame(u32 number, struct frame_search *search)
{
	u64 at = (u64)number * 8;
	const u64 *words;

	barrier_var(at); /* the verifier knows the bounds of this register only */
	if (at >= knobs.snapshot_bytes - FRAME_ROOM || at + FRAME_ROOM > search->snapshot->size)
		return 1;
	words = (const void *)search->snapshot->stack + at;
	if (words[0] != search->start || words[2] != search->length)
		return 0;
	search->found = words[is_x86() ? SP_BEHIND_X86 : SP_BEHIND_ARM64];
	/* If not, the frame is of a handler that interrupted another one on the same stack. */
	return search->found - search->start >= search->length;
}

/* 0 if the task is not on such a stack, or the frame was not found. `snapshot` holds the stack from sp on. */
static __noinline u64 interrupted_sp(struct task_struct *task, u64 sp, struct ring_snapshot *snapshot)
{
	struct frame_search search = {.snapshot = snapshot, .start = task->sas_ss_sp, .length = task->sas_ss_size};

	if (!on_signal_stack(task, sp))
		return 0;
	bpf_loop(SIGNAL_STACK_WORDS, look_for_frame, &search, 0);
	return search.found && !on_signal_stack(task, search.found) ? search.found : 0;
}

/* --- snapshots --- */

/*
 * A snapshot is what a reader unwinds a user stack from: the user registers, and the stack from the stack pointer to
 * the end of the mapping. A read of user memory is all or nothing, so the end must be known. If it is not, pages are
 * read until one is missing. It is a record of its own, written right before the record that it belongs to.
 */

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
	u64 at, part = page_part(number, read->from, read->size, knobs.snapshot_bytes, &at);

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
	if (size > knobs.snapshot_bytes)
		size = knobs.snapshot_bytes;
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
static __noinline enum ring_counter write_stack(struct task_struct *task, const struct ring_slot *slot,
						const struct stack_wanted *wanted, struct ring_snapshot *snapshot)
{
	u64 size = read_user_stack(task, wanted->sp & ~7ULL, wanted->most, wanted->look, snapshot);

	if (size > knobs.snapshot_bytes)
		size = knobs.snapshot_bytes;
	snapshot->size = size;
	return ring_output(slot, snapshot->head.cpu, snapshot, sizeof(*snapshot) + size);
}

/*
 * For the current task, a record of this source with this time, and the slot that the caller holds. Returns the flag
 * for that record: RING_SAMPLE_SNAPSHOT, RING_SAMPLE_NO_SNAPSHOT, or 0 if no snapshot of this task is wanted.
 */
static __always_inline u32 snapshot_write(struct task_struct *task, const struct ring_slot *slot,
					 u64 time, u32 source, u64 most, bool look, u32 flags)
{
	enum ring_counter outcome = RING_COUNT_NESTED;
	u32 number = bpf_get_smp_processor_id(), key = slot->number;
	void *slots = bpf_map_lookup_elem(&snapshot_scratch, &number);
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct stack_wanted wanted = {.most = most, .look = look};
	struct ring_snapshot *snapshot = NULL;

	if (!knobs.snapshot_bytes || (task->flags & PF_KTHREAD) || !task->mm)
		return 0;
	/* Most snapshots are much smaller than the largest. */
	if (slots && ring_has_room(number, most < knobs.ring_bytes / 8 ? most : knobs.ring_bytes / 8))
		snapshot = bpf_map_lookup_elem(slots, &key);
	if (snapshot && !bpf_probe_read_kernel(snapshot->registers, user_registers_bytes(), regs)) {
		snapshot->head = (struct ring_head){.time = time, .cpu = number,
						    .kind = RING_SNAPSHOT, .source = source};
		snapshot->flags = flags;
		task_describe(task, &snapshot->task);
		wanted.sp = regs->sp;
		outcome = write_stack(task, slot, &wanted, snapshot);
		wanted.sp = outcome == RING_COUNT_RECORDED && !flags ? interrupted_sp(task, regs->sp, snapshot) : 0;
		if (wanted.sp) {
			wanted.sp -= RED_ZONE;
			snapshot->flags = RING_SNAPSHOT_MORE;
			(void)write_stack(task, slot, &wanted, snapshot);
		}
	}
	return outcome == RING_COUNT_RECORDED ? RING_SAMPLE_SNAPSHOT : RING_SAMPLE_NO_SNAPSHOT;
}

/* --- the words at the top of a user stack, among which code without a frame record has its return address --- */

/*
 * Reads a struct ring_top of the current task, up to the frame pointer: what is above it is in the chain already.
 * Returns its bytes; 0: there is nothing to add, or a snapshot has it.
 */
static __always_inline u64 stack_top_read(struct task_struct *task, void *to, u32 *flags)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	const bool x86 = bpf_core_field_exists(regs->bp);
	u64 sp = regs->sp, frame = x86 ? regs->bp : regs->regs[29], link = x86 ? 0 : regs->regs[30];
	u64 size = RING_TOP_WORDS * 8;
	struct ring_top *top = to;

	if (knobs.snapshot_bytes || sp % 8)
		return 0;
	if (frame >= sp && frame - sp < size)
		size = (frame - sp) & ~7ULL;
	barrier_var(size);
	if (size > RING_TOP_WORDS * 8 || (!size && !link))
		return 0;
	if (size && bpf_probe_read_user(top->words, size, (void *)sp))
		return 0;
	top->stack = sp;
	top->frame = frame;
	top->link = link;
	size += RING_TOP_HEAD * 8;
	*flags |= (u32)(size / 8) << RING_SAMPLE_TOP_SHIFT;
	return size;
}

/* --- kernel and user stack --- */

struct stacks {
	u32 flags; /* enum ring_sample_flag */
	u32 kernel_count, user_count;
};

static __always_inline u32 user_stack_missing(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return RING_SAMPLE_NO_USER_KTHREAD;
	if ((task->flags & PF_EXITING) && !task->mm)
		return RING_SAMPLE_NO_USER_EXITING;
	return RING_SAMPLE_NO_USER_FAULT;
}

/*
 * Takes one after the other, each of at most `room` bytes. Returns their size in bytes. A missing
 * kernel stack is counted.
 */
static __always_inline u64 stacks_read(void *ctx, struct task_struct *task, void *frames, u64 room, bool user_too,
				       __u64 *counters, struct stacks *ret_stacks)
{
	long kernel = bpf_get_stack(ctx, frames, room, 0), user = 0;
	u64 top = 0;

	ret_stacks->flags = 0;
	if (kernel < 0) {
		count_one(&counters[RING_COUNT_KERNEL_STACK]);
		kernel = 0;
	}
	if (kernel == room)
		ret_stacks->flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	if (user_too) {
		user = bpf_get_stack(ctx, frames + kernel, room, BPF_F_USER_STACK);
		if (user <= 0) {
			ret_stacks->flags |= user_stack_missing(task);
			user = 0;
		}
		if (user == room)
			ret_stacks->flags |= RING_SAMPLE_USER_TRUNCATED;
		if (user)
			top = stack_top_read(task, frames + kernel + user, &ret_stacks->flags);
	}
	ret_stacks->kernel_count = kernel / 8u;
	ret_stacks->user_count = user / 8u;
	return kernel + user + top;
}

/* For a record that is in its ring. */
static __always_inline void stacks_count(u32 flags, __u64 *counters)
{
	if (flags & (RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED))
		count_one(&counters[RING_COUNT_TRUNCATED]);
	if (flags & (RING_SAMPLE_NO_USER_EXITING | RING_SAMPLE_NO_USER_FAULT))
		count_one(&counters[RING_COUNT_USER_STACK]);
	if (flags & RING_SAMPLE_NO_SNAPSHOT)
		count_one(&counters[RING_COUNT_SNAPSHOT]);
}

#endif
