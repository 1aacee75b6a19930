/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long embedding may take: EMBED_TIME for all files together, shared by the users who own them,
 * so that one user's slow files cost nobody else's names. Files are tried in rounds: first root's,
 * for half of the time; then everybody's, for a second of each user; then the rest, first of those
 * users for whom the fewest are left. Knows no clock: all times are arguments, ns.
 */
#ifndef RWALKER_RECORD_EMBED_EMBED_BUDGET_H
#define RWALKER_RECORD_EMBED_EMBED_BUDGET_H

#include <stddef.h>
#include <stdint.h>

enum { EMBED_USERS = 64, /* those beyond share the last place */
       EMBED_NAME = 96 };

#define EMBED_NOBODY UINT32_MAX /* whose file it is, is not known */

struct embed_user {
	uint32_t uid;
	uint64_t spent, late; /* ns; files that were not read in time so far */
	char first[EMBED_NAME]; /* of those; cut in front */
};

enum embed_round { EMBED_ROUND_ROOT, EMBED_ROUND_USERS, EMBED_ROUND_REST, EMBED_ROUNDS };

struct embed_budget {
	uint64_t end; /* ns */
	uint32_t count;
	struct embed_user users[EMBED_USERS];
};

void embed_budget_init(struct embed_budget *budget, uint64_t now);
/* How long the next file of this user may take in this round, in ms; 0: not now. */
unsigned int embed_budget_ms(const struct embed_budget *budget, enum embed_round round, uint32_t uid, uint64_t now);
void embed_budget_spend(struct embed_budget *budget, uint32_t uid, uint64_t ns);
/* Before the last round and after it: a file of that user has not been read. */
void embed_budget_add_late(struct embed_budget *budget, uint32_t uid, const char *name);
uint64_t embed_budget_late(const struct embed_budget *budget, uint32_t uid); /* such files */
void embed_budget_forget_late(struct embed_budget *budget);
/* "37 files of user 65533 (the first: /tmp/perf-4711.map), 1 file of user 0 (...)"; empty: none. Returns text. */
const char *embed_budget_text(const struct embed_budget *budget, char *text, size_t room);

#endif
