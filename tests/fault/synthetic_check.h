/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a synthetic recording, whatever happened to it, and reports what is left: how many of its
 * steps, whether all their records are, field by field, what the step holds, and whether their
 * modules, mappings, comms and kernel functions are known.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_decoder.h"
#include "format/trace_reader.h"
#include "tests/fault/synthetic.h"

static inline bool syn_is_stack(const struct event_decoder *decoder, uint32_t leaf,
				const uint64_t *frames, uint32_t count)
{
	size_t node_count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &node_count);

	if (nodes[leaf].depth != count)
		return false;
	for (uint32_t i = 0; i < count; i++, leaf = nodes[leaf].parent)
		if (nodes[leaf].address != frames[i])
			return false;
	return true;
}

static inline bool syn_are_stacks(const struct event_decoder *decoder, uint32_t kernel, uint32_t user,
				  const struct event_stacks *want)
{
	return syn_is_stack(decoder, kernel, want->kernel, want->kernel_count) &&
	       syn_is_stack(decoder, user, want->user, want->user_count);
}

static inline bool syn_is_task(const struct event_decoder *decoder, uint32_t number, const struct event_task *want)
{
	const struct event_task *got = event_decoder_task(decoder, number);

	return got && got->tgid == want->tgid && got->tid == want->tid && got->start == want->start &&
	       !strcmp(got->comm, want->comm);
}

static inline bool syn_is_sample(const struct event_decoder *decoder, const struct event_sample *got,
				 const struct synthetic *want)
{
	return got->time == want->sample.time && got->cpu == want->sample.cpu && got->source == want->sample.source &&
	       syn_is_task(decoder, got->task, &want->task) &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->stacks);
}

static inline bool syn_is_wait(const struct event_decoder *decoder, const struct event_wait *got,
			       const struct syn_waits *want)
{
	const struct event_wait *w = &want->wait;
	const uint64_t parts = WAIT_HAS_KERNEL | WAIT_HAS_USER | WAIT_HAS_RUN_QUEUE | WAIT_HAS_WAKER | WAIT_MOVED |
			       WAIT_USER_MISSING | WAIT_HAS_CALL | WAIT_HAS_ASKED | WAIT_HAS_OWNER |
			       WAIT_HAS_READY; /* the encoder sets these */

	return got->cpu == w->cpu && got->source == w->source && got->wait_class == w->wait_class &&
	       got->state == w->state && got->missing == w->missing && got->time == w->time &&
	       got->length == w->length &&
	       got->run_queue == w->run_queue && got->out_cpu == w->out_cpu && got->context == w->context &&
	       got->woken == w->woken && got->call == w->call && got->object == w->object && got->asked == w->asked &&
	       (got->flags & ~parts) == w->flags &&
	       syn_is_task(decoder, got->task, &want->sleeper.task) &&
	       (!w->context || syn_is_task(decoder, got->waker, &want->waker.task)) &&
	       (!w->owner || syn_is_task(decoder, got->owner, &want->waker.task)) && !w->owner == !got->owner &&
	       got->ready == w->ready && got->ready_object == w->ready_object &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->sleeper.stacks);
}

static inline bool syn_is_wake(const struct event_decoder *decoder, const struct event_wake *got,
			       const struct syn_waits *want)
{
	const struct event_wake *w = &want->wake;

	return got->cpu == w->cpu && got->source == w->source && got->context == w->context && got->time == w->time &&
	       !got->missing && syn_is_task(decoder, got->task, &want->waker.task) &&
	       syn_is_task(decoder, got->target, &want->sleeper.task) &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->waker.stacks);
}

static inline bool syn_is_user_stack(const struct event_decoder *decoder, const struct event_user_stack *got,
				     const struct syn_waits *want)
{
	const struct event_user_stack *w = &want->user_stack;

	return got->cpu == w->cpu && got->source == w->source && got->missing == w->missing && got->time == w->time &&
	       got->since == w->since && syn_is_task(decoder, got->task, &want->returner.task) &&
	       syn_are_stacks(decoder, STACK_KERNEL_ROOT, got->user, &want->returner.stacks);
}

static inline bool syn_is_sums(const struct event_decoder *decoder, const struct event_wait_sums *got,
			       const struct syn_waits *want)
{
	const struct event_wait_sums *w = &want->sums;
	bool same = got->time == w->time && got->source == w->source && got->span == w->span &&
		    got->running == w->running;

	for (uint32_t i = 0; i < WAIT_SUM_KINDS; i++)
		same = same && got->kinds[i].count == w->kinds[i].count && got->kinds[i].total == w->kinds[i].total &&
		       got->kinds[i].run_queue == w->kinds[i].run_queue;
	return same && syn_is_task(decoder, got->task, &want->sleeper.task);
}

struct syn_verdict {
	uint64_t number;
	uint32_t record; /* bit of enum syn_record */
	bool right;
	const struct synthetic *owner; /* whose stacks are in it */
};

struct syn_judge {
	struct synthetic sample;
	struct syn_waits want; /* of the step that was examined last */
};

static inline bool syn_is_event(const struct event *e)
{
	return e->kind == EVENT_SAMPLE || (e->kind >= EVENT_WAIT && e->kind <= EVENT_WAIT_SUMS);
}

static inline uint64_t syn_event_time(const struct event *e)
{
	switch (e->kind) {
	case EVENT_SAMPLE:
		return e->sample.time;
	case EVENT_WAIT:
		return e->wait.time;
	case EVENT_WAKE:
		return e->wake.time;
	case EVENT_USER_STACK:
		return e->user_stack.time;
	default:
		return e->wait_sums.time;
	}
}

static inline struct syn_verdict syn_compare(struct syn_judge *judge, const struct event_decoder *decoder,
					     const struct event *e)
{
	const struct syn_waits *want = &judge->want;
	uint64_t number = want->number;

	switch (e->kind) {
	case EVENT_SAMPLE:
		syn_make(want->number, &judge->sample);
		return (struct syn_verdict){number, SYN_SAMPLE, syn_is_sample(decoder, &e->sample, &judge->sample),
					    &judge->sample};
	case EVENT_WAIT:
		return (struct syn_verdict){number, SYN_WAIT, syn_is_wait(decoder, &e->wait, want), &want->sleeper};
	case EVENT_WAKE:
		return (struct syn_verdict){number, SYN_WAKE, syn_is_wake(decoder, &e->wake, want), &want->waker};
	case EVENT_USER_STACK:
		return (struct syn_verdict){number, SYN_USER_STACK, syn_is_user_stack(decoder, &e->user_stack, want),
					    &want->returner};
	default:
		return (struct syn_verdict){number, SYN_SUMS,
					    syn_is_sums(decoder, &e->wait_sums, want), &want->sleeper};
	}
}

/* A sample, wait ... that is not one of the first `steps` is wrong. */
static inline struct syn_verdict syn_judge(struct syn_judge *judge, const struct event_decoder *decoder,
					   const struct event *e, uint32_t steps)
{
	uint64_t number = (syn_event_time(e) - SYN_BASE) / SYN_STEP;
	struct syn_verdict verdict;

	if (number >= steps)
		return (struct syn_verdict){.number = number};
	if (!judge->want.records || number != judge->want.number)
		syn_make_waits((uint32_t)number, &judge->want);
	verdict = syn_compare(judge, decoder, e);
	verdict.right = verdict.right && judge->want.records & verdict.record;
	return verdict;
}

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
	static const uint16_t order[] = {RWK_CHUNK_STATE, RWK_CHUNK_EVENTS, RWK_CHUNK_EMBED, RWK_CHUNK_END};
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
