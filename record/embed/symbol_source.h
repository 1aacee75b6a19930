/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long embedding may take: EMBED_TIME for all files together, shared by the users who own them,
 * so that one user's slow files cost nobody else's names. Files are tried in rounds: first root's,
 * for half of the time; then everybody's, for a second of each user; then the rest, first of those
 * users for whom the fewest are left. Knows no clock: all times are arguments, ns.
 */
#ifndef RWALKER_RECORD_EMBED_SYMBOL_SOURCE_H
#define RWALKER_RECORD_EMBED_SYMBOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "record/helper/elf_helper.h"

struct spawner;
struct symbol_source;

enum { EMBED_USERS = 64, /* those beyond share the last place */
       EMBED_NAME = 96 };

#define EMBED_NOBODY UINT32_MAX /* whose file it is, is not known */

struct embed_user {
	uint32_t uid;
	uint64_t spent, late; /* ns; files that were not read in time so far */
	char first[EMBED_NAME]; /* of those; cut in front */
};

enum embed_round { EMBED_ROUND_ROOT, EMBED_ROUND_USERS, EMBED_ROUND_REST, EMBED_ROUNDS };

struct embed_budget {
	uint64_t end; /* ns */
	uint32_t count;
	struct embed_user users[EMBED_USERS];
};

void embed_budget_init(struct embed_budget *budget, uint64_t now);
/* How long the next file of this user may take in this round, in ms; 0: not now. */
unsigned int embed_budget_ms(const struct embed_budget *budget, enum embed_round round, uint32_t uid, uint64_t now);
void embed_budget_spend(struct embed_budget *budget, uint32_t uid, uint64_t ns);
/* Before the last round and after it: a file of that user has not been read. */
void embed_budget_add_late(struct embed_budget *budget, uint32_t uid, const char *name);
uint64_t embed_budget_late(const struct embed_budget *budget, uint32_t uid); /* such files */
void embed_budget_forget_late(struct embed_budget *budget);
/* "37 files of user 65533 (the first: /tmp/perf-4711.map), 1 file of user 0 (...)"; empty: none. Returns text. */
const char *embed_budget_text(const struct embed_budget *budget, char *text, size_t room);

/*
 * The recorder's side of the ELF helper: one file, or JIT map, in; identity, symbols and unwind
 * information out, batch by batch, never more than was announced. A helper that dies, takes longer
 * than 5 s or answers nonsense is replaced.
 */

/* soon: somebody waits for it, so the helper has the recorder's priority. */
int symbol_source_create(struct spawner *spawner, bool soon, struct symbol_source **ret_source);
void symbol_source_destroy(struct symbol_source *source);

/* From now on, an answer that does not come until then (CLOCK_MONOTONIC ns), or for 5 s, is late. */
void symbol_source_limit(struct symbol_source *source, uint64_t until);

struct symbol_wish {
	enum elf_what what;
	enum elf_unwind_wish unwind;	    /* ELF_SYMBOLS: also the unwind information */
	/* ELF_SYMBOLS: also the packed symbols of a stripped file, if there is room for everything. */
	bool mini;
	int debug_fd;	    /* ELF_SYMBOLS: the file's possible debug file; 0 or less: none */
	uint64_t settled;   /* ELF_PERF_MAP: bytes that it had before the recording */
	uint64_t full_room; /* bytes: everything if it fits, ... */
	uint64_t room;	    /* ... what was hit if that fits, else nothing */
};

/*
 * hits: ascending file offsets (ELF_SYMBOLS) or addresses
 * (ELF_PERF_MAP). 0: ret_reply->error is the result for the file (-ENOSPC: no room), and if that is 0
 * the symbols follow; -ETIMEDOUT, -ECHILD: the helper is gone.
 */
int symbol_source_ask(struct symbol_source *source, const struct symbol_wish *wish, int fd, const uint64_t *hits,
		      size_t count, struct elf_reply *ret_reply);

/* The next batch, ascending; valid until the next call. 1; 0 at the end; -ETIMEDOUT, -ECHILD, -EPROTO. */
int symbol_source_next(struct symbol_source *source, const struct event_symbol **ret_symbols, size_t *ret_count);

/*
 * After all symbols: the next piece of a section, within the limits of the format. Its bytes are
 * valid until the next call, its module is left 0. 1; 0 at the end, or if none was requested;
 * -ETIMEDOUT, -ECHILD, -EPROTO.
 */
int symbol_source_next_unwind(struct symbol_source *source, struct event_embed_unwind *ret_piece);

#endif
