/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a look at all tasks writes of each: its sums, and a wait that has not ended, with what it is for. */
#ifndef RWALKER_BPF_WAIT_LOOK_WRITE_BPF_H
#define RWALKER_BPF_WAIT_LOOK_WRITE_BPF_H

#include "bpf/wait_blocker.bpf.h"
#include "bpf/wait_record.bpf.h"
#include "bpf/wait_run_queue.bpf.h"
#include "bpf/wait_sums.bpf.h"
#include "bpf/wait_throttle.bpf.h"

static __always_inline bool write_sums(struct seq_file *seq, struct task_struct *task, struct wait_entry *entry,
				       u64 now, void *scratch)
{
	struct ring_sums *record = scratch;

	fill_sums(task, entry, now, record);
	return !bpf_seq_write(seq, record, sizeof(*record));
}

/*
 * `now` is by the clock of entry->out. The user stack is copied elsewhere (bpf/sleepers.bpf.c): the
 * number of switches shows there whether it still belongs to the wait.
 */
static __always_inline bool write_wait(struct seq_file *seq, struct task_struct *task, struct wait_entry *entry,
				       u64 now, u64 switches, void *scratch)
{
	struct ring_wait *record = scratch;
	struct ring_name *name;
	u64 drift = queue_drift(), stack = 0, object;
	u64 length = fill_wait(task, entry, now + drift, RING_WAIT_NOT_ENDED | plan_user_stack(task, entry), record);

	record->out += drift;
	record->run_queue = run_queue_so_far(task, entry, now);
	if (is_maybe_throttled(entry, record->run_queue))
		record->run_queue = take_throttled(task, entry, now, record->run_queue);
	if (record->flags & RING_WAIT_USER_LATER)
		record->out_key = still_pending(task, entry);
	if (wait_knobs.locks == RING_LOCKS_MARKED)
		forget_former_lock(task, entry);
	object = fill_object(task, entry, !task->on_cpu, OBJECT_AT_LOOK, record, &name);
	if (object_knobs.on && task->nvcsw + task->nivcsw != switches) /* it ran, and may have closed it */
		object = fill_object(task, entry, false, OBJECT_AT_LOOK, record, &name);
	else if (name && bpf_seq_write(seq, name, sizeof(*name)))
		return false;
	length += object;
	length += fill_throttle(entry, length, record);
	if (!task->on_cpu)
		stack = wait_stack(task, record, length, OBJECT_AT_LOOK);
	return !bpf_seq_write(seq, record, length + stack) &&
	       !bpf_seq_write(seq, &switches, sizeof(switches));
}

#endif
