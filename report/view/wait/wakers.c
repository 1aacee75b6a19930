/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/chain.h"
#include "report/view/text/fold.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/page.h"
#include "report/view/text/wait_text.h"
#include "report/view/wait/wake_pairs.h"

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
	int r;

	*view = (struct wakers_view){.context = context};
	r = wake_pairs_init(&view->pairs, context, source, mode);
	return r < 0 ? r : comm_list_init(&view->interrupted, &view->pairs.names);
}

static void print_frame(const struct wakers_view *view, size_t number)
{
	const struct view_settings *settings = view->context->settings;
	const struct frame_style style = frame_list_style(settings);

	(void)fputs("    ", view->context->out);
	functions_write_frame(view->pairs.functions, view->chain.frames.items[number], style,
			      view->context->out);
	(void)fputc('\n', view->context->out);
}

static void print_no_frames(const struct wakers_view *view)
{
	(void)fprintf(view->context->out, "    %s\n", functions_name(view->pairs.functions, FUNCTION_NONE));
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
		print_no_frames(view);
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
		print_no_frames(view);
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
		r = chain_read(&view->chain, view->context->profile, who->waker_node);
		if (!r)
			r = fold_waker(fold, &view->chain, interrupt);
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
