/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/embedded_mini.h"

#include "report/read/trace_file.h"
#include "report/resolve/module/embedded_piece.h"
#include "report/resolve/module/module_budget.h"
#include "report/resolve/symbol/mini_symbols.h"

struct gathering {
	uint32_t module; /* the trace's id of it */
	struct elf_section_bytes packed;
};

static int take_piece(struct event *event, void *data)
{
	const struct event_embed_unwind *piece = &event->embed_unwind;
	struct gathering *gathering = data;
	int r;

	if (event->kind != EVENT_EMBED_UNWIND || piece->module != gathering->module ||
	    piece->section != UNWIND_MINI_DEBUG_INFO)
		return 0;
	r = embedded_piece_take(piece, &gathering->packed);
	return r < 0 ? r : 0;
}

int embedded_mini_add(struct modules *modules, const struct module *module, const struct module_part *part,
		      struct symbol_list *list)
{
	struct gathering gathering = {.module = part->module->id};
	uint64_t *left = module_budget_find(modules, part->model);
	int r = left ? trace_file_each_record(part->model->file, &part->module->mini_chunks, take_piece, &gathering) :
		       -ENOMEM;

	if (!r && gathering.packed.bytes)
		r = mini_symbols_add_packed(gathering.packed.bytes, gathering.packed.size, &module->id, left,
					    list);
	modules->left_packed += r == -E2BIG;
	free(gathering.packed.bytes);
	return r == -ENOMEM ? r : 0;
}
