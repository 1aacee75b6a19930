/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A sample of the current task with its stacks, from a program's context: for each tick of a perf event, and for each
 * hit of a tracepoint or function. Settings common to all samples of an object are set before it is loaded.
 */
#ifndef RWALKER_BPF_SAMPLE_BPF_H
#define RWALKER_BPF_SAMPLE_BPF_H

#include "bpf/stacks.bpf.h"

const volatile bool sample_in_scheduler; /* taken under the scheduler's locks */

struct sample_cause {
	u16 kind; /* RING_SAMPLE, RING_HIT */
	union { u64 period, point; };
	u64 *counters; /* of the source */
};

/*
 * The stacks are walked first: the less happens between the time of a record and its place in the
 * ring, the better the order in a ring that several CPUs share.
 */
static __always_inline enum ring_counter sample_write(void *ctx, struct task_struct *task, const struct ring_slot *slot,
						      const struct sample_cause *cause, struct ring_sample *sample)
{
	u64 most = sample_in_scheduler ? RING_MAX_HOOK_SNAPSHOT : knobs.snapshot_bytes, length, now;
	enum ring_counter outcome;
	struct stacks stacks;

	sample->period = cause->period;
	task_describe(task, &sample->task);
	length = sizeof(*sample) + stacks_read(ctx, task, sample->frames, knobs.max_frames * 8,
					       knobs.user_stacks, cause->counters, &stacks);
	now = bpf_ktime_get_ns();
	sample->head = (struct ring_head){
		.time = now,
		.cpu = bpf_get_smp_processor_id(),
		.kind = cause->kind,
		.source = knobs.source,
	};
	sample->kernel_count = stacks.kernel_count;
	sample->user_count = stacks.user_count;
	if (knobs.snapshot_bytes)
		stacks.flags |= snapshot_write(task, slot, now, knobs.source, most, !sample_in_scheduler, 0);
	sample->flags = stacks.flags;
	outcome = ring_output(slot, sample->head.cpu, sample, length);
	if (outcome == RING_COUNT_RECORDED)
		stacks_count(stacks.flags, cause->counters);
	return outcome;
}

/* Writes a sample in a slot of its own. Returns the counter for its outcome. */
static __always_inline enum ring_counter sample_record(void *ctx, struct task_struct *task, struct ring_cpu *cpu,
						     const struct sample_cause *cause)
{
	const u64 most = sizeof(struct ring_sample) + (knobs.user_stacks ? 2 : 1) * knobs.max_frames * 8;
	enum ring_counter outcome = RING_COUNT_NESTED;
	struct ring_sample *sample;
	struct ring_slot slot;

	if (!ring_has_room(bpf_get_smp_processor_id(), most))
		return RING_COUNT_RING_FULL;
	sample = scratch_enter(cpu, &slot);
	if (sample)
		outcome = sample_write(ctx, task, &slot, cause, sample);
	scratch_leave(&slot);
	return outcome;
}

#endif
