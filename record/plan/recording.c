/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/recording.h"

#include <errno.h>
#include <stddef.h>

#include "format/event_log.h"

int recording_check(struct recording *recording, int result)
{
	if (result == -EINVAL && !event_log_error(recording->log)) {
		recording->refused++;
		return 0;
	}
	if (result < 0 && !recording->error) {
		recording->error = result;
		recording->stop = RECORDING_FAILED;
	}
	return result;
}

/* --- schedule --- */

enum { NEVER_ENDS = -1 };

static int64_t how_many(const struct record_walk *walk)
{
	if (!walk->wanted)
		return 0;
	if (walk->count)
		return walk->count;
	return walk->interval ? NEVER_ENDS : 1;
}

void schedule_init(struct schedule *schedule, const struct record_config *config, uint64_t now)
{
	const struct record_walk *walk = &config->walk;

	*schedule = (struct schedule){
		.limit = config->duration ? now + (uint64_t)config->duration : UINT64_MAX,
		.next_walk = walk->wanted ? now : UINT64_MAX,
		.interval = (uint64_t)walk->interval,
		.walks_left = how_many(walk),
		.walks_end = walk->wanted && walk->count,
	};
}

uint32_t schedule_add(struct schedule *schedule, int64_t lasts, uint64_t now)
{
	schedule->spans[schedule->span_count] = (struct schedule_span){
		.end = lasts > 0 ? now + (uint64_t)lasts : UINT64_MAX,
		.runs = true,
		.ends = lasts > 0,
	};
	return schedule->span_count++;
}

bool schedule_walk_is_due(struct schedule *schedule, uint64_t now)
{
	if (now < schedule->next_walk || !schedule->walks_left)
		return false;
	if (schedule->walks_left > 0)
		schedule->walks_left--;
	if (!schedule->walks_left) {
		schedule->next_walk = UINT64_MAX;
		return true;
	}
	do
		schedule->next_walk += schedule->interval;
	while (schedule->next_walk <= now);
	return true;
}

bool schedule_end_is_due(struct schedule *schedule, uint32_t number, uint64_t now)
{
	struct schedule_span *span = &schedule->spans[number];

	if (!span->runs || now < span->end)
		return false;
	span->runs = false;
	span->end = UINT64_MAX;
	return true;
}

/* One walk beside a source is done at its start and does not end it. */
static bool walks_end(const struct schedule *schedule)
{
	return schedule->walks_end || (!schedule->interval && !schedule->span_count);
}

bool schedule_is_over(const struct schedule *schedule, uint64_t now)
{
	bool any_ends = walks_end(schedule), all_over = !any_ends || !schedule->walks_left;

	for (uint32_t i = 0; i < schedule->span_count; i++) {
		any_ends |= schedule->spans[i].ends;
		all_over &= !schedule->spans[i].ends || !schedule->spans[i].runs;
	}
	return now >= schedule->limit || (any_ends && all_over);
}

static uint64_t earlier(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

uint64_t schedule_next(const struct schedule *schedule)
{
	uint64_t next = earlier(schedule->limit, schedule->next_walk);

	for (uint32_t i = 0; i < schedule->span_count; i++)
		next = earlier(next, schedule->spans[i].end);
	return next;
}
