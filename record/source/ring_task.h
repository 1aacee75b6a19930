/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Converts a task from the programs' form to that of an event. Its control group is then written to the trace. */
#ifndef RWALKER_RECORD_SOURCE_RING_TASK_H
#define RWALKER_RECORD_SOURCE_RING_TASK_H

#include <linux/types.h>
#include <string.h>

#include "bpf/ring.h"
#include "format/event.h"
#include "record/place/cgroups.h"
#include "record/plan/recording.h"

static inline struct event_task ring_task_event(const struct recording *recording, const struct ring_task *raw)
{
	struct event_task task = {
		.tgid = raw->tgid,
		.tid = raw->tid,
		.start = raw->start,
		.flags = raw->kernel_thread ? TASK_KERNEL_THREAD : 0,
		.cgroup = recording->cgroups ? raw->cgroup : 0,
	};

	cgroup_table_see(recording->cgroups, task.cgroup);
	memcpy(task.comm, raw->comm, sizeof(task.comm));
	task.comm[sizeof(task.comm) - 1] = '\0';
	return task;
}

#endif
