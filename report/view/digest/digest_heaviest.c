/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The heaviest functions, processes and comms: by CPU samples, else by the running time of the threads. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/digest/digest_parts.h"
#include "report/view/text/page.h"
#include "report/view/tree/leaf_groups.h"

enum { SHOWN = 3 };

/* --- functions --- */

struct heaviest_functions {
	struct functions *functions;
	struct rows rows;
	struct leaf_groups groups;
};

static void heaviest_functions_deinit(struct heaviest_functions *heaviest)
{
	leaf_groups_deinit(&heaviest->groups);
	rows_deinit(&heaviest->rows);
	functions_destroy(heaviest->functions);
}

static int find_functions(struct digest *digest, struct heaviest_functions *heaviest)
{
	const struct view_context *context = digest->context;
	int r = functions_create(context->profile, FUNCTIONS_BY_LEAF, page_no_frames(context->settings),
				 &heaviest->functions);

	if (!r)
		r = rows_init(&heaviest->rows, context->profile, digest->cpu, NULL);
	return r < 0 ? r : leaf_groups_init(&heaviest->groups, &heaviest->rows, heaviest->functions,
					    &digest->ground.names, false);
}

/* "96.05% crunch, 0.56% memcpy, 0.30% free" */
static int add_functions(struct digest *digest)
{
	_cleanup_(heaviest_functions_deinit) struct heaviest_functions heaviest = {0};
	const struct profile_source *source = &digest->sources[digest->cpu];
	struct digest_lines *lines = &digest->lines;
	int r = find_functions(digest, &heaviest);

	if (!r)
		r = digest_line_begin(lines, "functions", DIGEST_FIRST);
	if (r < 0)
		return r;
	for (size_t i = 0; i < heaviest.groups.count && i < SHOWN; i++) {
		(void)fputs(i ? ", " : "", lines->text);
		digest_write_share(heaviest.groups.items[i].tally.weight, page_total(source), lines->text);
		functions_write(heaviest.functions, heaviest.groups.items[i].function, lines->text);
	}
	(void)fputs("--tree --source cpu", lines->proof);
	return digest_line_end(lines);
}

/* --- processes and comms --- */

struct owner { /* a process or a comm */
	uint64_t weight, samples;
	uint32_t number;
};

struct owners {
	const struct digest *digest;
	const uint32_t *number_of; /* by task */
	struct owner *items;
	size_t count;
	uint64_t total;
	bool sampled;
};

static void add_weight(struct owners *owners, uint32_t task, uint64_t samples, uint64_t weight)
{
	struct owner *owner = &owners->items[owners->number_of[task]];

	owner->weight = wait_add(owner->weight, weight);
	owner->samples += samples;
	owners->total = wait_add(owners->total, weight);
}

/* Heaviest first. */
static int compare_owners(const void *left, const void *right)
{
	const struct owner *l = left, *r = right;

	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	return (l->number > r->number) - (l->number < r->number);
}

static void collect(struct owners *owners)
{
	const struct digest *digest = owners->digest;
	const struct profile_entry *entries;
	size_t count = profile_entries(digest->context->profile, &entries);

	for (size_t i = 0; i < owners->count; i++)
		owners->items[i].number = (uint32_t)i;
	for (size_t i = 0; i < count && owners->sampled; i++)
		if (entries[i].source == digest->cpu)
			add_weight(owners, entries[i].task, entries[i].samples, entries[i].weight);
	for (size_t i = 0; i < digest->ground.index.thread_count && !owners->sampled; i++)
		if (digest->times.rows[i].asked)
			add_weight(owners, digest->times.rows[i].task, 1, digest->times.rows[i].running);
	qsort(owners->items, owners->count, sizeof(*owners->items), compare_owners);
}

/* The figure that the view of this one owner prints: " (1900.1 ms)", " (1900 samples)". */
static void write_figure(const struct owners *owners, const struct owner *owner, FILE *out)
{
	const struct digest *digest = owners->digest;

	if (!owners->sampled || digest->sources[digest->cpu].weight_unit[0] == 'n')
		(void)fprintf(out, " (%s ms)", figure_milliseconds(owner->weight).text);
	else
		(void)fprintf(out, " (%" PRIu64 " sample%s)", owner->samples, plural(owner->samples));
}

/* The name alone, or "shop 599" for a process. */
static void write_owner(const struct owners *owners, const struct owner *owner, bool process, FILE *out)
{
	const struct task_names *names = &owners->digest->ground.names;
	const char *comm = process ? names->processes[owner->number].comm : names->comms[owner->number];

	printable_write(out, comm, strlen(comm));
	if (!process)
		return;
	(void)fputc(' ', out);
	task_names_write_process(names, owner->number, out);
}

static void write_proof(const struct owners *owners, const struct owner *owner, bool process, FILE *out)
{
	const struct task_names *names = &owners->digest->ground.names;

	(void)fputs(owners->sampled ? "--tree --source cpu " : "--summary ", out);
	if (process) {
		(void)fprintf(out, "--pid %" PRIu32, names->processes[owner->number].tgid);
		return;
	}
	(void)fputs("-c ", out);
	digest_write_comm(names->comms[owner->number], out);
}

static int add_owners(struct digest *digest, bool process)
{
	const struct task_names *names = &digest->ground.names;
	struct digest_lines *lines = &digest->lines;
	struct owners owners = {.digest = digest,
				.number_of = process ? names->process_of : names->comm_of,
				.count = process ? names->process_count : names->comm_count,
				.sampled = digest->cpu != DIGEST_NO_SOURCE};
	_cleanup_free_ struct owner *items = owners.items = calloc(owners.count + 1, sizeof(*items));
	int r;

	if (!items)
		return -ENOMEM;
	collect(&owners);
	if (!owners.total)
		return 0;
	r = digest_line_begin(lines, process ? "processes" : "comms", DIGEST_MAIN);
	if (r < 0)
		return r;
	for (size_t i = 0; i < owners.count && i < SHOWN && items[i].weight; i++) {
		(void)fputs(i ? ", " : "", lines->text);
		digest_write_share(items[i].weight, owners.total, lines->text);
		write_owner(&owners, &items[i], process, lines->text);
		write_figure(&owners, &items[i], lines->text);
	}
	write_proof(&owners, &items[0], process, lines->proof);
	return digest_line_end(lines);
}

int digest_add_heaviest(struct digest *digest)
{
	int r = digest->cpu == DIGEST_NO_SOURCE ? 0 : add_functions(digest);

	if (!r)
		r = add_owners(digest, true);
	return r < 0 ? r : add_owners(digest, false);
}
