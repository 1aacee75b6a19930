/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Tasks that were walked: how many in each state, and the one that had waited longest in D. */
#include <inttypes.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "report/profile/seam/figures.h"
#include "report/view/digest/digest_parts.h"
#include "report/view/stack/walk_text.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

struct walk_states {
	size_t running, in_d, others;
	const struct profile_walk_task *longest; /* in D; NULL: none */
};

static bool waited_longer(const struct profile_walk_task *row, const struct profile_walk_task *longest)
{
	return !longest || row->wait > longest->wait;
}

static void count_states(const struct profile_walk_task *rows, size_t count, struct walk_states *ret_states)
{
	struct walk_states states = {0};

	for (size_t i = 0; i < count; i++) {
		if (rows[i].state[0] == 'R')
			states.running++;
		else if (rows[i].state[0] != 'D')
			states.others++;
		else if (states.in_d++, waited_longer(&rows[i], states.longest))
			states.longest = &rows[i];
	}
	*ret_states = states;
}

static int add_longest(struct digest *digest, const struct profile_walk_task *row)
{
	const struct profile_wait wait = profile_walk_wait(row);
	struct digest_lines *lines = &digest->lines;
	struct place place;
	int r = digest_line_begin(lines, "", DIGEST_FIRST);

	if (!r)
		r = places_find(&digest->ground.places, row->node, &place, NULL);
	if (r < 0)
		return r;
	(void)fputs("longest in D: ", lines->text);
	wait_write_task(lines->text, &digest->ground.waits.tasks[row->task]);
	(void)fputs(", ", lines->text);
	wait_write_length(lines->text, row->wait, row->bound);
	(void)fputs(place.kernel || place.user ? ", in " : "", lines->text);
	place_write(&digest->ground.places, place, lines->text);
	wait_write_object(lines->text, ", ", &digest->ground.waits, &wait);
	(void)fputs("--tasks --state D", lines->proof);
	return digest_line_end(lines);
}

/* The task that holds up most others and is not held up itself. */
static int add_holder(struct digest *digest)
{
	_cleanup_(walk_holders_deinit) struct walk_holders holders;
	struct digest_lines *lines = &digest->lines;
	uint32_t most = 0, number = WALK_NO_HOLDER;
	int r = walk_holders_init(&holders, digest->context->profile);

	for (uint32_t i = 0; !r && i < holders.row_count + holders.outsider_count; i++)
		if (holders.held[i] > most && !walk_is_held(&holders, i)) {
			most = holders.held[i];
			number = i;
		}
	if (r < 0 || !most)
		return r;
	r = digest_line_begin(lines, "", DIGEST_FIRST);
	if (r < 0)
		return r;
	(void)fprintf(lines->text, "%" PRIu32 " task%s held up by ", most, plural(most));
	walk_write_task(lines->text, &digest->ground.waits, &holders, number);
	(void)fputs("--chains", lines->proof);
	return digest_line_end(lines);
}

int digest_add_walks(struct digest *digest)
{
	const struct profile_walk_task *rows;
	const struct profile_walk *walks;
	size_t count = profile_walk_tasks(digest->context->profile, &rows);
	size_t walk_count = profile_walks(digest->context->profile, &walks);
	struct digest_lines *lines = &digest->lines;
	struct walk_states states;
	int r;

	if (!count)
		return 0;
	count_states(rows, count, &states);
	r = digest_line_begin(lines, "walked", DIGEST_FIRST);
	if (r < 0)
		return r;
	(void)fprintf(lines->text, "%zu task%s in %zu walk%s: %zu running or runnable, %zu in D, %zu in other states",
		      count, plural(count), walk_count, plural(walk_count), states.running, states.in_d,
		      states.others);
	(void)fputs("--tasks", lines->proof);
	r = digest_line_end(lines);
	if (r < 0 || !states.longest)
		return r;
	digest->stuck = true;
	r = add_longest(digest, states.longest);
	return r < 0 ? r : add_holder(digest);
}
