/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What happened to the address spaces of one section, in time order: mappings, forks, execs, exits.
 * Filled while STATE chunks are read, sorted once, then replayed along with the samples, so that
 * every address is looked up in the address space that its process had at that time.
 *
 * Mappings "from before the recording" are valid from the beginning of time, unless the process
 * forked or called exec since. An exit is applied late: a process still runs, and is sampled, after
 * its exit event, and a leader may exit long before its threads. A dead process is dropped when so
 * many others have died since that keeping it would cost memory, and only if it was not looked up
 * in the meantime.
 *
 * In the middle of an exec the address space is new, but the registers still belong to the old one.
 * So the old one is kept, too.
 */
#ifndef RWALKER_REPORT_READ_TIMELINE_H
#define RWALKER_REPORT_READ_TIMELINE_H

#include "common/address_space.h"
#include "common/array.h"
#include "common/hash_map.h"

enum timeline_kind { TIMELINE_MAP, TIMELINE_MAP_BEFORE, TIMELINE_FORK, TIMELINE_EXEC, TIMELINE_EXIT };

struct timeline_entry {
	uint64_t time;
	uint32_t order; /* position in the file, for equal times */
	uint32_t kind;	/* enum timeline_kind */
	uint32_t tgid;
	uint32_t other;		/* module of a mapping, parent of a fork */
	uint64_t start, length; /* of a mapping */
	uint64_t file_offset;
	uint32_t note; /* as in struct mapping */
};

struct timeline_process { /* state of a process at the current time of the replay */
	uint32_t tgid;
	bool renewed;	    /* fork, exec or mapping since the pending exit */
	bool used;	    /* looked up since then */
};

struct timeline {
	ARRAY(struct timeline_entry) entries;
	size_t next;
	struct address_spaces *spaces;
	struct index_table process_table;
	ARRAY(struct timeline_process) processes;
	uint32_t *dead; /* ring of processes with a pending exit */
	size_t dead_first, dead_count;
	uint64_t refused; /* changes dropped for lack of room */
};

int timeline_init(struct timeline *timeline);
void timeline_deinit(struct timeline *timeline);
/* Frees the memory of a timeline that was replayed; the counts stay. */
void timeline_release(struct timeline *timeline);

/* Sets the entry's `order`. -ENOMEM. */
int timeline_add(struct timeline *timeline, const struct timeline_entry *entry);
/* Sorts the entries and goes back to the beginning. No entries may be added afterwards. -ENOMEM. */
int timeline_rewind(struct timeline *timeline);
/* Applies all changes up to and including `time`. */
int timeline_advance(struct timeline *timeline, uint64_t time);

/* The number of the process for timeline_find(); adds it if it is unknown. -ENOMEM. */
int timeline_process(struct timeline *timeline, uint32_t tgid, uint32_t *ret_process);
/* Marks the process as alive at the current time. Returns the generation of its address space; 0: unknown. */
uint64_t timeline_touch(struct timeline *timeline, uint32_t process);
bool timeline_find(const struct timeline *timeline, uint32_t process, uint64_t address,
		   struct mapping *ret_mapping);
/* The same for the address space that the process had before its last exec. */
bool timeline_find_before_exec(const struct timeline *timeline, uint32_t process, uint64_t address,
			       struct mapping *ret_mapping);

#endif
