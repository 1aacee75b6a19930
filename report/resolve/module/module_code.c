/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/module_code.h"

#include <errno.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "common/sorted.h"
#include "report/read/trace_file.h"
#include "report/resolve/module/embedded_piece.h"

struct code_window {
	uint64_t address; /* link-time */
	size_t size;
	const uint8_t *bytes;
};

/*
 * Windows are searched in the section itself, where they are in order, from the mark before every
 * 16th window. A list of all windows would be up to 8 times as large as the section, which a
 * hostile trace can store compressed.
 */
enum { MARK_EVERY = 16 };

struct code_mark {
	uint64_t end; /* of the window before the mark */
	size_t at;    /* offset of the next window in the section */
};

struct module_code {
	struct local_elf file;
	struct elf_section_bytes text; /* UNWIND_CODE of the trace */
	uint64_t entry;		       /* link-time address of the entry point; 0: unknown */
	ARRAY(struct code_mark) marks; /* ascending */
};

void module_code_destroy(struct module_code *code)
{
	if (code) {
		local_elf_close(&code->file);
		array_free(&code->marks);
		free(code->text.bytes);
	}
	free(code);
}

/* --- from the trace --- */

struct gathering {
	const struct module_part *part;
	struct elf_section_bytes *text;
};

static int take_record(struct event *event, void *data)
{
	struct gathering *gathering = data;
	int r;

	if (event->kind != EVENT_EMBED_UNWIND || event->embed_unwind.section != UNWIND_CODE ||
	    event->embed_unwind.module != gathering->part->module->id)
		return 0;
	r = embedded_piece_take(&event->embed_unwind, gathering->text);
	return r < 0 ? r : 0;
}

/* False: no more windows, or a malformed one, which ends the list. An empty window is malformed. */
static bool next_window(struct byte_cursor *cursor, uint64_t *end, struct code_window *ret_window)
{
	uint64_t address = *end + byte_cursor_varint(cursor), size = byte_cursor_varint(cursor);
	struct byte_cursor bytes = byte_cursor_sub(cursor, size);

	if (!size || cursor->bad || bytes.bad || address < *end || __builtin_add_overflow(address, size, end))
		return false;
	*ret_window = (struct code_window){.address = address, .size = size, .bytes = bytes.next};
	return true;
}

static int mark_windows(struct module_code *code)
{
	struct byte_cursor cursor = byte_cursor_make(code->text.bytes, code->text.size);
	uint64_t entry = byte_cursor_varint(&cursor);
	struct code_mark mark = {0};
	struct code_window window;

	code->entry = cursor.bad ? 0 : entry;
	for (size_t i = 0;; i++) {
		struct code_mark before = {mark.end, code->text.size - byte_cursor_left(&cursor)};

		if (!next_window(&cursor, &mark.end, &window))
			return 0;
		if (i % MARK_EVERY == 0 && array_push(&code->marks, before) < 0)
			return -ENOMEM;
	}
}

/* Takes the code from the first section that has any. */
static int take_embedded(const struct module *module, struct module_code *code)
{
	struct gathering gathering = {.text = &code->text};
	int r = 0;

	for (size_t i = 0; i < module->parts.count && !r && !code->text.bytes; i++) {
		gathering.part = &module->parts.items[i];
		r = trace_file_each_record(gathering.part->model->file,
					   &gathering.part->module->unwind_chunks, take_record,
					   &gathering);
	}
	return r < 0 ? r : mark_windows(code);
}

static bool read_windows(const struct module_code *code, uint64_t address, size_t size, uint8_t *bytes)
{
	const struct code_mark *marks = code->marks.items;
	size_t above = SORTED_FIRST(i, code->marks.count, marks[i].end > address);
	struct code_mark mark = above ? marks[above - 1] : (struct code_mark){0};
	struct byte_cursor cursor = byte_cursor_make(code->text.bytes, code->text.size);
	struct code_window window = {0};

	if (!above)
		return false;
	(void)byte_cursor_bytes(&cursor, mark.at);
	while (mark.end <= address)
		if (!next_window(&cursor, &mark.end, &window))
			return false;
	if (address < window.address || size > window.size - (address - window.address))
		return false;
	memcpy(bytes, window.bytes + (address - window.address), size);
	return true;
}

/* --- from the trace or the file --- */

/* Creates module->code even if there is no code, so that it is searched only once. */
static int open_code(struct modules *modules, struct module *module)
{
	struct module_code *code = calloc(1, sizeof(*code));
	int r;

	if (!code)
		return -ENOMEM;
	code->file.fd = -1;
	module->code = code;
	if (module->kind != MODULE_FILE && module->kind != MODULE_VDSO)
		return 0;
	r = take_embedded(module, code);
	if (!r && module->kind == MODULE_FILE && !code->marks.count)
		r = local_elf_open(&modules->files, module->path, &module->id, &code->file);
	if (!r && code->file.elf)
		code->entry = elf_file_entry(code->file.elf);
	return r == -ENOMEM ? r : 0;
}

int module_code_read(struct modules *modules, uint32_t number, uint64_t address, size_t size, uint8_t *bytes)
{
	struct module *module = modules->items.items[number];
	int r = module->code ? 0 : open_code(modules, module);

	if (r < 0)
		return r;
	if (module->code->file.elf)
		return elf_file_code(module->code->file.elf, address, size, bytes) == size;
	return read_windows(module->code, address, size, bytes);
}

/* --- names --- */

static enum unwind_named_kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum unwind_named_kind kind;
	} known[] = {
		{"_start", NAMED_FIRST},
		{"_dl_start_user", NAMED_FIRST},
		{"_rt0_amd64", NAMED_FIRST},
		{"_rt0_amd64_linux", NAMED_FIRST},
		{"_rt0_arm64_linux", NAMED_FIRST},
		{"runtime.rt0_go", NAMED_FIRST},
		{"runtime.rt0_go.abi0", NAMED_FIRST},
		{"runtime.goexit", NAMED_FIRST},
		{"runtime.goexit.abi0", NAMED_FIRST},
		{"runtime.mstart", NAMED_FIRST},
		{"runtime.mstart.abi0", NAMED_FIRST},
		{"runtime.systemstack", NAMED_SWITCH},
		{"runtime.systemstack.abi0", NAMED_SWITCH},
		{"runtime.mcall", NAMED_SWITCH},
		{"runtime.asmcgocall", NAMED_SWITCH},
		{"runtime.asmcgocall.abi0", NAMED_SWITCH},
		{"runtime.morestack", NAMED_SWITCH},
		{"runtime.morestack.abi0", NAMED_SWITCH},
		{"clone", NAMED_CHILD},
		{"__clone", NAMED_CHILD},
		{"clone3", NAMED_CHILD},
		{"__clone3", NAMED_CHILD},
		{"runtime.clone", NAMED_CHILD},
		{"runtime.clone.abi0", NAMED_CHILD},
	};
	static const char builtins[] = "Builtins_"; /* of V8: bytecode handlers run in the interpreter's frame */

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].kind;
	return strncmp(name, builtins, sizeof(builtins) - 1) ? NAMED_PLAIN : NAMED_KEEPER;
}

/* The file's entry point, from the ELF header. 0: unknown. -ENOMEM. */
static int find_entry(struct modules *modules, uint32_t number, uint64_t *ret_entry)
{
	struct module *module = modules->items.items[number];
	int r = module->code ? 0 : open_code(modules, module);

	*ret_entry = r < 0 ? 0 : module->code->entry;
	return r;
}

/* The code at the entry point of a stripped file. */
static int name_entry(struct modules *modules, uint32_t number, uint64_t address, struct unwind_named *ret_named)
{
	enum { ENTRY_BYTES = 64 };
	uint64_t entry;
	int r = find_entry(modules, number, &entry);

	if (r < 0 || !entry || address - entry >= ENTRY_BYTES)
		return r;
	*ret_named = (struct unwind_named){.start = entry, .kind = NAMED_FIRST};
	return 1;
}

/* A function of any name may be the entry point: of languages with a runtime of their own, and of assembly. */
static int name_function(struct modules *modules, uint32_t number, const struct module_symbol *symbol,
			 struct unwind_named *ret_named)
{
	uint64_t entry = 0;
	int r = 0;

	ret_named->start = symbol_index_start(symbol->index, symbol->symbol);
	ret_named->kind = kind_of(symbol_index_name(symbol->index, symbol->symbol));
	if (ret_named->kind == NAMED_PLAIN)
		r = find_entry(modules, number, &entry);
	if (entry && entry == ret_named->start)
		ret_named->kind = NAMED_FIRST;
	return r < 0 ? r : 1;
}

int module_code_name(struct modules *modules, uint32_t number, uint64_t address,
		     struct unwind_named *ret_named)
{
	struct module_symbol symbol;
	int r = modules_find_symbol(modules, number, address, false, &symbol);

	if (!r)
		return name_entry(modules, number, address, ret_named);
	return r < 0 ? r : name_function(modules, number, &symbol, ret_named);
}
