/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/module_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/host/host.h"
#include "record/place/hits.h"
#include "record/place/user_shares.h"
#include "record/plan/recording.h"

enum { RECENT = 256,
       PATH_BYTES = 4 << 20,
       KEY_MAX = RWK_MAX_STRING + BUILD_ID_MAX + 32,
       KEY_BYTES = 8 << 20 };

struct returned {
	uint32_t id, turn;
};

struct module_table {
	struct recording *recording;
	struct hash_map keys; /* identity -> index in entries */
	struct module_entry *entries;
	uint32_t recent[RECENT]; /* by inode: index in entries + 1 of the latest one */
	uint32_t *index_of; /* id -> index in entries + 1; ids above its room are untracked */
	size_t count, most;
	char *paths;
	size_t paths_used, path_bytes;
	uint32_t last_id;
	uint32_t ids; /* those below are tracked */
	uint32_t turn;
	uint8_t *used; /* bit by id */
	struct returned *returned; /* a ring of ids: [given, forgotten) may be given, [forgotten, end) later */
	uint64_t given, forgotten, end;
	uint32_t special[MODULE_ANONYMOUS + 1];
	uint64_t untracked;
	uint32_t overflow; /* ids of modules that are not kept, above all others */
	struct user_shares entry_shares, path_shares;
	struct process_users users;
};

enum { INDEX_ROOM = 4 * MODULE_TABLE_MAX };

/* Two kinds of key, distinguished by their first byte, so that a build-id never matches a device number. */
static size_t key_make(const struct module_identity *identity, uint8_t out[static KEY_MAX])
{
	struct byte_buffer key = {.bytes = out, .room = KEY_MAX};

	if (identity->build_id.length) {
		byte_buffer_uint(&key, 'b', 1);
		byte_buffer_string(&key, identity->build_id.bytes, identity->build_id.length);
	} else {
		byte_buffer_uint(&key, 'i', 1);
		byte_buffer_uint(&key, identity->device, 8);
		byte_buffer_uint(&key, identity->inode, 8);
	}
	byte_buffer_bytes(&key, identity->path, strnlen(identity->path, RWK_MAX_STRING));
	return key.used;
}

static int tell(struct module_table *table, const struct module_entry *entry)
{
	struct event event = {
		.kind = EVENT_MODULE,
		.module = {.id = entry->id,
			   .kind = entry->kind,
			   .path = {entry->path, (uint32_t)strnlen(entry->path, RWK_MAX_STRING)},
			   .build_id = {(const char *)entry->build_id.bytes, entry->build_id.length},
			   .device = entry->device,
			   .inode = entry->inode,
			   .flags = (entry->deleted ? MODULE_DELETED : 0) |
				    (uint64_t)entry->variant << MODULE_VARIANT_SHIFT},
	};

	return recording_check(table->recording, event_log_add(table->recording->log, &event));
}

void module_table_tell(struct module_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		(void)tell(table, &table->entries[i]);
}

static uint32_t overflow_id(struct module_table *table)
{
	return table->overflow < RWK_MAX_MODULES - 1 ? table->overflow++ : 0;
}

uint32_t module_table_new_id(struct module_table *table)
{
	if (table->last_id < table->ids - 1)
		return ++table->last_id;
	if (table->given < table->forgotten)
		return table->returned[table->given++ % INDEX_ROOM].id;
	return overflow_id(table);
}

uint32_t module_table_user(struct module_table *table, uint32_t tgid)
{
	return process_user(&table->users, tgid);
}

/* An id for another file of that user; one that is not tracked if there is no room for it. */
static uint32_t id_take(struct module_table *table, uint32_t uid, const char *path)
{
	const uint64_t length = strnlen(path, RWK_MAX_STRING) + 1;

	if (table->last_id >= table->ids - 1 && table->given == table->forgotten)
		return overflow_id(table);
	if (!user_shares_take(&table->entry_shares, uid, 1))
		return overflow_id(table);
	if (!user_shares_take(&table->path_shares, uid, length)) {
		user_shares_give(&table->entry_shares, uid, 1);
		return overflow_id(table);
	}
	return module_table_new_id(table);
}

/* If too many are given back at once, the rest is never reused. */
void module_table_give_back(struct module_table *table, uint32_t id)
{
	if (id && table->end - table->given < INDEX_ROOM)
		table->returned[table->end++ % INDEX_ROOM] = (struct returned){id, table->turn};
}

static const char *path_keep(struct module_table *table, const char *path)
{
	size_t length = strnlen(path, RWK_MAX_STRING);
	char *kept = table->paths + table->paths_used;

	if (length + 1 > table->path_bytes - table->paths_used)
		return NULL;
	memcpy(kept, path, length);
	kept[length] = '\0';
	table->paths_used += length + 1;
	return kept;
}

/* Keeps the entry if there is room; it is written to the trace either way. From now on the key leads to it. */
static uint32_t entry_add(struct module_table *table, const struct module_entry *entry, const void *key, size_t length)
{
	struct module_entry kept = *entry;
	uint64_t *index = NULL;

	if (tell(table, entry))
		return 0;
	kept.path = entry->id < table->ids ? path_keep(table, entry->path) : NULL;
	if (!kept.path || (length && hash_map_add(&table->keys, key, length, table->count, &index) < 0)) {
		table->untracked++;
		return entry->id;
	}
	if (index)
		*index = table->count;
	kept.turn = table->turn;
	table->entries[table->count++] = kept;
	table->index_of[entry->id] = (uint32_t)table->count;
	return entry->id;
}

static uint32_t *recent_slot(struct module_table *table, const struct module_identity *identity)
{
	return &table->recent[(identity->inode ^ identity->build_id.bytes[0]) % RECENT];
}

static bool same_generation(const struct module_entry *entry, uint32_t generation)
{
	return !entry->generation || !generation || entry->generation == generation;
}

/* Most mappings are of a few files. These are found without hashing the key, but compared in full. */
static const struct module_entry *recall(struct module_table *table, const struct module_identity *identity)
{
	uint32_t index = *recent_slot(table, identity);
	const struct module_entry *entry = index ? &table->entries[index - 1] : NULL;

	if (!entry || identity->build_id.length || entry->inode != identity->inode ||
	    entry->device != identity->device || !same_generation(entry, identity->generation))
		return NULL;
	return strcmp(entry->path, identity->path) ? NULL : entry;
}

/* The mapping of a known file: the entry at that index. */
static uint32_t touch(struct module_table *table, uint64_t index, const struct module_identity *identity)
{
	struct module_entry *entry = &table->entries[index];

	entry->turn = table->turn;
	if (!entry->generation)
		entry->generation = identity->generation;
	*recent_slot(table, identity) = (uint32_t)index + 1;
	return entry->id;
}

/* Files without a name, and those in memory: they may be programs, or what a compiler has written there. */
static bool may_be_memory(const struct module_identity *identity)
{
	return identity->deleted || !strncmp(identity->path, "/memfd:", 7) || !strncmp(identity->path, "/dev/shm/", 9);
}

static uint32_t file_add(struct module_table *table, const struct module_identity *identity, const void *key,
			 size_t length)
{
	const uint32_t uid = module_table_user(table, identity->tgid);
	struct module_entry entry = {
		.id = id_take(table, uid, identity->path),
		.uid = uid,
		.kind = identity->memory ? MODULE_ANONYMOUS : MODULE_FILE,
		.path = identity->path,
		.device = identity->device,
		.inode = identity->inode,
		.generation = identity->generation,
		.build_id = identity->build_id,
		.deleted = identity->deleted,
	};

	*recent_slot(table, identity) = 0;
	if (table->recording->hits)
		hits_note_made(table->recording->hits, entry.id, identity->memory || may_be_memory(identity));
	return entry.id ? entry_add(table, &entry, key, length) : 0;
}

uint32_t module_table_file(struct module_table *table, const struct module_identity *identity)
{
	const struct module_entry *recent = recall(table, identity);
	uint8_t key[KEY_MAX];
	const uint64_t *index;
	size_t length;

	if (recent)
		return touch(table, (uint64_t)(recent - table->entries), identity);
	length = key_make(identity, key);
	index = hash_map_find(&table->keys, key, length);
	if (index && same_generation(&table->entries[*index], identity->generation))
		return touch(table, *index, identity);
	return file_add(table, identity, key, length);
}

uint32_t module_table_file_anew(struct module_table *table, const struct module_identity *identity)
{
	uint8_t key[KEY_MAX];

	return file_add(table, identity, key, key_make(identity, key));
}

uint32_t module_table_special(struct module_table *table, enum module_kind kind)
{
	struct module_entry entry = {.kind = kind, .path = kind == MODULE_VDSO ? "[vdso]" : "[anon]"};

	if (table->special[kind])
		return table->special[kind];
	if (kind == MODULE_VDSO)
		vdso_build_id(&entry.build_id);
	entry.id = id_take(table, 0, entry.path);
	return table->special[kind] = entry.id ? entry_add(table, &entry, NULL, 0) : 0;
}

const struct module_entry *module_table_find(const struct module_table *table, uint32_t id)
{
	uint32_t index = id < INDEX_ROOM ? table->index_of[id] : 0;

	return index ? &table->entries[index - 1] : NULL;
}

int module_table_set_variant(struct module_table *table, uint32_t id, uint32_t variant)
{
	uint32_t index = id < INDEX_ROOM ? table->index_of[id] : 0;

	if (!index || table->entries[index - 1].variant == variant)
		return 0;
	table->entries[index - 1].variant = variant;
	return tell(table, &table->entries[index - 1]);
}

int module_table_set_build_id(struct module_table *table, uint32_t id, const struct build_id *build_id)
{
	uint32_t index = id < INDEX_ROOM ? table->index_of[id] : 0;
	struct module_identity identity;
	uint8_t key[KEY_MAX];
	size_t length;

	if (!index || !build_id->length || table->entries[index - 1].build_id.length)
		return 0;
	table->entries[index - 1].build_id = *build_id;
	identity = (struct module_identity){.path = table->entries[index - 1].path, .build_id = *build_id};
	length = key_make(&identity, key);
	/* Later mapping events identify it by its build-id; without room for a second key it gets a second id. */
	(void)hash_map_add(&table->keys, key, length, index - 1, NULL);
	return tell(table, &table->entries[index - 1]);
}

int module_table_set_memory(struct module_table *table, uint32_t id)
{
	uint32_t index = id < INDEX_ROOM ? table->index_of[id] : 0;

	if (!index || table->entries[index - 1].kind != MODULE_FILE)
		return 0;
	table->entries[index - 1].kind = MODULE_ANONYMOUS;
	hits_note_made(table->recording->hits, id, true);
	return tell(table, &table->entries[index - 1]);
}

/* --- what is forgotten --- */

/* Whether the id that is given next, if there is one, was returned long enough ago. */
static bool may_be_given(const struct module_table *table)
{
	return table->forgotten != table->end &&
	       table->returned[table->forgotten % INDEX_ROOM].turn + MODULE_TURNS < table->turn;
}

bool module_table_turn(struct module_table *table)
{
	table->turn++;
	while (may_be_given(table))
		table->forgotten++;
	/* a user's share is half of it */
	return table->count > table->most / 4 || table->paths_used > table->path_bytes / 4;
}

void module_table_use(struct module_table *table, uint32_t id)
{
	if (id < INDEX_ROOM)
		table->used[id / 8] |= (uint8_t)(1 << id % 8);
}

/* Or memory with a name; not one of the special ones. */
static bool is_file(const struct module_entry *entry)
{
	return entry->path[0] == '/';
}

static bool may_go(const struct module_table *table, const struct module_entry *entry)
{
	return is_file(entry) && entry->turn + MODULE_TURNS < table->turn &&
	       !(table->used[entry->id / 8] >> entry->id % 8 & 1);
}

/* Of several files under one key the last one counts. */
static void key_set(struct module_table *table, const struct module_identity *identity, size_t index)
{
	uint8_t key[KEY_MAX];
	uint64_t *value;

	if (hash_map_add(&table->keys, key, key_make(identity, key), index, &value) >= 0)
		*value = index;
}

static void add_key(struct module_table *table, const struct module_entry *entry, size_t index)
{
	const struct module_identity identity = {.path = entry->path, .device = entry->device, .inode = entry->inode,
						 .build_id = entry->build_id};
	struct module_identity by_inode = identity;

	if (!is_file(entry))
		return;
	key_set(table, &identity, index);
	by_inode.build_id.length = 0;
	if (entry->inode && identity.build_id.length)
		key_set(table, &by_inode, index);
}

/* Paths stay in the order of the entries. */
static void keep_entry(struct module_table *table, const struct module_entry *entry)
{
	struct module_entry *kept = &table->entries[table->count];
	size_t length = strlen(entry->path) + 1;

	*kept = *entry;
	(void)user_shares_take(&table->entry_shares, entry->uid, 1);
	(void)user_shares_take(&table->path_shares, entry->uid, length);
	kept->path = memmove(table->paths + table->paths_used, entry->path, length);
	table->paths_used += length;
	add_key(table, kept, table->count++);
	table->index_of[kept->id] = (uint32_t)table->count;
}

void module_table_collect(struct module_table *table, void (*dropped)(void *context, uint32_t id), void *context)
{
	size_t count = table->count;

	hash_map_clear(&table->keys);
	memset(table->recent, 0, sizeof(table->recent));
	table->count = table->paths_used = 0;
	user_shares_clear(&table->entry_shares);
	user_shares_clear(&table->path_shares);
	for (size_t i = 0; i < count; i++) {
		struct module_entry entry = table->entries[i];

		if (!may_go(table, &entry)) {
			keep_entry(table, &entry);
			continue;
		}
		table->index_of[entry.id] = 0;
		module_table_give_back(table, entry.id);
		dropped(context, entry.id);
	}
	memset(table->used, 0, INDEX_ROOM / 8);
}

uint64_t module_table_untracked(const struct module_table *table)
{
	return table->untracked;
}

size_t module_table_memory(void)
{
	return MODULE_TABLE_MAX * sizeof(struct module_entry) +
	       INDEX_ROOM * (sizeof(uint32_t) + sizeof(struct returned)) + PATH_BYTES + KEY_BYTES +
	       hash_map_fixed_memory((size_t)2 * MODULE_TABLE_MAX);
}

int module_table_create(struct recording *recording, struct module_table **ret_table)
{
	struct module_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->recording = recording;
	table->most = MODULE_TABLE_MAX >> recording->halvings;
	table->ids = INDEX_ROOM >> recording->halvings;
	table->path_bytes = (size_t)PATH_BYTES >> recording->halvings;
	table->overflow = table->ids;
	table->entry_shares.room = table->most;
	table->path_shares.room = table->path_bytes;
	table->entries = calloc(table->most, sizeof(*table->entries));
	table->index_of = calloc(INDEX_ROOM, sizeof(*table->index_of));
	table->paths = malloc(table->path_bytes);
	table->used = calloc(INDEX_ROOM / 8, 1);
	table->returned = calloc(INDEX_ROOM, sizeof(*table->returned));
	if (!table->used || !table->returned || !table->entries || !table->index_of || !table->paths ||
	    hash_map_init_fixed(&table->keys, 2 * table->most, (size_t)KEY_BYTES >> recording->halvings)) {
		module_table_destroy(table);
		return -ENOMEM;
	}
	*ret_table = table;
	return 0;
}

void module_table_destroy(struct module_table *table)
{
	if (!table)
		return;
	hash_map_deinit(&table->keys);
	free(table->entries);
	free(table->index_of);
	free(table->paths);
	free(table->used);
	free(table->returned);
	free(table);
}
