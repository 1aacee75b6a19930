/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/name_frames.h"

#include <string.h>

#include "common/cleanup.h"

static void cleanup_frames(struct name_frames **frames)
{
	name_frames_destroy(*frames);
}

int name_frames_create(const struct build_id *id, const char *name, const struct name_source *source,
		       struct name_frames **ret_frames)
{
	_cleanup_(cleanup_frames) struct name_frames *frames = calloc(1, sizeof(*frames));
	int r;

	if (!frames)
		return -ENOMEM;
	frames->id = *id;
	frames->source = *source;
	r = text_pool_init(&frames->texts);
	if (r == 0)
		r = index_table_init(&frames->table);
	if (r == 0)
		r = text_pool_add(&frames->texts, name, strlen(name), &frames->name);
	if (r == 0)
		*ret_frames = steal_ptr(frames);
	return r;
}

void name_frames_destroy(struct name_frames *frames)
{
	if (!frames)
		return;
	array_free(&frames->items);
	array_free(&frames->levels);
	text_pool_deinit(&frames->texts);
	index_table_deinit(&frames->table);
	free(frames);
}

void name_frames_clear(struct name_frames *frames)
{
	frames->items.count = frames->levels.count = frames->loaded = 0;
	index_table_clear(&frames->table);
}

struct wanted_frame {
	const struct name_frames *frames;
	uint64_t address;
};

static bool same_address(const void *context, uint32_t number)
{
	const struct wanted_frame *wanted = context;

	return wanted->frames->items.items[number].address == wanted->address;
}

bool name_frames_find(const struct name_frames *frames, uint64_t address, const struct name_level **ret_levels,
		      size_t *ret_count)
{
	const struct wanted_frame wanted = {.frames = frames, .address = address};
	const struct name_frame *frame;
	const struct index_slot *slot;

	if (!frames)
		return false;
	slot = index_table_lookup(&frames->table, index_table_hash(&frames->table, address, 0), same_address, &wanted);
	if (!slot)
		return false;
	frame = &frames->items.items[slot->number - 1];
	*ret_levels = frames->levels.items ? frames->levels.items + frame->first : NULL;
	*ret_count = frame->count;
	return true;
}

/* 1: it is not there yet, and belongs into the slot. */
static int find_slot(struct name_frames *frames, uint64_t address, size_t count, struct index_slot **ret_slot)
{
	const struct wanted_frame wanted = {.frames = frames, .address = address};

	if (frames->items.count == NAME_FRAMES_MAX || count > NAME_LEVELS_OF_ADDRESS ||
	    count > NAME_LEVELS_MAX - frames->levels.count)
		return 0;
	*ret_slot = index_table_find(&frames->table, index_table_hash(&frames->table, address, 0), same_address, &wanted);
	if (!*ret_slot)
		return -ENOMEM;
	return !(*ret_slot)->number;
}

int name_frames_add_kept(struct name_frames *frames, uint64_t address, const struct name_level *levels, size_t count)
{
	const struct name_frame frame = {address, (uint32_t)frames->levels.count, (uint32_t)count};
	struct index_slot *slot;
	int r = find_slot(frames, address, count, &slot);

	if (r <= 0)
		return r;
	if (array_reserve(&frames->levels, frame.first + count) < 0 || array_push(&frames->items, frame) < 0)
		return -ENOMEM;
	if (count)
		memcpy(frames->levels.items + frame.first, levels, count * sizeof(*levels));
	frames->levels.count += count;
	index_table_set(&frames->table, slot, index_table_hash(&frames->table, address, 0),
			(uint32_t)(frames->items.count - 1));
	return 0;
}

/* 1: kept; 0: too long. */
static int keep_text(struct name_frames *frames, const char **text)
{
	size_t length = *text ? strnlen(*text, NAME_TEXT_MAX) : 0;

	if (length == NAME_TEXT_MAX)
		return 0;
	return *text && text_pool_add(&frames->texts, *text, length, text) < 0 ? -ENOMEM : 1;
}

int name_frames_add(struct name_frames *frames, uint64_t address, const struct name_level *levels, size_t count)
{
	struct name_level kept[NAME_LEVELS_OF_ADDRESS];
	int r = 1;

	if (!frames || count > NAME_LEVELS_OF_ADDRESS)
		return 0;
	for (size_t i = 0; i < count && r > 0; i++) {
		kept[i] = levels[i];
		r = keep_text(frames, &kept[i].function);
		if (r > 0)
			r = keep_text(frames, &kept[i].file);
	}
	return r <= 0 ? r : name_frames_add_kept(frames, address, kept, count);
}
