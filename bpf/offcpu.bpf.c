/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits: from a switch-out to the switch-in, their wakers, and their stacks. Every switch touches a few words of the
 * task's entry and nothing else; filters run and stacks are walked only for a wait that was long enough.
 *
 *     switch-out   note time, state, class        [user stack, if it cannot be taken later]
 *     waking       note the waker                 [its stacks, if the wait is long enough by now]
 *     switch-in    sum, or write the wait with the sleeper's kernel stack
 *     then         the user stack of the waits that were written, before the thread is back in user space
 *
 * The first look at all tasks creates their entries, the last one writes the waits that have not ended. A
 * look at open waits writes these, too, and changes nothing.
 */
#include "bpf/wait_look.bpf.h"

/* --- a wait --- */

/* Like exact_now(); a wait that is written late ended some time ago, by the same clock. */
static __always_inline u64 shift_of(struct task_struct *task, u64 *now, bool late)
{
	u64 moment = late ? switch_now(task) : *now, shift = exact_now(&moment);

	*now += shift;
	return shift;
}

/*
 * Written before the wait for the object it names. If the name is lost, that wait has none, and the next one writes it.
 */
static __always_inline void write_name(const struct ring_slot *slot, struct ring_name *name)
{
	if (ring_output(slot, name->head.cpu, name, sizeof(*name)) == RING_COUNT_RECORDED)
		mark_written(name->token);
}

static __always_inline void write_name_in(struct object_room *room, struct ring_cpu *cpu, struct task_struct *task, u64 now)
{
	struct ring_slot slot;

	room->name.head = head_of(RING_NAME, now, wait_knobs.source);
	task_describe(task, &room->name.task);
	if (scratch_enter(cpu, &slot))
		write_name(&slot, &room->name);
	scratch_leave(&slot);
}

/* Writes the path of a group that throttles, unless that was done lately. */
static __noinline void write_throttler(struct ring_cpu *cpu, struct task_struct *task, u64 group, u64 token)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!room || !group || name_is_written(token))
		return;
	name_throttler(group, token, room, number);
	write_name_in(room, cpu, task, bpf_ktime_get_ns());
}

/* Writes the name that note_object() has found. */
static __noinline void write_noted(struct ring_cpu *cpu, struct task_struct *task, u64 now)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (room)
		write_name_in(room, cpu, task, now + queue_drift());
}

static __always_inline enum ring_counter put_wait(const struct ring_slot *slot, struct task_struct *task,
						  struct wait_entry *entry, u64 now, u64 run_queue, bool late,
						  struct ring_wait *record)
{
	u64 shift = shift_of(task, &now, late), stack = 0;
	u64 length = fill_wait(task, entry, now, plan_user_stack(task, entry), record);
	__u64 *counters = slot->cpu->counters;
	enum ring_counter outcome;
	struct ring_name *name;

	record->out += shift;
	if (record->out > now) /* times by two clocks, which differ slightly */
		record->out = now;
	record->run_queue = run_queue;
	length += fill_object(task, entry, !late, OBJECT_AT_SWITCH, record, &name);
	if (name)
		write_name(slot, name);
	length += fill_throttle(entry, length, record);
	if (!late)
		stack = wait_stack(task, record, length, OBJECT_AT_SWITCH);
	outcome = ring_output(slot, record->head.cpu, record, length + stack);
	if (outcome == RING_COUNT_RECORDED && !stack)
		counters[RING_COUNT_KERNEL_STACK]++;
	if (outcome == RING_COUNT_RECORDED && (record->flags & RING_WAIT_KERNEL_TRUNCATED))
		counters[RING_COUNT_TRUNCATED]++;
	if (outcome == RING_COUNT_RECORDED && (record->flags & RING_WAIT_USER_LATER) && !late)
		want_user_stack(task, entry, now);
	return outcome;
}

/*
 * Writes a wait that was long enough. late: the task has been on a CPU since, so its stack is no longer that of the
 * wait. Not inline, like everything that most switches do not need: they should not save registers for it.
 */
static __noinline enum ring_counter write_ended_wait(struct task_struct *task, struct wait_entry *entry,
						     u64 now, u64 run_queue, bool late)
{
	const u64 most = sizeof(struct ring_wait) + sizeof(struct ring_waker) + object_bytes() +
			 sizeof(struct ring_throttle) + knobs.max_frames * 8;
	enum ring_counter outcome = wait_predicate(task, entry, since(entry->out, now), bpf_get_smp_processor_id());
	struct ring_cpu *cpu = ring_this_cpu();
	struct ring_wait *record;
	struct ring_slot slot;

	if (outcome != RING_COUNT_RECORDED)
		return outcome;
	if (!cpu || !ring_has_room(bpf_get_smp_processor_id(), most))
		return RING_COUNT_RING_FULL;
	record = scratch_enter(cpu, &slot);
	outcome = RING_COUNT_NESTED;
	if (record)
		outcome = put_wait(&slot, task, entry, now, run_queue, late, record);
	scratch_leave(&slot);
	return outcome;
}

static __always_inline enum ring_counter end_wait(struct task_struct *task,
						  struct wait_entry *entry, u64 now, bool late)
{
	u64 length = since(entry->out, now), run_queue = run_queue_part(task, entry, now, length);

	if (UNLIKELY(is_maybe_throttled(entry, run_queue)))
		run_queue = split_throttled(task, entry, now, run_queue);
	learn_length(entry, length);
	if (LIKELY(length < budget_least(wait_knobs.least))) {
		if (object_knobs.on && entry->brief < WAIT_BRIEF)
			entry->brief++;
		add_sum(entry, length, run_queue);
		if (UNLIKELY(entry->head & WAIT_HEAD_THROTTLED))
			add_throttled(entry);
		return RING_COUNT_BRIEF;
	}
	entry->brief = 0;
	if (wait_knobs.locks == RING_LOCKS_MARKED)
		forget_former_lock(task, entry);
	return write_ended_wait(task, entry, now, run_queue, late);
}

static __always_inline void count(struct ring_cpu *cpu, enum ring_counter outcome)
{
	cpu->counters[RING_COUNT_SEEN]++;
	if (outcome < RING_COUNTERS)
		cpu->counters[outcome]++;
}

/*
 * A task leaves the CPU, and nobody saw it get the CPU: no program runs at a switch to it from a task that
 * the kernel hides. The scheduler's account says when it got the CPU. Its waker is known if none came later.
 */
static __noinline void end_unseen(struct ring_cpu *cpu, struct task_struct *prev, struct wait_entry *entry)
{
	u64 in = prev->sched_info.last_arrival + queue_offset();
	u8 later_waker = entry->waker.time > in + queue_drift() ? entry->waker_context : WAKER_NONE;

	if (!entry->out && entry->first_arrival != prev->sched_info.last_arrival)
		begin_first(entry);
	if (!wait_look.armed || !entry->out || in <= entry->out || in + queue_drift() < wait_look.armed)
		return;
	if (later_waker != WAKER_NONE)
		entry->waker_context = WAKER_NONE;
	count(cpu, end_wait(prev, entry, in, true));
	entry->waker_context = later_waker;
}

/* Tasks that a hidden process creates have no entry at all: its threads, and its children until they exec. */
static __noinline bool is_of_hidden(struct task_struct *task)
{
	const struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task->group_leader, 0, 0);

	if (!entry)
		entry = bpf_task_storage_get(&wait_entries, task->real_parent->group_leader, 0, 0);
	return entry && entry->hidden;
}

/* At the end of each switch-in: the wait is over, whether it was written or not. */
static __always_inline void forget_wait(struct ring_cpu *cpu, struct wait_entry *entry)
{
	entry->out = 0;
	note_pending(cpu, entry->pending);
	if (wait_knobs.wakers)
		entry->waker_context = WAKER_NONE;
}

/*
 * The task has no entry, or is hidden, or only the first look has seen it, or that look is still under way. Returns
 * true if there is a wait to end. The caller ends it, because the programs' stacks have room for few nested calls.
 */
static __noinline bool switch_in_oddly(struct ring_cpu *cpu, struct task_struct *next,
				       struct wait_entry *entry, u64 now)
{
	if (!entry) { /* before 6.2 also if this interrupts the last look, which then writes the wait */
		if (wait_look.armed && wait_look.kind != RING_LOOK_LAST)
			count(cpu, is_of_hidden(next) ? RING_COUNT_FILTERED : RING_COUNT_NO_ENTRY);
		return false;
	}
	if (entry->flags & ENTRY_CLOSED)
		return false;
	if (!wait_look.armed) { /* the first look is under way: what it found out about this task is outdated */
		entry->first_seen = false;
		entry->out = 0;
		return false;
	}
	if (!entry->hidden && (entry->out || began_before(next, entry, now)))
		return true;
	count(cpu, entry->hidden ? RING_COUNT_FILTERED : RING_COUNT_NO_ENTRY);
	forget_wait(cpu, entry);
	return false;
}

static __always_inline void switch_in(struct ring_cpu *cpu, struct task_struct *next, u64 now)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, next, 0, 0);
	bool odd = !entry || !wait_look.armed || entry->head & WAIT_HEAD_ODD || !entry->out;
	u64 pending;

	if (UNLIKELY(odd) && !switch_in_oddly(cpu, next, entry, now))
		return;
	if (!entry) /* for the verifier */
		return;
	if (UNLIKELY(budget_outdated(entry->out))) {
		count(cpu, RING_COUNT_RATE_LIMITED);
		forget_wait(cpu, entry);
		return;
	}
	pending = entry->pending;
	count(cpu, end_wait(next, entry, now, false));
	if (wait_knobs.user_way == RING_BY_TASK_WORK && UNLIKELY(entry->pending != pending))
		schedule_user_stack(next, entry);
	forget_wait(cpu, entry);
}

/*
 * The first look is under way, or the task never comes back, or its sums are due. Returns false if there is
 * nothing more to do with its entry.
 */
static __always_inline bool switch_out_oddly(struct ring_cpu *cpu, struct task_struct *prev, struct wait_entry *entry,
					     u64 now)
{
	if (!wait_look.armed) {
		begin_sums(prev, entry, now);
		return false;
	}
	if (entry->state & TASK_DEAD) {
		if (entry->pending)
			write_user_stack(prev, now + queue_drift(), entry->pending, USER_MISSING_EXITING);
		write_due_sums(cpu, prev, entry, now);
		entry->flags |= ENTRY_CLOSED;
		entry_forget();
		return false;
	}
	if (entry->since)
		write_due_sums(cpu, prev, entry, now);
	else
		begin_sums(prev, entry, now);
	return true;
}

/* Whatever its registers say, it was on its way to user space. */
static __noinline void switch_out_throttled(struct ring_cpu *cpu, struct task_struct *prev, struct wait_entry *entry,
					    u64 now)
{
	const struct task_group *group = note_throttled(prev, entry, now - queue_offset(), 0);

	entry->wait_class = WAIT_PREEMPTED;
	entry->flags |= ENTRY_THROTTLED;
	write_throttler(cpu, prev, as_number(group), entry->throttle.token);
}

static __always_inline void switch_out(struct ring_cpu *cpu, struct task_struct *prev, u64 now, const u64 *ctx)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, prev, 0, 0);
	u32 voluntary;

	if (UNLIKELY(!entry || (entry->head & WAIT_HEAD_CLOSED)))
		return;
	if (UNLIKELY(entry->out || entry->first_seen) && !budget_outdated(entry->out))
		end_unseen(cpu, prev, entry);
	voluntary = prev->nvcsw;
	entry->state = state_or_frozen(prev, ctx[3]);
	entry->head = classify_switch(prev, ctx[0], entry->state, voluntary != entry->voluntary) << WAIT_HEAD_CLASS |
		      (waits_for_io(prev) ? RING_WAIT_IOWAIT << WAIT_HEAD_FLAGS : 0);
	entry->out_cpu = bpf_get_smp_processor_id();
	entry->voluntary = voluntary;
	entry->run_delay = prev->sched_info.run_delay;
	entry->out = now;
	if (marks_throttled() && !entry->state && UNLIKELY(prev->throttled))
		switch_out_throttled(cpu, prev, entry, now);
	if (wait_knobs.locks == RING_LOCKS_MARKED && entry->wait_class == WAIT_BLOCKED)
		note_blocker(prev, entry, ctx);
	if (UNLIKELY(!wait_look.armed || entry->state & TASK_DEAD || entry->since + WAIT_SUMS_EVERY <= now) &&
	    !switch_out_oddly(cpu, prev, entry, now))
		return;
	if (object_knobs.on && entry->wait_class == WAIT_BLOCKED && entry->brief < WAIT_BRIEF &&
	    note_object(prev, entry, now))
		write_noted(cpu, prev, now);
	user_stack_before(prev, entry, now, ctx[0]);
}

SEC("tp_btf/sched_switch")
int wait_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct ring_cpu *cpu;
	u64 now, begin;

	if (budget_paused())
		return 0;
	now = switch_now(next);
	cpu = ring_this_cpu();
	if (!cpu)
		return 0;
	begin = cost_begin(&cpu->runs);
	if (prev->pid)
		switch_out(cpu, prev, now, ctx);
	note_pending(cpu, 0);
	if (next->pid)
		switch_in(cpu, next, now);
	cost_end(begin, &cpu->run_ns);
	return 0;
}

/* Runs at every system call of the host: for nearly all of them, a look at this CPU's own memory. */
SEC("tp_btf/sys_exit")
int wait_sys_exit(u64 *ctx)
{
	write_pending_here();
	return 0;
}

/* The end of the switch: on finish_task_switch, in the context of the task that was switched in. */
SEC("kprobe")
int wait_switched(void *ctx)
{
	write_pending_here();
	return 0;
}

/* --- wakers --- */

/*
 * Runs in the waker's context. A waker that is noted before the switch-out stays until a later one comes:
 * it may be the one that the scheduler makes wait until its target is off the CPU.
 */
static __always_inline void waking(u64 *ctx, struct ring_cpu *cpu, struct task_struct *target, struct wait_entry *entry,
				   u64 now)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	note_waker(waker, cpu, entry, now);
	if (!entry->out || since(entry->out + queue_drift(), now) < budget_least(wait_knobs.least) ||
	    task_is_own(target) || budget_outdated(entry->out))
		return;
	if (state_is_wanted(entry->state) && task_is_wanted(target))
		write_wake(ctx, cpu, waker, target, entry);
}

SEC("tp_btf/sched_waking")
int wait_waking(u64 *ctx)
{
	struct task_struct *target = (void *)ctx[0];
	struct wait_entry *entry;
	struct ring_cpu *cpu;
	u64 begin;

	if (budget_paused())
		return 0;
	entry = bpf_task_storage_get(&wait_entries, target, 0, 0);
	cpu = ring_this_cpu();
	if (!cpu || !entry || (entry->flags & ENTRY_CLOSED) || !wait_look.armed)
		return 0;
	begin = cost_begin(&cpu->runs);
	waking(ctx, cpu, target, entry, bpf_ktime_get_ns());
	cost_end(begin, &cpu->run_ns);
	return 0;
}

/* --- locks of the kernel --- */

/* Spinning is not sleeping; where spinlocks sleep, the kernel does not say that they spin. */
SEC("tp_btf/contention_begin")
int wait_lock_begin(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_entry *entry;

	if ((u32)ctx[1] & LCB_F_SPIN || budget_paused())
		return 0;
	entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	if (!entry)
		return 0;
	note_lock(entry, ctx[0]);
	entry->lock.flags = ctx[1];
	note_first_owner(&entry->lock, task->pid);
	return 0;
}

SEC("tp_btf/contention_end")
int wait_lock_end(u64 *ctx)
{
	struct wait_entry *entry;

	if (LIKELY(!*waiters_of(ctx[0])))
		return 0;
	entry = bpf_task_storage_get(&wait_entries, bpf_get_current_task_btf(), 0, 0);
	if (entry && entry->lock.address == ctx[0]) /* a spinlock may come in between */
		note_lock(entry, 0);
	return 0;
}

/* --- tasks that are moved to another CPU --- */

/* Runs before the kernel puts the task on the run queue of that CPU. */
SEC("tp_btf/sched_migrate_task")
int wait_moved(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	if (UNLIKELY(is_delayed(task)))
		note_moved(bpf_task_storage_get(&wait_entries, task, 0, 0));
	return 0;
}

/* --- quotas, before 6.18 (bpf/wait_throttle.bpf.h) --- */

/* The functions' arguments: a group, and the run queue of a CPU. */
static __always_inline const struct task_group *throttle_group(const struct pt_regs___kernel *regs)
{
	return (const void *)(bpf_core_field_exists(regs->di) ? BPF_CORE_READ(regs, di) : BPF_CORE_READ(regs, regs[0]));
}

static __always_inline u32 throttle_cpu(const struct pt_regs___kernel *regs)
{
	u64 address = bpf_core_field_exists(regs->si) ? BPF_CORE_READ(regs, si) : BPF_CORE_READ(regs, regs[1]);
	const struct rq *queue = (const void *)address;

	return BPF_CORE_READ(queue, cpu);
}

/* On tg_throttle_down(). */
SEC("kprobe")
int wait_throttled(struct pt_regs___kernel *regs)
{
	const struct task_group *group = throttle_group(regs);
	struct ring_throttle throttle;
	struct ring_cpu *cpu = ring_this_cpu();

	if (!cpu || !throttle_begins(group, throttle_cpu(regs)))
		return 0;
	describe_throttler(group, &throttle);
	write_throttler(cpu, bpf_get_current_task_btf(), as_number(group), throttle.token);
	return 0;
}

/* On tg_unthrottle_up(). */
SEC("kprobe")
int wait_unthrottled(struct pt_regs___kernel *regs)
{
	throttle_ends(throttle_group(regs), throttle_cpu(regs));
	return 0;
}

/* --- new tasks --- */

/* Not sched_process_fork, which does not fire for threads that the kernel creates for a process (io_uring's). */
SEC("tp_btf/task_newtask")
int wait_new_task(u64 *ctx)
{
	struct task_struct *child = (void *)ctx[0];
	struct wait_entry *entry = entry_make(child);

	if (!entry) /* no room: each of its waits will be counted as lost */
		return 0;
	entry->out = entry->since = bpf_ktime_get_ns() - queue_drift();
	entry->wait_class = WAIT_STARTED;
	entry->out_cpu = bpf_get_smp_processor_id();
	return 0;
}

/* The account of a hidden process's child begins here. */
SEC("tp_btf/sched_process_exec")
int wait_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct wait_entry *entry = entry_make(task);

	if (entry)
		begin_account(task, entry);
	return 0;
}

SEC("iter/task")
int wait_look_at(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	void *scratch;
	u32 zero = 0;

	if (!task)
		return 0;
	if (bpf_ktime_get_ns() > wait_look.until) {
		wait_look.left_out++;
		return 0;
	}
	if (wait_look.kind == RING_LOOK_FIRST) {
		look_first(task);
		return 0;
	}
	scratch = bpf_map_lookup_elem(&look_scratch, &zero);
	if (scratch)
		look_at_open(ctx->meta->seq, task, scratch);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
