/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory for CPUs: rings, one for each source and RING_CPUS_PER_SHARD CPUs, and scratch for
 * snapshots. Only CPUs that are online have it; a CPU that comes online gets it within a second or
 * so. Until then its events go to another ring, and its snapshots are missing, which is counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "record/probe/probe_internal.h"

static uint32_t probe_shards(const struct probe *probe)
{
	return (probe->settings.cpus->possible + RING_CPUS_PER_SHARD - 1) / RING_CPUS_PER_SHARD;
}

/* Its index among the rings, plus 1; 0: none. */
static uint32_t *place_of(const struct probe *probe, enum probe_kind number, uint32_t shard)
{
	return &probe->ring_places[number * probe_shards(probe) + shard];
}

static int make_ring(struct probe *probe, enum probe_kind number, uint32_t shard)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "rwalker_ring", 0, 0, (uint32_t)probe->settings.ring_bytes, NULL);

	if (fd < 0)
		return log_error(-fd, "cannot create a ring buffer of %zu KB: %s", probe->settings.ring_bytes >> 10,
				 strerror(-fd));
	if (array_push(&probe->rings, fd) < 0) {
		(void)close(fd);
		return -ENOMEM;
	}
	*place_of(probe, number, shard) = (uint32_t)probe->rings.count;
	return 0;
}

/* 1: rings were made. */
static int make_shard(struct probe *probe, uint32_t shard)
{
	int r = 0, made = 0;

	for (int number = 0; number < PROBE_WRITERS && !r; number++) {
		if (!probe->settings.wants[number] || *place_of(probe, number, shard))
			continue;
		r = make_ring(probe, number, shard);
		made = 1;
	}
	return r < 0 ? r : made;
}

int probe_rings_open(struct probe *probe)
{
	int r;

	probe->ring_places = calloc((size_t)PROBE_WRITERS * probe_shards(probe), sizeof(*probe->ring_places));
	if (!probe->ring_places)
		return -ENOMEM;
	r = cpus_online_all(probe->settings.cpus, &probe->online);
	for (uint32_t cpu = 0; cpu < probe->settings.cpus->possible && r >= 0; cpu++)
		if (cpu_set_has(&probe->online, cpu))
			r = make_shard(probe, cpu / RING_CPUS_PER_SHARD);
	return r < 0 ? r : 0;
}

void probe_rings_close(struct probe *probe)
{
	for (size_t i = 0; i < probe->rings.count; i++)
		(void)close(probe->rings.items[i]);
	if (probe->pattern > 0)
		(void)close(probe->pattern);
	array_free(&probe->rings);
	free(probe->ring_places);
}

/* --- what the programs find --- */

static int fill_shard(const struct probe *probe, enum probe_kind number, uint32_t shard, uint32_t fallback)
{
	uint32_t place = *place_of(probe, number, shard);
	int fd = probe->rings.items[(place ? place : fallback) - 1];

	return bpf_map_update_elem(bpf_map__fd(probe->feeds[number].rings), &shard, &fd, BPF_ANY);
}

static int fill_rings(const struct probe *probe, enum probe_kind number)
{
	uint32_t fallback = 0;
	int r = 0;

	for (uint32_t shard = 0; shard < probe_shards(probe) && !fallback; shard++)
		fallback = *place_of(probe, number, shard);
	for (uint32_t shard = 0; shard < probe_shards(probe) && !r; shard++)
		r = fallback ? fill_shard(probe, number, shard, fallback) : -ENODEV;
	return r;
}

static uint32_t snapshot_bytes(const struct probe *probe)
{
	enum { PAGE = 4096 }; /* what a read by pages may write past the end */
	uint32_t bytes = probe->settings.snapshot_bytes;

	return bytes ? (uint32_t)sizeof(struct ring_snapshot) + bytes + PAGE : sizeof(uint64_t);
}

static int make_scratch(const struct probe *probe, uint32_t slots)
{
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "rwalker_scratch", sizeof(uint32_t),
			      snapshot_bytes(probe), slots, NULL);
}

static int give_scratch(const struct probe *probe, enum probe_kind number, uint32_t cpu)
{
	const struct probe_feed *feed = &probe->feeds[number];
	_cleanup_close_ int fd = -1;

	if (!probe->settings.snapshot_bytes)
		return 0;
	fd = make_scratch(probe, feed->slots);
	return fd < 0 ? fd : bpf_map_update_elem(bpf_map__fd(feed->snapshots), &cpu, &fd, BPF_ANY);
}

size_t probe_scratch_bytes(const struct probe *probe, unsigned int stacks)
{
	return RING_HEAD_ROOM + stacks * sizeof(uint64_t) * probe->settings.max_frames;
}

/* libbpf 1.1 cannot change the inner size of a map of maps, so the map gets another template. */
int probe_size_feed(struct probe *probe, const struct probe_object *object)
{
	const uint32_t snapshots = probe->settings.snapshot_bytes ? probe->settings.cpus->possible : 1;
	int fd = make_scratch(probe, object->knobs->slots);

	if (fd < 0)
		return fd;
	if (probe->pattern > 0)
		(void)close(probe->pattern);
	probe->pattern = fd;
	(void)bpf_map__set_max_entries(object->rings, probe_shards(probe));
	(void)bpf_map__set_max_entries(object->scratch, object->knobs->slots);
	(void)bpf_map__set_value_size(object->scratch, (uint32_t)probe_scratch_bytes(probe, 2));
	(void)bpf_map__set_max_entries(object->snapshots, snapshots);
	if (!probe->settings.snapshot_bytes)
		(void)bpf_map__set_max_entries(object->ranges, 1);
	return bpf_map__set_inner_map_fd(object->snapshots, fd);
}

int probe_fill_feed(struct probe *probe, const struct probe_object *object)
{
	const enum probe_kind number = object->kind;
	int r;

	(void)close(probe->pattern);
	probe->pattern = -1;
	probe->feeds[number] = (struct probe_feed){object->rings, object->snapshots, object->knobs->slots};
	r = fill_rings(probe, number);
	for (uint32_t cpu = 0; cpu < probe->settings.cpus->possible && !r; cpu++)
		if (cpu_set_has(&probe->online, cpu))
			r = give_scratch(probe, number, cpu);
	return r;
}

/* --- CPUs that come --- */

static int follow_cpu(struct probe *probe, uint32_t cpu)
{
	uint32_t shard = cpu / RING_CPUS_PER_SHARD;
	int made = make_shard(probe, shard), r = made < 0 ? made : 0;

	for (int number = 0; number < PROBE_WRITERS && !r; number++) {
		if (!probe->settings.wants[number] || !probe->feeds[number].rings)
			continue;
		r = fill_shard(probe, number, shard, 1);
		if (!r)
			r = give_scratch(probe, number, cpu);
	}
	return r < 0 ? r : made;
}

bool probe_follow_cpus(struct probe *probe, const struct cpu_set *online)
{
	bool made = false;

	for (uint32_t cpu = 0; cpu < probe->settings.cpus->possible; cpu++) {
		if (!cpu_set_has(online, cpu) || cpu_set_has(&probe->online, cpu))
			continue;
		cpu_set_add(&probe->online, cpu); /* once: if it fails, another ring serves */
		made |= follow_cpu(probe, cpu) > 0;
	}
	return made;
}

uint32_t probe_rings(const struct probe *probe)
{
	return (uint32_t)probe->rings.count;
}

uint32_t probe_most_rings(const struct probe *probe)
{
	return PROBE_WRITERS * probe_shards(probe);
}

int probe_ring_fd(const struct probe *probe, uint32_t index)
{
	return probe->rings.items[index];
}

/* --- memory of the programs' maps, as the kernel reports it for each (fdinfo: "memlock: BYTES") --- */

static uint64_t bytes_of(int fd)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], line[128];
	uint64_t bytes = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	return bytes;
}

/* Calculated: the descriptors of these maps are closed once the programs have them. */
static uint64_t scratch_memory(const struct probe *probe)
{
	uint64_t bytes = 0;

	for (int number = 0; number < PROBE_WRITERS; number++)
		if (probe->settings.snapshot_bytes && probe->feeds[number].snapshots)
			bytes += (uint64_t)probe->feeds[number].slots * snapshot_bytes(probe) *
				 cpu_set_count(&probe->online);
	return bytes;
}

/* Maps that copies of an object share are counted with the first one. */
uint64_t probe_memory(const struct probe *probe)
{
	uint64_t bytes = scratch_memory(probe);
	const struct bpf_map *map;

	for (size_t i = 0; i < probe->objects.count; i++)
		bpf_object__for_each_map(map, probe->objects.items[i].object)
			if (!probe->objects.items[i].copy || bpf_map__is_internal(map))
				bytes += bytes_of(bpf_map__fd(map));
	return bytes;
}
