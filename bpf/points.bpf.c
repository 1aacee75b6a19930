/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hits of tracepoints and kernel functions ("points"), each with its stacks. The object is loaded once for each raw
 * tracepoint and each function by fentry, whose programs know their point; one on many functions learns it from the link's
 * cookie. All copies share their maps. A hit that the filters want is always counted; beyond the rate that was asked for
 * it is nothing more than that.
 */
#include "bpf/clock.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/ring_point.h"
#include "bpf/snapshot.bpf.h"
#include "bpf/stacks.bpf.h"

const volatile __u32 point_number; /* 0: the cookie tells */
const volatile __u32 point_source_index;
const volatile __u32 point_source; /* id */
const volatile __u32 point_max_frames = RING_MAX_FRAMES;
const volatile __u64 point_interval; /* ns between stacks of a CPU and source, in the long run; 0: all are taken */
const volatile __u64 point_burst;    /* how much too early they may come, ns */
const volatile bool point_user_stacks;
const volatile bool point_in_scheduler; /* its stacks are taken under the locks of the scheduler */
__u32 points_armed;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_MAX_POINT_SOURCES);
	__type(key, u32);
	__type(value, struct ring_point_source);
} point_sources SEC(".maps");

struct { /* by number; the recorder sets how many */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct ring_point_hits);
} point_hits SEC(".maps");

/* A leaky bucket. (The coarse clock would do, but tracing programs may not read it.) */
static __always_inline bool within_rate(struct ring_point_source *source)
{
	u64 now;

	if (!point_interval)
		return true;
	now = bpf_ktime_get_ns();
	if (source->due > now + point_burst)
		return false;
	source->due = (source->due > now ? source->due : now) + point_interval;
	return true;
}

static __always_inline enum ring_counter tell_hit(void *ctx, struct task_struct *task, struct ring_cpu *cpu,
						  struct ring_point_source *source, u32 point, struct ring_hit *hit)
{
	u64 now = bpf_ktime_get_ns(), most = point_in_scheduler ? RING_MAX_HOOK_SNAPSHOT : snapshot_bytes, length;
	bool snapshot = snapshot_tell(task, cpu, now, point_source, most, !point_in_scheduler, 0);
	enum ring_counter outcome;
	struct stacks stacks;

	hit->head = (struct ring_head){
		.time = now,
		.cpu = bpf_get_smp_processor_id(),
		.kind = RING_HIT,
		.source = point_source,
	};
	hit->point = point;
	task_describe(task, &hit->task);
	length = sizeof(*hit) +
		 stacks_take(ctx, task, hit->frames, point_max_frames * 8, point_user_stacks, source->counters, &stacks);
	hit->flags = stacks.flags | (snapshot ? RING_SAMPLE_SNAPSHOT : 0);
	hit->kernel_count = stacks.kernel_count;
	hit->user_count = stacks.user_count;
	outcome = ring_output(hit->head.cpu, hit, length);
	if (outcome == RING_COUNT_RECORDED)
		stacks_count(stacks.flags, source->counters);
	return outcome;
}

static __noinline enum ring_counter take_hit(void *ctx, struct task_struct *task, struct ring_point_source *source,
						  u32 point)
{
	struct ring_point_hits *hits = bpf_map_lookup_elem(&point_hits, &point);
	struct ring_cpu *cpu = ring_this_cpu();
	enum ring_counter outcome = RING_COUNT_NESTED;
	struct ring_hit *hit;

	if (!hits || !cpu)
		return outcome;
	hits->hits++;
	if (!within_rate(source)) {
		hits->skipped++;
		return RING_COUNT_RATE_LIMITED;
	}
	hit = scratch_enter(cpu);
	if (hit)
		outcome = tell_hit(ctx, task, cpu, source, point, hit);
	scratch_leave(cpu);
	return outcome;
}

static __always_inline int point_hit(void *ctx, u32 point)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 index = point_source_index;
	struct ring_point_source *source;
	enum ring_counter outcome;

	if (!points_armed)
		return 0;
	source = bpf_map_lookup_elem(&point_sources, &index);
	if (!source)
		return 0;
	source->counters[RING_COUNT_SEEN]++;
	if (task_is_own(task))
		outcome = RING_COUNT_OWN;
	else if (!cpu_is_wanted(bpf_get_smp_processor_id()) || !task_is_wanted(task))
		outcome = RING_COUNT_FILTERED;
	else
		outcome = take_hit(ctx, task, source, point);
	if (outcome < RING_COUNTERS)
		source->counters[outcome]++;
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
	return 1; /* 0 would keep the event from everybody else who listens to it */
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
