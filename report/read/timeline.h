/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What happened to the address spaces of one section, in time order: mappings, forks, execs, exits. Filled while STATE
 * chunks are read, sorted once, then replayed along with the samples, so that every address is looked
 * up in the space its process had at that moment.
 *
 * Mappings "from before the recording" count from the beginning of time, unless the process was born or
 * renewed since. An exit is applied late: a process goes on to run, and to be sampled, after it is announced, and a
 * leader may go long before its threads. The dead are forgotten when so many others have died since
 * that keeping them would cost memory, and only if nobody asked for them meanwhile.
 *
 * In the middle of an exec the address space is new, but the registers are still those of the caller in the old one,
 * which is kept beside it.
 */
#ifndef RWALKER_REPORT_READ_TIMELINE_H
#define RWALKER_REPORT_READ_TIMELINE_H

#include "common/address_space.h"
#include "common/array.h"
#include "common/index_table.h"

enum timeline_kind { TIMELINE_MAP, TIMELINE_MAP_BEFORE, TIMELINE_FORK, TIMELINE_EXEC, TIMELINE_EXIT };

struct timeline_entry {
	uint64_t time;
	uint32_t order; /* in the file, for equal times */
	uint32_t kind;	/* enum timeline_kind */
	uint32_t tgid;
	uint32_t other;		/* module of a mapping, parent of a fork */
	uint64_t start, length; /* of a mapping */
	uint64_t file_offset;
};

struct timeline_process { /* where it is in its life, as far as the replay has come */
	uint32_t tgid;
	bool renewed;	    /* fork, exec or mapping since the exit that waits */
	bool used;	    /* looked up since then */
};

struct timeline {
	ARRAY(struct timeline_entry) entries;
	size_t next;
	struct address_spaces *spaces;
	struct index_table process_table;
	ARRAY(struct timeline_process) processes;
	uint32_t *dead; /* ring of processes whose exit waits */
	size_t dead_first, dead_count;
	uint64_t refused; /* changes for which there was no room */
};

int timeline_init(struct timeline *timeline);
void timeline_deinit(struct timeline *timeline);
/* Gives back the memory of a timeline that was replayed; what is counted stays. */
void timeline_release(struct timeline *timeline);

/* -ENOMEM. `order` is set here. */
int timeline_add(struct timeline *timeline, const struct timeline_entry *entry);
/* Sorts and goes back to the beginning; entries may be added no more. -ENOMEM. */
int timeline_rewind(struct timeline *timeline);
/* Applies all that happened up to and including `time`. */
int timeline_advance(struct timeline *timeline, uint64_t time);

/* The number of the process for timeline_find(); makes it known. -ENOMEM. */
int timeline_process(struct timeline *timeline, uint32_t tgid, uint32_t *ret_process);
/* Says that the process is alive at the replay's time; returns its generation, 0: nothing is known of it. */
uint64_t timeline_touch(struct timeline *timeline, uint32_t process);
bool timeline_find(const struct timeline *timeline, uint32_t process, uint64_t address, struct mapping *ret_mapping);
/* The same, in the address space that the process had before its last exec. */
bool timeline_find_before_exec(const struct timeline *timeline, uint32_t process, uint64_t address,
			       struct mapping *ret_mapping);

#endif
