/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Call chains as pprof has them. In pprof, a location is an address with all functions at that
 * address: the innermost inlined one first, the real one last. In a profile, each of them is a
 * frame of its own. So a place is a frame and the place in which it is inlined. It becomes a
 * location when it is the innermost of a chain.
 *
 *	chain, leaf first:  memcpy (inlined) ─ copy (inlined) ─ work │ main
 *	places:             memcpy in copy in work                   │ main
 *
 * Code without a name becomes a location without a function, so that others can look up the name by
 * the build-id of the module. If the module has no file, the location gets a function with the name
 * that reports use.
 */
#ifndef RWALKER_REPORT_VIEW_PPROF_PPROF_PLACES_H
#define RWALKER_REPORT_VIEW_PPROF_PPROF_PLACES_H

#include "common/array.h"
#include "common/index_table.h"
#include "report/view/look/functions.h"
#include "report/view/pprof/pprof_texts.h"

struct pprof_place {
	uint32_t frame, outer; /* outer: number of a place plus 1, or 0 */
	bool written;	       /* as a location, whose number is that of the place plus 1 */
};

struct pprof_mapping {
	uint64_t limit; /* 0: not used */
	bool functions, lines;
	uint64_t weight, weighed; /* weighed: the number of the last chain that it was in */
};

struct pprof_places {
	struct profile *profile;
	struct functions *functions;
	struct pprof_texts *texts;
	struct protobuf *out, location, line;
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	const struct profile_module *modules;
	size_t node_count, frame_count, module_count;
	bool *wanted;	   /* by node */
	uint32_t *of_node; /* by node: number of its place plus 1 */
	ARRAY(struct pprof_place) places;
	struct index_table known;
	struct hash_map written; /* functions: name and file */
	struct pprof_mapping *mappings; /* by module */
	ARRAY(uint64_t) chain;
	uint64_t weighed; /* chains */
	uint64_t nothing; /* the location of an empty chain; 0: not written yet */
};

/* `none`: the name of an empty chain. All arguments must outlive `places`. 0, -ENOMEM. */
int pprof_places_init(struct pprof_places *places, struct profile *profile, struct pprof_texts *texts,
		      const char *none);
void pprof_places_deinit(struct pprof_places *places);

/* First want all chains, then find them, then write them. -EBADMSG: the node is not in the profile. */
int pprof_places_want(struct pprof_places *places, uint32_t node);
int pprof_places_find(struct pprof_places *places);
/* The locations of a chain are in places->chain, leaf first, until the next one. */
int pprof_places_write(struct pprof_places *places, uint32_t node);

/* Adds a chain's weight to all modules in it. */
void pprof_places_weigh(struct pprof_places *places, uint32_t node, uint64_t weight);

/*
 * Writes the mappings of all locations, at the end. pprof takes the first one for the program, so that is the one with
 * the most weight that is no library.
 */
int pprof_places_write_mappings(struct pprof_places *places);

#endif
