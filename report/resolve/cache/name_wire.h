/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The protocol between name_shelf.h, which sends requests for the cache's file, and name_desk.h,
 * which answers them: varints, NUL-terminated texts, and byte strings preceded by their length. The
 * input is hostile: the readers check that a text has its only NUL at the end, and that everything
 * is within the cursor.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_WIRE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_WIRE_H

#include "common/byte_cursor.h"
#include "report/resolve/cache/name_cache.h"

enum name_request { /* arguments -> content of the answer, besides the result */
	NAME_OPEN,	   /* make -> state, why */
	NAME_CLOSE,	   /* */
	NAME_RESET,	   /* */
	NAME_CLEAR,	   /* -> why */
	NAME_FIND,	   /* id, kind, source -> the bytes */
	NAME_FIND_ANSWER,  /* id, what, servers -> tried, checksum, path */
	NAME_CONTENTS,	   /* -> file bytes, found, none, modules, modules x (id, name, used, frames, symbols) */
	NAME_BEGIN,	   /* */
	NAME_COMMIT,	   /* */
	NAME_UNDO,	   /* */
	NAME_TOUCH,	   /* id, slack */
	NAME_PUT,	   /* id, name, kind, source, size, bytes */
	NAME_PUT_ANSWER,   /* id, what, servers, tried, checksum, path */
	NAME_FORGET,	   /* none before, found before */
	NAME_REQUESTS
};

struct name_wire {
	ARRAY(uint8_t) bytes;
	bool failed; /* out of memory: later bytes are missing */
};

void name_wire_deinit(struct name_wire *wire);

void name_wire_put(struct name_wire *wire, uint64_t number);
void name_wire_put_bytes(struct name_wire *wire, const void *bytes, size_t size); /* with their size */
void name_wire_put_text(struct name_wire *wire, const char *text);		   /* NULL: the same as "" */
void name_wire_put_id(struct name_wire *wire, const struct build_id *id);
void name_wire_put_source(struct name_wire *wire, const struct name_source *source);

/* These mark the cursor as bad on malformed input. Texts point into its bytes and are never NULL. */
const char *name_wire_text(struct byte_cursor *cursor);
void name_wire_id(struct byte_cursor *cursor, struct build_id *ret_id);
void name_wire_source(struct byte_cursor *cursor, struct name_source *ret_source);

#endif
