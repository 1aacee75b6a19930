/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/process_state.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

/* As in proc(5): 'R', 'S' ...; 0: unknown. */
static char state_of(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], text[256];
	const char *state;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	state = file && fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
	return state && state[1] == ' ' ? state[2] : '\0';
}

bool process_is_runnable(pid_t pid)
{
	return state_of(pid) == 'R';
}

bool process_is_stopped(pid_t pid)
{
	const char state = state_of(pid);

	return state == 'T' || state == 't';
}
