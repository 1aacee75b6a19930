/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile_waits_read.h"

#include <string.h>

#include "report/profile_state.h"

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

/* Whatever its comm is. The pointer is good until the next call. */
static int find_thread(struct section_waits *waits, const struct event_task *task, struct wait_thread **ret_thread)
{
	const struct wanted_thread wanted = {.threads = waits->threads.items, .task = task};
	uint32_t hash = index_table_hash(&waits->thread_table, task->tid, task->start);
	struct index_slot *slot = index_table_find(&waits->thread_table, hash, same_thread, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&waits->threads, (struct wait_thread){.tid = task->tid, .start = task->start}) < 0)
			return -ENOMEM;
		index_table_set(&waits->thread_table, slot, hash, (uint32_t)(waits->threads.count - 1));
	}
	*ret_thread = &waits->threads.items[slot->number - 1];
	return 0;
}

/* --- the section --- */

/* When the last source stopped; of a recorder that was killed, when something was written last. */
static uint64_t stop_of(const struct trace_model *model)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.stop <= model->sources.items[i].event.start)
			return model->last_time;
	return model->stop;
}

static struct profile_recording describe(const struct section *section)
{
	const struct trace_model *model = section->context.model;
	struct profile_recording recording = {.host = section->context.host, .start = model->start, .stop = stop_of(model)};

	for (size_t i = 0; i < model->sources.count; i++) {
		const struct event_source *source = &model->sources.items[i].event;

		if (source->kind != SOURCE_OFFCPU)
			continue;
		recording.start = source->start;
		recording.stop = source->stop > source->start ? source->stop : model->last_time;
		recording.least_wait = source->least;
	}
	if (recording.stop < recording.start) /* its chunks say of their times what is not so */
		recording.stop = recording.start;
	return recording;
}

static struct recording_notes take_notes(const struct section *section, const struct profile_recording *recording)
{
	const struct source_binding *wakers = section_source_of(section, PROFILE_WAKERS);

	return (struct recording_notes){
		.model = section->context.model,
		.from = recording->start > section->from ? recording->start : section->from,
		.to = recording->stop < section->to ? recording->stop : section->to,
		.wakers = wakers && wakers->wanted ? wakers->source : NO_NUMBER,
	};
}

int section_begin_recording(struct section *section)
{
	struct profile *profile = section->context.profile;
	struct profile_recording recording = describe(section);
	int r = array_push(&profile->recordings, recording);

	if (r == 0)
		r = array_push(&profile->recording_notes, take_notes(section, &recording));
	section->recording = (uint32_t)(profile->recordings.count - 1);
	return r;
}

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

/* NULL for one that is not described, or that is no source of waits. */
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

	if (wait->time < section->from || wait->time - wait->length > section->to || wait->wait_class >= WAIT_CLASSES)
		return false;
	if (filter->cpus && !(wait->cpu < filter->cpu_bits && filter->cpus[wait->cpu / 64] >> (wait->cpu % 64) & 1))
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

/* --- stacks --- */

static int user_node(struct section *section, const struct task_place *task, uint32_t leaf, uint32_t snapshot,
		     bool *ret_unwound, uint32_t *ret_node)
{
	struct profile_quality *quality = &section->context.profile->quality;
	struct user_chain user = {.known = true};
	int r = 0;

	if (!section->context.profile->filter->kernel_only)
		r = chain_user_of(&section->context, task->process, leaf, snapshot, &user);
	*ret_unwound = section->context.profile->filter->kernel_only ? snapshot : user.verdict.unwound;
	quality->trimmed += user.trimmed;
	quality->no_maps += !user.known;
	*ret_node = user.node;
	return r;
}

/* strip: BPF frames at the leaf are the recorder's way in. */
static int kernel_node(struct section *section, uint32_t base, uint32_t leaf, bool strip, uint32_t *ret_node)
{
	bool stripped = false;
	int r = 0;

	*ret_node = base;
	section->context.strip_entry = strip;
	section->context.traced = NULL;
	if (leaf >= STACK_FIRST_NODE && !section->context.profile->filter->user_only)
		r = chain_kernel(&section->context, base, leaf, ret_node, &stripped);
	section->context.profile->quality.stripped += stripped && !strip;
	return r;
}

static uint32_t note_missing(struct profile_quality *quality, uint64_t missing)
{
	if (missing == USER_MISSING_KERNEL_THREAD)
		return 0;
	quality->user_exiting += missing == USER_MISSING_EXITING;
	quality->user_changed += missing == USER_MISSING_CHANGED;
	quality->user_no_room += missing == USER_MISSING_NO_ROOM;
	quality->user_busy += missing == USER_MISSING_BUSY;
	quality->user_ran += missing == USER_MISSING_RUNNING;
	quality->user_refused += missing == USER_MISSING_REFUSED;
	quality->user_fault += missing == USER_MISSING_FAULT || missing > USER_MISSING_REFUSED;
	return CHAIN_USER_MISSING;
}

/* --- waits --- */

static uint8_t wait_flags(uint64_t flags)
{
	return (uint8_t)((flags & WAIT_BEGAN_BEFORE ? PROFILE_WAIT_BEGAN_BEFORE : 0) |
			 (flags & WAIT_OUT_EARLIEST ? PROFILE_WAIT_OUT_EARLIEST : 0) |
			 (flags & WAIT_NOT_ENDED ? PROFILE_WAIT_NOT_ENDED : 0) | (flags & WAIT_IOWAIT ? PROFILE_WAIT_IOWAIT : 0));
}

static uint64_t overlap(uint64_t out, uint64_t in, uint64_t from, uint64_t to)
{
	out = out > from ? out : from;
	in = in < to ? in : to;
	return in > out ? in - out : 0;
}

static struct profile_wait describe_wait(const struct section *section, const struct event_wait *event)
{
	const struct profile_recording *recording = &section->context.profile->recordings.items[section->waits->recording];
	uint64_t out = event->time - event->length;
	uint64_t from = recording->start > section->from ? recording->start : section->from;
	uint64_t to = recording->stop < section->to ? recording->stop : section->to;

	return (struct profile_wait){
		.out = out,
		.in = event->time,
		.run_queue = event->run_queue < event->length ? event->run_queue : event->length,
		.weight = overlap(out, event->time, from, to),
		.recording = section->waits->recording,
		.waker = PROFILE_NO_TASK,
		.state = (uint32_t)event->state,
		.out_cpu = event->out_cpu < CPU_NONE ? (uint16_t)event->out_cpu : CPU_NONE,
		.in_cpu = event->cpu < CPU_NONE ? (uint16_t)event->cpu : CPU_NONE,
		.flags = (uint8_t)(wait_flags(event->flags) | (out < recording->start ? PROFILE_WAIT_BEGAN_BEFORE : 0)),
		.wait_class = (uint8_t)event->wait_class,
	};
}

static int take_waker(struct section *section, struct section_slot *slot, const struct stream_event *event,
		      const struct event_wait *record, const struct wait_thread *thread, struct profile_wait *wait)
{
	static const enum profile_waker_context contexts[] = {
		[WAKER_NONE] = PROFILE_WAKER_NONE, [WAKER_TASK] = PROFILE_WAKER_TASK, [WAKER_SOFTIRQ] = PROFILE_WAKER_SOFTIRQ,
		[WAKER_IRQ] = PROFILE_WAKER_IRQ,   [WAKER_UNKNOWN] = PROFILE_WAKER_UNKNOWN,
	};
	const struct task_place *waker;
	int r;

	if (!(record->flags & WAIT_HAS_WAKER) || !record->context || record->woken > record->time)
		return 0;
	r = section_task(section, slot, event, record->waker, &waker);
	if (r < 0 || !waker)
		return r;
	wait->waker = waker->task;
	wait->waker_context = record->context <= WAKER_UNKNOWN ? (uint8_t)contexts[record->context] : PROFILE_WAKER_UNKNOWN;
	wait->woken = record->time - record->woken;
	if (thread->wake_time == wait->woken)
		wait->waker_node = thread->wake_node;
	return 0;
}

static uint32_t chain_flags(struct profile_quality *quality, const struct event_wait *record, bool unwound)
{
	uint32_t flags = 0;

	quality->samples++;
	if (record->flags & WAIT_KERNEL_TRUNCATED) {
		flags |= CHAIN_KERNEL_TRUNCATED;
		quality->kernel_truncated++;
	}
	if (record->flags & WAIT_USER_TRUNCATED && !unwound) {
		flags |= CHAIN_USER_TRUNCATED;
		quality->user_truncated++;
	}
	return record->flags & WAIT_USER_MISSING && !unwound ? flags | note_missing(quality, record->missing) : flags;
}

static int push_wait(struct section *section, const struct event_wait *record, const struct profile_wait *wait,
		     uint32_t user, struct wait_thread *thread)
{
	struct section_waits *waits = section->waits;
	bool hidden = section->context.profile->waits_hidden;
	struct loose_wait loose = {.user = user, .later = record->flags & WAIT_USER_LATER && !hidden};

	if (loose.later)
		loose.previous = thread->pending;
	if (waits->loose.count >= NO_NUMBER - 1 || array_push(&waits->loose, loose) < 0 ||
	    array_push(&section->context.profile->waits, *wait) < 0)
		return -ENOMEM;
	if (loose.later)
		thread->pending = (uint32_t)waits->loose.count;
	return 0;
}

/* The task and thread of a record; *ret_task is NULL where it is not wanted. */
static int find_subject(struct section *section, struct section_slot **ret_slot, const struct stream_event *event,
			uint32_t number, const struct task_place **ret_task, struct wait_thread **ret_thread)
{
	const struct task_place *task;
	int r = section_slot(section, event, ret_slot);

	*ret_task = NULL;
	if (r == 0)
		r = section_task(section, *ret_slot, event, number, &task);
	if (r < 0 || !task || !task->wanted)
		return r;
	*ret_task = task;
	return find_thread(section->waits, event_decoder_task(event->batch->decoder, number), ret_thread);
}

static int take_stacks(struct section *section, const struct event_wait *record, const struct task_place *task,
		       struct profile_wait *wait, uint32_t *ret_user)
{
	bool unwound = false;
	int r = kernel_node(section, 0, record->kernel, false, &wait->node);

	if (r == 0)
		r = user_node(section, task, record->user, record->snapshot, &unwound, ret_user);
	wait->chain_flags = chain_flags(&section->context.profile->quality, record, unwound);
	return r;
}

/* Without waits there are no wakeups. */
static bool is_asked_for(const struct section *section, const struct source_binding *source)
{
	return source->wanted || section->context.profile->recording_notes.items[section->recording].wakers != NO_NUMBER;
}

int section_add_wait(struct section *section, const struct stream_event *event)
{
	const struct event_wait *record = &event->batch->waits.items[event->event->index];
	const struct source_binding *source = wait_source(section, record->source);
	const struct task_place *task;
	struct wait_thread *thread;
	struct profile_wait wait;
	struct section_slot *slot;
	uint32_t user = 0;
	int r;

	section->context.profile->quality.unknown_source += !source;
	if (!section->waits || !source || !is_asked_for(section, source) || !wait_is_wanted(section, record))
		return 0;
	r = find_subject(section, &slot, event, record->task, &task, &thread);
	if (r < 0 || !task)
		return r;
	wait = describe_wait(section, record);
	wait.source = source->source;
	wait.task = task->task;
	if (source->wanted)
		r = take_stacks(section, record, task, &wait, &user);
	if (r == 0)
		r = take_waker(section, slot, event, record, thread, &wait);
	return r < 0 ? r : push_wait(section, record, &wait, user, thread);
}

int section_add_wake(struct section *section, const struct stream_event *event)
{
	const struct event_wake *record = &event->batch->wakes.items[event->event->index];
	const struct task_place *target, *waker;
	struct wait_thread *thread;
	struct section_slot *slot;
	uint32_t node = 0;
	bool unwound;
	int r;

	if (!section->waits)
		return 0;
	r = find_subject(section, &slot, event, record->target, &target, &thread);
	if (r < 0 || !target)
		return r;
	r = section_task(section, slot, event, record->task, &waker);
	if (r < 0 || !waker)
		return r;
	r = user_node(section, waker, record->user, record->snapshot, &unwound, &node);
	if (r == 0)
		r = kernel_node(section, node, record->kernel, true, &node);
	thread->wake_time = record->time;
	thread->wake_node = node;
	return r;
}

int section_add_user_stack(struct section *section, const struct stream_event *event)
{
	const struct event_user_stack *record = &event->batch->user_stacks.items[event->event->index];
	struct profile *profile = section->context.profile;
	const struct task_place *task;
	struct wait_thread *thread;
	struct section_slot *slot;
	uint32_t node = 0, flags = 0, next;
	bool unwound;
	int r;

	if (!section->waits)
		return 0;
	r = find_subject(section, &slot, event, record->task, &task, &thread);
	if (r < 0 || !task || !thread->pending)
		return r;
	r = user_node(section, task, record->user, record->snapshot, &unwound, &node);
	for (next = thread->pending; next && r == 0; next = section->waits->loose.items[next - 1].previous) {
		struct loose_wait *loose = &section->waits->loose.items[next - 1];
		struct profile_wait *wait = &profile->waits.items[section->waits->first + next - 1];

		if (record->since > record->time || wait->in < record->time - record->since)
			break;
		flags = record->flags & SAMPLE_USER_TRUNCATED && !unwound ? CHAIN_USER_TRUNCATED : 0;
		profile->quality.user_truncated += !!flags;
		if (record->flags & SAMPLE_USER_MISSING && !unwound)
			flags |= note_missing(&profile->quality, record->missing);
		wait->chain_flags |= flags;
		loose->user = node;
		loose->later = false;
	}
	thread->pending = 0;
	return r;
}

/* --- sums --- */

static int find_sums(struct section *section, const struct task_place *task, struct wait_thread *thread,
		     uint64_t from, struct profile_task_sums **ret_sums)
{
	struct profile *profile = section->context.profile;
	struct profile_task_sums sums = {.recording = section->waits->recording, .task = task->task, .from = from};

	if (!thread->sums) {
		if (array_push(&profile->sums, sums) < 0)
			return -ENOMEM;
		thread->sums = (uint32_t)profile->sums.count;
	}
	*ret_sums = &profile->sums.items[thread->sums - 1];
	return 0;
}

int section_add_wait_sums(struct section *section, const struct stream_event *event)
{
	const struct event_wait_sums *record = &event->batch->wait_sums.items[event->event->index];
	const struct source_binding *source = wait_source(section, record->source);
	const struct task_place *task;
	struct profile_task_sums *sums;
	struct wait_thread *thread;
	struct section_slot *slot;
	int r;

	if (!section->waits || !source || !source->wanted || record->time < section->from ||
	    record->time > section->to || record->span > record->time)
		return 0;
	r = find_subject(section, &slot, event, record->task, &task, &thread);
	if (r < 0 || !task)
		return r;
	r = find_sums(section, task, thread, record->time - record->span, &sums);
	if (r < 0)
		return r;
	sums->to = record->time;
	sums->running += record->running;
	for (size_t i = 0; i < WAIT_SUM_KINDS; i++) {
		sums->kinds[i].count += record->kinds[i].count;
		sums->kinds[i].total += record->kinds[i].total;
		sums->kinds[i].run_queue += record->kinds[i].run_queue;
	}
	return 0;
}
