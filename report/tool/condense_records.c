/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_decoder.h"
#include "format/section_id.h"
#include "report/read/progress.h"
#include "report/tool/condense_parts.h"

int condense_taken(struct condensing *condensing, int r)
{
	if (r != -EINVAL)
		return r;
	condensing->counts.left_out++;
	return 0;
}

static bool is_key(const struct event_text *key, const char *name)
{
	return key->length == strlen(name) && !memcmp(key->bytes, name, key->length);
}

/*
 * The writer makes the file header and its copy itself. Sections have new ids, so references to them are rewritten.
 * condense_symbols() writes all symbols. Of unwind information nothing is left to unwind.
 */
static bool is_dropped(const struct event *event)
{
	if (event->kind == EVENT_KERNEL_SYMBOL || event->kind == EVENT_EMBED_SYMBOLS || event->kind == EVENT_PERF_MAP ||
	    event->kind == EVENT_EMBED_UNWIND)
		return true;
	if (event->kind == EVENT_LOSS)
		return condense_writes_total(&event->loss);
	return event->kind == EVENT_META &&
	       (is_key(&event->meta.key, "command_line") || is_key(&event->meta.key, "condensed") ||
		is_key(&event->meta.key, SECTION_ADDS_TO));
}

typedef int take_record(struct condensing *condensing, struct event *event, void *data);

static int each_record(struct condensing *condensing, const void *payload, size_t length,
		       take_record *take, void *data)
{
	struct event_decoder *decoder = NULL;
	struct event event;
	int r = event_decoder_create(&decoder);

	if (r < 0)
		return r;
	event_decoder_start(decoder, payload, length);
	while ((r = event_decoder_next(decoder, &event)) > 0) {
		r = is_dropped(&event) ? 0 : take(condensing, &event, data);
		if (r < 0)
			break;
	}
	condensing->counts.left_out += event_decoder_unknown(decoder);
	condensing->counts.malformed += r == -EBADMSG;
	event_decoder_destroy(decoder);
	return r == -EBADMSG ? 0 : r;
}

struct taking {
	enum rwk_chunk_type type;
	take_record *take;
	void *data;
};

static int take_chunk(struct condensing *condensing, uint32_t chunk, const struct taking *taking)
{
	size_t length = condensing->file->chunks[chunk].header.raw_size;
	const void *payload;
	int r = trace_file_load(condensing->file, chunk, &payload);

	if (r < 0) /* damage is reported for the whole file */
		return r == -EBADMSG ? 0 : r;
	return each_record(condensing, payload, length, taking->take, taking->data);
}

/* Reads the section's chunks of one type, as far as they are intact. */
static int each_chunk(struct condensing *condensing, const struct taking *taking)
{
	const struct trace_model *model = condensing->model;
	const struct trace_chunk *chunks = condensing->file->chunks;
	int r = 0;

	for (uint32_t i = model->first_chunk; i < model->end_chunk && r >= 0; i++)
		if (progress_stopped(condensing->profile->names.progress))
			r = -ECANCELED;
		else if (chunks[i].section == model->section && chunks[i].header.type == taking->type)
			r = take_chunk(condensing, i, taking);
	return r;
}

/* Other records are written before the events, so even a trace that is cut short tells where it is from. */
static bool is_named_by_events(const struct event *event)
{
	return event->kind == EVENT_MODULE || event->kind == EVENT_MAPPING || event->kind == EVENT_FORK ||
	       event->kind == EVENT_COMM || event->kind == EVENT_EXIT || event->kind == EVENT_OBJECT;
}

static int take_state(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (is_named_by_events(event))
		return 0;
	return condense_taken(condensing, event->kind < EVENT_TASK ? condense_write(condensing, event) : -EINVAL);
}

int condense_state(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_STATE, .take = take_state});
}

static int take_referred(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (!is_named_by_events(event))
		return 0;
	if (condense_is_referred(condensing, event))
		return condense_taken(condensing, condense_write(condensing, event));
	return 0;
}

int condense_referred(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_STATE, .take = take_referred});
}

/* --- what was embedded --- */

static int take_embedded(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (!condense_is_referred(condensing, event))
		return 0;
	if (event->kind == EVENT_EMBED_LINES)
		return condense_taken(condensing, condense_write_lines(condensing, event));
	return condense_taken(condensing, event->kind < EVENT_TASK || event->kind == EVENT_EMBED_MODULE ?
						  condense_write(condensing, event) : -EINVAL);
}

int condense_embedded(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_EMBED, .take = take_embedded});
}

/* --- the end --- */

typedef ARRAY(struct event) event_list;

/* Totals, which have no texts. A recorder writes nothing else there; anything else in a trace is no total. */
static bool is_total(const struct event *event)
{
	return event->kind == EVENT_LOSS || event->kind == EVENT_COST || event->kind == EVENT_PROBE_HITS ||
	       event->kind == EVENT_COUNTER || event->kind == EVENT_CLOCK;
}

static int take_total(struct condensing *condensing, struct event *event, event_list *totals)
{
	int r = condensing->scrub ? scrub_record(condensing->scrub, condensing->model, event) : 1;

	return r > 0 ? array_push(totals, *event) : r;
}

static int take_ending(struct condensing *condensing, struct event *event, void *data)
{
	if (is_total(event))
		return take_total(condensing, event, data);
	if (is_named_by_events(event))
		return take_referred(condensing, event, NULL);
	return take_state(condensing, event, NULL);
}

int condense_end(struct condensing *condensing, enum rwk_end_reason reason)
{
	event_list totals = {0};
	int r = each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_END, .take = take_ending, .data = &totals});

	if (r >= 0)
		r = event_log_close(condensing->log, reason, totals.items, totals.count);
	array_free(&totals);
	return condense_taken(condensing, r);
}

/* --- names of objects --- */

/*
 * Names of what waits were for. A condensed trace has stand-ins instead, which distinguish names
 * and say nothing else: "file#3" for a path, "name#2" for that of a unix socket, "peer#1" for the
 * address of a socket's other end.
 */
struct stand_ins {
	struct hash_map paths, names, peers;
};

static void stand_ins_deinit(struct stand_ins *all)
{
	hash_map_deinit(&all->paths);
	hash_map_deinit(&all->names);
	hash_map_deinit(&all->peers);
}

/* The length of the stand-in; 0 if none is needed. -ENOMEM. */
static int stand_in(struct stand_ins *all, const struct trace_object *object, char *text, size_t room)
{
	const bool is_unix = object->about.kind == OBJECT_UNIX;
	const bool peer = object->has_addresses && object->about.peer_port;
	struct hash_map *known = peer ? &all->peers : is_unix ? &all->names : &all->paths;
	const void *key = peer ? (const void *)object->peer_address : object->path;
	size_t length = peer ? sizeof(object->peer_address) : strlen(object->path);
	uint64_t *number;
	int r;

	if (!length || object->about.kind == OBJECT_LOCK || object->about.kind == OBJECT_BLOCK) /* the kernel's names */
		return 0;
	r = hash_map_add(known, key, length, known->count + 1, &number);
	return r < 0 ? r : snprintf(text, room, "%s#%llu", peer ? "peer" : is_unix ? "name" : "file",
				    (unsigned long long)*number);
}

static int write_name(struct condensing *condensing, struct stand_ins *all, const struct trace_object *object)
{
	struct event event = {.kind = EVENT_OBJECT_NAME, .object_name.number = object->about.number};
	char text[32];
	int r = stand_in(all, object, text, sizeof(text));

	if (r <= 0)
		return r;
	event.object_name.path = (struct event_text){text, (uint32_t)r};
	return condense_taken(condensing, condense_write(condensing, &event));
}

int condense_object_names(struct condensing *condensing)
{
	_cleanup_(stand_ins_deinit) struct stand_ins all = {0};
	const struct trace_model *model = condensing->model;
	int r = 0;

	if (!model->objects.count)
		return 0;
	if (hash_map_init(&all.paths) < 0 || hash_map_init(&all.names) < 0 || hash_map_init(&all.peers) < 0)
		return -ENOMEM;
	r = event_log_want_names(condensing->log);
	for (size_t i = 0; i < model->objects.count && r >= 0; i++)
		if (condense_is_used(condensing, USE_OBJECT, model->objects.items[i].about.number, 0))
			r = write_name(condensing, &all, &model->objects.items[i]);
	return r;
}
