/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Iterates over the entries of an EMBED_LINES record. A reader can be reused for any number of
 * records; its tables grow with the record and are bounded by its size. Texts point into the
 * payload.
 */
#ifndef RWALKER_FORMAT_EVENT_LINES_H
#define RWALKER_FORMAT_EVENT_LINES_H

#include "common/array.h"
#include "format/event.h"

struct event_lines { /* initially zeroed */
	struct byte_cursor record;
	uint64_t left, address;
	ARRAY(struct event_text) texts; /* [0]: not known */
	ARRAY(struct event_line_level) levels;
};

/* Starts with a record's entries. -ENOMEM. */
int event_lines_start(struct event_lines *lines, const struct event *event);
/*
 * 1: *ret_line is the next, valid until the next call; 0: end; -EBADMSG: malformed, here and on every later call;
 * -ENOMEM.
 */
int event_lines_next(struct event_lines *lines, struct event_line *ret_line);
void event_lines_deinit(struct event_lines *lines);

#endif
