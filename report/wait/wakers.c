/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/frame_text.h"
#include "report/view/functions.h"
#include "report/view/page.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

/*
 * The waits of a source by sleeper, waker and both their stacks, as summed by offwaketime. Two
 * waits are one pair if comms (and processes, if requested), both call chains as printed, and the
 * waker's context are the same. Lightest pair first, then by sleeper and waker.
 *
 * An interrupt is a waker of its own: the task that was there and its user frames do not distinguish
 * pairs, but those that an irq interrupted are kept. Waits without a known waker are pairs, too, without a waker.
 *
 * Every wait may be a pair of its own, so a pair is as small as possible: its content is read from
 * one of its waits.
 */

enum {
	WAKE_NOBODY = UINT32_MAX,		 /* waker_comm of an interrupt, or without a known waker */
	WAKE_NOT_ENDED = WAIT_CLASSES,	 /* index of unknown[]: no waker because the wait is open */
	WAKE_UNKNOWN_KINDS
};

struct wake_pair {
	uint64_t weight;
	uint32_t wait; /* the first of its waits */
};

struct wake_interrupted {
	uint64_t weight;
	uint32_t wait; /* the pair's `wait` */
	uint32_t task; /* a task with that comm */
};

/* The key of a pair; whole words only, no padding. */
struct wake_identity {
	uint32_t group;		      /* the sleeper's group of --by; 0 if there is none */
	uint32_t comm, process, node; /* of the sleeper; process: 0 if not split by process */
	uint32_t context;	      /* enum waker_context; NONE: unknown */
	uint32_t waker_comm, waker_process, waker_node;
	uint32_t user_missing; /* the sleeper's user part was lost */
};

struct wake_unknown { /* waits without a known waker */
	uint64_t count, weight;
};

struct wake_pairs {
	const struct view_settings *settings;
	const struct group_choice *only; /* whose waits; NULL: all */
	struct groups groups;
	struct waits waits;
	struct functions *functions; /* of all frames in use */
	struct task_names names;
	struct readings readings, kernel_readings; /* kernel_readings: of interrupts */
	ARRAY(struct wake_pair) pairs;
	ARRAY(struct wake_interrupted) interrupted; /* by wait, then task */
	struct wake_unknown unknown[WAKE_UNKNOWN_KINDS]; /* by class, except those that have not ended */
};

struct gathering { /* state needed until all pairs are complete */
	struct wake_pairs *pairs;
	struct index_table known;	 /* pairs, by identity */
	struct hash_map interrupted; /* rows, by pair and comm */
};

static void gathering_deinit(struct gathering *gathering)
{
	index_table_deinit(&gathering->known);
	hash_map_deinit(&gathering->interrupted);
}

static bool is_wanted(const struct wake_pairs *pairs, const struct profile_wait *wait, uint32_t source)
{
	return wait->source == source && group_choice_has(pairs->only, wait->task, wait->in_cpu);
}

/* Looks up all functions and finds equal chains. */
static int read_chains(struct wake_pairs *pairs, uint32_t source)
{
	const struct frame_style style = frame_list_style(pairs->settings);
	int r = 0;

	for (size_t i = 0; !r && i < pairs->waits.count; i++) {
		const struct profile_wait *wait = &pairs->waits.items[i];
		bool interrupt = wake_is_interrupt(wake_context(wait));

		if (!is_wanted(pairs, wait, source))
			continue;
		r = readings_want(&pairs->readings, wait->node);
		if (!r)
			r = readings_want(interrupt ? &pairs->kernel_readings : &pairs->readings,
					  wait->waker_node);
	}
	pairs->kernel_readings.kernel_only = true;
	if (!r)
		r = readings_read(&pairs->readings, pairs->functions, style);
	return r < 0 ? r : readings_read(&pairs->kernel_readings, pairs->functions, style);
}

static struct wake_identity identify(const struct wake_pairs *pairs, uint32_t number)
{
	const struct profile_wait *wait = &pairs->waits.items[number];
	bool per_process = pairs->settings->per_process;
	struct wake_identity identity = {
		.group = groups_find(&pairs->groups, wait->task, wait->in_cpu),
		.comm = pairs->names.comm_of[wait->task],
		.process = per_process ? pairs->names.process_of[wait->task] : 0,
		.node = pairs->readings.as[wait->node],
		.waker_comm = WAKE_NOBODY,
		.context = wake_context(wait),
		.user_missing = !pairs->settings->kernel_only && wait->chain_flags & CHAIN_USER_MISSING,
	};

	if (wake_is_interrupt(identity.context)) {
		identity.waker_node = pairs->kernel_readings.as[wait->waker_node];
	} else if (identity.context != WAKER_NONE) {
		identity.waker_comm = pairs->names.comm_of[wait->waker];
		identity.waker_process = per_process ? pairs->names.process_of[wait->waker] : 0;
		identity.waker_node = pairs->readings.as[wait->waker_node];
	}
	return identity;
}

static struct wake_identity wake_pairs_identify(const struct wake_pairs *pairs, const struct wake_pair *pair)
{
	return identify(pairs, pair->wait);
}

static int compare_identities(const struct wake_identity *left, const struct wake_identity *right)
{
	return COMPARE(left->group, right->group) ?: COMPARE(left->comm, right->comm) ?:
	       COMPARE(left->process, right->process) ?: COMPARE(left->node, right->node) ?:
	       COMPARE(left->context, right->context) ?: COMPARE(left->waker_comm, right->waker_comm) ?:
	       COMPARE(left->waker_process, right->waker_process) ?: COMPARE(left->waker_node, right->waker_node) ?:
	       COMPARE(left->user_missing, right->user_missing);
}

struct wanted_pair {
	const struct wake_pairs *pairs;
	struct wake_identity identity;
};

static bool same_pair(const void *context, uint32_t number)
{
	const struct wanted_pair *wanted = context;
	const struct wake_identity identity = identify(wanted->pairs,
						       wanted->pairs->pairs.items[number].wait);

	return !compare_identities(&wanted->identity, &identity);
}

static int find_pair(struct gathering *gathering, uint32_t wait, struct wake_pair **ret_pair)
{
	struct wake_pairs *pairs = gathering->pairs;
	const struct wanted_pair wanted = {.pairs = pairs, .identity = identify(pairs, wait)};
	uint32_t words[sizeof(wanted.identity) / sizeof(uint32_t)], number;
	int r;

	memcpy(words, &wanted.identity, sizeof(words));
	r = index_table_add(&gathering->known,
			    index_table_hash_words(&gathering->known, words,
						   sizeof(words) / sizeof(words[0])),
			    same_pair, &wanted, (uint32_t)pairs->pairs.count, &number);
	if (r < 0 || (r > 0 && array_push(&pairs->pairs, (struct wake_pair){.wait = wait}) < 0))
		return -ENOMEM;
	*ret_pair = &pairs->pairs.items[number];
	return 0;
}

static int add_interrupted(struct gathering *gathering, const struct wake_pair *pair,
			   const struct profile_wait *wait)
{
	struct wake_pairs *pairs = gathering->pairs;
	const uint32_t key[] = {pair->wait, pairs->names.comm_of[wait->waker]};
	uint64_t *number;
	int r = hash_map_add(&gathering->interrupted, key, sizeof(key), pairs->interrupted.count, &number);

	if (r > 0)
		r = array_push(&pairs->interrupted, (struct wake_interrupted){.wait = key[0], .task = wait->waker});
	if (r < 0)
		return r;
	pairs->interrupted.items[*number].weight += wait->weight;
	return 0;
}

static int add_wait(struct gathering *gathering, uint32_t number)
{
	struct wake_pairs *pairs = gathering->pairs;
	const struct profile_wait *wait = &pairs->waits.items[number];
	enum waker_context context = wake_context(wait);
	struct wake_pair *pair;
	int r = find_pair(gathering, number, &pair);

	if (r < 0)
		return r;
	pair->weight += wait->weight;
	if (context == WAKER_NONE) {
		unsigned int kind = wait->flags & PROFILE_WAIT_NOT_ENDED ? WAKE_NOT_ENDED : wait->wait_class;

		pairs->unknown[kind].count++;
		pairs->unknown[kind].weight += wait->weight;
	}
	if (context == WAKER_IRQ && wait->waker != PROFILE_NO_TASK)
		return add_interrupted(gathering, pair, wait);
	return 0;
}

/* Frees its own tables before the pairs are sorted: sorting needs memory, too. */
static int gather(struct wake_pairs *pairs, uint32_t source)
{
	_cleanup_(gathering_deinit) struct gathering gathering = {.pairs = pairs};
	int r = index_table_init(&gathering.known) ?: hash_map_init(&gathering.interrupted);

	for (uint32_t i = 0; !r && i < pairs->waits.count; i++)
		if (is_wanted(pairs, &pairs->waits.items[i], source))
			r = add_wait(&gathering, i);
	return r;
}

static int compare_pairs(const void *left, const void *right, void *context)
{
	const struct wake_pair *l = left, *r = right;
	struct wake_identity l_identity, r_identity;

	if (l->weight != r->weight)
		return l->weight < r->weight ? -1 : 1;
	l_identity = identify(context, l->wait);
	r_identity = identify(context, r->wait);
	return compare_identities(&l_identity, &r_identity);
}

static int compare_interrupted(const void *left, const void *right)
{
	const struct wake_interrupted *l = left, *r = right;

	return COMPARE(l->wait, r->wait) ?: COMPARE(l->task, r->task);
}

static void sort(struct wake_pairs *pairs)
{
	if (pairs->pairs.count)
		qsort_r(pairs->pairs.items, pairs->pairs.count, sizeof(*pairs->pairs.items),
			compare_pairs, pairs);
	if (pairs->interrupted.count)
		qsort(pairs->interrupted.items, pairs->interrupted.count, sizeof(*pairs->interrupted.items),
		      compare_interrupted);
}

static int wake_pairs_init(struct wake_pairs *pairs, const struct view_context *context, uint32_t source,
			   enum functions_mode mode)
{
	int r;

	*pairs = (struct wake_pairs){.settings = context->settings, .only = context->only};
	r = waits_init(&pairs->waits, context->profile);
	if (!r)
		r = groups_init(&pairs->groups, context->profile, context->only ? NULL : context->settings->by);
	if (!r)
		r = functions_create(context->profile, mode, page_no_frames(context->settings),
				     &pairs->functions);
	if (!r)
		r = task_names_init(&pairs->names, context->profile);
	if (!r)
		r = readings_init(&pairs->readings, context->profile);
	if (!r)
		r = readings_init(&pairs->kernel_readings, context->profile);
	if (!r)
		r = read_chains(pairs, source);
	if (!r)
		r = gather(pairs, source);
	if (!r)
		sort(pairs);
	return r;
}

static void wake_pairs_deinit(struct wake_pairs *pairs)
{
	array_free(&pairs->pairs);
	array_free(&pairs->interrupted);
	readings_deinit(&pairs->readings);
	readings_deinit(&pairs->kernel_readings);
	task_names_deinit(&pairs->names);
	groups_deinit(&pairs->groups);
	functions_destroy(pairs->functions);
	*pairs = (struct wake_pairs){0};
}

/* The first row of a pair. */
static size_t find_interrupted(const struct wake_pairs *pairs, uint32_t wait)
{
	return SORTED_FIRST(i, pairs->interrupted.count, pairs->interrupted.items[i].wait >= wait);
}

/* Adds the comms of the tasks that a pair's interrupts interrupted. */
static void wake_pairs_list_interrupted(const struct wake_pairs *pairs, const struct wake_pair *pair,
					struct comm_list *list)
{
	for (size_t i = find_interrupted(pairs, pair->wait);
	     i < pairs->interrupted.count && pairs->interrupted.items[i].wait == pair->wait; i++)
		comm_list_add(list, pairs->interrupted.items[i].task, pairs->interrupted.items[i].weight);
}

/* --- wakers --- */

/*
 * Who ended the waits, with both stacks: the blocks and folded lines of bcc's offwaketime. The
 * waker's stack is printed upside down above the sleeper's, so that the call that woke is next to
 * the one that slept.
 */

enum { COMMS_SHOWN = 4 };

static const char *const interrupt_names[] = {[WAKER_SOFTIRQ] = "softirq", [WAKER_IRQ] = "irq"};

struct wakers_view {
	const struct view_context *context;
	struct wake_pairs pairs;
	struct comm_list interrupted;
	struct chain chain;
};

static void wakers_view_deinit(struct wakers_view *view)
{
	chain_deinit(&view->chain);
	comm_list_deinit(&view->interrupted);
	wake_pairs_deinit(&view->pairs);
}

static int wakers_view_init(struct wakers_view *view, const struct view_context *context, uint32_t source,
			    enum functions_mode mode)
{
	*view = (struct wakers_view){.context = context};
	return wake_pairs_init(&view->pairs, context, source, mode) ?:
	       comm_list_init(&view->interrupted, &view->pairs.names);
}

static void print_frame(const struct wakers_view *view, size_t number)
{
	frame_list_write_one(view->context, view->pairs.functions, view->chain.frames.items[number]);
}

/* Between the two parts of a chain. */
static void print_delimiter(const struct wakers_view *view, size_t before)
{
	if (view->context->settings->delimited && before == view->chain.kernel_count)
		(void)fputs("    -\n", view->context->out);
}

static int print_waker_frames(struct wakers_view *view, const struct wake_identity *who)
{
	int r = chain_read(&view->chain, view->context->profile, who->waker_node);
	size_t count = wake_is_interrupt(who->context) ? view->chain.kernel_count : view->chain.frames.count;

	if (r < 0)
		return r;
	for (size_t i = count; i-- > 0;) {
		print_frame(view, i);
		if (i)
			print_delimiter(view, i);
	}
	if (!count)
		frame_list_write_none(view->context, view->pairs.functions);
	return 0;
}

static int print_sleeper_frames(struct wakers_view *view, const struct wake_identity *who)
{
	int r = chain_read(&view->chain, view->context->profile, who->node);
	bool missing = who->user_missing && view->chain.kernel_count == view->chain.frames.count;

	if (r < 0)
		return r;
	for (size_t i = 0; i < view->chain.frames.count; i++) {
		if (i)
			print_delimiter(view, i);
		print_frame(view, i);
	}
	if (missing)
		(void)fputs("    [Missed User Stack]\n", view->context->out);
	else if (!view->chain.frames.count)
		frame_list_write_none(view->context, view->pairs.functions);
	return 0;
}

/* "    target:          dd 12" */
static void print_owner(const struct wakers_view *view, const char *label, uint32_t comm, uint32_t process)
{
	FILE *out = view->context->out;

	(void)fprintf(out, "    %-16s ", label);
	printable_write(out, view->pairs.names.comms[comm], strlen(view->pairs.names.comms[comm]));
	if (view->context->settings->per_process) {
		(void)fputc(' ', out);
		task_names_write_process(&view->pairs.names, process, out);
	}
}

/* "    waker:           irq [interrupted swapper/0, dd]" */
static void print_interrupt(struct wakers_view *view, const struct wake_pair *pair, uint32_t context)
{
	FILE *out = view->context->out;

	(void)fprintf(out, "    %-16s %s", "waker:", interrupt_names[context]);
	wake_pairs_list_interrupted(&view->pairs, pair, &view->interrupted);
	if (!view->interrupted.present_count)
		return;
	(void)fputs(" [interrupted ", out);
	comm_list_write(&view->interrupted, COMMS_SHOWN, out);
	(void)fputc(']', out);
}

static void print_waker(struct wakers_view *view, const struct wake_pair *pair,
			const struct wake_identity *who)
{
	if (wake_is_interrupt(who->context))
		print_interrupt(view, pair, who->context);
	else
		print_owner(view, "waker:", who->waker_comm, who->waker_process);
	if (who->context == WAKER_UNKNOWN)
		(void)fputs(" [context not known]", view->context->out);
	(void)fputc('\n', view->context->out);
}

static int print_block(struct wakers_view *view, const struct wake_pair *pair,
		       const struct wake_identity *who)
{
	FILE *out = view->context->out;
	int r;

	(void)fputc('\n', out);
	print_waker(view, pair, who);
	r = print_waker_frames(view, who);
	if (r < 0)
		return r;
	(void)fprintf(out, "    %-16s %s\n", "--", "--");
	r = print_sleeper_frames(view, who);
	if (r < 0)
		return r;
	print_owner(view, "target:", who->comm, who->process);
	(void)fprintf(out, "\n        %" PRIu64 "\n", pair->weight / 1000);
	return 0;
}

/* "# no waker is known of 12 waits, 34.5 ms in all (blocked: 2, preempted: 9, not ended: 1)" */
static void print_unknown(const struct wakers_view *view)
{
	const struct wake_unknown *unknown = view->pairs.unknown;
	FILE *out = view->context->out;
	uint64_t count = 0, weight = 0;
	const char *before = " (";

	for (unsigned int kind = 0; kind < WAKE_UNKNOWN_KINDS; kind++) {
		count += unknown[kind].count;
		weight += unknown[kind].weight;
	}
	if (!count)
		return;
	(void)fprintf(out, "# no waker is known of %" PRIu64 " wait%s, %s ms in all", count,
		      count == 1 ? "" : "s", figure_milliseconds(weight).text);
	for (unsigned int kind = 0; kind < WAKE_UNKNOWN_KINDS; kind++) {
		if (!unknown[kind].count)
			continue;
		(void)fprintf(out, "%s%s: %" PRIu64, before,
			      kind == WAKE_NOT_ENDED ? "not ended" : wait_class_name(kind),
			      unknown[kind].count);
		before = ", ";
	}
	(void)fputs(")\n", out);
}

static int show_wakers(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(wakers_view_deinit) struct wakers_view view;
	bool any = false;
	int r = wakers_view_init(&view, context, number, FUNCTIONS_BY_ADDRESS);

	(void)source;
	for (size_t i = 0; !r && i < view.pairs.pairs.count; i++) {
		const struct wake_pair *pair = &view.pairs.pairs.items[i];
		const struct wake_identity who = wake_pairs_identify(&view.pairs, pair);

		if (who.context == WAKER_NONE)
			continue;
		any = true;
		r = print_block(&view, pair, &who);
	}
	if (r < 0)
		return r;
	if (any)
		(void)fputc('\n', context->out);
	print_unknown(&view);
	return 0;
}

const struct view wakers_view = {
	VIEW_OPTION("wakers", .help = "who ended the waits; also with --folded"),
	.print = show_wakers, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN, .by = true,
};

/* ";--;waker's frames;waker", or ";--;" if the waker is unknown, as in bcc. */
static int fold_wake(struct wakers_view *view, const struct fold *fold, const struct wake_identity *who)
{
	bool interrupt = wake_is_interrupt(who->context);
	FILE *out = view->context->out;
	int r;

	(void)fputs(";--", out);
	if (who->context != WAKER_NONE) {
		r = chain_read(&view->chain, view->context->profile, who->waker_node) ?:
		    fold_waker(fold, &view->chain, interrupt);
		if (r < 0)
			return r;
	}
	(void)fputc(';', out);
	if (interrupt)
		(void)fputs(interrupt_names[who->context], out);
	else if (who->context != WAKER_NONE)
		fold_owner(fold, who->waker_comm, who->waker_process);
	return 0;
}

/* "target;root;...;leaf;--;leaf;...;root;waker us" */
static int fold_pair(struct wakers_view *view, const struct fold *fold, const struct wake_pair *pair)
{
	const struct wake_identity who = wake_pairs_identify(&view->pairs, pair);
	int r = chain_read(&view->chain, view->context->profile, who.node);

	if (r < 0)
		return r;
	r = fold_group(fold, who.group);
	fold_owner(fold, who.comm, who.process);
	if (!r)
		r = fold_sleeper(fold, &view->chain, who.user_missing);
	if (!r)
		r = fold_wake(view, fold, &who);
	(void)fprintf(view->context->out, " %" PRIu64 "\n", pair->weight / 1000);
	return r;
}

static int show_folded_wakers(const struct view_context *context, uint32_t number,
			      const struct profile_source *source)
{
	_cleanup_(wakers_view_deinit) struct wakers_view view;
	struct fold fold = {.context = context, .names = &view.pairs.names, .groups = &view.pairs.groups};
	int r = wakers_view_init(&view, context, number, FUNCTIONS_BY_NAME);

	(void)source;
	fold.functions = view.pairs.functions;
	for (size_t i = 0; !r && i < view.pairs.pairs.count; i++)
		r = fold_pair(&view, &fold, &view.pairs.pairs.items[i]);
	return r;
}

const struct view folded_wakers_view = {
	VIEW_NAME("folded --wakers"),
	.print = show_folded_wakers, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN, .by = true, .bare = true,
};
