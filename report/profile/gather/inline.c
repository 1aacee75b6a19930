/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/inline.h"

#include <string.h>

#include "common/cleanup.h"
#include "report/profile/tables/profile_levels.h"
#include "report/resolve/module/module_lines.h"

static bool is_wanted(const struct profile *profile, const struct profile_frame *frame)
{
	if (!frame->module || frame->note)
		return false;
	return frame->kernel ? !profile->filter->user_only : !profile->filter->kernel_only;
}

/* --- addresses, module by module --- */

struct code_address {
	uint32_t module;
	uint64_t address;
};

static int compare_code(const void *left, const void *right)
{
	const struct code_address *l = left, *r = right;

	if (l->module != r->module)
		return l->module < r->module ? -1 : 1;
	return (l->address > r->address) - (l->address < r->address);
}

/* Equal addresses are adjacent. */
static int resolve_modules(struct profile *profile, const struct code_address *wanted, size_t count)
{
	size_t modules = profile->modules.items.count, asked = 0, unique = 0;
	_cleanup_free_ uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	_cleanup_free_ struct line_request *requests = calloc(modules + 1, sizeof(*requests));

	if (!addresses || !requests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		bool first = i == 0 || wanted[i].module != wanted[i - 1].module;

		if (first)
			requests[asked++] = (struct line_request){.module = wanted[i].module,
								  .addresses = addresses + unique};
		else if (wanted[i].address == wanted[i - 1].address)
			continue;
		addresses[unique++] = wanted[i].address;
		requests[asked - 1].count++;
	}
	return module_lines_resolve(&profile->modules, requests, asked);
}

static int resolve_frames(struct profile *profile)
{
	_cleanup_free_ struct code_address *wanted = calloc(profile->frames.count + 1, sizeof(*wanted));
	size_t count = 0;

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < profile->frames.count; i++) {
		const struct profile_frame *frame = &profile->frames.items[i];

		if (is_wanted(profile, frame))
			wanted[count++] = (struct code_address){
				.module = frame->module, .address = profile_frame_code(frame)};
	}
	qsort(wanted, count, sizeof(*wanted), compare_code);
	return resolve_modules(profile, wanted, count);
}

/* --- frames and nodes --- */

struct expansion { /* of a frame */
	uint32_t first, count; /* the frames inlined in it, outermost first */
};

static int expand_frames(struct profile *profile, struct expansion *expansions, bool *ret_any)
{
	size_t frames = profile->frames.count;

	*ret_any = false;
	for (size_t i = 0; i < frames; i++) {
		const struct line_level *levels;
		size_t count = profile_find_levels(profile, &profile->frames.items[i], &levels);

		expansions[i].first = (uint32_t)profile->frames.count;
		for (size_t depth = 1; depth < count; depth++) {
			struct profile_frame frame = profile->frames.items[i];

			frame.inline_depth = (uint16_t)depth;
			if (profile->frames.count >= NO_NUMBER - 1 || array_push(&profile->frames, frame) < 0)
				return -ENOMEM;
			expansions[i].count++;
			*ret_any = true;
		}
	}
	return 0;
}

static int push_node(struct profile *profile, uint32_t frame, uint32_t *node)
{
	if (profile->nodes.count >= NO_NUMBER - 1 ||
	    array_push(&profile->nodes, (struct profile_node){.parent = *node, .frame = frame}) < 0)
		return -ENOMEM;
	*node = (uint32_t)profile->nodes.count - 1;
	return 0;
}

/* A node's parent has a lower number than the node, before and after. */
static int expand_nodes(struct profile *profile, const struct expansion *expansions, uint32_t *moved)
{
	_cleanup_free_ struct profile_node *nodes = profile->nodes.items;
	size_t count = profile->nodes.count;
	int r;

	profile->nodes.items = NULL;
	profile->nodes.count = profile->nodes.capacity = 0;
	r = array_push(&profile->nodes, nodes[0]);
	for (size_t i = 1; i < count && !r; i++) {
		const struct expansion *expansion = &expansions[nodes[i].frame];

		moved[i] = moved[nodes[i].parent];
		r = push_node(profile, nodes[i].frame, &moved[i]);
		for (uint32_t k = 0; k < expansion->count && !r; k++)
			r = push_node(profile, expansion->first + k, &moved[i]);
	}
	return r;
}

static void move_all(struct profile *profile, const uint32_t *moved)
{
	for (size_t i = 0; i < profile->entries.count; i++)
		profile->entries.items[i].node = moved[profile->entries.items[i].node];
	for (size_t i = 0; i < profile->walk_tasks.count; i++)
		profile->walk_tasks.items[i].node = moved[profile->walk_tasks.items[i].node];
	for (size_t i = 0; i < profile->kept.count; i++)
		profile->kept.items[i].node = moved[profile->kept.items[i].node];
	for (size_t i = 0; i < profile->waits.count; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		wait->node = moved[wait->node];
		wait->waker_node = moved[wait->waker_node];
	}
	for (size_t i = 0; i < profile->throughout.count; i++)
		profile->throughout.items[i].node = moved[profile->throughout.items[i].node];
}

int profile_expand_inlines(struct profile *profile)
{
	_cleanup_free_ struct expansion *expansions = NULL;
	_cleanup_free_ uint32_t *moved = NULL;
	bool any = false;
	int r;

	if (profile->names.quick)
		return 0;
	expansions = calloc(profile->frames.count + 1, sizeof(*expansions));
	moved = calloc(profile->nodes.count + 1, sizeof(*moved));
	r = expansions && moved ? 0 : -ENOMEM;
	if (!r)
		r = resolve_frames(profile);
	if (!r)
		r = expand_frames(profile, expansions, &any);
	if (r < 0 || !any)
		return r;
	r = expand_nodes(profile, expansions, moved);
	if (!r)
		move_all(profile, moved);
	return r;
}
