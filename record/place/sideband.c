/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/sideband.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/machine/clocks.h"
#include "record/machine/cpus.h"
#include "record/place/hits.h"
#include "record/place/sideband_internal.h"
#include "record/plan/recording.h"

/* Rings share a budget, so that a host with hundreds of CPUs does not lock hundreds of megabytes. */
enum {
	RINGS_BUDGET = 64 << 20,
	RING_MOST = 2 << 20,
	MAX_SEEN = 1 << 16,
	AHEAD_NS = SECOND,
	WAKE_PART = 4,	    /* of a ring, at which it wakes us */
	FULL_ROOM = 8 << 10, /* no record is usually longer: a path has at most 4 KB */
};

/* Which CPU's ring has the earliest record. */
static struct merge_tree earliest(const struct sideband *sideband)
{
	return (struct merge_tree){sideband->keys, sideband->max_cpus};
}

static void peek_time(const struct sideband *sideband, uint32_t cpu)
{
	const struct perf_event_header *header = perf_ring_peek(&sideband->rings[cpu]);
	const struct merge_tree tree = earliest(sideband);
	uint64_t time = header ? sideband_record_time(header) : UINT64_MAX;

	/* No record is written this far ahead of its time: this is not a record's time, and must not be waited for. */
	if (header && time > sideband->horizon + AHEAD_NS)
		time = sideband->horizon;
	merge_put(&tree, cpu, time);
}

/*
 * A child's records on one CPU may be visible before the older record of its fork on another CPU.
 * So records younger than this moment wait for the next look, when everything older is certain to
 * be visible.
 */
void sideband_look(struct sideband *sideband)
{
	const struct merge_tree tree = earliest(sideband);

	sideband_take_copies(sideband);
	sideband->horizon = clocks_now();
	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++) {
		merge_put(&tree, cpu, UINT64_MAX);
		if (!sideband->rings[cpu].page)
			continue;
		perf_ring_look(&sideband->rings[cpu]);
		sideband->totals[cpu].full += perf_ring_room(&sideband->rings[cpu]) < FULL_ROOM;
		peek_time(sideband, cpu);
	}
	merge_build(&tree);
}

uint64_t sideband_apply(struct sideband *sideband, uint64_t until)
{
	const struct merge_tree tree = earliest(sideband);

	until = until < sideband->horizon ? until : sideband->horizon;
	for (;;) {
		const merge_key first = merge_first(&tree);
		const uint32_t cpu = merge_ring(first);
		merge_key others;

		if (merge_time(first) > until)
			return merge_time(first) > sideband->horizon ? UINT64_MAX : merge_time(first);
		others = merge_others(&tree, cpu);
		do {
			sideband_apply_record(sideband, cpu, perf_ring_peek(&sideband->rings[cpu]));
			perf_ring_next(&sideband->rings[cpu]);
			peek_time(sideband, cpu);
		} while (merge_time(merge_of(&tree, cpu)) <= until && merge_of(&tree, cpu) < others);
		merge_settle(&tree, cpu);
	}
}

size_t sideband_ring_size(uint32_t cpus, unsigned int halvings)
{
	size_t bytes = (size_t)RING_MOST >> halvings;

	while (bytes > SIDEBAND_LEAST_RING && bytes * cpus > RINGS_BUDGET)
		bytes /= 2;
	return bytes;
}

/* Edge-triggered: a wakeup counts, not that something is in the ring. */
static int watch(const struct sideband *sideband, uint32_t cpu)
{
	int fd = sideband->rings[cpu].fd;
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};

	return epoll_ctl(sideband->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int sideband_wake(struct sideband *sideband, int epoll_fd)
{
	int r = 0;

	sideband->epoll_fd = epoll_fd;
	for (uint32_t cpu = 0; !r && cpu < sideband->max_cpus; cpu++)
		if (sideband->rings[cpu].page)
			r = watch(sideband, cpu);
	return r;
}

bool sideband_is_open(const struct sideband *sideband, uint32_t cpu)
{
	return sideband->rings[cpu].page;
}

/* Rings of CPUs that come online later are smaller if there are many by then. */
static int open_ring(struct sideband *sideband, struct spawner *spawner, uint32_t cpu)
{
	size_t bytes = sideband_ring_size(sideband->open_count + 1, 0);
	struct perf_event_attr attr = sideband->attr;
	int r;

	bytes = bytes < sideband->ring_bytes ? bytes : sideband->ring_bytes;
	attr.wakeup_watermark = (uint32_t)bytes / WAKE_PART;
	r = perf_ring_open(&sideband->rings[cpu], spawner, &attr, cpu, bytes);
	sideband->open_count += !r;
	return r;
}

int sideband_reopen(struct sideband *sideband, struct spawner *spawner, uint32_t cpu)
{
	const struct merge_tree tree = earliest(sideband);
	int r;

	sideband->open_count -= sideband_is_open(sideband, cpu);
	perf_ring_close(&sideband->rings[cpu]);
	merge_put(&tree, cpu, UINT64_MAX);
	merge_settle(&tree, cpu);
	r = open_ring(sideband, spawner, cpu);
	return r < 0 || sideband->epoll_fd < 0 ? r : watch(sideband, cpu);
}

/*
 * No build-ids: as soon as one listener asks for them, the kernel marks the records of all others as
 * carrying them, too, and perf up to 6.1 aborts. They are read from the files (module_files.h).
 */
static void attr_fill(struct perf_event_attr *attr, bool user_stacks)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.ksymbol = 1,
		.mmap = user_stacks,
		.mmap2 = user_stacks,
		.comm = user_stacks,
		.comm_exec = user_stacks,
		.task = user_stacks,
	};
}

static int rings_open(struct sideband *sideband, const struct cpu_set *online)
{
	int error = -ENODEV;

	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++) {
		int rc = cpu_set_has(online, cpu) ? open_ring(sideband, NULL, cpu) : -ENODEV;

		if (rc && rc != -ENODEV /* offline */)
			return rc;
		error = rc ? error : 0;
	}
	return error;
}

static int allocate(struct sideband *sideband)
{
	uint32_t cpus = sideband->max_cpus;

	sideband->rings = calloc(cpus, sizeof(*sideband->rings));
	sideband->keys = calloc(2 * (size_t)cpus, sizeof(*sideband->keys));
	sideband->totals = calloc(cpus, sizeof(*sideband->totals));
	for (uint32_t cpu = 0; sideband->rings && cpu < cpus; cpu++)
		sideband->rings[cpu].fd = -1;
	if (!sideband->rings || !sideband->keys || !sideband->totals)
		return -ENOMEM;
	return sideband_start_seeing(sideband);
}

int sideband_create(struct recording *recording, struct module_files *files, const struct cpu_set *online,
		    struct sideband **ret_sideband)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));
	int rc;

	if (!sideband)
		return -ENOMEM;
	sideband->recording = recording;
	sideband->files = files;
	sideband->max_cpus = recording->max_cpus;
	sideband->ring_bytes = sideband_ring_size(cpu_set_count(online), recording->halvings);
	sideband->epoll_fd = -1;
	attr_fill(&sideband->attr, recording->config->user_stacks);
	rc = allocate(sideband);
	if (!rc) {
		rc = rings_open(sideband, online);
		if (rc)
			(void)log_error(-rc, "cannot receive the kernel's records of mappings and "
					     "processes (perf_event_open): %s%s", strerror(-rc),
					rc == -EACCES ? "; where kernel.perf_event_paranoid is above 2, Debian's "
							"kernels ask for CAP_SYS_ADMIN" : "");
	}
	if (rc) {
		sideband_destroy(sideband);
		return rc;
	}
	*ret_sideband = sideband;
	return 0;
}

void sideband_destroy(struct sideband *sideband)
{
	if (!sideband)
		return;
	for (uint32_t cpu = 0; sideband->rings && cpu < sideband->max_cpus; cpu++)
		perf_ring_close(&sideband->rings[cpu]);
	hash_map_deinit(&sideband->seen);
	free(sideband->rings);
	free(sideband->keys);
	free(sideband->totals);
	free(sideband);
}

unsigned int sideband_seen(const struct sideband *sideband, uint32_t tgid)
{
	const uint64_t *flags = hash_map_find(&sideband->seen, &tgid, sizeof(tgid));

	return flags ? (unsigned int)*flags : 0;
}

void sideband_stop_seeing(struct sideband *sideband)
{
	sideband->seeing = false;
	hash_map_deinit(&sideband->seen);
}

int sideband_start_seeing(struct sideband *sideband)
{
	int r;

	hash_map_deinit(&sideband->seen);
	r = hash_map_init_fixed(&sideband->seen, MAX_SEEN, MAX_SEEN * sizeof(uint32_t));
	sideband->seeing = !r;
	return r;
}

uint64_t sideband_lost(const struct sideband *sideband, uint32_t cpu)
{
	return sideband->totals[cpu].lost;
}

void sideband_totals(const struct sideband *sideband, uint32_t cpu, struct stream_cpu *totals)
{
	const struct ring_lives counted = totals->counted;

	*totals = sideband->totals[cpu];
	totals->counted = counted;
}

uint64_t sideband_ring_bytes(const struct sideband *sideband)
{
	uint64_t bytes = 0;

	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++)
		bytes += sideband->rings[cpu].page ? sideband->rings[cpu].size + (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return bytes;
}

static void tell_unavailable(const struct sideband *sideband, const struct event_maps_unavailable *record)
{
	struct recording *recording = sideband->recording;
	const struct event event = {.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = *record};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

void sideband_maps_unavailable(struct sideband *sideband, uint32_t tgid, int error)
{
	const struct event_maps_unavailable record = {sideband->recording->start, tgid, (uint32_t)-error};

	tell_unavailable(sideband, &record);
	if (sideband->unavailable_count < UNAVAILABLE_KEPT)
		sideband->unavailable[sideband->unavailable_count++] = record;
}

void sideband_tell_unavailable(struct sideband *sideband)
{
	for (uint32_t i = 0; i < sideband->unavailable_count; i++)
		tell_unavailable(sideband, &sideband->unavailable[i]);
}

void sideband_forget_unavailable(struct sideband *sideband, uint32_t tgid)
{
	for (uint32_t i = 0; i < sideband->unavailable_count; i++)
		if (sideband->unavailable[i].tgid == tgid)
			sideband->unavailable[i--] = sideband->unavailable[--sideband->unavailable_count];
}

void sideband_bury(struct sideband *sideband, uint64_t before)
{
	ended_bury(&sideband->ended, hits_spaces(sideband->recording->hits), before);
}
