/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The descriptor of a poll() or select() that was given one only. The call took its number from the memory of the
 * process, which can be read only while the thread is still on the CPU (as for a futex), and if it is resident.
 */
#ifndef RWALKER_BPF_OBJECT_POLLED_H
#define RWALKER_BPF_OBJECT_POLLED_H

#include "bpf/object_descriptor.bpf.h"

struct user_pollfd {
	s32 fd;
	u16 events, revents;
};

enum { SELECT_BITS = 64 /* descriptors from that number on are not looked at */ };

/* Plus 1; 0: there is none, or it is not known. */
static __always_inline u32 descriptor_of_poll(u64 list, u64 count)
{
	struct user_pollfd only;

	if (count != 1 || bpf_probe_read_user(&only, sizeof(only), (const void *)list) || only.fd < 0)
		return 0;
	return only.fd + 1;
}

static __always_inline u32 descriptor_of_select(u64 count, const u64 sets[3])
{
	u64 all = 0, bits;

	if (count > SELECT_BITS)
		return 0;
	for (int i = 0; i < 3; i++) {
		if (sets[i] && bpf_probe_read_user(&bits, sizeof(bits), (const void *)sets[i]))
			return 0;
		all |= sets[i] ? bits : 0;
	}
	if (count < SELECT_BITS)
		all &= (1ULL << count) - 1;
	return all && !(all & (all - 1)) ? __builtin_popcountll(all - 1) + 1 : 0;
}

/* At the switch-out. */
static __noinline void note_polled(struct task_struct *prev, struct wait_entry *entry, u32 kind, u64 now)
{
	const struct call_arguments with = call_arguments(prev);

	entry->noted = kind == RING_CALL_POLL ? descriptor_of_poll(with.values[0], with.values[1]) :
						descriptor_of_select(with.values[0], &with.values[1]);
	entry->noted_out = now;
}

/* At the end of the wait, or in a look at it. */
static __always_inline void polled_take(struct task_struct *task, struct object_room *room,
					const struct wait_entry *entry, u32 number, struct ring_object *object)
{
	struct files_struct *files = files_of(task);

	if (entry->noted_out == entry->out && entry->noted && files)
		file_in_use_take(task, room, find_file(files, entry->noted - 1), is_alone(task, files),
				 entry->noted - 1, number, object);
}

#endif
