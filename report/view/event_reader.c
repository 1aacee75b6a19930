/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/event_reader.h"

#include <errno.h>
#include <inttypes.h>

#include "common/log.h"
#include "common/time_units.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"

int event_reader_init(struct event_reader *reader, struct profile *profile)
{
	int r = waits_init(&reader->waits, profile);

	if (r < 0)
		return r;
	reader->source_count = profile_sources(profile, &reader->sources);
	reader->probe_count = profile_probes(profile, &reader->probes);
	(void)profile_tasks(profile, &reader->task_count);
	(void)profile_nodes(profile, &reader->node_count);
	event_reader_rewind(reader);
	return 0;
}

void event_reader_rewind(struct event_reader *reader)
{
	profile_events_begin(reader->waits.profile, &reader->events);
	reader->time = 0;
	reader->recording = 0;
}

/* For a wakeup, this is the wait that it ended. */
static bool wait_is_sound(const struct event_reader *reader, const struct profile_wait *wait)
{
	return wait && wait->out <= wait->in && wait->run_queue <= wait->in - wait->out &&
	       wait->task < reader->task_count && wait->wait_class < WAIT_CLASSES &&
	       wait->waker_context <= WAKER_UNKNOWN;
}

static bool is_sound(const struct event_reader *reader, const struct profile_event *event)
{
	return event->source < reader->source_count && event->recording < reader->waits.recording_count &&
	       event->task < reader->task_count && event->node < reader->node_count &&
	       (event->probe == PROFILE_NO_PROBE || event->probe < reader->probe_count) &&
	       (event->kind == PROFILE_EVENT_SAMPLE || wait_is_sound(reader, event->wait));
}

static bool is_in_order(const struct event_reader *reader, const struct profile_event *event)
{
	if (event->recording != reader->recording)
		return event->recording > reader->recording;
	return event->time >= reader->time;
}

int event_reader_next(struct event_reader *reader, struct profile_event *ret_event)
{
	struct profile_event event;

	if (!profile_events_next(&reader->events, &event))
		return 0;
	if (!is_sound(reader, &event) || !is_in_order(reader, &event))
		return -EBADMSG;
	reader->recording = event.recording;
	reader->time = event.time;
	*ret_event = event;
	return 1;
}

const char *event_reader_name(const struct event_reader *reader, const struct profile_event *event)
{
	if (event->probe != PROFILE_NO_PROBE)
		return reader->probes[event->probe].name;
	return reader->sources[event->source].name;
}

size_t event_reader_frames(const struct profile_event *event, const struct chain *chain)
{
	bool interrupt = event->kind == PROFILE_EVENT_WAKEUP && wake_is_interrupt(event->wait->waker_context);

	return interrupt ? chain->kernel_count : chain->frames.count;
}

int event_reader_mark(const struct profile *profile, uint32_t node, bool *marks)
{
	const struct profile_node *nodes;
	size_t count;

	nodes = profile_nodes(profile, &count);
	while (node) {
		if (node >= count || nodes[node].parent >= node)
			return -EBADMSG;
		if (marks[node])
			return 0;
		marks[node] = true;
		node = nodes[node].parent;
	}
	return 0;
}

int event_reader_find_functions(const struct profile *profile, struct functions *functions, const bool *marks)
{
	uint32_t function;
	size_t count;
	int r = 0;

	(void)profile_nodes(profile, &count);
	for (uint32_t node = 1; !r && node < count; node++)
		if (marks[node])
			r = functions_find_node(functions, node, &function);
	return r;
}

/* --- slices --- */

enum { MOST_SLICES = 1000000, SECONDS_PER_DAY = 86400 };

static bool is_wanted(const struct slices *slices)
{
	return slices->event.source == slices->source &&
	       group_choice_has(slices->only, slices->event.task, slices->event.cpu);
}

/* The source's next event. */
static int find_event(struct slices *slices)
{
	int r;

	do
		r = event_reader_next(&slices->reader, &slices->event);
	while (r > 0 && !is_wanted(slices));
	slices->has_event = r > 0;
	return r < 0 ? r : 0;
}

bool slices_are_wanted(const struct view_context *context, const struct profile_source *source)
{
	return (context->settings->interval || context->settings->timestamps) &&
	       source->kind != PROFILE_TASKS && source->samples;
}

int slices_init(struct slices *slices, const struct view_context *context, uint32_t source)
{
	int r;

	*slices = (struct slices){.source = source, .interval = context->settings->interval,
				  .left = MOST_SLICES, .only = context->only};
	r = event_reader_init(&slices->reader, context->profile);
	if (r < 0 || source >= slices->reader.source_count)
		return r < 0 ? r : -EBADMSG;
	slices->unit = page_unit(&slices->reader.sources[source]);
	return find_event(slices);
}

void slices_deinit(struct slices *slices)
{
	array_free(&slices->rows);
}

static bool has_event_in(const struct slices *slices)
{
	return slices->has_event && slices->event.recording == slices->recording;
}

/* The first slice is the one that contains the start of the requested times. -EINVAL if too many follow. */
static int begin_recording(struct slices *slices)
{
	uint64_t start = slices->reader.waits.recordings[slices->recording].start, from;

	profile_recording_part(slices->reader.waits.profile, slices->recording, &from, &slices->end);
	slices->begun = true;
	slices->next = from;
	slices->step = slices->reader.waits.recording_count == 1 || has_event_in(slices) ?
		       slices->interval : 0;
	if (from > slices->end)
		slices->end = from;
	if (!slices->step)
		return 0;
	if (from > start)
		slices->next = start + (from - start) / slices->step * slices->step;
	if ((slices->end - slices->next) / slices->step < slices->left) {
		slices->left -= (slices->end - slices->next) / slices->step;
		return 0;
	}
	return log_error(EINVAL, "-i makes more than %d intervals; choose longer ones, or a part "
				 "of the recording with --time", MOST_SLICES);
}

/*
 * Sets the end of the slice that begins at `next`; returns whether that is the end of the
 * recording. Sources stop a few milliseconds late, which does not make another slice.
 */
static bool find_end(const struct slices *slices, uint64_t *ret_end)
{
	enum { SLIVERS = 20 };
	uint64_t left = slices->end - slices->next;
	bool last = !slices->step || left <= slices->step || left - slices->step <= slices->step / SLIVERS;

	*ret_end = last ? slices->end : slices->next + slices->step;
	return last;
}

static int read_events(struct slices *slices, uint64_t end, bool last)
{
	int r = 0;

	slices->rows.count = 0;
	while (!r && has_event_in(slices) && (last || slices->event.time < end)) {
		const struct profile_event *event = &slices->event;

		r = array_push(&slices->rows, (struct row){.node = event->node, .task = event->task,
			       .flags = (uint16_t)event->flags, .cpu = event->cpu, .samples = 1,
			       .weight = event->weight}) ?:
		    find_event(slices);
	}
	return r;
}

int slices_next(struct slices *slices, struct slice *ret_slice)
{
	struct slice slice = {.recording = slices->recording, .from = slices->next};
	bool last;
	int r = 0;

	if (slices->recording == slices->reader.waits.recording_count)
		return 0;
	if (!slices->begun)
		r = begin_recording(slices);
	if (r < 0)
		return r;
	slice.from = slices->next;
	last = find_end(slices, &slice.to);
	r = read_events(slices, slice.to, last);
	if (r < 0)
		return r;
	slice.rows = (struct rows){.items = slices->rows.items, .count = slices->rows.count};
	slices->next = slice.to;
	slices->recording += last;
	slices->begun = !last;
	*ret_slice = slice;
	return 1;
}

static void write_time_of_day(const struct slices *slices, const struct slice *slice, FILE *out)
{
	uint64_t realtime = profile_realtime(slices->reader.waits.profile, slice->recording, slice->to);
	uint64_t second = realtime / SECOND % SECONDS_PER_DAY;

	if (realtime)
		(void)fprintf(out, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "\n", second / 3600,
			      second / 60 % 60, second % 60);
	else
		(void)fputs("wall clock unknown\n", out);
}

/* "# from +1.000000 s to +2.000000 s: 12 events" */
void slices_write_heading(const struct slices *slices, const struct slice *slice,
			  const struct view_context *context, bool bare)
{
	const struct waits *waits = &slices->reader.waits;
	FILE *out = context->out;

	if (!bare) {
		(void)fprintf(out, "\n# from %s", wait_offset(waits, slice->recording, slice->from).text);
		(void)fprintf(out, " to %s: ", wait_offset(waits, slice->recording, slice->to).text);
		page_write_count(slice->rows.count, slices->unit, out);
		wait_write_recording(out, waits, slice->recording);
		(void)fputc('\n', out);
	}
	if (context->settings->timestamps)
		write_time_of_day(slices, slice, out);
}
