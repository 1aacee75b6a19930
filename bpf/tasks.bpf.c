/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One look at every task: its state, since when, and where in the kernel. An iterator in process context, read by the
 * recorder through the iterator's file; it takes no lock of any target. A task that is running on another CPU has no
 * kernel stack to walk: its saved registers are outdated.
 */
#include "bpf/wait_object.bpf.h"
#include "bpf/walk_lock.bpf.h"

/* --- what a task sleeps for --- */

/*
 * As for waits (bpf/wait_object.bpf.h), but nobody saw the task go
 * to sleep. So what waits note at that time is searched for now: the lock (bpf/walk_lock.bpf.h).
 * And a file whose descriptor other threads could close counts only if it is on the task's stack.
 */

struct walk_object {
	u64 switches; /* of the task so far, as in its row */
	struct wait_entry entry; /* of the task's present wait, as far as that is known */
	struct ring_object object;
};

/* One reader at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walk_object);
} walk_objects SEC(".maps");

static __always_inline bool is_asleep(struct task_struct *task)
{
	return task->__state && !(task->__state & TASK_DEAD) && !task->exit_state && !task->on_cpu && !is_queued(task);
}

/* The kernel knows the owner of a futex with inheritance, too. */
static __always_inline void owner_of_futex(struct object_room *room, const struct wait_lock *lock,
					   struct ring_object *object)
{
	room->beside.held = lock->held;
	room->beside.owner = lock->owner;
	object->beside = lock->held != 0;
}

static __noinline void describe_all(struct task_struct *task, struct walk_object *walked, struct object_room *room)
{
	struct wait_entry *entry = &walked->entry;

	__builtin_memset(&walked->object, 0, sizeof(walked->object));
	walked->switches = task->nvcsw + task->nivcsw;
	/* rt_mutexes do not tell what kind of lock they are */
	entry->state = state_or_frozen(task, task->__state) & ~TASK_RTLOCK_WAIT;
	entry->out = 1; /* not equal to noted_out: nobody noted the file */
	find_lock(task, entry, OBJECT_AT_LOOK);
	object_describe(task, &walked->object, entry, bpf_ktime_get_ns(), room, OBJECT_AT_LOOK);
	if (walked->object.kind == OBJECT_FUTEX && entry->lock.held)
		owner_of_futex(room, &entry->lock, &walked->object);
}

/*
 * Called before the row is filled, because the verifier follows each path through that, and would
 * follow all of this for each of them. Returns NULL if the task does not sleep.
 */
static __always_inline struct walk_object *walk_object(struct task_struct *task)
{
	u32 zero = 0, number = OBJECT_AT_LOOK;
	struct walk_object *walked = bpf_map_lookup_elem(&walk_objects, &zero);
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!walked || !room || !is_asleep(task))
		return NULL;
	describe_all(task, walked, room);
	return walked;
}

/* Sets the row's flags for what is to be written after its frames. Returns false if the object is of another moment. */
static __always_inline bool join_walk_object(struct ring_walk_task *row, struct walk_object *walked)
{
	u32 number = OBJECT_AT_LOOK;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 out = row->bound == WAIT_EXACT ? row->time - row->wait : ~0ULL;

	if (!room || row->switches != walked->switches || row->flags & (WALK_TASK_ON_CPU | WALK_TASK_QUEUED))
		return false;
	object_lasts(&walked->object, out);
	row->flags |= RING_WALK_OBJECT | (walked->object.beside ? RING_WALK_BESIDE : 0) |
		      (room->name.token ? RING_WALK_NAME : 0);
	return true;
}

/* Called after the row is written. Returns true if there was room for all of it. */
static __always_inline bool write_walk_object(struct seq_file *seq, const struct ring_walk_task *row,
					      const struct walk_object *walked)
{
	u32 number = OBJECT_AT_LOOK;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!room || bpf_seq_write(seq, &walked->object, sizeof(walked->object)))
		return false;
	if (row->flags & RING_WALK_BESIDE && bpf_seq_write(seq, &room->beside, sizeof(room->beside)))
		return false;
	if (!(row->flags & RING_WALK_NAME))
		return true;
	if (bpf_seq_write(seq, &room->name, sizeof(room->name)))
		return false;
	mark_written(room->name.token);
	return true;
}

/* --- its row --- */

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
	const u64 room = knobs.max_frames * 8;
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
	if (try.done && try.length <= knobs.max_frames * 8) /* never more */
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
