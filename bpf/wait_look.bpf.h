/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Looks at all tasks: the first one creates their entries, the last one writes the waits that have not ended and what
 * remains of the sums. A look at what is open writes these waits, too, and changes nothing.
 */
#ifndef RWALKER_BPF_WAIT_LOOK_BPF_H
#define RWALKER_BPF_WAIT_LOOK_BPF_H

#include "bpf/wait_first.bpf.h"
#include "bpf/wait_record.bpf.h"
#include "bpf/wait_sums.bpf.h"

/* From here on, for an entry that does not count yet. */
static __always_inline void begin_account(struct task_struct *task, struct wait_entry *entry)
{
	if (!entry->since)
		begin_sums(task, entry, bpf_ktime_get_ns() - queue_drift());
	if (!entry->voluntary)
		entry->voluntary = task->nvcsw;
}

static __always_inline void look_first(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	wait_look.seen++;
	if (!entry)
		return;
	begin_account(task, entry);
	if (task->__state & TASK_DEAD && !task->on_cpu)
		entry->flags |= WAIT_CLOSED; /* its parent has not asked for it yet */
	else if (!entry->out)
		look_at_wait(task, entry);
}

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

static __always_inline bool is_told(const struct wait_entry *entry, u64 now)
{
	if (regime_lacks(RING_LACKS_WAITS) || regime_outdated(entry->out))
		return false;
	return now >= entry->out && now - entry->out >= regime_least(wait_knobs.least) &&
	       now - entry->out <= wait_knobs.most &&
	       state_is_wanted(entry->state);
}

/* Writes waits that have not ended, and remaining sums. A task that is switched in meanwhile writes its wait itself. */
static __always_inline void look_last(struct bpf_iter_meta *meta, struct task_struct *task, void *scratch)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 switches = task->nvcsw + task->nivcsw; /* before it is known which wait it is in; so is the time */
	u64 now = bpf_ktime_get_ns() - queue_drift();

	if (!entry || (entry->flags & WAIT_CLOSED))
		return;
	if (task_is_own(task) || !task_is_wanted(task) || !write_sums(meta, task, entry, now, scratch))
		return;
	entry->flags |= WAIT_CLOSED;
	if (!entry->out && (task->on_cpu || !began_before(task, entry, now)))
		return;
	if (!is_told(entry, now))
		return;
	/* The page is full: the kernel comes back to this task with the next one. */
	if (!write_wait(meta, task, entry, now, switches, scratch))
		entry->flags &= ~WAIT_CLOSED;
}

/* What a look at an entry would change, it changes here: the task may be switched in meanwhile. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_entry);
} look_entry SEC(".maps");

/* Writes a wait that goes on. One that ends meanwhile is in a ring as well: the recorder finds out. */
static __always_inline void look_open(struct bpf_iter_meta *meta, struct task_struct *task, void *scratch)
{
	const struct wait_entry *current = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 switches = task->nvcsw + task->nivcsw, now = bpf_ktime_get_ns() - queue_drift();
	struct wait_entry *entry;
	u32 zero = 0;

	entry = bpf_map_lookup_elem(&look_entry, &zero);
	if (!current || !entry || (current->flags & WAIT_CLOSED) || task_is_own(task) || !task_is_wanted(task))
		return;
	__builtin_memcpy(entry, current, sizeof(*entry));
	if (!entry->out && (task->on_cpu || !began_before(task, entry, now)))
		return;
	if (is_told(entry, now) && task->nvcsw + task->nivcsw == switches)
		write_wait(meta, task, entry, now, switches, scratch);
}

/* One reader at a time; the recorder sets the value's size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 8 * RING_MAX_FRAMES);
} look_scratch SEC(".maps");

#endif
