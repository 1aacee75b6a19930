/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the events of a section refer to: a set of numbers by kind and owner. It is filled while the
 * events are written, then sorted and searched by ranges. Its size depends on the number of
 * different addresses in the stacks, not on the number of events.
 */
#ifndef RWALKER_REPORT_TOOL_CONDENSE_USED_H
#define RWALKER_REPORT_TOOL_CONDENSE_USED_H

#include "common/array.h"
#include "common/index_table.h"

enum used_kind {	 /* owner                        value */
	USED_MODULE = 1, /* id in the section            0 */
	USED_PAGE,	 /* id in the section            number of a page, in a process, in which its code was hit */
	USED_KERNEL,	 /* id in the section            offset */
	USED_CODE,	 /* module's number in the profile   address in it */
	USED_PROCESS,	 /* tgid: of a user stack        0 */
	USED_BLIND,	 /* tgid: its first stack was in no mapping, though some were known   0 */
	USED_LINEAGE,	 /* tgid: of a user stack, or of an ancestor of its process   0 */
	USED_LATE,	 /* tgid                         key of a mapping that was not there from the beginning */
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
 * Call before the next section: removes items with numbers of this section. Build-ids stay: the
 * next section may add to this one (--resolve-lines, rwalker-record --finalize). 0 or -ENOMEM.
 */
int condense_used_next(struct condense_used *used);

/* 1: it is new; 0: it was there already; -ENOMEM. */
int condense_used_add(struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value);

/* Whether the item is in the set. */
bool condense_used_has(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value);
/* Call after the last addition. From then on, the items of an owner are adjacent, sorted by value. */
void condense_used_sort(struct condense_used *used);
/* Whether there is a value from `first` to `last`, both included. */
bool condense_used_any(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t first,
		       uint64_t last);

#endif
