/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where user stacks point: which offsets of which modules, and which run-time addresses of JIT
 * code, so that what they need can be embedded after the stop. Keeps the address spaces of all
 * processes, from mapping events. Samples are attributed when they are encoded, in time order with
 * the sideband's records. Memory is fixed; what does not fit is counted, and the reader must find
 * those symbols elsewhere.
 */
#ifndef RWALKER_RECORD_PLACE_HITS_H
#define RWALKER_RECORD_PLACE_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_spaces;
struct hits;

struct hit {               /* ordered by jit_tgid, module, offset */
	uint32_t module;   /* 0 for JIT code */
	uint32_t jit_tgid; /* of JIT code, else 0 */
	uint64_t offset;   /* in the file; JIT: the address */
};

/*
 * anonymous_module: the id under which anonymous executable memory is mapped
 * (module_table_special). wanted: false if nothing is embedded: only the address spaces are kept,
 * and nothing is marked.
 */
/* halvings: how many times the capacity is halved. */
int hits_create(uint32_t anonymous_module, bool wanted, unsigned int halvings, struct hits **ret_hits);
/* The most memory that it takes without halvings, in bytes. */
size_t hits_memory(bool turns);
void hits_destroy(struct hits *hits);

/* A mapping with a note is of a file, or perhaps not: what points there is marked as that of memory, too. */
struct address_spaces *hits_spaces(struct hits *hits);
bool hits_are_wanted(const struct hits *hits);

/*
 * The module is, or may be, memory for code made at run time, although it has a name: what points there is
 * marked by its address in the process, too. With false: from now on the id is another module's.
 */
void hits_note_made(struct hits *hits, uint32_t module, bool made);
bool hits_is_made(const struct hits *hits, uint32_t module);

/*
 * Identifies the current set of mappings of the process, 0 if unknown: what was marked for it need
 * not be marked again.
 */
uint64_t hits_generation(const struct hits *hits, uint32_t tgid);

/*
 * How many of a stack's user frames, leaf first, are code: those before the first caller that is
 * in no executable mapping of the process. The kernel follows frame pointers wherever they lead;
 * where a program uses the register for something else, what follows is memory, not calls, and
 * must not get into a trace. The leaf is where the task was, whatever its value. generation: the
 * process's, now; 0, its mappings are unknown: the leaf only.
 */
uint32_t hits_code(struct hits *hits, uint32_t tgid, uint64_t generation, const uint64_t *frames, uint32_t count);

/* Whether a word is an address behind code of the process. */
bool hits_is_code(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word);

/*
 * Marks the user frames of one sample (leaf first, run-time addresses); generation: the
 * process's, now. Addresses that are not mapped are looked up in its mappings from before its
 * exec (address_spaces_before_exec).
 */
void hits_mark(struct hits *hits, uint32_t tgid, uint64_t generation, const uint64_t *addresses, size_t count);

/* Marks one word of a snapshot, which may be a return address or a number that looks like one. */
void hits_mark_word(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word);

/* A sorted copy of all hits, valid until the next call; the caller may change it. With turns, some are in it twice. */
size_t hits_sorted(struct hits *hits, struct hit **ret_hits);
/* The order of hits, for qsort(). */
int hit_compare(const void *left, const void *right);

/*
 * For recordings that keep only their last part: hits_turn() forgets what was marked before its
 * previous call, and keeps what was marked since. hits_want_turns() allocates the memory for this.
 * -ENOMEM.
 */
int hits_want_turns(struct hits *hits);
void hits_turn(struct hits *hits);

uint64_t hits_dropped(const struct hits *hits); /* for lack of room */

#endif
