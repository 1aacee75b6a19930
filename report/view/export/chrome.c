/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/export/event_items.h"
#include "report/view/export/json_text.h"
#include "report/view/export/stack_words.h"
#include "report/view/look/container_text.h"
#include "report/view/text/page.h"
#include "report/view/text/wait_text.h"

/*
 * --export chrome: the JSON of trace events, by time. A wait is a complete event ("X") in the row of its thread, as
 * long as its weight. A wakeup by a task is one of length 0 in the row of the waker, with an arrow ("s", "f") to the
 * end of the wait. Samples, hits and walked tasks are instants ("i").
 */

enum { US_PLACES = 3, MANY_WAITS = 500000 };

struct chrome {
	const struct view_context *context;
	struct event_items items;
	struct stack_words words;
	struct json_text json;
};

static void chrome_deinit(struct chrome *chrome)
{
	event_items_deinit(&chrome->items);
	stack_words_deinit(&chrome->words);
}

static const struct profile_task *task_of(const struct chrome *chrome, uint32_t task)
{
	return event_rows_task(&chrome->items.rows, task);
}

/* --- names of processes and threads --- */

/* The caller writes its arguments. */
static void begin_metadata(struct chrome *chrome, const char *what, uint32_t task)
{
	json_text_begin_object(&chrome->json, NULL);
	json_text_printable(&chrome->json, "ph", "M");
	json_text_printable(&chrome->json, "name", what);
	json_text_uint(&chrome->json, "pid", event_items_process(&chrome->items, task));
	json_text_uint(&chrome->json, "tid", event_items_thread(&chrome->items, task));
	json_text_begin_object(&chrome->json, "args");
}

static void end_metadata(struct chrome *chrome)
{
	json_text_end_object(&chrome->json);
	json_text_end_object(&chrome->json);
}

static void write_metadata(struct chrome *chrome, const char *what, uint32_t task, const char *name, bool with_host)
{
	const struct profile_task *row = task_of(chrome, task);
	const char *host = profile_host_name(chrome->context->profile, row->host);
	FILE *out = chrome->json.out;

	begin_metadata(chrome, what, task);
	json_text_begin_value(&chrome->json, "name");
	(void)putc_unlocked('"', out);
	name_text_write(out, name, json_text_escape);
	(void)fputs(with_host ? ", " : "", out);
	name_text_write(out, with_host ? host : "", json_text_escape);
	(void)putc_unlocked('"', out);
	end_metadata(chrome);
}

/* The label of a process is its container. If the process was moved, the last label counts. */
static int write_label(struct chrome *chrome, uint32_t task)
{
	const struct profile_cgroup *cgroup = task_of(chrome, task)->cgroup;
	struct json_text *json = &chrome->json;
	_cleanup_free_ char *text = NULL;
	int r = container_text(cgroup, "container ", &text);

	if (r < 0 || !*text)
		return r;
	begin_metadata(chrome, "process_labels", task);
	json_text_printable(json, "labels", text);
	end_metadata(chrome);
	return 0;
}

/* Writes the names of all tasks that have events. */
static int write_names(struct chrome *chrome)
{
	size_t count = chrome->items.rows.reader.task_count;
	_cleanup_free_ bool *has = calloc(count + 1, sizeof(*has));
	int r = 0;

	if (!has)
		return -ENOMEM;
	for (size_t i = 0; i < chrome->items.list.count; i++)
		has[chrome->items.list.items[i].task] = true;
	for (uint32_t task = 0; task < count; task++)
		if (has[task])
			write_metadata(chrome, "thread_name", task, task_of(chrome, task)->comm, false);
	for (uint32_t task = 0; task < count; task++)
		if (has[task])
			write_metadata(chrome, "process_name", task,
				       profile_process_comm(chrome->context->profile, task),
				       chrome->items.rows.reader.waits.several_hosts);
	for (uint32_t task = 0; task < count && !r; task++)
		if (has[task])
			r = write_label(chrome, task);
	return r;
}

/* --- events --- */

/* Writes the kind, the thread and the time. */
static void begin_event(struct chrome *chrome, const char *kind, uint32_t task, int64_t time)
{
	json_text_begin_object(&chrome->json, NULL);
	json_text_printable(&chrome->json, "ph", kind);
	json_text_uint(&chrome->json, "pid", event_items_process(&chrome->items, task));
	json_text_uint(&chrome->json, "tid", event_items_thread(&chrome->items, task));
	json_text_point(&chrome->json, "ts", (uint64_t)time, US_PLACES);
}

/* Each event has its container, because its thread may be moved. */
static void write_container(struct chrome *chrome, uint32_t task)
{
	const char *container = profile_container(task_of(chrome, task)->cgroup);

	if (*container)
		json_text_name(&chrome->json, "container", container);
}

static int write_stack(struct chrome *chrome, const char *key, uint32_t node, uint32_t flags, enum stack_owner owner)
{
	int r;

	json_text_begin_value(&chrome->json, key);
	(void)putc_unlocked('"', chrome->json.out);
	r = stack_words_write(&chrome->words, node, flags, owner, chrome->json.out);
	(void)putc_unlocked('"', chrome->json.out);
	return r;
}

static bool is_interrupt(const struct profile_wait *wait)
{
	return wait->waker_context == PROFILE_WAKER_IRQ || wait->waker_context == PROFILE_WAKER_SOFTIRQ;
}

static int write_waker(struct chrome *chrome, const struct profile_wait *wait)
{
	static const char *const contexts[] = {[PROFILE_WAKER_TASK] = "task", [PROFILE_WAKER_SOFTIRQ] = "softirq",
					       [PROFILE_WAKER_IRQ] = "irq", [PROFILE_WAKER_UNKNOWN] = "unknown"};
	int r = 0;

	if (wait->waker == PROFILE_NO_TASK || !contexts[wait->waker_context])
		return 0;
	json_text_printable(&chrome->json, "waker_context", contexts[wait->waker_context]);
	json_text_name(&chrome->json, "waker", task_of(chrome, wait->waker)->comm);
	json_text_uint(&chrome->json, "waker_tid", task_of(chrome, wait->waker)->tid);
	if (wait->waker_node)
		r = write_stack(chrome, "waker_stack", wait->waker_node, 0,
				is_interrupt(wait) ? STACK_OF_INTERRUPT : STACK_OF_SAMPLE);
	return r;
}

static int write_wait(struct chrome *chrome, const struct event_item *item)
{
	const struct profile_wait *wait = item->wait;
	char state[24] = "";
	int r;

	profile_wait_state(wait->state, state);
	begin_event(chrome, "X", item->task, item->time);
	json_text_point(&chrome->json, "dur", item->weight, US_PLACES);
	json_text_printable(&chrome->json, "cat", "wait");
	json_text_printable(&chrome->json, "name", wait_class_name(wait->wait_class));
	json_text_begin_object(&chrome->json, "args");
	write_container(chrome, item->task);
	json_text_name(&chrome->json, "state", state);
	json_text_point(&chrome->json, "run_queue_us", wait->run_queue, US_PLACES);
	r = event_item_write_object(&chrome->items, item, "waited_for", &chrome->json);
	if (!r)
		r = write_stack(chrome, "stack", item->node, wait->chain_flags, STACK_OF_SLEEPER);
	if (!r)
		r = write_waker(chrome, wait);
	json_text_end_object(&chrome->json);
	json_text_end_object(&chrome->json);
	return r;
}

static void write_arrow(struct chrome *chrome, const char *kind, const struct event_item *item, uint32_t task,
			int64_t time)
{
	begin_event(chrome, kind, task, time);
	json_text_printable(&chrome->json, "cat", "wakeup");
	json_text_printable(&chrome->json, "name", "wakeup");
	if (*kind == 'f')
		json_text_printable(&chrome->json, "bp", "e");
	json_text_uint(&chrome->json, "id", (uint64_t)(item->wait - chrome->items.rows.reader.waits.items));
	json_text_end_object(&chrome->json);
}

/* A wakeup by an interrupt is an instant: an interrupt has no row, and that of the interrupted task is not its own. */
static int write_wakeup(struct chrome *chrome, const struct event_item *item)
{
	bool interrupt = is_interrupt(item->wait);
	int r;

	begin_event(chrome, interrupt ? "i" : "X", item->task, item->time);
	if (interrupt)
		json_text_printable(&chrome->json, "s", "t");
	else
		json_text_uint(&chrome->json, "dur", 0);
	json_text_printable(&chrome->json, "cat", "wakeup");
	json_text_printable(&chrome->json, "name", interrupt ? "wakeup by an interrupt" : "wakeup");
	json_text_begin_object(&chrome->json, "args");
	write_container(chrome, item->task);
	json_text_name(&chrome->json, "woken", task_of(chrome, item->wait->task)->comm);
	json_text_uint(&chrome->json, "woken_tid", task_of(chrome, item->wait->task)->tid);
	r = write_stack(chrome, "stack", item->node, 0, interrupt ? STACK_OF_INTERRUPT : STACK_OF_SAMPLE);
	json_text_end_object(&chrome->json);
	json_text_end_object(&chrome->json);
	if (!r && !interrupt && chrome->items.waits) /* else no wait is there to lead to: --source wakers */
		write_arrow(chrome, "s", item, item->task, item->time);
	return r;
}

static int write_instant(struct chrome *chrome, const struct event_item *item)
{
	const struct profile_source *source = &chrome->items.rows.reader.sources[item->source];
	int r = 0;

	begin_event(chrome, "i", item->task, item->time);
	json_text_printable(&chrome->json, "s", "t");
	json_text_printable(&chrome->json, "cat", page_kind_name(source->kind));
	json_text_name(&chrome->json, "name", event_item_name(&chrome->items, item));
	json_text_begin_object(&chrome->json, "args");
	write_container(chrome, item->task);
	if (item->cpu != PROFILE_NO_CPU)
		json_text_uint(&chrome->json, "cpu", item->cpu);
	if (item->walked) {
		json_text_name(&chrome->json, "state", item->walked->state);
		r = event_item_write_object(&chrome->items, item, "waits_for", &chrome->json);
	}
	json_text_uint(&chrome->json, "weight", item->weight);
	if (!r)
		r = write_stack(chrome, "stack", item->node, 0, STACK_OF_SAMPLE);
	json_text_end_object(&chrome->json);
	json_text_end_object(&chrome->json);
	return r;
}

/* --- the ends of arrows, which are in the order of the ends of waits, not of their begins --- */

struct arrow_end {
	int64_t time;
	const struct event_item *item;
};

static int compare_ends(const void *one, const void *other)
{
	const struct arrow_end *l = one, *r = other;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	return (l->item > r->item) - (l->item < r->item);
}

/* Finds the ends of waits whose wakeups are exported, too. */
static int find_ends(const struct chrome *chrome, struct arrow_end **ret_ends, size_t *ret_count)
{
	const struct event_item *items = chrome->items.list.items;
	size_t count = 0, wakeups = 0;
	struct arrow_end *ends = calloc(chrome->items.waits + 1, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	for (size_t i = 0; i < chrome->items.list.count; i++) {
		wakeups += items[i].kind == ITEM_WAKEUP;
		if (items[i].kind == ITEM_WAIT && items[i].wait->waker != PROFILE_NO_TASK &&
		    !is_interrupt(items[i].wait))
			ends[count++] = (struct arrow_end){items[i].time + (int64_t)items[i].weight, &items[i]};
	}
	qsort(ends, count, sizeof(*ends), compare_ends);
	*ret_ends = ends;
	*ret_count = wakeups ? count : 0;
	return 0;
}

static int write_item(struct chrome *chrome, const struct event_item *item)
{
	if (item->kind == ITEM_WAIT)
		return write_wait(chrome, item);
	return item->kind == ITEM_WAKEUP ? write_wakeup(chrome, item) : write_instant(chrome, item);
}

static int write_events(struct chrome *chrome)
{
	const size_t item_count = chrome->items.list.count;
	const struct event_item *item = chrome->items.list.items, *last = item_count ? item + item_count : item;
	_cleanup_free_ struct arrow_end *ends = NULL;
	size_t count = 0, next = 0;
	int r = find_ends(chrome, &ends, &count);

	while (!r && (item < last || next < count)) {
		if (next < count && (item == last || ends[next].time < item->time)) {
			write_arrow(chrome, "f", ends[next].item, ends[next].item->task, ends[next].time);
			next++;
		} else {
			r = write_item(chrome, item++);
		}
	}
	return r;
}

int chrome_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(chrome_deinit) struct chrome chrome = {.context = context};
	int r = stack_words_init(&chrome.words, context, json_text_escape);

	(void)number;
	(void)all;
	if (!r)
		r = event_items_init(&chrome.items, context->profile, false);
	if (r < 0)
		return r;
	if (chrome.items.waits > MANY_WAITS)
		page_comment(context, stderr,
			     "%zu waits are more than most viewers can show: --time or -m chooses some",
			     chrome.items.waits);
	json_text_init(&chrome.json, context->out);
	json_text_begin_object(&chrome.json, NULL);
	json_text_printable(&chrome.json, "displayTimeUnit", "ns");
	json_text_begin_rows(&chrome.json, "traceEvents");
	r = write_names(&chrome);
	if (!r)
		r = write_events(&chrome);
	json_text_end_array(&chrome.json);
	json_text_end_object(&chrome.json);
	(void)fputc('\n', context->out);
	return r;
}
