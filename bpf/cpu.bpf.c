/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where CPU time goes: one sample per tick of a perf event, with the stacks of what the tick interrupted (the
 * registers in ctx, not the handler's own stack). Runs in hard interrupt or NMI context: nothing here sleeps,
 * allocates, or takes a lock that NMI code may not try.
 */
#include "bpf/filter.bpf.h"
#include "bpf/sample.bpf.h"

/* RECORDED: go on; else the counter of the reason why not. */
static __always_inline enum ring_counter cpu_predicate(struct task_struct *task)
{
	if (task->pid == 0)
		return RING_COUNT_IDLE;
	if (task_is_own(task))
		return RING_COUNT_OWN;
	return task_is_wanted(task) ? RING_COUNT_RECORDED : RING_COUNT_FILTERED;
}

/*
 * What the event has counted since its last tick, beyond this tick's own period, belongs to ticks that did not come:
 * they were skipped, or the CPU was halted or taken away, and then they belong to the task that is found here.
 */
static __always_inline void cpu_weigh(struct bpf_perf_event_data *ctx, struct ring_cpu *cpu, bool idle)
{
	struct bpf_perf_event_value value;
	u64 period = budget_period(ctx->sample_period), unseen;

	cpu->weight_seen += period;
	if (!period || bpf_perf_prog_read_value(ctx, &value, sizeof(value)))
		return;
	/* A counter that went back belongs to a new event. */
	unseen = cpu->unseen + value.counter - (value.counter < cpu->counted ? 0 : cpu->counted) - period;
	cpu->counted = value.counter;
	if ((s64)unseen >= (s64)period) {
		if (idle)
			cpu->weight_idle += unseen - unseen % period;
		unseen %= period;
	}
	cpu->unseen = unseen;
}

static __always_inline enum ring_counter write_tick(struct bpf_perf_event_data *ctx, struct task_struct *task,
						    struct ring_cpu *cpu)
{
	const struct sample_cause tick = {
		.kind = RING_SAMPLE, .period = budget_period(ctx->sample_period), .counters = cpu->counters};

	return sample_record(ctx, task, cpu, &tick);
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ring_cpu *cpu = ring_this_cpu();
	enum ring_counter outcome;
	u64 begin;

	if (!cpu)
		return 0;
	begin = cost_begin(&cpu->runs);
	cpu->counters[RING_COUNT_SEEN]++;
	cpu_weigh(ctx, cpu, !task->pid);
	outcome = cpu_predicate(task);
	if (outcome == RING_COUNT_RECORDED)
		outcome = write_tick(ctx, task, cpu);
	if (outcome < RING_COUNTERS)
		cpu->counters[outcome]++;
	cost_end(begin, &cpu->run_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
