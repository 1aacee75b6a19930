/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes protobuf messages (protobuf.dev, "Encoding") into memory. It has only what profile.proto
 * needs: numbers, texts, messages within messages, and packed numbers. A message that is part of
 * another one is written first, in a buffer of its own. A buffer that could not grow stays
 * `failed`, and so does the one that it is copied into: check once, at the end.
 */
#ifndef RWALKER_REPORT_EXPORT_PPROF_PLACES_H
#define RWALKER_REPORT_EXPORT_PPROF_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/functions.h"

struct protobuf { /* zeroed: empty */
	uint8_t *bytes;
	size_t used, room;
	bool failed; /* no memory */
};

void protobuf_deinit(struct protobuf *message);
/* Empties it, but keeps the memory. */
void protobuf_clear(struct protobuf *message);

/* Writes field `field` of the message. A number 0 is not written: readers assume 0 if it is missing. */
void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *part);
void protobuf_numbers(struct protobuf *message, uint32_t field, const uint64_t *numbers, size_t count);

/*
 * The numbers of fields in profile.proto, the format of pprof (github.com/google/pprof,
 * proto/profile.proto). Mappings, locations and functions are identified by numbers from 1, texts
 * by their index in the table of texts, which begins with "".
 */

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,

	VALUE_TYPE_TYPE = 1,
	VALUE_TYPE_UNIT = 2,

	SAMPLE_LOCATION_ID = 1, /* leaf first */
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,

	LABEL_KEY = 1,
	LABEL_STR = 2,
	LABEL_NUM = 3,

	MAPPING_ID = 1,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINE_NUMBERS = 9,
	MAPPING_HAS_INLINE_FRAMES = 10,

	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4, /* innermost inlined function first */

	LINE_FUNCTION_ID = 1,
	LINE_LINE = 2,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILENAME = 4,
};

/* The table of texts of a pprof profile: each is written once, when it is first needed. */

struct pprof_texts {
	struct protobuf *out; /* of the whole profile */
	struct hash_map numbers;
	char *safe; /* room for a printable copy */
	size_t room;
};

/* `out` must outlive it; it has failed if there was no memory for a text. */
int pprof_texts_init(struct pprof_texts *texts, struct protobuf *out);
void pprof_texts_deinit(struct pprof_texts *texts);

/* The number of a text that is printable already, as all texts of the reporter itself are. */
uint64_t pprof_texts_find(struct pprof_texts *texts, const char *text);
/* The same for any bytes, which are made printable: pprof's texts must be UTF-8. */
uint64_t pprof_texts_find_unsafe(struct pprof_texts *texts, const char *text);

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
	struct hash_map known;
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
void pprof_places_write_mappings(struct pprof_places *places);

#endif
