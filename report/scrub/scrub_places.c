/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/scrub_places.h"

#include <errno.h>
#include <stdlib.h>

/* All are in the lower half of 47 bits, like addresses of programs. */
#define FIRST_BASE UINT64_C(0x10000)
#define LAST_BASE (UINT64_C(1) << 46)
#define ASTRAY_BASE UINT64_C(0x7f0000000000)
#define FILE_MAX (UINT64_C(1) << 40)

enum { PAGE = 4096, ASTRAY_STEP = 16 };

static bool is_anonymous(const struct trace_module *module)
{
	return module->kind == MODULE_ANONYMOUS;
}

static size_t index_of(const struct scrub_places *places, const struct trace_module *module)
{
	return (size_t)(module - places->model->modules.items);
}

/* --- what is mapped --- */

static void widen(struct scrub_slot *slot, uint64_t first, uint64_t length)
{
	uint64_t end;

	if (__builtin_add_overflow(first, length, &end) || end > FILE_MAX || !length)
		return;
	if (slot->end == 0 || first < slot->first)
		slot->first = first;
	if (end > slot->end)
		slot->end = end;
}

static int take_entry(struct scrub_places *places, const struct timeline_entry *entry)
{
	const struct trace_module *module;
	uint64_t end;

	if (entry->kind != TIMELINE_MAP && entry->kind != TIMELINE_MAP_BEFORE)
		return 0;
	module = trace_model_module(places->model, entry->other);
	if (!module)
		return 0;
	if (!is_anonymous(module)) {
		widen(&places->slots[index_of(places, module)], entry->file_offset, entry->length);
		return 0;
	}
	if (!entry->length || __builtin_add_overflow(entry->start, entry->length, &end))
		return 0;
	return array_push(&places->runs, (struct scrub_run){.start = entry->start, .end = end});
}

static int compare_runs(const void *left, const void *right)
{
	const struct scrub_run *l = left, *r = right;

	return (l->start > r->start) - (l->start < r->start);
}

/* --- where it goes --- */

/* 0 if there is no room. */
static uint64_t take_room(uint64_t *next, uint64_t length)
{
	uint64_t base = *next, whole = (length + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1); /* leaves a page between two */

	if (length > LAST_BASE || base > LAST_BASE - whole)
		return 0;
	*next = base + whole;
	return base;
}

/* Joins runs that overlap: processes share the addresses of what they inherit. */
static void join_runs(struct scrub_places *places)
{
	struct scrub_run *items = places->runs.items;
	size_t count = 0;

	if (!places->runs.count)
		return;
	qsort(items, places->runs.count, sizeof(*items), compare_runs);
	for (size_t i = 0; i < places->runs.count; i++) {
		if (count && items[i].start <= items[count - 1].end) {
			if (items[i].end > items[count - 1].end)
				items[count - 1].end = items[i].end;
		} else {
			items[count++] = items[i];
		}
	}
	places->runs.count = count;
}

static void settle(struct scrub_places *places)
{
	uint64_t next = FIRST_BASE;

	for (size_t i = 0; i < places->model->modules.count; i++) {
		struct scrub_slot *slot = &places->slots[i];

		if (slot->end)
			slot->base = take_room(&next, slot->end - slot->first);
	}
	join_runs(places);
	for (size_t i = 0; i < places->runs.count; i++)
		places->runs.items[i].base = take_room(&next, places->runs.items[i].end - places->runs.items[i].start);
}

int scrub_places_init(struct scrub_places *places, const struct trace_model *model)
{
	int r;

	*places = (struct scrub_places){.model = model};
	r = hash_map_init(&places->astray);
	places->slots = calloc(model->modules.count + 1, sizeof(*places->slots));
	if (!r && !places->slots)
		r = -ENOMEM;
	for (size_t i = 0; !r && i < model->timeline.entries.count; i++)
		r = take_entry(places, &model->timeline.entries.items[i]);
	if (!r)
		settle(places);
	return r;
}

void scrub_places_deinit(struct scrub_places *places)
{
	free(places->slots);
	array_free(&places->runs);
	hash_map_deinit(&places->astray);
	*places = (struct scrub_places){0};
}

const struct scrub_run *scrub_places_run(const struct scrub_places *places, uint64_t address)
{
	size_t low = 0, high = places->runs.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->runs.items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < places->runs.count && places->runs.items[low].start <= address && places->runs.items[low].base ?
		       &places->runs.items[low] : NULL;
}

/* The new address of `address`, which maps `offset` of the file. False if there is none. */
static bool find(const struct scrub_places *places, uint32_t id, uint64_t offset, uint64_t address,
		 uint64_t *ret_address)
{
	const struct trace_module *module = trace_model_module(places->model, id);
	const struct scrub_run *run;
	const struct scrub_slot *slot;

	if (!module)
		return false;
	if (is_anonymous(module)) {
		run = scrub_places_run(places, address);
		if (run)
			*ret_address = run->base + (address - run->start);
		return run;
	}
	slot = &places->slots[index_of(places, module)];
	if (!slot->base || offset < slot->first || offset >= slot->end)
		return false;
	*ret_address = slot->base + (offset - slot->first);
	return true;
}

int scrub_place(struct scrub_places *places, const struct mapping *mapping, uint64_t address, uint64_t *ret_address)
{
	uint64_t *number;
	int r;

	if (mapping && find(places, mapping->module, mapping->file_offset + (address - mapping->start), address,
			    ret_address))
		return 0;
	r = hash_map_add(&places->astray, &address, sizeof(address), places->astray.count, &number);
	if (r < 0)
		return r;
	*ret_address = ASTRAY_BASE + *number * ASTRAY_STEP;
	return 0;
}

bool scrub_place_mapping(const struct scrub_places *places, const struct event_mapping *mapping, uint64_t *ret_start)
{
	uint64_t last, start, end;

	if (!mapping->length || __builtin_add_overflow(mapping->file_offset, mapping->length - 1, &last) ||
	    __builtin_add_overflow(mapping->start, mapping->length - 1, &end))
		return false;
	return find(places, mapping->module, mapping->file_offset, mapping->start, ret_start) &&
	       find(places, mapping->module, last, end, &start);
}
