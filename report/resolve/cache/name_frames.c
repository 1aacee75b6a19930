/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_frames.h"

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
	if (!r)
		r = index_table_init(&frames->table);
	if (!r)
		r = text_pool_add(&frames->texts, name, strlen(name), &frames->name);
	if (!r)
		*ret_frames = steal_ptr(frames);
	return r;
}

void name_frames_destroy(struct name_frames *frames)
{
	if (!frames)
		return;
	array_free(&frames->items);
	line_levels_deinit(&frames->levels);
	text_pool_deinit(&frames->texts);
	index_table_deinit(&frames->table);
	free(frames);
}

void name_frames_clear(struct name_frames *frames)
{
	frames->items.count = frames->level_count = frames->sorted = frames->loaded = 0;
	line_levels_deinit(&frames->levels);
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

static const struct name_frame *find_sorted(const struct name_frames *frames, uint64_t address)
{
	const struct name_frame *base = frames->items.items; /* in the end the last one at or below the address */

	for (size_t count = frames->sorted; count > 1;) {
		size_t half = count / 2;

		base += base[half].address <= address ? half : 0;
		count -= half;
	}
	return frames->sorted && base->address == address ? base : NULL;
}

static const struct name_frame *find_unsorted(const struct name_frames *frames, uint64_t address)
{
	const struct wanted_frame wanted = {.frames = frames, .address = address};
	const struct index_slot *slot;

	if (frames->sorted == frames->items.count)
		return NULL;
	slot = index_table_lookup(&frames->table, index_table_hash(&frames->table, address, 0),
				  same_address, &wanted);
	return slot ? &frames->items.items[slot->number - 1] : NULL;
}

static bool give(const struct name_frame *frame, const struct line_level **ret_levels, size_t *ret_count)
{
	if (!frame)
		return false;
	*ret_levels = frame->levels;
	*ret_count = frame->count;
	return true;
}

bool name_frames_find(const struct name_frames *frames, uint64_t address,
		      const struct line_level **ret_levels, size_t *ret_count)
{
	const struct name_frame *frame = frames ? find_sorted(frames, address) : NULL;

	if (frames && !frame)
		frame = find_unsorted(frames, address);
	return give(frame, ret_levels, ret_count);
}

bool name_frames_find_next(const struct name_frames *frames, size_t *place, uint64_t address,
			   const struct line_level **ret_levels, size_t *ret_count)
{
	const struct name_frame *items, *frame;

	if (!frames)
		return false;
	items = frames->items.items;
	while (*place < frames->sorted && items[*place].address < address)
		++*place;
	frame = *place < frames->sorted && items[*place].address == address ?
		&items[*place] : find_unsorted(frames, address);
	return give(frame, ret_levels, ret_count);
}

static bool is_room_for(const struct name_frames *frames, size_t count)
{
	return frames->items.count < NAME_FRAMES_MAX && count <= NAME_LEVELS_OF_ADDRESS &&
	       count <= NAME_LEVELS_MAX - frames->level_count;
}

/* Whether all items are sorted and the address is above the last one. */
static bool ascends(const struct name_frames *frames, uint64_t address)
{
	size_t count = frames->items.count;

	return frames->sorted == count && (!count || frames->items.items[count - 1].address < address);
}

/*
 * For an address that is not among the sorted items and cannot be appended to them. 1: it is new
 * and gets the number of the next item.
 */
static int note_unsorted(struct name_frames *frames, uint64_t address)
{
	const struct wanted_frame wanted = {.frames = frames, .address = address};
	const uint32_t hash = index_table_hash(&frames->table, address, 0);
	uint32_t number;

	return index_table_add(&frames->table, hash, same_address, &wanted,
			       (uint32_t)frames->items.count, &number);
}

/* Does not copy the levels. */
static int add(struct name_frames *frames, const struct name_frame *frame)
{
	bool sorted = ascends(frames, frame->address);
	int r = array_reserve(&frames->items, frames->items.count + 1);

	if (!r && !sorted)
		r = find_sorted(frames, frame->address) ? 0 : note_unsorted(frames, frame->address);
	if (r < 0 || (!r && !sorted))
		return r;
	frames->items.items[frames->items.count++] = *frame;
	frames->level_count += frame->count;
	frames->sorted += sorted;
	return 0;
}

int name_frames_add_kept(struct name_frames *frames, uint64_t address,
			 const struct line_level *levels, size_t count)
{
	struct name_frame frame = {.address = address, .count = count};
	int r;

	if (!is_room_for(frames, count) ||
	    (!ascends(frames, address) && name_frames_find(frames, address, &levels, &count)))
		return 0;
	r = line_levels_keep(&frames->levels, levels, count, &frame.levels);
	return r < 0 ? r : add(frames, &frame);
}

int name_frames_add_same(struct name_frames *frames, uint64_t address)
{
	struct name_frame frame = frames->items.items[frames->items.count - 1];

	frame.address = address;
	return is_room_for(frames, frame.count) ? add(frames, &frame) : 0;
}

/* 1: kept; 0: too long. */
static int keep_text(struct name_frames *frames, const char **text)
{
	size_t length = *text ? strnlen(*text, NAME_TEXT_MAX) : 0;

	if (length == NAME_TEXT_MAX)
		return 0;
	return *text && text_pool_add(&frames->texts, *text, length, text) < 0 ? -ENOMEM : 1;
}

int name_frames_add(struct name_frames *frames, uint64_t address, const struct line_level *levels,
		    size_t count)
{
	struct line_level kept[NAME_LEVELS_OF_ADDRESS];
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
