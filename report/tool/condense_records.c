/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "format/event_decoder.h"
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

/* The writer makes a file header of its own, and says so itself. */
static bool is_dropped(const struct event *event)
{
	return event->kind == EVENT_META &&
	       (is_key(&event->meta.key, "file-header") || is_key(&event->meta.key, "command_line"));
}

typedef int take_record(struct condensing *condensing, struct event *event, void *data);

static int each_record(struct condensing *condensing, const void *payload, size_t length, take_record *take, void *data)
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

typedef ARRAY(void *) payload_copies;

struct taking {
	enum rwk_chunk_type type;
	take_record *take;
	void *data;
	payload_copies *copies; /* of the payloads, which the records point into; NULL: not needed */
};

static int copy_payload(payload_copies *copies, const void **payload, size_t length)
{
	void *copy = malloc(length + 1);

	if (!copy || array_push(copies, copy) < 0) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, *payload, length);
	*payload = copy;
	return 0;
}

static int take_chunk(struct condensing *condensing, uint32_t chunk, const struct taking *taking)
{
	size_t length = condensing->file->chunks[chunk].header.raw_size;
	const void *payload;
	int r = trace_file_load(condensing->file, chunk, &payload);

	if (r < 0) /* damage is told as that of the file */
		return r == -EBADMSG ? 0 : r;
	if (taking->copies)
		r = copy_payload(taking->copies, &payload, length);
	return r < 0 ? r : each_record(condensing, payload, length, taking->take, taking->data);
}

/* The section's chunks of one type, as far as they are whole. */
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

static int take_state(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	return condense_taken(condensing, event->kind < EVENT_TASK ? event_log_add(condensing->log, event) : -EINVAL);
}

int condense_state(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_STATE, .take = take_state});
}

/* --- what was embedded --- */

typedef ARRAY(struct event_symbol) symbol_list;

/* They point into the payload, as the record does. */
static int gather_symbols(struct event *event, symbol_list *symbols)
{
	struct event_symbol symbol;
	uint64_t address = 0;
	int r;

	symbols->count = 0;
	while ((r = event_next_symbol(event, &address, &symbol)) > 0)
		if (array_push(symbols, symbol) < 0)
			return -ENOMEM;
	return r == -EBADMSG ? -EINVAL : r;
}

static int take_symbols(struct condensing *condensing, struct event *event, symbol_list *symbols)
{
	int r = gather_symbols(event, symbols);

	if (r < 0 || !symbols->count)
		return r;
	if (event->kind == EVENT_PERF_MAP)
		return event_log_add_perf_map(condensing->log, event->perf_map.tgid, symbols->items, symbols->count);
	return event_log_add_embed_symbols(condensing->log, event->embed_symbols.module, symbols->items, symbols->count);
}

/* Unwind information goes: nothing is left that it would unwind. Packed symbols have come the same way, and stay. */
static int take_embedded(struct condensing *condensing, struct event *event, void *data)
{
	int r;

	switch (event->kind) {
	case EVENT_EMBED_UNWIND:
		if (event->embed_unwind.section != UNWIND_MINI_DEBUG_INFO)
			return 0;
		r = event_log_add_embed_unwind(condensing->log, &event->embed_unwind);
		break;
	case EVENT_EMBED_MODULE:
		r = event_log_add_embed_module(condensing->log, &event->embed_module);
		break;
	case EVENT_EMBED_SYMBOLS:
	case EVENT_PERF_MAP:
		r = take_symbols(condensing, event, data);
		break;
	case EVENT_EMBED_LINES:
		r = condense_take_lines(condensing, event);
		break;
	default:
		return take_state(condensing, event, NULL);
	}
	return condense_taken(condensing, r);
}

int condense_embedded(struct condensing *condensing)
{
	symbol_list symbols = {0};
	int r = each_chunk(condensing,
			   &(struct taking){.type = RWK_CHUNK_EMBED, .take = take_embedded, .data = &symbols});

	array_free(&symbols);
	return r;
}

/* --- the end --- */

struct endings {
	ARRAY(struct event) records;
	payload_copies copies;
};

static void endings_deinit(struct endings *endings)
{
	for (size_t i = 0; i < endings->copies.count; i++)
		free(endings->copies.items[i]);
	array_free(&endings->copies);
	array_free(&endings->records);
}

static int take_ending(struct condensing *condensing, struct event *event, void *data)
{
	struct endings *endings = data;

	return event->kind < EVENT_TASK ? array_push(&endings->records, *event) : condense_taken(condensing, -EINVAL);
}

int condense_end(struct condensing *condensing, enum rwk_end_reason reason)
{
	_cleanup_(endings_deinit) struct endings endings = {0};
	int r = each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_END,
							.take = take_ending,
							.data = &endings,
							.copies = &endings.copies});

	if (r >= 0)
		r = event_log_close(condensing->log, reason, endings.records.items, endings.records.count);
	return condense_taken(condensing, r);
}
