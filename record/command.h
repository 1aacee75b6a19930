/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The program after "--": forked before anything is attached and held at its first step, so that the recording knows
 * its number and misses nothing; runs as the user behind sudo, with the signals and descriptors we were given. Its
 * exit code is ours to pass on.
 */
#ifndef RWALKER_RECORD_COMMAND_H
#define RWALKER_RECORD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int release; /* write end: one byte lets it go, closing it ends it */
	int failure; /* read end: the errno of a failed exec */
	bool ended;
	int status; /* of waitpid(), once it has ended */
};

/* stdout_taken: the trace goes there, so what the program prints goes to stderr. 0, or -errno after it said why. */
int command_start(struct command *command, char *const words[], bool stdout_taken);
/* Lets it exec. 0, or -errno of the exec, after it said why (command_exit_code() is 126 or 127 then). */
int command_release(struct command *command, const char *name);
/* Looks whether it has ended (wait: until it has). */
bool command_ended(struct command *command, bool wait);
/* Where the recording never came about: ends it before it ran. */
void command_abandon(struct command *command);

/* As a shell says it: the exit code, or 128 + the signal. */
int command_exit_code(const struct command *command);

#endif
