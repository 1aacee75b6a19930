/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/kernel_map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_file.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "record/host/kallsyms.h"

enum {
	MAX_RUN_TIME = 16384, /* BPF programs, trampolines ... alive at once, and written to the trace */
	CACHE_BITS = 11,
	CACHE_GRANULE = 8, /* bits of an address that share a slot */
	RUN_TIME_NAME = 128,
};

/* Code that is not in the tables: one module with one function each. */
struct run_time_text {
	uint64_t address;
	uint32_t length;
	uint32_t id; /* module id, 0: not yet written */
	bool bpf;
	char name[RUN_TIME_NAME];
};

/* The function that was last found in a granule of addresses: the next address there is usually in it too. */
struct cache_entry {
	uint64_t start, length; /* length 0: none */
	uint64_t normalized;	/* of start */
};

struct kernel_map {
	struct kernel_map_sink sink;
	struct kallsyms table;
	uint32_t *module_ids;           /* by index in table.modules; 0: not yet written */
	uint8_t *symbol_told;           /* bit per symbol */
	struct run_time_text *run_time; /* by address */
	size_t run_time_count;
	struct cache_entry cache[1 << CACHE_BITS];
	uint64_t unknown;
	uint64_t revision;
	uint64_t modules_mark; /* as of `table` */
	bool keep_addresses;
};

static void cache_clear(struct kernel_map *map)
{
	memset(map->cache, 0, sizeof(map->cache));
	map->revision++;
}

/* --- identity --- */

static void notes_read(const char *path, struct build_id *ret_id)
{
	uint8_t bytes[4096];
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	ret_id->length = 0;
	if (length > 0)
		elf_notes_build_id(bytes, (size_t)length, ret_id);
}

static void module_build_id(const struct kallsyms_module *module, bool kernel, struct build_id *ret_id)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module->name);
	notes_read(kernel ? "/sys/kernel/notes" : path, ret_id);
}

static struct event_text text_of(const char *string)
{
	return (struct event_text){string, (uint32_t)strlen(string)};
}

/* --- writing --- */

static int module_write(struct kernel_map *map, uint32_t index, uint32_t id)
{
	const struct kallsyms_module *module = &map->table.modules.items[index];
	struct build_id build_id;
	struct event_module event = {
		.id = id,
		.kind = index ? MODULE_KERNEL_MODULE : MODULE_KERNEL,
		.path = text_of(module->name),
		.base = map->keep_addresses ? module->base : 0,
	};

	module_build_id(module, !index, &build_id);
	event.build_id = (struct event_text){(const char *)build_id.bytes, build_id.length};
	return map->sink.module(map->sink.context, &event);
}

static uint32_t module_introduce(struct kernel_map *map, uint32_t index)
{
	uint32_t id = map->sink.new_module_id(map->sink.context);

	return id && !module_write(map, index, id) ? map->module_ids[index] = id : 0;
}

static uint32_t module_tell(struct kernel_map *map, uint32_t index)
{
	return map->module_ids[index] ? map->module_ids[index] : module_introduce(map, index);
}

static int run_time_write(struct kernel_map *map, const struct run_time_text *text, uint32_t id)
{
	struct event_module module = {
		.id = id,
		.kind = text->bpf ? MODULE_BPF : MODULE_KERNEL_OTHER,
		.path = text_of(text->name),
		.base = map->keep_addresses ? text->address : 0,
	};
	struct event_kernel_symbol symbol = {.module = id, .size = text->length, .name = text_of(text->name)};
	int rc = map->sink.module(map->sink.context, &module);

	return rc ? rc : map->sink.symbol(map->sink.context, &symbol);
}

static uint32_t run_time_tell(struct kernel_map *map, struct run_time_text *text)
{
	uint32_t id = text->id ? 0 : map->sink.new_module_id(map->sink.context);

	if (id && !run_time_write(map, text, id))
		text->id = id;
	return text->id;
}

static int symbol_introduce(struct kernel_map *map, const struct kallsyms_symbol *symbol, uint32_t module_id)
{
	struct event_kernel_symbol event = {
		.module = module_id,
		.offset = symbol->address - map->table.modules.items[symbol->module].base,
		.size = kallsyms_size(&map->table, symbol),
		.name = text_of(map->table.names.items + symbol->name),
	};

	return map->sink.symbol(map->sink.context, &event);
}

static int symbol_tell(struct kernel_map *map, const struct kallsyms_symbol *symbol, uint32_t module_id)
{
	size_t index = (size_t)(symbol - map->table.symbols.items);
	int rc;

	if (map->symbol_told[index / 8] & 1 << index % 8)
		return 0;
	rc = symbol_introduce(map, symbol, module_id);
	if (!rc)
		map->symbol_told[index / 8] |= (uint8_t)(1 << index % 8);
	return rc;
}

void kernel_map_tell(struct kernel_map *map)
{
	for (uint32_t i = 0; i < map->table.modules.count; i++)
		if (map->module_ids[i])
			(void)module_write(map, i, map->module_ids[i]);
	for (size_t i = 0; i < map->table.symbols.count; i++) {
		const struct kallsyms_symbol *symbol = &map->table.symbols.items[i];

		if (map->symbol_told[i / 8] & 1 << i % 8)
			(void)symbol_introduce(map, symbol, map->module_ids[symbol->module]);
	}
	for (size_t i = 0; i < map->run_time_count; i++)
		if (map->run_time[i].id)
			(void)run_time_write(map, &map->run_time[i], map->run_time[i].id);
}

/* --- text made at run time --- */

/* Index of the first entry above the address. */
static size_t run_time_above(const struct kernel_map *map, uint64_t address)
{
	return SORTED_FIRST(i, map->run_time_count, map->run_time[i].address > address);
}

static struct run_time_text *run_time_find(struct kernel_map *map, uint64_t address)
{
	size_t above = run_time_above(map, address);
	struct run_time_text *text = above ? &map->run_time[above - 1] : NULL;

	return text && address - text->address < text->length ? text : NULL;
}

int kernel_map_add(struct kernel_map *map, uint64_t address, uint32_t length, bool bpf, const char *name)
{
	struct run_time_text text = {.address = address, .length = length, .bpf = bpf};
	size_t at;

	kernel_map_remove(map, address);
	if (map->run_time_count == MAX_RUN_TIME)
		return -ENOSPC;
	(void)snprintf(text.name, sizeof(text.name), "%s", name);
	at = run_time_above(map, address);
	memmove(&map->run_time[at + 1], &map->run_time[at], (map->run_time_count - at) * sizeof(text));
	map->run_time[at] = text;
	map->run_time_count++;
	cache_clear(map);
	return 0;
}

void kernel_map_remove(struct kernel_map *map, uint64_t address)
{
	size_t above = run_time_above(map, address);

	if (!above || map->run_time[above - 1].address != address)
		return;
	if (map->run_time[above - 1].id) {
		(void)run_time_write(map, &map->run_time[above - 1], map->run_time[above - 1].id);
		map->sink.old_module_id(map->sink.context, map->run_time[above - 1].id);
	}
	memmove(&map->run_time[above - 1], &map->run_time[above],
		(map->run_time_count - above) * sizeof(map->run_time[0]));
	map->run_time_count--;
	cache_clear(map);
}

/* /proc/kallsyms has no lengths: each entry reaches to the next one, for at most REACH bytes. */
static void run_time_import(struct kernel_map *map)
{
	enum { REACH = 64 << 10 };

	for (size_t i = 0; i < map->table.run_time.count; i++) {
		const struct kallsyms_bpf *entry = &map->table.run_time.items[i];
		size_t above = run_time_above(map, entry->address);

		if (!above || map->run_time[above - 1].address != entry->address) /* else its length is known */
			(void)kernel_map_add(map, entry->address, REACH, !entry->is_trampoline,
					     map->table.names.items + entry->name);
	}
	for (size_t i = 0; i + 1 < map->run_time_count; i++) {
		uint64_t room = map->run_time[i + 1].address - map->run_time[i].address;

		if (map->run_time[i].length > room)
			map->run_time[i].length = (uint32_t)room;
	}
}

/* --- the map --- */

static struct cache_entry normalize_run_time(struct kernel_map *map, uint64_t address)
{
	struct run_time_text *text = run_time_find(map, address);
	uint32_t id = text ? run_time_tell(map, text) : 0;

	return id ? (struct cache_entry){text->address, text->length, (uint64_t)id << 32} : (struct cache_entry){0};
}

/* After a call that never returns, a return address may be the next function's first byte: the one before is meant. */
static int before_tell(struct kernel_map *map, const struct kallsyms_symbol *symbol, uint32_t module_id)
{
	const struct kallsyms_symbol *before = kallsyms_find(&map->table, symbol->address - 1);

	return before && before->module == symbol->module ? symbol_tell(map, before, module_id) : 0;
}

static struct cache_entry normalize_table(struct kernel_map *map, uint64_t address)
{
	const struct kallsyms_symbol *symbol = kallsyms_find(&map->table, address);
	uint32_t id = symbol ? module_tell(map, symbol->module) : 0;
	uint64_t base, length, skipped;

	if (!id || symbol_tell(map, symbol, id))
		return (struct cache_entry){0};
	skipped = address != symbol->address; /* its first byte is looked up here, once */
	if (!skipped && before_tell(map, symbol, id))
		return (struct cache_entry){0};
	base = map->table.modules.items[symbol->module].base;
	length = kallsyms_size(&map->table, symbol);
	if ((symbol->address - base + length) >> 32)
		return (struct cache_entry){0};
	return (struct cache_entry){symbol->address + skipped, length - skipped,
				    ((uint64_t)id << 32 | (symbol->address - base)) + skipped};
}

uint64_t kernel_map_normalize(struct kernel_map *map, uint64_t address)
{
	struct cache_entry *entry = &map->cache[hash_slot(address >> CACHE_GRANULE, CACHE_BITS)];
	struct cache_entry found;

	if (address - entry->start < entry->length)
		return entry->normalized + (address - entry->start);
	found = normalize_table(map, address);
	if (!found.length)
		found = normalize_run_time(map, address);
	if (!found.length) {
		map->unknown++;
		return 0;
	}
	*entry = found;
	return found.normalized + (address - found.start);
}

const char *kernel_map_variable(const struct kernel_map *map, uint64_t address)
{
	return kallsyms_variable(&map->table, address);
}

uint64_t kernel_map_revision(const struct kernel_map *map)
{
	return map->revision;
}

uint64_t kernel_map_unknown(const struct kernel_map *map)
{
	return map->unknown;
}

/* Gives back the ids that the new table does not have. */
static void give_back_others(const struct kernel_map *map, const uint32_t *ids, size_t count)
{
	for (size_t j = 0; j < map->table.modules.count; j++) {
		uint32_t id = map->module_ids[j];
		size_t i = 0;

		while (i < count && ids[i] != id)
			i++;
		if (id && i == count)
			map->sink.old_module_id(map->sink.context, id);
	}
}

/* Modules that already have an id keep it and their names; whatever else a reload has moved is written again. */
static int table_load(struct kernel_map *map)
{
	_cleanup_free_ uint32_t *ids = NULL;
	_cleanup_free_ uint8_t *told = NULL;
	struct kallsyms fresh = {0};
	int rc = kallsyms_read(&fresh);

	if (!rc) {
		ids = calloc(fresh.modules.count, sizeof(*ids));
		told = calloc(fresh.symbols.count / 8 + 1, 1);
		rc = ids && told ? 0 : -ENOMEM;
	}
	if (rc) {
		kallsyms_deinit(&fresh);
		return rc;
	}
	for (size_t i = 0; i < fresh.modules.count; i++)
		for (size_t j = 0; j < map->table.modules.count; j++)
			if (fresh.modules.items[i].base == map->table.modules.items[j].base &&
			    !strcmp(fresh.modules.items[i].name, map->table.modules.items[j].name))
				ids[i] = map->module_ids[j];
	give_back_others(map, ids, fresh.modules.count);
	kallsyms_deinit(&map->table);
	free(map->module_ids);
	free(map->symbol_told);
	map->table = fresh;
	map->module_ids = steal_ptr(ids);
	map->symbol_told = steal_ptr(told);
	run_time_import(map);
	return 0;
}

const struct kallsyms *kernel_map_table(const struct kernel_map *map)
{
	return &map->table;
}

int kernel_map_refresh(struct kernel_map *map)
{
	uint64_t mark = kallsyms_modules_mark();

	map->unknown = 0;
	if (mark == map->modules_mark)
		return 0;
	map->modules_mark = mark;
	kernel_map_tell(map);
	cache_clear(map);
	return table_load(map);
}

int kernel_map_create(const struct kernel_map_sink *sink, bool keep_addresses, struct kernel_map **ret_map)
{
	struct kernel_map *map = calloc(1, sizeof(*map));
	int rc = -ENOMEM;

	if (!map)
		return rc;
	map->sink = *sink;
	map->keep_addresses = keep_addresses;
	map->run_time = calloc(MAX_RUN_TIME + 1, sizeof(*map->run_time));
	map->modules_mark = kallsyms_modules_mark();
	if (map->run_time)
		rc = table_load(map);
	if (rc == -EPERM)
		rc = log_error(EPERM, "the kernel hides its addresses in '/proc/kallsyms': run as "
				      "root, or set kernel.kptr_restrict to 1 or 0");
	else if (rc)
		(void)log_error(-rc, "cannot read '/proc/kallsyms': %s", strerror(-rc));
	if (rc) {
		kernel_map_destroy(map);
		return rc;
	}
	*ret_map = map;
	return 0;
}

void kernel_map_destroy(struct kernel_map *map)
{
	if (!map)
		return;
	kallsyms_deinit(&map->table);
	free(map->module_ids);
	free(map->symbol_told);
	free(map->run_time);
	free(map);
}

/* --- kernel stacks, as modules and offsets --- */

enum { PLACE_BITS = 11,
       KEPT_FRAMES = 64 }; /* longer ones are rare, and looked up each time */

/* The latest chain here: its callers, and its leaf. */
struct place {
	struct chain_key key; /* of the callers' addresses */
	uint64_t number;      /* of the callers, 0: empty */
	uint64_t revision;    /* of the map */
	uint64_t leaf;	      /* address that frames[0] belongs to */
	uint64_t frames[KEPT_FRAMES];
};

struct kernel_chains {
	struct kernel_map *map;
	struct chain_factors factors;
	struct place *places;
	uint64_t *frames; /* of a chain that has no place */
	uint64_t numbers; /* given so far */
};

int kernel_chains_create(struct kernel_map *map, struct kernel_chains **ret_chains)
{
	struct kernel_chains *chains = calloc(1, sizeof(*chains));
	int r;

	if (!chains)
		return -ENOMEM;
	chains->map = map;
	/* Pages are allocated as they are used. */
	chains->places = calloc((size_t)1 << PLACE_BITS, sizeof(*chains->places));
	chains->frames = calloc(RING_MAX_FRAMES, sizeof(*chains->frames));
	r = chains->places && chains->frames ? chain_factors_draw(&chains->factors) : -ENOMEM;
	if (r < 0) {
		kernel_chains_destroy(chains);
		return r;
	}
	*ret_chains = chains;
	return 0;
}

void kernel_chains_destroy(struct kernel_chains *chains)
{
	if (!chains)
		return;
	free(chains->places);
	free(chains->frames);
	free(chains);
}

/* Returns whether all addresses are known. */
static bool name_all(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count, uint64_t *frames)
{
	bool all = true;

	for (uint32_t i = 0; i < count; i++) {
		frames[i] = kernel_map_normalize(chains->map, addresses[i]);
		all &= frames[i] != 0;
	}
	return all;
}

/* A leaf in unknown code is looked up each time: it may have become known, and it is counted. */
static void name_leaf(struct kernel_chains *chains, struct place *place, uint64_t address)
{
	if (place->leaf == address && place->frames[0])
		return;
	place->frames[0] = kernel_map_normalize(chains->map, address);
	place->leaf = address;
}

static bool is_here(const struct kernel_chains *chains, const struct place *place, const struct chain_key *key)
{
	return place->number && chain_key_equal(&place->key, key) &&
	       place->revision == kernel_map_revision(chains->map);
}

static void settle(struct kernel_chains *chains, struct place *place, const struct chain_key *key,
		   const uint64_t *addresses, uint32_t count)
{
	bool all = name_all(chains, addresses + 1, count - 1, place->frames + 1);

	place->key = *key;
	place->number = all ? ++chains->numbers : 0;
	place->revision = kernel_map_revision(chains->map);
	place->frames[0] = 0;
}

struct kernel_chain kernel_chains_take(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count)
{
	struct chain_key key;
	struct place *place;

	if (count < 2 || count > KEPT_FRAMES) {
		(void)name_all(chains, addresses, count, chains->frames);
		return (struct kernel_chain){.frames = chains->frames};
	}
	key = chain_key(&chains->factors, addresses + 1, count - 1, 0, 0);
	place = &chains->places[chain_key_slot(&key, PLACE_BITS)];
	if (!is_here(chains, place, &key))
		settle(chains, place, &key, addresses, count);
	name_leaf(chains, place, addresses[0]);
	return (struct kernel_chain){.frames = place->frames, .callers = place->number};
}
