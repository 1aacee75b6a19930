/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/snapshots.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_log.h"
#include "record/arch_registers.h"
#include "record/filter.h"
#include "record/hits.h"
#include "record/recording.h"

static_assert((int)RING_MAX_SNAPSHOT == RWK_MAX_SNAPSHOT && (int)RING_SNAPSHOT_CUT == SNAPSHOT_CUT &&
		      (int)RING_SNAPSHOT_UNMAPPED == SNAPSHOT_UNMAPPED,
	      "the programs' snapshots are the format's");

int snapshots_init(struct snapshots *snapshots, struct recording *recording, const struct filter *filter)
{
	*snapshots = (struct snapshots){.recording = recording, .filter = filter};
	snapshots->told = calloc((size_t)recording->max_cpus * RING_NEST_LEVELS, sizeof(*snapshots->told));
	return snapshots->told ? event_log_want_snapshots(recording->log) : -ENOMEM;
}

void snapshots_deinit(struct snapshots *snapshots)
{
	free(snapshots->told);
	snapshots->told = NULL;
}

/* What it costs nothing to tell that it is no address of code: small numbers, halves of pairs, the stack itself. */
static bool may_be_code(uint64_t word, const struct snapshot *snapshot)
{
	return word >> 16 && !(word >> 56) && word - snapshot->address > (uint64_t)snapshot->count * SNAPSHOT_WORD;
}

/* Every word that points into code may be a return address: its module is needed to unwind, and its function to name. */
static void mark(struct recording *recording, const struct ring_task *task, const struct snapshot *snapshot)
{
	uint64_t generation = hits_generation(recording->hits, task->tgid);

	for (uint32_t i = 0; generation && i < snapshot->count; i++)
		if (may_be_code(snapshot->words[i], snapshot))
			hits_mark_word(recording->hits, task->tgid, generation, snapshot->words[i]);
	for (unsigned int i = 0; generation && i < RWK_MAX_REGISTERS; i++)
		if (snapshot->known >> i & 1 && may_be_code(snapshot->registers[i], snapshot))
			hits_mark_word(recording->hits, task->tgid, generation, snapshot->registers[i]);
}

static void keep(struct snapshots *snapshots, const struct ring_head *head, uint32_t number)
{
	struct snapshot_told *told = snapshots->told + (size_t)head->cpu * RING_NEST_LEVELS;

	memmove(told + 1, told, (RING_NEST_LEVELS - 1) * sizeof(*told));
	*told = (struct snapshot_told){.time = head->time, .source = head->source, .number = number};
}

static bool is_snapshot(const struct snapshots *snapshots, const struct ring_snapshot *raw, size_t length)
{
	return length >= sizeof(*raw) && raw->head.cpu < snapshots->recording->max_cpus && raw->size <= RING_MAX_SNAPSHOT &&
	       raw->size <= length - sizeof(*raw) && !(raw->address % SNAPSHOT_WORD);
}

void snapshots_take(struct snapshots *snapshots, const struct ring_head *head, size_t length)
{
	const struct ring_snapshot *raw = (const void *)head;
	struct recording *recording = snapshots->recording;
	struct snapshot *taken = &snapshots->taken;
	char comm[RING_COMM_SIZE + 1] = "";
	uint32_t number;
	int r;

	if (!is_snapshot(snapshots, raw, length)) {
		snapshots->refused++;
		return;
	}
	memcpy(comm, raw->task.comm, RING_COMM_SIZE);
	if (!filter_wants(snapshots->filter, comm) ||
	    !arch_registers((const uint64_t *)raw->registers, taken->registers, &taken->known))
		return;
	taken->time = head->time;
	taken->flags = raw->flags;
	taken->address = raw->address;
	taken->words = (const uint64_t *)raw->stack;
	taken->count = raw->size / SNAPSHOT_WORD;
	r = event_log_add_snapshot(recording->log, raw->task.tid, taken, &number);
	if (r == -EINVAL) {
		snapshots->refused++;
		return;
	}
	if (recording_check(recording, r) < 0)
		return;
	mark(recording, &raw->task, taken);
	keep(snapshots, head, number);
}

uint32_t snapshots_number(struct snapshots *snapshots, const struct ring_head *record)
{
	struct snapshot_told *told = snapshots->told + (size_t)record->cpu * RING_NEST_LEVELS;

	for (unsigned int i = 0; i < RING_NEST_LEVELS; i++) {
		uint32_t number = told[i].number;

		if (!number || told[i].time != record->time || told[i].source != record->source)
			continue;
		told[i].number = 0;
		return number;
	}
	return 0;
}
