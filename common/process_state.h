/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What another process is doing, as /proc says. */
#ifndef RWALKER_COMMON_PROCESS_STATE_H
#define RWALKER_COMMON_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether it runs or waits for nothing but a CPU: a process that is late because of that is not
 * stuck. False if that cannot be found out.
 */
bool process_is_runnable(pid_t pid);
/* Whether a signal or a tracer has stopped it. */
bool process_is_stopped(pid_t pid);

#endif
