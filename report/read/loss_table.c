/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/loss_table.h"

#include <stddef.h>

#include "format/trace_reader.h"
#include "report/read/trace_model.h"

static const struct loss_row rows[LOSS_CAUSES] = {
	[LOSS_RING_FULL] = {MEANS_LOST, "ring-full", "the ring buffer was full", .share = SHARE_BESIDE,
			    .remedy = "rwalker-record --ringbuf-size makes more room"},
	[LOSS_NO_TASK_ENTRY] = {MEANS_LOST, "no-task-entry", "there was no room for the task's entry",
				.share = SHARE_BESIDE},
	[LOSS_RECURSION] = {MEANS_SKIPPED, "recursion",
			    "the kernel skipped the BPF program, which was already running on that CPU "
			    "(those of tracepoints are not preempted)", .share = SHARE_BESIDE},
	[LOSS_THROTTLED] = {MEANS_NOTE, "throttled", "in which the kernel throttled sampling",
			    "period", "periods"},
	[LOSS_NESTED] = {MEANS_LOST, "nested", "nested too deeply", .share = SHARE_BESIDE},
	[LOSS_SIDEBAND] = {MEANS_MISSING, "sideband",
			   "lost: some addresses may be attributed wrongly or not at all",
			   "mapping or task event", "mapping or task events"},
	[LOSS_OWN] = {MEANS_LEFT_OUT, "own", NULL},
	[LOSS_FILTERED] = {MEANS_LEFT_OUT, "filtered", NULL},
	[LOSS_IDLE] = {MEANS_LEFT_OUT, "idle", NULL},
	[LOSS_KERNEL_STACK] = {MEANS_NOTE, "kernel-stack", "without a kernel stack", "event", "events",
			       .share = SHARE_OF_RECORDED},
	[LOSS_ENCODER] = {MEANS_SKIPPED, "encoder", "refused by the encoder", .share = SHARE_BESIDE},
	[LOSS_RECORDED] = {MEANS_COUNT, "recorded", NULL},
	[LOSS_SEEN] = {MEANS_COUNT, "seen", NULL},
	[LOSS_NOT_DELIVERED] = {MEANS_NOTE, "not-delivered", "counted by the kernel but not delivered",
				"sample", "samples", true},
	[LOSS_USER_STACK] = {MEANS_NOTE, "user-stack", "without the requested user stack",
			     "event", "events", .share = SHARE_OF_RECORDED},
	[LOSS_TRUNCATED] = {MEANS_NOTE, "truncated", "with a stack cut at the depth limit",
			    "event", "events", true, SHARE_OF_RECORDED},
	[LOSS_HITS] = {MEANS_NOTE, "hits", "beyond the limit: functions there may lack embedded names",
		       "address", "addresses"},
	[LOSS_MODULES] = {MEANS_NOTE, "modules", "beyond the limit, without embedded names",
			  "mapped file", "mapped files"},
	[LOSS_FILES] = {MEANS_NOTE, "files", "not opened in time or not at all: embedded names may be missing",
			"mapped file", "mapped files", true},
	[LOSS_BRIEF] = {MEANS_LEFT_OUT, "brief", NULL},
	[LOSS_UNWRITTEN] = {MEANS_NOTE, "unwritten", "at the end could not be written", "event", "events",
			    .share = SHARE_BESIDE},
	[LOSS_RATE_LIMITED] = {MEANS_LEFT_OUT, "rate-limited", "beyond --rate-limit, only counted",
			       "hit", "hits", .share = SHARE_BESIDE,
			       .remedy = "rwalker-record --rate-limit allows more"},
	[LOSS_SNAPSHOT] = {MEANS_NOTE, "snapshot", "without a snapshot to unwind the user stack from",
			   "event", "events", .share = SHARE_OF_RECORDED},
	[LOSS_USER_ASTRAY] = {MEANS_NOTE, "user-astray", "cut where a frame pointer led outside all code",
			      "user stack", "user stacks", .share = SHARE_OF_RECORDED},
	[LOSS_USER_UNKNOWN] = {MEANS_NOTE, "user-unknown", "with the leaf only: the mappings were unknown",
			       "user stack", "user stacks", .share = SHARE_OF_RECORDED},
	[LOSS_LOOK] = {MEANS_MISSING, "look", "not reached by a look at all of them: what they wait for is not known",
		       "thread", "threads"},
};

const struct loss_row *loss_row_of(uint64_t cause)
{
	static const struct loss_row unknown = {.meaning = MEANS_UNKNOWN};

	return cause < LOSS_CAUSES ? &rows[cause] : &unknown;
}

bool loss_is_of_events(const struct loss_row *row)
{
	return row->meaning == MEANS_LOST || row->meaning == MEANS_SKIPPED || row->meaning == MEANS_UNKNOWN;
}

void loss_sums_add(struct loss_sums *sums, const struct event_loss *loss)
{
	if (loss_row_of(loss->cause)->meaning == MEANS_UNKNOWN)
		sums->unknown += loss->total;
	else
		sums->by_cause[loss->cause] += loss->total;
}

bool loss_sums_lost(const struct loss_sums *sums)
{
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_row *row = loss_row_of(cause);

		if (sums->by_cause[cause] && (loss_is_of_events(row) || row->meaning == MEANS_MISSING))
			return true;
	}
	return sums->unknown > 0;
}

/* --- whether a trace lacks anything --- */

bool trace_model_lost(const struct trace_model *model)
{
	struct loss_sums sums = {0};

	for (size_t i = 0; i < model->losses.count; i++)
		loss_sums_add(&sums, &model->losses.items[i]);
	return loss_sums_lost(&sums) || unsure_times_lack(model->unsure.items, model->unsure.count);
}

bool trace_file_lacks(const struct trace_file *file)
{
	struct trace_damage damage;
	bool lacks;

	trace_reader_damage(file->reader, &damage);
	lacks = damage.chunks || damage.bytes;
	for (size_t i = 0; i < file->model_count && !lacks; i++)
		lacks = file->sections[i].unsupported || trace_section_cut(&file->sections[i]) ||
			file->models[i].lost_ranges.count || file->models[i].malformed_chunks ||
			trace_model_lost(&file->models[i]);
	return lacks;
}
