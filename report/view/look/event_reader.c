/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/event_reader.h"

#include <errno.h>

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
	if (event->kind != PROFILE_EVENT_WAKEUP)
		return chain->frames.count;
	if (event->wait->waker_context == WAKER_IRQ ||
	    event->wait->waker_context == WAKER_SOFTIRQ)
		return chain->kernel_count;
	return chain->frames.count;
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
