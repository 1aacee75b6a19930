/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/modules.h"

#include <elf.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/read/progress.h"
#include "report/resolve/module_symbols.h"
#include "report/resolve/module_unwind.h"

static int add_item(struct modules *modules, struct module **ret_module)
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

int modules_init(struct modules *modules, const struct local_files *files)
{
	struct module *none;
	int r;

	*modules = (struct modules){.files = *files};
	r = text_pool_init(&modules->texts);
	if (r < 0)
		return r;
	modules->keys = calloc(1, sizeof(*modules->keys));
	r = modules->keys ? hash_map_init(modules->keys) : -ENOMEM;
	if (r == 0)
		r = add_item(modules, &none);
	if (r == 0)
		none->name = "[unknown]";
	return r;
}

void modules_deinit(struct modules *modules)
{
	for (size_t i = 0; i < modules->items.count; i++) {
		struct module *module = modules->items.items[i];

		symbol_index_destroy(module->embedded);
		symbol_index_destroy(module->local);
		module_unwind_destroy(module->unwind);
		line_answers_deinit(&module->lines);
		array_free(&module->parts);
		free(module->segments);
		free(module);
	}
	array_free(&modules->items);
	if (modules->keys)
		hash_map_deinit(modules->keys);
	free(modules->keys);
	text_pool_deinit(&modules->texts);
}

/* --- which module is which --- */

/* What two modules have in common that are one. The path follows where there is no build-id. */
struct module_key {
	uint32_t kind, host, tgid, id_length;
	uint64_t device, inode;
	uint8_t id[BUILD_ID_MAX];
};

static int make_key(const struct trace_module *module, uint32_t host, uint32_t tgid, void **ret_key, size_t *ret_length)
{
	struct module_key key = {.kind = module->kind, .tgid = tgid, .id_length = module->build_id.length};
	size_t path = 0;
	uint8_t *bytes;

	if (module->build_id.length) {
		memcpy(key.id, module->build_id.bytes, module->build_id.length);
	} else {
		key.host = host;
		key.device = module->device;
		key.inode = module->inode;
		path = strlen(module->path);
	}
	bytes = malloc(sizeof(key) + path);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, &key, sizeof(key));
	memcpy(bytes + sizeof(key), module->path, path);
	*ret_key = bytes;
	*ret_length = sizeof(key) + path;
	return 0;
}

static int format_name(struct modules *modules, const struct trace_module *module, const char **ret_name)
{
	const char *slash = strrchr(module->path, '/'), *path = module->path;
	char text[256];
	int length;

	if (module->kind == MODULE_FILE) {
		*ret_name = slash && slash[1] ? slash + 1 : path;
		return 0;
	}
	if (module->kind == MODULE_ANONYMOUS)
		path = "anon";
	if (path[0] == '[') {
		*ret_name = path;
		return 0;
	}
	length = snprintf(text, sizeof(text), "[%s]", path);
	return text_pool_add(&modules->texts, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1,
			     ret_name);
}

static int describe(struct modules *modules, const struct trace_module *source, uint32_t tgid, struct module *module)
{
	char text[BUILD_ID_TEXT];
	int length, r;

	module->kind = source->kind;
	module->path = source->path;
	module->id = source->build_id;
	module->tgid = tgid;
	build_id_text(&source->build_id, text);
	r = text_pool_add(&modules->texts, text, strlen(text), &module->build_id);
	if (r == 0)
		r = format_name(modules, source, &module->name);
	if (r < 0 || !tgid)
		return r;
	length = snprintf(text, sizeof(text), "/tmp/perf-%u.map", tgid);
	return text_pool_add(&modules->texts, text, (size_t)length, &module->path);
}

enum { PARTS_LOOKED_AT = 64 };

/* Looks at the last few: a file has few paths, and a part that stands twice does no harm. */
static bool has_part(const struct module *module, const struct trace_module *part)
{
	size_t count = module->parts.count;

	for (size_t i = count; i > 0 && count - i < PARTS_LOOKED_AT; i--)
		if (module->parts.items[i - 1].module == part)
			return true;
	return false;
}

int modules_add_jit(struct modules *modules, const struct trace_model *model, const struct trace_module *source,
		    uint32_t host, uint32_t tgid, uint32_t *ret_number)
{
	_cleanup_free_ void *key = NULL;
	struct module *module;
	uint64_t *number;
	size_t length;
	int r;

	if (source->kind != MODULE_ANONYMOUS || !trace_model_perf_map(model, tgid))
		tgid = 0;
	r = make_key(source, host, tgid, &key, &length);
	if (r == 0)
		r = hash_map_add(modules->keys, key, length, modules->items.count, &number);
	if (r > 0) {
		r = add_item(modules, &module);
		if (r == 0)
			r = describe(modules, source, tgid, module);
	}
	if (r < 0)
		return r;
	module = modules->items.items[*number];
	*ret_number = (uint32_t)*number;
	if (has_part(module, source))
		return 0;
	return array_push(&module->parts, (struct module_part){.model = model, .module = source});
}

int modules_add(struct modules *modules, const struct trace_model *model, const struct trace_module *module,
		uint32_t host, uint32_t *ret_number)
{
	return modules_add_jit(modules, model, module, host, 0, ret_number);
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

/* The executable segment that the byte was loaded from. The loader maps whole pages, so one may begin a little early. */
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

static bool find_in(struct symbol_index *index, uint64_t address, bool caller, struct module_symbol *ret_symbol)
{
	uint32_t symbol;

	if (!index)
		return false;
	if (caller && address) {
		uint32_t exact;

		/* A signal handler returns to the first byte of the trampoline, which nobody called. */
		if (symbol_index_find(index, address, &exact) && symbol_index_start(index, exact) == address &&
		    !strcmp(symbol_index_name(index, exact), "__restore_rt"))
			symbol = exact;
		else if (!symbol_index_find(index, address - 1, &symbol))
			return false;
	} else if (!symbol_index_find(index, address, &symbol)) {
		return false;
	}
	*ret_symbol = (struct module_symbol){
		.index = index, .symbol = symbol, .start = symbol_index_start(index, symbol)};
	return true;
}

/* Where only the functions that were hit are in the trace, the one before a return address may be missing. */
static bool find_either(struct symbol_index *index, uint64_t address, bool caller, struct module_symbol *ret_symbol)
{
	return find_in(index, address, caller, ret_symbol) || (caller && find_in(index, address, false, ret_symbol));
}

bool module_was_embedded(const struct module *module)
{
	for (size_t i = 0; i < module->parts.count; i++) {
		uint32_t status = module->parts.items[i].module->embed_status;

		if (status == EMBED_FULL || status == EMBED_MIN)
			return true;
	}
	return false;
}

/* A report must not depend on where it is made, so of a module whose file was read while recording the trace has the last
 * word, unless the user asks for more. */
static bool wants_local(const struct modules *modules, const struct module *module)
{
	bool user = module->kind == MODULE_FILE || module->kind == MODULE_VDSO;

	return !user || modules->files.debug_dirs_given || modules->files.server || !module_was_embedded(module);
}

/* A Ctrl-C that comes meanwhile ends questions to servers, here and later, and nothing else: reading a table does not take long. */
static int load_local(struct modules *modules, struct module *module)
{
	int r;

	progress_enter(modules->progress);
	(void)progress_step(modules->progress, "names", module->name, 0, 0);
	r = module_symbols_load_local(modules, module);
	progress_leave(modules->progress);
	return r;
}

int modules_find_symbol(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			struct module_symbol *ret_symbol)
{
	struct module *module = modules->items.items[number];
	int r = 0;

	if (module->embedded_state == SYMBOLS_NOT_ASKED)
		r = module_symbols_load_embedded(modules, module);
	if (r == 0 && find_either(module->embedded, address, caller, ret_symbol))
		return 1;
	if (r == 0 && module->local_state == SYMBOLS_NOT_ASKED && wants_local(modules, module))
		r = load_local(modules, module);
	if (r < 0)
		return r;
	return find_either(module->local, address, caller, ret_symbol);
}
