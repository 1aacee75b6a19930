/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where CPU time goes: one sample per tick of a perf event, with the stacks of what the tick interrupted (the
 * registers in ctx, not the handler's own stack). Runs in hard interrupt or NMI context: nothing here
 * sleeps, allocates, or takes a lock that NMI code may not try.
 */
#include "bpf/clock.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/snapshot.bpf.h"
#include "bpf/stacks.bpf.h"

const volatile __u32 cpu_source = 1;
const volatile bool cpu_user_stacks;
const volatile __u32 cpu_max_frames = RING_MAX_FRAMES;

/* RECORDED: go on; else the counter it belongs to. */
static __always_inline enum ring_counter cpu_predicate(struct task_struct *task)
{
	if (task->pid == 0)
		return RING_COUNT_IDLE;
	if (task_is_own(task))
		return RING_COUNT_OWN;
	return task_is_wanted(task) ? RING_COUNT_RECORDED : RING_COUNT_FILTERED;
}

static __always_inline enum ring_counter cpu_record(struct bpf_perf_event_data *ctx, struct task_struct *task,
						    struct ring_cpu *cpu, struct ring_sample *sample)
{
	u64 now = bpf_ktime_get_ns(), length;
	bool snapshot = snapshot_tell(task, cpu, now, cpu_source, snapshot_bytes, true, 0);
	enum ring_counter outcome;
	struct stacks stacks;

	sample->head = (struct ring_head){
		.time = now,
		.cpu = bpf_get_smp_processor_id(),
		.kind = RING_SAMPLE,
		.source = cpu_source,
	};
	sample->period = ctx->sample_period;
	task_describe(task, &sample->task);
	length = sizeof(*sample) +
		 stacks_take(ctx, task, sample->frames, cpu_max_frames * 8, cpu_user_stacks, cpu->counters, &stacks);
	sample->flags = stacks.flags | (snapshot ? RING_SAMPLE_SNAPSHOT : 0);
	sample->kernel_count = stacks.kernel_count;
	sample->user_count = stacks.user_count;
	outcome = ring_output(sample->head.cpu, sample, length);
	if (outcome == RING_COUNT_RECORDED)
		stacks_count(stacks.flags, cpu->counters);
	return outcome;
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ring_cpu *cpu = ring_this_cpu();
	enum ring_counter outcome;
	struct ring_sample *sample;

	if (!cpu)
		return 0;
	cpu->counters[RING_COUNT_SEEN]++;
	outcome = cpu_predicate(task);
	if (outcome == RING_COUNT_RECORDED) {
		sample = scratch_enter(cpu);
		outcome = sample ? cpu_record(ctx, task, cpu, sample) : RING_COUNT_NESTED;
		scratch_leave(cpu);
	}
	if (outcome < RING_COUNTERS)
		cpu->counters[outcome]++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
