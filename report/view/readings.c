/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/readings.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"

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

/* Its parent was read before: parents have lower numbers. */
static int read_node(struct readings *readings, struct hash_map *known, struct functions *functions, uint32_t node,
		     bool by_frame)
{
	const struct profile_node *row = &readings->nodes[node];
	uint32_t key[2], function;
	uint64_t *first;
	int r;

	if (row->frame >= readings->frame_count)
		return -EBADMSG;
	if (readings->kernel_only && !readings->frames[row->frame].kernel) {
		readings->as[node] = 0;
		return 0;
	}
	r = functions_find(functions, row->frame, &function);
	if (r < 0)
		return r;
	key[0] = readings->as[row->parent];
	key[1] = by_frame ? row->frame : function;
	r = hash_map_add(known, key, sizeof(key), node, &first);
	if (r < 0)
		return r;
	readings->as[node] = (uint32_t)*first;
	return 0;
}

int readings_read(struct readings *readings, struct functions *functions, bool by_frame)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	int r = hash_map_init(&known);

	if (r < 0)
		return r;
	for (uint32_t node = 1; !r && node < readings->count; node++)
		if (readings->as[node] == wanted)
			r = read_node(readings, &known, functions, node, by_frame);
	return r;
}
