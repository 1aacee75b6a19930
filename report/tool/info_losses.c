/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/info_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

enum meaning {
	COUNT,	  /* part of the identity, no loss */
	LEFT_OUT, /* seen, and not wanted */
	LOST,	  /* an event that should be there: part of the identity */
	MISSING,  /* something else that should be there: loss, but no event of its own in the identity */
	NOTE,	  /* of quality */
};

static const struct {
	enum meaning meaning;
	const char *column; /* of the table */
	const char *text;
} causes[LOSS_CAUSES] = {
	[LOSS_RING_FULL] = {LOST, "ring-full", "the ring buffer was full"},
	[LOSS_NO_TASK_ENTRY] = {LOST, "no-task-entry", "there was no storage for the task"},
	[LOSS_RECURSION] = {MISSING, "recursion", "the kernel skipped the program, on all CPUs together"},
	[LOSS_THROTTLED] = {MISSING, "throttled", "periods in which the kernel throttled sampling"},
	[LOSS_NESTED] = {LOST, "nested", "there was no scratch left at this nesting level"},
	[LOSS_SIDEBAND] = {MISSING, "sideband", "records of mappings and tasks were lost: names may be wrong"},
	[LOSS_MAPS] = {NOTE, "maps", "processes whose mappings were unavailable at the start"},
	[LOSS_OWN] = {LEFT_OUT, "own", "the recorder itself"},
	[LOSS_FILTERED] = {LEFT_OUT, "filtered", "not wanted by the recorder's filters"},
	[LOSS_IDLE] = {LEFT_OUT, "idle", "the idle task"},
	[LOSS_KERNEL_STACK] = {NOTE, "kernel-stack", "recorded without their kernel stack"},
	[LOSS_ENCODER] = {MISSING, "encoder", "refused by the encoder"},
	[LOSS_RECORDED] = {COUNT, "recorded", "recorded"},
	[LOSS_SEEN] = {COUNT, "seen", "seen"},
	[LOSS_NOT_DELIVERED] = {NOTE, "not-delivered", "counted by the kernel and never seen by the program"},
	[LOSS_USER_STACK] = {NOTE, "user-stack", "recorded without the user stack that was asked for"},
	[LOSS_SNAPSHOT] = {NOTE, "snapshot", "recorded without the snapshot that was asked for"},
	[LOSS_TRUNCATED] = {NOTE, "truncated", "recorded with a stack that was cut at the depth limit"},
	[LOSS_HITS] = {NOTE, "hits", "addresses too many to keep: their functions may lack embedded names"},
	[LOSS_MODULES] = {NOTE, "modules", "mapped files too many to keep: they lack embedded names"},
	[LOSS_BRIEF] = {LEFT_OUT, "brief", "waits below the threshold, which are summed"},
	[LOSS_UNWRITTEN] = {NOTE, "unwritten", "recorded at the end, when the trace could be written no more; on all CPUs together"},
	[LOSS_RATE_LIMITED] = {LEFT_OUT, "rate-limited", "beyond --rate-limit, which are counted"},
	[LOSS_FILES] = {NOTE, "files", "mapped files that were not opened in time, or not at all: they may lack embedded names"},
};

struct ledger { /* one source and CPU */
	uint32_t source, cpu;
	uint64_t totals[LOSS_CAUSES];
};

struct ledgers {
	ARRAY(struct ledger) rows; /* by source, then CPU */
	uint64_t sums[LOSS_CAUSES];
	uint64_t unknown;
};

static int compare_losses(const void *left, const void *right)
{
	const struct event_loss *l = left, *r = right;

	if (l->source != r->source)
		return l->source < r->source ? -1 : 1;
	if (l->cpu != r->cpu)
		return l->cpu < r->cpu ? -1 : 1;
	return (l->cause > r->cause) - (l->cause < r->cause);
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
			if (array_push(&ledgers->rows, (struct ledger){.source = loss->source, .cpu = loss->cpu}) < 0)
				return -ENOMEM;
		if (loss->cause < LOSS_CAUSES && causes[loss->cause].column) {
			ledgers->rows.items[ledgers->rows.count - 1].totals[loss->cause] += loss->total;
			ledgers->sums[loss->cause] += loss->total;
		} else {
			ledgers->unknown += loss->total;
		}
	}
	return 0;
}

static uint64_t sum_of(const struct ledger *row, enum meaning meaning)
{
	uint64_t sum = 0;

	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (causes[cause].column && causes[cause].meaning == meaning)
			sum += row->totals[cause];
	return sum;
}

static bool is_counted(const struct ledger *row)
{
	return row->totals[LOSS_SEEN] || row->totals[LOSS_NOT_DELIVERED];
}

/*
 * Every event that the kernel counted was seen by the program or not delivered to it, and every one that was
 * seen is in one of the sums; or the counters contradict each other.
 */
static void print_identity(const struct ledger *row, FILE *out)
{
	uint64_t seen = row->totals[LOSS_SEEN];
	uint64_t told = row->totals[LOSS_RECORDED] + sum_of(row, LEFT_OUT) + sum_of(row, LOST);

	(void)fprintf(out,
		      "    CPU %" PRIu32 ": %" PRIu64 " seen = %" PRIu64 " recorded + %" PRIu64 " idle + %" PRIu64
		      " own + %" PRIu64 " filtered + %" PRIu64 " lost",
		      row->cpu, seen, row->totals[LOSS_RECORDED], row->totals[LOSS_IDLE], row->totals[LOSS_OWN],
		      row->totals[LOSS_FILTERED], sum_of(row, LOST));
	if (row->totals[LOSS_RATE_LIMITED])
		(void)fprintf(out, " + %" PRIu64 " rate-limited", row->totals[LOSS_RATE_LIMITED]);
	if (row->totals[LOSS_NOT_DELIVERED])
		(void)fprintf(out, "; %" PRIu64 " more were counted by the kernel and not delivered",
			      row->totals[LOSS_NOT_DELIVERED]);
	if (told != seen)
		(void)fprintf(out, "; the counts do not add up: %" PRId64 " events are unaccounted for",
			      (int64_t)(seen - told));
	(void)fputc('\n', out);
}

/* One column for each cause that occurs. */
static void print_lost(const struct ledgers *ledgers, const struct ledger *row, FILE *out)
{
	uint64_t wanted = row->totals[LOSS_SEEN] - sum_of(row, LEFT_OUT);

	(void)fprintf(out, "    CPU %-4" PRIu32 " %12" PRIu64 " %12" PRIu64, row->cpu, wanted, row->totals[LOSS_RECORDED]);
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (causes[cause].meaning == LOST && ledgers->sums[cause])
			(void)fprintf(out, " %13" PRIu64, row->totals[cause]);
	(void)fputc('\n', out);
}

static void print_lost_heading(const struct ledgers *ledgers, uint32_t source, FILE *out)
{
	(void)fprintf(out, "  wanted of source %" PRIu32 ", and lost by cause\n    %-8s %12s %12s", source, "", "wanted", "recorded");
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (causes[cause].meaning == LOST && ledgers->sums[cause])
			(void)fprintf(out, " %13s", causes[cause].column);
	(void)fputc('\n', out);
}

static void print_tables(const struct ledgers *ledgers, FILE *out)
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
				print_identity(&ledgers->rows.items[i], out);
		print_lost_heading(ledgers, source, out);
		for (size_t i = first; i < next; i++)
			if (is_counted(&ledgers->rows.items[i]))
				print_lost(ledgers, &ledgers->rows.items[i], out);
	}
}

/* What is in no table: a line each. */
static void print_others(const struct ledgers *ledgers, FILE *out)
{
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (causes[cause].column && causes[cause].meaning >= LOST && ledgers->sums[cause])
			(void)fprintf(out, "  %-16s%" PRIu64 " %s: %s\n",
				      causes[cause].meaning == NOTE ? "quality" : "lost", ledgers->sums[cause],
				      causes[cause].column, causes[cause].text);
	if (ledgers->unknown)
		(void)fprintf(out, "  %-16s%" PRIu64 " for reasons that this version does not know\n", "lost", ledgers->unknown);
}

static void print_maps(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->maps_unavailable.count; i++) {
		const struct event_maps_unavailable *row = &model->maps_unavailable.items[i];

		(void)fprintf(out, "  %-16smappings of process %" PRIu32 " were unavailable: %s\n", "quality", row->tgid,
			      strerror((int)row->reason));
	}
}

static bool any_lost(const struct ledgers *ledgers)
{
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (ledgers->sums[cause] && (causes[cause].meaning == LOST || causes[cause].meaning == MISSING))
			return true;
	return ledgers->unknown > 0;
}

bool info_losses(const struct trace_model *model, FILE *out)
{
	struct ledgers ledgers = {0};
	bool lost;

	if (fill(&ledgers, model) < 0) {
		array_free(&ledgers.rows);
		info_line(out, "lost", "there is not enough memory to tell; --max-memory raises the limit");
		return true;
	}
	print_tables(&ledgers, out);
	print_others(&ledgers, out);
	print_maps(model, out);
	lost = any_lost(&ledgers);
	if (!lost)
		info_line(out, "lost", model->losses.count ? "nothing" : "the trace does not say");
	array_free(&ledgers.rows);
	return lost;
}
