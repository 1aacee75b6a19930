/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Events: keeps what they count, and replaces their time, their task and the addresses of their code. */
#include <errno.h>
#include <string.h>

#include "format/stack_mark.h"
#include "report/scrub/scrub_internal.h"

/* --- tasks --- */

static int take_task(struct scrub *scrub, struct event_task *task)
{
	const struct event_task given = *task;
	struct event_text comm;
	int r;

	*task = (struct event_task){.flags = given.flags & TASK_KERNEL_THREAD, .start = given.start};
	r = scrub_pid(scrub, given.tgid, &task->tgid);
	if (!r)
		r = scrub_pid(scrub, given.tid, &task->tid);
	if (!r && scrub_wants(scrub, SCRUB_TIMES)) /* it only tells apart tasks with the same number */
		r = scrub_number(&scrub->starts, given.start, &task->start);
	if (!r)
		r = scrub_cgroup_id(scrub, given.cgroup, &task->cgroup);
	if (!r)
		r = scrub_comm(scrub, given.comm, sizeof(given.comm) - 1, &comm);
	if (!r)
		memcpy(task->comm, comm.bytes, comm.length);
	return r;
}

/* --- user stacks --- */

/* The mapping of frame `i`, leaf first. As in chain.c, a leaf without callers may be in the program before an exec. */
static bool find_mapping(const struct scrub *scrub, uint32_t process, const struct event_stacks *stacks, uint32_t i,
			 struct mapping *ret_mapping)
{
	const struct timeline *timeline = scrub->context->timeline;

	if (timeline_find(timeline, process, stacks->user[i], ret_mapping))
		return true;
	for (uint32_t above = i + 1; above < stacks->user_count; above++)
		if (!stack_mark_of(stacks->user[above]))
			return false;
	return !i && timeline_find_before_exec(timeline, process, stacks->user[i], ret_mapping);
}

static int take_frame(struct scrub *scrub, uint32_t process, const struct event_stacks *stacks, uint32_t i,
		      uint64_t *ret_address)
{
	const bool exact = i + 1 < stacks->user_count && stack_mark_of(stacks->user[i + 1]) == MARK_EXACT;
	struct mapping mapping;
	const bool mapped = find_mapping(scrub, process, stacks, i, &mapping);
	int r = mapped ? scrub_note_hit(scrub, process, &mapping, stacks->user[i], i && !exact) : 0;

	*ret_address = stacks->user[i];
	if (r < 0 || !scrub_wants(scrub, SCRUB_ADDRESSES))
		return r;
	return scrub_place(&scrub->places, mapped ? &mapping : NULL, stacks->user[i], ret_address);
}

/* Frames are looked up by their recorded addresses, so none is changed before all were looked up. */
static int take_stack(struct scrub *scrub, uint32_t tgid, struct event_stacks *stacks)
{
	uint64_t addresses[RWK_MAX_PATH];
	uint32_t process;
	int r = timeline_process(scrub->context->timeline, tgid, &process);

	if (!r && stacks->user_count > RWK_MAX_PATH)
		r = -EINVAL;
	for (uint32_t i = 0; !r && i < stacks->user_count; i++)
		if (stack_mark_of(stacks->user[i]))
			addresses[i] = stacks->user[i];
		else
			r = take_frame(scrub, process, stacks, i, &addresses[i]);
	if (!r && stacks->user_count) {
		memcpy(scrub->stack, addresses, stacks->user_count * sizeof(addresses[0]));
		stacks->user = scrub->stack;
	}
	return r;
}

/* --- one function per kind --- */

static void take_sample(const struct scrub *scrub, struct event *event)
{
	const struct event_sample sample = event->sample;

	event->sample = (struct event_sample){
		.time = scrub_time(scrub, sample.time), .cpu = sample.cpu, .source = sample.source,
		.flags = sample.flags, .missing = sample.missing, .period = sample.period, .probe = sample.probe,
		.snapshot = sample.snapshot};
}

static void take_walk_task(const struct scrub *scrub, struct event *event)
{
	const struct event_walk_task row = event->walk_task;

	event->walk_task = (struct event_walk_task){
		.time = scrub_time(scrub, row.time), .walk = row.walk, .state = row.state, .exit_state = row.exit_state,
		.wait = row.wait, .bound = row.bound, .cpu = row.cpu, .flags = row.flags, .missing = row.missing,
		.snapshot = row.snapshot, .call = row.call, .object = row.object, .asked = row.asked,
		.owner = row.owner};
}

static void take_wait(const struct scrub *scrub, struct event *event)
{
	const struct event_wait wait = event->wait;

	event->wait = (struct event_wait){
		.cpu = wait.cpu, .source = wait.source, .flags = wait.flags, .wait_class = wait.wait_class,
		.state = wait.state, .missing = wait.missing, .time = scrub_time(scrub, wait.time),
		.length = wait.length, .run_queue = wait.run_queue, .throttled = wait.throttled,
		.throttler = wait.throttler, .out_cpu = wait.out_cpu, .context = wait.context,
		.woken = wait.woken, .snapshot = wait.snapshot, .call = wait.call, .object = wait.object,
		.asked = wait.asked, .owner = wait.owner, .ready = wait.ready, .ready_object = wait.ready_object};
}

static void take_wake(const struct scrub *scrub, struct event *event)
{
	const struct event_wake wake = event->wake;

	event->wake = (struct event_wake){.cpu = wake.cpu, .source = wake.source, .flags = wake.flags,
					  .context = wake.context, .missing = wake.missing,
					  .time = scrub_time(scrub, wake.time), .snapshot = wake.snapshot};
}

static void take_user_stack(const struct scrub *scrub, struct event *event)
{
	const struct event_user_stack stack = event->user_stack;

	event->user_stack = (struct event_user_stack){
		.cpu = stack.cpu, .source = stack.source, .flags = stack.flags, .missing = stack.missing,
		.time = scrub_time(scrub, stack.time), .since = stack.since, .snapshot = stack.snapshot};
}

static void take_wait_sums(const struct scrub *scrub, struct event *event)
{
	const struct event_wait_sums sums = event->wait_sums;

	event->wait_sums = (struct event_wait_sums){.time = scrub_time(scrub, sums.time), .source = sums.source,
						    .span = sums.span, .running = sums.running, .flags = sums.flags};
	memcpy(event->wait_sums.kinds, sums.kinds, sizeof(sums.kinds));
}

int scrub_event(struct scrub *scrub, struct event *event, struct event_task *task, struct event_task *others,
		struct event_stacks *stacks)
{
	static void (*const takes[])(const struct scrub *scrub, struct event *event) = {
		[EVENT_SAMPLE] = take_sample,
		[EVENT_WALK_TASK] = take_walk_task,
		[EVENT_WAIT] = take_wait,
		[EVENT_WAKE] = take_wake,
		[EVENT_USER_STACK] = take_user_stack,
		[EVENT_WAIT_SUMS] = take_wait_sums,
	};
	const uint32_t kind = event->kind;
	int r = 0;

	if (kind >= sizeof(takes) / sizeof(takes[0]) || !takes[kind])
		return 0;
	if (stacks)
		r = take_stack(scrub, task->tgid, stacks);
	if (!r)
		r = take_task(scrub, task);
	for (unsigned int i = 0; others && i < WAIT_OTHERS && !r; i++)
		r = others[i].tid ? take_task(scrub, &others[i]) : 0;
	if (r < 0)
		return r;
	takes[kind](scrub, event);
	return 1;
}
