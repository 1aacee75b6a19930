/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages for the user, all on stderr, one line each, prefixed with the program's short name.
 * Arguments may hold hostile bytes (comms, paths): the whole line goes through
 * printable_escape_line() before it is written. Between the first and the last event of a
 * recording, only the status line uses this.
 */
#ifndef RWALKER_COMMON_LOG_H
#define RWALKER_COMMON_LOG_H

/* Prints "program: error: ..." and returns -errno_value, so that `return log_error(EINVAL, ...)` reads well. */
int log_error(int errno_value, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "program: warning: ...". */
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "program: ...": what the user should know but need not act on. */
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
