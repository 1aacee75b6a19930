/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/walk_chains.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/sorted.h"
#include "report/profile/seam/figures.h"
#include "report/view/stack/walk_text.h"
#include "report/view/text/paint.h"

enum { MOST_DEPTH = 32, MOST_HELD = 10 /* tasks below each that hold up nobody themselves */, INDENT = 4 };

struct walk_chains {
	const struct view_context *context;
	struct waits waits;
	struct walk_holders holders;
	const struct profile_walk *walks;
	size_t walk_count;
	uint32_t *held;	/* rows that have a holder, sorted by holder, then by how many they hold up, then by wait */
	size_t held_count;
	bool *wanted;	/* by row or outsider: it, a task that it holds up, or one that holds it up was requested */
};

static void walk_chains_deinit(struct walk_chains *chains)
{
	walk_holders_deinit(&chains->holders);
	free(chains->held);
	free(chains->wanted);
}

static uint64_t wait_of(const struct profile_walk_task *row)
{
	return row->bound == WAIT_NONE ? 0 : row->wait;
}

static int compare_held(const void *left, const void *right, void *context)
{
	const struct walk_holders *holders = &((const struct walk_chains *)context)->holders;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const uint64_t l_wait = wait_of(&holders->rows[l]), r_wait = wait_of(&holders->rows[r]);

	if (holders->holder[l] != holders->holder[r])
		return holders->holder[l] < holders->holder[r] ? -1 : 1;
	if (holders->held[l] != holders->held[r])
		return holders->held[l] > holders->held[r] ? -1 : 1;
	if (l_wait != r_wait)
		return l_wait > r_wait ? -1 : 1;
	return (l > r) - (l < r);
}

static bool is_target(const struct walk_chains *chains, uint32_t number)
{
	const struct view_settings *settings = chains->context->settings;
	const struct profile_task *task = &chains->holders.tasks[walk_holders_task(&chains->holders, number)];

	if (settings->chain_comm)
		return !regexec(settings->chain_comm, task->comm, 0, NULL, 0);
	return !settings->chain_target || task->tid == settings->chain_tid;
}

static uint32_t holder_of(const struct walk_chains *chains, uint32_t number)
{
	return number < chains->holders.row_count ? chains->holders.holder[number] : WALK_NO_HOLDER;
}

/* Marks a task and all that hold it up. Stops at a task that is marked already, so the total time is linear. */
static void want(struct walk_chains *chains, uint32_t number)
{
	for (uint32_t at = number; at != WALK_NO_HOLDER && !chains->wanted[at]; at = holder_of(chains, at))
		chains->wanted[at] = true;
}

enum below { BELOW_UNKNOWN, BELOW_NO, BELOW_YES };

/* Whether a task is a target or held up by one; the same for all in between. Each is looked at once. */
static void look_below(const struct walk_chains *chains, uint8_t *below, uint32_t number)
{
	uint32_t at = number;

	while (at != WALK_NO_HOLDER && !below[at]) {
		below[at] = is_target(chains, at) ? BELOW_YES : BELOW_NO;
		if (below[at] == BELOW_NO)
			at = holder_of(chains, at);
	}
	if (at == WALK_NO_HOLDER || below[at] == BELOW_NO)
		return;
	for (at = number; below[at] == BELOW_NO; at = holder_of(chains, at))
		below[at] = BELOW_YES;
}

static int choose(struct walk_chains *chains)
{
	const size_t count = chains->holders.row_count + chains->holders.outsider_count;
	_cleanup_free_ uint8_t *below = calloc(count + 1, sizeof(*below));

	if (!below)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		look_below(chains, below, i);
	for (uint32_t i = 0; i < count; i++)
		if (below[i] == BELOW_YES)
			want(chains, i);
	return 0;
}

static int walk_chains_init(struct walk_chains *chains, const struct view_context *context)
{
	struct walk_holders *holders = &chains->holders;
	int r;

	*chains = (struct walk_chains){.context = context};
	chains->walk_count = profile_walks(context->profile, &chains->walks);
	r = waits_init(&chains->waits, context->profile);
	if (!r)
		r = walk_holders_init(holders, context->profile);
	if (r < 0)
		return r;
	chains->held = calloc(holders->row_count + 1, sizeof(*chains->held));
	chains->wanted = calloc(holders->row_count + holders->outsider_count + 1, sizeof(*chains->wanted));
	if (!chains->held || !chains->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (holders->holder[i] != WALK_NO_HOLDER)
			chains->held[chains->held_count++] = i;
	qsort_r(chains->held, chains->held_count, sizeof(*chains->held), compare_held, chains);
	return choose(chains);
}

/* --- print --- */

static void print_line(const struct walk_chains *chains, unsigned int depth, uint32_t number)
{
	FILE *out = chains->context->out;
	const uint32_t held = chains->holders.held[number];

	(void)fprintf(out, "%*s", (int)(depth * INDENT), "");
	walk_write_task(out, &chains->waits, &chains->holders, number);
	if (held)
		(void)fprintf(out, ": holds up %" PRIu32 " task%s", held, plural(held));
	(void)fputc('\n', out);
}

static void print_rest(const struct walk_chains *chains, unsigned int depth, size_t rest, const char *what)
{
	if (rest)
		(void)fprintf(chains->context->out, "%*s%zu other%s%s\n", (int)(depth * INDENT), "", rest, plural(rest),
			      what);
}

/* The tasks that `number` holds up directly: held[result ... *ret_end). */
static size_t find_held(const struct walk_chains *chains, uint32_t number, size_t *ret_end)
{
	const uint32_t *holder = chains->holders.holder, *held = chains->held;

	*ret_end = SORTED_FIRST(i, chains->held_count, holder[held[i]] > number);
	return SORTED_FIRST(i, chains->held_count, holder[held[i]] >= number);
}

static void print_held(const struct walk_chains *chains, uint32_t number, unsigned int depth, uint32_t root)
{
	size_t end, next = find_held(chains, number, &end), shown = 0, rest = 0;

	for (; next < end; next++) {
		const uint32_t row = chains->held[next];

		if (!chains->wanted[row] || row == root)
			continue;
		if (shown == MOST_HELD && !chains->holders.held[row]) {
			rest++;
			continue;
		}
		shown += !chains->holders.held[row];
		print_line(chains, depth, row);
		if (depth < MOST_DEPTH)
			print_held(chains, row, depth + 1, root);
		else if (chains->holders.held[row])
			print_rest(chains, depth + 1, chains->holders.held[row], ", too deep to be shown");
	}
	print_rest(chains, depth, rest, "");
}

/* A circle is printed at its first row. */
static bool is_first_of_circle(const struct walk_chains *chains, uint32_t row)
{
	const struct walk_holders *holders = &chains->holders;
	uint32_t at = holders->holder[row];

	while (at < holders->row_count && at > row && holders->held[at] == holders->held[row])
		at = holders->holder[at];
	return at == row;
}

static void print_root(const struct walk_chains *chains, uint32_t number, bool circle)
{
	FILE *out = chains->context->out;

	(void)fputc('\n', out);
	paint_heading(out, chains->context->settings->color, ">>>");
	(void)fputc(' ', out);
	if (circle)
		(void)fputs("a circle: ", out);
	print_line(chains, 0, number);
	print_held(chains, number, 1, number);
}

static size_t print_roots(const struct walk_chains *chains, uint32_t walk)
{
	const struct walk_holders *holders = &chains->holders;
	size_t printed = 0;

	for (uint32_t i = 0; i < holders->row_count + holders->outsider_count; i++) {
		const bool held = walk_is_held(holders, i);
		const bool circle = held && is_first_of_circle(chains, i);

		if (walk_holders_walk(holders, i) != walk || !holders->held[i] || !chains->wanted[i] ||
		    (held && !circle))
			continue;
		print_root(chains, i, circle);
		printed++;
	}
	return printed;
}

static void count_rows(const struct walk_chains *chains, uint32_t walk, size_t *ret_held, size_t *ret_others)
{
	const struct walk_holders *holders = &chains->holders;

	*ret_held = *ret_others = 0;
	for (size_t i = 0; i < holders->row_count; i++) {
		if (holders->rows[i].walk != walk)
			continue;
		if (holders->holder[i] != WALK_NO_HOLDER)
			(*ret_held)++;
		else if (holders->rows[i].state[0] == 'D')
			(*ret_others)++;
	}
}

static void print_walk(const struct walk_chains *chains, uint32_t walk)
{
	FILE *out = chains->context->out;
	size_t held, others;

	count_rows(chains, walk, &held, &others);
	if (chains->walk_count > 1)
		(void)fprintf(out, "\n=== %s ===\n", figure_date(chains->walks[walk].realtime).text);
	(void)fprintf(out, "# held up by a task that is known: %zu task%s\n", held, plural(held));
	if (others)
		(void)fprintf(out, "# in D for other reasons: %zu task%s; --tasks --state D shows them\n", others,
			      plural(others));
	(void)print_roots(chains, walk);
}

int walk_chains_print(const struct view_context *context)
{
	_cleanup_(walk_chains_deinit) struct walk_chains chains;
	int r = walk_chains_init(&chains, context);

	for (uint32_t walk = 0; !r && walk < chains.walk_count; walk++)
		print_walk(&chains, walk);
	if (!r)
		(void)fputc('\n', context->out);
	return r;
}
