/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "report/view/export/decimal_text.h"
#include "report/view/export/event_items.h"
#include "report/view/export/stack_words.h"
#include "report/view/export/thread_tables.h"
#include "report/view/look/container_text.h"
#include "report/view/text/page.h"

/*
 * --export firefox: the processed format of the Firefox Profiler, which upgrades older versions when it loads them. A
 * thread has its CPU samples; waits, wakeups, hits and walked tasks are markers with the stack as their cause. A thread
 * that changed its comm, or was moved to another control group, is exported as several.
 */

enum { VERSION = 48, MS_PLACES = 6, CATEGORY_WAIT = 3 };

struct firefox {
	const struct view_context *context;
	struct event_items items;
	struct thread_tables tables;
	struct stack_words words; /* for wakers, whose stacks are in no table of this thread */
	struct json_text json;
	const struct event_item *first, *last; /* of this thread */
};

static void firefox_deinit(struct firefox *firefox)
{
	event_items_deinit(&firefox->items);
	thread_tables_deinit(&firefox->tables);
	stack_words_deinit(&firefox->words);
}

/* --- data common to all threads --- */

static void write_category(struct json_text *json, const char *name, const char *color)
{
	json_text_begin_object(json, NULL);
	json_text_printable(json, "name", name);
	json_text_printable(json, "color", color);
	json_text_begin_array(json, "subcategories");
	json_text_printable(json, NULL, "Other");
	json_text_end_array(json);
	json_text_end_object(json);
}

static void write_marker_field(struct json_text *json, const char *key, const char *label, const char *format)
{
	json_text_begin_object(json, NULL);
	json_text_printable(json, "key", key);
	json_text_printable(json, "label", label);
	json_text_printable(json, "format", format);
	json_text_bool(json, "searchable", true);
	json_text_end_object(json);
}

static void write_schema(struct json_text *json)
{
	json_text_begin_array(json, "markerSchema");
	json_text_begin_object(json, NULL);
	json_text_printable(json, "name", "rwalker");
	json_text_printable(json, "tooltipLabel", "{marker.name}");
	json_text_printable(json, "tableLabel", "{marker.data.state} {marker.data.waitedFor} {marker.data.task}");
	json_text_begin_array(json, "display");
	json_text_printable(json, NULL, "marker-chart");
	json_text_printable(json, NULL, "marker-table");
	json_text_printable(json, NULL, "timeline-overview");
	json_text_end_array(json);
	json_text_begin_array(json, "data");
	write_marker_field(json, "state", "State", "string");
	write_marker_field(json, "waitedFor", "Waited for", "string");
	write_marker_field(json, "runQueue", "Run queue", "duration");
	write_marker_field(json, "context", "Woken by", "string");
	write_marker_field(json, "task", "Waker or woken", "string");
	write_marker_field(json, "tid", "Its tid", "integer");
	write_marker_field(json, "wakerStack", "The waker's stack", "string");
	json_text_end_array(json);
	json_text_end_object(json);
	json_text_end_array(json);
}

/* Whether all CPU samples weigh ns; else they weigh cycles. */
static bool is_timed(const struct firefox *firefox)
{
	const struct event_reader *reader = &firefox->items.rows.reader;
	bool timed = true;

	for (size_t i = 0; i < reader->source_count; i++)
		timed &= reader->sources[i].kind != PROFILE_CPU || !strcmp(reader->sources[i].weight_unit, "ns");
	return timed;
}

static void write_meta(struct firefox *firefox)
{
	struct json_text *json = &firefox->json;

	json_text_begin_object(json, "meta");
	json_text_uint(json, "interval", 1);
	json_text_point(json, "startTime", firefox->items.rows.earliest, MS_PLACES);
	json_text_uint(json, "processType", 0);
	json_text_printable(json, "product", "rwalker");
	json_text_uint(json, "stackwalk", 1);
	json_text_bool(json, "debug", false);
	json_text_uint(json, "version", 27);
	json_text_uint(json, "preprocessedProfileVersion", VERSION);
	json_text_bool(json, "symbolicated", true);
	json_text_bool(json, "usesOnlyOneStackType", true);
	json_text_bool(json, "doesNotUseFrameImplementation", true);
	json_text_bool(json, "sourceCodeIsNotOnSearchfox", true);
	json_text_begin_object(json, "sampleUnits");
	json_text_printable(json, "time", "ms");
	json_text_printable(json, "eventDelay", "ms");
	json_text_printable(json, "threadCPUDelta", is_timed(firefox) ? "ns" : "variable CPU cycles");
	json_text_end_object(json);
	json_text_begin_array(json, "categories");
	write_category(json, "Other", "grey");
	write_category(json, "Kernel", "orange");
	write_category(json, "User", "yellow");
	write_category(json, "Wait", "blue");
	json_text_end_array(json);
	write_schema(json);
	json_text_end_object(json);
}

/* --- samples --- */

static uint32_t stack_of(struct firefox *firefox, uint32_t node)
{
	return node ? firefox->tables.stack_of[node] - 1 : THREAD_NO_STACK;
}

static void write_numbers(struct firefox *firefox, const char *name, bool weight, unsigned int places)
{
	json_text_begin_array(&firefox->json, name);
	for (const struct event_item *item = firefox->first; item < firefox->last; item++)
		if (item->kind == ITEM_SAMPLE)
			json_text_point(&firefox->json, NULL, weight ? item->weight : (uint64_t)item->time, places);
	json_text_end_array(&firefox->json);
}

static void write_samples(struct firefox *firefox)
{
	struct json_text *json = &firefox->json;
	bool timed = is_timed(firefox);
	uint64_t count = 0;

	json_text_begin_object(json, "samples");
	json_text_begin_array(json, "stack");
	for (const struct event_item *item = firefox->first; item < firefox->last; item++) {
		if (item->kind != ITEM_SAMPLE)
			continue;
		if (item->node)
			json_text_uint(json, NULL, stack_of(firefox, item->node));
		else
			json_text_null(json, NULL);
		count++;
	}
	json_text_end_array(json);
	write_numbers(firefox, "time", false, MS_PLACES);
	write_numbers(firefox, "weight", true, timed ? MS_PLACES : 0);
	write_numbers(firefox, "threadCPUDelta", true, 0);
	json_text_printable(json, "weightType", timed ? "tracing-ms" : "samples");
	json_text_uint(json, "length", count);
	json_text_end_object(json);
}

/* --- markers --- */

static void write_other(struct firefox *firefox, uint32_t task)
{
	const struct profile_task *row = event_rows_task(&firefox->items.rows, task);

	json_text_name(&firefox->json, "task", row->comm);
	json_text_uint(&firefox->json, "tid", row->tid);
}

static bool is_interrupt(const struct profile_wait *wait)
{
	return wait->waker_context == PROFILE_WAKER_IRQ || wait->waker_context == PROFILE_WAKER_SOFTIRQ;
}

static int write_wait(struct firefox *firefox, const struct event_item *item)
{
	static const char *const contexts[] = {[PROFILE_WAKER_TASK] = "task", [PROFILE_WAKER_SOFTIRQ] = "softirq",
					       [PROFILE_WAKER_IRQ] = "irq", [PROFILE_WAKER_UNKNOWN] = "unknown"};
	const struct profile_wait *wait = item->wait;
	struct json_text *json = &firefox->json;
	char state[24] = "";
	int r;

	profile_wait_state(wait->state, state);
	json_text_name(json, "state", state);
	r = event_item_write_object(&firefox->items, item, "waitedFor", json);
	json_text_point(json, "runQueue", wait->run_queue, MS_PLACES);
	if (contexts[wait->waker_context])
		json_text_printable(json, "context", contexts[wait->waker_context]);
	if (wait->waker != PROFILE_NO_TASK)
		write_other(firefox, wait->waker);
	if (r < 0 || wait->waker == PROFILE_NO_TASK || !wait->waker_node)
		return r;
	json_text_begin_value(json, "wakerStack");
	(void)putc_unlocked('"', json->out);
	r = stack_words_write(&firefox->words, wait->waker_node, 0,
			      is_interrupt(wait) ? STACK_OF_INTERRUPT : STACK_OF_SAMPLE, json->out);
	(void)putc_unlocked('"', json->out);
	return r;
}

/* User frames of an interrupt belong to an unrelated task: if there are any, the marker gets no cause. */
static bool has_cause(struct firefox *firefox, const struct event_item *item)
{
	struct chain *chain = &firefox->words.chain;

	if (item->kind != ITEM_WAKEUP || !is_interrupt(item->wait))
		return item->node;
	return item->node && !chain_read(chain, firefox->context->profile, item->node) &&
	       chain->kernel_count == chain->frames.count;
}

static int write_data(struct firefox *firefox, const struct event_item *item)
{
	struct json_text *json = &firefox->json;
	int r = 0;

	json_text_begin_object(json, NULL);
	json_text_printable(json, "type", "rwalker");
	if (has_cause(firefox, item)) {
		json_text_begin_object(json, "cause");
		json_text_point(json, "time", (uint64_t)item->time, MS_PLACES);
		json_text_uint(json, "stack", stack_of(firefox, item->node));
		json_text_end_object(json);
	}
	if (item->kind == ITEM_WAIT)
		r = write_wait(firefox, item);
	if (item->kind == ITEM_WAKEUP)
		write_other(firefox, item->wait->task);
	if (item->kind == ITEM_WALKED) {
		json_text_name(json, "state", item->walked->state);
		r = event_item_write_object(&firefox->items, item, "waitedFor", json);
	}
	json_text_end_object(json);
	return r;
}

enum marker_column { MARKER_NAME, MARKER_START, MARKER_END, MARKER_PHASE, MARKER_CATEGORY, MARKER_COLUMNS };

static int write_marker_value(struct firefox *firefox, const struct event_item *item, enum marker_column column)
{
	enum { INSTANT, INTERVAL };
	struct json_text *json = &firefox->json;
	bool interval = item->kind == ITEM_WAIT;
	uint32_t name;
	int r = 0;

	if (column == MARKER_NAME) {
		r = thread_tables_name(&firefox->tables, event_item_name(&firefox->items, item), &name);
		json_text_uint(json, NULL, name);
	} else if (column == MARKER_START) {
		json_text_point(json, NULL, (uint64_t)item->time, MS_PLACES);
	} else if (column == MARKER_PHASE) {
		json_text_uint(json, NULL, interval ? INTERVAL : INSTANT);
	} else if (column == MARKER_CATEGORY) {
		json_text_uint(json, NULL, interval ? CATEGORY_WAIT : 0);
	} else if (interval) {
		json_text_point(json, NULL, (uint64_t)item->time + item->weight, MS_PLACES);
	} else {
		json_text_null(json, NULL);
	}
	return r;
}

static int write_markers(struct firefox *firefox)
{
	static const char *const columns[] = {[MARKER_NAME] = "name", [MARKER_START] = "startTime",
					      [MARKER_END] = "endTime", [MARKER_PHASE] = "phase",
					      [MARKER_CATEGORY] = "category"};
	struct json_text *json = &firefox->json;
	const struct event_item *item;
	uint64_t count = 0;
	int r = 0;

	json_text_begin_object(json, "markers");
	for (size_t column = 0; column < MARKER_COLUMNS; column++) {
		json_text_begin_array(json, columns[column]);
		for (item = firefox->first; !r && item < firefox->last; item++)
			if (item->kind != ITEM_SAMPLE)
				r = write_marker_value(firefox, item, (enum marker_column)column);
		json_text_end_array(json);
	}
	json_text_begin_rows(json, "data");
	for (item = firefox->first; !r && item < firefox->last; item++)
		if (item->kind != ITEM_SAMPLE) {
			r = write_data(firefox, item);
			count++;
		}
	json_text_end_array(json);
	json_text_uint(json, "length", count);
	json_text_end_object(json);
	return r;
}

/* --- threads --- */

static int find_stacks(struct firefox *firefox)
{
	uint32_t stack;
	int r = 0;

	thread_tables_begin(&firefox->tables);
	for (const struct event_item *item = firefox->first; !r && item < firefox->last; item++)
		r = thread_tables_stack(&firefox->tables, item->node, &stack);
	return r;
}

/* "nginx, container web (docker 3f4e5d6c7b8a), host" */
static int write_process_name(struct firefox *firefox, const struct profile_task *task)
{
	bool several = firefox->items.rows.reader.waits.several_hosts;
	_cleanup_free_ char *container = NULL;
	FILE *out = firefox->json.out;
	int r = container_text(task->cgroup, ", container ", &container);

	json_text_begin_value(&firefox->json, "processName");
	(void)putc_unlocked('"', out);
	name_text_write(out, profile_process_comm(firefox->context->profile, firefox->first->task), json_text_escape);
	if (!r)
		json_text_escape(out, container, strlen(container));
	(void)fputs(several ? ", " : "", out);
	name_text_write(out, several ? profile_host_name(firefox->context->profile, task->host) : "", json_text_escape);
	(void)putc_unlocked('"', out);
	return r;
}

static int write_who(struct firefox *firefox)
{
	const struct event_item *item = firefox->first;
	const struct profile_task *task = event_rows_task(&firefox->items.rows, item->task);
	struct json_text *json = &firefox->json;
	int r;

	json_text_printable(json, "processType", "default");
	json_text_uint(json, "processStartupTime", 0);
	json_text_null(json, "processShutdownTime");
	json_text_uint(json, "registerTime", 0);
	json_text_null(json, "unregisterTime");
	json_text_begin_array(json, "pausedRanges");
	json_text_end_array(json);
	json_text_name(json, "name", task->comm);
	json_text_bool(json, "isMainThread", task->tgid == task->tid);
	r = write_process_name(firefox, task);
	json_text_begin_value(json, "pid");
	(void)fprintf(json->out, "\x22%" PRIu64 "\x22", event_items_process(&firefox->items, item->task));
	json_text_uint(json, "tid", event_items_thread(&firefox->items, item->task));
	return r;
}

static int write_thread(struct firefox *firefox)
{
	int r = find_stacks(firefox);

	if (r < 0)
		return r;
	json_text_begin_object(&firefox->json, NULL);
	r = write_who(firefox);
	write_samples(firefox);
	if (!r)
		r = write_markers(firefox);
	thread_tables_write(&firefox->tables, &firefox->json);
	json_text_end_object(&firefox->json);
	return r;
}

static int write_threads(struct firefox *firefox)
{
	const size_t item_count = firefox->items.list.count;
	const struct event_item *item = firefox->items.list.items, *end = item_count ? item + item_count : item;
	int r = 0;

	json_text_begin_rows(&firefox->json, "threads");
	for (; !r && item < end; item = firefox->last) {
		firefox->first = firefox->last = item;
		while (firefox->last < end && firefox->last->task == item->task)
			firefox->last++;
		r = write_thread(firefox);
	}
	json_text_end_array(&firefox->json);
	return r;
}

static int firefox_init(struct firefox *firefox, const struct view_context *context)
{
	int r = event_items_init(&firefox->items, context->profile, true);

	if (!r)
		r = stack_words_init(&firefox->words, context, json_text_escape);
	if (!r)
		r = thread_tables_init(&firefox->tables, context->profile, page_no_frames(context->settings));
	json_text_init(&firefox->json, context->out);
	return r;
}

int firefox_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(firefox_deinit) struct firefox firefox = {.context = context};
	int r = firefox_init(&firefox, context);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_text_begin_object(&firefox.json, NULL);
	write_meta(&firefox);
	json_text_begin_array(&firefox.json, "libs");
	json_text_end_array(&firefox.json);
	json_text_begin_array(&firefox.json, "pages");
	json_text_end_array(&firefox.json);
	r = write_threads(&firefox);
	json_text_end_object(&firefox.json);
	(void)fputc('\n', context->out);
	return r;
}
