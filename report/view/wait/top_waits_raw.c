/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "report/view/look/chain.h"
#include "report/view/text/frame_list.h"
#include "report/view/wait/wait_stacks.h"

/*
 * One line per stack in the format of topwaits (2019): total and longest wait in us, when the
 * longest ended in seconds since 1970, and the kernel's and the user's frames, leaf first, as two
 * tuples of Python:
 *
 *	1234 503 1795262403.250123456 ('schedule', 'do_nanosleep') ('__nanosleep',)
 */

static void write_quoted(FILE *out, const char *text)
{
	(void)fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			(void)fputc('\\', out);
		(void)fputc(*text, out);
	}
	(void)fputc('\'', out);
}

static int write_frame(const struct view_context *context, const struct wait_stacks *stacks, uint32_t frame)
{
	const struct frame_style style = frame_list_style(context->settings);
	_cleanup_free_ char *text = NULL;
	uint32_t function;
	size_t length;
	FILE *stream;
	int r = functions_find(stacks->functions, frame, &function);

	if (r < 0)
		return r;
	if (!style.addresses && !style.offsets && !functions_mark(stacks->functions, function)[0]) {
		write_quoted(context->out, functions_name(stacks->functions, function));
		return 0;
	}
	stream = open_memstream(&text, &length);
	if (!stream)
		return -ENOMEM;
	functions_write_frame(stacks->functions, frame, style, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	write_quoted(context->out, text);
	return 0;
}

/* "('a', 'b')", "('a',)", "()" */
static int write_tuple(const struct view_context *context, const struct wait_stacks *stacks,
		       const struct chain *chain, size_t first, size_t count)
{
	(void)fputc('(', context->out);
	for (size_t i = 0; i < count; i++) {
		int r;

		(void)fputs(i ? ", " : "", context->out);
		r = write_frame(context, stacks, chain->frames.items[first + i]);
		if (r < 0)
			return r;
	}
	(void)fputs(count == 1 ? ",)" : ")", context->out);
	return 0;
}

/* "nan" if the clock is unknown: it parses as a number, but is never a time. */
static void write_moment(FILE *out, uint64_t realtime)
{
	if (realtime)
		(void)fprintf(out, "%" PRIu64 ".%09" PRIu64 " ", realtime / SECOND,
			      realtime % SECOND);
	else
		(void)fputs("nan ", out);
}

static int write_stack(const struct view_context *context, const struct wait_stacks *stacks,
		       const struct wait_stack *stack, struct chain *chain)
{
	const struct profile_wait *longest = wait_stacks_longest(stacks, stack);
	int r = chain_read(chain, context->profile, stack->node);

	if (r < 0)
		return r;
	(void)fprintf(context->out, "%" PRIu64 " %" PRIu64 " ", stack->total / 1000, stack->longest / 1000);
	write_moment(context->out, profile_realtime(context->profile, longest->recording, longest->in));
	r = write_tuple(context, stacks, chain, 0, chain->kernel_count);
	if (r < 0)
		return r;
	(void)fputc(' ', context->out);
	r = write_tuple(context, stacks, chain, chain->kernel_count,
			chain->frames.count - chain->kernel_count);
	(void)fputc('\n', context->out);
	return r;
}

/* Notes that do not fit into the lines. */
static void tell_bounds(const struct wait_stacks *stacks, size_t first)
{
	size_t bounds = 0;

	for (size_t i = first; i < stacks->count; i++)
		bounds += wait_length_bound(wait_stacks_longest(stacks, &stacks->items[i])) !=
			  PROFILE_WAIT_EXACT;
	if (first)
		(void)fprintf(stderr, "# stacks not shown: %zu\n", first);
	if (bounds)
		(void)fprintf(stderr,
			      "# lines whose longest wait is a bound, "
			      "as it had not ended or its beginning is not known: %zu\n",
			      bounds);
}

int top_waits_raw_view(const struct view_context *context, uint32_t number,
		       const struct profile_source *source)
{
	_cleanup_(wait_stacks_deinit) struct wait_stacks stacks;
	_cleanup_(chain_deinit) struct chain chain = {0};
	int r = wait_stacks_init(&stacks, context, number, FUNCTIONS_BY_NAME);
	size_t first;

	(void)source;
	if (r < 0)
		return r;
	first = wait_stacks_first_shown(&stacks, context->settings);
	for (size_t i = first; !r && i < stacks.count; i++)
		r = write_stack(context, &stacks, &stacks.items[i], &chain);
	if (!r)
		tell_bounds(&stacks, first);
	return r;
}
