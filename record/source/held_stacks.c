/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/held_stacks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"
#include "format/event_log.h"
#include "record/place/hits.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/source/arch_registers.h"

/* --- the table --- */

static int hold_table_init(struct hold_table *table, const struct hold_limits *limits)
{
	uint64_t wanted = (uint64_t)limits->threads * 2, count = HOLD_WAYS;

	if (wanted < limits->least)
		wanted = limits->least;
	while (count < wanted && count * 2 * limits->place <= limits->most)
		count *= 2;
	table->count = (uint32_t)count;
	table->holds = calloc(count, sizeof(*table->holds));
	return table->holds ? 0 : -ENOMEM;
}

static void hold_table_deinit(struct hold_table *table)
{
	free(table->holds);
	*table = (struct hold_table){0};
}

/* Threads of one process have tids close to each other. */
static struct hold *set_of(const struct hold_table *table, uint32_t tid)
{
	uint64_t sets = table->count / HOLD_WAYS;

	return table->holds + (hash_spread_32(tid) * sets >> 32) * HOLD_WAYS;
}

static unsigned int any_way(uint64_t out)
{
	return hash_slot(out, 32) % HOLD_WAYS;
}

/* Returns the thread's own place, or a free one, or any. */
static struct hold *place_of(const struct hold_table *table, uint32_t tid, uint64_t out)
{
	struct hold *set = set_of(table, tid), *place = set + any_way(out);

	for (struct hold *hold = set; hold < set + HOLD_WAYS; hold++) {
		if (hold->tid == tid)
			return hold;
		if (!hold->out)
			place = hold;
	}
	return place;
}

static uint32_t hold_table_put(struct hold_table *table, uint32_t tid, uint64_t out)
{
	struct hold *place = place_of(table, tid, out);

	*place = (struct hold){out, tid};
	return (uint32_t)(place - table->holds);
}

static bool hold_table_take(struct hold_table *table, uint32_t tid, uint64_t out, uint32_t *ret_place)
{
	struct hold *set = set_of(table, tid);

	for (struct hold *hold = set; hold < set + HOLD_WAYS; hold++)
		if (hold->tid == tid && hold->out == out && out) {
			hold->out = 0;
			*ret_place = (uint32_t)(hold - table->holds);
			return true;
		}
	return false;
}

/* --- user stacks until their wait ends --- */

enum { LEAST_PLACES = 16384, MOST_BYTES = 64 << 20 };

struct user_stacks {
	struct hold_table table;
	struct user_stack *places;
	uint64_t *frames; /* max_frames for each */
	uint32_t max_frames;
};

size_t user_stacks_memory(void)
{
	return MOST_BYTES;
}

int user_stacks_create(uint32_t threads, uint32_t max_frames, unsigned int halvings, struct user_stacks **ret_stacks)
{
	const size_t bytes = max_frames * sizeof(uint64_t);
	const struct hold_limits limits = {threads, LEAST_PLACES, bytes, (size_t)MOST_BYTES >> halvings};
	struct user_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	stacks->max_frames = max_frames;
	if (!hold_table_init(&stacks->table, &limits)) {
		stacks->places = calloc(stacks->table.count, sizeof(*stacks->places));
		stacks->frames = calloc(stacks->table.count, bytes); /* pages are allocated as they are used */
	}
	if (!stacks->places || !stacks->frames) {
		user_stacks_destroy(stacks);
		return -ENOMEM;
	}
	*ret_stacks = stacks;
	return 0;
}

void user_stacks_destroy(struct user_stacks *stacks)
{
	if (!stacks)
		return;
	hold_table_deinit(&stacks->table);
	free(stacks->places);
	free(stacks->frames);
	free(stacks);
}

void user_stacks_keep(struct user_stacks *stacks, const struct user_stack *stack)
{
	uint32_t at = hold_table_put(&stacks->table, stack->tid, stack->out);
	struct user_stack *place = &stacks->places[at];
	uint64_t *frames = stacks->frames + (size_t)at * stacks->max_frames;

	*place = *stack;
	if (place->count > stacks->max_frames)
		place->count = stacks->max_frames;
	if (place->top > stacks->max_frames - place->count)
		place->top = 0;
	memcpy(frames, stack->frames, (place->count + place->top) * sizeof(*frames));
	place->frames = frames;
}

bool user_stacks_take(struct user_stacks *stacks, uint32_t tid, uint64_t out, struct user_stack *ret_stack)
{
	uint32_t place;

	if (!hold_table_take(&stacks->table, tid, out, &place))
		return false;
	*ret_stack = stacks->places[place];
	return true;
}

/* --- stack memory until its wait ends --- */

static_assert((int)RING_MAX_SNAPSHOT == RWK_MAX_SNAPSHOT, "the programs' snapshots are the format's");

/* The data copied when a thread left the CPU. */
struct held_snapshot {
	struct ring_snapshot head;
	uint64_t stack[RING_MAX_HOOK_SNAPSHOT / SNAPSHOT_WORD];
};
enum { LEAST_HELD = 2048, MOST_HELD_BYTES = 128 << 20 };
#define OTHER_STACK (UINT32_C(1) << 31) /* together with a tid: a key of its own */
static_assert(offsetof(struct held_snapshot, stack) == sizeof(struct ring_snapshot),
	      "the stack follows its head, as in a ring");

size_t snapshots_memory(void)
{
	return MOST_HELD_BYTES;
}

int snapshots_init(struct snapshots *snapshots, struct recording *recording, const struct filter *filter)
{
	const struct hold_limits limits = {recording->threads, LEAST_HELD, sizeof(*snapshots->held),
					   (size_t)MOST_HELD_BYTES >> recording->halvings};

	*snapshots = (struct snapshots){.recording = recording, .filter = filter};
	snapshots->told = calloc((size_t)recording->max_cpus * RING_SLOTS, sizeof(*snapshots->told));
	snapshots->lost = calloc(recording->max_cpus, sizeof(*snapshots->lost));
	/* Pages are allocated as they are used. */
	if (!hold_table_init(&snapshots->table, &limits))
		snapshots->held = calloc(snapshots->table.count, sizeof(*snapshots->held));
	if (!snapshots->told || !snapshots->lost || !snapshots->held)
		return -ENOMEM;
	return event_log_want_snapshots(recording->log);
}

void snapshots_deinit(struct snapshots *snapshots)
{
	free(snapshots->told);
	free(snapshots->lost);
	free(snapshots->held);
	hold_table_deinit(&snapshots->table);
	snapshots->told = NULL;
	snapshots->lost = NULL;
	snapshots->held = NULL;
}

/* Cheap checks for words that cannot be code addresses: small numbers, halves of pairs, the stack itself. */
static bool may_be_code(uint64_t word, const struct snapshot *snapshot)
{
	return word >> 16 && !(word >> 56) && word - snapshot->address > (uint64_t)snapshot->count * SNAPSHOT_WORD;
}

static void mark_word(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word,
		      const struct snapshot *snapshot)
{
	uint64_t address = arch_code_address(word);

	if (may_be_code(address, snapshot))
		hits_mark_word(hits, tgid, generation, address);
}

/* Marks those of the words [first, first + 64) whose bit is not set. */
static void mark_block(struct hits *hits, uint32_t tgid, uint64_t generation,
		       const struct snapshot *snapshot, uint32_t first,
		       uint64_t known)
{
	uint32_t left = snapshot->count - first;
	uint64_t rest = ~known & (left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX);

	for (; rest; rest &= rest - 1)
		mark_word(hits, tgid, generation, snapshot->words[first + (uint32_t)__builtin_ctzll(rest)], snapshot);
}

void snapshots_mark(struct hits *hits, uint32_t tgid, const struct snapshot *snapshot, const uint64_t *known)
{
	uint64_t generation = hits_generation(hits, tgid);

	if (!generation || !hits_are_wanted(hits))
		return;
	for (uint32_t i = 0; i < snapshot->count; i += 64)
		mark_block(hits, tgid, generation, snapshot, i, known ? known[i / 64] : 0);
	for (unsigned int i = 0; i < RWK_MAX_REGISTERS; i++)
		if (snapshot->known >> i & 1)
			mark_word(hits, tgid, generation, snapshot->registers[i], snapshot);
}

int snapshots_add(struct recording *recording, const struct ring_task *task, unsigned int stack,
		  const struct snapshot *snapshot, uint32_t *ret_number)
{
	struct snapshot_owner owner = {task->tid | (stack ? OTHER_STACK : 0),
				       hits_generation(recording->hits, task->tgid)};
	struct event_log_snapshot added;
	int r = event_log_add_snapshot(recording->log, owner, snapshot, &added);

	if (r == -EINVAL)
		return r;
	r = recording_check(recording, r);
	if (r < 0)
		return r;
	snapshots_mark(recording->hits, task->tgid, snapshot, added.known);
	*ret_number = added.number;
	return 0;
}

static void keep(struct snapshots *snapshots, const struct ring_head *head, uint32_t number)
{
	struct snapshot_told *told = snapshots->told + (size_t)head->cpu * RING_SLOTS;

	memmove(told + 1, told, (RING_SLOTS - 1) * sizeof(*told));
	*told = (struct snapshot_told){.time = head->time, .source = head->source, .number = number};
}

static bool is_snapshot(const struct snapshots *snapshots, const struct ring_snapshot *raw, size_t length)
{
	return length >= sizeof(*raw) && raw->head.cpu < snapshots->recording->max_cpus &&
	       raw->size <= RING_MAX_SNAPSHOT &&
	       raw->size <= length - sizeof(*raw) && !(raw->address % SNAPSHOT_WORD);
}

static bool is_wanted(const struct snapshots *snapshots, const struct ring_task *task)
{
	char comm[RING_COMM_SIZE + 1] = "";

	memcpy(comm, task->comm, RING_COMM_SIZE);
	return filter_wants(snapshots->filter, comm);
}

/* The number of the snapshot written right before, for the same record; 0 if it is not in the log. */
static uint32_t last_told(const struct snapshots *snapshots, const struct ring_head *head)
{
	const struct snapshot_told *told = snapshots->told + (size_t)head->cpu * RING_SLOTS;

	return told->time == head->time && told->source == head->source ? told->number : 0;
}

/* Returns its number; 0 if it is not in the log. */
static uint32_t write_one(struct snapshots *snapshots, const struct ring_snapshot *raw)
{
	struct snapshot *taken = &snapshots->taken;
	uint32_t number;
	int r;

	if (!arch_registers((const uint64_t *)raw->registers, taken->registers, &taken->known))
		return 0;
	taken->time = raw->head.time;
	taken->flags = raw->flags & (SNAPSHOT_CUT | SNAPSHOT_UNMAPPED);
	taken->address = raw->address;
	taken->words = (const uint64_t *)raw->stack;
	taken->count = raw->size / SNAPSHOT_WORD;
	taken->more = raw->flags & RING_SNAPSHOT_MORE ? last_told(snapshots, &raw->head) : 0;
	r = snapshots_add(snapshots->recording, &raw->task, taken->more != 0, taken, &number);
	if (r == -EINVAL)
		snapshots->refused++;
	return r < 0 ? 0 : number;
}

static void hold(struct snapshots *snapshots, const struct ring_snapshot *raw)
{
	uint32_t place = hold_table_put(&snapshots->table, raw->task.tid, raw->head.time);

	memcpy(&snapshots->held[place], raw, sizeof(*raw) + raw->size);
}

void snapshots_take(struct snapshots *snapshots, const struct ring_head *head, size_t length)
{
	const struct ring_snapshot *raw = (const void *)head;

	if (!is_snapshot(snapshots, raw, length) ||
	    (raw->flags & RING_SNAPSHOT_BEFORE && raw->size > RING_MAX_HOOK_SNAPSHOT))
		snapshots->refused++;
	else if (raw->flags & RING_SNAPSHOT_BEFORE)
		hold(snapshots, raw);
	else if (is_wanted(snapshots, &raw->task))
		keep(snapshots, head, write_one(snapshots, raw));
}

uint32_t snapshots_before(struct snapshots *snapshots, uint32_t tid, uint64_t out, uint32_t cpu)
{
	uint32_t place;

	if (hold_table_take(&snapshots->table, tid, out, &place))
		return write_one(snapshots, &snapshots->held[place].head);
	snapshots_lack(snapshots, cpu);
	return 0;
}

void snapshots_lack(struct snapshots *snapshots, uint32_t cpu)
{
	if (cpu < snapshots->recording->max_cpus)
		snapshots->lost[cpu]++;
}

uint32_t snapshots_number(struct snapshots *snapshots, const struct ring_head *record)
{
	struct snapshot_told *told = snapshots->told + (size_t)record->cpu * RING_SLOTS;

	for (unsigned int i = 0; i < RING_SLOTS; i++) {
		uint32_t number = told[i].number;

		if (!number || told[i].time != record->time || told[i].source != record->source)
			continue;
		told[i].number = 0;
		return number;
	}
	return 0;
}
