/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the child that reads a module's DWARF tells its parent what it found, through a pipe. Records of varints, each begins with
 * its kind:
 *
 *	WIRE_TEXT    length, bytes                    the next text number, from 1 on
 *	WIRE_ANSWER  number of the address, levels,   innermost first
 *	             of each: function, file, line    texts by number, 0: not known
 *	WIRE_END     0, or the errno that stopped it  the last record
 *
 * The child reads hostile files with a library that may fail on them, so the parent trusts nothing here: every number is
 * checked, and what is malformed ends the reading. What came before that is kept.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_WIRE_H
#define RWALKER_REPORT_RESOLVE_LINE_WIRE_H

#include "common/index_table.h"
#include "report/read/text_pool.h"
#include "report/resolve/line_answers.h"

enum wire_record { WIRE_END, WIRE_TEXT, WIRE_ANSWER };

enum {
	WIRE_TEXT_MAX = 64 << 10,     /* longer ones are cut */
	WIRE_LEVELS_MAX = 512,	      /* more calls inlined in each other are left out, the outermost first */
	WIRE_BYTES_MAX = 256 << 20, /* of one module's answers */
};

/* --- the child's end --- */

struct wire_text { /* texts are known by their address: equal ones may be sent twice */
	const char *text;
};

struct wire_writer {
	int fd;
	ARRAY(uint8_t) bytes;
	struct index_table table;
	ARRAY(struct wire_text) texts;
};

int wire_writer_init(struct wire_writer *writer, int fd);
void wire_writer_deinit(struct wire_writer *writer);
/* Texts must not change while the writer lives. -ENOMEM, -errno of writing. */
int wire_writer_answer(struct wire_writer *writer, size_t number, const struct line_level *levels, size_t count);
/* Sends what is there, where it is worth a call or `now`. */
int wire_writer_flush(struct wire_writer *writer, bool now);
int wire_writer_end(struct wire_writer *writer, int error);

/* --- the parent's --- */

/*
 * Puts all answers into `answers`, their texts into the pool. *ret_end: what the child ended with; -EBADMSG where it did
 * not say. -ENOMEM.
 */
int wire_read(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *answers, int *ret_end);

#endif
