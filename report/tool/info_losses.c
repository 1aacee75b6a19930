/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/info_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/figures.h"
#include "report/read/loss_table.h"

struct ledger { /* one source and CPU */
	uint32_t source, cpu;
	uint64_t totals[LOSS_CAUSES];
};

struct ledgers {
	ARRAY(struct ledger) rows; /* by source, then CPU */
	struct loss_sums sums;
};

static int compare_losses(const void *left, const void *right)
{
	const struct event_loss *l = left, *r = right;

	return COMPARE(l->source, r->source) ?: COMPARE(l->cpu, r->cpu) ?: COMPARE(l->cause, r->cause);
}

static int fill(struct ledgers *ledgers, const struct trace_model *model)
{
	size_t count = model->losses.count;
	_cleanup_free_ struct event_loss *sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	if (count)
		memcpy(sorted, model->losses.items, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_losses);
	for (size_t i = 0; i < count; i++) {
		const struct event_loss *loss = &sorted[i];

		if (!i || loss->source != sorted[i - 1].source || loss->cpu != sorted[i - 1].cpu)
			if (array_push(&ledgers->rows, (struct ledger){.source = loss->source,
								       .cpu = loss->cpu}) < 0)
				return -ENOMEM;
		if (loss->cause < LOSS_CAUSES)
			ledgers->rows.items[ledgers->rows.count - 1].totals[loss->cause] += loss->total;
		loss_sums_add(&ledgers->sums, loss);
	}
	return 0;
}

static uint64_t sum_of(const struct ledger *row, enum loss_meaning meaning)
{
	uint64_t sum = 0;

	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_row_of(cause)->meaning == meaning)
			sum += row->totals[cause];
	return sum;
}

static bool is_counted(const struct ledger *row)
{
	return row->totals[LOSS_SEEN] || row->totals[LOSS_NOT_DELIVERED];
}

static const struct event_counter *find_counter(const struct trace_model *model, const struct ledger *row)
{
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == row->source &&
		    model->counters.items[i].cpu == row->cpu)
			return &model->counters.items[i];
	return NULL;
}

/* Cycles have no fixed period, so the counter's own value is printed too. */
static void print_counter(const struct event_counter *counter, bool cycles, FILE *out)
{
	if (cycles)
		(void)fprintf(out,
			      "    CPU %" PRIu32 ": %" PRIu64 " cycles counted, "
			      "%" PRIu64 " of them in periods that ended in a sample\n",
			      counter->cpu, counter->counted, counter->seen);
	if (counter->running < counter->enabled)
		(void)fprintf(out, "    CPU %" PRIu32 ": others had the counter for %s of %s s\n", counter->cpu,
			      figure_seconds(counter->enabled - counter->running).text,
			      figure_seconds(counter->enabled).text);
	if (counter->throttled)
		(void)fprintf(out, "    CPU %" PRIu32 ": stopped for %s s, for it was too frequent\n", counter->cpu,
			      figure_seconds(counter->throttled).text);
}

static void print_counters(const struct trace_model *model, uint32_t source, FILE *out)
{
	bool cycles = false;

	for (size_t i = 0; i < model->sources.count; i++)
		cycles |= model->sources.items[i].event.id == source &&
			  model->sources.items[i].event.weight == WEIGHT_CYCLES;
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == source)
			print_counter(&model->counters.items[i], cycles, out);
}

/*
 * Every event that the kernel counted was either seen by the program or not delivered to it, and
 * every event seen is in one of the sums; otherwise the counters contradict each other.
 */
static void print_identity(const struct trace_model *model, const struct ledger *row, FILE *out)
{
	uint64_t seen = row->totals[LOSS_SEEN];
	uint64_t told = row->totals[LOSS_RECORDED] + sum_of(row, MEANS_LEFT_OUT) + sum_of(row, MEANS_LOST);
	const struct event_counter *counter = find_counter(model, row);

	(void)fprintf(out,
		      "    CPU %" PRIu32 ": %" PRIu64 " seen = %" PRIu64 " recorded + %" PRIu64 " idle + %" PRIu64
		      " own + %" PRIu64 " filtered + %" PRIu64 " lost",
		      row->cpu, seen, row->totals[LOSS_RECORDED], row->totals[LOSS_IDLE], row->totals[LOSS_OWN],
		      row->totals[LOSS_FILTERED], sum_of(row, MEANS_LOST));
	if (row->totals[LOSS_BRIEF])
		(void)fprintf(out, " + %" PRIu64 " brief", row->totals[LOSS_BRIEF]);
	if (row->totals[LOSS_RATE_LIMITED])
		(void)fprintf(out, " + %" PRIu64 " rate-limited", row->totals[LOSS_RATE_LIMITED]);
	if (row->totals[LOSS_NOT_DELIVERED])
		(void)fprintf(out, "; %" PRIu64 " more were counted by the kernel but not delivered",
			      row->totals[LOSS_NOT_DELIVERED]);
	if (row->totals[LOSS_NOT_DELIVERED] && counter)
		(void)fprintf(out, ", %" PRIu64 " of them while the CPU was idle", counter->missed_idle);
	if (told != seen && !model->window.dump) /* a dump begins between two readings of the counters */
		(void)fprintf(out, "; the counts do not add up: %" PRId64 " events are unaccounted for",
			      (int64_t)(seen - told));
	(void)fputc('\n', out);
}

/* Each cause that occurs has a column. */
static bool has_column(const struct ledgers *ledgers, uint32_t cause)
{
	return loss_row_of(cause)->meaning == MEANS_LOST && ledgers->sums.by_cause[cause];
}

static void print_lost(const struct ledgers *ledgers, const struct ledger *row, FILE *out)
{
	uint64_t wanted = row->totals[LOSS_SEEN] - sum_of(row, MEANS_LEFT_OUT);

	(void)fprintf(out, "    CPU %-4" PRIu32 " %12" PRIu64 " %12" PRIu64, row->cpu, wanted,
		      row->totals[LOSS_RECORDED]);
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (has_column(ledgers, cause))
			(void)fprintf(out, " %13" PRIu64, row->totals[cause]);
	(void)fputc('\n', out);
}

static void print_lost_heading(const struct ledgers *ledgers, uint32_t source, FILE *out)
{
	(void)fprintf(out, "  wanted of source %" PRIu32 ", and lost by cause\n", source);
	(void)fprintf(out, "    %-8s %12s %12s", "", "wanted", "recorded");
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (has_column(ledgers, cause))
			(void)fprintf(out, " %13s", loss_row_of(cause)->name);
	(void)fputc('\n', out);
}

static void print_tables(const struct trace_model *model, const struct ledgers *ledgers, FILE *out)
{
	size_t count = ledgers->rows.count;

	for (size_t first = 0, next; first < count; first = next) {
		uint32_t source = ledgers->rows.items[first].source;
		bool any = false;

		for (next = first; next < count && ledgers->rows.items[next].source == source; next++)
			any |= is_counted(&ledgers->rows.items[next]);
		if (!any)
			continue;
		(void)fprintf(out, "  events of source %" PRIu32 "\n", source);
		for (size_t i = first; i < next; i++)
			if (is_counted(&ledgers->rows.items[i]))
				print_identity(model, &ledgers->rows.items[i], out);
		print_counters(model, source, out);
		print_lost_heading(ledgers, source, out);
		for (size_t i = first; i < next; i++)
			if (is_counted(&ledgers->rows.items[i]))
				print_lost(ledgers, &ledgers->rows.items[i], out);
	}
}

static void print_cause(const struct loss_row *row, uint64_t total, FILE *out)
{
	(void)fprintf(out, "  %-16s%" PRIu64 " %s%s: %s%s%s\n", row->meaning == MEANS_NOTE ? "quality" : "lost", total,
		      row->name, row->meaning == MEANS_SKIPPED ? ", on all CPUs together" : "",
		      row->nouns ? row->nouns : "", row->nouns ? " " : "", row->text);
}

/* Losses and notes: a line each. */
static void print_causes(const struct ledgers *ledgers, FILE *out)
{
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_row_of(cause)->meaning >= MEANS_NOTE && ledgers->sums.by_cause[cause])
			print_cause(loss_row_of(cause), ledgers->sums.by_cause[cause], out);
	if (ledgers->sums.unknown)
		(void)fprintf(out, "  %-16s%" PRIu64 " for reasons that this version does not know\n",
			      "lost", ledgers->sums.unknown);
}

static void print_maps(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->maps_unavailable.count; i++) {
		const struct event_maps_unavailable *row = &model->maps_unavailable.items[i];

		(void)fprintf(out, "  %-16smappings of process %" PRIu32 " were unavailable: %s\n",
			      "quality", row->tgid, strerror((int)row->reason));
	}
}

static const char *why_unsure(uint32_t cause)
{
	static const char *const texts[] = {
		[UNSURE_SILENT] = "the kernel reported none of them",
		[UNSURE_LOST] = "some were lost",
		[UNSURE_AWAY] = "it was offline",
	};

	return cause < sizeof(texts) / sizeof(*texts) && texts[cause] ?
	       texts[cause] : "for a reason that this version does not know";
}

static void print_unsure(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->unsure.count; i++) {
		const struct event_unsure *row = &model->unsure.items[i];
		uint64_t from = row->time > model->start ? row->time - model->start : 0;
		uint64_t until = row->until > model->start ? row->until - model->start : 0;

		(void)fprintf(out,
			      "  %-16sfrom %s s to %s s records of processes of CPU %" PRIu32
			      " are missing: %s",
			      "names unsure", figure_seconds(from).text, figure_seconds(until).text, row->cpu,
			      why_unsure(row->cause));
		if (row->missing)
			(void)fprintf(out, " (%" PRIu64 " or more)", row->missing);
		(void)fputc('\n', out);
	}
}

bool info_losses(const struct trace_model *model, FILE *out)
{
	struct ledgers ledgers = {0};

	if (fill(&ledgers, model) < 0) {
		array_free(&ledgers.rows);
		info_line(out, "lost", "not enough memory to show them; --max-memory raises the limit");
		return false;
	}
	print_tables(model, &ledgers, out);
	print_causes(&ledgers, out);
	print_maps(model, out);
	print_unsure(model, out);
	if (!trace_model_lost(model))
		info_line(out, "lost", model->losses.count ? "nothing" : "the trace does not say");
	array_free(&ledgers.rows);
	return true;
}
