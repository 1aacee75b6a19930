/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/line_index.h"

#include <string.h>

#include "common/array.h"

void line_index_deinit(struct line_index *index)
{
	array_free(&index->ranges);
	array_free(&index->pieces);
	array_free(&index->rows);
}

int line_index_add_range(struct line_index *index, uint64_t low, uint64_t high, uint32_t scope)
{
	if (low >= high)
		return 0;
	return array_push(&index->ranges, (struct line_range){.low = low, .high = high, .scope = scope});
}

static bool same_line(const struct line_row *one, const struct line_row *other)
{
	return one->file == other->file && (one->file == LINE_NO_FILE || one->line == other->line);
}

int line_index_add_row(struct line_index *index, const struct line_row *row)
{
	size_t count = index->rows.count;

	if (count && index->rows.items[count - 1].address == row->address) {
		index->rows.items[count - 1] = *row;
		if (count > 1 && same_line(&index->rows.items[count - 2], row))
			index->rows.count--;
		return 0;
	}
	if (count && same_line(&index->rows.items[count - 1], row))
		return 0;
	return array_push(&index->rows, *row);
}

/* --- flattening of ranges: a sweep over their starts, with a heap of the open ones --- */

struct sweep {
	struct line_index *index;
	uint32_t *heap; /* numbers of ranges, highest scope on top; ended ones are removed when they reach the top */
	size_t count;
};

static uint32_t scope_at(const struct sweep *sweep, size_t place)
{
	return sweep->index->ranges.items[sweep->heap[place]].scope;
}

static void swap_places(struct sweep *sweep, size_t one, size_t other)
{
	uint32_t kept = sweep->heap[one];

	sweep->heap[one] = sweep->heap[other];
	sweep->heap[other] = kept;
}

static void heap_push(struct sweep *sweep, uint32_t range)
{
	size_t at = sweep->count++;

	sweep->heap[at] = range;
	for (; at && scope_at(sweep, (at - 1) / 2) < scope_at(sweep, at); at = (at - 1) / 2)
		swap_places(sweep, at, (at - 1) / 2);
}

static void heap_pop(struct sweep *sweep)
{
	size_t at = 0;

	sweep->heap[0] = sweep->heap[--sweep->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < sweep->count && scope_at(sweep, child + 1) > scope_at(sweep, child))
			child++;
		if (child >= sweep->count || scope_at(sweep, child) <= scope_at(sweep, at))
			return;
		swap_places(sweep, at, child);
		at = child;
	}
}

static int emit(struct line_index *index, uint64_t low, uint32_t scope)
{
	size_t count = index->pieces.count;

	if (count ? index->pieces.items[count - 1].scope == scope : scope == LINE_NO_SCOPE)
		return 0;
	return array_push(&index->pieces, (struct line_piece){.low = low, .scope = scope});
}

static int compare_ranges(const void *left, const void *right)
{
	const struct line_range *l = left, *r = right;

	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	return (l->scope > r->scope) - (l->scope < r->scope);
}

/* Each range is pushed once and popped once, and each step starts or ends one. */
static int sweep_ranges(struct sweep *sweep)
{
	const struct line_range *ranges = sweep->index->ranges.items;
	size_t count = sweep->index->ranges.count, next = 0;
	uint64_t at = 0;
	int r = 0;

	while (!r && (next < count || sweep->count)) {
		const struct line_range *top;

		if (!sweep->count && ranges[next].low > at)
			at = ranges[next].low;
		while (next < count && ranges[next].low <= at)
			heap_push(sweep, (uint32_t)next++);
		while (sweep->count && ranges[sweep->heap[0]].high <= at)
			heap_pop(sweep);
		if (!sweep->count) {
			r = emit(sweep->index, at, LINE_NO_SCOPE);
			continue;
		}
		top = &ranges[sweep->heap[0]];
		r = emit(sweep->index, at, top->scope);
		at = next < count && ranges[next].low < top->high ? ranges[next].low : top->high;
	}
	return r;
}

int line_index_lay_out(struct line_index *index)
{
	struct sweep sweep = {.index = index};
	size_t count = index->ranges.count;
	int r = 0;

	if (count >= UINT32_MAX)
		return -ENOMEM;
	if (count) {
		sweep.heap = calloc(count, sizeof(*sweep.heap));
		if (!sweep.heap)
			return -ENOMEM;
		qsort(index->ranges.items, count, sizeof(*index->ranges.items), compare_ranges);
		r = sweep_ranges(&sweep);
	}
	free(sweep.heap);
	array_free(&index->ranges);
	return r;
}

/* --- search --- */

uint32_t line_index_scope(const struct line_index *index, uint64_t address)
{
	const struct line_piece *pieces = index->pieces.items;
	size_t above = SORTED_FIRST(i, index->pieces.count, pieces[i].low > address);

	return above ? pieces[above - 1].scope : LINE_NO_SCOPE;
}

const struct line_row *line_index_row(const struct line_index *index, uint64_t address)
{
	const struct line_row *rows = index->rows.items;
	size_t above = SORTED_FIRST(i, index->rows.count, rows[i].address > address);

	return above && rows[above - 1].file != LINE_NO_FILE ? &rows[above - 1] : NULL;
}
