/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tasks that the kernel hides from BPF, as some sandboxes hide their own: not in the iterator over all tasks, and where they
 * are the current task, no program runs. Their waits cannot be recorded, which is not a loss but must be said.
 */
#ifndef RWALKER_RECORD_HIDDEN_TASKS_H
#define RWALKER_RECORD_HIDDEN_TASKS_H

#include <stdint.h>

struct probe;

/*
 * seen: tasks that the iterator showed. Where the kernel says that there are more, or process 1 is not among them (the
 * number may have changed meanwhile), the threads in /proc that were not shown
 * are marked as hidden, and it is said how many they are.
 */
void hidden_tasks_mark(const struct probe *probe, uint64_t seen);

#endif
