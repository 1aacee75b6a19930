/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "format/event_log.h"
#include "record/clocks.h"
#include "record/hits.h"
#include "record/kernel_map.h"
#include "record/merge.h"
#include "record/module_files.h"
#include "record/module_table.h"
#include "record/perf_ring.h"
#include "record/recording.h"
#include "record/sideband_records.h"

/* Rings share a budget, so that a host of hundreds of CPUs does not lock hundreds of megabytes. */
enum {
	RINGS_BUDGET = 64 << 20,
	RING_LEAST = 64 << 10,
	RING_MOST = 2 << 20,
	MAX_SEEN = 1 << 16,
	COMM_BYTES = 16,
};

/*
 * Processes whose first thread ended, and their address spaces: kept for a while, because other threads may run on,
 * and then given up, so that memory does not grow with the processes ever seen.
 */
enum { ENDED_KEPT = 256,
       YOUNG_SLOTS = 4096 };
struct ended {
	uint32_t tgid;
	uint64_t generation; /* another one by now: the number is in use again */
};

struct sideband {
	struct recording *recording;
	struct module_files *files;
	struct perf_ring *rings; /* by CPU number */
	uint64_t *next_time;     /* of each ring's next record; UINT64_MAX: none */
	uint64_t horizon;	 /* of the last look; what is younger waits */
	uint64_t *lost;
	uint32_t max_cpus;
	size_t ring_bytes; /* of each */
	struct perf_event_attr attr;
	struct hash_map seen; /* tgid -> enum sideband_seen */
	bool seeing;	      /* somebody may ask for that yet */
	struct ended ended[ENDED_KEPT];
	uint32_t ended_count;
	uint32_t young[YOUNG_SLOTS]; /* tgids, by their low bits: forked lately, with one thread so far */
};

/* --- what records mean ---------------------------------------------------------------------------- */

static uint64_t record_time(const struct perf_event_header *header)
{
	uint64_t time = 0;

	if (header->size >= sizeof(*header) + sizeof(time))
		memcpy(&time, (const uint8_t *)header + header->size - sizeof(time), sizeof(time));
	return time;
}

static void see(struct sideband *sideband, uint32_t tgid, uint64_t what)
{
	uint64_t *flags;

	if (!sideband->seeing)
		return;
	if (hash_map_add(&sideband->seen, &tgid, sizeof(tgid), 0, &flags) >= 0)
		*flags |= what;
}

static struct address_spaces *spaces(struct sideband *sideband)
{
	return hits_spaces(sideband->recording->hits);
}

/* "[vdso]", "//anon", "[heap]" ... are no files; "/memfd:", "/SYSV" and such can be opened like files where they are mapped. */
static enum module_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return MODULE_VDSO;
	return path[0] == '/' && path[1] != '/' ? MODULE_FILE : MODULE_ANONYMOUS;
}

static uint32_t module_of(struct sideband *sideband, const struct sideband_mapping *mapping)
{
	enum module_kind kind = kind_of(mapping->path);
	struct module_identity identity = {
		.path = mapping->path,
		.device = mapping->device,
		.inode = mapping->inode,
		.deleted = mapping->deleted,
	};
	uint32_t id;

	if (kind != MODULE_FILE)
		return module_table_special(sideband->recording->modules, kind);
	identity.build_id.length = mapping->build_id_length;
	if (mapping->build_id_length)
		memcpy(identity.build_id.bytes, mapping->build_id, mapping->build_id_length);
	id = module_table_file(sideband->recording->modules, &identity);
	if (id && sideband->files)
		module_files_ask(sideband->files, id, mapping->tgid, mapping->start, mapping->end);
	return id;
}

void sideband_map(struct sideband *sideband, const struct sideband_mapping *mapping)
{
	struct recording *recording = sideband->recording;
	uint32_t module = module_of(sideband, mapping);
	struct mapping range = {mapping->start, mapping->end, mapping->file_offset, module};
	struct event event = {
		.kind = EVENT_MAPPING,
		.mapping = {.time = mapping->time,
			    .tgid = mapping->tgid,
			    .start = mapping->start,
			    .length = mapping->end - mapping->start,
			    .file_offset = mapping->file_offset,
			    .module = module,
			    .flags = mapping->flags},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
	(void)address_spaces_map(spaces(sideband), mapping->tgid, &range);
}

static void apply_mmap2(struct sideband *sideband, const struct perf_event_header *header)
{
	static const char DELETED[] = " (deleted)";
	const struct mmap2_record *record = (const void *)header;
	size_t length = strnlen(record->path, header->size - sizeof(*record));
	size_t suffix = sizeof(DELETED) - 1;
	bool has_build_id = header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	char path[UINT16_MAX];
	struct sideband_mapping mapping = {
		.time = record_time(header),
		.tgid = record->tgid,
		.start = record->start,
		.end = record->start + record->length,
		.file_offset = record->file_offset,
		.path = record->path,
		.deleted = length > suffix && !memcmp(record->path + length - suffix, DELETED, suffix),
	};

	if (record->tgid == UINT32_MAX) /* kernel text */
		return;
	if (mapping.deleted || length == header->size - sizeof(*record)) { /* the usual path ends in the record */
		length -= mapping.deleted ? suffix : 0;
		memcpy(path, record->path, length);
		path[length] = '\0';
		mapping.path = path;
	}
	if (has_build_id) {
		mapping.build_id = record->build_id;
		mapping.build_id_length = record->build_id_length > 20 ? 20 : record->build_id_length;
	} else {
		mapping.device = makedev(record->device_major, record->device_minor);
		mapping.inode = record->inode;
	}
	sideband_map(sideband, &mapping);
}

static void apply_comm(struct sideband *sideband, const struct perf_event_header *header)
{
	struct recording *recording = sideband->recording;
	const struct comm_record *record = (const void *)header;
	bool exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	struct event event = {
		.kind = EVENT_COMM,
		.comm = {.time = record_time(header),
			 .tgid = record->tgid,
			 .tid = record->tid,
			 .flags = exec ? COMM_EXEC : 0,
			 .comm = {record->comm, (uint32_t)strnlen(record->comm, COMM_BYTES - 1)}},
	};

	if (exec) {
		see(sideband, record->tgid, SIDEBAND_EXECED);
		(void)address_spaces_exec(spaces(sideband), record->tgid);
	}
	if (exec || record->tgid == record->tid)
		(void)recording_check(recording, event_log_add(recording->log, &event));
}

static uint32_t *young_slot(struct sideband *sideband, uint32_t tgid)
{
	return &sideband->young[tgid % YOUNG_SLOTS];
}

static void grow_up(struct sideband *sideband, uint32_t tgid)
{
	uint32_t *slot = young_slot(sideband, tgid);

	if (*slot == tgid)
		*slot = 0;
}

/* Threads share what this file is about: only processes are told. */
static void apply_fork(struct sideband *sideband, const struct perf_event_header *header)
{
	struct recording *recording = sideband->recording;
	const struct task_record *record = (const void *)header;
	struct event event = {
		.kind = EVENT_FORK,
		.fork = {record->time, record->tgid, record->tid, record->parent_tgid, record->parent_tid},
	};

	if (record->tgid == record->parent_tgid) {
		grow_up(sideband, record->tgid);
		return;
	}
	*young_slot(sideband, record->tgid) = record->tgid;
	see(sideband, record->tgid, SIDEBAND_FORKED);
	(void)address_spaces_fork(spaces(sideband), record->parent_tgid, record->tgid);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void forget(struct sideband *sideband, uint32_t tgid)
{
	struct ended *slot;

	if (*young_slot(sideband, tgid) == tgid) { /* its only thread: nothing can be left to come */
		address_spaces_exit(spaces(sideband), tgid);
		return;
	}
	slot = &sideband->ended[sideband->ended_count++ % ENDED_KEPT];
	if (slot->generation && slot->generation == address_spaces_generation(spaces(sideband), slot->tgid))
		address_spaces_exit(spaces(sideband), slot->tgid);
	*slot = (struct ended){tgid, address_spaces_generation(spaces(sideband), tgid)};
}

static void apply_exit(struct sideband *sideband, const struct perf_event_header *header)
{
	struct recording *recording = sideband->recording;
	const struct task_record *record = (const void *)header;
	struct event event = {.kind = EVENT_EXIT, .exit = {record->time, record->tgid, record->tid}};

	if (record->tgid != record->tid)
		return;
	forget(sideband, record->tgid);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void apply_ksymbol(struct sideband *sideband, const struct perf_event_header *header)
{
	const struct ksymbol_record *record = (const void *)header;
	struct kernel_map *map = sideband->recording->kernel_map;

	if (record->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		kernel_map_remove(map, record->address);
	else
		(void)kernel_map_add(map, record->address, record->length,
				     record->type == PERF_RECORD_KSYMBOL_TYPE_BPF, record->name);
}

static const struct handler {
	size_t least; /* bytes */
	void (*apply)(struct sideband *sideband, const struct perf_event_header *header);
} HANDLERS[] = {
	[PERF_RECORD_MMAP2] = {sizeof(struct mmap2_record) + 8, apply_mmap2},
	[PERF_RECORD_COMM] = {sizeof(struct comm_record) + 8, apply_comm},
	[PERF_RECORD_FORK] = {sizeof(struct task_record), apply_fork},
	[PERF_RECORD_EXIT] = {sizeof(struct task_record), apply_exit},
	[PERF_RECORD_KSYMBOL] = {sizeof(struct ksymbol_record) + 8, apply_ksymbol},
};

static void apply(struct sideband *sideband, uint32_t cpu, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct lost_record))
		sideband->lost[cpu] += ((const struct lost_record *)(const void *)header)->lost;
	else if (header->type < sizeof(HANDLERS) / sizeof(HANDLERS[0]) && HANDLERS[header->type].apply &&
		 header->size >= HANDLERS[header->type].least)
		HANDLERS[header->type].apply(sideband, header);
}

/* --- the rings ----------------------------------------------------------------------------------- */

static void peek_time(struct sideband *sideband, uint32_t cpu)
{
	const struct perf_event_header *header = perf_ring_peek(&sideband->rings[cpu]);

	sideband->next_time[cpu] = header ? record_time(header) : UINT64_MAX;
}

/*
 * A child's records on one CPU may be visible while its fork's, older, on another is not yet: what is younger than this
 * moment waits for the next look, when everything older is sure to be visible.
 */
void sideband_look(struct sideband *sideband)
{
	sideband->horizon = clocks_now();
	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++) {
		sideband->next_time[cpu] = UINT64_MAX;
		if (!sideband->rings[cpu].page)
			continue;
		perf_ring_look(&sideband->rings[cpu]);
		peek_time(sideband, cpu);
	}
}

uint64_t sideband_apply(struct sideband *sideband, uint64_t until)
{
	until = until < sideband->horizon ? until : sideband->horizon;
	for (;;) {
		uint64_t others;
		uint32_t cpu = merge_earliest(sideband->next_time, sideband->max_cpus, &others);

		if (sideband->next_time[cpu] > until)
			return sideband->next_time[cpu] > sideband->horizon ? UINT64_MAX : sideband->next_time[cpu];
		do {
			apply(sideband, cpu, perf_ring_peek(&sideband->rings[cpu]));
			perf_ring_next(&sideband->rings[cpu]);
			peek_time(sideband, cpu);
		} while (sideband->next_time[cpu] <= until && sideband->next_time[cpu] <= others);
	}
}

void sideband_follow_cpus(struct sideband *sideband)
{
	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++)
		if (!sideband->rings[cpu].page) /* -ENODEV while it is offline */
			(void)perf_ring_open(&sideband->rings[cpu], &sideband->attr, (int)cpu, sideband->ring_bytes);
}

static size_t ring_bytes_for(uint32_t cpus)
{
	size_t bytes = RING_MOST;

	while (bytes > RING_LEAST && bytes * cpus > RINGS_BUDGET)
		bytes /= 2;
	return bytes;
}

static void attr_fill(struct perf_event_attr *attr, size_t ring_bytes, bool user_stacks)
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
		.wakeup_watermark = (uint32_t)ring_bytes / 4,
		.ksymbol = 1,
		.mmap = user_stacks,
		.mmap2 = user_stacks,
		.build_id = user_stacks,
		.comm = user_stacks,
		.comm_exec = user_stacks,
		.task = user_stacks,
	};
}

static int rings_open(struct sideband *sideband)
{
	int error = -ENODEV;

	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++) {
		int rc = perf_ring_open(&sideband->rings[cpu], &sideband->attr, (int)cpu, sideband->ring_bytes);

		if (rc && rc != -ENODEV /* offline */)
			return rc;
		error = rc ? error : 0;
	}
	return error;
}

int sideband_create(struct recording *recording, struct module_files *files, struct sideband **ret_sideband)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));
	int rc = -ENOMEM;

	if (!sideband)
		return rc;
	sideband->recording = recording;
	sideband->files = files;
	sideband->max_cpus = recording->max_cpus;
	sideband->ring_bytes = ring_bytes_for(sideband->max_cpus);
	attr_fill(&sideband->attr, sideband->ring_bytes, recording->config->user_stacks);
	sideband->rings = calloc(sideband->max_cpus, sizeof(*sideband->rings));
	sideband->next_time = calloc(sideband->max_cpus, sizeof(*sideband->next_time));
	sideband->lost = calloc(sideband->max_cpus, sizeof(*sideband->lost));
	for (uint32_t cpu = 0; sideband->rings && cpu < sideband->max_cpus; cpu++)
		sideband->rings[cpu].fd = -1;
	if (sideband->rings && sideband->next_time && sideband->lost)
		rc = hash_map_init_fixed(&sideband->seen, MAX_SEEN, MAX_SEEN * sizeof(uint32_t));
	sideband->seeing = !rc;
	if (!rc) {
		rc = rings_open(sideband);
		if (rc)
			(void)log_error(-rc, "the kernel does not give its mapping and process records (perf_event_open of the dummy event): %s",
					strerror(-rc));
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
	free(sideband->next_time);
	free(sideband->lost);
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

uint64_t sideband_lost(const struct sideband *sideband, uint32_t cpu)
{
	return cpu < sideband->max_cpus ? sideband->lost[cpu] : 0;
}

uint64_t sideband_ring_bytes(const struct sideband *sideband)
{
	uint64_t bytes = 0;

	for (uint32_t cpu = 0; cpu < sideband->max_cpus; cpu++)
		bytes += sideband->rings[cpu].page ? sideband->rings[cpu].size + (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return bytes;
}

void sideband_maps_unavailable(struct sideband *sideband, uint32_t tgid, int error)
{
	struct recording *recording = sideband->recording;
	struct event event = {
		.kind = EVENT_MAPS_UNAVAILABLE,
		.maps_unavailable = {recording->start, tgid, (uint32_t)-error},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}
