/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/unsure_times.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

static int compare_spans(const void *one, const void *two)
{
	const struct unsure_span *a = one, *b = two;

	return COMPARE(a->from, b->from);
}

/* Merges overlapping spans. */
static void join(struct unsure_times *times)
{
	struct unsure_span *spans = times->spans.items;
	size_t kept = 0;

	for (size_t i = 1; i < times->spans.count; i++) {
		if (spans[i].from > spans[kept].until)
			spans[++kept] = spans[i];
		else if (spans[i].until > spans[kept].until)
			spans[kept].until = spans[i].until;
	}
	if (times->spans.count)
		times->spans.count = kept + 1;
}

int unsure_times_make(struct unsure_times *times, const struct event_unsure *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (array_push(&times->spans, (struct unsure_span){records[i].time, records[i].until}) < 0)
			return -ENOMEM;
	if (count)
		qsort(times->spans.items, count, sizeof(*times->spans.items), compare_spans);
	join(times);
	return 0;
}

void unsure_times_deinit(struct unsure_times *times)
{
	array_free(&times->spans);
}

bool unsure_times_lack(const struct event_unsure *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (records[i].cause != UNSURE_AWAY)
			return true;
	return false;
}

bool unsure_times_hold(const struct unsure_times *times, uint64_t time)
{
	size_t place = SORTED_FIRST(i, times->spans.count, times->spans.items[i].until >= time);

	return place < times->spans.count && times->spans.items[place].from <= time;
}
