/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The entries of all tasks. An entry is created together with its task, by the first look at all tasks, or by the
 * recorder for tasks that are hidden from that look: never in the scheduler. It is written by the CPU that switches the
 * task, and its waker by the CPU that wakes it up; the scheduler orders the two.
 */
#ifndef RWALKER_BPF_WAIT_BPF_H
#define RWALKER_BPF_WAIT_BPF_H

#include "bpf/ring.bpf.h"
#include "bpf/wait_entry.bpf.h"

enum {
	WAIT_HEAD_CLASS = 16, WAIT_HEAD_FLAGS = 24, /* where they begin, in bits */
	WAIT_WAKER_KERNEL = 128, /* a kernel thread */
};
#define WAIT_HEAD_CLOSED ((u32)ENTRY_CLOSED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_THROTTLED ((u32)ENTRY_THROTTLED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_MOVED ((u32)ENTRY_MOVED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_ODD (0xffff | WAIT_HEAD_CLOSED) /* hidden, first_seen, ENTRY_CLOSED */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_entry);
} wait_entries SEC(".maps");

/* The enum wait_sum_kind of the latest sums. */
static __always_inline u32 sum_kind(const struct wait_entry *entry)
{
	if (entry->sum_class != WAIT_BLOCKED)
		return WAIT_SUM_PREEMPTED + entry->sum_class - WAIT_PREEMPTED;
	if ((entry->sum_state & TASK_UNINTERRUPTIBLE) && !(entry->sum_state & TASK_NOLOAD))
		return WAIT_SUM_UNINTERRUPTIBLE;
	return entry->sum_state & TASK_INTERRUPTIBLE ? WAIT_SUM_INTERRUPTIBLE : WAIT_SUM_OTHER_BLOCKED;
}

/* Adds the latest sums to those of their kind. */
static __always_inline void add_latest_sum(struct wait_entry *entry, struct ring_sum *sums)
{
	u32 kind = sum_kind(entry);

	if (kind >= WAIT_SUM_KINDS)
		return;
	sums[kind].count += entry->sum_count;
	sums[kind].total += entry->sum_total;
	sums[kind].run_queue += entry->sum_run_queue;
}

/* For the wait that add_sum() was called for last. Few are throttled, so there are no latest sums of that. */
static __always_inline void add_throttled(struct wait_entry *entry)
{
	u32 kind = sum_kind(entry);

	if (kind < WAIT_SUM_KINDS)
		entry->sums[kind].throttled += entry->throttle.throttled;
}

/* Not inline: most waits of a task are like the last one. */
static __noinline void begin_sum(struct wait_entry *entry)
{
	add_latest_sum(entry, entry->sums);
	entry->sum_state = entry->state;
	entry->sum_class = entry->wait_class;
	entry->sum_count = entry->sum_total = entry->sum_run_queue = 0;
}

static __always_inline void add_sum(struct wait_entry *entry, u64 length, u64 run_queue)
{
	if (entry->sum_state != (u16)entry->state || entry->sum_class != entry->wait_class)
		begin_sum(entry);
	entry->sum_count++;
	entry->sum_total += length;
	entry->sum_run_queue += run_queue;
}

/* --- which waits are recorded, and by which clock --- */

const volatile struct ring_wait_knobs wait_knobs;

struct ring_look_state wait_look;
static u32 entries; /* of tasks that have not ended; not counted without a limit */

/* The task's entry, made if it has none and there is room. */
static __always_inline struct wait_entry *entry_make(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (entry || (wait_knobs.most_entries && *(volatile u32 *)&entries >= wait_knobs.most_entries))
		return entry;
	entry = bpf_task_storage_get(&wait_entries, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (entry && wait_knobs.most_entries)
		__sync_fetch_and_add(&entries, 1);
	return entry;
}

/* Its task has ended. */
static __always_inline void entry_forget(void)
{
	if (wait_knobs.most_entries)
		__sync_fetch_and_add(&entries, -1);
}

static __always_inline bool state_is_wanted(u32 state)
{
	return wait_knobs.states & (state ? state : RING_STATE_RUNNABLE);
}

/* RECORDED: go on; else the counter of the reason why not. */
static __always_inline enum ring_counter wait_predicate(struct task_struct *task, const struct wait_entry *entry,
							u64 length, u32 cpu)
{
	if (task_is_own(task))
		return RING_COUNT_OWN;
	if (length > wait_knobs.most || !state_is_wanted(entry->state) || !cpu_is_wanted(cpu))
		return RING_COUNT_FILTERED;
	return task_is_wanted(task) ? RING_COUNT_RECORDED : RING_COUNT_FILTERED;
}

static __always_inline struct ring_head head_of(enum ring_kind kind, u64 now, u32 source)
{
	return (struct ring_head){.time = now, .cpu = bpf_get_smp_processor_id(), .kind = kind, .source = source};
}

/*
 * The offset that is added to the run queue's clock. It is constant, so the length of a wait is a difference by one
 * clock: the offset that is read once a second is too large by a few microseconds, different each time. The exception:
 * user stacks that are taken at the switch-out are identified by that moment, and are written before the wait.
 */
static __always_inline u64 queue_offset(void)
{
	if (wait_knobs.clock == RING_CLOCK_EXACT || wait_knobs.user_before || wait_knobs.user_way == RING_BY_SYS_EXIT)
		return wait_look.clock_offset;
	return wait_look.clock_base;
}

static __always_inline u64 switch_now(struct task_struct *next)
{
	if (wait_knobs.clock != RING_CLOCK_EXACT && bpf_core_field_exists(next->se.cfs_rq->rq))
		return next->se.cfs_rq->rq->clock + queue_offset();
	return bpf_ktime_get_ns();
}

/* The clock of the task's run queue; `now` is from switch_now(). 0: not known. */
static __always_inline u64 queue_clock(struct task_struct *task, u64 now)
{
	if (!bpf_core_field_exists(task->se.cfs_rq->rq))
		return 0;
	return wait_knobs.clock != RING_CLOCK_EXACT ? now - queue_offset() : task->se.cfs_rq->rq->clock;
}

/*
 * What to add to a time from switch_now() to get CLOCK_MONOTONIC, as far as that is known without reading that clock.
 */
static __always_inline u64 queue_drift(void)
{
	return wait_look.clock_offset - queue_offset();
}

/* Sets *now to CLOCK_MONOTONIC. Returns what to add to times from switch_now(). */
static __always_inline u64 exact_now(u64 *now)
{
	u64 shift = wait_knobs.clock == RING_CLOCK_SHIFTED ? bpf_ktime_get_ns() - *now : queue_drift();

	*now += shift;
	return shift;
}

/* The difference of two times, one of which may be by the other clock and thus slightly off. */
static __always_inline u64 since(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

/* --- how much of a wait was spent runnable, waiting for a CPU --- */

/*
 * By the kernel's own account of run
 * queues. That account is wrong for one kind of wait. Since Linux 6.12, a thread that has run for
 * more than its share stays on the run queue for some milliseconds after it went to sleep (its
 * dequeue is delayed). If it is moved to another CPU meanwhile, the kernel takes that for the start
 * of a wait for a CPU, which then lasts until the thread runs again. Such a wait is marked when the
 * thread is moved. Its run queue time is then the time since the wakeup; 0 if wakers are not
 * recorded.
 *
 * A new task exists before it is put on a run queue: its parent may be preempted in between.
 */

static __noinline void note_moved(struct wait_entry *entry)
{
	if (!entry)
		return;
	if (entry->out)
		__sync_fetch_and_or(&entry->head, WAIT_HEAD_MOVED); /* the last look may be writing its flags */
	else
		entry->first_flags |= ENTRY_MOVED;
}

/* Whether a thread was moved before the first look: it is asleep, and yet the kernel says it waits for a CPU. */
static __always_inline u8 moved_before(struct task_struct *task)
{
	return task->sched_info.last_queued && !task->on_cpu && !is_queued(task) ? ENTRY_MOVED : 0;
}

static __noinline u64 since_waking(const struct wait_entry *entry, u64 now, u64 length)
{
	u64 part;

	if (!wait_knobs.wakers || entry->waker_context == WAKER_NONE)
		return 0;
	part = since(entry->waker.time, now + queue_drift());
	return part < length ? part : length;
}

/* By the kernel's account. */
static __always_inline u64 queued_part(struct task_struct *next, const struct wait_entry *entry,
				       u64 now, u64 length)
{
	u64 part = next->sched_info.run_delay - entry->run_delay, queued = next->sched_info.last_queued;
	u64 clock = queue_clock(next, now);

	if (queued && clock > queued)
		part += clock - queued;
	return part < length ? part : length;
}

static __always_inline bool is_partly_queued(const struct wait_entry *entry)
{
	return entry->wait_class == WAIT_BLOCKED || entry->wait_class == WAIT_STARTED;
}

/* For the wait that ends at `now`, by the clock of entry->out, after `length`. */
static __always_inline u64 run_queue_part(struct task_struct *next, const struct wait_entry *entry, u64 now,
					  u64 length)
{
	if (!is_partly_queued(entry))
		return length;
	if (UNLIKELY(entry->head & WAIT_HEAD_MOVED))
		return since_waking(entry, now, length);
	return queued_part(next, entry, now, length);
}

/*
 * For a wait that goes on; `now` is by the clock of entry->out. A blocked task that has been woken up has waited for a
 * CPU since then; one that has not been woken up has not, nor has a new task that was not queued yet.
 */
static __always_inline u64 run_queue_so_far(struct task_struct *task, const struct wait_entry *entry, u64 now)
{
	u64 length = since(entry->out, now), part = task->sched_info.run_delay - entry->run_delay;
	u64 queued = task->sched_info.last_queued;

	if (!is_partly_queued(entry))
		return length;
	if (!is_queued(task))
		return 0;
	if (entry->head & WAIT_HEAD_MOVED)
		return since_waking(entry, now, length);
	if (queued)
		part += since(queued + queue_offset(), now);
	return part < length ? part : length;
}

/* --- sums, by task, of waits that have no record: written once a second, when the task is switched, and at the end --- */

#define WAIT_SUMS_EVERY 1000000000ULL /* ns */

/* `now` is from switch_now(), like entry->since. */
static __always_inline void fill_sums(struct task_struct *task, struct wait_entry *entry, u64 now,
				      struct ring_sums *record)
{
	record->head = head_of(RING_SUMS, now + queue_drift(), wait_knobs.source);
	record->since = (entry->since < now ? entry->since : now) + queue_drift();
	record->running = task->se.sum_exec_runtime - entry->ran;
	task_describe(task, &record->task);
	__builtin_memcpy(record->kinds, entry->sums, sizeof(record->kinds));
	add_latest_sum(entry, record->kinds);
}

static __always_inline void begin_sums(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	entry->since = now;
	entry->ran = task->se.sum_exec_runtime;
}

static __always_inline void forget_sums(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	__builtin_memset(entry->sums, 0, sizeof(entry->sums));
	entry->sum_count = entry->sum_total = entry->sum_run_queue = 0;
	begin_sums(task, entry, now);
}

/* Sums for which the ring has no room are not lost: they are written with the next ones. */
static __noinline void write_due_sums(struct ring_cpu *cpu, struct task_struct *task, struct wait_entry *entry, u64 now)
{
	struct ring_sums *record;
	struct ring_slot slot;

	if (task_is_own(task) || !task_is_wanted(task)) {
		forget_sums(task, entry, now);
		return;
	}
	record = scratch_enter(cpu, &slot);
	if (record) {
		fill_sums(task, entry, now, record);
		if (ring_output(&slot, record->head.cpu, record, sizeof(*record)) == RING_COUNT_RECORDED)
			forget_sums(task, entry, now);
	}
	scratch_leave(&slot);
}

#endif
