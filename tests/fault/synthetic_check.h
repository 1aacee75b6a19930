/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a synthetic recording, whatever happened to it, and reports what is left: how many of its steps, whether all
 * their records are unchanged, and whether their modules, mappings, comms and kernel functions are known.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/trace_reader.h"
#include "tests/fault/synthetic_add.h"
#include "tests/fault/synthetic_judge.h"

enum { SYN_MAX = 8192 }; /* steps */

struct syn_found {
	int error; /* of trace_reader_create */
	size_t chunks, sections, closed;
	size_t steps, split, again; /* with all of their records, with some, with all more than once */
	size_t wrong, unnamed;	    /* records; wrong: never written, or present twice */
	size_t malformed;
	uint32_t end_reason;
	struct trace_damage damage;
};

struct syn_checker {
	struct event_decoder *decoder;
	uint8_t *payload;
	struct syn_found *found;
	struct syn_judge judge;
	uint8_t module[SYN_MAX], mapping[SYN_MAX], comm[SYN_MAX], function[SYN_MAX];
	uint8_t read[SYN_MAX], seen[SYN_MAX]; /* read: bits of enum syn_record, of a step that is not complete */
};

static inline bool syn_is_faultless(const struct syn_found *found)
{
	return !found->error && !found->wrong && !found->unnamed && !found->malformed && !found->split && !found->again;
}

static inline void syn_note_state(struct syn_checker *c, const struct event *e)
{
	if (e->kind == EVENT_MODULE && e->module.id < SYN_MAX && e->module.path.length)
		c->module[e->module.id] = 1;
	else if (e->kind == EVENT_MAPPING && e->mapping.module < SYN_MAX &&
		 e->mapping.start == syn_start(e->mapping.module))
		c->mapping[e->mapping.module] = 1;
	else if (e->kind == EVENT_COMM && e->comm.tgid - 100 < SYN_MAX)
		c->comm[e->comm.tgid - 100] = 1;
	else if (e->kind == EVENT_KERNEL_SYMBOL && e->kernel_symbol.offset / 0x100 < SYN_MAX)
		c->function[e->kernel_symbol.offset / 0x100] = 1;
}

static inline bool syn_is_named(const struct syn_checker *c, const struct synthetic *s)
{
	bool named = c->comm[s->process] && c->module[SYN_KERNEL];

	for (uint32_t which = 0; which < 2; which++)
		named = named && c->module[syn_module(s->process, which)] && c->mapping[syn_module(s->process, which)];
	for (uint32_t i = 0; i < s->stacks.kernel_count; i++)
		named = named && c->function[(uint32_t)s->kernel[i] / 0x100];
	return named;
}

/* Adds a record of the step. It must not be there yet, unless the whole step is. */
static inline void syn_check_event(struct syn_checker *c, const struct event *e)
{
	struct syn_verdict verdict = syn_judge(&c->judge, c->decoder, e, SYN_MAX);
	uint64_t number = verdict.number;

	if (!verdict.right || c->read[number] & verdict.record) {
		c->found->wrong++;
		return;
	}
	c->found->unnamed += !syn_is_named(c, verdict.owner);
	c->read[number] |= (uint8_t)verdict.record;
	if (c->read[number] != c->judge.want.records)
		return;
	c->found->steps++;
	c->found->again += c->seen[number];
	c->seen[number] = 1;
	c->read[number] = 0;
}

static inline void syn_check_chunks(struct syn_checker *c, struct trace_reader *reader, uint16_t type)
{
	const struct trace_chunk *chunks;
	size_t count = trace_reader_chunks(reader, &chunks);
	struct event event;
	int r;

	for (size_t i = 0; i < count; i++) {
		if (chunks[i].header.type != type || trace_reader_load(reader, &chunks[i], c->payload) < 0)
			continue;
		if (type == RWK_CHUNK_INDEX) /* no records in it */
			continue;
		event_decoder_start(c->decoder, c->payload, chunks[i].header.raw_size);
		while ((r = event_decoder_next(c->decoder, &event)) == 1)
			if (syn_is_event(&event))
				syn_check_event(c, &event);
			else
				syn_note_state(c, &event);
		c->found->malformed += r < 0;
	}
}

static inline void syn_check_trace(struct syn_checker *c, struct trace_reader *reader)
{
	static const uint16_t order[] = {RWK_CHUNK_STATE, RWK_CHUNK_EVENTS, RWK_CHUNK_EMBED,
					 RWK_CHUNK_INDEX, RWK_CHUNK_END};
	struct syn_found *found = c->found;
	const struct trace_section *sections;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		syn_check_chunks(c, reader, order[i]);
	for (size_t i = 0; i < SYN_MAX; i++)
		found->split += c->read[i] != 0;
	found->sections = trace_reader_sections(reader, &sections);
	for (size_t i = 0; i < found->sections; i++) {
		found->closed += sections[i].closed;
		found->end_reason = sections[i].end_reason;
	}
	trace_reader_damage(reader, &found->damage);
}

static inline void syn_check(const struct trace_io *io, int fd, struct syn_found *ret_found)
{
	struct syn_checker *c = calloc(1, sizeof(*c));
	struct trace_reader *reader = NULL;
	const struct trace_chunk *chunks;
	size_t room = 1;

	*ret_found = (struct syn_found){.error = c ? trace_reader_create(io, fd, &reader) : -ENOMEM};
	if (!ret_found->error)
		ret_found->error = event_decoder_create(&c->decoder);
	if (!ret_found->error)
		ret_found->chunks = trace_reader_chunks(reader, &chunks);
	for (size_t i = 0; i < ret_found->chunks; i++)
		room = chunks[i].header.raw_size > room ? chunks[i].header.raw_size : room;
	if (!ret_found->error && (c->payload = malloc(room))) {
		c->found = ret_found;
		syn_check_trace(c, reader);
	}
	if (c)
		event_decoder_destroy(c->decoder), free(c->payload);
	trace_reader_destroy(reader);
	free(c);
}
