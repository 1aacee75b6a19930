/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The protocol by which the child that reads a module's DWARF sends its results to the parent,
 * through a pipe. Records consist of varints and begin with their kind:
 *
 *	WIRE_TEXT    length, bytes                    the next text number, from 1 on
 *	WIRE_ANSWER  number of the address, levels,   innermost first
 *	             of each: function, file, line    texts by number, 0: not known
 *	WIRE_END     0, or the errno that stopped it  the last record
 *
 * The child reads hostile files with a library that may fail on them, so the parent trusts nothing
 * here: it checks every number, and stops at a malformed record. Records before that are kept.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_WIRE_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_WIRE_H

#include "common/hash_map.h"
#include "report/read/text_pool.h"
#include "report/resolve/dwarf/line_answers.h"

enum wire_record { WIRE_END, WIRE_TEXT, WIRE_ANSWER };

enum {
	WIRE_TEXT_MAX = 64 << 10,     /* longer ones are cut */
	WIRE_LEVELS_MAX = 512,	      /* deeper inlining is cut, outermost calls first */
	WIRE_BYTES_MAX = 256 << 20, /* of one module's answers */
	WIRE_PACKED_MAX = 1 << 20,  /* addresses of answers that are packed */
};

/* --- the child's end --- */

struct wire_text { /* texts are identified by address: equal ones may be sent twice */
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
int wire_writer_answer(struct wire_writer *writer, size_t number, const struct line_level *levels,
		       size_t count);
/* Sends the buffer, if it is worth a system call or `now` is set. */
int wire_writer_flush(struct wire_writer *writer, bool now);
int wire_writer_end(struct wire_writer *writer, int error);

/* --- the parent's --- */

/*
 * Stores all answers in `answers`, their texts in the pool. *ret_end: the child's final status;
 * -EBADMSG if it sent none. -ENOMEM.
 */
int wire_read(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *answers,
	      int *ret_end);

/* --- all answers with their addresses, for the cache of names: a count, differences of addresses, the records --- */

/* The writer's bytes, for which it needs no descriptor. Texts must not change. -E2BIG, -ENOMEM. */
int wire_pack(const struct line_answers *answers, struct wire_writer *writer);
/* -EBADMSG: malformed; -ENOMEM. Texts are stored in the pool. */
int wire_unpack(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *ret_answers);

#endif
