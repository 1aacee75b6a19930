/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section_wait_chains.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/profile/gather/section_waits.h"
#include "report/profile/tables/profile_intern.h"

/* --- chains: a kernel chain was made separately, and is put on top of the user chain --- */

enum { JOINED_BITS = 12, JOINED = 1 << JOINED_BITS };

struct joined { /* the last pair joined in this slot */
	uint32_t kernel, user, node;
};

struct joiner {
	struct profile *profile;
	struct joined *slots;
	ARRAY(uint32_t) frames;
};

static int join(struct joiner *joiner, uint32_t kernel, uint32_t user, uint32_t *ret_node)
{
	struct joined *slot = &joiner->slots[hash_slot((uint64_t)kernel << 32 | user, JOINED_BITS)];
	uint32_t node = user;
	int r = 0;

	if (!kernel || !user) {
		*ret_node = kernel ? kernel : user;
		return 0;
	}
	if (slot->kernel == kernel && slot->user == user) {
		*ret_node = slot->node;
		return 0;
	}
	joiner->frames.count = 0;
	for (uint32_t at = kernel; at && !r; at = joiner->profile->nodes.items[at].parent)
		r = array_push(&joiner->frames, joiner->profile->nodes.items[at].frame);
	for (size_t i = joiner->frames.count; i-- > 0 && !r;)
		r = profile_intern_node(joiner->profile, node, joiner->frames.items[i], &node);
	*slot = (struct joined){kernel, user, node};
	*ret_node = node;
	return r;
}

static int finish_wait(struct joiner *joiner, struct profile_wait *wait, const struct loose_wait *loose)
{
	if (loose->later) {
		joiner->profile->qualities[PROFILE_OFFCPU].missing_user[MISSING_USER_NOT_RETURNED] +=
			!(wait->flags & PROFILE_WAIT_UNASKED);
		wait->chain_flags |= CHAIN_USER_MISSING;
	}
	return join(joiner, wait->node, loose->user, &wait->node);
}

int section_finish_waits(struct section *section)
{
	struct profile *profile = section->context.profile;
	struct section_waits *waits = section->waits;
	_cleanup_free_ struct joined *slots = NULL;
	struct joiner joiner = {.profile = profile};
	int r = 0;

	if (!waits)
		return 0;
	slots = calloc(JOINED, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	joiner.slots = slots;
	for (size_t i = 0; i < waits->loose.count && !r; i++)
		r = finish_wait(&joiner, &profile->waits.items[waits->first + i],
				&waits->loose.items[i]);
	array_free(&joiner.frames);
	for (size_t i = 0; i < profile->source_notes.count; i++)
		if (profile->sources.items[i].kind == PROFILE_OFFCPU ||
		    profile->sources.items[i].kind == PROFILE_WAKERS)
			profile->source_notes.items[i].periods = true;
	return r;
}
