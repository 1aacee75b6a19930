/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs a command under ptrace, with all its threads and children, and stops each of them over and over. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Calls `stopped` with each task that was interrupted while it lives; continues until the callback
 * returns false or all have ended. -1 if the command could not be started. All are killed at the
 * end.
 */
int tracees_run(char *const *command, unsigned int interval_us,
		bool (*stopped)(void *context, pid_t task), void *context);
