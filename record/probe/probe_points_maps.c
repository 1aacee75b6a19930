/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The maps of the programs for tracepoints and functions: the copies of the object share those of the first one. */
#include <errno.h>
#include <string.h>

#include "record/host/host.h"
#include "record/probe/probe_internal.h"

#include "bpf/points.skel.h"

/* Linux 6.10 and later */
bool probe_points_can_stay(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool found = kernel && btf__find_by_name_kind(kernel, "bpf_preempt_disable", BTF_KIND_FUNC) > 0;

	btf__free(kernel);
	return found;
}

/*
 * Whether tasks preempt each other in the kernel. While a task is preempted in a fentry program,
 * the kernel does not start that program anywhere else on its CPU; while a task is preempted as the
 * kernel walks a stack for it, all others there get no stacks. If the scheduler's own setting
 * cannot be read, a kernel that was built for preemption is assumed to use it.
 */
bool probe_points_meet_others(void)
{
	char text[512];

	small_file_read("/sys/kernel/debug/sched/preempt", text, sizeof(text));
	if (*text)
		return strstr(text, "(full)") || strstr(text, "(lazy)");
	small_file_read("/proc/version", text, sizeof(text));
	return strstr(text, "PREEMPT");
}

/* Each function's program may be preempted once if that cannot be prevented. */
uint32_t probe_point_slots(const struct probe *probe)
{
	const struct points *points = probe->settings.points->points;
	uint32_t slots = RING_NEST_LEVELS;

	for (uint32_t i = 0; !probe->points_stay && i < points->source_count; i++)
		if (points->sources[i].asked->function && !points->sources[i].is_set && slots < RING_SLOTS)
			slots++;
	return slots;
}

static struct probe_feed points_feed(const struct probe *probe, const struct point_object *object)
{
	const struct points_bpf *programs = object->programs;

	return (struct probe_feed){programs->maps.rings, programs->maps.snapshot_scratch, programs->maps.stack_ranges,
				   probe_point_slots(probe)};
}

int probe_points_share_maps(struct probe *probe, const struct point_object *object)
{
	const struct bpf_object *first = probe->points.items[0].programs->obj;
	struct probe_feed feed;
	struct bpf_map *map;

	if (object->programs->obj == first) {
		feed = points_feed(probe, object);
		(void)bpf_map__set_max_entries(object->programs->maps.point_hits,
					       (uint32_t)probe->settings.points->points->items.count + 1);
		(void)bpf_map__set_max_entries(object->programs->maps.point_sources,
					       probe->settings.points->points->source_count);
		(void)bpf_map__set_max_entries(object->programs->maps.ring_scratch, probe_point_slots(probe));
		(void)bpf_map__set_value_size(object->programs->maps.ring_scratch,
					      (uint32_t)probe_scratch_bytes(probe, 2));
		return probe_size_feed(probe, &feed);
	}
	bpf_object__for_each_map(map, object->programs->obj) {
		const struct bpf_map *other = bpf_object__find_map_by_name(first, bpf_map__name(map));
		int r = bpf_map__is_internal(map) || !other ? 0 : bpf_map__reuse_fd(map, bpf_map__fd(other));

		if (r < 0)
			return r;
	}
	return 0;
}

int probe_points_fill_maps(struct probe *probe, const struct shared *shared, const struct point_object *object)
{
	struct probe_feed feed;
	int r;

	if (object != probe->points.items)
		return 0;
	feed = points_feed(probe, object);
	r = probe_fill_feed(probe, FEED_POINTS, &feed);
	return r < 0 ? r : probe_fill_filter(shared, probe->settings.filter);
}
