/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's side of the ELF helper: one file, or JIT map, in; identity, symbols and unwind information out, batch by
 * batch, never more than was announced. A helper that dies, takes longer than 5 s or answers nonsense is replaced.
 */
#ifndef RWALKER_RECORD_SYMBOL_SOURCE_H
#define RWALKER_RECORD_SYMBOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "record/elf_helper.h"

struct nursery;
struct symbol_source;

int symbol_source_create(struct nursery *nursery, struct symbol_source **ret_source);
void symbol_source_destroy(struct symbol_source *source);

struct symbol_wish {
	enum elf_what what;
	bool unwind;	    /* ELF_SYMBOLS: the unwind information too */
	bool mini;	    /* ELF_SYMBOLS: the packed symbols of a stripped file too, where there is room for everything */
	uint64_t full_room; /* bytes: everything where it fits, ... */
	uint64_t room;	    /* ... what was hit where that fits, else nothing */
};

/*
 * hits: ascending file offsets (ELF_SYMBOLS) or addresses (ELF_PERF_MAP, ELF_JIT_LOG). 0: ret_reply->error says what the file
 * was like (-ENOSPC: there is no room), and where it is 0 the symbols follow; -ETIMEDOUT, -ECHILD: the helper is gone.
 */
int symbol_source_ask(struct symbol_source *source, const struct symbol_wish *wish, int fd, const uint64_t *hits,
		      size_t count, struct elf_reply *ret_reply);

/* The next batch, ascending; valid until the next call. 1, 0 at the end, -ETIMEDOUT, -ECHILD, -EPROTO. */
int symbol_source_next(struct symbol_source *source, const struct event_symbol **ret_symbols, size_t *ret_count);

/*
 * After all symbols: the next piece of either, within the limits of the format; its bytes are valid until the next call, its module is
 * left 0. 1, 0 at the end, or where none was asked for, -ETIMEDOUT, -ECHILD, -EPROTO.
 */
int symbol_source_next_unwind(struct symbol_source *source, struct event_embed_unwind *ret_piece);

#endif
