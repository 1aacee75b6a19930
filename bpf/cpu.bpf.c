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

static __always_inline u32 user_stack_missing(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return RING_SAMPLE_NO_USER_KTHREAD;
	if ((task->flags & PF_EXITING) && !task->mm)
		return RING_SAMPLE_NO_USER_EXITING;
	return RING_SAMPLE_NO_USER_FAULT;
}

/* Both stacks behind one another into sample->frames; their size in bytes. */
static __always_inline u64 cpu_stacks(struct bpf_perf_event_data *ctx, struct task_struct *task,
				      struct ring_cpu *cpu, struct ring_sample *sample)
{
	const u64 room = cpu_max_frames * 8;
	long kernel, user = 0;

	kernel = bpf_get_stack(ctx, sample->frames, room, 0);
	if (kernel < 0) {
		cpu->counters[RING_COUNT_KERNEL_STACK]++;
		kernel = 0;
	}
	if (kernel == room)
		sample->flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	if (cpu_user_stacks) {
		user = bpf_get_stack(ctx, (void *)sample->frames + kernel, room, BPF_F_USER_STACK);
		if (user <= 0) {
			sample->flags |= user_stack_missing(task);
			user = 0;
		}
		if (user == room)
			sample->flags |= RING_SAMPLE_USER_TRUNCATED;
	}
	sample->kernel_count = kernel / 8u;
	sample->user_count = user / 8u;
	return kernel + user;
}

static __always_inline enum ring_counter cpu_record(struct bpf_perf_event_data *ctx, struct task_struct *task,
						    struct ring_cpu *cpu, struct ring_sample *sample)
{
	enum ring_counter outcome;
	u64 length;

	sample->head = (struct ring_head){
		.time = bpf_ktime_get_ns(),
		.cpu = bpf_get_smp_processor_id(),
		.kind = RING_SAMPLE,
		.source = cpu_source,
	};
	sample->period = ctx->sample_period;
	sample->flags = 0;
	task_describe(task, &sample->task);
	length = sizeof(*sample) + cpu_stacks(ctx, task, cpu, sample);
	outcome = ring_output(sample->head.cpu, sample, length);
	if (outcome != RING_COUNT_RECORDED)
		return outcome;
	if (sample->flags & (RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED))
		cpu->counters[RING_COUNT_TRUNCATED]++;
	if (sample->flags & (RING_SAMPLE_NO_USER_EXITING | RING_SAMPLE_NO_USER_FAULT))
		cpu->counters[RING_COUNT_USER_STACK]++;
	return RING_COUNT_RECORDED;
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
