/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <inttypes.h>

#include "common/cleanup.h"
#include "report/view/export/export.h"
#include "report/view/text/page.h"

/*
 * --export chrome: the JSON of trace events, thread by thread. A wait is a complete event ("X") in the row of its
 * thread, as long as its weight. A wakeup by a task is one of length 0 in the row of the waker, with an arrow ("s",
 * "f") to the end of the wait. Samples, hits and walked tasks are instants ("i").
 */

enum { US_PLACES = 3, MANY_WAITS = 500000 };

/* Writes the kind and the thread. */
static void begin_event(struct export *export, const char *kind, uint32_t task)
{
	json_text_begin_object(&export->json, NULL);
	json_text_format(&export->json, "'ph':'%s','pid':%" PRIu64 ",'tid':%" PRIu64, kind, export_pid(export, task),
			 export_tid(export, task));
}

static void end_event(struct export *export)
{
	json_text_end_object(&export->json);
	json_text_end_object(&export->json);
}

/* If a process was moved to another container, its last name counts. */
static void write_names(struct export *export, uint32_t task)
{
	begin_event(export, "M", task);
	json_text_printable(&export->json, "name", "thread_name");
	json_text_begin_object(&export->json, "args");
	json_text_name(&export->json, "name", export_task(export, task)->comm);
	end_event(export);
	begin_event(export, "M", task);
	json_text_printable(&export->json, "name", "process_name");
	json_text_begin_object(&export->json, "args");
	export_write_process_name(export, "name", task);
	end_event(export);
}

static void write_wait(struct export *export, const struct export_event *event)
{
	const struct profile_wait *wait = event->wait;
	const char *context = export_waker_context(wait);
	struct json_text *json = &export->json;

	export_write_state(export, "state", event);
	json_text_point(json, "run_queue_us", wait->run_queue, US_PLACES);
	export_write_object(export, "waited_for", event);
	export_write_stack(export, "stack", event);
	if (!context || wait->waker == PROFILE_NO_TASK)
		return;
	json_text_printable(json, "waker_context", context);
	json_text_name(json, "waker", export_task(export, wait->waker)->comm);
	json_text_uint(json, "waker_tid", export_task(export, wait->waker)->tid);
	export_write_waker_stack(export, "waker_stack", wait);
}

static void write_wakeup(struct export *export, const struct export_event *event)
{
	json_text_name(&export->json, "woken", export_task(export, event->wait->task)->comm);
	json_text_uint(&export->json, "woken_tid", export_task(export, event->wait->task)->tid);
	export_write_stack(export, "stack", event);
}

static void write_instant(struct export *export, const struct export_event *event)
{
	if (event->cpu != PROFILE_NO_CPU)
		json_text_uint(&export->json, "cpu", event->cpu);
	if (event->walked) {
		export_write_state(export, "state", event);
		export_write_object(export, "waits_for", event);
	}
	json_text_uint(&export->json, "weight", event->weight);
	export_write_stack(export, "stack", event);
}

/* A wakeup by an interrupt is an instant: an interrupt has no row, and that of the interrupted task is not its own. */
static void write_event(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT, wakeup = event->of.kind == EXPORT_WAKEUP;
	const char *container = profile_container(export_task(export, event->of.task)->cgroup);
	const char *kind = page_kind_name(export->reader.sources[event->of.source].kind);
	const bool instant = !wait && !(wakeup && !event->interrupt);
	struct json_text *json = &export->json;

	begin_event(export, instant ? "i" : "X", event->of.task);
	json_text_point(json, "ts", (uint64_t)event->time, US_PLACES);
	if (instant)
		json_text_printable(json, "s", "t");
	else
		json_text_point(json, "dur", wait ? event->weight : 0, US_PLACES);
	json_text_printable(json, "cat", wait ? "wait" : wakeup ? "wakeup" : kind);
	json_text_name(json, "name", event->interrupt ? "wakeup by an interrupt" : event->name);
	json_text_begin_object(json, "args");
	if (*container) /* each event has its own, because its thread may be moved */
		json_text_name(json, "container", container);
	(wait ? write_wait : wakeup ? write_wakeup : write_instant)(export, event);
	end_event(export);
}

/* An arrow begins at a wakeup by a task, and ends where the wait does. */
static void write_arrow(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT, wakeup = event->of.kind == EXPORT_WAKEUP;

	if (!wait && !wakeup)
		return;
	if (event->wait->waker == PROFILE_NO_TASK || export_is_interrupt(event->wait))
		return;
	begin_event(export, wait ? "f" : "s", event->of.task);
	json_text_point(&export->json, "ts", (uint64_t)event->time + (wait ? event->weight : 0), US_PLACES);
	json_text_format(&export->json, "'cat':'wakeup','name':'wakeup'%s,'id':%td", wait ? ",'bp':'e'" : "",
			 event->wait - export->reader.waits.items);
	json_text_end_object(&export->json);
}

static void write_events(struct export *export)
{
	const struct export_event *events = export->events.items;
	size_t waits = 0, wakeups = 0, next = 0;

	for (size_t i = 0; i < export->events.count; i++) {
		waits += events[i].of.kind == EXPORT_WAIT;
		wakeups += events[i].of.kind == EXPORT_WAKEUP;
	}
	if (waits > MANY_WAITS)
		page_comment(export->context, stderr,
			     "%zu waits are more than most viewers can show: --time or -m chooses some", waits);
	for (size_t i = 0; i < export->events.count; i++) {
		if (i == next) {
			write_names(export, events[i].of.task);
			next = export_task_end(export, i);
		}
		write_event(export, &events[i]);
		if (waits && wakeups) /* else an arrow has one end only */
			write_arrow(export, &events[i]);
	}
}

int chrome_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(export_close) struct export export;
	int r = export_open(&export, context);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_text_begin_object(&export.json, NULL);
	json_text_printable(&export.json, "displayTimeUnit", "ns");
	json_text_begin_rows(&export.json, "traceEvents");
	write_events(&export);
	json_text_end_array(&export.json);
	json_text_end_object(&export.json);
	(void)fputc('\n', context->out);
	return export.error;
}
