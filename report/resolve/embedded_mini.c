/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/embedded_mini.h"

#include <string.h>

#include "report/read/trace_file.h"

struct gathering {
	uint32_t module; /* as the trace calls it */
	uint8_t *bytes;
	size_t size;
};

static int take_piece(struct event *event, void *data)
{
	const struct event_embed_unwind *piece = &event->embed_unwind;
	struct gathering *gathering = data;

	if (event->kind != EVENT_EMBED_UNWIND || piece->module != gathering->module || piece->section != UNWIND_MINI_DEBUG_INFO)
		return 0;
	if (!gathering->bytes && piece->size) {
		gathering->bytes = calloc(1, piece->size);
		if (!gathering->bytes)
			return -ENOMEM;
		gathering->size = piece->size;
	}
	if (!gathering->bytes || piece->size != gathering->size || piece->offset > piece->size ||
	    piece->bytes.length > piece->size - piece->offset)
		return 0;
	memcpy(gathering->bytes + piece->offset, piece->bytes.bytes, piece->bytes.length);
	return 0;
}

int embedded_mini_add(const struct module *module, const struct module_part *part, struct symbol_list *list)
{
	struct gathering gathering = {.module = part->module->id};
	int r = trace_file_each_record(part->model->file, &part->module->mini_chunks, take_piece, &gathering);

	if (r == 0 && gathering.bytes)
		r = file_symbols_add_packed(gathering.bytes, gathering.size, &module->id, list);
	free(gathering.bytes);
	return r == -ENOMEM ? r : 0;
}
