/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/sqlite_export.h"

#include <errno.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "report/profile/seam/profile_state.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

enum { SAMPLE_COLUMNS = 9, WAIT_COLUMNS = 18, WAKE_COLUMNS = 8, OBJECT_COLUMNS = 4 };

/* --- what events refer to --- */

static int mark(struct sqlite_export *job, uint32_t task, uint32_t node)
{
	job->tasks[task] = true;
	return stack_order_want(&job->order, job->profile, node);
}

static bool has_wake(const struct sqlite_export *job, const struct profile_wait *wait)
{
	return job->wakes && wait->waker != PROFILE_NO_TASK;
}

int sqlite_events_mark(struct sqlite_export *job)
{
	struct profile_event event;
	int r;

	event_reader_rewind(&job->reader);
	while ((r = event_reader_next(&job->reader, &event)) > 0) {
		r = mark(job, event.task, event.node);
		if (event.kind == PROFILE_EVENT_WAIT)
			job->objects[event.wait->object] = true;
		if (!r && event.kind == PROFILE_EVENT_WAKEUP)
			r = mark(job, event.wait->task, 0);
		if (r < 0)
			return r;
	}
	return r;
}

/* --- what waits were for --- */

static int write_object(struct database_query *insert, uint64_t id, const struct profile_object *object)
{
	_cleanup_free_ char *text = NULL;
	int r = object_to_text(object, &text);

	if (r < 0)
		return r;
	database_number(insert, id);
	database_word(insert, object_kind_name(object->kind));
	database_word(insert, text); /* stays until the row is written */
	database_text(insert, *object->name ? object->name : NULL);
	return database_row(insert);
}

static int write_objects(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_object *objects;
	size_t count = profile_objects(job->profile, &objects);
	int r = database_insert_create(job->database, "objects", OBJECT_COLUMNS, &insert);

	for (size_t i = 1; i < count && !r; i++)
		r = job->objects[i] ? write_object(insert, i, &objects[i]) : 0;
	return r;
}

/* --- samples --- */

static int write_sample(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
			const struct profile_event *event)
{
	database_number(insert, id);
	database_number(insert, event->recording);
	database_number(insert, event->source);
	database_known(insert, event->probe != PROFILE_NO_PROBE, event->probe);
	database_number(insert, event->task);
	database_number(insert, job->order.number[event->node]);
	database_number(insert, event->time);
	database_known(insert, event->cpu != PROFILE_NO_CPU, event->cpu);
	database_number(insert, event->weight);
	return database_row(insert);
}

static int write_samples(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	struct profile_event event;
	uint64_t id = 0;
	int r = database_insert_create(job->database, "samples", SAMPLE_COLUMNS, &insert);

	event_reader_rewind(&job->reader);
	while (!r && (r = event_reader_next(&job->reader, &event)) > 0)
		r = event.kind == PROFILE_EVENT_SAMPLE ? write_sample(job, insert, ++id, &event) : 0;
	return r;
}

/* --- waits and wakes --- */

int sqlite_write_what_for(const struct sqlite_export *job, struct database_query *insert,
			  const struct profile_wait *wait)
{
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(&job->reader.waits, wait, &text);

	if (r < 0)
		return r;
	database_word(insert, text); /* stays until the row is written */
	return database_row(insert);
}

static const char *bound_of(const struct profile_wait *wait)
{
	return wait_length_bound(wait) == WAIT_EXACT ? "=" : ">=";
}

struct state_text { /* text of the last state: most waits have the same one */
	uint32_t state;
	char text[PROFILE_STATE_TEXT];
};

static const char *state_of(struct state_text *last, uint32_t state)
{
	if (!last->text[0] || last->state != state) {
		profile_wait_state(state, last->text);
		last->state = state;
	}
	return last->text;
}

static int write_wait(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
		      const struct profile_wait *wait, struct state_text *state)
{
	const uint32_t thing = wait->object;

	database_number(insert, id);
	database_number(insert, wait->recording);
	database_number(insert, wait->task);
	database_number(insert, job->order.number[wait->node]);
	database_number(insert, wait->out);
	database_number(insert, wait->in);
	database_number(insert, wait->run_queue);
	database_number(insert, wait->weight);
	database_word(insert, wait_class_name(wait->wait_class));
	database_word(insert, state_of(state, wait->state));
	database_word(insert, bound_of(wait));
	database_number(insert, wait_is_open(wait));
	database_number(insert, !!(wait->flags & PROFILE_WAIT_IOWAIT));
	database_known(insert, wait->out_cpu < PROFILE_NO_CPU, wait->out_cpu);
	database_known(insert, wait->in_cpu < PROFILE_NO_CPU, wait->in_cpu);
	database_text(insert, wait->operation ? job->reader.waits.operations[wait->operation].name : NULL);
	database_known(insert, thing != 0, thing);
	return sqlite_write_what_for(job, insert, wait);
}

/* A wake weighs the time until the waker's call, as in reports of wakers. */
static uint64_t weight_of_wake(const struct profile_wait *wait)
{
	uint64_t blocked = wait_length(wait) - wait->run_queue;

	return wait->weight < blocked ? wait->weight : blocked;
}

static int write_wake(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
		      const struct profile_wait *wait)
{
	static const char *const contexts[] = {WAKER_CONTEXT_LIST(KIND_TEXT)};

	database_number(insert, id);
	database_number(insert, wait->recording);
	database_number(insert, wait->task);
	database_number(insert, wait->waker);
	database_word(insert, contexts[wait->waker_context]);
	database_number(insert, job->order.number[wait->waker_node]);
	database_number(insert, wait->woken);
	database_number(insert, weight_of_wake(wait));
	return database_row(insert);
}

/* A wake has the number of the wait that it ended. */
static int write_waits(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *waits = NULL, *wakes = NULL;
	const struct profile_wait *items = job->reader.waits.items;
	struct state_text state = {0};
	int r = database_insert_create(job->database, "waits", WAIT_COLUMNS, &waits);

	if (!r)
		r = database_insert_create(job->database, "wakes", WAKE_COLUMNS, &wakes);
	for (size_t i = 0; i < job->reader.waits.count && !r; i++) {
		if (!wait_is_shown(&items[i]))
			continue;
		r = write_wait(job, waits, i + 1, &items[i], &state);
		if (!r && has_wake(job, &items[i]))
			r = write_wake(job, wakes, i + 1, &items[i]);
	}
	return r;
}

/* For --source wakers, when there are no waits to refer to. */
static int write_lone_wakes(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	struct profile_event event;
	uint64_t id = 0;
	int r = database_insert_create(job->database, "wakes", WAKE_COLUMNS, &insert);

	event_reader_rewind(&job->reader);
	while (!r && (r = event_reader_next(&job->reader, &event)) > 0)
		r = event.kind == PROFILE_EVENT_WAKEUP ? write_wake(job, insert, ++id, event.wait) : 0;
	return r;
}

int sqlite_events_write(struct sqlite_export *job)
{
	int r = write_samples(job);

	if (!r)
		r = write_objects(job);
	if (r < 0)
		return r;
	return job->reader.waits.count ? write_waits(job) : write_lone_wakes(job);
}
