/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a look at all tasks writes of one of them: its sums, and a wait that has not ended, with what it is for. */
#ifndef RWALKER_BPF_WAIT_LOOK_WRITE_BPF_H
#define RWALKER_BPF_WAIT_LOOK_WRITE_BPF_H

#include "bpf/wait_record.bpf.h"
#include "bpf/wait_run_queue.bpf.h"
#include "bpf/wait_sums.bpf.h"

static __always_inline bool write_sums(struct bpf_iter_meta *meta, struct task_struct *task, struct wait_entry *entry,
				       u64 now, void *scratch)
{
	struct ring_sums *record = scratch;

	fill_sums(task, entry, now, record);
	return !bpf_seq_write(meta->seq, record, sizeof(*record));
}

static __always_inline bool write_object(struct bpf_iter_meta *meta, const struct ring_object *object,
					 struct object_room *room)
{
	if (room->name.token && bpf_seq_write(meta->seq, &room->name, sizeof(room->name)))
		return false;
	return !object->beside || !bpf_seq_write(meta->seq, &room->beside, sizeof(room->beside));
}

/*
 * `now` is by the clock of entry->out. The user stack is copied elsewhere (bpf/sleepers.bpf.c), which compares the
 * number of switches to see whether it still belongs to the wait.
 */
static __always_inline bool write_wait(struct bpf_iter_meta *meta, struct task_struct *task, struct wait_entry *entry,
				       u64 now, u64 switches, void *scratch)
{
	struct ring_wait *record = scratch;
	struct object_room *room;
	u64 drift = queue_drift(), stack = 0;
	u64 length = fill_wait(task, entry, now + drift, RING_WAIT_NOT_ENDED | plan_user_stack(task, entry), record);

	record->out += drift;
	record->run_queue = run_queue_so_far(task, entry, now);
	if (record->flags & RING_WAIT_USER_LATER)
		record->out_key = still_pending(task, entry);
	room = fill_object(task, entry, !task->on_cpu, OBJECT_AT_LOOK, record);
	if (object_knobs.on && task->nvcsw + task->nivcsw != switches) /* it ran, and may have closed it */
		fill_object(task, entry, false, OBJECT_AT_LOOK, record);
	else if (room && !write_object(meta, object_of(record), room))
		return false;
	if (!task->on_cpu)
		stack = wait_stack(task, record);
	return !bpf_seq_write(meta->seq, record, length + stack) &&
	       !bpf_seq_write(meta->seq, &switches, sizeof(switches));
}

#endif
