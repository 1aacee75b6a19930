/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_state.h"

#include <stdio.h>
#include <string.h>

enum state_bit {
	STATE_INTERRUPTIBLE = 0x1,
	STATE_UNINTERRUPTIBLE = 0x2,
	STATE_STOPPED = 0x4,
	STATE_TRACED = 0x8,
	STATE_EXIT_DEAD = 0x10,
	STATE_EXIT_ZOMBIE = 0x20,
	STATE_PARKED = 0x40,
	STATE_DEAD = 0x80,
	STATE_WAKEKILL = 0x100,
	STATE_WAKING = 0x200,
	STATE_NOLOAD = 0x400,
	STATE_NEW = 0x800,
	STATE_RTLOCK_WAIT = 0x1000,
	STATE_FROZEN = 0x8000,
};

/* The first row that has all of its bits set in the state wins. */
static const struct {
	uint64_t bits;
	const char *text;
} states[] = {
	{STATE_FROZEN, "F (frozen)"},
	{STATE_RTLOCK_WAIT, "D (RT lock)"},
	{STATE_STOPPED, "T"},
	{STATE_TRACED, "t"},
	{STATE_PARKED, "P"},
	{STATE_DEAD, "X"},
	{STATE_UNINTERRUPTIBLE | STATE_NOLOAD, "I"},
	{STATE_UNINTERRUPTIBLE | STATE_WAKEKILL, "D (killable)"},
	{STATE_UNINTERRUPTIBLE, "D"},
	{STATE_INTERRUPTIBLE, "S"},
	{STATE_WAKING, "R (waking)"},
	{STATE_NEW, "R (new)"},
};

static const char *find_state(uint64_t state, uint64_t exit_state)
{
	if (exit_state & STATE_EXIT_ZOMBIE)
		return "Z";
	if (exit_state & STATE_EXIT_DEAD)
		return "X";
	if (!state)
		return "R";
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if ((state & states[i].bits) == states[i].bits)
			return states[i].text;
	return NULL;
}

void profile_state_text(uint64_t state, uint64_t exit_state, char text[static PROFILE_STATE_TEXT])
{
	const char *found = find_state(state, exit_state);

	if (!found)
		snprintf(text, PROFILE_STATE_TEXT, "? (%#llx)", (unsigned long long)state);
	else
		snprintf(text, PROFILE_STATE_TEXT, "%s", found);
}

bool profile_state_matches(const char *text, const char *letters)
{
	if (strchr(letters, text[0]))
		return true;
	return strchr(letters, 'K') && !strcmp(text, "D (killable)");
}
