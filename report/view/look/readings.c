/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/readings.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/index_table.h"

static const uint32_t wanted = UINT32_MAX; /* in `as` until the node is read */

int readings_init(struct readings *readings, const struct profile *profile)
{
	*readings = (struct readings){0};
	readings->nodes = profile_nodes(profile, &readings->count);
	readings->frames = profile_frames(profile, &readings->frame_count);
	readings->as = calloc(readings->count + 1, sizeof(*readings->as));
	return readings->as ? 0 : -ENOMEM;
}

void readings_deinit(struct readings *readings)
{
	free(readings->as);
	*readings = (struct readings){0};
}

int readings_want(struct readings *readings, uint32_t node)
{
	if (node >= readings->count)
		return -EBADMSG;
	while (node && readings->as[node] != wanted) {
		if (readings->nodes[node].parent >= node)
			return -EBADMSG;
		readings->as[node] = wanted;
		node = readings->nodes[node].parent;
	}
	return 0;
}

struct reader {
	struct readings *readings;
	struct functions *functions;
	struct index_table known; /* nodes that represent all with the same reading */
	struct frame_style style;
	struct hash_map frames; /* what is printed of a frame -> the first frame that prints the same */
	uint32_t *words;	/* by node: its function, or the first frame that prints the same as its own */
	uint32_t parent, word;	/* of the node being read: the reading of its parent, its word */
};

static void reader_deinit(struct reader *reader)
{
	index_table_deinit(&reader->known);
	hash_map_deinit(&reader->frames);
	free(reader->words);
}

struct frame_key { /* with addresses or offsets */
	uint64_t address, run_time_address, offset;
	const char *file;
	uint32_t function, line, note, inline_depth, kernel, caller;
};

/* The first frame that prints the same as this one: the modules of several traces may look like one. */
static int find_frame(struct reader *reader, struct profile *profile, uint32_t frame, uint32_t function,
		      uint32_t *ret_frame)
{
	const struct profile_frame *row = &reader->readings->frames[frame];
	const struct profile_symbol *symbol = profile_symbol(profile, frame);
	const struct frame_key key = {.address = row->address,
				      .run_time_address = reader->style.addresses ? row->run_time_address : 0,
				      .offset = symbol->offset,
				      .file = symbol->file,
				      .function = function,
				      .line = symbol->line,
				      .note = row->note,
				      .inline_depth = row->inline_depth,
				      .kernel = row->kernel,
				      .caller = row->caller};
	uint64_t *first;
	int r = hash_map_add(&reader->frames, &key, sizeof(key), frame, &first);

	if (r >= 0)
		*ret_frame = (uint32_t)*first;
	return r < 0 ? r : 0;
}

static bool reads_the_same(const void *context, uint32_t number)
{
	const struct reader *reader = context;
	const struct profile_node *node = &reader->readings->nodes[number];

	return reader->readings->as[node->parent] == reader->parent &&
	       reader->words[number] == reader->word;
}

/* Its parent was read before: parents have lower numbers. */
static int read_node(struct reader *reader, uint32_t node)
{
	struct readings *readings = reader->readings;
	const struct profile_node *row = &readings->nodes[node];
	uint32_t words[2], function;
	int r;

	if (row->frame >= readings->frame_count)
		return -EBADMSG;
	if (readings->kernel_only && !readings->frames[row->frame].kernel) {
		readings->as[node] = 0;
		return 0;
	}
	r = functions_find(reader->functions, row->frame, &function);
	if (r < 0)
		return r;
	words[0] = reader->parent = readings->as[row->parent];
	words[1] = function;
	if (reader->style.addresses || reader->style.offsets)
		r = find_frame(reader, functions_profile(reader->functions), row->frame, function, &words[1]);
	if (r < 0)
		return r;
	reader->words[node] = reader->word = words[1];
	r = index_table_add(&reader->known, index_table_hash_words(&reader->known, words, 2),
			    reads_the_same, reader, node, &readings->as[node]);
	return r < 0 ? r : 0;
}

int readings_read(struct readings *readings, struct functions *functions, struct frame_style style)
{
	_cleanup_(reader_deinit) struct reader reader = {.readings = readings,
							 .functions = functions,
							 .style = style};
	int r = index_table_init(&reader.known);

	if (!r)
		r = hash_map_init(&reader.frames);
	reader.words = calloc(readings->count + 1, sizeof(*reader.words));
	if (!reader.words)
		r = -ENOMEM;
	for (uint32_t node = 1; !r && node < readings->count; node++)
		if (readings->as[node] == wanted)
			r = read_node(&reader, node);
	return r;
}
