/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/unwind_pick.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/sorted.h"
#include "format/limits.h"

enum { ALIGNMENT = 4 };

void unwind_pieces_deinit(struct unwind_pieces *pieces)
{
	array_free(&pieces->list);
	pieces->bytes = 0;
}

/* Adds an entry: to the last piece if it follows directly and fits, else to new ones. */
static int pieces_add(struct unwind_pieces *pieces, uint32_t offset, uint32_t size)
{
	struct unwind_piece *last = pieces->list.count ? &pieces->list.items[pieces->list.count - 1] : NULL;

	pieces->bytes += size;
	if (last && last->offset + last->size == offset && size <= pieces->most - last->size) {
		last->size += size;
		return 0;
	}
	while (size) {
		uint32_t part = size < pieces->most ? size : pieces->most;

		if (array_push(&pieces->list, (struct unwind_piece){.offset = offset, .size = part}) < 0)
			return -ENOMEM;
		offset += part;
		size -= part;
	}
	return 0;
}

int unwind_pick_all(const struct unwind_section_view *section, struct unwind_pieces *pieces)
{
	struct cfi_entry entry;
	int r = section->bytes.size > RWK_MAX_UNWIND_SECTION ? -E2BIG : 0;

	for (size_t offset = 0; !r && offset < section->bytes.size; offset = entry.next) {
		if (cfi_entry_read(&section->bytes, section->kind, offset, &entry) < 0)
			break;
		r = pieces_add(pieces, (uint32_t)offset, (uint32_t)(entry.next - offset));
	}
	return r;
}

/* --- what was hit -------------------------------------------------------------------------------- */

struct picking {
	const struct unwind_section_view *section;
	const uint64_t *hits;
	size_t count;
	int32_t *steps; /* count + 1: how many more FDEs hold this hit than the one before */
	ARRAY(struct unwind_piece) entries;
	size_t cie_offset; /* the CIE that was last read */
	struct unwind_piece cie_place;
	struct cfi_cie cie;
	bool cie_readable, cie_kept;
	uint32_t left_out;
};

/* How many hits are below the address. */
static size_t hits_below(const struct picking *picking, uint64_t address)
{
	return SORTED_FIRST(i, picking->count, picking->hits[i] >= address);
}

/*
 * Bytes that no piece covers read as zeros, which mean empty entries of 4 bytes: after them, an
 * entry that does not begin and end at a multiple of 4 would not be found. Compilers and linkers
 * align all entries.
 */
static bool place_of(const struct cfi_entry *entry, size_t offset, struct unwind_piece *ret_place)
{
	if (entry->next > RWK_MAX_UNWIND_SECTION || offset % ALIGNMENT || entry->next % ALIGNMENT)
		return false;
	*ret_place = (struct unwind_piece){(uint32_t)offset, (uint32_t)(entry->next - offset)};
	return true;
}

static void read_cie(struct picking *picking, size_t offset)
{
	const struct cfi_bytes *bytes = &picking->section->bytes;
	struct cfi_entry entry;

	if (offset == picking->cie_offset)
		return;
	picking->cie_offset = offset;
	picking->cie_kept = false;
	picking->cie_readable = !cfi_entry_read(bytes, picking->section->kind, offset, &entry) &&
				!cfi_cie_read(bytes, picking->section->kind, offset, &picking->cie);
	if (picking->cie_readable && !place_of(&entry, offset, &picking->cie_place))
		picking->cie_place.size = 0;
}

static int keep(struct picking *picking, const struct cfi_entry *entry, size_t offset)
{
	struct unwind_piece place;

	if (!picking->cie_place.size || !place_of(entry, offset, &place)) {
		picking->left_out++;
		return 0;
	}
	if (array_push(&picking->entries, place) < 0)
		return -ENOMEM;
	if (!picking->cie_kept && array_push(&picking->entries, picking->cie_place) < 0)
		return -ENOMEM;
	picking->cie_kept = true;
	return 0;
}

static int judge_fde(struct picking *picking, const struct cfi_entry *entry, size_t offset)
{
	const struct unwind_section_view *section = picking->section;
	const struct cfi_pointer_bases bases = {.section = section->bytes.address, .text = section->text};
	struct cfi_fde_head head;
	size_t first, end;

	read_cie(picking, entry->cie);
	if (!picking->cie_readable ||
	    cfi_fde_read(&section->bytes, entry, &picking->cie, &bases, &head) < 0 || !head.start)
		return 0;
	end = hits_below(picking, head.end);
	if (hits_below(picking, head.start - 1) >= end || head.start == head.end)
		return 0;
	first = hits_below(picking, head.start);
	picking->steps[first]++;
	picking->steps[end]--;
	return keep(picking, entry, offset);
}

static int judge_all(struct picking *picking)
{
	const struct unwind_section_view *section = picking->section;
	struct cfi_entry entry;
	int r = 0;

	for (size_t offset = 0; !r && offset < section->bytes.size; offset = entry.next) {
		if (cfi_entry_read(&section->bytes, section->kind, offset, &entry) < 0)
			break;
		if (entry.kind == CFI_ENTRY_FDE)
			r = judge_fde(picking, &entry, offset);
	}
	return r;
}

static int compare(const void *left, const void *right)
{
	const struct unwind_piece *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/*
 * A CIE occurs again each time FDEs of other CIEs were between its own. A CIE that a malformed FDE
 * refers to may overlap other entries.
 */
static int entries_join(struct picking *picking, struct unwind_pieces *pieces)
{
	const struct unwind_piece *entries = picking->entries.items;
	size_t count = picking->entries.count;
	uint32_t end = 0;
	int r = 0;

	if (count)
		qsort(picking->entries.items, count, sizeof(*entries), compare);
	for (size_t i = 0; !r && i < count; i++) {
		uint32_t offset = entries[i].offset, next = offset + entries[i].size;

		if (next <= end)
			continue;
		offset = offset < end ? end : offset;
		r = pieces_add(pieces, offset, next - offset);
		end = next;
	}
	return r;
}

static size_t uncovered_keep(const int32_t *steps, uint64_t *hits, size_t count)
{
	size_t kept = 0;
	int64_t covering = 0;

	for (size_t i = 0; i < count; i++) {
		covering += steps[i];
		if (!covering)
			hits[kept++] = hits[i];
	}
	return kept;
}

int unwind_pick_hit(const struct unwind_section_view *section, uint64_t *hits, size_t *count,
		    struct unwind_pieces *pieces)
{
	_cleanup_free_ int32_t *steps = calloc(*count + 1, sizeof(*steps));
	struct picking picking = {.section = section, .hits = hits, .count = *count, .steps = steps,
				  .cie_offset = SIZE_MAX};
	int r = steps ? judge_all(&picking) : -ENOMEM;

	if (!r)
		r = entries_join(&picking, pieces);
	if (!r) {
		*count = uncovered_keep(steps, hits, *count);
		pieces->left_out += picking.left_out;
	}
	array_free(&picking.entries);
	return r;
}
