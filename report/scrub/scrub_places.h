/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * New addresses for those of processes. A byte of a file gets the same address in every process
 * that maps it, from its module's slot and its offset in the file. So mappings of a process overlap
 * only if they show the same bytes, and nothing is left of where the kernel had put them. Memory
 * without a file, such as JIT code, keeps its order, but without the gaps; addresses in no mapping
 * are numbered. Marks stay.
 */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_PLACES_H
#define RWALKER_REPORT_SCRUB_SCRUB_PLACES_H

#include "common/address_space.h"
#include "common/array.h"
#include "common/hash_map.h"
#include "report/read/trace_model.h"

struct scrub_slot { /* of a module: some process maps bytes in [first, end) of its file */
	uint64_t first, end, base; /* base 0: none, the file is too large to be genuine */
};

struct scrub_run { /* of memory without a file, in any process: [start, end) */
	uint64_t start, end, base;
};

struct scrub_places { /* of one section */
	const struct trace_model *model;
	struct scrub_slot *slots; /* by index in model->modules */
	ARRAY(struct scrub_run) runs;
	struct hash_map astray; /* address in no mapping -> its number */
};

/* Call before the timeline is released. 0, -ENOMEM; must be deinited in any case. */
int scrub_places_init(struct scrub_places *places, const struct trace_model *model);
void scrub_places_deinit(struct scrub_places *places);

/* The new address for one in `mapping`; NULL: it is in no mapping. 0, -ENOMEM. */
int scrub_place(struct scrub_places *places, const struct mapping *mapping, uint64_t address, uint64_t *ret_address);

/* The new start of a mapping. False if it has no place: frames in it then are in no mapping. */
bool scrub_place_mapping(const struct scrub_places *places, const struct event_mapping *mapping,
			 uint64_t *ret_start);

/* The run that contains an address of a process; NULL if there is none. */
const struct scrub_run *scrub_places_run(const struct scrub_places *places, uint64_t address);

#endif
