/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the worker gives up before it reads a trace: capabilities, privileges of programs that it
 * could run, files that it does not need, stdin, and then, by landlock and a filter of system
 * calls, nearly everything else. Its children inherit that. It must have opened what it needs.
 */
#ifndef RWALKER_REPORT_SANDBOX_JAIL_H
#define RWALKER_REPORT_SANDBOX_JAIL_H

#include <stdbool.h>
#include <stddef.h>

enum jail_parts { JAIL_LANDLOCK = 1, JAIL_CALLS = 2, JAIL_ALL = 3 };

struct jail_settings {
	unsigned int parts; /* which of enum jail_parts; 0: --no-sandbox, nothing is given up */
	const int *fds;	    /* these stay open, beside stdout and stderr */
	size_t fd_count;
};

enum { JAIL_TEXT = 160 };

/*
 * 0, with a line for the user about how the process runs now; or -errno after reporting why: then
 * it must not go on. Root needs landlock. A part that the kernel does not have is left out, which
 * the line says.
 */
int jail_enter(const struct jail_settings *settings, char text[static JAIL_TEXT]);

#endif
