/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records as a table: which fields in which order, and the coding, limit, and dump name of
 * each. Encoder, decoder, `rwalker-report --dump` and the test that reads FORMAT.md all work from
 * this one table. A record marked `special` has its own encoding function, because it refers to
 * tasks or stacks of its chunk, or because a list follows its fields.
 */
#ifndef RWALKER_FORMAT_EVENT_LAYOUT_H
#define RWALKER_FORMAT_EVENT_LAYOUT_H

#include <stdbool.h>

#include "format/event.h"

enum event_field_type {
	FIELD_END = 0,
	/* in a uint64_t: */
	FIELD_U64,	/* varint */
	FIELD_HEX,	/* varint; an address, offset, size or mask: printed as 0x... */
	FIELD_TIME,	/* (t) */
	FIELD_CLOCK,	/* the time of a sample, wait ... of the record's cpu (FORMAT.md §2.3) */
	FIELD_LENGTH,	/* of a wait: ns, or the wait of its cpu that ended when it began (FORMAT.md §2.3) */
	FIELD_PAGES,	/* varint, in units of 4096 bytes: for mappings; printed as 0x... in bytes */
	FIELD_START,	/* (z) difference to the last FIELD_START of the chunk and kind, same units and format */
	/* in a uint32_t: */
	FIELD_OF_TASK,	/* varint: the number of a TASK of the chunk; 0: none */
	FIELD_TASK,	/* (z) difference to the last FIELD_TASK of the chunk and kind; a tgid or tid */
	FIELD_KERNEL,	/* a stack: its leaf node */
	FIELD_USER,
	FIELD_U32,	/* varint, at most `limit` */
	/* others: */
	FIELD_TEXT,	/* (s), at most `limit` bytes */
	FIELD_BYTES,	/* (s), at most `limit` bytes; printed as hex digits */
	FIELD_COMM,	/* (s) in a char[16]; cut at a NUL */
};

struct event_field {
	const char *name;
	uint8_t type; /* enum event_field_type */
	uint16_t offset; /* in the record's struct */
	uint32_t limit; /* greatest value or length */
	uint32_t only;	/* the field is present only if one of these bits is set in the record's flags; 0: always */
};

struct event_layout {
	enum event_kind kind;
	bool special;
	const char *name;
	const struct event_field *fields; /* `count`, then FIELD_END */
	uint8_t count;
	uint8_t clock;	    /* 0, or number of the kind among those with a FIELD_CLOCK, from 1 to EVENT_CLOCKS */
	uint8_t cpu, flags; /* offsets of these members, for fields that need them */
};

enum { FIELD_PAGE_SHIFT = 12, EVENT_CLOCKS = 4 };

/* NULL for an unknown kind. */
const struct event_layout *event_layout_find(uint64_t kind);

/* The record's own struct within the event. */
static inline void *event_record(struct event *event)
{
	return &event->meta;
}

static inline uint64_t event_field_value(const struct event_field *field, const void *record)
{
	const char *place = (const char *)record + field->offset;

	return field->type >= FIELD_OF_TASK ? *(const uint32_t *)place : *(const uint64_t *)place;
}

/* Whether the record has the field. The record's flags must be known; they precede any field that depends on them. */
static inline bool event_field_present(const struct event_layout *layout, const struct event_field *field,
				       const void *record)
{
	return !field->only || (*(const uint64_t *)((const char *)record + layout->flags) & field->only);
}

static inline uint32_t event_record_cpu(const struct event_layout *layout, const void *record)
{
	return *(const uint32_t *)((const char *)record + layout->cpu);
}

/* Of the record's CPU and kind, among EVENT_CLOCKS of each CPU. */
static inline size_t event_record_clock(const struct event_layout *layout, const void *record)
{
	return (size_t)event_record_cpu(layout, record) * EVENT_CLOCKS + layout->clock - 1;
}

static inline const struct event_text *event_field_text(const struct event_field *field, const void *record)
{
	return (const struct event_text *)((const char *)record + field->offset);
}

#endif
