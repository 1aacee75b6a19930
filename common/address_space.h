/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which module lies where in every process, now: the current state of all address spaces while mapping
 * events are applied in time order. The recorder uses it to know which modules were hit, the reporter
 * to resolve addresses at the time of each sample (it replays the trace in time order).
 *
 * An address space is a persistent treap (path copying, reference counts, seeded priorities): fork shares
 * it in O(1), a change is O(log n) per interval it touches and never disturbs the other sharer. All nodes come from
 * one pool whose size is fixed at init; when it is empty a change returns -ENOSPC, the space keeps what
 * it had, and the caller counts it. Nothing recurses deeper than O(log n) expected, nothing is quadratic.
 */
#ifndef RWALKER_COMMON_ADDRESS_SPACE_H
#define RWALKER_COMMON_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end;   /* [start, end) */
	uint64_t file_offset;  /* of start, bytes */
	uint32_t module;       /* the caller's module number */
};

struct address_spaces; /* all processes */

int address_spaces_create(size_t max_processes, size_t max_mappings, struct address_spaces **ret_spaces);
void address_spaces_destroy(struct address_spaces *spaces);

/*
 * A later mapping cuts what it overlaps: earlier ones are truncated, split or dropped. A tgid not seen before is made.
 * What is there already, exactly so, is no change. -EINVAL where start is not below end.
 */
int address_spaces_map(struct address_spaces *spaces, uint32_t tgid, const struct mapping *mapping);
/* The child gets the parent's space as it is now. An unknown parent gives an empty one. */
int address_spaces_fork(struct address_spaces *spaces, uint32_t parent_tgid, uint32_t child_tgid);
/* Empties the space: exec. */
int address_spaces_exec(struct address_spaces *spaces, uint32_t tgid);
/* Forgets the process. Unknown tgids are ignored. */
void address_spaces_exit(struct address_spaces *spaces, uint32_t tgid);

/* The mapping that holds the address; false where there is none. */
bool address_spaces_find(const struct address_spaces *spaces, uint32_t tgid, uint64_t address,
			 struct mapping *ret_mapping);

/*
 * A number that names the content of the space: it changes with every change and is never reused
 * for another content, so (generation, address) may be cached. Forked children share it until they change.
 * 0 where the process is unknown.
 */
uint64_t address_spaces_generation(const struct address_spaces *spaces, uint32_t tgid);

struct address_spaces_usage {
	size_t processes, nodes; /* in use; a node shared by processes counts once */
	uint64_t steps;		 /* nodes looked at by all changes so far: the measure of work */
};

void address_spaces_usage(const struct address_spaces *spaces, struct address_spaces_usage *ret_usage);

#endif
