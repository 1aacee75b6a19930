/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/schedule.h"

#include <stddef.h>

enum { NEVER_ENDS = -1 };

static int64_t how_many(const struct record_walk *walk)
{
	if (!walk->wanted)
		return 0;
	if (walk->count)
		return walk->count;
	return walk->interval ? NEVER_ENDS : 1;
}

static struct schedule_span span_of(bool wanted, int64_t lasts, uint64_t now)
{
	bool ends = wanted && lasts > 0;

	return (struct schedule_span){
		.end = ends ? now + (uint64_t)lasts : UINT64_MAX,
		.runs = wanted,
		.ends = ends,
	};
}

void schedule_init(struct schedule *schedule, const struct record_config *config, uint64_t now)
{
	const struct record_walk *walk = &config->walk;
	bool spans = config->profile.wanted || config->offcpu.wanted || config->points.count;

	*schedule = (struct schedule){
		.limit = config->duration ? now + (uint64_t)config->duration : UINT64_MAX,
		.next_walk = walk->wanted ? now : UINT64_MAX,
		.interval = (uint64_t)walk->interval,
		.walks_left = how_many(walk),
		/* one walk beside another source is done at its start and does not end it */
		.walks_end = walk->wanted && (walk->count || (!walk->interval && !spans)),
		.spans = {
			[SCHEDULE_PROFILE] = span_of(config->profile.wanted, config->profile.lasts, now),
			[SCHEDULE_OFFCPU] = span_of(config->offcpu.wanted, config->offcpu.lasts, now),
		},
	};
	for (size_t i = 0; i < RECORD_MAX_POINTS; i++) {
		bool wanted = i < config->points.count;
		int64_t lasts = wanted ? config->points.items[i].lasts : 0;

		schedule->spans[SCHEDULE_POINTS + i] = span_of(wanted, lasts, now);
	}
}

bool schedule_take_walk(struct schedule *schedule, uint64_t now)
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

bool schedule_take_end(struct schedule *schedule, unsigned int source, uint64_t now)
{
	struct schedule_span *span = &schedule->spans[source];

	if (!span->runs || now < span->end)
		return false;
	span->runs = false;
	span->end = UINT64_MAX;
	return true;
}

bool schedule_is_over(const struct schedule *schedule, uint64_t now)
{
	bool any_ends = schedule->walks_end, all_over = !schedule->walks_end || !schedule->walks_left;

	for (size_t i = 0; i < SCHEDULE_SOURCES; i++) {
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

	for (size_t i = 0; i < SCHEDULE_SOURCES; i++)
		next = earlier(next, schedule->spans[i].end);
	return next;
}
