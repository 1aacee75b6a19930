/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/profile/profile_internal.h"
#include "report/profile/profile_waits.h"

/*
 * The waits of one section while its events are added to the profile. A wait consists of several
 * records: the stacks of its waker precede it, its user stack may follow it. Both are matched by
 * thread, so for each thread we keep the last wakeup call and the waits that still lack their user
 * stack. Call chains are put together at the end.
 */

struct wait_thread { /* identified by (tid, start) */
	uint32_t tid;
	uint32_t pending; /* its last wait that still lacks a user stack: number in `loose`, plus 1; 0: none */
	uint64_t start;
	uint64_t wake_time; /* of the last WAKE; 0: none */
	uint32_t wake_node;
	uint32_t sums; /* number in the profile's sums, plus 1; 0: none */
	uint32_t unasked_sums; /* the same, while the thread had another comm and did not pass the filters */
};

struct loose_wait { /* parallel to the waits of the section */
	uint32_t user;	  /* node of the user part of its chain */
	uint32_t previous; /* like wait_thread.pending, for the previous wait */
	bool later;	  /* its user stack is still missing */
	uint64_t in;	  /* when the record of which it is a part ended */
};

struct section_waits {
	uint32_t recording;
	size_t first; /* first of the section's waits in the profile's */
	ARRAY(struct wait_thread) threads;
	ARRAY(struct loose_wait) loose;
	struct index_table thread_table;
};

/* --- chains: a kernel chain was made separately, and is put on top of the user chain --- */

enum { JOINED_BITS = 12, JOINED = 1 << JOINED_BITS };

struct joined { /* the last pair joined in this slot */
	uint32_t kernel, user, node;
};

struct joiner {
	struct profile *profile;
	struct joined *slots;
	ARRAY(uint32_t) frames;
};

static int join(struct joiner *joiner, uint32_t kernel, uint32_t user, uint32_t *ret_node)
{
	struct joined *slot = &joiner->slots[hash_slot((uint64_t)kernel << 32 | user, JOINED_BITS)];
	uint32_t node = user;
	int r = 0;

	if (!kernel || !user) {
		*ret_node = kernel ? kernel : user;
		return 0;
	}
	if (slot->kernel == kernel && slot->user == user) {
		*ret_node = slot->node;
		return 0;
	}
	joiner->frames.count = 0;
	for (uint32_t at = kernel; at && !r; at = joiner->profile->nodes.items[at].parent)
		r = array_push(&joiner->frames, joiner->profile->nodes.items[at].frame);
	for (size_t i = joiner->frames.count; i-- > 0 && !r;)
		r = profile_intern_node(joiner->profile, node, joiner->frames.items[i], &node);
	*slot = (struct joined){kernel, user, node};
	*ret_node = node;
	return r;
}

static int finish_wait(struct joiner *joiner, struct profile_wait *wait, const struct loose_wait *loose)
{
	if (loose->later) {
		joiner->profile->qualities[PROFILE_OFFCPU].missing_user[USER_MISSING_NOT_RETURNED] +=
			!(wait->flags & PROFILE_WAIT_UNASKED);
		wait->chain_flags |= CHAIN_USER_MISSING;
	}
	return join(joiner, wait->node, loose->user, &wait->node);
}

int section_finish_waits(struct section *section)
{
	struct profile *profile = section->context.profile;
	struct section_waits *waits = section->waits;
	_cleanup_free_ struct joined *slots = NULL;
	struct joiner joiner = {.profile = profile};
	int r = 0;

	if (!waits)
		return 0;
	slots = calloc(JOINED, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	joiner.slots = slots;
	for (size_t i = 0; i < waits->loose.count && !r; i++)
		r = finish_wait(&joiner, &profile->waits.items[waits->first + i],
				&waits->loose.items[i]);
	array_free(&joiner.frames);
	for (size_t i = 0; i < profile->source_notes.count; i++)
		if (profile->sources.items[i].kind == PROFILE_OFFCPU ||
		    profile->sources.items[i].kind == PROFILE_WAKERS)
			profile->source_notes.items[i].periods = true;
	return r;
}

enum { CPU_NONE = UINT16_MAX };

/* --- threads --- */

struct wanted_thread {
	const struct wait_thread *threads;
	const struct event_task *task;
};

static bool same_thread(const void *context, uint32_t number)
{
	const struct wanted_thread *wanted = context;
	const struct wait_thread *thread = &wanted->threads[number];

	return thread->tid == wanted->task->tid && thread->start == wanted->task->start;
}

/* Finds or adds the thread, whatever its comm. The pointer is valid until the next call. */
static int find_thread(struct section_waits *waits, const struct event_task *task, struct wait_thread **ret_thread)
{
	const struct wanted_thread wanted = {.threads = waits->threads.items, .task = task};
	uint32_t hash = index_table_hash(&waits->thread_table, task->tid, task->start);
	struct index_slot *slot = index_table_find(&waits->thread_table, hash, same_thread, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&waits->threads,
			       (struct wait_thread){.tid = task->tid, .start = task->start}) < 0)
			return -ENOMEM;
		index_table_set(&waits->thread_table, slot, hash, (uint32_t)(waits->threads.count - 1));
	}
	*ret_thread = &waits->threads.items[slot->number - 1];
	return 0;
}

/* --- the section --- */

int section_waits_init(struct section *section)
{
	struct profile *profile = section->context.profile;
	struct section_waits *waits = calloc(1, sizeof(*waits));

	if (!waits)
		return -ENOMEM;
	section->waits = waits;
	waits->first = profile->waits.count;
	waits->recording = section->recording;
	return index_table_init(&waits->thread_table);
}

void section_waits_deinit(struct section_waits *waits)
{
	if (!waits)
		return;
	array_free(&waits->threads);
	array_free(&waits->loose);
	index_table_deinit(&waits->thread_table);
	free(waits);
}

/* NULL if the source is not described, or is not a source of waits. */
static const struct source_binding *wait_source(const struct section *section, uint32_t id)
{
	const struct source_binding *source = section_source(section, id);

	return source && source->kind == PROFILE_OFFCPU ? source : NULL;
}

/* --- filters --- */

static bool class_is_wanted(const struct profile_filter *filter, const struct event_wait *wait)
{
	const uint32_t both = PROFILE_WAITS_OPEN | PROFILE_WAITS_ENDED;
	uint32_t classes = filter->classes & ~both, open = filter->classes & both;
	bool is_open = wait->flags & (WAIT_BEGAN_BEFORE | WAIT_NOT_ENDED);

	if (classes && !(classes >> wait->wait_class & 1))
		return false;
	return !open || open == both || is_open == (open == PROFILE_WAITS_OPEN);
}

static bool wait_is_wanted(const struct section *section, const struct event_wait *wait)
{
	const struct profile_filter *filter = section->context.profile->filter;
	char state[PROFILE_STATE_TEXT];

	if (wait->time < section->from || wait->time - wait->length > section->to)
		return false;
	if (!section_wants_cpu(section, wait->cpu))
		return false;
	if (wait->length < filter->least_wait || (filter->most_wait && wait->length > filter->most_wait))
		return false;
	if (!class_is_wanted(filter, wait))
		return false;
	if (!filter->states)
		return true;
	profile_state_text(wait->state, 0, state);
	return profile_state_matches(state, filter->states);
}

/* --- waits --- */

static uint8_t flags_of(uint64_t flags)
{
	return (uint8_t)((flags & WAIT_BEGAN_BEFORE ? PROFILE_WAIT_BEGAN_BEFORE : 0) |
			 (flags & WAIT_OUT_LATEST ? PROFILE_WAIT_OUT_BOUND : 0) |
			 (flags & WAIT_NOT_ENDED ? PROFILE_WAIT_NOT_ENDED : 0) |
			 (flags & WAIT_IOWAIT ? PROFILE_WAIT_IOWAIT : 0));
}

static uint64_t overlap(uint64_t out, uint64_t in, uint64_t from, uint64_t to)
{
	out = out > from ? out : from;
	in = in < to ? in : to;
	return in > out ? in - out : 0;
}

static struct profile_wait describe_wait(const struct section *section, const struct event_wait *event)
{
	uint32_t recording = section->waits->recording;
	const struct profile *profile = section->context.profile;
	const struct recording_notes *notes = &profile->recording_notes.items[recording];
	uint64_t start = profile->recordings.items[recording].start, out = event->time - event->length;

	return (struct profile_wait){
		.out = out,
		.in = event->time,
		.run_queue = event->run_queue < event->length ? event->run_queue : event->length,
		.weight = overlap(out, event->time, notes->from, notes->to),
		.recording = recording,
		.waker = PROFILE_NO_TASK,
		.state = (uint32_t)event->state,
		.out_cpu = event->out_cpu < CPU_NONE ? (uint16_t)event->out_cpu : CPU_NONE,
		.in_cpu = event->cpu < CPU_NONE ? (uint16_t)event->cpu : CPU_NONE,
		.flags = (uint8_t)(flags_of(event->flags) | (out < start ? PROFILE_WAIT_BEGAN_BEFORE : 0)),
		.wait_class = (uint8_t)event->wait_class,
	};
}

static int read_waker(struct section *section, struct section_slot *slot, const struct stream_event *event,
		      const struct event_wait *record, struct profile_wait *wait)
{
	const struct task_binding *waker;
	int r;

	if (!(record->flags & WAIT_HAS_WAKER) || !record->context || record->woken > record->time)
		return 0;
	r = section_task(section, slot, event, record->waker, &waker);
	if (r < 0 || !waker)
		return r;
	wait->waker = waker->task;
	wait->waker_context = record->context <= WAKER_UNKNOWN ? (uint8_t)record->context : WAKER_UNKNOWN;
	wait->woken = record->time - record->woken;
	return 0;
}

/* Notes the whole wait: whether a kernel thread did anything does not depend on what was requested. */
static int add_kernel_wait(struct section *section, const struct profile_wait *wait)
{
	struct profile *profile = section->context.profile;
	const struct profile_recording *recording = &profile->recordings.items[wait->recording];
	struct profile_wait whole = *wait;

	whole.weight = overlap(wait->out, wait->in, recording->start, recording->stop);
	return profile_add_kernel_wait(profile, &whole);
}

static int push_wait(struct section *section, const struct event_wait *record, uint64_t ended,
		     const struct profile_wait *wait, uint32_t user, struct wait_thread *thread)
{
	struct section_waits *waits = section->waits;
	bool hidden = section->context.profile->waits_hidden;
	struct loose_wait loose = {.user = user, .in = ended, .later = record->flags & WAIT_USER_LATER && !hidden};

	if (loose.later)
		loose.previous = thread->pending;
	if (waits->loose.count >= NO_NUMBER - 1 || array_push(&waits->loose, loose) < 0 ||
	    array_push(&section->context.profile->waits, *wait) < 0)
		return -ENOMEM;
	if (loose.later)
		thread->pending = (uint32_t)waits->loose.count;
	return 0;
}

/* Whether the task passes the filters, or is needed because others may have waited for it. */
static bool is_followed(const struct section *section, const struct task_binding *task)
{
	return task->wanted || section->context.profile->filter->needs & PROFILE_EVERYONE;
}

/* The task and thread of a record; *ret_task is NULL if the task is not followed. */
static int find_subject(struct section *section, struct section_slot **ret_slot,
			const struct stream_event *event, uint32_t number,
			const struct task_binding **ret_task, struct wait_thread **ret_thread)
{
	const struct task_binding *task;
	int r = section_slot(section, event, ret_slot);

	*ret_task = NULL;
	if (!r)
		r = section_task(section, *ret_slot, event, number, &task);
	if (r < 0 || !task || !is_followed(section, task))
		return r;
	*ret_task = task;
	return find_thread(section->waits, event_decoder_task(event->batch->decoder, number), ret_thread);
}

/* Only waits that the report is about count in the quality. */
static int read_stacks(struct section *section, const struct event_wait *record, const struct task_binding *task,
		       struct profile_wait *wait, uint32_t *ret_user)
{
	const struct stack_record described = {
		.kernel_truncated = record->flags & WAIT_KERNEL_TRUNCATED,
		.user_truncated = record->flags & WAIT_USER_TRUNCATED,
		.user_missing = record->flags & WAIT_USER_MISSING,
		.copied = record->flags & WAIT_NOT_ENDED,
		.reason = record->missing,
	};
	struct stack stack;
	int r = stack_user(&section->context, task->process, record->user, record->snapshot, &stack);

	if (r < 0)
		return r;
	*ret_user = stack.node;
	stack.node = 0;
	r = stack_kernel(&section->context, record->kernel, false, NULL, &stack);
	stack_describe(&stack, &described);
	wait->node = stack.node;
	wait->chain_flags = stack.flags;
	if (!(wait->flags & PROFILE_WAIT_UNASKED))
		section_count(section, PROFILE_OFFCPU, record->time, &stack);
	return r;
}

/* Wakeups come from waits, so waits are also needed if only wakeups were requested. */
static bool is_asked_for(const struct section *section, const struct source_binding *source)
{
	const struct profile *profile = section->context.profile;

	return source->wanted || profile->recording_notes.items[section->recording].wakers != NO_NUMBER;
}

static bool is_kept(const struct section *section, const struct source_binding *source, const struct profile_wait *wait)
{
	return is_asked_for(section, source) &&
	       (!(wait->flags & PROFILE_WAIT_UNASKED) ||
		section->context.profile->filter->needs & PROFILE_EVERYONE);
}

/* The cheap test, done first: the wait is wanted, or unwanted waits are needed for the times of kernel threads. */
static bool may_matter(const struct section *section, const struct event_wait *record)
{
	return profile_wants_kernel_times(section->context.profile) || wait_is_wanted(section, record);
}

static int store_wait(struct section *section, const struct stream_event *event, const struct event_wait *record,
		      bool stacks, const struct task_binding *task, struct profile_wait *wait)
{
	struct wait_thread *thread;
	uint32_t user = 0;
	int r = find_thread(section->waits, event_decoder_task(event->batch->decoder, record->task), &thread);

	if (!r && stacks)
		r = read_stacks(section, record, task, wait, &user);
	if (r < 0)
		return r;
	if (wait->waker != PROFILE_NO_TASK && thread->wake_time == wait->woken)
		wait->waker_node = thread->wake_node;
	return push_wait(section, record, event->batch->waits.items[event->event->index].time, wait, user, thread);
}

static int add_part(struct section *section, const struct stream_event *event, const struct source_binding *source,
		    const struct event_wait *record)
{
	const struct task_binding *found;
	struct task_binding task; /* a copy: looking up the waker's task may move it */
	struct section_slot *slot;
	struct profile_wait wait;
	int r;

	if (!may_matter(section, record))
		return 0;
	r = section_slot(section, event, &slot);
	if (!r)
		r = section_task(section, slot, event, record->task, &found);
	if (r < 0 || !found)
		return r;
	task = *found;
	wait = describe_wait(section, record);
	wait.source = source->source;
	wait.task = task.task;
	r = read_waker(section, slot, event, record, &wait);
	if (!r)
		r = section_owner(section, slot, event, record->owner, record->flags & WAIT_OWNER_READS,
				  &wait.owner, &wait.held);
	if (!r)
		r = profile_bind_object(section->context.profile, section->context.model,
					section->context.profile->tasks.items[wait.task].host, record, &wait);
	if (!r)
		r = add_kernel_wait(section, &wait);
	if (!task.wanted || !wait_is_wanted(section, record))
		wait.flags |= PROFILE_WAIT_UNASKED;
	if (r < 0 || !is_kept(section, source, &wait))
		return r;
	return store_wait(section, event, record, source->wanted, &task, &wait);
}

/* What came before the quota took its part: the thread was asleep, or not yet on a run queue. Its waker is of this. */
static struct event_wait part_before(const struct event_wait *record)
{
	struct event_wait part = *record;

	part.time -= record->throttled + record->run_queue;
	part.length -= record->throttled + record->run_queue;
	part.woken = record->woken > record->time - part.time ? record->woken - (record->time - part.time) : 0;
	part.run_queue = 0;
	return part;
}

/* The part that the quota took, and what the thread waited for a CPU besides. */
static struct event_wait part_throttled(const struct event_wait *record, bool alone)
{
	struct event_wait part = *record;

	part.wait_class = WAIT_THROTTLED;
	part.length = alone ? record->length : record->throttled + record->run_queue;
	part.flags &= ~(uint64_t)(WAIT_HAS_WAKER | WAIT_FOR_READING | WAIT_OWNER_READS |
					  WAIT_OWNER_AT_END | WAIT_OWNER_CHANGED | (alone ? 0 : WAIT_BEGAN_BEFORE));
	part.call = part.asked = 0;
	part.owner = part.ready = part.ready_object = 0;
	part.object = record->throttler;
	return part;
}

int section_add_wait(struct section *section, const struct stream_event *event)
{
	const struct event_wait *record = &event->batch->waits.items[event->event->index];
	const struct source_binding *source = wait_source(section, record->source);
	bool partly = record->wait_class == WAIT_BLOCKED || record->wait_class == WAIT_STARTED;
	struct event_wait part;
	int r = 0;

	section->context.profile->qualities[PROFILE_SOURCE_KINDS].unknown_source += !source;
	if (!section->waits || !source || record->wait_class > WAIT_STARTED)
		return 0;
	if (!record->throttled || record->throttled > record->length ||
	    record->run_queue > record->length - record->throttled)
		return add_part(section, event, source, record);
	if (partly) {
		part = part_before(record);
		r = add_part(section, event, source, &part);
	}
	part = part_throttled(record, !partly);
	return r < 0 ? r : add_part(section, event, source, &part);
}

int section_add_wake(struct section *section, const struct stream_event *event)
{
	const struct event_wake *record = &event->batch->wakes.items[event->event->index];
	const struct task_binding *target, *waker;
	struct wait_thread *thread;
	struct section_slot *slot;
	struct stack stack;
	bool asked;
	int r;

	if (!section->waits)
		return 0;
	r = find_subject(section, &slot, event, record->target, &target, &thread);
	if (r < 0 || !target)
		return r;
	asked = target->wanted;
	r = section_task(section, slot, event, record->task, &waker);
	if (r < 0 || !waker)
		return r;
	r = stack_user(&section->context, waker->process, record->user, record->snapshot, &stack);
	if (!r)
		r = stack_kernel(&section->context, record->kernel, true, NULL, &stack);
	if (r < 0)
		return r;
	if (asked)
		section_count(section, PROFILE_WAKERS, record->time, &stack);
	thread->wake_node = stack.node;
	thread->wake_time = record->time;
	return 0;
}

/* Several waits may have this stack. Their own parts were counted; it counts once, what it lacks for each. */
int section_add_user_stack(struct section *section, const struct stream_event *event)
{
	const struct event_user_stack *record = &event->batch->user_stacks.items[event->event->index];
	struct profile *profile = section->context.profile;
	const struct task_binding *task;
	struct wait_thread *thread;
	struct section_slot *slot;
	struct stack stack;
	int r;

	if (!section->waits)
		return 0;
	r = find_subject(section, &slot, event, record->task, &task, &thread);
	if (r < 0 || !task || !thread->pending)
		return r;
	r = stack_user(&section->context, task->process, record->user, record->snapshot, &stack);
	for (uint32_t next = thread->pending; next && !r;
	     next = section->waits->loose.items[next - 1].previous) {
		struct loose_wait *loose = &section->waits->loose.items[next - 1];
		struct profile_wait *wait = &profile->waits.items[section->waits->first + next - 1];

		if (record->since > record->time || loose->in < record->time - record->since)
			break;
		stack_describe(&stack, &(struct stack_record){
					       .user_truncated = record->flags & SAMPLE_USER_TRUNCATED,
					       .user_missing = record->flags & SAMPLE_USER_MISSING,
					       .copied = wait->flags & PROFILE_WAIT_NOT_ENDED,
					       .reason = record->missing});
		wait->chain_flags |= stack.flags;
		loose->user = stack.node;
		loose->later = false;
		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		stack_count(&stack, &profile->qualities[PROFILE_OFFCPU]);
		stack.user = (struct user_chain){0};
	}
	thread->pending = 0;
	return r;
}

/* --- sums --- */

static int find_sums(struct section *section, const struct task_binding *task, struct wait_thread *thread,
		     uint64_t from, struct profile_task_sums **ret_sums)
{
	struct profile *profile = section->context.profile;
	uint32_t *number = task->wanted ? &thread->sums : &thread->unasked_sums;
	struct profile_task_sums sums = {.recording = section->waits->recording, .task = task->task,
					 .unasked = !task->wanted, .from = from};

	if (!*number) {
		if (array_push(&profile->sums, sums) < 0)
			return -ENOMEM;
		*number = (uint32_t)profile->sums.count;
	}
	*ret_sums = &profile->sums.items[*number - 1];
	return 0;
}

/* A task's first record may begin before the recording does, and then has what it ran there, too. */
static uint64_t ran_since(const struct event_wait_sums *record, uint64_t start)
{
	const uint64_t from = record->time - record->span, most = record->time - (from > start ? from : start);

	return from < start && record->time > start && record->running > most ? most : record->running;
}

static void add_sums(struct profile_task_sums *sums, const struct event_wait_sums *record, uint64_t start)
{
	sums->to = record->time;
	sums->running += ran_since(record, start);
	for (size_t i = 0; i < WAIT_SUM_KINDS; i++) {
		sums->kinds[i].count += record->kinds[i].count;
		sums->kinds[i].total += record->kinds[i].total;
		sums->kinds[i].run_queue += record->kinds[i].run_queue;
		sums->kinds[i].throttled += record->kinds[i].throttled;
	}
}

static int add_kernel_sums(struct section *section, const struct event_wait_sums *record, uint32_t task)
{
	struct profile_task_sums sums = {.task = task, .from = record->time - record->span};

	add_sums(&sums, record, 0);
	return profile_add_kernel_sums(section->context.profile, &sums);
}

int section_add_wait_sums(struct section *section, const struct stream_event *event)
{
	const struct event_wait_sums *record = &event->batch->wait_sums.items[event->event->index];
	const struct source_binding *source = wait_source(section, record->source);
	const struct task_binding *task;
	struct profile_task_sums *sums;
	struct wait_thread *thread;
	struct section_slot *slot;
	int r;

	if (!section->waits || !source || record->span > record->time)
		return 0;
	r = section_slot(section, event, &slot);
	if (!r)
		r = section_task(section, slot, event, record->task, &task);
	if (!r && task)
		r = add_kernel_sums(section, record, task->task);
	if (r < 0 || !task || !source->wanted || record->time < section->from || record->time > section->to)
		return r;
	r = find_subject(section, &slot, event, record->task, &task, &thread);
	if (r < 0 || !task)
		return r;
	r = find_sums(section, task, thread, record->time - record->span, &sums);
	if (!r)
		add_sums(sums, record, section->context.profile->recordings.items[section->waits->recording].start);
	return r;
}
