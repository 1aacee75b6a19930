/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Looks at all tasks. The first one creates their entries, and determines when their waits began, because at the
 * switch-in it is too late; its results are kept apart from what switches write: another CPU may be switching the same
 * task. The last one writes the waits that have not ended and what remains of the sums. A look at open waits writes
 * these, too, and changes nothing.
 */
#ifndef RWALKER_BPF_WAIT_LOOK_BPF_H
#define RWALKER_BPF_WAIT_LOOK_BPF_H

#include "bpf/wait_blocker.bpf.h"
#include "bpf/wait_record.bpf.h"
#include "bpf/wait_throttle.bpf.h"

/* --- waits that were under way at the first look --- */

/* A copy of a task's entry, which stays as it is: the task may be switched in meanwhile. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_entry);
} look_entry SEC(".maps");

static __always_inline struct wait_entry *copy_entry(const struct wait_entry *entry)
{
	u32 zero = 0;
	struct wait_entry *copy = bpf_map_lookup_elem(&look_entry, &zero);

	if (copy)
		__builtin_memcpy(copy, entry, sizeof(*copy));
	return copy;
}

/*
 * For a task that is off the CPU. A runnable one was preempted, or has been woken up since. If woken up, it has waited
 * for the CPU for less time than it has been off it, and its earlier state is not known any more.
 */
static __always_inline u8 classify_first(struct task_struct *task, u32 state, u64 out)
{
	u64 queued = task->sched_info.last_queued;

	if (!task->sched_info.last_arrival)
		return WAIT_STARTED;
	if (state)
		return is_queued(task) ? WAIT_PREEMPTED : WAIT_BLOCKED;
	if (queued && queued + wait_look.clock_offset > out + SWITCHED_CLOSE)
		return WAIT_BLOCKED;
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return WAIT_PREEMPTED;
	return classify_runnable(task) == WAIT_YIELDED ? WAIT_YIELDED : WAIT_PREEMPTED;
}

/*
 * The kernel lock that the task waits for: nobody saw it begin to. By now it may run, and may have got the lock, of
 * which nobody will tell again.
 */
static __noinline void find_first_lock(struct task_struct *task, struct wait_entry *entry)
{
	struct wait_entry *copy = copy_entry(entry);

	if (!copy)
		return;
	find_lock(task, copy, OBJECT_AT_LOOK);
	if (!copy->lock.address || entry->lock.address)
		return;
	entry->lock.flags = copy->lock.flags;
	entry->lock.held = copy->lock.held;
	entry->lock.owner = copy->lock.owner;
	note_lock(entry, copy->lock.address);
	if (task->on_cpu || task->sched_info.last_arrival != entry->first_arrival)
		note_lock(entry, 0);
}

/*
 * Also for a task on a CPU, which may be on its way off. If it runs again before it is seen to
 * leave, this is discarded.
 */
static __always_inline void look_at_wait(struct task_struct *task, struct wait_entry *entry)
{
	u32 bound = WAIT_EXACT, state = 0;
	u64 out = task->start_time; /* if it has never run */

	entry->first_arrival = task->sched_info.last_arrival;
	if (entry->first_arrival) {
		out = switched_out(as_number(task), bpf_ktime_get_ns() - wait_look.clock_offset, &bound);
		out += wait_look.clock_offset;
		state = state_or_frozen(task, task->__state);
	}
	if (state & TASK_WAKING)
		state = 0;
	entry->first_state = state;
	entry->first_class = classify_first(task, state, out);
	entry->first_flags = RING_WAIT_BEGAN_BEFORE | (bound == WAIT_EXACT ? 0 : RING_WAIT_OUT_LATEST) |
			     (state ? moved_before(task) : 0);
	entry->first_out = out;
	entry->run_delay = task->sched_info.run_delay;
	if (marks_throttled() && task->throttled) {
		(void)note_throttled(task, entry, bpf_ktime_get_ns() - wait_look.clock_offset,
				     since(out, bpf_ktime_get_ns()));
		entry->first_class = WAIT_PREEMPTED;
		entry->first_flags |= ENTRY_THROTTLED;
	}
	entry->first_seen = !entry->out;
	if (wait_knobs.locks && entry->first_class == WAIT_BLOCKED && state)
		find_first_lock(task, entry);
}

/* The wait that the first look found becomes the task's current one. */
static __always_inline void begin_first(struct wait_entry *entry)
{
	entry->first_seen = false;
	entry->out = entry->first_out;
	entry->state = entry->first_state;
	entry->wait_class = entry->first_class;
	entry->flags = entry->first_flags;
}

/* The task has an entry, and was off the CPU when the first look created it. False if it has run in between. */
static __noinline bool began_before(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	long number;

	if (!entry->first_seen || entry->first_arrival != task->sched_info.last_arrival)
		return false;
	begin_first(entry);
	if (waits_for_io(task))
		entry->flags |= RING_WAIT_IOWAIT;
	if (wait_knobs.user_way == RING_BY_SYS_EXIT && in_system_call(task, &number))
		entry->flags |= ENTRY_IN_SYSCALL;
	return entry->out && entry->out <= now;
}

/* --- what a look writes of a task --- */

static __always_inline bool write_sums(struct seq_file *seq, struct task_struct *task, struct wait_entry *entry,
				       u64 now, void *scratch)
{
	struct ring_sums *record = scratch;

	fill_sums(task, entry, now, record);
	return !bpf_seq_write(seq, record, sizeof(*record));
}

/*
 * `now` is by the clock of entry->out. The user stack is copied elsewhere (bpf/sleepers.bpf.c): the
 * number of switches shows there whether it still belongs to the wait.
 */
static __always_inline bool write_wait(struct seq_file *seq, struct task_struct *task, struct wait_entry *entry,
				       u64 now, u64 switches, void *scratch)
{
	struct ring_wait *record = scratch;
	struct ring_name *name;
	u64 drift = queue_drift(), stack = 0, object;
	u64 length = fill_wait(task, entry, now + drift, RING_WAIT_NOT_ENDED | plan_user_stack(task, entry), record);

	record->out += drift;
	record->run_queue = run_queue_so_far(task, entry, now);
	if (is_maybe_throttled(entry, record->run_queue))
		record->run_queue = split_throttled(task, entry, now, record->run_queue);
	if (record->flags & RING_WAIT_USER_LATER)
		record->out_key = still_pending(task, entry);
	if (wait_knobs.locks == RING_LOCKS_MARKED)
		forget_former_lock(task, entry);
	object = fill_object(task, entry, !task->on_cpu, OBJECT_AT_LOOK, record, &name);
	if (object_knobs.on && task->nvcsw + task->nivcsw != switches) /* it ran, and may have closed it */
		object = fill_object(task, entry, false, OBJECT_AT_LOOK, record, &name);
	else if (name && bpf_seq_write(seq, name, sizeof(*name)))
		return false;
	length += object;
	length += fill_throttle(entry, length, record);
	if (!task->on_cpu)
		stack = wait_stack(task, record, length, OBJECT_AT_LOOK);
	return !bpf_seq_write(seq, record, length + stack) &&
	       !bpf_seq_write(seq, &switches, sizeof(switches));
}

/* --- looks --- */

/* Starts the accounts of an entry that has none yet. */
static __always_inline void begin_account(struct task_struct *task, struct wait_entry *entry)
{
	if (!entry->since)
		begin_sums(task, entry, bpf_ktime_get_ns() - queue_drift());
	if (!entry->voluntary)
		entry->voluntary = task->nvcsw;
}

static __always_inline void look_first(struct task_struct *task)
{
	struct wait_entry *entry = entry_make(task);

	wait_look.seen++;
	if (!entry)
		return;
	begin_account(task, entry);
	if (entry->out && task->sched_info.last_arrival + queue_offset() > entry->out)
		entry->out = 0; /* a new task that ran before switches were seen */
	if (task->__state & TASK_DEAD && !task->on_cpu)
		entry->flags |= ENTRY_CLOSED; /* its parent has not waited for it yet */
	else if (!entry->out)
		look_at_wait(task, entry);
}

static __always_inline bool is_recorded(const struct wait_entry *entry, u64 now)
{
	if (budget_paused() || budget_outdated(entry->out))
		return false;
	return now >= entry->out && now - entry->out >= budget_least(wait_knobs.least) &&
	       now - entry->out <= wait_knobs.most &&
	       state_is_wanted(entry->state);
}

/* Not if nobody saw it get the CPU on which it is. */
static __always_inline bool is_waiting(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	if (entry->out)
		return !task->on_cpu || task->sched_info.last_arrival + queue_offset() <= entry->out;
	return !task->on_cpu && began_before(task, entry, now);
}

/*
 * Writes the remaining sums. Returns the wait that has not ended and is to be written; NULL if
 * there is none, or the task writes it itself.
 */
static __always_inline struct wait_entry *look_last(struct seq_file *seq, struct task_struct *task, u64 now,
						    void *scratch)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (!entry || (entry->flags & ENTRY_CLOSED))
		return NULL;
	if (task_is_own(task) || !task_is_wanted(task) || !write_sums(seq, task, entry, now, scratch))
		return NULL;
	entry->flags |= ENTRY_CLOSED;
	return is_waiting(task, entry, now) && is_recorded(entry, now) ? copy_entry(entry) : NULL;
}

/* Called when the page is full: the kernel comes back to this task with the next one. */
static __always_inline void look_again(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (entry)
		entry->flags &= ~ENTRY_CLOSED;
}

/* Returns a wait that goes on, or NULL. If it ends meanwhile, it is in a ring as well: the recorder finds out. */
static __always_inline struct wait_entry *look_open(struct task_struct *task, u64 now, u64 switches)
{
	const struct wait_entry *current = bpf_task_storage_get(&wait_entries, task, 0, 0);
	struct wait_entry *entry = current ? copy_entry(current) : NULL;

	if (!entry || (entry->flags & ENTRY_CLOSED) || task_is_own(task) || !task_is_wanted(task))
		return NULL;
	if (!is_waiting(task, entry, now))
		return NULL;
	return is_recorded(entry, now) && task->nvcsw + task->nivcsw == switches ? entry : NULL;
}

/* Read each time, so that the verifier does not distinguish the paths by it. */
static __always_inline bool look_goes_on(void)
{
	return *(volatile u32 *)&wait_look.kind == RING_LOOK_OPEN;
}

/* Both kinds of look write waits in one place, because the verifier looks at each for as long as at everything else. */
static __always_inline void look_at_open(struct seq_file *seq, struct task_struct *task, void *scratch)
{
	u64 switches = task->nvcsw + task->nivcsw; /* read, like the time, before it is known which wait it is in */
	u64 now = bpf_ktime_get_ns() - queue_drift();
	struct wait_entry *entry = look_goes_on() ? look_open(task, now, switches) :
						    look_last(seq, task, now, scratch);

	if (entry && !write_wait(seq, task, entry, now, switches, scratch) && !look_goes_on())
		look_again(task);
}

/* One reader at a time; the recorder sets the value's size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 8 * RING_MAX_FRAMES);
} look_scratch SEC(".maps");

#endif
