/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the events of a section refer to: a set of numbers by kind and owner, filled while the events are written, then
 * sorted and asked for ranges. It is as large as the different addresses in the stacks, not as the events.
 */
#ifndef RWALKER_REPORT_TOOL_CONDENSE_USED_H
#define RWALKER_REPORT_TOOL_CONDENSE_USED_H

#include "common/array.h"
#include "common/index_table.h"

enum used_kind {	 /* owner                        value */
	USED_MODULE = 1, /* id in the section            0 */
	USED_PAGE,	 /* id in the section            number of a page of a process in which its code was hit */
	USED_KERNEL,	 /* id in the section            offset */
	USED_CODE,	 /* module's number in the profile   link-time address */
	USED_JIT,	 /* tgid                         address in memory without a file */
	USED_PROCESS,	 /* tgid: of a user stack        0 */
	USED_BLIND,	 /* tgid: its first stack was in no mapping, though some were known   0 */
	USED_LINEAGE,	 /* tgid: of a user stack, or of an ancestor of its process   0 */
	USED_LATE,	 /* tgid                         of a mapping that was not there from the beginning: a key */
	USED_BUILD_ID,	 /* 0                            hash of the build-id of a module that was hit */
	USED_OBJECT,	 /* number in the section        0 */
};

struct used_item {
	uint64_t owner; /* kind << 32 | owner */
	uint64_t value;
};

struct condense_used {
	struct index_table table;
	ARRAY(struct used_item) items;
	bool sorted;
};

int condense_used_init(struct condense_used *used); /* 0 or -ENOMEM */
void condense_used_deinit(struct condense_used *used);
/*
 * Before the next section: what is numbered by section is forgotten. Code and build-ids stay: that section may
 * add to this one (--resolve-lines, rwalker-record --finalize). 0 or -ENOMEM.
 */
int condense_used_next(struct condense_used *used);

/* 1: it is new; 0: it was there; -ENOMEM. */
int condense_used_add(struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value);

/* Whether it is there. */
bool condense_used_has(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value);
/*
 * To be called when nothing more is added. Then the items of an owner are next to each other, by value: those from
 * `first` on, up to the end that *ret_count gives.
 */
void condense_used_sort(struct condense_used *used);
const struct used_item *condense_used_from(const struct condense_used *used, enum used_kind kind, uint32_t owner,
					   uint64_t first, size_t *ret_count);
/* Whether there is a value from `first` to `last`. */
bool condense_used_any(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t first,
		       uint64_t last);

#endif
