/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/option_values.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/log2_histogram.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"
#include "report/view/wait/wait_mix.h"
#include "report/view/wait/wait_stacks.h"

/* Unique stacks by their longest single wait, and when that was. The worst is last, next to the prompt. */

static const char indent[] = "        ";

static void print_owner(const struct view_context *context, const struct wait_stacks *stacks,
			const struct wait_stack *stack)
{
	const char *comm = stacks->names.comms[stack->comm];

	(void)fprintf(context->out, "    %-16s ", "-");
	printable_write(context->out, comm, strlen(comm));
	if (context->settings->per_process) {
		(void)fputs(" (", context->out);
		task_names_write_process(&stacks->names, stack->process, context->out);
		(void)fputc(')', context->out);
	}
	(void)fputc('\n', context->out);
}

static void print_place(const struct wait_stacks *stacks, const struct profile_wait *wait, FILE *out)
{
	const struct profile_task *task = &stacks->waits.tasks[wait->task];

	(void)fprintf(out, "%stid %" PRIu32 " pid %" PRIu32 ", CPU %u", indent, task->tid,
		      task->tgid, wait->out_cpu);
	if (wait->in_cpu != wait->out_cpu && !(wait->flags & PROFILE_WAIT_NOT_ENDED))
		(void)fprintf(out, " to %u", wait->in_cpu);
	(void)fputs(", ", out);
	wait_write_state(out, wait);
	wait_write_object(out, ", ", &stacks->waits, wait);
	if (wait->run_queue)
		(void)fprintf(out, ", run queue %s", wait_figure(wait->run_queue).text);
	(void)fputc('\n', out);
}

/* The longest wait: how long, when, who, and what ended it. */
static void print_longest(const struct wait_stacks *stacks, const struct profile_wait *wait, FILE *out)
{
	(void)fprintf(out, "%slongest ", indent);
	wait_write_length(out, wait_length(wait), wait_length_bound(wait));
	(void)fputs(", from ", out);
	wait_write_moment(out, &stacks->waits, wait->recording, wait->out);
	wait_write_out_bound(out, wait);
	(void)fputc('\n', out);
	print_place(stacks, wait, out);
	(void)fputs(indent, out);
	wait_write_end(out, &stacks->waits, wait);
	(void)fputc('\n', out);
}

static void print_percentile(const struct wait_stacks *stacks, const struct wait_stack *stack,
			     unsigned int percent, FILE *out)
{
	const struct profile_wait *wait = wait_stacks_wait(stacks, wait_stack_rank(stack, percent));

	(void)fprintf(out, ", p%u ", percent);
	wait_write_length(out, wait_length(wait), wait_length_bound(wait));
}

/* "12 waits, 1.235 s in all, p50 1.024 ms, p99 503.123 ms, 2 open" */
static void print_sums(const struct wait_stacks *stacks, const struct wait_stack *stack, FILE *out)
{
	(void)fprintf(out, "%s%zu wait%s, ", indent, stack->count, stack->count == 1 ? "" : "s");
	wait_write_length(out, stack->total, wait_stack_total_bound(stack));
	(void)fputs(" in all", out);
	if (stack->weight != stack->total)
		(void)fprintf(out, " (%s of it within what was recorded and asked for)",
			      wait_figure(stack->weight).text);
	if (stack->count > 1) {
		print_percentile(stacks, stack, 50, out);
		print_percentile(stacks, stack, 99, out);
	}
	if (stack->open)
		(void)fprintf(out, ", %zu open", stack->open);
	(void)fputc('\n', out);
}

struct distribution {
	struct log2_histogram histogram;
	struct wait_mix mix;
};

static void distribution_read(struct distribution *distribution, const struct wait_stacks *stacks,
			      const struct wait_stack *stack)
{
	for (size_t i = stack->first; i < stack->first + stack->count; i++) {
		wait_mix_add(&distribution->mix, wait_stacks_wait(stacks, i));
		log2_histogram_add(&distribution->histogram, stacks->members[i].length);
	}
}

static void print_distribution(struct distribution *distribution, const struct wait_stack *stack, FILE *out)
{
	(void)fputs(indent, out);
	wait_mix_write(&distribution->mix, out);
	(void)fputc('\n', out);
	if (stack->count > 1)
		log2_histogram_write(&distribution->histogram, out);
}

static int print_stack(const struct view_context *context, struct wait_stacks *stacks,
		       const struct wait_stack *stack, struct chain *chain)
{
	struct distribution distribution = {.histogram = {.rows = {0}}};
	int r = chain_read(chain, context->profile, stack->node);

	if (r < 0)
		return r;
	(void)fputc('\n', context->out);
	frame_list_write(context, stacks->functions, chain);
	print_owner(context, stacks, stack);
	print_longest(stacks, wait_stacks_longest(stacks, stack), context->out);
	distribution_read(&distribution, stacks, stack); /* in the list's order, which is faster */
	wait_stacks_rank(stacks, stack);
	print_sums(stacks, stack, context->out);
	print_distribution(&distribution, stack, context->out);
	return 0;
}

/* A summary of the first `count` stacks, which are not shown. */
static void print_left_out(const struct wait_stacks *stacks, size_t count, FILE *out)
{
	uint64_t total = 0;
	size_t waits = 0;

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		total = wait_add(total, stacks->items[i].total);
		waits += stacks->items[i].count;
	}
	(void)fprintf(out,
		      "# stacks not shown: %zu, whose longest wait took %s; %zu wait%s, %s in all; "
		      "--top-waits=0 shows them\n",
		      count, wait_figure(stacks->items[count - 1].longest).text, waits, plural(waits),
		      wait_figure(total).text);
}

/* Idle threads wait longer than anything that went wrong. */
static void print_hint(const struct wait_stacks *stacks, size_t first, FILE *out)
{
	const uint8_t both = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;
	size_t throughout = 0;

	for (size_t i = first; i < stacks->count; i++)
		throughout += (wait_stacks_longest(stacks, &stacks->items[i])->flags & both) == both;
	if (throughout)
		(void)fprintf(out,
			      "# stacks above whose longest wait went on all through the recording: %zu; "
			      "--class=ended leaves such waits out\n",
			      throughout);
}

static int show_top_waits(const struct view_context *context, uint32_t number,
		   const struct profile_source *source)
{
	_cleanup_(wait_stacks_deinit) struct wait_stacks stacks;
	_cleanup_(chain_deinit) struct chain chain = {0};
	int r = wait_stacks_init(&stacks, context, number, FUNCTIONS_BY_ADDRESS);
	size_t left_out;

	(void)source;
	if (r < 0)
		return r;
	left_out = wait_stacks_first_shown(&stacks, context->settings);
	print_left_out(&stacks, left_out, context->out);
	for (size_t i = left_out; !r && i < stacks.count; i++)
		r = print_stack(context, &stacks, &stacks.items[i], &chain);
	if (r < 0)
		return r;
	if (stacks.count)
		(void)fputc('\n', context->out);
	print_hint(&stacks, left_out, context->out);
	return 0;
}

enum { TOP_WAITS = 20 };

static int parse_count(struct view_settings *settings, const char *value)
{
	settings->top_waits = TOP_WAITS;
	if (value && option_value_decimal(value, 0, &settings->top_waits) < 0)
		return log_error(EINVAL, "--top-waits expects a number of stacks such as 5, or 0 "
					 "for all, not '%s'", value);
	return 0;
}

const struct view top_waits_view = {
	VIEW_ARGUMENT("top-waits", "[=N]", .help = "the N stacks (20; 0: all) with the longest waits", .often = true),
	.print = show_top_waits, .parse = parse_count, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN,
};
