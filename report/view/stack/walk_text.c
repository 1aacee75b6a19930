/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/walk_text.h"

#include <inttypes.h>
#include <string.h>

#include "common/printable.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

enum { MOST_HOLDERS = 16 }; /* lines of one task */

static void write_state(FILE *out, const struct waits *waits, const struct profile_walk_task *row)
{
	struct profile_wait wait = profile_walk_wait(row);

	wait.held &= HELD_FROM_READING;
	if (row->on_cpu) {
		(void)fprintf(out, ", running on CPU %" PRIu32, row->cpu);
		return;
	}
	(void)fputs(", ", out);
	printable_write(out, row->state, strnlen(row->state, sizeof(row->state)));
	if (row->bound != WAIT_NONE) {
		(void)fputs(" for ", out);
		wait_write_length(out, row->wait, row->bound);
	}
	wait_write_object(out, ", ", waits, &wait);
}

void walk_write_task(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t number)
{
	const struct profile_walk_task *row = walk_holders_row(holders, number);

	wait_write_task(out, &holders->tasks[walk_holders_task(holders, number)]);
	if (row)
		write_state(out, waits, row);
}

void walk_write_holders(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t row)
{
	uint32_t at = holders->holder[row], way[MOST_HOLDERS + 1] = {row};
	bool circle = false;

	for (unsigned int i = 1; at < holders->row_count && i <= MOST_HOLDERS && !circle; i++) {
		for (unsigned int back = 0; back < i; back++)
			circle |= way[back] == at;
		(void)fputs("    [held by ", out);
		walk_write_task(out, waits, holders, at);
		(void)fputs(circle ? ": a circle]\n" : "]\n", out);
		way[i] = at;
		at = holders->holder[at];
	}
}
