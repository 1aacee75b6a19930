/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Samples that the kernel counted but did not deliver, by the state of the CPU: a halted CPU gets
 * no ticks, and so misses none. The base is the busy time of the CPUs, whatever the report's
 * filters are.
 */
#include <inttypes.h>

#include "common/printable.h"
#include "report/profile/account/account_notes.h"
#include "report/profile/account/account_parts.h"

enum { WORTH_A_LINE = 1000 }; /* one in this many */

struct undelivered {
	uint64_t busy, busy_missed; /* samples: delivered and not delivered by busy CPUs */
	uint64_t all, unknown;	    /* for recordings without the CPU's state */
	uint64_t enabled, running;  /* ns */
};

static bool has_counters(const struct trace_model *model, uint32_t source)
{
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == source)
			return true;
	return false;
}

static void add_counters(const struct trace_model *model, struct undelivered *sums)
{
	for (size_t i = 0; i < model->counters.count; i++) {
		const struct event_counter *counter = &model->counters.items[i];

		if (counter->missed > counter->missed_idle)
			sums->busy_missed += counter->missed - counter->missed_idle;
		sums->enabled += counter->enabled;
		sums->running += counter->running < counter->enabled ? counter->running : counter->enabled;
	}
}

/* Several causes and sources make one list. */
static void add_losses(const struct trace_model *model, uint32_t source, struct undelivered *sums)
{
	bool known = has_counters(model, source);

	for (size_t i = 0; i < model->losses.count; i++) {
		const struct event_loss *loss = &model->losses.items[i];

		if (loss->source != source)
			continue;
		if (loss->cause == LOSS_SEEN)
			*(known ? &sums->busy : &sums->all) += loss->total;
		else if (loss->cause == LOSS_IDLE && known)
			sums->busy -= loss->total < sums->busy ? loss->total : sums->busy;
		else if (loss->cause == LOSS_NOT_DELIVERED && !known)
			sums->unknown += loss->total;
	}
}

static void add_model(const struct trace_model *model, struct undelivered *sums)
{
	add_counters(model, sums);
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.kind == SOURCE_CPU)
			add_losses(model, model->sources.items[i].event.id, sums);
}

static bool is_worth_it(uint64_t part, uint64_t rest)
{
	return part > (part + rest) / WORTH_A_LINE;
}

static int tell_missed(struct profile *profile, uint64_t missed, uint64_t rest, const char *of)
{
	double share = account_share(missed, missed + rest);

	return account_note(profile, ACCOUNT_UNDELIVERED, share,
			    "%" PRIu64 " sample%s counted by the kernel but not delivered (%.1f%% %s", missed,
			    plural(missed), share, of);
}

int account_undelivered(struct profile *profile)
{
	struct undelivered sums = {0};
	double lent;
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t j = 0; j < profile->files[i]->model_count; j++)
			add_model(&profile->files[i]->models[j], &sums);
	if (is_worth_it(sums.busy_missed, sums.busy))
		r = tell_missed(profile, sums.busy_missed, sums.busy, "of the time the CPUs were busy)");
	if (!r && is_worth_it(sums.unknown, sums.all))
		r = tell_missed(profile, sums.unknown, sums.all, "of all); whether their CPUs were idle is unknown");
	lent = account_share(sums.enabled - sums.running, sums.enabled);
	if (!r && is_worth_it(sums.enabled - sums.running, sums.running))
		r = account_note(profile, ACCOUNT_COUNTER_LENT, lent,
				 "others had the hardware counter for %.1f%% of the time, in which nothing was sampled",
				 lent);
	return r;
}
