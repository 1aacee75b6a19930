/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User registers and user stacks of sleeping tasks, copied after their kernel stacks were walked.
 * An iterator that may sleep, because reading another task's memory takes its mm lock and may wait
 * for a page: it runs in a helper process that can be left behind (record/helper/sleeper_helper.h),
 * and only if nobody else wants that lock.
 *
 * After each requested task it writes a few bytes to the reader of the iterator's file, which shows
 * the progress; the copies go into a ring. If the ring is full, the read fails with EAGAIN, and the
 * next read continues with the same task.
 */
#include "bpf/kernel_tasks.bpf.h"
#include "bpf/mm_lock.bpf.h"
#include "bpf/ring_sleeper.h"
#include "bpf/user_mutex.bpf.h"
#include "bpf/user_stack.bpf.h"
#include "bpf/wait_owner.bpf.h"

const volatile __u32 sleeper_bytes = RING_MAX_SNAPSHOT; /* of a stack, at most */

enum { SLEEPER_RETRY = 1 };

__u32 sleepers_round; /* set by the recorder: late records belong to an earlier round */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_SLEEPERS);
	__type(key, u32);
	__type(value, struct ring_sleeper_wanted);
} sleepers_wanted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SLEEPER_BYTES);
} sleepers_ring SEC(".maps");

struct sleeper_slot { /* a program that is stuck keeps its own */
	u64 taken;
	struct ring_sleeper sleeper;
};

/* The recorder sets the value's size: room for a stack, and for a page that a read by pages may write past its end. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RING_SLEEPER_SLOTS);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct sleeper_slot) + RING_MAX_SNAPSHOT + STACK_PAGE);
} sleepers_slots SEC(".maps");

static __always_inline bool has_run(struct task_struct *task, u64 switches)
{
	return task->on_cpu || task->nvcsw + task->nivcsw != switches;
}

struct page_copy {
	struct task_struct *task;
	void *to;
	u64 mm, from, size, done;
};

/*
 * The mm lock is checked before each read. It may be taken right after that; then the read waits,
 * which is what the helper's deadline is for.
 */
static long copy_page(u32 number, struct page_copy *copy)
{
	u64 at, part = page_part(number, copy->from, copy->size, sleeper_bytes, &at);

	if (!part || mm_is_busy(copy->mm) ||
	    bpf_copy_from_user_task(copy->to + at, part, (void *)(copy->from + at), copy->task, 0))
		return 1;
	copy->done = at + part;
	return 0;
}

/* Copies page by page, up to the first that cannot be read. Returns the bytes read. */
static __always_inline u64 copy_pages(struct task_struct *task, u64 mm, void *to, u64 from, u64 size)
{
	struct page_copy copy = {.task = task, .mm = mm, .to = to, .from = from, .size = size};

	bpf_loop(STACK_PAGES, copy_page, &copy, 0);
	return copy.done;
}

static __always_inline void copy_stack(struct task_struct *task, u64 mm, u64 sp,
				       struct ring_sleeper *sleeper)
{
	u64 main_end = BPF_CORE_READ((const struct mm_struct *)mm, start_stack), size = sleeper_bytes, done;
	bool is_main = on_main_stack(main_end, sp);

	sleeper->address = sp;
	if (is_main && main_end - sp < size + sizeof(u64))
		size = (main_end - sp) & ~7ULL;
	else if (is_main)
		sleeper->flags |= RING_SNAPSHOT_CUT;
	done = copy_pages(task, mm, sleeper->stack, sp, size);
	if (done > sleeper_bytes)
		done = sleeper_bytes;
	if (is_main && done < size)
		sleeper->flags |= RING_SNAPSHOT_UNMAPPED;
	else if (!is_main && done == size)
		sleeper->flags |= RING_SNAPSHOT_CUT;
	sleeper->size = done;
}

/*
 * The tid, in the task's pid namespace, of the thread that holds the mutex, or 0. *ret_shared: it may be in
 * another process. The task must still be in the call in which the recorder saw it sleep.
 */
static __noinline u32 mutex_owner(struct task_struct *task, u64 futex, bool *ret_shared)
{
	const struct call_arguments with = call_arguments(task);
	struct user_mutex mutex;

	if (with.values[0] != futex || !may_be_mutex(futex, with.values[1], with.values[2]))
		return 0;
	if (bpf_copy_from_user_task(&mutex, sizeof(mutex), (const void *)futex, task, 0) ||
	    !is_mutex(&mutex, with.values[1], with.values[2]))
		return 0;
	*ret_shared = mutex.kind & MUTEX_SHARED;
	return mutex.owner;
}

/* Nothing keeps the owner in place while it is described: it counts only if it still has its tid afterwards. */
static __always_inline void find_owner(struct task_struct *task, struct sleeper_slot *slot, u64 futex, u64 switches)
{
	struct ring_task *owner = &slot->sleeper.owner;
	const u64 mm = as_number(task->mm);
	bool shared = false;
	u32 number;
	u64 found;

	if (!mm || mm_is_busy(mm))
		return;
	number = mutex_owner(task, futex, &shared);
	found = number ? find_thread(task, number) : 0;
	if (!found)
		return;
	owner_describe(found, owner);
	if ((!shared && owner->tgid != task->tgid) || has_run(task, switches) ||
	    find_thread(task, number) != found)
		owner->tid = 0;
}

static __always_inline enum ring_sleeper_outcome copy_sleeper(struct task_struct *task,
							      u64 switches,
							      struct ring_sleeper *sleeper)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	const u64 mm = as_number(task->mm);
	u64 sp;

	if (task->flags & PF_EXITING || !mm)
		return RING_SLEEPER_EXITING;
	if (has_run(task, switches))
		return RING_SLEEPER_RAN;
	if (bpf_probe_read_kernel(sleeper->registers, user_registers_bytes(), regs))
		return RING_SLEEPER_FAULT;
	sp = BPF_CORE_READ(regs, sp) & ~7ULL;
	if (!sp)
		return RING_SLEEPER_NO_USER;
	if (mm_is_busy(mm))
		return RING_SLEEPER_BUSY;
	copy_stack(task, mm, sp, sleeper);
	if (has_run(task, switches))
		return RING_SLEEPER_RAN;
	return sleeper->size ? RING_SLEEPER_TAKEN : mm_is_busy(mm) ? RING_SLEEPER_BUSY : RING_SLEEPER_FAULT;
}

static struct sleeper_slot *claim_slot(void)
{
	for (u32 i = 0; i < RING_SLEEPER_SLOTS; i++) {
		u32 key = i;
		struct sleeper_slot *slot = bpf_map_lookup_elem(&sleepers_slots, &key);

		if (slot && !__sync_val_compare_and_swap(&slot->taken, 0, 1))
			return slot;
	}
	return NULL;
}

static __always_inline bool ring_has_room(void)
{
	const u64 most = sizeof(struct ring_sleeper) + RING_MAX_SNAPSHOT + BPF_RINGBUF_HDR_SZ + 8;

	return bpf_ringbuf_query(&sleepers_ring, BPF_RB_AVAIL_DATA) + most <= RING_SLEEPER_BYTES;
}

static __always_inline void tell_sleeper(struct task_struct *task, u64 switches, u64 futex, struct sleeper_slot *slot)
{
	struct ring_sleeper *sleeper = &slot->sleeper;
	u64 size;

	sleeper->start = task->start_boottime;
	sleeper->tid = task->pid;
	sleeper->round = sleepers_round;
	sleeper->flags = 0;
	sleeper->address = 0;
	sleeper->size = 0;
	sleeper->owner.tid = 0;
	sleeper->outcome = copy_sleeper(task, switches, sleeper);
	if (futex && sleeper->outcome == RING_SLEEPER_TAKEN)
		find_owner(task, slot, futex, switches);
	size = sleeper->outcome == RING_SLEEPER_TAKEN ? sleeper->size : 0;
	if (size > sleeper_bytes)
		size = sleeper_bytes;
	sleeper->size = size;
	bpf_ringbuf_output(&sleepers_ring, sleeper, sizeof(*sleeper) + size, BPF_RB_NO_WAKEUP);
}

SEC("iter.s/task")
int copy_sleepers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ring_sleeper_wanted *wanted;
	struct sleeper_slot *slot;
	u64 done = 1;
	u32 tid;

	if (!task)
		return 0;
	tid = task->pid;
	wanted = bpf_map_lookup_elem(&sleepers_wanted, &tid);
	if (!wanted || wanted->begun || wanted->start != task->start_boottime)
		return 0;
	if (!ring_has_room())
		return SLEEPER_RETRY;
	slot = claim_slot();
	if (!slot)
		return SLEEPER_RETRY;
	wanted->begun = 1;
	tell_sleeper(task, wanted->switches, wanted->futex, slot);
	slot->taken = 0;
	bpf_seq_write(ctx->meta->seq, &done, sizeof(done));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
