/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which module is mapped where in every process: the current state of all address spaces while
 * mapping events are applied in time order. The recorder uses it to find the modules that were
 * hit, the reporter to resolve addresses as of the time of each sample (it replays the trace in
 * time order).
 *
 * An address space is a persistent treap (path copying, reference counts, seeded priorities): fork
 * shares it in O(1), a change is O(log n) per interval it touches and never affects the other
 * sharer. All nodes are allocated from one pool whose size is fixed at init; when it is empty a
 * change returns -ENOSPC, the space stays as it was, and the caller counts the failure. Nothing
 * recurses deeper than O(log n) expected, nothing is quadratic.
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
	uint32_t note;	       /* of the caller, 0: none */
};

struct address_spaces; /* all processes */

int address_spaces_create(size_t max_processes, size_t max_mappings, struct address_spaces **ret_spaces);
/* The most that they take, in bytes. */
size_t address_spaces_memory(size_t max_processes, size_t max_mappings);
void address_spaces_destroy(struct address_spaces *spaces);

/*
 * A new mapping replaces what it overlaps: earlier mappings are truncated, split or dropped. An
 * unknown tgid is added. An identical mapping is not a change, unless it brings a larger note.
 * -EINVAL: start is not below end.
 */
int address_spaces_map(struct address_spaces *spaces, uint32_t tgid, const struct mapping *mapping);
/* The child gets the parent's current space; an empty one if the parent is unknown. */
int address_spaces_fork(struct address_spaces *spaces, uint32_t parent_tgid, uint32_t child_tgid);
/* Empties the space: exec. */
int address_spaces_exec(struct address_spaces *spaces, uint32_t tgid);
/*
 * The number under which callers keep what a process had mapped before its exec: until execve()
 * returns, the task is where its old program made the call. No process has such a large number.
 */
static inline uint32_t address_spaces_before_exec(uint32_t tgid)
{
	return tgid | (uint32_t)1 << 31;
}
/* Forgets the process. Unknown tgids are ignored. */
void address_spaces_exit(struct address_spaces *spaces, uint32_t tgid);

/* The mapping that contains the address; false if there is none. */
bool address_spaces_find(const struct address_spaces *spaces, uint32_t tgid, uint64_t address,
			 struct mapping *ret_mapping);

/*
 * A number that identifies the content of the space: it changes with every change and is never
 * reused for different content, so results may be cached by (generation, address). Forked children
 * share it until they change. 0 if the process is unknown.
 */
uint64_t address_spaces_generation(const struct address_spaces *spaces, uint32_t tgid);

/* One mapping of a process. Anything but 0 ends the visit. */
typedef int address_spaces_visit(void *context, uint32_t tgid, const struct mapping *mapping);

/* Each mapping of each process, those of a process together and ascending. The visitor must not change the spaces. */
int address_spaces_each(const struct address_spaces *spaces, address_spaces_visit *visit, void *context);

/*
 * The state of all processes at a moment, kept while `spaces` go on. It costs one of these for each process, and the
 * nodes that change later.
 */
struct kept_process {
	uint32_t tgid, root;
};

/* Keeps all of them. Returns their number; -ENOSPC: `room` is less. */
int address_spaces_keep(struct address_spaces *spaces, struct kept_process *kept, size_t room);
void address_spaces_drop(struct address_spaces *spaces, const struct kept_process *kept, size_t count);
int address_spaces_each_kept(const struct address_spaces *spaces, const struct kept_process *kept, size_t count,
			     address_spaces_visit *visit, void *context);

struct address_spaces_usage {
	size_t processes, nodes; /* in use; a node shared by processes, or kept, counts once */
	size_t most_nodes;
	uint64_t steps;		 /* nodes visited by all changes so far: the measure of work */
};

void address_spaces_usage(const struct address_spaces *spaces, struct address_spaces_usage *ret_usage);

#endif
