/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/unconst.h"
#include "format/event_encoder_internal.h"
#include "format/event_rows.h"

static int create_dictionaries(struct event_encoder *encoder, uint32_t max_cpus)
{
	int r;

	encoder->max_cpus = max_cpus;
	encoder->clocks = calloc((size_t)max_cpus * EVENT_CLOCKS, sizeof(*encoder->clocks));
	if (!encoder->clocks)
		return -ENOMEM;
	r = stack_tree_init(&encoder->stacks);
	return r < 0 ? r : task_table_init(&encoder->tasks);
}

int event_encoder_create(size_t room, uint32_t max_cpus, struct event_encoder **ret_encoder)
{
	struct event_encoder *encoder;
	int r = 0;

	if (room < EVENT_ENCODER_MIN_ROOM || room > RWK_MAX_RAW_CHUNK || max_cpus > RWK_MAX_CPUS)
		return -EINVAL;
	encoder = calloc(1, sizeof(*encoder));
	if (!encoder)
		return -ENOMEM;
	encoder->room = room;
	encoder->bytes = malloc(room);
	if (!encoder->bytes)
		r = -ENOMEM;
	else if (max_cpus)
		r = create_dictionaries(encoder, max_cpus);
	if (r < 0) {
		event_encoder_destroy(encoder);
		return r;
	}
	event_encoder_reset(encoder);
	*ret_encoder = encoder;
	return 0;
}

void event_encoder_destroy(struct event_encoder *encoder)
{
	if (!encoder)
		return;
	stack_tree_deinit(&encoder->stacks);
	task_table_deinit(&encoder->tasks);
	free(encoder->clocks);
	free(encoder->bytes);
	free(encoder);
}

void event_encoder_reset(struct event_encoder *encoder)
{
	encoder->used = 0;
	memset(encoder->last, 0, sizeof(encoder->last));
	encoder->first_time = UINT64_MAX;
	encoder->last_time = 0;
	encoder->chunk++;
	if (encoder->max_cpus) {
		stack_tree_reset(&encoder->stacks);
		task_table_reset(&encoder->tasks);
	}
}

size_t event_encoder_payload(const struct event_encoder *encoder, const void **ret_bytes, uint64_t *ret_first,
			     uint64_t *ret_last)
{
	bool timed = encoder->first_time <= encoder->last_time;

	*ret_bytes = encoder->bytes;
	*ret_first = timed ? encoder->first_time : 0;
	*ret_last = timed ? encoder->last_time : 0;
	return encoder->used;
}

/* --- fields -------------------------------------------------------------------------------------- */

struct putting { /* a record that is being written */
	struct event_encoder *encoder;
	const struct event_layout *layout;
	void *record;
	const struct event_stacks *stacks;
	bool known; /* the user stack's callers */
};

/* Upper bound of the bytes of a field, or -EINVAL if its value exceeds the limit. */
ROW_INLINE int64_t field_room(const struct event_field *field, const void *record)
{
	switch (field->type) {
	case FIELD_U32:
		return event_field_value(field, record) <= field->limit ? VARINT_MAX : -EINVAL;
	case FIELD_PAGES:
	case FIELD_START:
		return event_field_value(field, record) << (64 - FIELD_PAGE_SHIFT) ? -EINVAL : VARINT_MAX;
	case FIELD_TEXT:
	case FIELD_BYTES: {
		uint32_t length = event_field_text(field, record)->length;

		return length <= field->limit ? (int64_t)length + VARINT_MAX : -EINVAL;
	}
	case FIELD_COMM:
		return VARINT_MAX + RWK_MAX_COMM;
	default:
		return VARINT_MAX;
	}
}

/* The same of all fields of a constant layout, without stacks. */
ROW_INLINE int64_t rows_room(const struct event_layout *layout, const void *record)
{
	int64_t room = RECORD_OVERHEAD;

#pragma GCC unroll 32
	for (size_t i = 0; i < layout->count; i++) {
		int64_t one = field_room(&layout->fields[i], record);

		if (one < 0)
			return one;
		room += one;
	}
	return room;
}

static int64_t fields_room(const struct event_layout *layout, const void *record)
{
	int64_t room = RECORD_OVERHEAD;

	switch (layout->kind) {
	case EVENT_SAMPLE:
		return rows_room(&event_layout_sample, record);
	case EVENT_WAIT:
		return rows_room(&event_layout_wait, record);
	case EVENT_WAKE:
		return rows_room(&event_layout_wake, record);
	case EVENT_USER_STACK:
		return rows_room(&event_layout_user_stack, record);
	default:
		for (const struct event_field *field = layout->fields; field->type; field++) {
			int64_t one = field_room(field, record);

			if (one < 0)
				return one;
			room += one;
		}
		return room;
	}
}

static uint8_t *difference_put(uint8_t *at, uint64_t value, uint64_t *last)
{
	at = zigzag_put(at, value - *last);
	*last = value;
	return at;
}

static void note_time(struct event_encoder *encoder, uint64_t time)
{
	if (time < encoder->first_time)
		encoder->first_time = time;
	if (time > encoder->last_time)
		encoder->last_time = time;
}

static struct cpu_clock *clock_of(const struct putting *put)
{
	return &put->encoder->clocks[event_record_clock(put->layout, put->record)];
}

static uint8_t *clock_put(struct putting *put, uint8_t *at, uint64_t time)
{
	struct event_encoder *encoder = put->encoder;
	struct cpu_clock *clock = clock_of(put);
	uint64_t *last = &encoder->last[put->layout->kind].time;

	if (clock->chunk != encoder->chunk) {
		at = zigzag_put(at, time - *last);
		*clock = (struct cpu_clock){.chunk = encoder->chunk};
	} else {
		at = difference_put(at, time - clock->time, &clock->step);
	}
	*last = clock->time = time;
	note_time(encoder, time);
	return at;
}

static uint8_t *length_put(uint8_t *at, struct cpu_clock *clock, uint64_t length)
{
	struct wait_ends *ends = &clock->ends;
	uint64_t code = length + WAIT_ENDS, out = clock->time - length;

	for (unsigned int i = 0; i < WAIT_ENDS; i++)
		if (ends->times[i] && ends->times[i] == out) {
			code = i;
			break;
		}
	wait_ends_note(ends, clock->time);
	return varint_put(at, code);
}

static uint8_t *stack_put(struct putting *put, uint8_t *at, uint32_t root, uint32_t *ret_leaf)
{
	const struct event_stacks *stacks = put->stacks;
	struct stack_put stack = {.root = root, .frames = stacks->kernel, .count = stacks->kernel_count,
				  .callers = stacks->kernel_callers};

	if (root == STACK_USER_ROOT)
		stack = (struct stack_put){.root = root, .frames = stacks->user, .count = stacks->user_count,
					   .owner = stacks->user_owner};
	at = stack_tree_put(&put->encoder->stacks, &stack, at);
	*ret_leaf = stack.leaf;
	if (root == STACK_USER_ROOT)
		put->known = stack.known;
	return at;
}

static uint8_t *text_field_put(const struct event_field *field, uint8_t *at, const void *record)
{
	const struct event_text *text = event_field_text(field, record);
	const char *comm = (const char *)record + field->offset;

	return field->type == FIELD_COMM ? text_put(at, comm, strnlen(comm, RWK_MAX_COMM)) :
					   text_put(at, text->bytes, text->length);
}

ROW_INLINE uint8_t *field_put(struct putting *put, uint8_t *at, const struct event_field *field)
{
	struct field_last *last = &put->encoder->last[put->layout->kind];
	uint32_t *leaf = (uint32_t *)((char *)put->record + field->offset);

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_BYTES:
	case FIELD_COMM:
		return text_field_put(field, at, put->record);
	case FIELD_TIME:
		note_time(put->encoder, event_field_value(field, put->record));
		return difference_put(at, event_field_value(field, put->record), &last->time);
	case FIELD_TASK:
		return difference_put(at, event_field_value(field, put->record), &last->task);
	case FIELD_START:
		return difference_put(at, event_field_value(field, put->record) >> FIELD_PAGE_SHIFT, &last->start);
	case FIELD_PAGES:
		return varint_put(at, event_field_value(field, put->record) >> FIELD_PAGE_SHIFT);
	case FIELD_CLOCK:
		return clock_put(put, at, event_field_value(field, put->record));
	case FIELD_LENGTH:
		return length_put(at, clock_of(put), event_field_value(field, put->record));
	case FIELD_KERNEL:
		return stack_put(put, at, STACK_KERNEL_ROOT, leaf);
	case FIELD_USER:
		return stack_put(put, at, STACK_USER_ROOT, leaf);
	default:
		return varint_put(at, event_field_value(field, put->record));
	}
}

/* The layout is a constant. */
ROW_INLINE uint8_t *rows_put(struct putting *put, uint8_t *at, const struct event_layout *layout)
{
#pragma GCC unroll 32
	for (size_t i = 0; i < layout->count; i++)
		if (event_field_present(layout, &layout->fields[i], put->record))
			at = field_put(put, at, &layout->fields[i]);
	return at;
}

static uint8_t *fields_put(struct putting *put)
{
	uint8_t *at = varint_put(put->encoder->bytes + put->encoder->used + 1, put->layout->kind);

	switch (put->layout->kind) {
	case EVENT_SAMPLE:
		return rows_put(put, at, &event_layout_sample);
	case EVENT_WAIT:
		return rows_put(put, at, &event_layout_wait);
	case EVENT_WAKE:
		return rows_put(put, at, &event_layout_wake);
	case EVENT_USER_STACK:
		return rows_put(put, at, &event_layout_user_stack);
	default:
		for (const struct event_field *field = put->layout->fields; field->type; field++)
			if (event_field_present(put->layout, field, put->record))
				at = field_put(put, at, field);
		return at;
	}
}

/* --- records ------------------------------------------------------------------------------------- */

int encoder_record_start(struct event_encoder *encoder, enum event_kind kind, const void *record, size_t more,
			 uint8_t **ret_at)
{
	struct putting put = {encoder, event_layout_find(kind), unconst(record), NULL, false};
	int64_t room = fields_room(put.layout, record);

	if (room < 0)
		return (int)room;
	if (!encoder_has_room(encoder, (size_t)room + more))
		return -ENOSPC;
	*ret_at = fields_put(&put);
	return 0;
}

/* A record is written after a one-byte length, and moved if the length turns out to need more. */
void encoder_record_finish(struct event_encoder *encoder, const uint8_t *end)
{
	uint8_t *start = encoder->bytes + encoder->used;
	size_t length = (size_t)(end - start) - 1, prefix = varint_size(length);

	if (prefix > 1)
		memmove(start + prefix, start + 1, length);
	varint_put(start, length);
	encoder->used += prefix + length;
}

int event_encode(struct event_encoder *encoder, const struct event *event)
{
	const struct event_layout *layout = event_layout_find(event->kind);
	uint8_t *at;
	int r = layout && !layout->special ? encoder_record_start(encoder, event->kind, &event->meta, 0, &at) : -EINVAL;

	if (r >= 0)
		encoder_record_finish(encoder, at);
	return r;
}

int event_encode_meta(struct event_encoder *encoder, const char *key, const char *value)
{
	const struct event event = {.kind = EVENT_META,
				    .meta = {.key = {key, (uint32_t)strnlen(key, RWK_MAX_STRING + 1)},
					     .value = {value, (uint32_t)strnlen(value, RWK_MAX_STRING + 1)}}};

	return event_encode(encoder, &event);
}

/* --- records with tasks and stacks --------------------------------------------------------------- */

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

/* Room for the record, its stacks and three tasks; every value within its limit. */
static int check_record(const struct putting *put)
{
	int64_t room = fields_room(put->layout, put->record);

	if (room < 0)
		return (int)room;
	if (put->layout->clock && event_record_cpu(put->layout, put->record) >= put->encoder->max_cpus)
		return -EINVAL;
	return check_room(put->encoder, put->stacks, (size_t)room + 2 * TASK_ROOM);
}

/* The task's number in the chunk, which is defined if it is new. Its room was checked. */
static int find_task(struct event_encoder *encoder, const struct event_task *task, uint32_t *ret_number)
{
	struct putting put = {encoder, event_layout_find(EVENT_TASK), unconst(task), NULL, false};
	bool is_new;
	uint32_t number = task_table_number(&encoder->tasks, task, &is_new);

	if (!number)
		return -ENOSPC;
	if (is_new)
		encoder_record_finish(encoder, fields_put(&put));
	*ret_number = number;
	return 0;
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
	struct putting put = {encoder, event_layout_find(EVENT_SAMPLE), sample, stacks, false};
	int r = check_record(&put);

	if (r >= 0)
		r = find_task(encoder, task, &sample->task);
	if (r < 0)
		return r;
	sample->flags = stack_flags(sample->flags, sample->missing, sample->snapshot, stacks) |
			(sample->period ? SAMPLE_HAS_PERIOD : 0) | (sample->probe ? SAMPLE_HAS_PROBE : 0);
	sample->kernel = STACK_KERNEL_ROOT;
	sample->user = STACK_USER_ROOT;
	encoder_record_finish(encoder, fields_put(&put));
	sample->callers_known = put.known;
	return 0;
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
	encoder_record_finish(encoder, fields_put(&put));
	return 0;
}

static uint64_t wait_flags(const struct event_wait *wait, const struct event_stacks *stacks)
{
	enum { GIVEN = WAIT_USER_LATER | WAIT_IOWAIT | WAIT_BEGAN_BEFORE |
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

int event_encode_wait(struct event_encoder *encoder, struct event_wait *wait, const struct event_task *task,
		      const struct event_task *others, const struct event_stacks *stacks)
{
	struct putting put = {encoder, event_layout_find(EVENT_WAIT), wait, stacks, false};
	int r = wait->length > wait->time ? -EINVAL : check_record(&put);

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
	encoder_record_finish(encoder, fields_put(&put));
	wait->callers_known = put.known;
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
	encoder_record_finish(encoder, fields_put(&put));
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
	encoder_record_finish(encoder, fields_put(&put));
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
	encoder_record_finish(encoder, fields_put(&put));
	return 0;
}
