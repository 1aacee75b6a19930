/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The program after "--": forked before anything is attached and stopped before it runs, so that
 * the recording knows its pid and misses nothing. Runs as the user behind sudo, with the signals
 * and descriptors that we were given. We pass on its exit code.
 */
#ifndef RWALKER_RECORD_COMMAND_H
#define RWALKER_RECORD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/process.h"

struct command {
	pid_t pid;
	int release; /* write end: one byte releases it, closing it ends it */
	int failure; /* read end: whether there is such a program (0 or errno), then the errno of a failed exec */
	bool ended;
	int status; /* of waitpid(), after it has ended */
};

struct command_settings {
	const struct inherited *inherited; /* the signals that it gets back */
	bool stdout_taken;		   /* the trace goes to stdout, so the program's output goes to stderr */
	int own_time;			   /* as of namespaces_enter_time() */
};

/* 0, or -errno after reporting why, also if there is no such program or the user may not run it. */
int command_start(struct command *command, char *const words[], const struct command_settings *settings);
/* Lets it exec. 0, or -errno of the exec, after reporting why (command_exit_code() is 126 or 127 then). */
int command_release(struct command *command, const char *name);
/* Returns whether it has ended (wait: waits until it has). */
bool command_ended(struct command *command, bool wait);
/* If the recording never starts: ends the program before it has run. */
void command_abandon(struct command *command);

/* As a shell reports it: the exit code, or 128 + the signal. */
int command_exit_code(const struct command *command);

#endif
