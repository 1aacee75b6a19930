/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One look at every task: its state, since when, and where in the kernel. An iterator in process context, read by the
 * recorder through the iterator's file; it takes no lock of any target. A task that is running on another CPU has no
 * kernel stack to walk: its saved registers are outdated.
 */
#include "bpf/clock.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/switched_out.bpf.h"
#include "bpf/walk_object.bpf.h"

const volatile __u32 tasks_max_frames = RING_MAX_FRAMES;

enum { TASKS_TRIES = 3 };

struct ring_walk walk;

/* One reader at a time; the recorder sets the value's size: a ring_walk_task with room for one stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct ring_walk_task) + 8 * RING_MAX_FRAMES);
} tasks_scratch SEC(".maps");

static __always_inline bool state_is_wanted(u32 state)
{
	if (walk.filter == RING_WALK_ALL)
		return true;
	if (state == 0)
		return true;
	if (walk.filter == RING_WALK_RUNNING || (state & TASK_NOLOAD))
		return false;
	return state & (TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT | TASK_FROZEN);
}

/* The flags are in memory, where the verifier does not distinguish their values. */
static __always_inline void set_if(bool condition, volatile u32 *flags, u32 flag)
{
	if (condition)
		*flags |= flag;
}

static __always_inline void walk_flags(struct task_struct *task, u32 state, u32 *flags)
{
	*flags = 0;
	set_if(task->on_cpu, flags, WALK_TASK_ON_CPU);
	set_if(is_queued(task), flags, WALK_TASK_QUEUED);
	set_if(waits_for_io(task), flags, WALK_TASK_IOWAIT);
	set_if(state & TASK_STOPPED_BIT, flags, WALK_TASK_STOPPED);
	set_if(state & TASK_TRACED_BIT, flags, WALK_TASK_TRACED);
}

static __always_inline void walk_wait(struct task_struct *task, struct ring_walk_task *row)
{
	u64 now = row->time - walk.clock_offset, out;

	row->wait = 0;
	row->bound = WAIT_NONE;
	if (row->flags & WALK_TASK_ON_CPU)
		return;
	if (!task->sched_info.last_arrival) { /* has never run */
		row->wait = row->time - task->start_time;
		row->bound = WAIT_EXACT;
		return;
	}
	out = switched_out(as_number(task), now, &row->bound);
	row->wait = now > out ? now - out : 0;
}

static __always_inline u64 walk_stack(struct task_struct *task, struct ring_walk_task *row)
{
	const u64 room = tasks_max_frames * 8;
	long bytes;

	row->count = 0;
	if (row->flags & WALK_TASK_ON_CPU)
		return 0;
	bytes = bpf_get_task_stack(task, row->frames, room, 0);
	if (bytes <= 0)
		return 0;
	if (bytes == room)
		row->flags |= WALK_TASK_KERNEL_TRUNCATED;
	row->count = bytes / 8u;
	return bytes;
}

struct row_try {
	struct task_struct *task;
	struct ring_walk_task *row;
	u64 length; /* of its stack */
	u32 done;
};

static long try_row(u32 index, struct row_try *try)
{
	struct task_struct *task = try->task;
	struct ring_walk_task *row = try->row;
	const u64 switches = task->nvcsw + task->nivcsw;

	(void)index;
	row->switches = switches;
	row->time = bpf_ktime_get_ns();
	row->state = state_or_frozen(task, task->__state);
	row->exit_state = task->exit_state;
	row->cpu = task->thread_info.cpu;
	walk_flags(task, row->state, &row->flags);
	walk_wait(task, row);
	try->length = walk_stack(task, row);
	try->done = (row->flags & WALK_TASK_ON_CPU) || (!task->on_cpu && switches == task->nvcsw + task->nivcsw);
	return try->done;
}

/* Fills a row with the state of one moment: the task was not switched in meanwhile. */
static __always_inline u64 walk_row(struct task_struct *task, struct ring_walk_task *row)
{
	struct row_try try = {.task = task, .row = row};

	bpf_loop(TASKS_TRIES, try_row, &try, 0);
	if (try.done && try.length <= tasks_max_frames * 8) /* never more */
		return try.length;
	row->flags |= WALK_TASK_ON_CPU;
	row->flags &= ~WALK_TASK_KERNEL_TRUNCATED;
	row->count = 0;
	walk_wait(task, row);
	return 0;
}

static __always_inline bool wait_is_wanted(struct task_struct *task, struct ring_walk_task *row)
{
	if (!walk.least_wait)
		return true;
	row->time = bpf_ktime_get_ns();
	row->flags = task->on_cpu ? WALK_TASK_ON_CPU : 0;
	walk_wait(task, row);
	return row->bound != WAIT_NONE && row->wait >= walk.least_wait;
}

static __always_inline void walk_task(struct seq_file *seq, struct task_struct *task, struct ring_walk_task *row)
{
	struct walk_object *walked = NULL;
	u32 state = state_or_frozen(task, task->__state);
	u64 length;

	if (!state_is_wanted(state) || !task_is_wanted(task) || !wait_is_wanted(task, row)) {
		walk.filtered++;
		return;
	}
	if (object_knobs.on)
		walked = walk_object(task);
	length = walk_row(task, row);
	task_describe(task, &row->task);
	if (walked && !join_walk_object(row, walked))
		walked = NULL;
	if (bpf_seq_write(seq, row, sizeof(*row) + length) || (walked && !write_walk_object(seq, row, walked)))
		return; /* the page is full: the kernel comes back to this task with the next one */
	walk.kept++;
}

SEC("iter/task")
int walk_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ring_walk_task *row;
	u32 zero = 0;

	if (!task)
		return 0;
	if (bpf_ktime_get_ns() > walk.until) {
		walk.left_out++;
		return 0;
	}
	row = bpf_map_lookup_elem(&tasks_scratch, &zero);
	if (!row)
		return 0;
	if (task_is_own(task))
		walk.own++;
	else
		walk_task(ctx->meta->seq, task, row);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
