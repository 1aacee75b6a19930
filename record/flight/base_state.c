/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/base_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/address_space.h"
#include "common/time_units.h"
#include "format/chunk.h"
#include "format/event_decoder.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/flight/fact_store.h"
#include "record/flight/state_rules.h"
#include "record/place/ended.h"

enum {
	FACT_BYTES = 12 << 20, /* per half; pages are used as facts come */
	FACTS = 1 << 16,
	MAX_PROCESSES = 65536,
	MAX_MAPPINGS = 1 << 20,
	EXECS_KEPT = 1024, /* processes that may still be in execve() */
	YOUNG_SLOTS = 4096,
	NOTE_COPIED = 1,
};

struct execed {
	uint32_t tgid;
	uint64_t generation; /* of the address space before the exec */
	uint64_t time;
	char comm[RWK_MAX_COMM + 1];
};

/*
 * Upper bounds for how long a thread stays in execve() after it got its new address space, and in
 * exit with its old one after the record of its exit.
 */
static const uint64_t EXEC_LASTS = 10 * SECOND, EXIT_LASTS = 10 * SECOND;

struct base_state {
	struct fact_store *facts;
	struct address_spaces *spaces;
	struct event_encoder *encoder; /* for one fact: a payload with one record */
	struct event_decoder *decoder; /* for a chunk */
	struct event_decoder *fact_decoder;
	uint8_t *payload; /* the unpacked chunk */
	struct ended ended;
	struct execed *execs;
	size_t exec_count;
	uint32_t young[YOUNG_SLOTS]; /* tgids, by their low bits, of processes with one thread, as far as is known */
	uint64_t keep, now; /* now: the latest time that has left the window */
	uint64_t left_out;
};

static bool find_module(const struct base_state *base, uint32_t module, struct state_key *ret_key)
{
	const struct event event = {.kind = EVENT_MODULE, .module.id = module};
	struct fact fact;

	state_key_of(&event, ret_key);
	return fact_store_find(base->facts, ret_key->bytes, ret_key->length, &fact);
}

static bool knows_module(const struct base_state *base, uint32_t module)
{
	struct state_key key;

	return find_module(base, module, &key);
}

static bool is_removal(const struct base_state *base, const struct fact *fact)
{
	struct event event;

	event_decoder_start(base->fact_decoder, fact->bytes, fact->length);
	return event_decoder_next(base->fact_decoder, &event) > 0 && event.cgroup.flags & CGROUP_REMOVED;
}

static bool is_gone(const void *context, const struct fact *fact)
{
	const struct base_state *base = context;
	const uint64_t *key = fact->key;
	bool is_old = fact->time + base->keep < base->now;

	if (key[0] == EVENT_KERNEL_SYMBOL)
		return !knows_module(base, (uint32_t)key[1]);
	if (key[0] == EVENT_CGROUP)
		return is_old && is_removal(base, fact);
	return is_old && state_rule_of((enum event_kind)key[0]) == STATE_TOLD_AGAIN;
}

static int create_parts(struct base_state *base, unsigned int halvings)
{
	int r;

	base->payload = malloc(RWK_MAX_RAW_CHUNK);
	base->execs = calloc(EXECS_KEPT, sizeof(*base->execs));
	r = base->payload && base->execs ? 0 : -ENOMEM;
	if (r >= 0)
		r = fact_store_create(FACT_BYTES >> halvings, FACTS >> halvings, is_gone, base, &base->facts);
	if (r >= 0)
		r = address_spaces_create(MAX_PROCESSES >> halvings, MAX_MAPPINGS >> halvings, &base->spaces);
	if (r >= 0)
		r = event_encoder_create(EVENT_ENCODER_MIN_ROOM, 0, &base->encoder);
	if (r >= 0)
		r = event_decoder_create(&base->decoder);
	return r < 0 ? r : event_decoder_create(&base->fact_decoder);
}

size_t base_state_memory(void)
{
	return fact_store_memory(FACT_BYTES, FACTS) + address_spaces_memory(MAX_PROCESSES, MAX_MAPPINGS);
}

int base_state_create(uint64_t keep, unsigned int halvings, struct base_state **ret_base)
{
	struct base_state *base = calloc(1, sizeof(*base));
	int r;

	if (!base)
		return -ENOMEM;
	base->keep = keep;
	r = create_parts(base, halvings);
	if (r < 0) {
		base_state_destroy(base);
		return r;
	}
	*ret_base = base;
	return 0;
}

void base_state_destroy(struct base_state *base)
{
	if (!base)
		return;
	event_decoder_destroy(base->fact_decoder);
	event_decoder_destroy(base->decoder);
	event_encoder_destroy(base->encoder);
	address_spaces_destroy(base->spaces);
	fact_store_destroy(base->facts);
	free(base->execs);
	free(base->payload);
	free(base);
}

/* --- records leave the window --- */

static void forget_unavailable(struct base_state *base, uint32_t tgid)
{
	struct event event = {.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable.tgid = tgid};
	struct state_key key;

	state_key_of(&event, &key);
	fact_store_remove(base->facts, key.bytes, key.length);
}

static int apply_mapping(struct base_state *base, const struct event_mapping *record)
{
	struct mapping mapping = {.start = record->start, .file_offset = record->file_offset, .module = record->module,
				  .note = record->flags & MAPPING_COPIED ? NOTE_COPIED : 0};

	if (!record->length || __builtin_add_overflow(record->start, record->length, &mapping.end))
		return 0;
	return address_spaces_map(base->spaces, record->tgid, &mapping);
}

static uint32_t *young_slot(struct base_state *base, uint32_t tgid)
{
	return &base->young[tgid % YOUNG_SLOTS];
}

static int apply_fork(struct base_state *base, const struct event_fork *record)
{
	uint32_t *young = young_slot(base, record->tgid);

	if (record->tgid == record->parent_tgid) {
		*young = *young == record->tgid ? 0 : *young;
		return 0;
	}
	*young = record->tgid;
	ended_renew(&base->ended, base->spaces, record->tgid);
	return address_spaces_fork(base->spaces, record->parent_tgid, record->tgid);
}

static bool is_before_exec(uint32_t tgid)
{
	return tgid >> 31;
}

/* Whether no process with that tgid has executed a program or exited since. */
static bool is_kept(const struct base_state *base, const struct execed *exec)
{
	return exec->generation &&
	       exec->generation == address_spaces_generation(base->spaces, address_spaces_before_exec(exec->tgid));
}

static void forget_before(struct base_state *base, struct execed *exec)
{
	if (is_kept(base, exec))
		address_spaces_exit(base->spaces, address_spaces_before_exec(exec->tgid));
	exec->generation = 0;
}

static int apply_comm(struct base_state *base, const struct event_comm *record)
{
	struct execed *exec = &base->execs[base->exec_count % EXECS_KEPT];
	uint32_t before = address_spaces_before_exec(record->tgid), length = record->comm.length;
	int r;

	if (!(record->flags & COMM_EXEC))
		return 0;
	forget_unavailable(base, record->tgid);
	forget_before(base, exec);
	r = address_spaces_fork(base->spaces, record->tgid, before);
	*exec = (struct execed){.tgid = record->tgid, .time = record->time};
	exec->generation = r < 0 ? 0 : address_spaces_generation(base->spaces, before);
	memcpy(exec->comm, record->comm.bytes, length < RWK_MAX_COMM ? length : RWK_MAX_COMM);
	base->exec_count++;
	return address_spaces_exec(base->spaces, record->tgid);
}

static void apply_exit(struct base_state *base, const struct event_exit *record)
{
	if (record->tgid != record->tid)
		return;
	address_spaces_exit(base->spaces, address_spaces_before_exec(record->tgid));
	ended_add(&base->ended, base->spaces, record->tgid, *young_slot(base, record->tgid) == record->tgid,
		  record->time);
	forget_unavailable(base, record->tgid);
}

static void apply_spaces(struct base_state *base, const struct event *event)
{
	int r = 0;

	if (event->kind == EVENT_MAPPING)
		r = apply_mapping(base, &event->mapping);
	else if (event->kind == EVENT_FORK)
		r = apply_fork(base, &event->fork);
	else if (event->kind == EVENT_COMM)
		r = apply_comm(base, &event->comm);
	else
		apply_exit(base, &event->exit);
	base->left_out += r < 0;
}

/* The copy of the file header describes another section. */
static bool is_file_header(const struct event *event)
{
	static const char key[] = "file-header";

	return event->kind == EVENT_META && event->meta.key.length == sizeof(key) - 1 &&
	       !memcmp(event->meta.key.bytes, key, sizeof(key) - 1);
}

static void keep_fact(struct base_state *base, const struct event *event)
{
	struct state_key key;
	struct fact fact = {.key = key.bytes, .time = base->now};
	uint64_t first, last;

	event_encoder_reset(base->encoder);
	if (event_encode(base->encoder, event) < 0) {
		base->left_out++;
		return;
	}
	state_key_of(event, &key);
	fact.key_length = key.length;
	fact.length = (uint32_t)event_encoder_payload(base->encoder, &fact.bytes, &first, &last);
	fact_store_put(base->facts, &fact);
}

static void take_record(struct base_state *base, const struct event *event)
{
	enum state_rule rule = state_rule_of(event->kind);

	if (rule == STATE_SPACES)
		apply_spaces(base, event);
	else if (rule > STATE_DROPPED && !is_file_header(event))
		keep_fact(base, event);
}

static uint64_t time_of(const struct event *event)
{
	switch (event->kind) {
	case EVENT_MAPPING:
		return event->mapping.time;
	case EVENT_FORK:
		return event->fork.time;
	case EVENT_COMM:
		return event->comm.time;
	default:
		return event->exit.time;
	}
}

static bool is_of_spaces_before(const struct event *event, uint64_t edge)
{
	return state_rule_of(event->kind) == STATE_SPACES && time_of(event) < edge;
}

void base_state_reach(struct base_state *base, const struct state_span *span,
		      const struct event *event)
{
	if (is_of_spaces_before(event, span->since))
		apply_spaces(base, event);
}

void base_state_take(struct base_state *base, const struct rwk_chunk_header *header, const void *stored)
{
	struct event event;

	if (header->last_time > base->now)
		base->now = header->last_time;
	if (rwk_chunk_unpack(header, stored, base->payload) < 0) {
		base->left_out++;
		return;
	}
	event_decoder_start(base->decoder, base->payload, header->raw_size);
	while (event_decoder_next(base->decoder, &event) > 0)
		take_record(base, &event);
}

/* --- a dump --- */

static bool decode_fact(struct base_state *base, const struct fact *fact, struct event *ret_event)
{
	event_decoder_start(base->fact_decoder, fact->bytes, fact->length);
	return event_decoder_next(base->fact_decoder, ret_event) > 0;
}

static bool find_fact(struct base_state *base, const struct event *event, struct event *ret_known)
{
	struct state_key key;
	struct fact fact;

	state_key_of(event, &key);
	return fact_store_find(base->facts, key.bytes, key.length, &fact) && decode_fact(base, &fact, ret_known);
}

/* Totals are counted from the edge on. UNSURE spans that ended before it do not concern the dump. */
static bool is_written(const struct event *event, uint64_t edge)
{
	if (event->kind == EVENT_UNSURE)
		return event->unsure.until >= edge;
	return state_rule_of(event->kind) != STATE_TOTAL;
}

struct writing {
	struct event_log *log;
	const struct state_span *span;
	bool before_exec; /* true: only what processes had mapped before their exec; false: all the rest */
};

static int write_mapping(void *context, uint32_t tgid, const struct mapping *mapping)
{
	const struct writing *writing = context;
	struct event event = {
		.kind = EVENT_MAPPING,
		.mapping = {.time = writing->span->since, .tgid = tgid & ~address_spaces_before_exec(0),
			    .start = mapping->start, .length = mapping->end - mapping->start,
			    .file_offset = mapping->file_offset, .module = mapping->module,
			    .flags = MAPPING_INITIAL | (mapping->note == NOTE_COPIED ? MAPPING_COPIED : 0)},
	};

	if (is_before_exec(tgid) != writing->before_exec)
		return 0;
	return event_log_add(writing->log, &event);
}

static int write_exec(const struct writing *writing, const struct execed *exec)
{
	const struct event event = {
		.kind = EVENT_COMM,
		.comm = {.time = writing->span->since, .tgid = exec->tgid, .tid = exec->tgid,
			 .flags = COMM_EXEC, .comm = {exec->comm, (uint32_t)strlen(exec->comm)}},
	};

	return event_log_add(writing->log, &event);
}

/*
 * A thread in execve() still has the registers of the old program, whose addresses need the old
 * mappings. So such a process begins with those, and executes the new program at the edge.
 */
static int write_execs(struct base_state *base, struct writing *writing)
{
	int r;

	for (size_t i = 0; i < EXECS_KEPT; i++)
		if (base->execs[i].time + EXEC_LASTS < writing->span->since)
			forget_before(base, &base->execs[i]);
	writing->before_exec = true;
	r = address_spaces_each(base->spaces, write_mapping, writing);
	writing->before_exec = false;
	for (size_t i = 0; i < EXECS_KEPT && r >= 0; i++)
		if (is_kept(base, &base->execs[i]))
			r = write_exec(writing, &base->execs[i]);
	return r;
}

int base_state_write(struct base_state *base, struct event_log *log, const struct state_span *span)
{
	struct writing writing = {.log = log, .span = span};
	struct fact fact;
	struct event event;
	size_t cursor = 0;
	int r = 0;

	if (span->since > EXIT_LASTS)
		ended_bury(&base->ended, base->spaces, span->since - EXIT_LASTS);
	while (r >= 0 && fact_store_next(base->facts, &cursor, &fact)) {
		if (is_gone(base, &fact) || !decode_fact(base, &fact, &event) || !is_written(&event, span->since))
			continue;
		state_within(&event, NULL, span);
		r = event_log_add(log, &event);
	}
	if (r >= 0)
		r = write_execs(base, &writing);
	return r < 0 ? r : address_spaces_each(base->spaces, write_mapping, &writing);
}

int base_state_follow(struct base_state *base, struct event_log *log, const struct state_span *span,
		      const struct event *event)
{
	struct event within = *event, before;
	bool known = state_rule_of(event->kind) == STATE_TOTAL && find_fact(base, event, &before);

	if (is_file_header(event) || is_of_spaces_before(event, span->since))
		return 0;
	state_within(&within, known ? &before : NULL, span);
	return event_log_add(log, &within);
}

void base_state_forget(struct base_state *base, uint32_t module)
{
	struct state_key key;

	if (find_module(base, module, &key))
		fact_store_remove(base->facts, key.bytes, key.length);
}

int base_state_each_mapping(const struct base_state *base, address_spaces_visit *visit, void *context)
{
	return address_spaces_each(base->spaces, visit, context);
}

void base_state_usage(const struct base_state *base, struct base_state_usage *ret_usage)
{
	struct address_spaces_usage spaces;

	address_spaces_usage(base->spaces, &spaces);
	*ret_usage = (struct base_state_usage){
		.facts = fact_store_count(base->facts),
		.processes = spaces.processes,
		.mappings = spaces.nodes,
		.left_out = base->left_out + fact_store_left_out(base->facts),
	};
}
