/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits: from a switch-out to the switch-in, who ended them, and with which stacks. At every switch a few words of the
 * task's entry are touched and nothing else; filters run and stacks are walked only for a wait that was long enough.
 *
 *     switch-out   note time, state, class        [user stack, where no system call will return]
 *     waking       note the waker                 [its stacks, where the wait is long enough by now]
 *     switch-in    sum, or tell the wait with the sleeper's kernel stack
 *     sys_exit     the user stack of waits within this call
 *
 * The first look at all tasks makes their entries, the last one tells what has not ended.
 */
#include "bpf/clock.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/switched_out.bpf.h"
#include "bpf/wait_sums.bpf.h"
#include "bpf/wait_user.bpf.h"

/* --- a wait --- */

static __always_inline u64 wait_stack(struct task_struct *task, struct ring_wait *record)
{
	const u64 room = wait_max_frames * 8;
	void *frames = record->rest;
	long bytes;

	if (wait_knobs.wakers)
		frames += sizeof(struct ring_waker);
	bytes = bpf_get_task_stack(task, frames, room, 0);
	if (bytes <= 0)
		return 0;
	if (bytes == room)
		record->flags |= RING_WAIT_KERNEL_TRUNCATED;
	record->kernel_count = bytes / 8u;
	return bytes;
}

/* All but the kernel stack; the record's length so far. */
static __always_inline u64 fill_wait(struct task_struct *task, const struct wait_entry *entry, u64 now, u32 flags,
				     struct ring_wait *record)
{
	u64 length = sizeof(*record);

	record->head = head_of(RING_WAIT, now, wait_knobs.source);
	record->out = record->out_key = entry->out;
	record->state = entry->state;
	record->wait_class = entry->wait_class;
	record->out_cpu = entry->out_cpu;
	record->flags = flags | (entry->flags & WAIT_TOLD);
	record->kernel_count = 0;
	task_describe(task, &record->task);
	if (wait_knobs.wakers) {
		record->flags |= RING_WAIT_HAS_WAKER;
		__builtin_memcpy(record->rest, &entry->waker, sizeof(entry->waker));
		length += sizeof(entry->waker);
	}
	return length;
}

/* As exact_now(); a wait that is told late has ended a while ago, by the same clock. */
static __always_inline u64 shift_of(struct task_struct *task, u64 *now, bool late)
{
	u64 moment = late ? switch_now(task) : *now, shift = exact_now(&moment);

	*now += shift;
	return shift;
}

/* late: the task is on a CPU since; its stack is not that of the wait any more. */
static __always_inline enum ring_counter tell_wait(struct ring_cpu *cpu, struct task_struct *task,
						   struct wait_entry *entry, u64 now, u64 run_queue, bool late)
{
	enum ring_counter outcome = RING_COUNT_NESTED;
	struct ring_wait *record = scratch_enter(cpu);

	if (record) {
		u64 shift = shift_of(task, &now, late);
		u64 length = fill_wait(task, entry, now, plan_user_stack(task, entry, late ? 0 : now), record), stack = 0;

		record->out += shift;
		if (record->out > now) /* times by two clocks, which are a little off */
			record->out = now;
		record->run_queue = run_queue;
		if (!late)
			stack = wait_stack(task, record);
		outcome = ring_output(record->head.cpu, record, length + stack);
		if (outcome == RING_COUNT_RECORDED && !stack)
			cpu->counters[RING_COUNT_KERNEL_STACK]++;
		if (outcome == RING_COUNT_RECORDED && (record->flags & RING_WAIT_KERNEL_TRUNCATED))
			cpu->counters[RING_COUNT_TRUNCATED]++;
	}
	scratch_leave(cpu);
	return outcome;
}

/*
 * The task has an entry, and was asleep when that was made: its switch-out is worked out from what the scheduler keeps.
 * False where it cannot be told, because the task ran in between.
 */
static __always_inline bool began_before(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	u32 bound = RING_WAIT_EXACT;
	long number;

	if (!entry->first_seen || entry->first_arrival != task->sched_info.last_arrival)
		return false;
	entry->first_seen = false;
	entry->out = task->start_time; /* if it has never run */
	if (task->sched_info.last_arrival)
		entry->out = switched_out(task, now - wait_look.clock_offset, &bound) + wait_look.clock_offset;
	entry->state = entry->first_state;
	entry->wait_class = entry->state ? RING_WAIT_BLOCKED : RING_WAIT_PREEMPTED;
	entry->run_delay = task->sched_info.run_delay;
	entry->flags = RING_WAIT_BEGAN_BEFORE | (bound == RING_WAIT_EXACT ? 0 : RING_WAIT_OUT_EARLIEST);
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		entry->flags |= RING_WAIT_IOWAIT;
	if (wait_knobs.user_stacks && in_system_call(task, &number))
		entry->flags |= WAIT_IN_SYSCALL;
	return entry->out && entry->out <= now;
}

static __always_inline enum ring_counter end_wait(struct ring_cpu *cpu, struct task_struct *task,
						  struct wait_entry *entry, u64 now, bool late)
{
	u64 length = since(entry->out, now), run_queue = run_queue_part(task, entry, length);
	enum ring_counter outcome;

	learn_length(entry, length);
	if (length < wait_knobs.least) {
		add_sum(entry, length, run_queue);
		return RING_COUNT_BRIEF;
	}
	outcome = wait_predicate(task, entry, length, bpf_get_smp_processor_id());
	return outcome == RING_COUNT_RECORDED ? tell_wait(cpu, task, entry, now, run_queue, late) : outcome;
}

static __always_inline void count(struct ring_cpu *cpu, enum ring_counter outcome)
{
	cpu->counters[RING_COUNT_SEEN]++;
	if (outcome < RING_COUNTERS)
		cpu->counters[outcome]++;
}

/*
 * A task leaves the CPU that was not seen to get it: no program runs where a task that the kernel hides makes way for it.
 * When it came is in the scheduler's account.
 */
static __always_inline void end_unseen(struct ring_cpu *cpu, struct task_struct *prev, struct wait_entry *entry)
{
	u64 in = prev->sched_info.last_arrival + wait_look.clock_offset;

	if (wait_look.armed && in > entry->out)
		count(cpu, end_wait(cpu, prev, entry, in, true));
}

/* What a hidden process makes has no entry at all: its threads, and its children until they exec. */
static __always_inline bool is_of_hidden(struct task_struct *task)
{
	const struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task->group_leader, 0, 0);

	if (!entry)
		entry = bpf_task_storage_get(&wait_entries, task->real_parent->group_leader, 0, 0);
	return entry && entry->hidden;
}

static __always_inline void switch_in(struct ring_cpu *cpu, struct task_struct *next, u64 now)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, next, 0, 0);
	enum ring_counter outcome = RING_COUNT_NO_ENTRY;

	if (!entry) { /* before 6.2 also where this interrupts the last look at an entry of any task; that one tells the wait */
		if (wait_look.armed && wait_look.kind == RING_LOOK_FIRST)
			count(cpu, is_of_hidden(next) ? RING_COUNT_FILTERED : RING_COUNT_NO_ENTRY);
		return;
	}
	if (entry->flags & WAIT_CLOSED)
		return;
	if (!wait_look.armed) { /* the first look is under way: what it says of this task is history */
		entry->first_seen = false;
		entry->out = 0;
		return;
	}
	if (entry->hidden)
		outcome = RING_COUNT_FILTERED;
	else if (entry->out || began_before(next, entry, now))
		outcome = end_wait(cpu, next, entry, now, false);
	count(cpu, outcome);
	entry->out = 0;
	cpu->pending = entry->pending;
	if (wait_knobs.wakers)
		entry->waker.context = RING_WAKER_NONE;
}

static __always_inline void switch_out(void *ctx, struct ring_cpu *cpu, struct task_struct *prev, u64 now, u32 state)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, prev, 0, 0);
	bool preempt = ((u64 *)ctx)[0];
	long number;

	if (!entry || (entry->flags & WAIT_CLOSED))
		return;
	settle_running(prev, entry);
	if (entry->out)
		end_unseen(cpu, prev, entry);
	entry->state = state;
	entry->out_cpu = bpf_get_smp_processor_id();
	entry->wait_class = judge_switch(prev, preempt, state, (u32)prev->nvcsw != entry->voluntary);
	entry->voluntary = prev->nvcsw;
	entry->flags = BPF_CORE_READ_BITFIELD(prev, in_iowait) ? RING_WAIT_IOWAIT : 0;
	entry->run_delay = prev->sched_info.run_delay;
	entry->first_seen = entry->hidden = false;
	entry->out = now;
	if (!wait_look.armed) {
		entry->running = 0;
		entry->since = now;
		return;
	}
	if (state & TASK_DEAD) { /* it never comes back */
		if (entry->pending)
			tell_user_stack(ctx, prev, now, entry->pending, RING_USER_EXITING);
		tell_sums(cpu, prev, entry, now);
		entry->flags |= WAIT_CLOSED;
		return;
	}
	if (!entry->since)
		entry->since = now;
	if (since(entry->since, now) >= WAIT_SUMS_EVERY)
		tell_sums(cpu, prev, entry, now);
	if (!wait_knobs.user_stacks || (prev->flags & PF_KTHREAD))
		return;
	/* One that is preempted, and yet not by `preempt`, has left its system call behind. */
	if ((preempt || entry->wait_class != RING_WAIT_PREEMPTED) && in_system_call(prev, &number))
		entry->flags |= WAIT_IN_SYSCALL;
	else if (worth_taking(entry) && !task_is_own(prev) && task_is_wanted(prev))
		tell_user_stack(ctx, prev, now, 0, RING_USER_TAKEN);
}

SEC("tp_btf/sched_switch")
int wait_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct ring_cpu *cpu = ring_this_cpu();
	u64 now = switch_now(next);

	if (!cpu)
		return 0;
	if (prev->pid)
		switch_out(ctx, cpu, prev, now, ctx[3]);
	cpu->pending = 0;
	if (next->pid)
		switch_in(cpu, next, now);
	return 0;
}

/* Runs at every system call of the machine: a look at this CPU's own memory, for nearly all of them. */
SEC("tp_btf/sys_exit")
int wait_sys_exit(u64 *ctx)
{
	struct ring_cpu *cpu = ring_this_cpu();

	if (cpu && cpu->pending) {
		cpu->pending = 0;
		take_pending(ctx, bpf_get_current_task_btf());
	}
	return 0;
}

/* --- who ends waits --- */

static __always_inline u64 waker_stacks(void *ctx, struct ring_cpu *cpu, struct task_struct *waker, struct ring_wake *record)
{
	const u64 room = wait_max_frames * 8;
	long kernel = bpf_get_stack(ctx, record->frames, room, 0), user = 0;

	if (kernel < 0)
		kernel = 0;
	if (kernel == room)
		record->flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	if (wait_knobs.user_stacks && record->context == RING_WAKER_TASK && !(waker->flags & PF_KTHREAD)) {
		user = bpf_get_stack(ctx, (void *)record->frames + kernel, room, BPF_F_USER_STACK);
		if (user <= 0) {
			record->flags |= RING_SAMPLE_NO_USER_FAULT;
			user = 0;
		}
		if (user == room)
			record->flags |= RING_SAMPLE_USER_TRUNCATED;
		if (snapshot_tell(waker, cpu, record->head.time, wait_knobs.wakers_source, RING_MAX_HOOK_SNAPSHOT, false, 0))
			record->flags |= RING_SAMPLE_SNAPSHOT;
	}
	record->kernel_count = (u64)kernel / 8;
	record->user_count = (u64)user / 8;
	return (u64)kernel + (u64)user;
}

static __always_inline void tell_wake(void *ctx, struct ring_cpu *cpu, struct task_struct *waker,
				      struct task_struct *target, const struct wait_entry *entry)
{
	struct ring_wake *record = scratch_enter(cpu);

	if (record) {
		u64 length = sizeof(*record);

		record->head = head_of(RING_WAKE, entry->waker.time, wait_knobs.wakers_source);
		record->context = entry->waker.context;
		record->flags = 0;
		record->task = entry->waker.task;
		task_describe(target, &record->target);
		length += waker_stacks(ctx, cpu, waker, record);
		if (ring_output(record->head.cpu, record, length) != RING_COUNT_RECORDED)
			__sync_fetch_and_add(&wait_look.wakes_lost, 1);
	}
	scratch_leave(cpu);
}

/*
 * In the waker's own context. One that comes before the switch-out stands until a later one comes: it may be the one that
 * the scheduler makes wait until its target is off the CPU.
 */
SEC("tp_btf/sched_waking")
int wait_waking(u64 *ctx)
{
	struct task_struct *target = (void *)ctx[0], *waker = bpf_get_current_task_btf();
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, target, 0, 0);
	struct ring_cpu *cpu = ring_this_cpu();
	u64 now;

	if (!cpu || !entry || (entry->flags & WAIT_CLOSED) || !wait_look.armed)
		return 0;
	now = bpf_ktime_get_ns();
	entry->waker.time = now;
	entry->waker.context = waker_context(waker, cpu, wait_knobs.preempt_count);
	task_describe(waker, &entry->waker.task);
	if (!entry->out || since(entry->out, now) < wait_knobs.least || task_is_own(target))
		return 0;
	if (state_is_wanted(entry->state) && task_is_wanted(target))
		tell_wake(ctx, cpu, waker, target, entry);
	return 0;
}

/* --- tasks come --- */

/* Not sched_process_fork: the kernel makes threads of its own for a process (io_uring's) without that. */
SEC("tp_btf/task_newtask")
int wait_new_task(u64 *ctx)
{
	struct task_struct *child = (void *)ctx[0];
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!entry) /* no memory: each of its waits will be counted as lost */
		return 0;
	entry->out = entry->since = bpf_ktime_get_ns();
	entry->wait_class = RING_WAIT_STARTED;
	entry->out_cpu = bpf_get_smp_processor_id();
	return 0;
}

/* From here on, for an entry that does not count yet. */
static __always_inline void begin_account(struct task_struct *task, struct wait_entry *entry)
{
	if (!entry->since)
		entry->since = bpf_ktime_get_ns();
	if (!entry->ran)
		entry->ran = task->se.sum_exec_runtime;
	if (!entry->voluntary)
		entry->voluntary = task->nvcsw;
}

/* The child of a hidden process begins here. */
SEC("tp_btf/sched_process_exec")
int wait_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (entry)
		begin_account(task, entry);
	return 0;
}

static __always_inline void look_first(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	wait_look.seen++;
	if (!entry)
		return;
	begin_account(task, entry);
	entry->first_arrival = task->sched_info.last_arrival;
	/* Also of one that is on a CPU: it may be on its way off. */
	entry->first_seen = !entry->out;
	entry->first_state = task->__state;
}

static __always_inline bool write_sums(struct bpf_iter_meta *meta, struct task_struct *task, struct wait_entry *entry,
				       u64 now, void *scratch)
{
	struct ring_sums *record = scratch;

	settle_running(task, entry);
	fill_sums(task, entry, now, record);
	return !bpf_seq_write(meta->seq, record, sizeof(*record));
}

/* Its user stack is copied by others (bpf/sleepers.bpf.c), who see by the switches whether it is still that of the wait. */
static __always_inline bool write_wait(struct bpf_iter_meta *meta, struct task_struct *task, struct wait_entry *entry,
				       u64 now, u64 switches, void *scratch)
{
	struct ring_wait *record = scratch;
	u64 length = fill_wait(task, entry, now, RING_WAIT_NOT_ENDED | plan_user_stack(task, entry, 0), record), stack = 0;
	bool blocked = entry->wait_class == RING_WAIT_BLOCKED;

	record->run_queue = blocked ? 0 : now - entry->out;
	if (wait_knobs.wakers && record->rest[1] != RING_WAKER_NONE && blocked)
		record->run_queue = now - record->rest[0]; /* called for, and not on a CPU yet */
	if (record->run_queue > now - entry->out)
		record->run_queue = now - entry->out;
	if (record->flags & RING_WAIT_USER_LATER)
		record->out_key = still_pending(task, entry);
	if (!task->on_cpu)
		stack = wait_stack(task, record);
	return !bpf_seq_write(meta->seq, record, length + stack) && !bpf_seq_write(meta->seq, &switches, sizeof(switches));
}

/* What has not ended, and what was not told of the rest. A task that is switched in meanwhile tells its wait itself. */
static __always_inline void look_last(struct bpf_iter_meta *meta, struct task_struct *task, void *scratch)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 switches = task->nvcsw + task->nivcsw, now = bpf_ktime_get_ns(); /* before it is known which wait it is in */

	if (!entry || (entry->flags & WAIT_CLOSED))
		return;
	if (task_is_own(task) || !task_is_wanted(task) || !write_sums(meta, task, entry, now, scratch))
		return;
	entry->flags |= WAIT_CLOSED;
	if (!entry->out && (task->on_cpu || !began_before(task, entry, now)))
		return;
	if (now < entry->out || now - entry->out < wait_knobs.least || now - entry->out > wait_knobs.most ||
	    !state_is_wanted(entry->state))
		return;
	if (!write_wait(meta, task, entry, now, switches, scratch))
		entry->flags &= ~WAIT_CLOSED; /* the page is full: the kernel comes back for this task with the next one */
}

/* One reader at a time; its value's size is set by the recorder. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 8 * RING_MAX_FRAMES);
} look_scratch SEC(".maps");

SEC("iter/task")
int wait_look_at(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	void *scratch;
	u32 zero = 0;

	if (!task)
		return 0;
	if (wait_look.kind == RING_LOOK_FIRST) {
		look_first(task);
		return 0;
	}
	scratch = bpf_map_lookup_elem(&look_scratch, &zero);
	if (scratch)
		look_last(ctx->meta, task, scratch);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
