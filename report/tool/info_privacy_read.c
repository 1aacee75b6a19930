/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>

#include "report/profile/seam/figures.h"
#include "report/read/event_stream.h"
#include "report/tool/info_privacy.h"

/* --- user frames that are not code --- */

static void take_user(uint32_t task, uint32_t user, uint32_t *ret_task, uint32_t *ret_user)
{
	*ret_task = task;
	*ret_user = user;
}

/* The task and the leaf of the user stack of an event; 0 if it has none. */
static void find_user(const struct stream_event *event, uint32_t *ret_task, uint32_t *ret_user)
{
	const struct event_batch *batch = event->batch;
	uint32_t index = event->event->index;

	*ret_task = *ret_user = 0;
	switch (event->event->kind) {
	case EVENT_SAMPLE:
		return take_user(batch->samples.items[index].task, batch->samples.items[index].user, ret_task,
				 ret_user);
	case EVENT_WALK_TASK:
		return take_user(batch->walk_tasks.items[index].task, batch->walk_tasks.items[index].user, ret_task,
				 ret_user);
	case EVENT_WAIT:
		return take_user(batch->waits.items[index].task, batch->waits.items[index].user, ret_task, ret_user);
	case EVENT_WAKE:
		return take_user(batch->wakes.items[index].task, batch->wakes.items[index].user, ret_task, ret_user);
	case EVENT_USER_STACK:
		return take_user(batch->user_stacks.items[index].task, batch->user_stacks.items[index].user, ret_task,
				 ret_user);
	default:
		return;
	}
}

static bool is_code(const struct timeline *timeline, uint32_t process, uint64_t address)
{
	struct mapping mapping;

	return stack_mark_of(address) || timeline_find(timeline, process, address, &mapping) ||
	       (address && timeline_find(timeline, process, address - 1, &mapping));
}

/* Counts callers only: the leaf is where the CPU was. */
static int count_words(struct privacy *privacy, struct timeline *timeline, const struct stream_event *event)
{
	const struct stack_node *nodes;
	const struct event_task *task;
	uint32_t number, leaf, process;
	char example[32];
	size_t count;
	int r;

	find_user(event, &number, &leaf);
	nodes = event_decoder_nodes(event->batch->decoder, &count);
	task = event_decoder_task(event->batch->decoder, number);
	if (!task || leaf < STACK_FIRST_NODE)
		return 0;
	r = timeline_process(timeline, task->tgid, &process);
	if (r < 0)
		return r;
	for (uint32_t node = nodes[leaf].parent; node >= STACK_FIRST_NODE; node = nodes[node].parent)
		if (!is_code(timeline, process, nodes[node].address)) {
			(void)snprintf(example, sizeof(example), "0x%" PRIx64, nodes[node].address);
			privacy_count(privacy, PRIVACY_WORDS, 1, example);
		}
	return 0;
}

static int read_stacks(struct privacy *privacy, struct trace_file *file, struct trace_model *model)
{
	struct event_stream *stream;
	struct stream_event event;
	int r = event_stream_create(file, model->section, &stream);

	if (r < 0)
		return r;
	while ((r = event_stream_next(stream, &event)) > 0) {
		r = timeline_advance(&model->timeline, event.event->time);
		if (!r)
			r = count_words(privacy, &model->timeline, &event);
		if (r < 0)
			break;
	}
	event_stream_destroy(stream);
	return r;
}

/* --- records --- */

static int read_records(struct privacy *privacy, struct event_decoder *decoder, const void *payload, size_t length)
{
	struct event event;
	int r;

	event_decoder_start(decoder, payload, length);
	while ((r = event_decoder_next(decoder, &event)) > 0) {
		r = privacy_take(privacy, &event);
		if (r < 0)
			return r;
	}
	privacy_count(privacy, PRIVACY_UNKNOWN, event_decoder_unknown(decoder),
		      "of kinds that this version does not know");
	return r == -EBADMSG ? 0 : r;
}

static bool is_known(uint16_t type)
{
	return type >= RWK_CHUNK_STATE && type <= RWK_CHUNK_NAMES;
}

static bool holds_records(uint16_t type)
{
	return is_known(type) && type != RWK_CHUNK_INDEX && type != RWK_CHUNK_PARITY;
}

static int read_chunk(struct privacy *privacy, struct trace_file *file, uint32_t number, struct event_decoder *decoder)
{
	const struct rwk_chunk_header *header = &file->chunks[number].header;
	const void *payload;
	int r;

	if (!is_known(header->type))
		privacy_count(privacy, PRIVACY_UNKNOWN, 1, "a chunk of a type that this version does not know");
	if (!holds_records(header->type))
		return 0;
	r = trace_file_load(file, number, &payload);
	if (r == -EBADMSG)
		privacy_count(privacy, PRIVACY_UNREADABLE, header->stored_size, "of a damaged chunk");
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	return read_records(privacy, decoder, payload, header->raw_size);
}

/* Reads the events first, to find out which other names have no event. */
static int read_chunks(struct privacy *privacy, struct trace_file *file, uint32_t section, bool events)
{
	struct event_decoder *decoder = NULL;
	int r = event_decoder_create(&decoder);

	for (uint32_t i = 0; i < file->chunk_count && r >= 0; i++)
		if (file->chunks[i].section == section && (file->chunks[i].header.type == RWK_CHUNK_EVENTS) == events)
			r = read_chunk(privacy, file, i, decoder);
	event_decoder_destroy(decoder);
	return r;
}

int privacy_read(struct privacy *privacy, struct trace_file *file, size_t section)
{
	struct trace_model *model = &file->models[section];
	uint64_t realtime = file->sections[section].header.realtime;
	int r;

	privacy->model = model;
	if (file->sections[section].unsupported) {
		privacy_count(privacy, PRIVACY_UNREADABLE, file->sections[section].length,
			      "of an incompatible version");
		return 0;
	}
	if (realtime)
		privacy_count(privacy, PRIVACY_TIMES, 1, figure_date(realtime).text);
	r = read_chunks(privacy, file, model->section, true);
	if (r >= 0)
		r = read_chunks(privacy, file, model->section, false);
	return r < 0 ? r : read_stacks(privacy, file, model);
}

int privacy_read_damage(struct privacy *privacy, struct trace_file *file)
{
	struct trace_damage damage;

	trace_reader_damage(file->reader, &damage);
	privacy_count(privacy, PRIVACY_UNREADABLE, damage.bytes + damage.torn_tail, "outside of whole chunks");
	return 0;
}
