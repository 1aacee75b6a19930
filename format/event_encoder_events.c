/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>

#include "format/event_encoder_internal.h"

enum { /* without stacks, and without the task */
	SAMPLE_ROOM = RECORD_OVERHEAD + 9 * VARINT_MAX,
	WAIT_ROOM = RECORD_OVERHEAD + 24 * VARINT_MAX + 2 * TASK_ROOM,
};

/* Whether a record of `room` bytes with these stacks, and its task, is sure to fit. */
static int check_room(const struct event_encoder *encoder, const struct event_stacks *stacks, size_t room)
{
	uint32_t frames;

	if (!encoder->max_cpus || stacks->kernel_count > RWK_MAX_FRAMES || stacks->user_count > RWK_MAX_PATH)
		return -EINVAL;
	frames = stacks->kernel_count + stacks->user_count;
	if (!encoder_has_room(encoder, TASK_ROOM + room + 2 * stack_tree_room(0) + stack_tree_room(frames)) ||
	    !stack_tree_has_room(&encoder->stacks, frames))
		return -ENOSPC;
	return 0;
}

/* The task's number in the chunk, which is defined if it is new. */
static int find_task(struct event_encoder *encoder, const struct event_task *task, uint32_t *ret_number)
{
	bool is_new;
	uint32_t number = task_table_number(&encoder->tasks, task, &is_new);

	if (!number)
		return -ENOSPC;
	if (is_new)
		encoder_record_finish(encoder, encoder_fields_put(encoder, encoder_record_start(encoder, EVENT_TASK),
						  event_layout_find(EVENT_TASK), task));
	*ret_number = number;
	return 0;
}

static uint8_t *sample_time_put(struct event_encoder *encoder, uint8_t *at, uint32_t cpu, uint64_t time)
{
	struct cpu_clock *clock = &encoder->cpus[cpu];

	if (clock->chunk != encoder->chunk) {
		at = zigzag_put(at, time - encoder->time);
		*clock = (struct cpu_clock){.chunk = encoder->chunk};
	} else {
		uint64_t step = time - clock->time;

		at = zigzag_put(at, step - clock->step);
		clock->step = step;
	}
	clock->time = time;
	encoder_note_time(encoder, time);
	return at;
}

static uint8_t *kernel_stack_put(struct event_encoder *encoder, const struct event_stacks *stacks, uint8_t *at,
				 uint32_t *ret_leaf)
{
	struct stack_put put = {
		.root = STACK_KERNEL_ROOT,
		.frames = stacks->kernel,
		.count = stacks->kernel_count,
		.callers = stacks->kernel_callers,
	};

	at = stack_tree_put(&encoder->stacks, &put, at);
	*ret_leaf = put.leaf;
	return at;
}

static uint8_t *user_stack_put(struct event_encoder *encoder, const struct event_stacks *stacks, uint8_t *at,
			       uint32_t *ret_leaf, bool *ret_known)
{
	struct stack_put put = {
		.root = STACK_USER_ROOT,
		.frames = stacks->user,
		.count = stacks->user_count,
		.owner = stacks->user_owner,
	};

	at = stack_tree_put(&encoder->stacks, &put, at);
	*ret_leaf = put.leaf;
	*ret_known = put.known;
	return at;
}

static uint64_t stack_flags(uint64_t flags, uint64_t missing, uint32_t snapshot, const struct event_stacks *stacks)
{
	return (flags & (SAMPLE_KERNEL_TRUNCATED | SAMPLE_USER_TRUNCATED)) |
	       (stacks->kernel_count ? SAMPLE_HAS_KERNEL : 0) | (stacks->user_count ? SAMPLE_HAS_USER : 0) |
	       (missing ? SAMPLE_USER_MISSING : 0) | (snapshot ? SAMPLE_HAS_SNAPSHOT : 0);
}

int event_encode_sample(struct event_encoder *encoder, struct event_sample *sample, const struct event_task *task,
			const struct event_stacks *stacks)
{
	int r = check_room(encoder, stacks, SAMPLE_ROOM);
	uint8_t *at;

	if (r >= 0 && (sample->cpu >= encoder->max_cpus || sample->source > RWK_MAX_SOURCES ||
		       sample->probe > RWK_MAX_PROBES))
		r = -EINVAL;
	if (r >= 0)
		r = find_task(encoder, task, &sample->task);
	if (r < 0)
		return r;
	sample->flags = stack_flags(sample->flags, sample->missing, sample->snapshot, stacks) |
			(sample->period ? SAMPLE_HAS_PERIOD : 0) | (sample->probe ? SAMPLE_HAS_PROBE : 0);
	sample->kernel = STACK_KERNEL_ROOT;
	sample->user = STACK_USER_ROOT;
	sample->callers_known = false;
	at = varint_put(encoder_record_start(encoder, EVENT_SAMPLE), sample->cpu);
	at = sample_time_put(encoder, at, sample->cpu, sample->time);
	at = varint_put(at, sample->task);
	at = varint_put(at, sample->source);
	at = varint_put(at, sample->flags);
	if (sample->flags & SAMPLE_USER_MISSING)
		at = varint_put(at, sample->missing);
	if (sample->flags & SAMPLE_HAS_PERIOD)
		at = varint_put(at, sample->period);
	if (sample->flags & SAMPLE_HAS_KERNEL)
		at = kernel_stack_put(encoder, stacks, at, &sample->kernel);
	if (sample->flags & SAMPLE_HAS_USER)
		at = user_stack_put(encoder, stacks, at, &sample->user, &sample->callers_known);
	if (sample->flags & SAMPLE_HAS_PROBE)
		at = varint_put(at, sample->probe);
	if (sample->flags & SAMPLE_HAS_SNAPSHOT)
		at = varint_put(at, sample->snapshot);
	encoder_record_finish(encoder, at);
	return 0;
}

/* --- records whose fields the table describes, stacks included --- */

struct putting {
	struct event_encoder *encoder;
	const struct event_layout *layout;
	void *record;
	const struct event_stacks *stacks;
	bool known; /* the user stack's callers */
};

static uint8_t *length_put(struct event_encoder *encoder, uint8_t *at, uint32_t cpu, uint64_t length)
{
	struct wait_ends *ends = &encoder->cpus[cpu].ends;
	uint64_t code = length + WAIT_ENDS, out = encoder->time - length;

	for (unsigned int i = 0; i < WAIT_ENDS; i++)
		if (ends->times[i] && ends->times[i] == out) {
			code = i;
			break;
		}
	wait_ends_note(ends, encoder->time);
	return varint_put(at, code);
}

static uint8_t *one_field_put(struct putting *put, uint8_t *at, const struct event_field *field)
{
	struct event_encoder *encoder = put->encoder;
	uint32_t *leaf = (uint32_t *)((char *)put->record + field->offset);

	switch (field->type) {
	case FIELD_U32:
	case FIELD_U64:
	case FIELD_HEX:
		return varint_put(at, event_field_value(field, put->record));
	case FIELD_CLOCK:
		return sample_time_put(encoder, at, event_record_cpu(put->layout, put->record),
				       event_field_value(field, put->record));
	case FIELD_KERNEL:
		return kernel_stack_put(encoder, put->stacks, at, leaf);
	case FIELD_USER:
		return user_stack_put(encoder, put->stacks, at, leaf, &put->known);
	default:
		return encoder_field_put(encoder, at, field, put->record);
	}
}

static void put_record(struct putting *put)
{
	uint8_t *at = encoder_record_start(put->encoder, put->layout->kind);

	for (const struct event_field *field = put->layout->fields; field->type; field++)
		if (event_field_present(put->layout, field, put->record))
			at = one_field_put(put, at, field);
	encoder_record_finish(put->encoder, at);
}

/* Room for the record, its stacks and three tasks; every value within its limit. */
static int check_record(const struct putting *put)
{
	int64_t room = encoder_fields_room(put->layout, put->record);

	if (room < 0)
		return (int)room;
	if (put->layout->timed && event_record_cpu(put->layout, put->record) >= put->encoder->max_cpus)
		return -EINVAL;
	return check_room(put->encoder, put->stacks, (size_t)room + 2 * TASK_ROOM);
}

static uint64_t walk_task_flags(const struct event_walk_task *row, const struct event_stacks *stacks)
{
	enum { SET = WALK_TASK_HAS_USER | WALK_TASK_USER_MISSING | WALK_TASK_HAS_SNAPSHOT | WALK_TASK_HAS_CALL |
		     WALK_TASK_HAS_ASKED | WALK_TASK_HAS_OWNER };

	return (row->flags & ~(uint64_t)SET) | (stacks->user_count ? WALK_TASK_HAS_USER : 0) |
	       (row->missing ? WALK_TASK_USER_MISSING : 0) | (row->snapshot ? WALK_TASK_HAS_SNAPSHOT : 0) |
	       (row->call || row->object ? WALK_TASK_HAS_CALL : 0) | (row->asked ? WALK_TASK_HAS_ASKED : 0) |
	       (row->owner ? WALK_TASK_HAS_OWNER : 0);
}

int event_encode_walk_task(struct event_encoder *encoder, struct event_walk_task *row, const struct event_task *task,
			   const struct event_task *owner, const struct event_stacks *stacks)
{
	struct putting put = {encoder, event_layout_find(EVENT_WALK_TASK), row, stacks, false};
	int r = check_record(&put);

	if (r >= 0)
		r = find_task(encoder, task, &row->task);
	if (r >= 0 && row->owner)
		r = find_task(encoder, owner, &row->owner);
	if (r < 0)
		return r;
	row->flags = walk_task_flags(row, stacks);
	row->user = STACK_USER_ROOT;
	put_record(&put);
	return 0;
}

static uint64_t wait_flags(const struct event_wait *wait, const struct event_stacks *stacks)
{
	enum { GIVEN = WAIT_USER_LATER | WAIT_IOWAIT | WAIT_BEGAN_BEFORE | WAIT_OUT_EARLIEST |
		       WAIT_OUT_LATEST | WAIT_NOT_ENDED | WAIT_KERNEL_TRUNCATED | WAIT_USER_TRUNCATED |
		       WAIT_FOR_READING | WAIT_OWNER_READS | WAIT_OWNER_AT_END | WAIT_OWNER_CHANGED };

	const bool partly = wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_STARTED;

	return (wait->flags & GIVEN) | (stacks->kernel_count ? WAIT_HAS_KERNEL : 0) |
	       (stacks->user_count ? WAIT_HAS_USER : 0) | (partly ? WAIT_HAS_RUN_QUEUE : 0) |
	       (wait->context ? WAIT_HAS_WAKER : 0) | (wait->out_cpu != wait->cpu ? WAIT_MOVED : 0) |
	       (wait->missing ? WAIT_USER_MISSING : 0) | (wait->snapshot ? WAIT_HAS_SNAPSHOT : 0) |
	       (wait->call || wait->object ? WAIT_HAS_CALL : 0) | (wait->asked ? WAIT_HAS_ASKED : 0) |
	       (wait->owner ? WAIT_HAS_OWNER : 0) | (wait->ready || wait->ready_object ? WAIT_HAS_READY : 0) |
	       (wait->throttled ? WAIT_HAS_THROTTLED : 0);
}

static int check_wait(const struct event_encoder *encoder, const struct event_wait *wait,
		      const struct event_stacks *stacks)
{
	if (wait->cpu >= encoder->max_cpus || wait->out_cpu >= RWK_MAX_CPUS || wait->source > RWK_MAX_SOURCES ||
	    wait->object > RWK_MAX_OBJECTS || wait->ready_object > RWK_MAX_OBJECTS ||
	    wait->throttler > RWK_MAX_OBJECTS || wait->length > wait->time)
		return -EINVAL;
	return check_room(encoder, stacks, WAIT_ROOM);
}

/* The fields from its end to its waker. */
static uint8_t *wait_span_put(struct event_encoder *encoder, uint8_t *at, const struct event_wait *wait)
{
	at = sample_time_put(encoder, at, wait->cpu, wait->time);
	at = length_put(encoder, at, wait->cpu, wait->length);
	if (wait->flags & WAIT_HAS_THROTTLED) {
		at = varint_put(at, wait->throttled);
		at = varint_put(at, wait->throttler);
	}
	if (wait->flags & WAIT_HAS_RUN_QUEUE)
		at = varint_put(at, wait->run_queue);
	if (wait->flags & WAIT_MOVED)
		at = varint_put(at, wait->out_cpu);
	if (wait->flags & WAIT_HAS_WAKER) {
		at = varint_put(at, wait->context);
		at = varint_put(at, wait->waker);
		at = varint_put(at, wait->woken);
	}
	return at;
}

/* The fields that say what it was for. */
static uint8_t *wait_object_put(uint8_t *at, const struct event_wait *wait)
{
	if (wait->flags & WAIT_HAS_CALL) {
		at = varint_put(at, wait->call);
		at = varint_put(at, wait->object);
	}
	if (wait->flags & WAIT_HAS_ASKED)
		at = varint_put(at, wait->asked);
	if (wait->flags & WAIT_HAS_OWNER)
		at = varint_put(at, wait->owner);
	if (wait->flags & WAIT_HAS_READY) {
		at = varint_put(at, wait->ready);
		at = varint_put(at, wait->ready_object);
	}
	return at;
}

/* Encodes as the table says, but three times as fast: WAIT is the most frequent record. */
static void put_wait(struct event_encoder *encoder, struct event_wait *wait, const struct event_stacks *stacks)
{
	uint8_t *at = varint_put(encoder_record_start(encoder, EVENT_WAIT), wait->cpu);

	at = varint_put(at, wait->task);
	at = varint_put(at, wait->source);
	at = varint_put(at, wait->flags);
	at = varint_put(at, wait->wait_class);
	at = varint_put(at, wait->state);
	if (wait->flags & WAIT_USER_MISSING)
		at = varint_put(at, wait->missing);
	if (wait->flags & WAIT_HAS_KERNEL)
		at = kernel_stack_put(encoder, stacks, at, &wait->kernel);
	if (wait->flags & WAIT_HAS_USER)
		at = user_stack_put(encoder, stacks, at, &wait->user, &wait->callers_known);
	at = wait_span_put(encoder, at, wait);
	if (wait->flags & WAIT_HAS_SNAPSHOT)
		at = varint_put(at, wait->snapshot);
	encoder_record_finish(encoder, wait_object_put(at, wait));
}

int event_encode_wait(struct event_encoder *encoder, struct event_wait *wait, const struct event_task *task,
		      const struct event_task *others, const struct event_stacks *stacks)
{
	int r = check_wait(encoder, wait, stacks);

	if (r >= 0)
		r = find_task(encoder, task, &wait->task);
	if (r >= 0 && wait->context)
		r = find_task(encoder, &others[WAIT_WAKER], &wait->waker);
	if (r >= 0 && wait->owner)
		r = find_task(encoder, &others[WAIT_OWNER], &wait->owner);
	if (r < 0)
		return r;
	wait->flags = wait_flags(wait, stacks);
	wait->kernel = STACK_KERNEL_ROOT;
	wait->user = STACK_USER_ROOT;
	wait->callers_known = false;
	put_wait(encoder, wait, stacks);
	return 0;
}

int event_encode_wake(struct event_encoder *encoder, struct event_wake *wake, const struct event_task *task,
		      const struct event_task *target, const struct event_stacks *stacks)
{
	struct putting put = {encoder, event_layout_find(EVENT_WAKE), wake, stacks, false};
	int r = check_record(&put);

	if (r >= 0)
		r = find_task(encoder, task, &wake->task);
	if (r >= 0)
		r = find_task(encoder, target, &wake->target);
	if (r < 0)
		return r;
	wake->flags = stack_flags(wake->flags, wake->missing, wake->snapshot, stacks);
	wake->kernel = STACK_KERNEL_ROOT;
	wake->user = STACK_USER_ROOT;
	put_record(&put);
	wake->callers_known = put.known;
	return 0;
}

int event_encode_user_stack(struct event_encoder *encoder, struct event_user_stack *record,
			    const struct event_task *task, const struct event_stacks *stacks)
{
	struct putting put = {encoder, event_layout_find(EVENT_USER_STACK), record, stacks, false};
	int r = check_record(&put);

	if (r >= 0)
		r = find_task(encoder, task, &record->task);
	if (r < 0)
		return r;
	record->flags = stack_flags(record->flags, record->missing, record->snapshot, stacks);
	record->user = STACK_USER_ROOT;
	put_record(&put);
	record->callers_known = put.known;
	return 0;
}

int event_encode_wait_sums(struct event_encoder *encoder, struct event_wait_sums *sums, const struct event_task *task)
{
	static const struct event_stacks none = {0};
	struct putting put = {encoder, event_layout_find(EVENT_WAIT_SUMS), sums, &none, false};
	int r = check_record(&put);

	if (r >= 0)
		r = find_task(encoder, task, &sums->task);
	if (r < 0)
		return r;
	sums->flags = 0;
	for (unsigned int i = 0; i < WAIT_SUM_KINDS; i++)
		sums->flags |= (sums->kinds[i].count ? UINT64_C(1) << i : 0) |
			       (sums->kinds[i].throttled ? UINT64_C(256) << i : 0);
	put_record(&put);
	return 0;
}
