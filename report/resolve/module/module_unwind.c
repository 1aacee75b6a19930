/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/module_unwind.h"

#include <string.h>

#include "common/cleanup.h"
#include "report/read/trace_file.h"

void module_unwind_destroy(struct module_unwind *unwind)
{
	if (unwind)
		cfi_file_close(&unwind->file);
	free(unwind);
}

/* --- the return address of signal handlers --- */

/* Those of musl and of the arm64 vDSO have no FDE, so they are found by name. */
static bool is_trampoline(const char *name)
{
	return !strcmp(name, "__restore_rt") || !strcmp(name, "__kernel_rt_sigreturn");
}

static uint64_t trampoline_in(const struct symbol_index *index)
{
	for (uint32_t i = 0; index && i < symbol_index_count(index); i++)
		if (is_trampoline(symbol_index_name(index, i)))
			return symbol_index_start(index, i);
	return 0;
}

/* The lookup only loads the module's names. */
static int find_trampoline(struct modules *modules, uint32_t number, uint64_t *ret_address)
{
	const struct module *module = modules->items.items[number];
	struct module_symbol unused;
	int r = modules_find_symbol(modules, number, 0, false, &unused);

	*ret_address = trampoline_in(module->embedded);
	if (!*ret_address)
		*ret_address = trampoline_in(module->local);
	return r < 0 ? r : 0;
}

/* --- from the trace --- */

int module_unwind_join(const struct event_embed_unwind *piece, struct elf_section_bytes *section)
{
	bool first = !section->bytes;

	if (!piece->size || piece->offset > piece->size || piece->bytes.length > piece->size - piece->offset)
		return 0;
	if (first) {
		section->bytes = calloc(1, piece->size);
		if (!section->bytes)
			return -ENOMEM;
		section->size = piece->size;
		section->address = piece->address;
	}
	if (section->size != piece->size || section->address != piece->address)
		return 0; /* it seems to be of another file with the same build-id: do not mix them */
	memcpy(section->bytes + piece->offset, piece->bytes.bytes, piece->bytes.length);
	return first;
}

struct gathering { /* collects the pieces of one module */
	const struct module_part *part;
	struct elf_unwind bytes;
	uint64_t text, data;
};

static int take_piece(const struct event_embed_unwind *piece, struct gathering *gathering)
{
	bool debug = piece->section == UNWIND_DEBUG_FRAME;
	int r;

	if (!debug && piece->section != UNWIND_EH_FRAME)
		return 0;
	r = module_unwind_join(piece, debug ? &gathering->bytes.debug_frame : &gathering->bytes.eh_frame);
	if (r > 0) {
		gathering->text = piece->text;
		gathering->data = piece->data;
	}
	return r < 0 ? r : 0;
}

static int take_record(struct event *event, void *data)
{
	struct gathering *gathering = data;

	if (event->kind != EVENT_EMBED_UNWIND || event->embed_unwind.module != gathering->part->module->id)
		return 0;
	return take_piece(&event->embed_unwind, gathering);
}

static int gather(const struct module *module, struct gathering *gathering)
{
	int r = 0;

	for (size_t i = 0; i < module->parts.count && !r; i++) {
		gathering->part = &module->parts.items[i];
		r = trace_file_each_record(gathering->part->model->file, &gathering->part->module->unwind_chunks,
					   take_record, gathering);
	}
	return r;
}

static int open_embedded(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
			 struct module_unwind *unwind)
{
	struct gathering gathering = {0};
	uint64_t trampoline = 0;
	int r = gather(modules->items.items[number], &gathering);

	unwind->file.bytes = gathering.bytes;
	if (!r && (unwind->file.bytes.eh_frame.bytes || unwind->file.bytes.debug_frame.bytes)) {
		unwind->source = UNWIND_FROM_TRACE;
		r = find_trampoline(modules, number, &trampoline);
	}
	if (!r && unwind->source == UNWIND_FROM_TRACE)
		r = cfi_file_index(&unwind->file, (struct cfi_source){.arch = arch,
								      .text_address = gathering.text,
								      .data_address = gathering.data,
								      .signal_trampoline = trampoline});
	return r;
}

/* --- from this machine --- */

static int open_local(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
		      struct module_unwind *unwind)
{
	const struct module *module = modules->items.items[number];
	_cleanup_(local_elf_close) struct local_elf binary = {.fd = -1}, debug = {.fd = -1};
	uint64_t trampoline;
	int r = local_elf_open(&modules->files, module->path, &module->id, &binary);

	if (!r && elf_file_machine(binary.elf) != arch->machine)
		r = -EBADMSG;
	if (!r)
		r = find_trampoline(modules, number, &trampoline);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = local_elf_open_debug_for(&modules->files, module->path, &module->id, binary.elf, NULL, &debug);
	if (r != -ENOMEM)
		r = cfi_file_open(binary.elf, r ? NULL : debug.elf, trampoline, &unwind->file);
	if (!r)
		unwind->source = UNWIND_FROM_FILE;
	return r == -ENOMEM ? r : 0;
}

int module_unwind_find(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
		       const struct cfi_section **ret_section)
{
	struct module *module = modules->items.items[number];
	int r = 0;

	*ret_section = NULL;
	if (!module->unwind) {
		module->unwind = calloc(1, sizeof(*module->unwind));
		if (!module->unwind)
			return -ENOMEM;
		module->unwind->source = UNWIND_NOWHERE;
		if (module->kind == MODULE_FILE || module->kind == MODULE_VDSO) {
			(void)modules_address(modules, number, 0); /* finds its segments, on which its names depend */
			r = open_embedded(modules, number, arch, module->unwind);
		}
		if (!r && module->kind == MODULE_FILE && module->unwind->source == UNWIND_NOWHERE)
			r = open_local(modules, number, arch, module->unwind);
	}
	if (module->unwind->file.section && cfi_section_arch(module->unwind->file.section) == arch)
		*ret_section = module->unwind->file.section;
	return r;
}
