/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"

/*
 * A fork shares its parent's mappings, so only mappings need nodes: one each, one more if it splits
 * another, and copies of the shared nodes above it (a path, twice) when the processes that share
 * them diverge. If that is not enough, dead processes are dropped early.
 */
enum { NODES_PER_MAPPING = 16, MAPPINGS_MAX = 4 << 20, DEAD_MAX = 8192 };

int timeline_init(struct timeline *timeline)
{
	*timeline = (struct timeline){0};
	return index_table_init(&timeline->process_table);
}

void timeline_release(struct timeline *timeline)
{
	address_spaces_destroy(timeline->spaces);
	timeline->spaces = NULL;
	array_free(&timeline->entries);
	array_free(&timeline->processes);
	index_table_deinit(&timeline->process_table);
	free(timeline->dead);
	timeline->dead = NULL;
}

void timeline_deinit(struct timeline *timeline)
{
	timeline_release(timeline);
	*timeline = (struct timeline){0};
}

int timeline_add(struct timeline *timeline, const struct timeline_entry *entry)
{
	size_t number = timeline->entries.count;
	int r = number < UINT32_MAX ? array_push(&timeline->entries, *entry) : -ENOMEM;

	if (!r)
		timeline->entries.items[number].order = (uint32_t)number;
	return r;
}

struct wanted_process {
	const struct timeline *timeline;
	uint32_t tgid;
};

static bool same_process(const void *context, uint32_t number)
{
	const struct wanted_process *wanted = context;

	return wanted->timeline->processes.items[number].tgid == wanted->tgid;
}

int timeline_process(struct timeline *timeline, uint32_t tgid, uint32_t *ret_process)
{
	struct wanted_process wanted = {.timeline = timeline, .tgid = tgid};
	uint32_t hash = index_table_hash(&timeline->process_table, tgid, 0);
	struct index_slot *slot = index_table_find(&timeline->process_table, hash, same_process, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&timeline->processes, (struct timeline_process){.tgid = tgid}) < 0)
			return -ENOMEM;
		index_table_set(&timeline->process_table, slot, hash,
				(uint32_t)(timeline->processes.count - 1));
	}
	*ret_process = slot->number - 1;
	return 0;
}

static bool is_sorted(const struct timeline *timeline)
{
	const struct timeline_entry *entries = timeline->entries.items;

	for (size_t i = 1; i < timeline->entries.count; i++)
		if (entries[i - 1].time > entries[i].time ||
		    (entries[i - 1].time == entries[i].time && entries[i - 1].order > entries[i].order))
			return false;
	return true;
}

/* Moves entry keys[i].number to place i, for all i. Goes cycle by cycle, so it needs no second array. */
static void permute(struct timeline_entry *entries, struct radix_key *keys, size_t count)
{
	for (uint32_t first = 0; first < count; first++) {
		struct timeline_entry moved;
		uint32_t place = first, next;

		if (keys[first].number == first)
			continue;
		moved = entries[first];
		for (; keys[place].number != first; place = next) {
			next = keys[place].number;
			entries[place] = entries[next];
			keys[place].number = place;
		}
		entries[place] = moved;
		keys[place].number = place;
	}
}

/* Sorts by time, then by order, which numbers the entries from 0. */
static int sort_entries(struct timeline *timeline)
{
	const size_t count = timeline->entries.count;
	struct timeline_entry *entries = timeline->entries.items;
	_cleanup_free_ struct radix_key *keys = NULL;

	if (is_sorted(timeline))
		return 0;
	keys = calloc(count, sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[entries[i].order] = (struct radix_key){.key = entries[i].time, .number = (uint32_t)i};
	if (radix_sort(&keys, count) < 0)
		return -ENOMEM;
	permute(entries, keys, count);
	return 0;
}

/*
 * Mappings from before the recording are valid from its start, not from the time of the walk. But
 * the walk also finds processes that forked or called exec between the first sideband event and the
 * walk.
 */
static int hoist_initial_mappings(struct timeline *timeline)
{
	uint32_t process;

	for (size_t i = 0; i < timeline->entries.count; i++) {
		struct timeline_entry *entry = &timeline->entries.items[i];
		int r = timeline_process(timeline, entry->tgid, &process);

		if (r < 0)
			return r;
		if (entry->kind != TIMELINE_MAP_BEFORE) {
			timeline->processes.items[process].renewed = true;
			continue;
		}
		entry->kind = TIMELINE_MAP;
		if (!timeline->processes.items[process].renewed)
			entry->time = 0;
	}
	for (size_t i = 0; i < timeline->processes.count; i++)
		timeline->processes.items[i].renewed = false;
	return sort_entries(timeline);
}

static size_t count_mappings(const struct timeline *timeline)
{
	size_t count = 0;

	for (size_t i = 0; i < timeline->entries.count; i++)
		count += timeline->entries.items[i].kind == TIMELINE_MAP;
	return count;
}

int timeline_rewind(struct timeline *timeline)
{
	size_t nodes;
	int r;

	r = sort_entries(timeline);
	if (!r)
		r = hoist_initial_mappings(timeline);
	if (r < 0)
		return r;
	nodes = count_mappings(timeline);
	nodes = nodes < MAPPINGS_MAX / NODES_PER_MAPPING ? nodes * NODES_PER_MAPPING : MAPPINGS_MAX;
	timeline->next = 0;
	address_spaces_destroy(timeline->spaces);
	timeline->spaces = NULL;
	return address_spaces_create(2 * timeline->processes.count + 1, nodes, &timeline->spaces);
}

/* Drops the process that has been dead longest, unless it was renewed, or looked up in the meantime. */
static void bury_one(struct timeline *timeline)
{
	uint32_t number = timeline->dead[timeline->dead_first];
	struct timeline_process *process = &timeline->processes.items[number];

	timeline->dead_first = (timeline->dead_first + 1) % DEAD_MAX;
	timeline->dead_count--;
	if (process->renewed)
		return;
	if (!process->used) {
		address_spaces_exit(timeline->spaces, process->tgid);
		address_spaces_exit(timeline->spaces, address_spaces_before_exec(process->tgid));
		return;
	}
	process->used = false;
	timeline->dead[(timeline->dead_first + timeline->dead_count++) % DEAD_MAX] = number;
}

static int expect_death(struct timeline *timeline, uint32_t number)
{
	struct timeline_process *process = &timeline->processes.items[number];

	if (!timeline->dead)
		timeline->dead = calloc(DEAD_MAX, sizeof(*timeline->dead));
	if (!timeline->dead)
		return -ENOMEM;
	if (timeline->dead_count == DEAD_MAX)
		bury_one(timeline);
	process->renewed = process->used = false;
	timeline->dead[(timeline->dead_first + timeline->dead_count++) % DEAD_MAX] = number;
	return 0;
}

static int apply_mapping(struct timeline *timeline, const struct timeline_entry *entry)
{
	struct mapping mapping = {.start = entry->start, .file_offset = entry->file_offset,
				  .module = entry->other, .note = entry->note};

	if (!entry->length || __builtin_add_overflow(entry->start, entry->length, &mapping.end))
		return 0;
	return address_spaces_map(timeline->spaces, entry->tgid, &mapping);
}

static int apply_exec(struct timeline *timeline, uint32_t tgid)
{
	int r = address_spaces_fork(timeline->spaces, tgid, address_spaces_before_exec(tgid));

	return r < 0 ? r : address_spaces_exec(timeline->spaces, tgid);
}

static int apply_entry(struct timeline *timeline, const struct timeline_entry *entry)
{
	switch ((enum timeline_kind)entry->kind) {
	case TIMELINE_MAP:
	case TIMELINE_MAP_BEFORE:
		return apply_mapping(timeline, entry);
	case TIMELINE_FORK:
		return address_spaces_fork(timeline->spaces, entry->other, entry->tgid);
	case TIMELINE_EXEC:
		return apply_exec(timeline, entry->tgid);
	case TIMELINE_EXIT:
		break;
	}
	return 0;
}

static int apply_change(struct timeline *timeline, const struct timeline_entry *entry)
{
	int r = apply_entry(timeline, entry);

	if (r == -ENOSPC) {
		for (size_t i = timeline->dead_count; i > 0; i--)
			bury_one(timeline);
		r = apply_entry(timeline, entry);
	}
	timeline->refused += r < 0;
	return r == -ENOMEM ? r : 0;
}

int timeline_advance(struct timeline *timeline, uint64_t time)
{
	while (timeline->next < timeline->entries.count &&
	       timeline->entries.items[timeline->next].time <= time) {
		const struct timeline_entry *entry = &timeline->entries.items[timeline->next++];
		uint32_t process;
		int r = timeline_process(timeline, entry->tgid, &process);

		if (!r && entry->kind == TIMELINE_EXIT) {
			r = expect_death(timeline, process);
		} else if (!r) {
			timeline->processes.items[process].renewed = true;
			r = apply_change(timeline, entry);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

uint64_t timeline_touch(struct timeline *timeline, uint32_t process)
{
	timeline->processes.items[process].used = true;
	return address_spaces_generation(timeline->spaces, timeline->processes.items[process].tgid);
}

bool timeline_find(const struct timeline *timeline, uint32_t process, uint64_t address,
		   struct mapping *ret_mapping)
{
	return address_spaces_find(timeline->spaces, timeline->processes.items[process].tgid,
				   address, ret_mapping);
}

bool timeline_find_before_exec(const struct timeline *timeline, uint32_t process, uint64_t address,
			       struct mapping *ret_mapping)
{
	return address_spaces_find(timeline->spaces,
				   address_spaces_before_exec(timeline->processes.items[process].tgid), address,
				   ret_mapping);
}
