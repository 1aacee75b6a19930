/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include "common/plural.h"
#include "report/view/digest/digest_parts.h"

/* Counts threads of programs that never ran. Their waits do not show whether they had nothing to do or hang. */
static size_t count_sleepers(const struct digest *digest)
{
	const uint8_t whole = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;
	const struct waits *waits = &digest->ground.waits;
	size_t count = 0;

	for (size_t i = 0; i < waits->count; i++) {
		const struct profile_wait *wait = &waits->items[i];

		count += wait->source == digest->waits && wait_is_shown(wait) &&
			 (wait->flags & whole) == whole && digest_is_idle(digest, wait->task) &&
			 !waits->tasks[wait->task].kernel_thread;
	}
	return count;
}

/* Says why there is no story. */
int digest_add_no_story(struct digest *digest)
{
	struct digest_lines *lines = &digest->lines;
	const size_t sleepers = count_sleepers(digest);
	bool wakers = false;
	int r;

	for (size_t i = 0; i < digest->source_count; i++)
		wakers |= digest->sources[i].kind == PROFILE_WAKERS;
	if (!wakers)
		return digest_line_add(lines, "stories", DIGEST_MORE,
				       "unknown: who ended the waits was not recorded (rwalker-record --wakers)", NULL);
	r = digest_line_begin(lines, "stories", DIGEST_MORE);
	if (r < 0)
		return r;
	(void)fputs("none: nobody was held for 1% of the recording or longer", lines->text);
	if (sleepers)
		(void)fprintf(lines->text, "; %zu thread%s slept throughout, idle or stuck", sleepers,
			      plural(sleepers));
	(void)fputs(sleepers ? "--waits-on --idle" : "--chains", lines->proof);
	return digest_line_end(lines);
}
