/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/symbol/modules_internal.h"

#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/read/trace_file.h"

/* --- what traces say about modules: struct evidence --- */

struct evidence_points {
	uint64_t at[2];
};

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

enum { WORD = 7 }; /* bytes, so that a word is below the prime */

static int evidence_points_draw(struct evidence_points *points)
{
	int r = random_bytes(points->at, sizeof(points->at));

	for (size_t i = 0; i < 2; i++)
		points->at[i] = points->at[i] % (prime - 2) + 2;
	return r;
}

/* sum · point + word + 1, modulo the prime. */
static void add_word(struct evidence *evidence, const struct evidence_points *points, uint64_t word)
{
	for (size_t i = 0; i < 2; i++) {
		unsigned __int128 product = (unsigned __int128)evidence->sums[i] * points->at[i] + word + 1;
		uint64_t sum = ((uint64_t)product & prime) + (uint64_t)(product >> 61);

		evidence->sums[i] = sum >= prime ? sum - prime : sum;
	}
}

static void add_number(struct evidence *evidence, const struct evidence_points *points, uint64_t number)
{
	add_word(evidence, points, number >> 32);
	add_word(evidence, points, number & UINT32_MAX);
}

static void evidence_add(struct evidence *evidence, const struct evidence_points *points, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;

	add_number(evidence, points, size);
	for (; size; next += WORD) {
		size_t length = size < WORD ? size : WORD;
		uint64_t word = 0;

		memcpy(&word, next, length);
		add_word(evidence, points, word);
		size -= length;
	}
}

struct gathering {
	const struct evidence_points *points;
	const struct trace_model *model;
	struct evidence *evidence;
};

/* Begins a record of the module with its numeric fields. NULL: the section has no such module. */
static struct evidence *begin(struct gathering *gathering, uint32_t id, const uint64_t *numbers, size_t count)
{
	const struct trace_module *module = trace_model_module(gathering->model, id);
	struct evidence *evidence = module ? &gathering->evidence[module - gathering->model->modules.items] : NULL;

	for (size_t i = 0; evidence && i < count; i++)
		add_number(evidence, gathering->points, numbers[i]);
	return evidence;
}

static void take_list(struct gathering *gathering, const struct event *event, uint32_t module, uint64_t count)
{
	const uint64_t numbers[] = {event->kind, count};
	struct evidence *evidence = begin(gathering, module, numbers, 2);

	if (evidence)
		evidence_add(evidence, gathering->points, event->symbols.next, byte_cursor_left(&event->symbols));
}

static void take_unwind(struct gathering *gathering, const struct event_embed_unwind *piece)
{
	const uint64_t numbers[] = {EVENT_EMBED_UNWIND, piece->section, piece->address, piece->size,
				    piece->offset, piece->text, piece->data};
	struct evidence *evidence = begin(gathering, piece->module, numbers, sizeof(numbers) / sizeof(numbers[0]));

	if (evidence)
		evidence_add(evidence, gathering->points, piece->bytes.bytes, piece->bytes.length);
}

static int take_record(struct event *event, void *data)
{
	struct gathering *gathering = data;

	if (event->kind == EVENT_EMBED_SYMBOLS)
		take_list(gathering, event, event->embed_symbols.module, event->embed_symbols.count);
	else if (event->kind == EVENT_EMBED_LINES)
		take_list(gathering, event, event->embed_lines.module, event->embed_lines.count);
	else if (event->kind == EVENT_EMBED_UNWIND)
		take_unwind(gathering, &event->embed_unwind);
	return 0;
}

static void take_modules(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->model->modules.count; i++) {
		const struct trace_module *module = &gathering->model->modules.items[i];
		const uint64_t numbers[] = {EVENT_EMBED_MODULE, module->embed_status, module->machine};

		if (!module->embed_status)
			continue;
		(void)begin(gathering, module->id, numbers, sizeof(numbers) / sizeof(numbers[0]));
		evidence_add(&gathering->evidence[i], gathering->points, module->segments,
			     module->segment_count * sizeof(*module->segments));
	}
}

static void take_kernel_symbols(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->model->kernel_symbols.count; i++) {
		const struct kernel_symbol *symbol = &gathering->model->kernel_symbols.items[i];
		const uint64_t numbers[] = {EVENT_KERNEL_SYMBOL, symbol->offset, symbol->size};
		struct evidence *evidence = begin(gathering, symbol->module, numbers, 3);

		if (evidence && symbol->name)
			evidence_add(evidence, gathering->points, symbol->name, strlen(symbol->name));
	}
}

static int evidence_gather(const struct evidence_points *points, const struct trace_model *model, struct evidence *evidence)
{
	struct gathering gathering = {.points = points, .model = model, .evidence = evidence};
	chunk_list chunks = {0};
	int r = 0;

	memset(evidence, 0, model->modules.count * sizeof(*evidence));
	take_modules(&gathering);
	take_kernel_symbols(&gathering);
	for (uint32_t i = model->first_chunk; i < model->end_chunk && !r; i++)
		if (model->file->chunks[i].section == model->section &&
		    model->file->chunks[i].header.type == RWK_CHUNK_EMBED)
			r = array_push(&chunks, i);
	if (!r)
		r = trace_file_each_record(model->file, &chunks, take_record, &gathering);
	array_free(&chunks);
	return r;
}

/* --- modules that are the same --- */

struct module_identities {
	struct hash_map keys;  /* a scope's module -> its place in `numbers` */
	struct hash_map equal; /* a module, its path and evidence, in any scope -> its number */
	ARRAY(uint32_t) numbers;
	struct evidence_points points;
	uint32_t scopes;
	bool several; /* there will be more than one scope */
};

/* The key of a module in its scope: this struct, then the path if there is no build-id. */
struct module_key {
	uint32_t kind, host, tgid, id_length, scope, variant;
	uint64_t device, inode;
	uint8_t id[BUILD_ID_MAX];
};

/* The key of a module in any scope: this struct, then the path. */
struct equal_key {
	struct module_key key;
	struct evidence evidence;
};

/* Evidence that no module has: the key of modules that differ in their evidence only. */
static const struct evidence any_evidence = {{UINT64_MAX, UINT64_MAX}};

int module_identities_create(struct module_identities **ret_identities)
{
	struct module_identities *identities = calloc(1, sizeof(*identities));
	int r = identities ? evidence_points_draw(&identities->points) : -ENOMEM;

	if (!r)
		r = hash_map_init(&identities->keys);
	if (!r)
		r = hash_map_init(&identities->equal);
	if (r < 0)
		module_identities_destroy(identities);
	else
		*ret_identities = identities;
	return r;
}

void module_identities_destroy(struct module_identities *identities)
{
	if (!identities)
		return;
	hash_map_deinit(&identities->keys);
	hash_map_deinit(&identities->equal);
	array_free(&identities->numbers);
	free(identities);
}

static struct module_key key_of(const struct modules_place *place, const struct trace_module *module, uint32_t tgid)
{
	struct module_key key = {.kind = module->kind, .tgid = tgid, .id_length = module->build_id.length};

	key.variant = (uint32_t)(module->flags >> MODULE_VARIANT_SHIFT);
	if (module->build_id.length) {
		memcpy(key.id, module->build_id.bytes, module->build_id.length);
	} else {
		key.host = place->host;
		key.device = module->device;
		key.inode = module->inode;
	}
	return key;
}

/* Like hash_map_add(), with a key of two parts. */
static int add_key(struct hash_map *map, const void *key, size_t length, const char *path, uint64_t value,
		   uint64_t **ret_value)
{
	size_t path_length = strlen(path);
	_cleanup_free_ uint8_t *bytes = malloc(length + path_length + 1);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, key, length);
	memcpy(bytes + length, path, path_length);
	return hash_map_add(map, bytes, length + path_length, value, ret_value);
}

/* 1: the module is new, and its place is after all others; 0: known; -ENOMEM. */
static int find_place(struct module_identities *identities, const struct modules_place *place,
		      const struct trace_module *module, uint32_t tgid, size_t *ret_place)
{
	struct module_key key = key_of(place, module, tgid);
	uint64_t *value;
	int r;

	key.scope = place->scope;
	r = add_key(&identities->keys, &key, sizeof(key), module->build_id.length ? "" : module->path,
		    identities->numbers.count, &value);
	if (r >= 0)
		*ret_place = (size_t)*value;
	return r;
}

/* The number of the equal module of any scope, with that evidence. If there is none yet, adds it as `number`. */
static int find_equal(struct module_identities *identities, const struct modules_place *place,
		      const struct trace_module *module, const struct evidence *evidence, uint32_t number,
		      uint32_t *ret_number)
{
	const struct equal_key key = {.key = key_of(place, module, 0), .evidence = *evidence};
	uint64_t *value;
	int r = add_key(&identities->equal, &key, sizeof(key), module->path, number, &value);

	if (r >= 0)
		*ret_number = (uint32_t)*value;
	return r < 0 ? r : 0;
}

/* --- names --- */

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
		path = path[0] == '/' && path[1] != '/' ? slash + 1 : "anon";
	if (path[0] == '[') {
		*ret_name = path;
		return 0;
	}
	length = snprintf(text, sizeof(text), "[%s]", path);
	return text_pool_add(&modules->texts, text,
			     (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1,
			     ret_name);
}

static int describe(struct modules *modules, const struct trace_module *source, uint32_t tgid,
		    struct module *module)
{
	char text[BUILD_ID_TEXT];
	int length, r;

	module->kind = source->kind;
	module->path = source->path;
	module->id = source->build_id;
	module->tgid = tgid;
	build_id_text(&source->build_id, text);
	r = text_pool_add(&modules->texts, text, strlen(text), &module->build_id);
	if (!r)
		r = format_name(modules, source, &module->name);
	if (r < 0 || !tgid)
		return r;
	length = snprintf(text, sizeof(text), "/tmp/perf-%u.map", tgid);
	return text_pool_add(&modules->texts, text, (size_t)length, &module->path);
}

/* --- modules --- */

enum { PARTS_LOOKED_AT = 64 };

/* Checks only the last few: a file has few paths, and a duplicate part does no harm. */
static bool has_part(const struct module *module, const struct trace_module *part)
{
	size_t count = module->parts.count;

	for (size_t i = count; i > 0 && count - i < PARTS_LOOKED_AT; i--)
		if (module->parts.items[i - 1].module == part)
			return true;
	return false;
}

static int add_part(struct module *module, const struct trace_model *model, const struct trace_module *part)
{
	if (has_part(module, part))
		return 0;
	return array_push(&module->parts, (struct module_part){.model = model, .module = part});
}

/* Sets module->alike: the first of the modules that are alike. */
static int set_alike(struct modules *modules, const struct modules_place *place, const struct trace_module *source,
		     uint32_t number)
{
	struct module *module = modules->items.items[number];

	module->alike = number;
	if (!modules->identities->several || module->tgid)
		return 0;
	return find_equal(modules->identities, place, source, &any_evidence, number, &module->alike);
}

/* Creates a module at the next place. */
static int create(struct modules *modules, const struct trace_module *source, uint32_t tgid, struct module **ret_module)
{
	struct module *module;
	int r = module_create(modules, &module);

	if (!r)
		r = array_push(&modules->identities->numbers, (uint32_t)(modules->items.count - 1));
	if (!r)
		r = describe(modules, source, tgid, module);
	if (!r)
		*ret_module = module;
	return r;
}

/* Adds a module that was not learned, because its trace says nothing about it, or code of one process. */
static int add_new(struct modules *modules, const struct modules_place *place, const struct trace_module *source,
		   uint32_t tgid)
{
	static const struct evidence none;
	struct module_identities *identities = modules->identities;
	uint32_t number = (uint32_t)modules->items.count, known = number;
	struct module *module;
	int r = 0;

	if (identities->several && !tgid)
		r = find_equal(identities, place, source, &none, number, &known);
	if (r < 0 || known != number)
		return r < 0 ? r : array_push(&identities->numbers, known);
	r = create(modules, source, tgid, &module);
	return r < 0 ? r : set_alike(modules, place, source, number);
}

int modules_add(struct modules *modules, const struct modules_place *place, const struct trace_model *model,
		const struct trace_module *source, uint32_t tgid, uint32_t *ret_number)
{
	struct module_identities *identities = modules->identities;
	size_t at = 0;
	int r;

	if (source->kind != MODULE_ANONYMOUS || !trace_model_perf_map(model, tgid))
		tgid = 0;
	r = find_place(identities, place, source, tgid, &at);
	if (r > 0)
		r = add_new(modules, place, source, tgid);
	if (r < 0)
		return r;
	*ret_number = identities->numbers.items[at];
	/* With several scopes, learn() has already added all parts that say something. */
	if (identities->several && modules->items.items[*ret_number]->parts.count)
		return 0;
	return add_part(modules->items.items[*ret_number], model, source);
}

/* --- what the traces say --- */

static int learn_module(struct modules *modules, const struct modules_place *place, const struct trace_model *model,
			const struct trace_module *source, const struct evidence *evidence)
{
	struct module_identities *identities = modules->identities;
	struct module *module;
	size_t at = 0;
	int r = find_place(identities, place, source, 0, &at);

	if (r > 0)
		r = create(modules, source, 0, &module);
	if (r < 0)
		return r;
	module = modules->items.items[identities->numbers.items[at]];
	module->place = at;
	evidence_add(&module->evidence, &identities->points, evidence, sizeof(*evidence));
	return add_part(module, model, source);
}

/*
 * Learns all modules about which the section says something. A file with two paths is one module,
 * and only one of the two was embedded, perhaps by a section that adds to another.
 */
static int learn(struct modules *modules, const struct modules_place *place, const struct trace_model *model)
{
	_cleanup_free_ struct evidence *evidence = calloc(model->modules.count + 1, sizeof(*evidence));
	int r = evidence ? 0 : -ENOMEM;

	if (!r && modules->identities->several)
		r = evidence_gather(&modules->identities->points, model, evidence);
	for (size_t i = 0; i < model->modules.count && !r; i++) {
		const struct trace_module *module = &model->modules.items[i];

		if (evidence[i].sums[0] || evidence[i].sums[1] || module->segment_count || module->line_chunks.count)
			r = learn_module(modules, place, model, module, &evidence[i]);
	}
	return r;
}

/* Merges each new module into the module of another scope that has the same evidence, if there is one. */
static int merge_equal(struct modules *modules, const struct modules_place *place, size_t first)
{
	struct module_identities *identities = modules->identities;
	size_t count = modules->items.count, kept = first;
	int r = 0;

	for (size_t i = first; i < count; i++) {
		struct module *module = modules->items.items[i];
		const struct trace_module *source = module->parts.items[0].module;
		uint32_t number = (uint32_t)kept;

		if (!r)
			r = find_equal(identities, place, source, &module->evidence, (uint32_t)kept, &number);
		identities->numbers.items[module->place] = number;
		if (!r && number != kept) {
			module_destroy(module);
			continue;
		}
		modules->items.items[kept++] = module;
		if (!r)
			r = set_alike(modules, place, source, number);
	}
	modules->items.count = kept;
	return r;
}

int modules_learn(struct modules *modules, const struct trace_model *const *models, size_t count, uint32_t host,
		  bool several, struct modules_place *ret_place)
{
	const struct modules_place place = {.scope = modules->identities->scopes++, .host = host};
	size_t first = modules->items.count;
	int r = 0;

	modules->identities->several = several;
	for (size_t i = 0; i < count && !r; i++)
		r = learn(modules, &place, models[i]);
	if (!r && several)
		r = merge_equal(modules, &place, first);
	for (size_t i = first; i < modules->items.count && !several; i++)
		modules->items.items[i]->alike = (uint32_t)i;
	*ret_place = place;
	return r;
}
