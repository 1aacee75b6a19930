/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/symbol/modules_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/elf/elf_file.h"
#include "common/hash_map.h"
#include "report/file/name_cache.h"
#include "report/file/pack.h"
#include "report/read/trace_file.h"
#include "report/symbol/modules.h"
#include "report/unwind/cfi.h"

/*
 * --- MiniDebugInfo: the functions of a stripped file, as an xz-compressed ELF file in its .gnu_debugdata section, which
 * a trace may hold in pieces ---
 */

/* Whether the build-ids match. The embedded file need not have one. */
static bool may_be_of(const struct elf_file *elf, const struct build_id *id)
{
	struct build_id own;

	elf_file_build_id(elf, &own);
	return !own.length || build_id_equal(&own, id);
}

int mini_symbols_add(int fd, const struct build_id *id, struct symbol_list *list)
{
	_cleanup_(elf_file_cleanup) struct elf_file *inner = NULL;
	int r = elf_file_create(fd, &inner);

	if (!r && !may_be_of(inner, id))
		r = -ESTALE;
	return r < 0 ? r : symbol_list_add_elf(list, inner, 0);
}

int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd)
{
	struct elf_section_bytes packed = {0};
	uint64_t most = UNPACK_MAX_BYTES;
	int r = elf_file_section(elf, ".gnu_debugdata", UNPACK_MAX_INPUT, &packed);

	if (!r)
		r = unpack_xz(packed.bytes, packed.size, &most, ret_fd);
	free(packed.bytes);
	return r;
}

/* --- of a file: unpacking takes so long that the result is kept --- */

/* False: it may not be cached. */
static bool describe(const struct local_elf *binary, const struct build_id *id, struct name_key *key)
{
	struct stat status;

	if (!binary->ours || !binary->path || fstat(binary->fd, &status) < 0)
		return false;
	name_key_start(key, id, "minidebuginfo 2");
	name_key_add_file(key, binary->path, &status);
	return true;
}

static int load(struct name_cache *cache, const struct name_key *key, int *ret_fd)
{
	_cleanup_(name_value_deinit) struct name_value value = {0};

	return name_cache_get(cache, key, &value) ? unpack_nothing(value.bytes, value.size, ret_fd) : -ENOENT;
}

static void save(struct name_cache *cache, const struct name_key *key, int fd)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) < 0 || status.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	name_cache_put(cache, key, bytes, (size_t)status.st_size);
	(void)munmap(bytes, (size_t)status.st_size);
}

static int mini_symbols_add_file(const struct local_elf *binary, const struct build_id *id, struct name_cache *cache,
				 struct symbol_list *list)
{
	_cleanup_close_ int fd = -1;
	struct name_key key;
	const bool kept = cache && describe(binary, id, &key);
	int r = kept ? load(cache, &key, &fd) : -ENOENT;

	if (r < 0) {
		r = mini_symbols_unpack(binary->elf, &fd);
		if (!r && kept)
			save(cache, &key, fd);
	}
	return r < 0 ? r : mini_symbols_add(fd, id, list);
}

/* --- of a trace --- */

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
	r = module_unwind_join(piece, &gathering->packed);
	return r < 0 ? r : 0;
}

static int add_packed(const struct elf_section_bytes *packed, const struct build_id *id, uint64_t *left,
		      struct symbol_list *list)
{
	_cleanup_close_ int fd = -1;
	int r = unpack_xz(packed->bytes, packed->size, left, &fd);

	return r < 0 ? r : mini_symbols_add(fd, id, list);
}

/* From the trace. Malformed data is ignored; data beyond the budget is counted (modules_budget()). 0, -ENOMEM. */
static int mini_symbols_add_embedded(struct modules *modules, const struct module *module,
				     const struct module_part *part, struct symbol_list *list)
{
	struct gathering gathering = {.module = part->module->id};
	uint64_t *left = modules_budget(modules, part->model);
	int r = left ? trace_file_each_record(part->model->file, &part->module->mini_chunks, take_piece, &gathering) :
		       -ENOMEM;

	if (!r && gathering.packed.bytes)
		r = add_packed(&gathering.packed, &module->id, left, list);
	modules->left_packed += r == -E2BIG;
	free(gathering.packed.bytes);
	return r == -ENOMEM ? r : 0;
}

/* --- the best of the files that name functions --- */

void file_symbols_deinit(struct file_symbols *symbols)
{
	symbol_list_deinit(&symbols->list);
	free(symbols->path);
	free(symbols->refused);
	*symbols = (struct file_symbols){0};
}

/* Adds the file's symbols and takes over its path. */
static int take(struct file_symbols *symbols, struct local_elf *local, enum symbol_origin origin)
{
	int r = symbol_list_add_elf(&symbols->list, local->elf, 0);

	if (r < 0 || !symbols->list.symbols.count)
		return r < 0 ? r : -ENOENT;
	symbols->origin = origin;
	symbols->path = steal_ptr(local->path);
	return 0;
}

static int take_debug(const struct local_files *files, const char *path, const struct build_id *id,
		      const struct elf_file *binary, struct file_symbols *symbols)
{
	static const enum symbol_origin origins[] = {[LOCAL_BUILD_ID] = SYMBOLS_FROM_BUILD_ID,
						     [LOCAL_DEBUG_LINK] = SYMBOLS_FROM_DEBUG_LINK,
						     [LOCAL_SERVER] = SYMBOLS_FROM_SERVER};
	_cleanup_(local_elf_close) struct local_elf debug = {.fd = -1};
	int r = local_elf_open_debug_for(files, path, id, binary, &symbols->refused, &debug);

	return r < 0 ? r : take(symbols, &debug, origins[debug.source]);
}

static int add_go(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_go_symbols(elf, &symbols);

	return r < 0 ? r : symbol_list_add_symbols(list, &symbols, 0);
}

/* The symbols that a stripped binary still has. Malformed sections are ignored. */
static int take_rest(struct name_cache *cache, const struct build_id *id, struct local_elf *own,
		     struct file_symbols *symbols)
{
	int r = mini_symbols_add_file(own, id, cache, &symbols->list);

	symbols->origin = SYMBOLS_FROM_DYNSYM;
	if (!r)
		symbols->origin = SYMBOLS_FROM_MINI_DEBUG_INFO;
	else if (r != -ENOMEM && !(r = add_go(own->elf, &symbols->list)))
		symbols->origin = SYMBOLS_FROM_GO;
	if (r == -ENOMEM)
		return r;
	symbols->path = steal_ptr(own->path);
	return symbol_list_add_elf(&symbols->list, own->elf, 0);
}

/* A malformed table is ignored. */
static int add_plt(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_plt_symbols(elf, &symbols);

	if (!r)
		r = symbol_list_add_symbols(list, &symbols, 0);
	return r == -ENOMEM ? r : 0;
}

int file_symbols_collect(const struct local_files *files, const char *path,
			 const struct build_id *id, bool debug, struct file_symbols *ret_symbols)
{
	_cleanup_(local_elf_close) struct local_elf own = {.fd = -1};
	int missing = local_elf_open(files, path, id, &own), r = -ENOENT;

	*ret_symbols = (struct file_symbols){0};
	if (missing == -ENOMEM)
		return missing;
	if (own.elf && elf_file_has_symtab(own.elf))
		r = take(ret_symbols, &own, SYMBOLS_FROM_SYMTAB);
	if (r < 0 && r != -ENOMEM && debug)
		r = take_debug(files, path, id, own.elf, ret_symbols);
	if (r < 0 && r != -ENOMEM && !own.elf && local_elf_open_fetched(files, id, &own) == -ENOMEM)
		r = -ENOMEM;
	if (r < 0 && r != -ENOMEM)
		r = own.elf ? take_rest(files->cache, id, &own, ret_symbols) : missing;
	return !r && own.elf ? add_plt(own.elf, &ret_symbols->list) : r;
}

/* --- what is known of files of this machine --- */

struct local_store {
	struct hash_map keys; /* question and module -> number */
	ARRAY(struct local_facts *) facts;
};

/* The key is this struct, then the release with its NUL, then the path. */
struct store_key {
	uint32_t question, kind, link_time, id_length;
	uint8_t id[BUILD_ID_MAX];
};

int local_store_create(struct local_store **ret_store)
{
	struct local_store *store = calloc(1, sizeof(*store));

	if (!store || hash_map_init(&store->keys) < 0) {
		free(store);
		return -ENOMEM;
	}
	*ret_store = store;
	return 0;
}

void local_store_destroy(struct local_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->facts.count; i++) {
		struct local_facts *facts = store->facts.items[i];

		symbol_index_destroy(facts->symbols);
		if (facts->functions)
			cfi_file_close(facts->functions);
		free(facts->functions);
		free(facts);
	}
	array_free(&store->facts);
	hash_map_deinit(&store->keys);
	free(store);
}

static int add_facts(struct local_store *store)
{
	struct local_facts *facts = calloc(1, sizeof(*facts));

	if (!facts || array_push(&store->facts, facts) < 0) {
		free(facts);
		return -ENOMEM;
	}
	facts->path = facts->refused = "";
	return 1;
}

/* The kernel release, according to the traces; "" if unknown. */
static const char *release_of(const struct module *module)
{
	for (size_t i = 0; i < module->parts.count; i++) {
		const char *release = trace_model_meta(module->parts.items[i].model, "kernel_release");

		if (release && *release)
			return release;
	}
	return "";
}

int local_store_find(struct local_store *store, const struct module *module, enum local_question question,
		     struct local_facts **ret_facts)
{
	const char *release = module->kind == MODULE_KERNEL_MODULE ? release_of(module) : "";
	struct store_key key = {.question = question,
				.kind = module->kind,
				.link_time = module->link_time,
				.id_length = module->id.length};
	size_t release_size = strlen(release) + 1, path_length = strlen(module->path);
	_cleanup_free_ uint8_t *bytes = malloc(sizeof(key) + release_size + path_length);
	uint64_t *number;
	int r;

	if (!bytes)
		return -ENOMEM;
	memcpy(key.id, module->id.bytes, module->id.length);
	memcpy(bytes, &key, sizeof(key));
	memcpy(bytes + sizeof(key), release, release_size);
	memcpy(bytes + sizeof(key) + release_size, module->path, path_length);
	r = hash_map_add(&store->keys, bytes, sizeof(key) + release_size + path_length, store->facts.count, &number);
	if (r > 0)
		r = add_facts(store);
	if (r >= 0)
		*ret_facts = store->facts.items[*number];
	return r;
}

/* --- from the traces --- */

/*
 * A BPF program is one function, as is other code that the kernel generates. Several of one name,
 * with different lengths, may have been loaded.
 */
static bool is_one_function(enum module_kind kind)
{
	return kind == MODULE_BPF || kind == MODULE_KERNEL_OTHER;
}

static int add_kernel_symbols(const struct module_part *part, struct symbol_list *list)
{
	const struct trace_model *model = part->model;
	bool whole = is_one_function((enum module_kind)part->module->kind);

	for (size_t i = 0; i < model->kernel_symbols.count; i++) {
		const struct kernel_symbol *symbol = &model->kernel_symbols.items[i];
		int r;

		if (symbol->module != part->module->id || !symbol->name || !symbol->name[0])
			continue;
		r = symbol_list_add(list, symbol->offset, whole ? UINT64_MAX : symbol->size, symbol->name,
				    strlen(symbol->name));
		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether the record belongs to the module: user modules by id, perf maps by process. */
static bool is_wanted(const struct event *event, const struct module *module, const struct module_part *part)
{
	if (event->kind == EVENT_EMBED_SYMBOLS)
		return !module->tgid && event->embed_symbols.module == part->module->id;
	return event->kind == EVENT_PERF_MAP && module->tgid && event->perf_map.tgid == module->tgid;
}

/* A symbol without a name is a function of which only the range is known. */
static int add_event_symbols(struct event *event, struct symbol_list *list, struct symbol_list *functions)
{
	struct event_symbol symbol;
	uint64_t address = 0;
	int r;

	while ((r = event_next_symbol(event, &address, &symbol)) > 0) {
		r = symbol_list_add(symbol.name.length ? list : functions, symbol.address,
				    symbol.size, symbol.name.bytes, symbol.name.length);
		if (r < 0)
			return r;
	}
	return r == -EBADMSG ? 0 : r;
}

struct wanted_symbols {
	const struct module *module;
	const struct module_part *part;
	struct symbol_list *list, *functions;
};

static int take_record(struct event *event, void *data)
{
	struct wanted_symbols *wanted = data;

	if (!is_wanted(event, wanted->module, wanted->part))
		return 0;
	return add_event_symbols(event, wanted->list, wanted->functions);
}

static int add_embedded_symbols(const struct module *module, const struct module_part *part,
				struct symbol_list *list, struct symbol_list *functions)
{
	struct wanted_symbols wanted = {.module = module, .part = part, .list = list, .functions = functions};
	const struct trace_perf_map *map = module->tgid ?
					   trace_model_perf_map(part->model, module->tgid) : NULL;

	return trace_file_each_record(part->model->file,
				      map ? &map->chunks : &part->module->symbol_chunks,
				      take_record, &wanted);
}

/* A module that is one function has the module's name. */
static int add_own_name(const struct module *module, struct symbol_list *list)
{
	if (list->symbols.count || !is_one_function((enum module_kind)module->kind))
		return 0;
	return module->path[0] ? symbol_list_add(list, 0, UINT64_MAX, module->path, strlen(module->path)) : 0;
}

static bool is_kernel(const struct module *module)
{
	return module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE ||
	       is_one_function((enum module_kind)module->kind);
}

static int make_index(struct symbol_list *list, struct symbol_index **ret_index, enum symbol_state *ret_state)
{
	int r;

	if (!list->symbols.count)
		return 0;
	r = symbol_index_create(list, ret_index);
	if (!r)
		*ret_state = SYMBOLS_FOUND;
	return r;
}

int module_symbols_load_embedded(struct modules *modules, struct module *module)
{
	_cleanup_(symbol_list_deinit) struct symbol_list list = {0}, functions = {0};
	int r = 0;

	module->embedded_state = SYMBOLS_NO_FILE;
	if (module->kind == MODULE_FILE && !module->link_time)
		return 0; /* symbols have link-time addresses */
	for (size_t i = 0; i < module->parts.count && !r; i++) {
		const struct module_part *part = &module->parts.items[i];

		r = is_kernel(module) ? add_kernel_symbols(part, &list) :
					add_embedded_symbols(module, part, &list, &functions);
		if (!r && part->module->mini_chunks.count && !module->tgid)
			r = mini_symbols_add_embedded(modules, module, part, &list);
	}
	if (!r)
		r = add_own_name(module, &list);
	if (!r && functions.symbols.count)
		r = symbol_index_create(&functions, &module->functions);
	return r < 0 ? r : make_index(&list, &module->embedded, &module->embedded_state);
}

/* --- from this machine --- */

static enum symbol_state state_of(int r)
{
	switch (r) {
	case 0:
		return SYMBOLS_NONE_IN_FILE;
	case -ENOTSUP:
		return SYMBOLS_NO_PLACE;
	case -EPERM:
		return SYMBOLS_NOT_OPENED;
	case -ESTALE:
		return SYMBOLS_OTHER_BUILD_ID;
	case -ENOEXEC:
	case -EBADMSG:
	case -E2BIG:
		return SYMBOLS_UNREADABLE;
	default:
		return SYMBOLS_NO_FILE;
	}
}

bool module_symbols_find_text(const struct elf_file *elf, uint64_t *ret_address)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};

	if (elf_file_symbols(elf, &symbols) < 0)
		return false;
	for (size_t i = 0; i < symbols.count; i++)
		if (symbols.items[i].name < symbols.names_size &&
		    !strcmp(symbols.names + symbols.items[i].name, "_text")) {
			*ret_address = symbols.items[i].address;
			return true;
		}
	return false;
}

static int add_vmlinux(const struct modules *modules, const struct module *module,
		       struct file_symbols *symbols)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1};
	uint64_t text = 0;
	int r;

	if (modules->files.vmlinux)
		r = local_elf_open_named(&modules->files, modules->files.vmlinux, &module->id, &local);
	else
		r = local_elf_open_debug(&modules->files, &module->id, &local);
	if (r < 0)
		return r;
	if (!module_symbols_find_text(local.elf, &text))
		return -ENOENT;
	symbols->origin = SYMBOLS_FROM_VMLINUX;
	symbols->path = steal_ptr(local.path);
	return symbol_list_add_elf(&symbols->list, local.elf, text);
}

/* A symbol without a size extends to the next one, the last to the end of the section at most. */
static uint64_t size_of(const struct elf_symbol *symbol, uint64_t last, uint64_t section_size)
{
	return symbol->size || symbol->address < last ? symbol->size : section_size - symbol->address;
}

static int add_text(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	uint64_t size = 0, last = 0;
	uint16_t text = 0;
	int r = elf_file_module_text(elf, &text, &size);

	if (!r)
		r = elf_file_symbols(elf, &symbols);
	for (size_t i = 0; i < symbols.count; i++)
		if (symbols.items[i].section == text && symbols.items[i].address < size &&
		    symbols.items[i].address > last)
			last = symbols.items[i].address;
	for (size_t i = 0; i < symbols.count && !r; i++) {
		const struct elf_symbol *symbol = &symbols.items[i];
		const char *name = symbols.names + symbol->name;

		if (symbol->section != text || symbol->address >= size)
			continue;
		r = symbol_list_add(list, symbol->address, size_of(symbol, last, size), name, strlen(name));
		if (!r)
			list->symbols.items[list->symbols.count - 1].binding = symbol->binding;
	}
	return r;
}

int kernel_module_symbols_add(const struct local_files *files, const struct module *module,
			      struct file_symbols *symbols)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1};
	int r = local_elf_open_kernel_module(files, release_of(module), module->path, &module->id,
					     &symbols->refused, &local);

	if (!r)
		r = add_text(local.elf, &symbols->list);
	if (r < 0)
		return r;
	symbols->origin = SYMBOLS_FROM_KERNEL_MODULE;
	symbols->path = steal_ptr(local.path);
	return 0;
}

/* --- a copy of /proc/kallsyms: --kallsyms --- */

struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name;
	size_t length;
	bool module; /* for a kernel module: "... [name]" */
};

/* "ffffffff81000000 T name\t[module]" */
static bool parse_line(const char *line, struct kallsyms_line *ret_line)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);
	size_t length;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	length = strcspn(end + 3, " \t\n");
	*ret_line = (struct kallsyms_line){.address = address,
					   .type = end[1],
					   .name = end + 3,
					   .length = length,
					   .module = strchr(end + 3 + length, '[')};
	return length > 0;
}

static bool is_text(const struct kallsyms_line *line)
{
	return line->length == 5 && !memcmp(line->name, "_text", 5);
}

static FILE *open_text(struct opener *opener, const char *path)
{
	struct opened_file opened;
	FILE *file;

	if (opener_open(opener, OPENER_NAMED, path, &opened) < 0)
		return NULL;
	free(opened.real);
	file = fdopen(opened.fd, "r");
	if (!file)
		(void)close(opened.fd);
	return file;
}

/*
 * The functions of vmlinux, as offsets from _text. The file does not identify its kernel; we have to
 * trust the user. -ENOENT: no such file, or no _text in it, for instance because addresses are hidden.
 */
static int add_kallsyms(struct opener *opener, const char *path, struct symbol_list *list)
{
	_cleanup_fclose_ FILE *file = open_text(opener, path);
	size_t first = list->symbols.count;
	uint64_t text = 0;
	char line[1024];

	if (!file)
		return -ENOENT;
	while (fgets(line, sizeof(line), file)) {
		struct kallsyms_line symbol;
		int r;

		if (!parse_line(line, &symbol) || symbol.module)
			continue;
		if (is_text(&symbol))
			text = symbol.address;
		if (tolower((unsigned char)symbol.type) != 't' && tolower((unsigned char)symbol.type) != 'w')
			continue;
		r = symbol_list_add(list, symbol.address, 0, symbol.name, symbol.length);
		if (r < 0)
			return r;
	}
	for (size_t i = first; i < list->symbols.count; i++)
		list->symbols.items[i].address -= text;
	if (!text)
		list->symbols.count = first;
	return text ? 0 : -ENOENT;
}

/* --- all --- */

static int add_local_kernel(const struct modules *modules, const struct module *module,
			    struct file_symbols *symbols)
{
	int r;

	if (module->kind == MODULE_KERNEL_MODULE)
		return kernel_module_symbols_add(&modules->files, module, symbols);
	r = module->kind == MODULE_KERNEL ? add_vmlinux(modules, module, symbols) : -ENOENT;
	if (!r || r == -ENOMEM || module->kind != MODULE_KERNEL || !modules->files.kallsyms)
		return r;
	symbols->origin = SYMBOLS_FROM_KALLSYMS;
	return add_kallsyms(modules->files.opener, modules->files.kallsyms, &symbols->list);
}

/* Stores the origin and the paths. */
static int note_paths(struct modules *modules, const struct file_symbols *symbols, struct local_facts *facts)
{
	int r = 0;

	facts->origin = symbols->origin;
	if (symbols->path)
		r = text_pool_add(&modules->texts, symbols->path, strlen(symbols->path), &facts->path);
	if (!r && symbols->refused)
		r = text_pool_add(&modules->texts, symbols->refused, strlen(symbols->refused),
				  &facts->refused);
	return r;
}

static void take_facts(const struct local_facts *facts, struct module *module)
{
	module->local = facts->symbols;
	module->local_state = facts->state;
	module->local_origin = facts->origin;
	module->local_path = facts->path;
	module->refused_path = facts->refused;
}

/* Does not query servers: we do not know yet whether a name is missing. */
static int read_debug(struct modules *modules, const struct module *module, struct local_facts *facts)
{
	_cleanup_(file_symbols_deinit) struct file_symbols symbols = {0};
	struct local_files files = modules->files;
	int r;

	files.server = NULL;
	r = take_debug(&files, module->path, &module->id, NULL, &symbols);
	if (r == -ENOMEM || (!r && note_paths(modules, &symbols, facts) < 0))
		return -ENOMEM;
	return r < 0 ? 0 : make_index(&symbols.list, &facts->symbols, &facts->state);
}

int module_symbols_load_debug(struct modules *modules, struct module *module)
{
	struct local_facts *facts;
	int r = local_store_find(modules->store, module, LOCAL_DEBUG, &facts);

	if (r > 0)
		r = read_debug(modules, module, facts);
	if (r < 0)
		return r;
	take_facts(facts, module);
	module->local_first = module->local;
	return 0;
}

static int read_local(struct modules *modules, const struct module *module, struct local_facts *facts)
{
	_cleanup_(file_symbols_deinit) struct file_symbols symbols = {0};
	int r, noted;

	facts->state = SYMBOLS_NO_FILE;
	if (module->kind == 0 || module->kind == MODULE_ANONYMOUS)
		return 0;
	if (is_kernel(module)) {
		r = add_local_kernel(modules, module, &symbols);
	} else if (!module->id.length) {
		facts->state = SYMBOLS_NO_BUILD_ID;
		return 0;
	} else {
		/* A debug file does not say where the code is in the binary: it is useless if link_time is not set. */
		r = file_symbols_collect(&modules->files, module->path, &module->id,
					 module->link_time, &symbols);
	}
	noted = note_paths(modules, &symbols, facts);
	if (r == -ENOMEM || noted < 0)
		return -ENOMEM;
	facts->state = state_of(r);
	return r < 0 ? 0 : make_index(&symbols.list, &facts->symbols, &facts->state);
}

int module_symbols_load_local(struct modules *modules, struct module *module)
{
	struct local_facts *facts;
	int r = local_store_find(modules->store, module, LOCAL_BEST, &facts);

	if (r > 0)
		r = read_local(modules, module, facts);
	if (!r)
		take_facts(facts, module);
	return r;
}
