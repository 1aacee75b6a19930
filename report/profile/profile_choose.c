/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/profile_choose.h"

#include "report/profile/tables/profile_ends.h"
#include "report/profile/tables/profile_waits.h"

/* The functions of wakers tell who is at the other end of an object. Frames may be renumbered later. */
static int learn_ends(struct profile *profile)
{
	int r = profile_begin_symbols(profile);

	if (!r)
		r = profile_sort_waits(profile);
	if (!r)
		r = profile_join_ends(profile);
	profile_forget_symbols(profile);
	profile->ends_joined = !r;
	return r;
}

static int passes(struct profile *profile, const struct profile_wait *wait)
{
	const struct profile_wait_test *on = &profile->filter->on;
	int r;

	if (profile->objects.count)
		profile->chosen.kinds |=
			1U << profile->objects.items[wait->object].kind;
	r = on->passes(on->context, profile, wait);
	if (r < 0)
		return r;
	profile->chosen.waits += r > 0;
	profile->chosen.left_out += !r;
	return r;
}

static int choose(struct profile *profile, struct profile_wait *wait)
{
	int r;

	if (wait->flags & PROFILE_WAIT_UNASKED)
		return 0;
	r = passes(profile, wait);
	if (!r)
		wait->flags |= PROFILE_WAIT_UNASKED;
	return r < 0 ? r : 0;
}

static int choose_walked(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->walk_tasks.count; i++) {
		const struct profile_walk_task row = profile->walk_tasks.items[i];
		const struct profile_wait wait = profile_walk_wait(&row);
		int r = passes(profile, &wait);

		if (r < 0)
			return r;
		if (r)
			profile->walk_tasks.items[kept++] = row;
	}
	profile->walk_tasks.count = kept;
	return 0;
}

static void drop_unasked(struct profile *profile)
{
	size_t waits = 0;

	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_UNASKED))
			profile->waits.items[waits++] = profile->waits.items[i];
	profile->waits.count = waits;
}

int profile_choose_waits(struct profile *profile)
{
	int r = 0;

	if (!profile->filter->on.passes)
		return 0;
	if (profile->objects.count)
		r = learn_ends(profile);
	for (size_t i = 0; i < profile->waits.count && !r; i++)
		r = choose(profile, &profile->waits.items[i]);
	if (!r && !(profile->filter->needs & PROFILE_EVERYONE))
		drop_unasked(profile);
	return r < 0 ? r : choose_walked(profile);
}

struct profile_chosen profile_chosen(const struct profile *profile)
{
	return profile->chosen;
}
