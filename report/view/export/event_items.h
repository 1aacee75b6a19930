/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rows of event_rows.h in another order, for exports that group them by thread or place waits
 * at their begin. Only numbers are kept, 64 bytes per row.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_EVENT_ITEMS_H
#define RWALKER_REPORT_VIEW_EXPORT_EVENT_ITEMS_H

#include "common/array.h"
#include "report/view/export/event_rows.h"
#include "report/view/export/json_text.h"

enum event_item_kind { ITEM_WAIT, ITEM_WAKEUP, ITEM_SAMPLE, ITEM_HIT, ITEM_WALKED };

struct event_item {
	int64_t time;	 /* common to all recordings, see event_rows_common(); of a wait: where its weight begins */
	uint64_t weight; /* of a wait: its length from there */
	const struct profile_wait *wait;	/* of a wait or a wakeup */
	const struct profile_walk_task *walked; /* of a walked task */
	uint32_t recording, source, probe, task, node;
	uint32_t sequence; /* items with equal times stay in the order in which they were read */
	uint16_t cpu;
	uint8_t kind; /* enum event_item_kind */
};

struct event_items {
	struct event_rows rows;
	ARRAY(struct event_item) list;
	size_t waits;
};

/* Sorted by time; with by_task by thread first. */
int event_items_init(struct event_items *items, struct profile *profile, bool by_task);
void event_items_deinit(struct event_items *items);

/* "blocked", "wakeup", or the source's or probe's name, which is not safe to print. */
const char *event_item_name(const struct event_items *items, const struct event_item *item);

/*
 * Writes what a wait was for, or what a walked task slept for, as a member of the open object;
 * nothing if it is not known. 0, -ENOMEM.
 */
int event_item_write_object(const struct event_items *items, const struct event_item *item, const char *key,
			    struct json_text *json);

/* Processes and threads of different hosts have different numbers. */
uint64_t event_items_process(const struct event_items *items, uint32_t task);
uint64_t event_items_thread(const struct event_items *items, uint32_t task);

#endif
