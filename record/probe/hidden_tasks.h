/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tasks that the kernel hides from BPF, as some sandboxes hide their own: they are not in the
 * iterator over all tasks, and no program runs while they are the current task. Their waits cannot
 * be recorded, which is not a loss but must be reported.
 */
#ifndef RWALKER_RECORD_PROBE_HIDDEN_TASKS_H
#define RWALKER_RECORD_PROBE_HIDDEN_TASKS_H

#include <stdint.h>

struct probe;

/*
 * seen: number of tasks that the iterator showed. If the kernel counts more, or process 1 was not
 * shown (the number may have changed meanwhile), the threads in /proc that were not shown are
 * marked as hidden, and their number is reported.
 */
void hidden_tasks_mark(const struct probe *probe, uint64_t seen);

#endif
