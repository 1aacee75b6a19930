/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/user_shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "record/host/clocks.h"

/* --- shares --------------------------------------------------------------------------------------- */

static uint64_t *used_by(struct user_shares *shares, uint32_t uid)
{
	uint32_t place = 0;

	while (place < shares->count && place < SHARE_USERS - 1 && shares->users[place].uid != uid)
		place++;
	if (place == shares->count) {
		shares->users[place].uid = uid;
		shares->users[place].used = 0;
		shares->count++;
	}
	return &shares->users[place].used;
}

bool user_shares_take(struct user_shares *shares, uint32_t uid, uint64_t amount)
{
	const uint64_t left = shares->room - shares->used;
	uint64_t *used = used_by(shares, uid);

	if (amount > left || (uid && *used + amount > left - amount))
		return false;
	*used += amount;
	shares->used += amount;
	return true;
}

void user_shares_give(struct user_shares *shares, uint32_t uid, uint64_t amount)
{
	*used_by(shares, uid) -= amount;
	shares->used -= amount;
}

void user_shares_clear(struct user_shares *shares)
{
	*shares = (struct user_shares){.room = shares->room};
}

/* --- users ---------------------------------------------------------------------------------------- */

/* Not the owner of its folder: that is root if the process is not dumpable, which it decides itself. */
static uint32_t user_now(uint32_t tgid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char text[128];

	(void)snprintf(text, sizeof(text), "/proc/%" PRIu32 "/status", tgid);
	file = fopen(text, "re");
	while (file && fgets(text, sizeof(text), file))
		if (!strncmp(text, "Uid:", 4))
			return (uint32_t)strtoul(text + 4, NULL, 10);
	return USER_UNKNOWN;
}

uint32_t process_user(struct process_users *users, uint32_t tgid)
{
	enum { VALID_MS = 100 }; /* a process may change its user */
	const uint64_t now = clocks_now();
	const uint32_t place = tgid % USERS_KNOWN;

	if (!tgid)
		return 0;
	if (users->known[place].tgid != tgid || now - users->known[place].asked > VALID_MS * MILLISECOND) {
		users->known[place].tgid = tgid;
		users->known[place].uid = user_now(tgid);
		users->known[place].asked = now;
	}
	return users->known[place].uid;
}
