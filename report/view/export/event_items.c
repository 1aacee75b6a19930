/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/event_items.h"

#include "common/cleanup.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

enum { HOST_STEP = 10000000 }; /* more than there can be pids: PID_MAX_LIMIT is 4194304 */

static enum event_item_kind kind_of(const struct event_items *items, const struct event_row *row)
{
	enum profile_source_kind kind = items->rows.reader.sources[row->event.source].kind;

	if (row->walked)
		return ITEM_WALKED;
	if (row->event.kind == PROFILE_EVENT_WAIT)
		return ITEM_WAIT;
	if (row->event.kind == PROFILE_EVENT_WAKEUP)
		return ITEM_WAKEUP;
	return kind == PROFILE_CPU ? ITEM_SAMPLE : ITEM_HIT;
}

static int add(struct event_items *items, const struct event_row *row)
{
	const struct profile_event *event = &row->event;
	enum event_item_kind kind = kind_of(items, row);
	uint64_t time = kind == ITEM_WAIT ? event_rows_wait_begin(&items->rows, event->wait) : event->time;
	int64_t common = event_rows_common(&items->rows, event->recording, time);

	items->waits += kind == ITEM_WAIT;
	return array_push(&items->list, (struct event_item){
						.time = common > 0 ? common : 0, /* may be slightly outside */
						.weight = event->weight,
						.wait = event->wait,
						.walked = row->walked,
						.recording = event->recording,
						.source = event->source,
						.probe = event->probe,
						.task = event->task,
						.node = event->node,
						.sequence = (uint32_t)items->list.count,
						.cpu = event->cpu,
						.kind = (uint8_t)kind,
					});
}

static int compare_times(const void *one, const void *other)
{
	const struct event_item *l = one, *r = other;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	return (l->sequence > r->sequence) - (l->sequence < r->sequence);
}

static int compare_tasks(const void *one, const void *other)
{
	const struct event_item *l = one, *r = other;

	return l->task != r->task ? (l->task > r->task) - (l->task < r->task) : compare_times(one, other);
}

int event_items_init(struct event_items *items, struct profile *profile, bool by_task)
{
	struct event_row row;
	int r;

	*items = (struct event_items){0};
	r = event_rows_init(&items->rows, profile);
	while (r >= 0 && (r = event_rows_next(&items->rows, &row)) > 0)
		r = add(items, &row);
	if (items->list.count)
		qsort(items->list.items, items->list.count, sizeof(*items->list.items),
		      by_task ? compare_tasks : compare_times);
	return r;
}

void event_items_deinit(struct event_items *items)
{
	array_free(&items->list);
}

const char *event_item_name(const struct event_items *items, const struct event_item *item)
{
	if (item->kind == ITEM_WAIT)
		return wait_class_name(item->wait->wait_class);
	if (item->kind == ITEM_WAKEUP)
		return "wakeup";
	if (item->probe != PROFILE_NO_PROBE)
		return items->rows.reader.probes[item->probe].name;
	return items->rows.reader.sources[item->source].name;
}

int event_item_write_object(const struct event_items *items, const struct event_item *item, const char *key,
			    struct json_text *json)
{
	const struct profile_wait walked = item->walked ? profile_walk_wait(item->walked) : (struct profile_wait){0};
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(&items->rows.reader.waits, item->walked ? &walked : item->wait, &text);

	if (!r && text)
		json_text_printable(json, key, text);
	return r;
}

static uint64_t number_of(const struct event_items *items, const struct profile_task *task, uint32_t number)
{
	return number + (items->rows.reader.waits.several_hosts ? (uint64_t)HOST_STEP * (task->host + UINT64_C(1)) : 0);
}

uint64_t event_items_process(const struct event_items *items, uint32_t task)
{
	const struct profile_task *row = event_rows_task(&items->rows, task);

	return number_of(items, row, row->tgid);
}

uint64_t event_items_thread(const struct event_items *items, uint32_t task)
{
	const struct profile_task *row = event_rows_task(&items->rows, task);

	return number_of(items, row, row->tid);
}
