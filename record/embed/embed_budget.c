/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/embed_budget.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/plural.h"
#include "common/time_units.h"
#include "record/plan/deadlines.h"

static bool is_user(const struct embed_budget *budget, uint32_t place, uint32_t uid)
{
	return budget->users[place].uid == uid || place == EMBED_USERS - 1;
}

static struct embed_user *user_of(struct embed_budget *budget, uint32_t uid)
{
	uint32_t place = 0;

	while (place < budget->count && !is_user(budget, place, uid))
		place++;
	if (place == budget->count) {
		budget->users[place] = (struct embed_user){.uid = place == EMBED_USERS - 1 ? EMBED_NOBODY : uid};
		budget->count++;
	}
	return &budget->users[place];
}

static const struct embed_user *find_user(const struct embed_budget *budget, uint32_t uid)
{
	for (uint32_t place = 0; place < budget->count; place++)
		if (is_user(budget, place, uid))
			return &budget->users[place];
	return NULL;
}

void embed_budget_init(struct embed_budget *budget, uint64_t now)
{
	memset(budget, 0, sizeof(*budget));
	budget->end = now + EMBED_TIME * MILLISECOND;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

unsigned int embed_budget_ms(const struct embed_budget *budget, enum embed_round round, uint32_t uid, uint64_t now)
{
	static const uint64_t shares[EMBED_ROUNDS] = {EMBED_TIME / 2 * MILLISECOND, EMBED_USER * MILLISECOND,
						      UINT64_MAX};
	const struct embed_user *user = find_user(budget, uid);
	const uint64_t spent = user ? user->spent : 0, left = now < budget->end ? budget->end - now : 0;
	const uint64_t own = spent < shares[round] ? shares[round] - spent : 0;
	const uint64_t most = least(least(own, left), DEADLINE_FILE * MILLISECOND);

	if (round == EMBED_ROUND_ROOT && uid)
		return 0;
	return most < EMBED_LEAST * MILLISECOND ? 0 : (unsigned int)(most / MILLISECOND);
}

void embed_budget_spend(struct embed_budget *budget, uint32_t uid, uint64_t ns)
{
	user_of(budget, uid)->spent += ns;
}

void embed_budget_add_late(struct embed_budget *budget, uint32_t uid, const char *name)
{
	struct embed_user *user = user_of(budget, uid);
	const size_t length = strlen(name);

	if (!user->late++)
		(void)snprintf(user->first, sizeof(user->first), "%s",
			       length < EMBED_NAME ? name : name + length - EMBED_NAME + 1);
}

uint64_t embed_budget_late(const struct embed_budget *budget, uint32_t uid)
{
	const struct embed_user *user = find_user(budget, uid);

	return user ? user->late : 0;
}

void embed_budget_forget_late(struct embed_budget *budget)
{
	for (uint32_t i = 0; i < budget->count; i++)
		budget->users[i].late = 0;
}

const char *embed_budget_text(const struct embed_budget *budget, char *text, size_t room)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < budget->count && used < room; i++) {
		const struct embed_user *user = &budget->users[i];
		char whose[32] = "others";

		if (!user->late)
			continue;
		if (user->uid != EMBED_NOBODY)
			(void)snprintf(whose, sizeof(whose), "user %" PRIu32, user->uid);
		used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64 " file%s of %s (the first: %s)",
					 used ? ", " : "", user->late, plural(user->late), whose, user->first);
	}
	return text;
}
