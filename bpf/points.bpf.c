/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hits of tracepoints and kernel functions ("points"), each with its stacks. The object is loaded once for each raw
 * tracepoint and for each function by fentry, whose programs know their point. A program on many functions learns it
 * from the link's cookie. All copies share their maps. A hit that passes the filters is always counted; beyond the
 * rate limit it is only counted.
 */
#include "bpf/filter.bpf.h"
#include "bpf/sample.bpf.h"

const volatile __u32 point_number; /* 0: the cookie has it */
const volatile __u32 point_source_index;
const volatile __u64 point_interval; /* ns between stacks of a CPU and source, on average; 0: all are taken */
const volatile __u64 point_burst;    /* how early a stack may be, ns */
const volatile bool point_stays; /* its record is written with preemption disabled (since Linux 6.10) */
__u32 points_armed;

extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_MAX_POINT_SOURCES);
	__type(key, u32);
	__type(value, struct ring_point_source);
} point_sources SEC(".maps");

struct { /* by number; the recorder sets the size */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct ring_point_hits);
} point_hits SEC(".maps");

/* A leaky bucket. (The coarse clock would do, but tracing programs may not read it.) */
static __always_inline bool within_rate(struct ring_point_source *source)
{
	u64 now, due;

	if (!point_interval)
		return true;
	now = bpf_ktime_get_ns();
	due = *(volatile __u64 *)&source->due;
	if (due > now + point_burst)
		return false;
	/* If another program intervenes, it gets the stack that is due. */
	return __sync_val_compare_and_swap(&source->due, due, (due > now ? due : now) + point_interval) == due;
}

/*
 * If the program may be preempted (fentry), another could run between the time of the hit and its place in
 * the ring. This is prevented if the kernel lets a program disable preemption.
 */
static __noinline enum ring_counter write_hit(void *ctx, struct task_struct *task, struct ring_point_source *source,
					      u32 point)
{
	const struct sample_cause hit = {.kind = RING_HIT, .point = point, .counters = source->counters};
	struct ring_cpu *cpu = ring_this_cpu();
	enum ring_counter outcome;

	if (!cpu)
		return RING_COUNT_NESTED;
	if (point_stays)
		bpf_preempt_disable();
	outcome = sample_record(ctx, task, cpu, &hit);
	if (point_stays)
		bpf_preempt_enable();
	return outcome;
}

static __always_inline enum ring_counter count_hit(void *ctx, struct task_struct *task, struct ring_point_source *source,
						   u32 point)
{
	struct ring_point_hits *hits = bpf_map_lookup_elem(&point_hits, &point);
	enum ring_counter outcome = RING_COUNT_RATE_LIMITED;

	if (!hits)
		return RING_COUNT_NESTED;
	if (within_rate(source))
		outcome = write_hit(ctx, task, source, point);
	count_one(&hits->hits);
	if (outcome == RING_COUNT_RATE_LIMITED)
		count_one(&hits->skipped);
	return outcome;
}

/* Everything is counted at the end: a hit that is preempted when the recording ends might as well not have happened. */
static __always_inline int point_hit(void *ctx, u32 point)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 index = point_source_index;
	struct ring_point_source *source;
	enum ring_counter outcome;
	u64 begin;

	if (!points_armed || budget_paused())
		return 0;
	source = bpf_map_lookup_elem(&point_sources, &index);
	if (!source)
		return 0;
	begin = cost_begin(&source->runs);
	if (task_is_own(task))
		outcome = RING_COUNT_OWN;
	else if (!cpu_is_wanted(bpf_get_smp_processor_id()) || !task_is_wanted(task))
		outcome = RING_COUNT_FILTERED;
	else
		outcome = count_hit(ctx, task, source, point);
	count_one(&source->counters[RING_COUNT_SEEN]);
	if (outcome < RING_COUNTERS)
		count_one(&source->counters[outcome]);
	cost_end(begin, &source->run_ns);
	return 0;
}

SEC("raw_tp")
int point_raw_tracepoint(void *ctx)
{
	return point_hit(ctx, point_number);
}

SEC("tp")
int point_tracepoint(void *ctx)
{
	(void)point_hit(ctx, point_number);
	return 1; /* 0 would hide the event from all other listeners */
}

SEC("fentry")
int point_fentry(void *ctx)
{
	return point_hit(ctx, point_number);
}

SEC("kprobe")
int point_kprobe(void *ctx)
{
	return point_hit(ctx, bpf_get_attach_cookie(ctx));
}

SEC("kprobe.multi")
int point_kprobe_multi(void *ctx)
{
	return point_hit(ctx, bpf_get_attach_cookie(ctx));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
