/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where user stacks point: which offsets of which modules, and which run-time addresses of JIT code, so that what
 * they need can be embedded after the stop. Keeps the address spaces of all processes as mapping events tell them; samples
 * are attributed as they are encoded, in time order with the sideband's records. Memory is fixed; what does
 * not fit is counted, and those modules' symbols are looked up by the reader elsewhere.
 */
#ifndef RWALKER_RECORD_HITS_H
#define RWALKER_RECORD_HITS_H

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
 * anonymous_module: the number under which anonymous executable memory is mapped (module_table_special). wanted: false where
 * nothing is embedded: only the address spaces are kept, and nothing is marked.
 */
int hits_create(uint32_t anonymous_module, bool wanted, struct hits **ret_hits);
void hits_destroy(struct hits *hits);

struct address_spaces *hits_spaces(struct hits *hits);
bool hits_are_wanted(const struct hits *hits);

/* Names the mappings that the process has now, 0 where it is unknown: what was marked for it need not be marked again. */
uint64_t hits_generation(const struct hits *hits, uint32_t tgid);

/* Marks the user frames of one sample (leaf first, run-time addresses); generation: the process's, now. */
void hits_mark(struct hits *hits, uint32_t tgid, uint64_t generation, const uint64_t *addresses, size_t count);

/* Marks one word of a snapshot, which may be a return address or a number like one. */
void hits_mark_word(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word);

/* A copy of all hits, sorted, to be changed at will; valid until the next call. */
size_t hits_sorted(struct hits *hits, struct hit **ret_hits);
/* Their order, for qsort(). */
int hit_compare(const void *left, const void *right);

uint64_t hits_dropped(const struct hits *hits); /* for lack of room */

#endif
