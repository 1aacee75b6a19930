/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/readings.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/index_table.h"

static const uint32_t wanted = UINT32_MAX; /* stands in `as` until the node is read */

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
	struct index_table known; /* nodes that stand for all which read the same */
	bool by_frame;
	uint32_t parent, word; /* of the node that is being read: what its parent stands for, its function or frame */
};

static void reader_deinit(struct reader *reader)
{
	index_table_deinit(&reader->known);
}

/* Of a frame that was found before, so this cannot fail. */
static uint32_t word_of(const struct reader *reader, uint32_t frame)
{
	uint32_t function = 0;

	if (reader->by_frame)
		return frame;
	(void)functions_find(reader->functions, frame, &function);
	return function;
}

static bool reads_the_same(const void *context, uint32_t number)
{
	const struct reader *reader = context;
	const struct profile_node *node = &reader->readings->nodes[number];

	return reader->readings->as[node->parent] == reader->parent && word_of(reader, node->frame) == reader->word;
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
	words[1] = reader->word = reader->by_frame ? row->frame : function;
	r = index_table_add(&reader->known, index_table_hash_words(&reader->known, words, 2), reads_the_same, reader, node,
			     &readings->as[node]);
	return r < 0 ? r : 0;
}

int readings_read(struct readings *readings, struct functions *functions, bool by_frame)
{
	_cleanup_(reader_deinit) struct reader reader = {.readings = readings, .functions = functions, .by_frame = by_frame};
	int r = index_table_init(&reader.known);

	for (uint32_t node = 1; !r && node < readings->count; node++)
		if (readings->as[node] == wanted)
			r = read_node(&reader, node);
	return r;
}
