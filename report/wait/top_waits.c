/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --top-waits: unique stacks by their longest single wait, and when that was. The worst is last, next to the prompt. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/options/options.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/frame_text.h"
#include "report/view/functions.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

/* --- histogram of durations --- */

/*
 * A histogram of durations, in microseconds by powers of two, in bcc's format:
 *
 *	     usecs               : count     distribution
 *	      1024 -> 2047       : 11       |****************************************|
 *	       ...
 *	    262144 -> 524287     : 1        |***                                     |
 *
 * Empty rows before the first and after the last non-empty one are left out; several empty rows in
 * between become one line "...".
 */

enum { LOG2_ROWS = 64 };

struct log2_histogram {
	uint64_t rows[LOG2_ROWS]; /* rows[n] counts [2^n, 2^(n+1)) us, rows[0] [0, 2) */
};

/*
 * The composition of some waits: shares of their time by initial state and by class, and the shares
 * of run queue and iowait.
 *
 *	state S 90.12%, D 9.88%; blocked 99.00%, preempted 1.00%; run queue 0.10%, iowait 9.88%
 */

enum { WAIT_MIX_STATES = 8 }; /* states that are distinguished; there are hardly more */

struct wait_mix {
	uint64_t total, run_queue, iowait, other_states;
	uint64_t classes[WAIT_CLASSES];
	struct wait_mix_state {
		char text[24];
		uint64_t time;
	} states[WAIT_MIX_STATES];
	size_t state_count;
};

/*
 * The single waits of a source by stack: waits of the same comm (and process, if requested) whose
 * call chains read the same, as in --stacks. The whole length of each wait is counted, from out to
 * in, even if part of it is outside of the recording.
 *
 * Stacks are ordered by their longest wait, the longest last. The waits of a stack are in the order
 * of the profile's list until wait_stacks_rank() sorts them by length: of two equal lengths, a
 * lower bound is after an exact one, and then the earlier one after the later one.
 */

struct wait_member {
	uint64_t length;
	uint32_t wait; /* index in the profile's list */
};

struct wait_stack {
	uint32_t comm, process; /* process: 0 if waits are not split by process */
	uint32_t node;		/* in the profile: one of those that read the same */
	uint32_t longest_wait;	/* index in the profile's list */
	size_t first, count;	/* members[first ...], at least one */
	size_t open;
	bool least;		/* some of its lengths are lower bounds */
	uint64_t longest, total, weight; /* weight: the part of the total in the recording and the requested times */
};

struct wait_stacks {
	struct waits waits;
	struct functions *functions; /* of all frames in use */
	struct task_names names;
	struct wait_member *members;
	struct wait_stack *items;
	size_t count;
};

static const struct profile_wait *wait_stacks_wait(const struct wait_stacks *stacks, size_t member)
{
	return &stacks->waits.items[stacks->members[member].wait];
}

static const struct profile_wait *wait_stacks_longest(const struct wait_stacks *stacks,
						      const struct wait_stack *stack)
{
	return &stacks->waits.items[stack->longest_wait];
}

/* The number of the first stack that is shown: --top-waits shows the last of them, the worst. */
static size_t wait_stacks_first_shown(const struct wait_stacks *stacks, const struct view_settings *settings)
{
	uint64_t most = settings->top_waits;

	return most && stacks->count > most ? stacks->count - most : 0;
}

/*
 * The percentile, by nearest rank: the member that is no shorter than `percent` of the stack's
 * waits. They must be ranked.
 */
static size_t wait_stack_rank(const struct wait_stack *stack, unsigned int percent)
{
	return stack->first + (stack->count * percent + 99) / 100 - 1;
}

/* --- log2 histogram --- */

enum {
	STARS = 40,
	NARROW = 10, /* columns of a number; rows from 2^33 us on need more, and then all rows get more */
	WIDE = 20,
	NARROW_ROWS = 33,
};

static void log2_histogram_add(struct log2_histogram *histogram, uint64_t ns)
{
	uint64_t us = ns / 1000;

	histogram->rows[us < 2 ? 0 : 63 - __builtin_clzll(us)]++;
}

static uint64_t row_first(unsigned int row)
{
	return row ? UINT64_C(1) << row : 0;
}

static void write_row(const struct log2_histogram *histogram, unsigned int row, uint64_t most,
		      int width, FILE *out)
{
	static const char stars[] = "****************************************";
	uint64_t count = histogram->rows[row];
	int length = (int)((unsigned __int128)count * STARS / most);

	(void)fprintf(out, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " |%-*.*s|\n", width,
		      row_first(row), width, (UINT64_C(2) << row) - 1, count, STARS, length, stars);
}

static void log2_histogram_write(const struct log2_histogram *histogram, FILE *out)
{
	unsigned int first = 0, last = LOG2_ROWS;
	uint64_t most = 0;
	int width;

	for (unsigned int row = 0; row < LOG2_ROWS; row++)
		if (histogram->rows[row] > most)
			most = histogram->rows[row];
	if (!most)
		return;
	while (!histogram->rows[first])
		first++;
	while (!histogram->rows[last - 1])
		last--;
	width = last > NARROW_ROWS ? WIDE : NARROW;
	(void)fprintf(out, "%*s%-*s : count     distribution\n", width == NARROW ? 5 : 15, "",
		      width == NARROW ? 19 : 29, "usecs");
	for (unsigned int row = first; row < last; row++) {
		unsigned int next = row;

		while (!histogram->rows[next])
			next++;
		if (next - row > 1) {
			(void)fprintf(out, "%*s\n", width, "...");
			row = next - 1;
		} else {
			write_row(histogram, row, most, width, out);
		}
	}
}

/* --- wait mix --- */

/* Where the time of a state is summed. */
static uint64_t *state_time(struct wait_mix *mix, uint32_t state)
{
	struct wait_mix_state found = {.time = 0};

	profile_state_text(state, 0, found.text);
	found.text[sizeof(found.text) - 1] = '\0';
	for (size_t i = 0; i < mix->state_count; i++)
		if (!strcmp(mix->states[i].text, found.text))
			return &mix->states[i].time;
	if (mix->state_count == WAIT_MIX_STATES)
		return &mix->other_states;
	mix->states[mix->state_count] = found;
	return &mix->states[mix->state_count++].time;
}

static void wait_mix_add(struct wait_mix *mix, const struct profile_wait *wait)
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

	return COMPARE(r->time, l->time) ?: strcmp(l->text, r->text);
}

static void write_share(const struct wait_mix *mix, const char *before, const char *name,
			uint64_t time, FILE *out)
{
	(void)fputs(before, out);
	printable_write(out, name, strlen(name));
	(void)fprintf(out, " %s%%", figure_percent(time, mix->total).text);
}

static void wait_mix_write(struct wait_mix *mix, FILE *out)
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

/* --- wait stacks --- */

/* State for grouping waits into stacks. */
struct sorter {
	struct wait_stacks *stacks;
	struct readings readings;
	struct hash_map known; /* stacks, by comm, process and reading */
	ARRAY(struct wait_stack) found;
	uint32_t *stack_of; /* number in `found`, by wait */
	uint32_t source;
	size_t member_count;
	bool per_process;
};

static void sorter_deinit(struct sorter *sorter)
{
	readings_deinit(&sorter->readings);
	hash_map_deinit(&sorter->known);
	array_free(&sorter->found);
	free(sorter->stack_of);
}

static int want_chains(struct sorter *sorter)
{
	const struct waits *waits = &sorter->stacks->waits;

	for (size_t i = 0; i < waits->count; i++) {
		int r;

		if (waits->items[i].source != sorter->source)
			continue;
		sorter->member_count++;
		r = readings_want(&sorter->readings, waits->items[i].node);
		if (r < 0)
			return r;
	}
	return 0;
}

static int find_stack(struct sorter *sorter, const struct profile_wait *wait, uint32_t *ret_number)
{
	const struct task_names *names = &sorter->stacks->names;
	const uint32_t key[] = {names->comm_of[wait->task], sorter->per_process ? names->process_of[wait->task] : 0,
				sorter->readings.as[wait->node]};
	uint64_t *number;
	int r = hash_map_add(&sorter->known, key, sizeof(key), sorter->found.count, &number);

	if (r > 0)
		r = array_push(&sorter->found, (struct wait_stack){.comm = key[0], .process = key[1], .node = key[2]});
	if (r < 0)
		return r;
	*ret_number = (uint32_t)*number;
	return 0;
}

static bool is_at_least(const struct waits *waits, uint32_t wait)
{
	return wait_length_bound(&waits->items[wait]) == WAIT_AT_LEAST;
}

/* Of two equal lengths, a lower bound counts as longer, then the earlier wait. */
static bool is_longer(const struct waits *waits, uint64_t length, uint32_t wait,
		      uint64_t other_length, uint32_t other)
{
	bool open, other_open;

	if (length != other_length)
		return length > other_length;
	open = is_at_least(waits, wait);
	other_open = is_at_least(waits, other);
	return open == other_open ? wait < other : open;
}

static void count_wait(const struct waits *waits, uint32_t number, struct wait_stack *stack)
{
	const struct profile_wait *wait = &waits->items[number];
	uint64_t length = wait_length(wait);

	stack->count++;
	stack->open += wait_is_open(wait);
	stack->least |= is_at_least(waits, number);
	stack->total = wait_add(stack->total, length);
	stack->weight = wait_add(stack->weight, wait->weight);
	if (stack->count > 1 && !is_longer(waits, length, number, stack->longest, stack->longest_wait))
		return;
	stack->longest = length;
	stack->longest_wait = number;
}

static int add_waits(struct sorter *sorter)
{
	const struct waits *waits = &sorter->stacks->waits;

	for (size_t i = 0; i < waits->count; i++) {
		int r;

		if (waits->items[i].source != sorter->source)
			continue;
		r = find_stack(sorter, &waits->items[i], &sorter->stack_of[i]);
		if (r < 0)
			return r;
		count_wait(waits, (uint32_t)i, &sorter->found.items[sorter->stack_of[i]]);
	}
	return 0;
}

/* Makes each stack's members adjacent. */
static void place_members(struct sorter *sorter)
{
	struct wait_stacks *stacks = sorter->stacks;
	size_t first = 0;

	for (size_t i = 0; i < sorter->found.count; i++) {
		sorter->found.items[i].first = first;
		first += sorter->found.items[i].count;
	}
	for (size_t i = 0; i < stacks->waits.count; i++) {
		const struct profile_wait *wait = &stacks->waits.items[i];

		if (wait->source == sorter->source)
			stacks->members[sorter->found.items[sorter->stack_of[i]].first++] =
				(struct wait_member){.length = wait_length(wait), .wait = (uint32_t)i};
	}
	for (size_t i = 0; i < sorter->found.count; i++)
		sorter->found.items[i].first -= sorter->found.items[i].count;
}

static int compare_members(const void *left, const void *right, void *waits)
{
	const struct wait_member *l = left, *r = right;

	if (l->wait == r->wait)
		return 0;
	return is_longer(waits, l->length, l->wait, r->length, r->wait) ? 1 : -1;
}

/* Sorts the members by length. */
static void wait_stacks_rank(struct wait_stacks *stacks, const struct wait_stack *stack)
{
	qsort_r(stacks->members + stack->first, stack->count, sizeof(*stacks->members),
		compare_members, &stacks->waits);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct wait_stack *l = left, *r = right;

	return COMPARE(l->longest, r->longest) ?: COMPARE(l->total, r->total) ?: COMPARE(l->comm, r->comm) ?:
	       COMPARE(l->process, r->process) ?: COMPARE(l->node, r->node);
}

static void order(struct sorter *sorter)
{
	struct wait_stacks *stacks = sorter->stacks;

	place_members(sorter);
	stacks->items = steal_ptr(sorter->found.items);
	stacks->count = sorter->found.count;
	if (stacks->count)
		qsort(stacks->items, stacks->count, sizeof(*stacks->items), compare_stacks);
}

static int sort(struct sorter *sorter, const struct view_settings *settings)
{
	struct wait_stacks *stacks = sorter->stacks;
	int r = want_chains(sorter) ?:
		readings_read(&sorter->readings, stacks->functions,
			      (struct frame_style){.addresses = settings->addresses, .offsets = settings->offsets});

	if (r < 0)
		return r;
	stacks->members = calloc(sorter->member_count + 1, sizeof(*stacks->members));
	sorter->stack_of = calloc(stacks->waits.count + 1, sizeof(*sorter->stack_of));
	if (!stacks->members || !sorter->stack_of)
		return -ENOMEM;
	r = add_waits(sorter);
	if (!r)
		order(sorter);
	return r;
}

static int wait_stacks_init(struct wait_stacks *stacks, const struct view_context *context, uint32_t source,
			    enum functions_mode mode)
{
	_cleanup_(sorter_deinit) struct sorter sorter = {
		.stacks = stacks, .source = source, .per_process = context->settings->per_process};

	*stacks = (struct wait_stacks){0};
	return waits_init(&stacks->waits, context->profile) ?:
	       functions_create(context->profile, mode, page_no_frames(context->settings), &stacks->functions) ?:
	       task_names_init(&stacks->names, context->profile) ?:
	       readings_init(&sorter.readings, context->profile) ?:
	       hash_map_init(&sorter.known) ?:
	       sort(&sorter, context->settings);
}

static void wait_stacks_deinit(struct wait_stacks *stacks)
{
	functions_destroy(stacks->functions);
	task_names_deinit(&stacks->names);
	free(stacks->members);
	free(stacks->items);
	*stacks = (struct wait_stacks){0};
}

/* --- top waits --- */

static const char indent[] = "        ";

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
	wait_write_length(out, stack->total, stack->least ? WAIT_AT_LEAST : WAIT_EXACT);
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
	task_names_write_owner(&stacks->names, stack->comm, stack->process, context->settings->per_process, context->out);
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
