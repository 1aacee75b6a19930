/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/cgroup/cgroup_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring_cgroup.h"
#include "common/hash_map.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/machine/clocks.h"
#include "record/plan/recording.h"

enum { NAME_BYTES = 2 << 20, MOST_DEPTH = 256 };

enum entry_flag {
	ENTRY_DESCRIBED = 1, /* else only its id is known */
	ENTRY_INITIAL = 2,
	ENTRY_ROOT = 4,
	ENTRY_SEEN = 8, /* a task of an event was in it */
	ENTRY_TOLD = 16,
	ENTRY_REMOVED = 32,
};

struct entry {
	uint64_t id, parent;
	uint64_t made, removed; /* CLOCK_MONOTONIC ns */
	uint64_t pass;		/* in which it was removed */
	uint32_t name, length;	/* in `names` */
	uint32_t flags;
};

struct cgroup_table {
	struct recording *recording;
	struct hash_map places; /* by id: index of an entry */
	struct entry *entries;
	char *names, *spare; /* both of one size */
	uint32_t count, names_used;
	uint64_t pass, last_seen, left_out;
	uint64_t forgot; /* the pass in which removed ones were last forgotten */
	bool lists, below, listed;
	bool removed; /* there may be removed ones that were not forgotten */
};

int cgroup_table_create(struct recording *recording, struct cgroup_table **ret_table)
{
	struct cgroup_table *table = calloc(1, sizeof(*table));
	int r;

	if (!table)
		return -ENOMEM;
	table->recording = recording;
	table->entries = calloc(CGROUP_TABLE_MOST, sizeof(*table->entries));
	table->names = malloc(NAME_BYTES);
	table->spare = malloc(NAME_BYTES);
	r = table->entries && table->names && table->spare ? 0 : -ENOMEM;
	if (!r)
		r = hash_map_init_fixed(&table->places, CGROUP_TABLE_MOST, CGROUP_TABLE_MOST * sizeof(uint64_t));
	if (r < 0) {
		cgroup_table_destroy(table);
		return r;
	}
	*ret_table = table;
	return 0;
}

void cgroup_table_destroy(struct cgroup_table *table)
{
	if (!table)
		return;
	hash_map_deinit(&table->places);
	free(table->entries);
	free(table->names);
	free(table->spare);
	free(table);
}

/* --- entries --- */

static struct entry *find(const struct cgroup_table *table, uint64_t id)
{
	const uint64_t *place = hash_map_find(&table->places, &id, sizeof(id));

	return place ? &table->entries[*place] : NULL;
}

static bool is_gone(const struct cgroup_table *table, const struct entry *entry)
{
	return entry->flags & ENTRY_REMOVED && entry->pass + 1 < table->pass;
}

/* --- telling --- */

/* Returns the path's first byte; it ends at the end of `room`. NULL: it is not known, or too long. */
static const char *path_of(const struct cgroup_table *table, const struct entry *entry, char *room, size_t size)
{
	char *at = room + size;

	if (entry->flags & ENTRY_ROOT)
		*--at = '/';
	for (int depth = 0; depth < MOST_DEPTH && entry; depth++, entry = find(table, entry->parent)) {
		if (entry->flags & ENTRY_ROOT)
			return at;
		if (!(entry->flags & ENTRY_DESCRIBED) || (size_t)(at - room) < entry->length + 1)
			return NULL;
		at -= entry->length;
		memcpy(at, table->names + entry->name, entry->length);
		*--at = '/';
	}
	return NULL;
}

static void tell_removal(struct cgroup_table *table, const struct entry *entry)
{
	struct recording *recording = table->recording;
	const struct event event = {.kind = EVENT_CGROUP, .cgroup = {.time = entry->removed, .id = entry->id,
								     .flags = CGROUP_REMOVED}};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void write_entry(struct cgroup_table *table, const struct entry *entry)
{
	struct recording *recording = table->recording;
	char room[RWK_MAX_STRING + 1];
	const char *path = path_of(table, entry, room, sizeof(room) - 1);
	struct event event = {.kind = EVENT_CGROUP, .cgroup = {.time = entry->made, .id = entry->id}};

	room[RWK_MAX_STRING] = '\0';
	if (path)
		event.cgroup.path = (struct event_text){path, (uint32_t)(room + sizeof(room) - 1 - path)};
	if (entry->flags & ENTRY_INITIAL)
		event.cgroup.flags |= CGROUP_INITIAL;
	(void)recording_check(recording, event_log_add(recording->log, &event));
	if (entry->flags & ENTRY_REMOVED)
		tell_removal(table, entry);
}

static void tell(struct cgroup_table *table, struct entry *entry)
{
	entry->flags |= ENTRY_TOLD;
	write_entry(table, entry);
}

void cgroup_table_tell(struct cgroup_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].flags & ENTRY_TOLD)
			write_entry(table, &table->entries[i]);
}

/* --- room --- */

static void forget_removed(struct cgroup_table *table)
{
	char *names = table->names;
	uint32_t count = table->count;

	for (uint32_t i = 0; table->recording->segment && i < count; i++) /* while its path is known */
		if (is_gone(table, &table->entries[i]) && table->entries[i].flags & ENTRY_TOLD)
			write_entry(table, &table->entries[i]);
	table->names = table->spare;
	table->spare = names;
	hash_map_clear(&table->places);
	table->count = table->names_used = 0;
	table->last_seen = 0;
	table->forgot = table->pass;
	table->removed = false;
	for (uint32_t i = 0; i < count; i++) {
		struct entry *entry = &table->entries[i];

		if (is_gone(table, entry))
			continue;
		table->removed |= entry->flags & ENTRY_REMOVED;
		memcpy(table->names + table->names_used, names + entry->name, entry->length);
		entry->name = table->names_used;
		table->names_used += entry->length;
		table->entries[table->count] = *entry;
		(void)hash_map_add(&table->places, &entry->id, sizeof(entry->id), table->count++, NULL);
	}
}

static bool has_room(const struct cgroup_table *table, uint32_t length)
{
	return table->count < CGROUP_TABLE_MOST && length <= NAME_BYTES - table->names_used;
}

/* Finds or makes the entry. NULL: there is no room. */
static struct entry *make(struct cgroup_table *table, uint64_t id)
{
	struct entry *entry = find(table, id);

	if (entry)
		return entry;
	if (!has_room(table, RING_CGROUP_NAME) && table->removed && table->forgot != table->pass)
		forget_removed(table);
	if (!has_room(table, RING_CGROUP_NAME) ||
	    hash_map_add(&table->places, &id, sizeof(id), table->count, NULL) < 0) {
		table->left_out++;
		return NULL;
	}
	entry = &table->entries[table->count++];
	*entry = (struct entry){.id = id, .made = clocks_now()};
	return entry;
}

/* --- what is seen --- */

void cgroup_table_see(struct cgroup_table *table, uint64_t id)
{
	struct entry *entry;

	if (!table || !id || id == table->last_seen)
		return;
	table->last_seen = id;
	entry = make(table, id);
	if (!entry)
		return;
	entry->flags |= ENTRY_SEEN;
	if (entry->flags & ENTRY_DESCRIBED && !(entry->flags & ENTRY_TOLD))
		tell(table, entry);
}

void cgroup_table_finish(struct cgroup_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].flags & ENTRY_SEEN && !(table->entries[i].flags & ENTRY_TOLD))
			tell(table, &table->entries[i]);
}

/* --- what the programs say --- */

void cgroup_table_begin_list(struct cgroup_table *table)
{
	table->lists = true;
}

void cgroup_table_end_list(struct cgroup_table *table)
{
	table->listed = true;
}

void cgroup_table_pass(struct cgroup_table *table)
{
	table->pass++;
}

static void describe(struct cgroup_table *table, struct entry *entry, const struct ring_cgroup *record)
{
	const uint64_t start = table->recording->start;

	entry->flags |= ENTRY_DESCRIBED;
	entry->parent = record->parent;
	entry->name = table->names_used;
	entry->length = record->length;
	memcpy(table->names + entry->name, record->name, record->length);
	table->names_used += record->length;
	entry->made = record->time;
	if (record->time <= start || (record->kind == RING_CGROUP_EXISTS && !table->listed)) {
		entry->flags |= ENTRY_INITIAL;
		entry->made = start;
	}
	if (entry->flags & ENTRY_SEEN)
		tell(table, entry);
}

static void remove_one(struct cgroup_table *table, const struct ring_cgroup *record)
{
	struct entry *entry = find(table, record->id);

	if (!entry || entry->flags & ENTRY_REMOVED)
		return;
	entry->flags |= ENTRY_REMOVED;
	entry->pass = table->pass;
	entry->removed = record->time;
	table->removed = true;
	if (entry->flags & ENTRY_TOLD)
		tell_removal(table, entry);
}

void cgroup_table_take(struct cgroup_table *table, const struct ring_cgroup *record)
{
	bool root = table->lists && record->kind == RING_CGROUP_EXISTS;
	struct entry *entry;

	if (record->length >= RING_CGROUP_NAME)
		return;
	if (record->kind == RING_CGROUP_REMOVED) {
		remove_one(table, record);
		return;
	}
	entry = make(table, record->id);
	if (!entry)
		return;
	if (root) {
		table->lists = false;
		table->below = record->parent != 0;
		entry->flags |= ENTRY_ROOT;
	}
	if (entry->flags & ENTRY_REMOVED && record->kind == RING_CGROUP_MADE) {
		entry->flags = 0;
		table->last_seen = 0;
	}
	if (!(entry->flags & ENTRY_DESCRIBED))
		describe(table, entry, record);
}

uint64_t cgroup_table_left_out(const struct cgroup_table *table)
{
	return table->left_out;
}

bool cgroup_table_is_below(const struct cgroup_table *table)
{
	return table->below;
}
