/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/symbol/modules.h"

#include <elf.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/symbol/modules_internal.h"

int module_create(struct modules *modules, struct module **ret_module)
{
	struct module *module = calloc(1, sizeof(*module));

	if (!module || array_push(&modules->items, module) < 0) {
		free(module);
		return -ENOMEM;
	}
	module->name = module->path = module->build_id = module->local_path = module->refused_path = "";
	*ret_module = module;
	return 0;
}

void module_destroy(struct module *module)
{
	symbol_index_destroy(module->embedded);
	symbol_index_destroy(module->functions);
	if (module->unwind)
		cfi_file_close(&module->unwind->file);
	free(module->unwind);
	line_answers_deinit(&module->lines);
	array_free(&module->parts);
	free(module->segments);
	free(module);
}

int modules_init(struct modules *modules, const struct local_files *files)
{
	struct module *none;
	int r;

	*modules = (struct modules){.files = *files};
	r = text_pool_init(&modules->texts);
	if (!r)
		r = module_identities_create(&modules->identities);
	if (!r)
		r = local_store_create(&modules->store);
	if (!r)
		r = module_create(modules, &none);
	if (!r)
		none->name = "[unknown]";
	return r;
}

void modules_deinit(struct modules *modules)
{
	for (size_t i = 0; i < modules->items.count; i++)
		module_destroy(modules->items.items[i]);
	array_free(&modules->items);
	array_free(&modules->budgets);
	module_identities_destroy(modules->identities);
	local_store_destroy(modules->store);
	text_pool_deinit(&modules->texts);
}

/* Real data expands 3 to 10 times, an xz bomb 7,000 times. */
enum { BUDGET_FREE = 16 << 20, BUDGET_FACTOR = 32 };

uint64_t *modules_budget(struct modules *modules, const struct trace_model *model)
{
	uint64_t stored = model->statistics[RWK_CHUNK_EMBED].stored_bytes;
	struct module_budget budget = {.model = model,
				       .left = stored * BUDGET_FACTOR + BUDGET_FREE};

	for (size_t i = 0; i < modules->budgets.count; i++)
		if (modules->budgets.items[i].model == model)
			return &modules->budgets.items[i].left;
	if (array_push(&modules->budgets, budget) < 0)
		return NULL;
	return &modules->budgets.items[modules->budgets.count - 1].left;
}

/* --- from file offsets to link-time addresses --- */

static bool embedded_segments(struct module *module)
{
	for (size_t i = 0; i < module->parts.count; i++) {
		const struct trace_module *part = module->parts.items[i].module;

		if (!part->segment_count)
			continue;
		module->segments = calloc(part->segment_count, sizeof(*module->segments));
		if (!module->segments)
			return false;
		memcpy(module->segments, part->segments, part->segment_count * sizeof(*module->segments));
		module->segment_count = part->segment_count;
		return true;
	}
	return false;
}

static bool local_segments(struct modules *modules, struct module *module)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1};
	const struct elf_segment *segments;
	size_t count;

	if (local_elf_open(&modules->files, module->path, &module->id, &local) < 0 &&
	    local_elf_open_fetched(&modules->files, &module->id, &local) < 0)
		return false;
	count = elf_file_segments(local.elf, &segments);
	module->segments = count ? calloc(count, sizeof(*module->segments)) : NULL;
	if (!module->segments)
		return false;
	for (size_t i = 0; i < count; i++)
		module->segments[i] = (struct event_segment){.file_offset = segments[i].file_offset,
							     .address = segments[i].address,
							     .file_size = segments[i].file_size,
							     .memory_size = segments[i].memory_size,
							     .flags = segments[i].flags};
	module->segment_count = count;
	return true;
}

/*
 * The executable segment that contains the byte. The loader maps whole pages, so the mapping may
 * start a little earlier than the segment.
 */
static const struct event_segment *find_segment(const struct module *module, uint64_t file_offset)
{
	const uint64_t page = 4096;

	for (size_t i = 0; i < module->segment_count; i++) {
		const struct event_segment *segment = &module->segments[i];
		uint64_t start = segment->file_offset & ~(page - 1);

		if ((segment->flags & PF_X) && file_offset >= start &&
		    file_offset - start < segment->file_size + (segment->file_offset - start))
			return segment;
	}
	return NULL;
}

uint64_t modules_address(struct modules *modules, uint32_t number, uint64_t file_offset)
{
	struct module *module = modules->items.items[number];
	const struct event_segment *segment;

	if (module->kind != MODULE_FILE && module->kind != MODULE_VDSO)
		return file_offset;
	if (!module->located) {
		module->located = true;
		module->link_time = embedded_segments(module) || local_segments(modules, module);
	}
	segment = find_segment(module, file_offset);
	return segment ? file_offset - segment->file_offset + segment->address : file_offset;
}

/* --- names --- */

/*
 * Whether a return address does not follow a call, so that it must be looked up as it is: a signal
 * handler returns to the first byte of the trampoline; and a kernel function that was interrupted
 * at its first byte has padding before it.
 */
static bool was_not_called(const struct symbol_index *index, uint64_t address)
{
	static const char padding[] = "__pfx_";
	uint32_t symbol, before;

	if (!symbol_index_find(index, address, &symbol) || symbol_index_start(index, symbol) != address)
		return false;
	return !strcmp(symbol_index_name(index, symbol), "__restore_rt") ||
	       (symbol_index_find(index, address - 1, &before) &&
		!strncmp(symbol_index_name(index, before), padding, sizeof(padding) - 1));
}

static bool find_in(struct symbol_index *index, uint64_t address, bool caller,
		    struct module_symbol *ret_symbol)
{
	const bool back = index && caller && address && !was_not_called(index, address);
	uint32_t symbol;

	if (!index || !symbol_index_find(index, address - back, &symbol))
		return false;
	*ret_symbol = (struct module_symbol){
		.index = index, .symbol = symbol, .start = symbol_index_start(index, symbol)};
	return true;
}

/* The trace may have only the functions that were hit, without the one before a return address. */
static bool find_either(struct symbol_index *index, uint64_t address, bool caller,
			struct module_symbol *ret_symbol)
{
	return find_in(index, address, caller, ret_symbol) ||
	       (caller && find_in(index, address, false, ret_symbol));
}

/* Whether one of its parts has one of two statuses. */
static bool is_embedded_as(const struct module *module, uint32_t one, uint32_t other)
{
	for (size_t i = 0; i < module->parts.count; i++) {
		uint32_t status = module->parts.items[i].module->embed_status;

		if (status == one || status == other)
			return true;
	}
	return false;
}

bool module_was_embedded(const struct module *module)
{
	return is_embedded_as(module, EMBED_FULL, EMBED_MIN);
}

/* Whether a trace has all symbols of the module, according to one of its parts. */
static bool is_whole(const struct module *module)
{
	return is_embedded_as(module, EMBED_FULL, EMBED_FULL);
}

/* Ctrl-C ends queries to servers, here and later, but nothing else: reading a table is fast. */
static int load(struct modules *modules, struct module *module,
		int (*load_it)(struct modules *, struct module *))
{
	int r;

	progress_enter(modules->progress);
	(void)progress_step(modules->progress, "names", module->name, 0, 0);
	r = load_it(modules, module);
	progress_leave(modules->progress);
	return r;
}

/* For a stripped file, the trace has fewer symbols than the debug file. */
static bool may_have_debug(const struct module *module)
{
	return (module->embedded || is_whole(module)) && module->link_time &&
	       module->kind == MODULE_FILE && module->id.length && !module->debug_asked;
}

/*
 * If the file was read completely while recording, this machine can only add a debug file, which
 * was already searched, except on servers.
 */
static bool wants_local(const struct modules *modules, const struct module *module)
{
	return module->kind != MODULE_FILE || modules->files.server || !is_whole(module);
}

/* Loads the tables to search before the local file is read. */
static int load_first(struct modules *modules, struct module *module)
{
	int r = 0;

	if (module->embedded_state == SYMBOLS_NOT_ASKED)
		r = module_symbols_load_embedded(modules, module);
	if (!r && may_have_debug(module)) {
		module->debug_asked = true;
		r = load(modules, module, module_symbols_load_debug);
	}
	return r;
}

/*
 * If a function has two names, uses the one in the trace: a full table has more names, and the
 * choice must not depend on the machine of the report.
 */
static bool find_best(const struct module *module, uint64_t address, bool caller,
		      struct module_symbol *ret_symbol)
{
	struct module_symbol local, embedded;
	bool has_local = module->local_first && find_either(module->local, address, caller, &local);
	bool has_embedded = find_either(module->embedded, address, caller, &embedded);

	if (has_embedded && (!has_local || local.start == embedded.start))
		*ret_symbol = embedded;
	else if (has_local)
		*ret_symbol = local;
	return has_local || has_embedded;
}

int modules_find_symbol(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			struct module_symbol *ret_symbol)
{
	struct module *module = modules->items.items[number];
	int r = load_first(modules, module);

	if (!r && find_best(module, address, caller, ret_symbol))
		return 1;
	if (!r && module->local_state == SYMBOLS_NOT_ASKED && wants_local(modules, module))
		r = load(modules, module, module_symbols_load_local);
	if (r < 0 || module->local_first)
		return r;
	return find_either(module->local, address, caller, ret_symbol);
}

/* --- functions without names --- */

static int load_functions(struct modules *modules, struct module *module)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1};
	struct local_facts *facts;
	int r = local_store_find(modules->store, module, LOCAL_FUNCTIONS, &facts);

	if (r <= 0) {
		module->local_functions = r < 0 ? NULL : facts->functions;
		return r;
	}
	module->local_functions = facts->functions = calloc(1, sizeof(*facts->functions));
	if (!facts->functions)
		return -ENOMEM;
	if (module->kind == MODULE_FILE && module->link_time &&
	    !local_elf_open(&modules->files, module->path, &module->id, &local))
		r = cfi_file_open(local.elf, NULL, 0, facts->functions);
	return r == -ENOMEM ? r : 0;
}

int modules_find_function(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			  uint64_t *ret_start, uint64_t *ret_end)
{
	struct module *module = modules->items.items[number];
	struct cfi_function function;
	uint32_t symbol;
	int r = 0;

	if (caller && address)
		address--;
	if (module->functions && symbol_index_find(module->functions, address, &symbol)) {
		*ret_start = symbol_index_start(module->functions, symbol);
		*ret_end = symbol_index_end(module->functions, symbol);
		return 1;
	}
	/* If the trace has any functions, it has all that were hit. */
	if (!module->local_functions && !module->functions)
		r = load_functions(modules, module);
	if (r < 0 || !module->local_functions || !cfi_file_function(module->local_functions, address, &function))
		return r;
	*ret_start = function.start;
	*ret_end = function.end;
	return 1;
}

/* --- unwind information: from the trace, else from the local file; each module has its own, which threads may share --- */

/* The return address of signal handlers. Those of musl and of the arm64 vDSO have no FDE, so they are found by name. */
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
