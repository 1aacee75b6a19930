/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include "common/cleanup.h"
#include "report/view/export/export.h"
#include "report/view/text/page.h"

/*
 * --export chrome: the JSON of trace events, thread by thread. A wait is a complete event ("X") in the row of its
 * thread, as long as its weight. A wakeup by a task is one of length 0 in the row of the waker, with an arrow ("s",
 * "f") to the end of the wait. Samples, hits and walked tasks are instants ("i").
 */

enum { MANY_WAITS = 500000 };

/* Writes the kind and the thread. */
static void begin_event(struct export *export, const char *kind, uint32_t task)
{
	json_write(&export->json, "\n{'ph':%s,'pid':%ju,'tid':%ju", kind,
		   export_number(export, task, export->tasks[task].tgid),
		   export_number(export, task, export->tasks[task].tid));
}

/* If a process was moved to another container, its last name counts. */
static void write_names(struct export *export, uint32_t task)
{
	begin_event(export, "M", task);
	json_write(&export->json, "'name':'thread_name','args':{'name':%-s}}", export->tasks[task].comm);
	begin_event(export, "M", task);
	json_write(&export->json, "'name':'process_name','args':{'name':");
	export_write_process(export, task);
	json_write(&export->json, "}}");
}

/* A wakeup by an interrupt is an instant: an interrupt has no row, and that of the interrupted task is not its own. */
static void write_event(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT, wakeup = event->of.kind == EXPORT_WAKEUP;
	const char *container = profile_container(export->tasks[event->of.task].cgroup);
	const char *kind = page_kind_name(export->reader.sources[event->of.source].kind);
	const bool instant = !wait && !(wakeup && !event->interrupt);
	struct json *json = &export->json;

	begin_event(export, instant ? "i" : "X", event->of.task);
	json_write(json, "'ts':%.3ju", event->time);
	if (instant)
		json_write(json, "'s':'t'");
	else
		json_write(json, "'dur':%.3ju", wait ? event->weight : 0);
	json_write(json, "'cat':%s,'name':%-s,'args':{", wait ? "wait" : wakeup ? "wakeup" : kind,
		   event->interrupt ? "wakeup by an interrupt" : event->name);
	if (*container) /* each event has its own, because its thread may be moved */
		json_write(json, "'container':%s", container);
	export_write_details(export, event, true);
	json_write(json, "}}");
}

/* An arrow begins at a wakeup by a task, and ends where the wait does. */
static void write_arrow(struct export *export, const struct export_event *event)
{
	const bool wait = event->of.kind == EXPORT_WAIT;

	if (!event->wait || event->wait->waker == PROFILE_NO_TASK || export_is_interrupt(event->wait))
		return;
	begin_event(export, wait ? "f" : "s", event->of.task);
	json_write(&export->json, "'ts':%.3ju,'cat':'wakeup','name':'wakeup'", event->time + (wait ? event->weight : 0));
	json_write(&export->json, wait ? "'bp':'e','id':%zu}" : "'id':%zu}",
		   (size_t)(event->wait - export->reader.waits.items));
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

static int show_chrome(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(export_close) struct export export;
	int r = export_open(&export, context);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_write(&export.json, "{'displayTimeUnit':'ns','traceEvents':[");
	write_events(&export);
	json_write(&export.json, "\n]}");
	return export_end(&export);
}

const struct view chrome_view = {
	VIEW_NAME("export chrome"),
	.print = show_chrome, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true, .merged = true,
	.exports = true,
};
