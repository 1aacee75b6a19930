/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile_inline.h"

#include <string.h>

#include "common/cleanup.h"
#include "report/profile_account_lines.h"
#include "report/profile_waits.h"
#include "report/resolve/line_child.h"
#include "report/resolve/module_lines.h"

/* The byte of the code that the frame is at: a return address is behind the call. */
static uint64_t address_of(const struct profile_frame *frame)
{
	return frame->caller && frame->address ? frame->address - 1 : frame->address;
}

static bool is_wanted(const struct profile *profile, const struct profile_frame *frame)
{
	if (!frame->module || frame->note)
		return false;
	return frame->kernel ? !profile->filter->user_only : !profile->filter->kernel_only;
}

/* --- addresses, module by module --- */

struct place {
	uint32_t module;
	uint64_t address;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *l = left, *r = right;

	if (l->module != r->module)
		return l->module < r->module ? -1 : 1;
	return (l->address > r->address) - (l->address < r->address);
}

/* Equal places are neighbours. */
static int resolve_modules(struct profile *profile, const struct place *places, size_t count)
{
	size_t modules = profile->modules.items.count, asked = 0, unique = 0;
	_cleanup_free_ uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	_cleanup_free_ struct line_request *requests = calloc(modules + 1, sizeof(*requests));

	if (!addresses || !requests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		bool first = i == 0 || places[i].module != places[i - 1].module;

		if (first)
			requests[asked++] = (struct line_request){.module = places[i].module, .addresses = addresses + unique};
		else if (places[i].address == places[i - 1].address)
			continue;
		addresses[unique++] = places[i].address;
		requests[asked - 1].count++;
	}
	return module_lines_resolve(&profile->modules, requests, asked);
}

static int resolve_frames(struct profile *profile)
{
	_cleanup_free_ struct place *places = calloc(profile->frames.count + 1, sizeof(*places));
	size_t count = 0;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < profile->frames.count; i++) {
		const struct profile_frame *frame = &profile->frames.items[i];

		if (is_wanted(profile, frame))
			places[count++] = (struct place){.module = frame->module, .address = address_of(frame)};
	}
	qsort(places, count, sizeof(*places), compare_places);
	return resolve_modules(profile, places, count);
}

/* --- frames and nodes --- */

struct expansion { /* of a frame */
	uint32_t first, count; /* the frames inlined in it, the outermost first */
};

static size_t levels_of(const struct profile *profile, const struct profile_frame *frame, const struct line_level **ret_levels)
{
	if (!frame->module || frame->note)
		return 0;
	return module_lines_find(&profile->modules, frame->module, address_of(frame), ret_levels);
}

static int expand_frames(struct profile *profile, struct expansion *expansions, bool *ret_any)
{
	size_t frames = profile->frames.count;

	*ret_any = false;
	for (size_t i = 0; i < frames; i++) {
		const struct line_level *levels;
		size_t count = levels_of(profile, &profile->frames.items[i], &levels);

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

/* A node's parent has a lower number, before and after. */
static int expand_nodes(struct profile *profile, const struct expansion *expansions, uint32_t *places)
{
	_cleanup_free_ struct profile_node *nodes = profile->nodes.items;
	size_t count = profile->nodes.count;
	int r;

	profile->nodes.items = NULL;
	profile->nodes.count = profile->nodes.capacity = 0;
	r = array_push(&profile->nodes, nodes[0]);
	for (size_t i = 1; i < count && r == 0; i++) {
		const struct expansion *expansion = &expansions[nodes[i].frame];

		places[i] = places[nodes[i].parent];
		r = push_node(profile, nodes[i].frame, &places[i]);
		for (uint32_t k = 0; k < expansion->count && r == 0; k++)
			r = push_node(profile, expansion->first + k, &places[i]);
	}
	return r;
}

static void move_all(struct profile *profile, const uint32_t *places)
{
	for (size_t i = 0; i < profile->entries.count; i++)
		profile->entries.items[i].node = places[profile->entries.items[i].node];
	for (size_t i = 0; i < profile->walk_tasks.count; i++)
		profile->walk_tasks.items[i].node = places[profile->walk_tasks.items[i].node];
	for (size_t i = 0; i < profile->kept.count; i++)
		profile->kept.items[i].node = places[profile->kept.items[i].node];
	for (size_t i = 0; i < profile->waits.count; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		wait->node = places[wait->node];
		wait->waker_node = places[wait->waker_node];
	}
}

int profile_expand_inlines(struct profile *profile)
{
	_cleanup_free_ struct expansion *expansions = NULL;
	_cleanup_free_ uint32_t *places = NULL;
	bool any = false;
	int r;

	if (profile->names.quick)
		return 0;
	expansions = calloc(profile->frames.count + 1, sizeof(*expansions));
	places = calloc(profile->nodes.count + 1, sizeof(*places));
	r = expansions && places ? 0 : -ENOMEM;
	if (r == 0)
		r = resolve_frames(profile);
	if (r == 0)
		r = expand_frames(profile, expansions, &any);
	if (r < 0 || !any)
		return r;
	r = expand_nodes(profile, expansions, places);
	if (r == 0)
		move_all(profile, places);
	return r;
}

bool profile_find_level(const struct profile *profile, const struct profile_frame *frame, struct line_level *ret_level)
{
	const struct line_level *levels;
	size_t count = levels_of(profile, frame, &levels);

	if (frame->inline_depth >= count)
		return false;
	*ret_level = levels[count - 1 - frame->inline_depth];
	return true;
}

/* --- what could not be read --- */

static const char *reason_of(int error)
{
	switch (error) {
	case -EMSGSIZE:
		return "it expands to too much";
	case -ETIMEDOUT:
		return "reading it took too long";
	case -ENOBUFS:
		return "reading it took too much memory";
	case -EBADMSG:
		return "part of it is malformed or missing";
	default:
		return "reading it failed";
	}
}

int account_inlines(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->modules.items.count && r == 0; i++) {
		const struct module *module = profile->modules.items.items[i];

		if (module->lines_error)
			r = account_line(profile, "lines and inlined functions of '%s' are not all known: of its DWARF, %s", module->path,
					 reason_of(module->lines_error));
	}
	return r;
}
