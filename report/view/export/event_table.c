/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <string.h>

#include "common/cleanup.h"
#include "report/view/export/event_rows.h"
#include "report/view/export/table_text.h"
#include "report/view/text/object_text.h"
#include "report/view/text/page.h"
#include "report/view/text/wait_text.h"

/* --export csv and ndjson: a line for each event and each walked task. The table of columns is at the end. */

typedef const struct event_row event_row;

static const struct profile_wait *wait_of(event_row *row)
{
	return row->event.kind == PROFILE_EVENT_WAIT ? row->event.wait : NULL;
}

static const struct profile_source *source_of(event_row *row)
{
	return &row->rows->reader.sources[row->event.source];
}

static struct table_field no_field(void)
{
	return (struct table_field){.kind = TABLE_EMPTY};
}

/* --- where and when --- */

static struct table_field recording(const void *row)
{
	return table_uint(((event_row *)row)->event.recording + UINT64_C(1));
}

static struct table_field host(const void *row)
{
	event_row *event = row;

	return table_name(event_rows_host(event->rows, event->event.recording));
}

static struct table_field source(const void *row)
{
	return table_word(page_kind_name(source_of(row)->kind));
}

static struct table_field name(const void *row)
{
	event_row *event = row;

	return table_name(event_reader_name(&event->rows->reader, &event->event));
}

static struct table_field offset_ns(const void *row)
{
	event_row *event = row;

	return table_int(event_rows_offset(event->rows, event->event.recording, event->event.time));
}

static struct table_field realtime_ns(const void *row)
{
	event_row *event = row;
	uint64_t realtime = profile_realtime(event->rows->reader.waits.profile, event->event.recording,
					     event->event.time);

	return realtime ? table_uint(realtime) : no_field();
}

static struct table_field cpu(const void *row)
{
	uint16_t number = ((event_row *)row)->event.cpu;

	return number != PROFILE_NO_CPU ? table_uint(number) : no_field();
}

/* --- tasks: that of the event, of a waker, of the thread woken --- */

static const struct profile_task *task_of(event_row *row)
{
	return event_rows_task(row->rows, row->event.task);
}

static const struct profile_task *waker_of(event_row *row)
{
	const struct profile_wait *wait = wait_of(row);

	return wait && wait->waker != PROFILE_NO_TASK ? event_rows_task(row->rows, wait->waker) : NULL;
}

static const struct profile_task *woken_of(event_row *row)
{
	return row->event.kind == PROFILE_EVENT_WAKEUP ? event_rows_task(row->rows, row->event.wait->task) : NULL;
}

#define TASK_FIELDS(prefix, of)                                                                    \
	static struct table_field prefix##comm(const void *row)                                    \
	{                                                                                          \
		const struct profile_task *task = of(row);                                         \
                                                                                                   \
		return task ? table_name(task->comm) : no_field();                                 \
	}                                                                                          \
                                                                                                   \
	static struct table_field prefix##pid(const void *row)                                     \
	{                                                                                          \
		const struct profile_task *task = of(row);                                         \
                                                                                                   \
		return task ? table_uint(task->tgid) : no_field();                                 \
	}                                                                                          \
                                                                                                   \
	static struct table_field prefix##tid(const void *row)                                     \
	{                                                                                          \
		const struct profile_task *task = of(row);                                         \
                                                                                                   \
		return task ? table_uint(task->tid) : no_field();                                  \
	}

TASK_FIELDS(, task_of)
TASK_FIELDS(waker_, waker_of)
TASK_FIELDS(woken_, woken_of)

/* --- how much --- */

static struct table_field weight(const void *row)
{
	return table_uint(((event_row *)row)->event.weight);
}

static struct table_field unit(const void *row)
{
	return table_word(table_unit(source_of(row)));
}

/* --- waits; some of it for walked tasks, too --- */

static struct table_field out_ns(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);

	return wait ? table_int(event_rows_offset(event->rows, wait->recording, wait->out)) : no_field();
}

static struct table_field in_ns(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);

	return wait ? table_int(event_rows_offset(event->rows, wait->recording, wait->in)) : no_field();
}

static struct table_field length_ns(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);

	if (wait)
		return table_uint(wait_length(wait));
	if (event->walked && event->walked->bound != PROFILE_WAIT_NONE)
		return table_uint(event->walked->wait);
	return no_field();
}

static struct table_field bound(const void *row)
{
	static const char *const names[] = {[PROFILE_WAIT_AT_LEAST] = "at least", [PROFILE_WAIT_AT_MOST] = "at most",
					    [PROFILE_WAIT_NONE] = "unknown"};
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);
	enum profile_wait_bound known = PROFILE_WAIT_EXACT;

	if (wait)
		known = wait_length_bound(wait);
	else if (event->walked && event->walked->bound != PROFILE_WAIT_NONE)
		known = event->walked->bound;
	return table_word((size_t)known < sizeof(names) / sizeof(*names) ? names[known] : NULL);
}

static struct table_field blocked_ns(const void *row)
{
	const struct profile_wait *wait = wait_of(row);

	return wait ? table_uint(wait_length(wait) - wait->run_queue) : no_field();
}

static struct table_field run_queue_ns(const void *row)
{
	const struct profile_wait *wait = wait_of(row);

	return wait ? table_uint(wait->run_queue) : no_field();
}

static struct table_field class(const void *row)
{
	const struct profile_wait *wait = wait_of(row);

	return table_word(wait ? wait_class_name(wait->wait_class) : NULL);
}

static struct table_field state(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);
	struct table_field field = {.kind = wait || event->walked ? TABLE_OWN : TABLE_EMPTY};

	if (event->walked)
		memcpy(field.own, event->walked->state, sizeof(field.own));
	else if (wait)
		profile_wait_state(wait->state, field.own);
	return field;
}

static struct table_field iowait(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);

	if (!wait && !event->walked)
		return no_field();
	return table_uint(wait ? (wait->flags & PROFILE_WAIT_IOWAIT) != 0 : event->walked->iowait);
}

/* Whether it has both ends. */
static struct table_field open(const void *row)
{
	static const char *const names[] = {NULL, "began before", "not ended", "whole recording"};
	const struct profile_wait *wait = wait_of(row);

	if (!wait)
		return no_field();
	return table_word(names[((wait->flags & PROFILE_WAIT_BEGAN_BEFORE) != 0) +
				2 * ((wait->flags & PROFILE_WAIT_NOT_ENDED) != 0)]);
}

static const struct profile_wait *either_wait(event_row *row)
{
	return row->event.kind == PROFILE_EVENT_SAMPLE ? NULL : row->event.wait;
}

static struct table_field waker_context(const void *row)
{
	static const char *const names[] = {[PROFILE_WAKER_TASK] = "task", [PROFILE_WAKER_SOFTIRQ] = "softirq",
					    [PROFILE_WAKER_IRQ] = "irq", [PROFILE_WAKER_UNKNOWN] = "unknown"};
	const struct profile_wait *wait = either_wait(row);

	return table_word(wait ? names[wait->waker_context] : NULL);
}

static struct table_field wakeup_ns(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = either_wait(row);

	if (!wait || !wait->woken)
		return no_field();
	return table_int(event_rows_offset(event->rows, wait->recording, wait->woken));
}

static struct table_field walk(const void *row)
{
	event_row *event = row;

	return event->walked ? table_uint(event->rows->walks[event->walked->walk].number) : no_field();
}

/* --- what waits were for, and what walked tasks slept for --- */

static const struct profile_object *object_of(event_row *row)
{
	const struct profile_wait *wait = wait_of(row);
	const struct waits *waits = &row->rows->reader.waits;
	const uint32_t number = row->walked ? row->walked->object : wait ? wait->object : 0;

	return number ? &waits->objects[number] : NULL;
}

static struct table_field call(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = wait_of(row);
	const uint32_t number = event->walked ? event->walked->operation : wait ? wait->operation : 0;

	return number ? table_name(event->rows->reader.waits.operations[number].name) : no_field();
}

static struct table_field object_kind(const void *row)
{
	const struct profile_object *object = object_of(row);

	return table_word(object ? object_kind_name(object->kind) : NULL);
}

static struct table_field object(const void *row)
{
	const struct profile_object *of = object_of(row);

	return of ? (struct table_field){.kind = TABLE_OBJECT, .object = of} : no_field();
}

static struct table_field object_name(const void *row)
{
	const struct profile_object *of = object_of(row);

	return of && *of->name ? table_name(of->name) : no_field();
}

/* The text that views print after a wait. */
static struct table_field what_for(const void *row)
{
	event_row *event = row;
	const struct profile_wait *wait = event->walked ? NULL : wait_of(row);
	const struct waits *waits = &event->rows->reader.waits;
	struct profile_wait told = {0};

	if (event->walked)
		told = profile_walk_wait(event->walked);
	else if (wait)
		told = *wait;
	if (!wait_has_object(waits, &told))
		return no_field();
	return (struct table_field){.kind = TABLE_WAIT, .waits = waits, .wait = wait, .walked = event->walked};
}

/* --- the cgroup of its task --- */

static struct table_field text_of(const char *text)
{
	return *text ? table_name(text) : no_field();
}

static struct table_field cgroup(const void *row)
{
	return text_of(profile_cgroup_path(task_of(row)->cgroup));
}

static struct table_field container(const void *row)
{
	return text_of(profile_container(task_of(row)->cgroup));
}

static struct table_field container_id(const void *row)
{
	const struct profile_cgroup *of = task_of(row)->cgroup;

	return text_of(of ? of->id : "");
}

/* --- stacks --- */

static enum stack_owner waker_owner(const struct profile_wait *wait)
{
	return wait->waker_context == PROFILE_WAKER_IRQ || wait->waker_context == PROFILE_WAKER_SOFTIRQ ?
	       STACK_OF_INTERRUPT : STACK_OF_SAMPLE;
}

static struct table_field stack(const void *row)
{
	event_row *event = row;
	enum stack_owner owner = STACK_OF_SAMPLE;

	if (event->event.kind == PROFILE_EVENT_WAIT)
		owner = STACK_OF_SLEEPER;
	if (event->event.kind == PROFILE_EVENT_WAKEUP)
		owner = waker_owner(event->event.wait);
	return (struct table_field){
		.kind = TABLE_STACK, .node = event->event.node, .flags = event->event.flags, .owner = owner};
}

static struct table_field waker_stack(const void *row)
{
	const struct profile_wait *wait = wait_of(row);

	if (!wait || wait->waker == PROFILE_NO_TASK || !wait->waker_node)
		return no_field();
	return (struct table_field){.kind = TABLE_STACK, .node = wait->waker_node, .owner = waker_owner(wait)};
}

/* Add new ones at the end: readers may refer to columns by position. */
static const struct table_column columns[] = {
	{"recording", recording},
	{"host", host},
	{"source", source},
	{"name", name},
	{"offset_ns", offset_ns},
	{"realtime_ns", realtime_ns},
	{"comm", comm},
	{"pid", pid},
	{"tid", tid},
	{"cpu", cpu},
	{"weight", weight},
	{"unit", unit},
	{"stack", stack},
	{"out_ns", out_ns},
	{"in_ns", in_ns},
	{"length_ns", length_ns},
	{"bound", bound},
	{"open", open},
	{"blocked_ns", blocked_ns},
	{"run_queue_ns", run_queue_ns},
	{"class", class},
	{"state", state},
	{"iowait", iowait},
	{"wakeup_ns", wakeup_ns},
	{"waker_context", waker_context},
	{"waker_comm", waker_comm},
	{"waker_pid", waker_pid},
	{"waker_tid", waker_tid},
	{"waker_stack", waker_stack},
	{"woken_comm", woken_comm},
	{"woken_pid", woken_pid},
	{"woken_tid", woken_tid},
	{"walk", walk},
	{"call", call},
	{"object_kind", object_kind},
	{"object", object},
	{"object_name", object_name},
	{"cgroup", cgroup},
	{"container", container},
	{"container_id", container_id},
	{"what_for", what_for},
};

static int write_events(const struct view_context *context, enum table_form form)
{
	_cleanup_(table_text_deinit) struct table_text table;
	struct event_rows rows;
	struct event_row row;
	int r = table_text_begin(&table, context, form, columns, sizeof(columns) / sizeof(*columns));

	if (!r)
		r = event_rows_init(&rows, context->profile);
	if (r < 0)
		return r;
	while ((r = event_rows_next(&rows, &row)) > 0) {
		r = table_text_row(&table, &row);
		if (r < 0)
			return r;
	}
	table_text_end(&table);
	return r;
}

int csv_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	(void)number;
	(void)all;
	return write_events(context, TABLE_CSV);
}

int ndjson_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	(void)number;
	(void)all;
	return write_events(context, TABLE_NDJSON);
}
