/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Processes that share their memory with another one: what one maps, all have. */
#include "record/place/sideband_internal.h"

enum { SHARERS = sizeof(((struct sideband *)0)->sharers) / sizeof(struct sharer) };

void sideband_follow_shares(struct sideband *sideband, const struct ring_shares *shares)
{
	sideband->shares = shares;
	sideband->shares_taken = shares ? shares->count : 0;
}

static struct sharer *find(struct sideband *sideband, uint32_t tgid)
{
	for (size_t i = 0; i < SHARERS; i++)
		if (sideband->sharers[i].group && sideband->sharers[i].tgid == tgid)
			return &sideband->sharers[i];
	return NULL;
}

/* The oldest is forgotten if there are too many. */
static void add(struct sideband *sideband, uint32_t tgid, uint32_t group)
{
	struct sharer *sharer = find(sideband, tgid);

	if (!sharer)
		sharer = &sideband->sharers[sideband->next_sharer++ % SHARERS];
	*sharer = (struct sharer){tgid, group};
}

static void take(struct sideband *sideband, const struct ring_share *share)
{
	const struct sharer *parent = find(sideband, share->parent_tgid);
	uint32_t group = parent ? parent->group : ++sideband->groups;

	if (!parent)
		add(sideband, share->parent_tgid, group);
	add(sideband, share->tgid, group);
}

/* In the order of time: before that, and after, each of them may have executed another program. */
void sideband_take_shares(struct sideband *sideband, uint64_t until)
{
	const struct ring_shares *shares = sideband->shares;
	uint32_t count = shares ? __atomic_load_n(&shares->count, __ATOMIC_ACQUIRE) : 0;

	if (!shares)
		return;
	if (count - sideband->shares_taken > RING_SHARES)
		sideband->shares_taken = count - RING_SHARES;
	for (; sideband->shares_taken != count; sideband->shares_taken++) {
		const struct ring_share *share = &shares->items[sideband->shares_taken % RING_SHARES];

		if (share->time > until)
			break;
		take(sideband, share);
	}
}

void sideband_unshare(struct sideband *sideband, uint32_t tgid)
{
	struct sharer *sharer = sideband->groups ? find(sideband, tgid) : NULL;

	if (sharer)
		*sharer = (struct sharer){0};
}

uint32_t sideband_next_sharer(const struct sideband *sideband, uint32_t tgid, uint32_t *cursor)
{
	const struct sharer *own = NULL;

	for (size_t i = 0; sideband->groups && i < SHARERS && !own; i++)
		if (sideband->sharers[i].group && sideband->sharers[i].tgid == tgid)
			own = &sideband->sharers[i];
	while (own && *cursor < SHARERS) {
		const struct sharer *sharer = &sideband->sharers[(*cursor)++];

		if (sharer->group == own->group && sharer != own)
			return sharer->tgid;
	}
	return 0;
}
