/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records as a table: which fields in which order, how each is coded, its limit, its name in a dump. Encoder,
 * decoder, `rwalker-report --dump` and the test that reads FORMAT.md all work from this one table.
 * A record marked `special` has coding of its own for fields marked FIELD_SPECIAL_*; they stand in the table for
 * their names and limits.
 */
#ifndef RWALKER_FORMAT_EVENT_LAYOUT_H
#define RWALKER_FORMAT_EVENT_LAYOUT_H

#include <stdbool.h>

#include "format/event.h"

enum event_field_type {
	FIELD_END = 0,
	FIELD_U32,	/* varint, at most `limit` */
	FIELD_U64,	/* varint */
	FIELD_HEX,	/* varint; an address, offset, size or mask: printed as 0x... */
	FIELD_TIME,	/* (t) */
	FIELD_TASK,	/* (z) difference to the last FIELD_TASK of the chunk; a tgid or tid */
	FIELD_PAGES,	/* varint, in units of 4096 bytes: what mappings are made of; printed as 0x... in bytes */
	FIELD_START,	/* (z) difference to the last FIELD_START of the chunk, in the same units and print */
	FIELD_TEXT,	/* (s), at most `limit` bytes */
	FIELD_BYTES,	/* (s), at most `limit` bytes; printed as hex digits */
	FIELD_COMM,	/* (s) in a char[16]; cut at a NUL */
	FIELD_SPECIAL_U32, /* in a uint32_t / uint64_t member, coded by the record's own code */
	FIELD_SPECIAL_U64,
	FIELD_SPECIAL_HEX,
	FIELD_SPECIAL_TIME,
};

struct event_field {
	const char *name;
	uint8_t type;	/* enum event_field_type */
	uint8_t offset; /* in the record's struct */
	uint32_t limit; /* greatest value or length */
};

struct event_layout {
	enum event_kind kind;
	bool special;
	const char *name;
	const struct event_field *fields; /* up to FIELD_END */
};

enum { FIELD_PAGE_SHIFT = 12 };

/* NULL for a kind that is not known. */
const struct event_layout *event_layout_find(uint64_t kind);

/* The record's own struct within the event. */
static inline void *event_record(struct event *event)
{
	return &event->meta;
}

static inline uint64_t event_field_value(const struct event_field *field, const void *record)
{
	const char *place = (const char *)record + field->offset;

	bool narrow = field->type == FIELD_U32 || field->type == FIELD_TASK || field->type == FIELD_SPECIAL_U32;

	return narrow ? *(const uint32_t *)place : *(const uint64_t *)place;
}

static inline const struct event_text *event_field_text(const struct event_field *field, const void *record)
{
	return (const struct event_text *)((const char *)record + field->offset);
}

#endif
