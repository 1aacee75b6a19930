/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sums of a page, exact whatever its unit: by source, stack and task. Sources have none if their single samples
 * add up to them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/view/html/html.h"

struct entry {
	uint32_t source, stack, task;
	uint64_t count, weight, run_queue;
};

static int compare_entries(const void *left, const void *right)
{
	const struct entry *l = left, *r = right;

	if (l->source != r->source)
		return l->source < r->source ? -1 : 1;
	if (l->stack != r->stack)
		return l->stack < r->stack ? -1 : 1;
	return (l->task > r->task) - (l->task < r->task);
}

static void write_entry(struct html_page *page, const struct entry *entry)
{
	column_add(html_column(page, COLUMN_ENTRY_SOURCE), entry->source);
	column_add(html_column(page, COLUMN_ENTRY_STACK), entry->stack);
	column_add(html_column(page, COLUMN_ENTRY_TASK), entry->task);
	column_add(html_column(page, COLUMN_ENTRY_COUNT), entry->count);
	column_add(html_column(page, COLUMN_ENTRY_WEIGHT), entry->weight);
	column_add(html_column(page, COLUMN_ENTRY_RUN_QUEUE), entry->run_queue);
}

static void write_base_entry(struct html_page *page, const struct entry *entry)
{
	column_add(html_column(page, COLUMN_BASE_SOURCE), entry->source);
	column_add(html_column(page, COLUMN_BASE_STACK), entry->stack);
	column_add(html_column(page, COLUMN_BASE_COUNT), entry->count);
	column_add(html_column(page, COLUMN_BASE_WEIGHT), entry->weight);
	column_add(html_column(page, COLUMN_BASE_RUN_QUEUE), entry->run_queue);
}

/* Merges entries of the profile whose stacks read the same. */
static void write_merged(struct html_page *page, struct entry *entries, size_t count,
			 void (*write)(struct html_page *, const struct entry *))
{
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0, end; i < count; i = end) {
		struct entry sum = entries[i];

		for (end = i + 1; end < count && !compare_entries(&entries[i], &entries[end]); end++) {
			sum.count += entries[end].count;
			sum.weight += entries[end].weight;
			sum.run_queue += entries[end].run_queue;
		}
		write(page, &sum);
	}
}

uint32_t html_base_source(const struct html_page *page, const struct profile_source *source)
{
	for (uint32_t i = 0; i < page->reader.source_count; i++) {
		const struct profile_source *own = &page->reader.sources[i];

		if (own->kind == source->kind && (!strcmp(own->name, source->name) || own->kind < PROFILE_TRACEPOINT))
			return i;
	}
	return UINT32_MAX;
}

/* The same for --base, by stack only, without sources that the page does not have. */
static int write_base(struct html_page *page)
{
	const struct profile_entry *rows;
	const struct profile_source *sources;
	size_t count = profile_entries(page->context->base, &rows), kept = 0;
	size_t source_count = profile_sources(page->context->base, &sources);
	_cleanup_free_ struct entry *entries = calloc(count + 1, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t source;

		if (rows[i].source >= source_count)
			return -EBADMSG;
		source = html_base_source(page, &sources[rows[i].source]);
		if (source != UINT32_MAX)
			entries[kept++] = (struct entry){
				.source = source,
				.stack = stacks_find(&page->stacks, merge_node(&page->stacks.merge, 1, rows[i].node)),
				.count = rows[i].samples,
				.weight = rows[i].weight,
				.run_queue = rows[i].run_queue};
	}
	write_merged(page, entries, kept, write_base_entry);
	return 0;
}

int html_write_entries(struct html_page *page)
{
	const struct profile_entry *rows;
	size_t count = profile_entries(page->profile, &rows), kept = 0;
	_cleanup_free_ struct entry *entries = calloc(count + 1, sizeof(*entries));

	columns_clear(&page->columns, COLUMN_ENTRY_SOURCE, COLUMN_BASE_RUN_QUEUE + 1);
	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].source >= page->reader.source_count)
			return -EBADMSG;
		if (page->complete[rows[i].source])
			continue;
		entries[kept++] = (struct entry){.source = rows[i].source,
					    .stack = stacks_find(&page->stacks, rows[i].node),
					    .task = page->tasks.number_of[rows[i].task],
					    .count = rows[i].samples,
					    .weight = rows[i].weight,
					    .run_queue = rows[i].run_queue};
	}
	write_merged(page, entries, kept, write_entry);
	return page->context->base ? write_base(page) : 0;
}
