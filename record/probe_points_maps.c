/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The maps of the programs for tracepoints and functions: the copies of the object share those of the first one. */
#include <errno.h>

#include "record/probe_internal.h"

#include "bpf/points.skel.h"

int probe_points_share_maps(const struct probe *probe, const struct point_object *object)
{
	const struct bpf_object *first = probe->points.items[0].programs->obj;
	struct bpf_map *map;

	if (object->programs->obj == first) {
		(void)bpf_map__set_max_entries(object->programs->maps.rings, probe_shards(probe));
		(void)bpf_map__set_max_entries(object->programs->maps.point_hits,
					       (uint32_t)probe->settings.points->points->items.count + 1);
		(void)bpf_map__set_max_entries(object->programs->maps.point_sources,
					       probe->settings.points->points->source_count);
		probe_size_snapshots(probe, object->programs->maps.snapshot_scratch, object->programs->maps.stack_ranges);
		return bpf_map__set_value_size(object->programs->maps.ring_scratch,
					       (uint32_t)probe_scratch_bytes(probe, 2));
	}
	bpf_object__for_each_map(map, object->programs->obj) {
		const struct bpf_map *other = bpf_object__find_map_by_name(first, bpf_map__name(map));
		int r = bpf_map__is_internal(map) || !other ? 0 : bpf_map__reuse_fd(map, bpf_map__fd(other));

		if (r < 0)
			return r;
	}
	return 0;
}

int probe_points_fill_maps(const struct probe *probe, const struct shared *shared, const struct point_object *object)
{
	size_t first_ring = probe_shards(probe) * (size_t)(probe->settings.cpu + !!probe->settings.waits);
	int r;

	if (object != probe->points.items)
		return 0;
	r = probe_fill_rings(probe, object->programs->maps.rings, first_ring);
	return r < 0 ? r : probe_fill_filter(shared, probe->settings.filter);
}
