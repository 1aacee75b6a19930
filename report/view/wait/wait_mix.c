/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/wait_mix.h"

#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/text/wait_text.h"

/* Where the time of a state is summed. */
static uint64_t *state_time(struct wait_mix *mix, uint32_t state)
{
	struct wait_mix_state found = {.time = 0};

	profile_wait_state(state, found.text);
	found.text[sizeof(found.text) - 1] = '\0';
	for (size_t i = 0; i < mix->state_count; i++)
		if (!strcmp(mix->states[i].text, found.text))
			return &mix->states[i].time;
	if (mix->state_count == WAIT_MIX_STATES)
		return &mix->other_states;
	mix->states[mix->state_count] = found;
	return &mix->states[mix->state_count++].time;
}

void wait_mix_add(struct wait_mix *mix, const struct profile_wait *wait)
{
	uint64_t length = wait_length(wait), *state = state_time(mix, wait->state);

	*state = wait_add(*state, length);
	mix->total = wait_add(mix->total, length);
	mix->run_queue = wait_add(mix->run_queue, wait->run_queue);
	mix->classes[wait->wait_class] = wait_add(mix->classes[wait->wait_class], length);
	if (wait->flags & PROFILE_WAIT_IOWAIT)
		mix->iowait = wait_add(mix->iowait, length);
}

static int compare_states(const void *left, const void *right)
{
	const struct wait_mix_state *l = left, *r = right;

	if (l->time != r->time)
		return l->time > r->time ? -1 : 1;
	return strcmp(l->text, r->text);
}

static void write_share(const struct wait_mix *mix, const char *before, const char *name,
			uint64_t time, FILE *out)
{
	(void)fputs(before, out);
	printable_write(out, name, strlen(name));
	(void)fprintf(out, " %s%%", figure_percent(time, mix->total).text);
}

void wait_mix_write(struct wait_mix *mix, FILE *out)
{
	const char *before = "; ";

	qsort(mix->states, mix->state_count, sizeof(*mix->states), compare_states);
	for (size_t i = 0; i < mix->state_count; i++)
		write_share(mix, i ? ", " : "state ", mix->states[i].text, mix->states[i].time, out);
	if (mix->other_states)
		write_share(mix, ", ", "others", mix->other_states, out);
	for (unsigned int i = 0; i < WAIT_CLASSES; i++)
		if (mix->classes[i]) {
			write_share(mix, before, wait_class_name(i), mix->classes[i], out);
			before = ", ";
		}
	if (mix->run_queue)
		write_share(mix, "; ", "run queue", mix->run_queue, out);
	if (mix->iowait)
		write_share(mix, mix->run_queue ? ", " : "; ", "iowait", mix->iowait, out);
}
