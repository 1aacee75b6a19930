/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/chain.h"

int chain_read(struct chain *chain, const struct profile *profile, uint32_t node)
{
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	size_t node_count, frame_count;

	nodes = profile_nodes(profile, &node_count);
	frames = profile_frames(profile, &frame_count);
	chain->frames.count = chain->kernel_count = 0;
	while (node) {
		uint32_t frame;

		if (node >= node_count || nodes[node].parent >= node)
			return -EBADMSG;
		frame = nodes[node].frame;
		if (frame >= frame_count)
			return -EBADMSG;
		if (frames[frame].kernel && chain->kernel_count == chain->frames.count)
			chain->kernel_count++;
		if (array_push(&chain->frames, frame) < 0)
			return -ENOMEM;
		node = nodes[node].parent;
	}
	return 0;
}

void chain_deinit(struct chain *chain)
{
	array_free(&chain->frames);
}
