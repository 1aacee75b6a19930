/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/svg/svg_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/seam/profile_events.h"

struct lane_key { /* without padding */
	uint32_t recording, thread;
};

/* --- lanes --- */

/* The number of the lane of a task's thread. Adds the lane if it is new. */
static int find_lane(struct svg_lanes *lanes, uint32_t recording, uint32_t task, uint32_t *ret_number)
{
	const struct lane_key key = {recording, lanes->index.thread_of[task]};
	struct svg_lane lane = {.number = (uint32_t)lanes->items.count,
				.time = {.recording = recording, .task = task}};
	uint64_t *number;
	int r = hash_map_add(&lanes->known, &key, sizeof(key), lane.number, &number);

	if (r > 0)
		r = array_push(&lanes->items, lane);
	if (r < 0)
		return r;
	*ret_number = (uint32_t)*number;
	return 0;
}

static int add_waiting(struct svg_lanes *lanes)
{
	uint32_t number;
	int r = 0;

	for (size_t i = 0; i < lanes->index.thread_count && !r; i++) {
		const struct thread_time *time = &lanes->times.rows[i];

		if (!time->asked)
			continue;
		r = find_lane(lanes, time->recording, time->task, &number);
		if (!r) {
			lanes->items.items[number].time = *time;
			lanes->items.items[number].waited = true;
		}
	}
	return r;
}

static int add_sampled(struct svg_lanes *lanes)
{
	struct profile_event event;
	uint32_t number;
	int r;

	event_reader_rewind(&lanes->reader);
	while ((r = event_reader_next(&lanes->reader, &event)) > 0) {
		struct svg_lane *lane;

		if (event.kind != PROFILE_EVENT_SAMPLE)
			continue;
		r = find_lane(lanes, event.recording, event.task, &number);
		if (r < 0)
			break;
		lane = &lanes->items.items[number];
		lane->samples++;
		if (!lane->waited)
			lane->time.task = event.task; /* the lane has the last comm */
	}
	return r;
}

static int compare_figures(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

static uint64_t blocked_of(const struct thread_time *time)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < THREAD_BLOCKED_STATES; i++)
		sum = wait_add(sum, time->blocked[i]);
	return sum;
}

static uint64_t held_of(const struct thread_time *time)
{
	return wait_add(wait_add(time->run_queue, time->throttled), time->blocked[THREAD_BLOCKED_D]);
}

static int compare_lanes(const void *left, const void *right)
{
	const struct svg_lane *l = left, *r = right;
	int order;

	if (l->time.recording != r->time.recording)
		return l->time.recording < r->time.recording ? -1 : 1;
	order = compare_figures(held_of(&l->time), held_of(&r->time));
	if (!order)
		order = compare_figures(blocked_of(&l->time), blocked_of(&r->time));
	if (!order)
		order = compare_figures(l->samples, r->samples);
	return order ? order : (l->time.task > r->time.task) - (l->time.task < r->time.task);
}

static int sort_lanes(struct svg_lanes *lanes)
{
	size_t count = lanes->items.count;

	lanes->place = calloc(count + 1, sizeof(*lanes->place));
	if (!lanes->place)
		return -ENOMEM;
	if (count)
		qsort(lanes->items.items, count, sizeof(*lanes->items.items), compare_lanes);
	for (size_t i = 0; i < count; i++)
		lanes->place[lanes->items.items[i].number] = (uint32_t)i;
	return 0;
}

int svg_lanes_init(struct svg_lanes *lanes, struct profile *profile)
{
	int r;

	*lanes = (struct svg_lanes){0};
	r = hash_map_init(&lanes->known);
	if (!r)
		r = event_reader_init(&lanes->reader, profile);
	if (!r)
		r = wait_index_init(&lanes->index, &lanes->reader.waits);
	if (!r)
		r = thread_times_init(&lanes->times, &lanes->index);
	if (!r)
		r = add_waiting(lanes);
	if (!r)
		r = add_sampled(lanes);
	return r < 0 ? r : sort_lanes(lanes);
}

void svg_lanes_deinit(struct svg_lanes *lanes)
{
	for (size_t i = 0; i < lanes->items.count; i++)
		free(lanes->items.items[i].ticks);
	array_free(&lanes->items);
	free(lanes->place);
	thread_times_deinit(&lanes->times);
	wait_index_deinit(&lanes->index);
	hash_map_deinit(&lanes->known);
}

/* --- columns --- */

struct svg_range svg_lanes_range(const struct svg_lanes *lanes, uint32_t recording)
{
	const struct profile_recording *whole = &lanes->reader.waits.recordings[recording];
	uint64_t from, to;

	profile_recording_part(lanes->reader.waits.profile, recording, &from, &to);
	from = from > whole->start ? from : whole->start;
	to = to < whole->stop ? to : whole->stop;
	return (struct svg_range){.from = from, .length = to > from ? to - from : 1};
}

uint64_t svg_column_time(struct svg_range range, uint32_t column)
{
	return range.from + (uint64_t)((unsigned __int128)range.length * column / SVG_COLUMNS);
}

static uint32_t column_at(struct svg_range range, uint64_t time)
{
	uint64_t column;

	if (time <= range.from)
		return 0;
	column = (uint64_t)((unsigned __int128)(time - range.from) * SVG_COLUMNS / range.length);
	return column < SVG_COLUMNS ? (uint32_t)column : SVG_COLUMNS - 1;
}

static void add_span(uint64_t sums[SVG_COLUMNS], struct svg_range range, uint64_t from, uint64_t to)
{
	uint64_t end = range.from + range.length;

	from = from > range.from ? from : range.from;
	to = to < end ? to : end;
	for (uint32_t i = column_at(range, from); from < to && i < SVG_COLUMNS; i++) {
		uint64_t next = svg_column_time(range, i + 1);

		next = next < to ? next : to;
		sums[i] += next > from ? next - from : 0;
		from = next > from ? next : from;
	}
}

static enum svg_state state_of(const struct profile_wait *wait)
{
	char text[24];

	if (wait->wait_class == PROFILE_THROTTLED)
		return SVG_QUEUED;
	profile_wait_state(wait->state, text);
	return text[0] == 'D' ? SVG_DEEP : SVG_ASLEEP;
}

/* Waits that overlap, as in a trace that is wrong, are cut. */
static void add_waits(const struct svg_lanes *lanes, const struct wait_thread *thread, struct svg_range range,
		      struct svg_columns *columns)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < thread->count; i++) {
		const struct profile_wait *wait = wait_index_wait(&lanes->index, thread, i);
		uint64_t since = profile_wait_is_partly_queued(wait) ? wait->in - wait->run_queue : wait->out;
		uint64_t from = wait->out > end ? wait->out : end;

		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		add_span(columns->sums[state_of(wait)], range, from, since);
		add_span(columns->sums[SVG_QUEUED], range, since > from ? since : from, wait->in);
		end = wait->in > end ? wait->in : end;
	}
}

/*
 * A thread exists from its first to its last accounting. The time in between without a wait counts as running, unless
 * most of it is unknown.
 */
static void add_rest(const struct svg_lanes *lanes, const struct svg_lane *lane, struct svg_range range,
		     struct svg_columns *columns)
{
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(lanes->reader.waits.profile, &sums);
	const uint32_t *thread_of = lanes->index.thread_of;

	for (size_t i = 0; i < count; i++)
		if (sums[i].recording == lane->time.recording && !sums[i].unasked &&
		    thread_of[sums[i].task] == thread_of[lane->time.task])
			add_span(columns->sums[SVG_RAN], range, sums[i].from, sums[i].to);
	for (uint32_t i = 0; i < SVG_COLUMNS; i++) {
		uint64_t waited = columns->sums[SVG_DEEP][i] + columns->sums[SVG_QUEUED][i] +
				  columns->sums[SVG_ASLEEP][i];

		columns->sums[SVG_RAN][i] -= columns->sums[SVG_RAN][i] < waited ? columns->sums[SVG_RAN][i] : waited;
	}
}

void svg_lanes_fill(const struct svg_lanes *lanes, const struct svg_lane *lane, struct svg_columns *columns)
{
	const struct wait_thread *thread = wait_index_find(&lanes->index, lane->time.recording, lane->time.task);
	struct svg_range range = svg_lanes_range(lanes, lane->time.recording);

	*columns = (struct svg_columns){0};
	if (thread)
		add_waits(lanes, thread, range, columns);
	if (!thread || thread->unknown <= wait_add(thread->running, thread->brief))
		add_rest(lanes, lane, range, columns);
}

enum svg_state svg_columns_state(const struct svg_columns *columns, uint32_t first, uint32_t width)
{
	enum svg_state most = SVG_UNKNOWN;
	uint64_t longest = 0;

	for (unsigned int state = 0; state < SVG_STATES; state++) {
		uint64_t sum = 0;

		for (uint32_t i = first; i < first + width && i < SVG_COLUMNS; i++)
			sum += columns->sums[state][i];
		if (sum > longest) {
			longest = sum;
			most = (enum svg_state)state;
		}
	}
	return most;
}

int svg_lanes_mark(struct svg_lanes *lanes)
{
	struct profile_event event;
	uint32_t number;
	int r;

	event_reader_rewind(&lanes->reader);
	while ((r = event_reader_next(&lanes->reader, &event)) > 0) {
		struct svg_lane *lane;

		if (event.kind != PROFILE_EVENT_SAMPLE)
			continue;
		r = find_lane(lanes, event.recording, event.task, &number);
		if (r < 0)
			break;
		lane = &lanes->items.items[lanes->place[number]];
		if (lane->ticks)
			lane->ticks[column_at(svg_lanes_range(lanes, event.recording), event.time)] = 1;
	}
	return r;
}
