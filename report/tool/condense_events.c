/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/stack_mark.h"
#include "report/profile/profile_internal.h"
#include "report/read/event_stream.h"
#include "report/tool/tool_internal.h"

/* A user stack of an event. `flags` and the other pointers lead to members of the event. */
struct condense_user {
	uint32_t leaf, *snapshot;
	uint64_t *flags, truncated; /* the flag for a cut stack */
	uint64_t *missing;
};

/* The stacks of events: unwound, cut at the first non-code address, and noted in the set of what is used. */

/* --- what is used --- */

/* Names are looked up by the module's number in the profile, which modules with the same build-id share. */
static int use_mapping(struct condensing *condensing, uint32_t process, uint64_t address, const struct mapping *mapping)
{
	struct profile_frame frame = {.address = address};
	int r = chain_mapped_frame(&condensing->context, process, mapping, &frame);

	return r < 0 ? r : condense_use_code(condensing, mapping->module, frame.module, frame.address);
}

static int use_kernel(struct condensing *condensing, const struct event_stacks *stacks)
{
	int r = 0;

	for (uint32_t i = 0; i < stacks->kernel_count && !r; i++)
		r = condense_use_kernel(condensing, (uint32_t)(stacks->kernel[i] >> 32), (uint32_t)stacks->kernel[i]);
	return r;
}

/* --- whether an address is code, as the process is mapped now --- */

struct place {
	uint32_t process;
	uint64_t space; /* 0: no mapping of the process is known */
};

/* The byte before a return address also counts: a call can be the last instruction of a mapping. */
static int look_up(struct condensing *condensing, const struct place *place, uint64_t address, bool leaf,
		   bool *ret_found)
{
	const struct timeline *timeline = &condensing->model->timeline;
	struct mapping mapping;
	int r = 0;

	*ret_found = timeline_find(timeline, place->process, address, &mapping);
	if (*ret_found)
		r = use_mapping(condensing, place->process, address, &mapping);
	else if (!leaf)
		*ret_found = address && timeline_find(timeline, place->process, address - 1, &mapping);
	if (leaf && !r && timeline_find_before_exec(timeline, place->process, address, &mapping))
		r = use_mapping(condensing, place->process, address, &mapping);
	return r;
}

static int is_code(struct condensing *condensing, const struct place *place, uint64_t address, bool leaf,
		   bool *ret_found)
{
	uint64_t key = (address << 1 | leaf) ^ place->space << 40;
	struct condense_place *kept = &condensing->places[hash_slot(key, CONDENSE_PLACE_BITS)];
	int r = 0;

	if (!place->space || kept->space != place->space || kept->address != address || kept->leaf != leaf) {
		struct condense_place fresh = {.space = place->space, .address = address, .leaf = leaf};

		r = look_up(condensing, place, address, leaf, &fresh.found);
		*kept = fresh;
	}
	*ret_found = kept->found;
	return r;
}

/* --- cutting --- */

/* Of the callers that are cut off, only marks about the whole stack are kept. */
static bool is_said_of_all(uint64_t node)
{
	enum stack_mark mark = stack_mark_of(node);

	return mark && mark != MARK_EXACT;
}

static uint32_t cut_from(uint64_t *nodes, uint32_t first, uint32_t count)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < count; i++)
		if (is_said_of_all(nodes[i]))
			nodes[kept++] = nodes[i];
	return kept;
}

/* Counts up to the first caller that is not code. The leaf is where the CPU was, not a word of memory. */
static int count_code(struct condensing *condensing, const struct place *place, const struct event_stacks *stacks,
		      uint32_t *ret_code, bool *ret_any)
{
	uint32_t frames = 0, i;
	bool found;

	*ret_any = false;
	for (i = 0; i < stacks->user_count; i++) {
		int r;

		if (stack_mark_of(stacks->user[i]))
			continue;
		r = is_code(condensing, place, stacks->user[i], frames == 0, &found);
		if (r < 0)
			return r;
		*ret_any |= found;
		if (!found && frames)
			break;
		frames++;
	}
	*ret_code = i;
	return 0;
}

/* If none of its mappings were kept, a reader would think that the mappings of the process are unknown. */
static int note_process(struct condensing *condensing, const struct place *place, bool any)
{
	uint32_t tgid = condensing->model->timeline.processes.items[place->process].tgid;
	int r = condense_use(condensing, USE_LINEAGE, tgid, 0);

	if (r > 0 && !any && place->space)
		r = condense_use(condensing, USE_BLIND, tgid, 0);
	return r < 0 ? r : 0;
}

/*
 * A reader looks up a leaf without callers in the program before an exec too. That is right if the
 * registers are still those of that program (chain_leaf_frame()), but not if the leaf had callers:
 * then an address in no mapping stays in their place.
 */
static bool would_be_named(const struct condensing *condensing, uint32_t process, uint32_t count)
{
	struct mapping mapping;
	uint32_t leaf = 0;

	while (leaf < count && stack_mark_of(condensing->user[leaf]))
		leaf++;
	return leaf < count && timeline_find_before_exec(&condensing->model->timeline, process,
							 condensing->user[leaf], &mapping);
}

static int cut_user(struct condensing *condensing, uint32_t process, struct event_stacks *stacks)
{
	uint64_t generation = timeline_touch(&condensing->model->timeline, process);
	const struct place place = {process, generation ? (generation + 1) ^ ((uint64_t)process + 1) << 40 : 0};
	uint32_t code, count = stacks->user_count;
	bool any, again = false;
	int r = count_code(condensing, &place, stacks, &code, &any);

	if (r >= 0)
		r = note_process(condensing, &place, any);
	if (r < 0 || code == stacks->user_count)
		return r;
	if (!any && would_be_named(condensing, process, code)) {
		again = !condensing->user[code];
		condensing->user[code++] = 0;
	}
	stacks->user_count = cut_from(condensing->user, code, count);
	if (again && stacks->user_count == count) /* it was condensed before */
		return 0;
	*(generation ? &condensing->counts.astray : &condensing->counts.unknown) += 1;
	return 0;
}

/* --- the stacks of one event --- */

/* From leaf to root. The decoder guarantees that a path is not longer than `room`. */
static uint32_t take_path(const struct chain_context *context, uint32_t leaf, uint64_t *frames, uint32_t room)
{
	uint32_t count = 0;

	for (; leaf >= STACK_FIRST_NODE && count < room; leaf = context->nodes[leaf].parent)
		frames[count++] = context->nodes[leaf].address;
	return count;
}

static int keep_chain(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain,
		      const struct condense_user *user, struct event_stacks *stacks)
{
	bool cut;

	stacks->user_count = (uint32_t)chain_write_marks(chain, condensing->user, &cut);
	*user->snapshot = 0;
	*user->flags &= ~user->truncated;
	*user->missing = 0;
	condensing->counts.unwound++;
	condensing->counts.cut += cut;
	return condense_count_missing(condensing, process, chain);
}

/* Without a snapshot (any more), the frame-pointer stack stays, and so does the reference, which shows the loss. */
static int take_user(struct condensing *condensing, uint32_t process, const struct condense_user *user,
		     struct event_stacks *stacks)
{
	const struct unwind_chain *chain;
	int r = profile_unwinding_run(&condensing->context, process, user->leaf, *user->snapshot, &chain);

	if (r < 0)
		return r;
	if (r > 0) {
		r = keep_chain(condensing, process, chain, user, stacks);
	} else {
		condensing->counts.snapshots_missing += *user->snapshot != 0;
		r = user->leaf < STACK_FIRST_NODE ? 0 :
						    chain_top_path(&condensing->context, process, user->leaf,
								   condensing->user, RWK_MAX_PATH);
		stacks->user_count = r < 0 ? 0 : (uint32_t)r;
	}
	return r < 0 || !stacks->user_count ? r : cut_user(condensing, process, stacks);
}

static int read_stacks(struct condensing *condensing, const struct event_task *task, uint32_t kernel,
		    const struct condense_user *user, struct event_stacks *stacks)
{
	uint32_t process;
	int r;

	*stacks = (struct event_stacks){.kernel = condensing->kernel, .user = condensing->user};
	stacks->kernel_count = take_path(&condensing->context, kernel, condensing->kernel, RWK_MAX_FRAMES);
	r = use_kernel(condensing, stacks);
	if (r < 0 || (user->leaf < STACK_FIRST_NODE && !*user->snapshot))
		return r;
	r = timeline_process(&condensing->model->timeline, task->tgid, &process);
	return r < 0 ? r : take_user(condensing, process, user, stacks);
}

/* --- one function per kind of event --- */

static const struct event_task *task_of(const struct stream_event *event, uint32_t number)
{
	return event_decoder_task(event->batch->decoder, number);
}

static int put_sample(struct condensing *condensing, const struct stream_event *event)
{
	const struct batch_sample *given = &event->batch->samples.items[event->event->index];
	const struct event_task *task = task_of(event, given->task);
	struct event out = {.kind = EVENT_SAMPLE, .sample = {
		.time = event->event->time,
		.cpu = given->cpu,
		.source = given->source,
		.flags = given->flags,
		.missing = given->flags & SAMPLE_USER_MISSING ? given->missing : 0,
		.period = given->period,
		.probe = given->probe,
		.snapshot = given->snapshot,
	}};
	const struct condense_user user = {given->user, &out.sample.snapshot, &out.sample.flags,
					   SAMPLE_USER_TRUNCATED, &out.sample.missing};
	struct event_stacks stacks;
	int r = task ? read_stacks(condensing, task, given->kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, NULL, &stacks);
}

static int put_walk(struct condensing *condensing, const struct stream_event *event)
{
	struct event walk = {.kind = EVENT_WALK, .walk = event->batch->walks.items[event->event->index]};

	return condense_write(condensing, &walk);
}

static int put_walk_task(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WALK_TASK, .walk_task = event->batch->walk_tasks.items[event->event->index]};
	struct event_walk_task *row = &out.walk_task;
	const struct event_task *task = task_of(event, row->task), *owner = task_of(event, row->owner);
	const struct condense_user user = {row->user, &row->snapshot, &row->flags, WALK_TASK_USER_TRUNCATED,
					   &row->missing};
	struct event_stacks stacks;
	int r = task ? read_stacks(condensing, task, row->kernel, &user, &stacks) : -EINVAL;

	row->owner = owner != NULL;
	if (r >= 0)
		r = condense_use_object(condensing, row->object);
	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){
		[WAIT_OWNER] = owner ? *owner : (struct event_task){0}}, &stacks);
}

static int put_wait(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAIT, .wait = event->batch->waits.items[event->event->index]};
	struct event_wait *wait = &out.wait;
	const struct event_task *task = task_of(event, wait->task), *waker = task_of(event, wait->waker);
	const struct event_task *owner = task_of(event, wait->owner);
	const struct condense_user user = {wait->user, &wait->snapshot, &wait->flags, WAIT_USER_TRUNCATED,
					   &wait->missing};
	struct event_stacks stacks;
	int r = task ? read_stacks(condensing, task, wait->kernel, &user, &stacks) : -EINVAL;

	if (!waker)
		wait->context = WAKER_NONE;
	wait->owner = owner != NULL;
	if (r >= 0)
		r = condense_use_object(condensing, wait->object);
	if (r >= 0)
		r = condense_use_object(condensing, wait->ready_object);
	if (r >= 0)
		r = condense_use_object(condensing, wait->throttler);
	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){
		[WAIT_WAKER] = waker ? *waker : (struct event_task){0},
		[WAIT_OWNER] = owner ? *owner : (struct event_task){0}}, &stacks);
}

static int put_wake(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAKE, .wake = event->batch->wakes.items[event->event->index]};
	struct event_wake *wake = &out.wake;
	const struct event_task *task = task_of(event, wake->task), *target = task_of(event, wake->target);
	const struct condense_user user = {wake->user, &wake->snapshot, &wake->flags, SAMPLE_USER_TRUNCATED,
					   &wake->missing};
	struct event_stacks stacks;
	int r = task && target ? read_stacks(condensing, task, wake->kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){*target},
						&stacks);
}

static int put_user_stack(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_USER_STACK,
			    .user_stack = event->batch->user_stacks.items[event->event->index]};
	struct event_user_stack *record = &out.user_stack;
	const struct event_task *task = task_of(event, record->task);
	const struct condense_user user = {record->user, &record->snapshot, &record->flags, SAMPLE_USER_TRUNCATED,
					   &record->missing};
	struct event_stacks stacks;
	int r = task ? read_stacks(condensing, task, STACK_KERNEL_ROOT, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, NULL, &stacks);
}

static int put_wait_sums(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAIT_SUMS, .wait_sums = event->batch->wait_sums.items[event->event->index]};
	const struct event_task *task = task_of(event, out.wait_sums.task);

	return task ? condense_write_event(condensing, &out, task, NULL, NULL) : -EINVAL;
}

typedef int put_event(struct condensing *condensing, const struct stream_event *event);

static int put(void *data, const struct stream_event *event)
{
	static put_event *const puts[] = {
		[EVENT_SAMPLE] = put_sample,
		[EVENT_WALK] = put_walk,
		[EVENT_WALK_TASK] = put_walk_task,
		[EVENT_WAIT] = put_wait,
		[EVENT_WAKE] = put_wake,
		[EVENT_USER_STACK] = put_user_stack,
		[EVENT_WAIT_SUMS] = put_wait_sums,
	};
	struct condensing *condensing = data;
	uint32_t kind = event->event->kind;
	size_t count;

	condensing->context.nodes = event_decoder_nodes(event->batch->decoder, &count);
	if (kind >= sizeof(puts) / sizeof(puts[0]) || !puts[kind])
		return condense_accept(condensing, -EINVAL);
	return condense_accept(condensing, puts[kind](condensing, event));
}

int condense_events(struct condensing *condensing)
{
	int r = profile_each_event(condensing->profile, condensing->model, "condensing", put, condensing);

	return !r && condensing->profile->reading.cut ? -ECANCELED : r;
}
