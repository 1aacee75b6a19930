/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/state_rules.h"

#include <string.h>

struct numbers {
	uint64_t a, b, c;
};

static struct numbers no_key(const struct event *event)
{
	(void)event;
	return (struct numbers){0};
}

static struct numbers source_key(const struct event *event)
{
	return (struct numbers){.a = event->source.id};
}

static struct numbers module_key(const struct event *event)
{
	return (struct numbers){.a = event->module.id};
}

static struct numbers symbol_key(const struct event *event)
{
	return (struct numbers){.a = event->kernel_symbol.module, .b = event->kernel_symbol.offset};
}

static struct numbers loss_key(const struct event *event)
{
	return (struct numbers){.a = event->loss.source, .b = event->loss.cpu, .c = event->loss.cause};
}

static struct numbers unavailable_key(const struct event *event)
{
	return (struct numbers){.a = event->maps_unavailable.tgid};
}

static struct numbers probe_key(const struct event *event)
{
	return (struct numbers){.a = event->probe.id};
}

static struct numbers hits_key(const struct event *event)
{
	return (struct numbers){.a = event->probe_hits.probe};
}

static struct numbers unsure_key(const struct event *event)
{
	return (struct numbers){.a = event->unsure.cpu};
}

static struct numbers counter_key(const struct event *event)
{
	return (struct numbers){.a = event->counter.source, .b = event->counter.cpu};
}

static struct numbers object_key(const struct event *event)
{
	return (struct numbers){.a = event->object.number};
}

static struct numbers name_key(const struct event *event)
{
	return (struct numbers){.a = event->object_name.number};
}

static struct numbers cgroup_key(const struct event *event)
{
	return (struct numbers){.a = event->cgroup.id};
}

/* --- totals --- */

static uint64_t less(uint64_t total, uint64_t before)
{
	return total > before ? total - before : 0;
}

static void loss_since(struct event *event, const struct event *before)
{
	event->loss.total = less(event->loss.total, before->loss.total);
}

static void hits_since(struct event *event, const struct event *before)
{
	struct event_probe_hits *hits = &event->probe_hits;

	hits->hits = less(hits->hits, before->probe_hits.hits);
	hits->skipped = less(hits->skipped, before->probe_hits.skipped);
	hits->missed = less(hits->missed, before->probe_hits.missed);
}

static void cost_since(struct event *event, const struct event *before)
{
	struct event_cost *cost = &event->cost;

	cost->user_ns = less(cost->user_ns, before->cost.user_ns);
	cost->system_ns = less(cost->system_ns, before->cost.system_ns);
	cost->bpf_ns = less(cost->bpf_ns, before->cost.bpf_ns);
	cost->written = less(cost->written, before->cost.written);
}

static void counter_since(struct event *event, const struct event *before)
{
	struct event_counter *counter = &event->counter;
	const struct event_counter *then = &before->counter;

	counter->counted = less(counter->counted, then->counted);
	counter->seen = less(counter->seen, then->seen);
	counter->missed = less(counter->missed, then->missed);
	counter->missed_idle = less(counter->missed_idle, then->missed_idle);
	counter->enabled = less(counter->enabled, then->enabled);
	counter->running = less(counter->running, then->running);
	counter->throttled = less(counter->throttled, then->throttled);
}

/* --- the table --- */

static const struct row {
	enum state_rule rule;
	struct numbers (*key)(const struct event *event);
	void (*since)(struct event *event, const struct event *before);
} ROWS[] = {
	[EVENT_META] = {STATE_LATEST, no_key, NULL}, /* plus the record's own key */
	[EVENT_CLOCK] = {STATE_LATEST, no_key, NULL},
	[EVENT_SOURCE] = {STATE_LATEST, source_key, NULL},
	[EVENT_MODULE] = {STATE_LATEST, module_key, NULL},
	[EVENT_MAPPING] = {STATE_SPACES, NULL, NULL},
	[EVENT_FORK] = {STATE_SPACES, NULL, NULL},
	[EVENT_COMM] = {STATE_SPACES, NULL, NULL}, /* names of tasks are in EVENTS chunks */
	[EVENT_EXIT] = {STATE_SPACES, NULL, NULL},
	[EVENT_KERNEL_SYMBOL] = {STATE_LATEST, symbol_key, NULL},
	[EVENT_LOSS] = {STATE_TOTAL, loss_key, loss_since},
	[EVENT_COST] = {STATE_TOTAL, no_key, cost_since},
	[EVENT_MAPS_UNAVAILABLE] = {STATE_LATEST, unavailable_key, NULL}, /* until its process execs or exits */
	[EVENT_PROBE] = {STATE_LATEST, probe_key, NULL},
	[EVENT_PROBE_HITS] = {STATE_TOTAL, hits_key, hits_since},
	[EVENT_UNSURE] = {STATE_LATEST, unsure_key, NULL}, /* written only if it reaches into the window */
	[EVENT_COUNTER] = {STATE_TOTAL, counter_key, counter_since},
	[EVENT_OBJECT] = {STATE_TOLD_AGAIN, object_key, NULL},
	[EVENT_CGROUP] = {STATE_LATEST, cgroup_key, NULL}, /* a removed one needs no path */
	[EVENT_WINDOW] = {STATE_DROPPED, NULL, NULL},
	[EVENT_TRIGGER] = {STATE_DROPPED, NULL, NULL},
	[EVENT_REGIME] = {STATE_LATEST, no_key, NULL}, /* each record is complete */
	[EVENT_OBJECT_NAME] = {STATE_TOLD_AGAIN, name_key, NULL},
};

static const struct row *row_of(enum event_kind kind)
{
	return (size_t)kind < sizeof(ROWS) / sizeof(ROWS[0]) && ROWS[kind].rule ? &ROWS[kind] : NULL;
}

enum state_rule state_rule_of(enum event_kind kind)
{
	const struct row *row = row_of(kind);

	return row ? row->rule : STATE_UNKNOWN;
}

void state_key_of(const struct event *event, struct state_key *ret_key)
{
	const struct row *row = row_of(event->kind);
	uint64_t head[4] = {event->kind};
	struct numbers numbers = row && row->key ? row->key(event) : (struct numbers){0};
	uint32_t length = event->kind == EVENT_META ? event->meta.key.length : 0;

	head[1] = numbers.a;
	head[2] = numbers.b;
	head[3] = numbers.c;
	if (length > STATE_KEY_MAX - sizeof(head))
		length = STATE_KEY_MAX - sizeof(head);
	memcpy(ret_key->bytes, head, sizeof(head));
	if (length)
		memcpy(ret_key->bytes + sizeof(head), event->meta.key.bytes, length);
	ret_key->length = (uint32_t)sizeof(head) + length;
}

static void source_within(struct event_source *source, const struct state_span *span)
{
	bool runs = source->stop <= source->start;

	if (source->start < span->since)
		source->start = span->since;
	if (runs)
		source->stop = span->until;
	if (source->stop < source->start)
		source->stop = source->start;
}

void state_within(struct event *event, const struct event *before, const struct state_span *span)
{
	const struct row *row = row_of(event->kind);

	if (event->kind == EVENT_SOURCE)
		source_within(&event->source, span);
	if (row && row->since && before)
		row->since(event, before);
}
