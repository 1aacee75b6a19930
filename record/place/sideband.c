/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/sideband.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/host/cpus.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband_internal.h"
#include "record/place/sideband_records.h"
#include "record/plan/recording.h"

/* --- processes that share memory --- */

/* Processes that share their memory with another one: what one maps, all have. */

enum { SHARERS = sizeof(((struct sideband *)0)->sharers) / sizeof(struct sharer) };

void sideband_follow_shares(struct sideband *sideband, const struct ring_shares *shares)
{
	sideband->shares = shares;
	sideband->shares_taken = shares ? shares->count : 0;
}

static struct sharer *find(struct sideband *sideband, uint32_t tgid)
{
	for (size_t i = 0; i < SHARERS; i++)
		if (sideband->sharers[i].group && sideband->sharers[i].tgid == tgid)
			return &sideband->sharers[i];
	return NULL;
}

/* The oldest is forgotten if there are too many. */
static void add(struct sideband *sideband, uint32_t tgid, uint32_t group)
{
	struct sharer *sharer = find(sideband, tgid);

	if (!sharer)
		sharer = &sideband->sharers[sideband->next_sharer++ % SHARERS];
	*sharer = (struct sharer){tgid, group};
}

static void take(struct sideband *sideband, const struct ring_share *share)
{
	const struct sharer *parent = find(sideband, share->parent_tgid);
	uint32_t group = parent ? parent->group : ++sideband->groups;

	if (!parent)
		add(sideband, share->parent_tgid, group);
	add(sideband, share->tgid, group);
}

/* In the order of time: before that, and after, each of them may have executed another program. */
void sideband_take_shares(struct sideband *sideband, uint64_t until)
{
	const struct ring_shares *shares = sideband->shares;
	uint32_t count = shares ? __atomic_load_n(&shares->count, __ATOMIC_ACQUIRE) : 0;

	if (!shares)
		return;
	if (count - sideband->shares_taken > RING_SHARES)
		sideband->shares_taken = count - RING_SHARES;
	for (; sideband->shares_taken != count; sideband->shares_taken++) {
		const struct ring_share *share = &shares->items[sideband->shares_taken % RING_SHARES];

		if (share->time > until)
			break;
		take(sideband, share);
	}
}

static void sideband_forget_unavailable(struct sideband *sideband, uint32_t tgid)
{
	for (uint32_t i = 0; i < sideband->unavailable_count; i++)
		if (sideband->unavailable[i].tgid == tgid)
			sideband->unavailable[i--] = sideband->unavailable[--sideband->unavailable_count];
}

static void sideband_unshare(struct sideband *sideband, uint32_t tgid)
{
	struct sharer *sharer = sideband->groups ? find(sideband, tgid) : NULL;

	if (sharer)
		*sharer = (struct sharer){0};
}

uint32_t sideband_next_sharer(const struct sideband *sideband, uint32_t tgid, uint32_t *cursor)
{
	const struct sharer *own = NULL;

	for (size_t i = 0; sideband->groups && i < SHARERS && !own; i++)
		if (sideband->sharers[i].group && sideband->sharers[i].tgid == tgid)
			own = &sideband->sharers[i];
	while (own && *cursor < SHARERS) {
		const struct sharer *sharer = &sideband->sharers[(*cursor)++];

		if (sharer->group == own->group && sharer != own)
			return sharer->tgid;
	}
	return 0;
}

/* --- records, one at a time --- */

enum { COMM_BYTES = 16 };

/*
 * Where a KSYMBOL record ends. The kernel (still in 6.18) adds the room for the time to its size
 * again for each listener on the CPU, but writes the time once: after it, all but the first
 * listener find what was in the ring before.
 */
static size_t ksymbol_end(const struct perf_event_header *header)
{
	const struct ksymbol_record *record = (const void *)header;
	size_t name = offsetof(struct ksymbol_record, name);
	size_t length = header->size > name ? strnlen(record->name, header->size - name) : 0;
	size_t end = ((name + length + 1 + 7) & ~(size_t)7) + sizeof(uint64_t);

	return end < header->size ? end : header->size;
}

uint64_t sideband_record_time(const struct perf_event_header *header)
{
	size_t end = header->type == PERF_RECORD_KSYMBOL ? ksymbol_end(header) : header->size;
	uint64_t time = 0;

	if (end >= sizeof(*header) + sizeof(time))
		memcpy(&time, (const uint8_t *)header + end - sizeof(time), sizeof(time));
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

/* Every process has these two, which hold the kernel's own code. */
static bool is_made_by_process(const char *path)
{
	return strcmp(path, "[vsyscall]") != 0 && strcmp(path, "[uprobes]") != 0;
}

/* "[vdso]", "//anon", "[heap]" ... are not files. */
static enum module_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return MODULE_VDSO;
	return path[0] == '/' && path[1] != '/' ? MODULE_FILE : MODULE_ANONYMOUS;
}

/* The kernel's names for shared memory, and for that in large pages. */
static bool is_memory(const char *path)
{
	return !strcmp(path, "/dev/zero") || !strcmp(path, "/anon_hugepage") || !strncmp(path, "/SYSV", 5);
}

static void note_jit(struct sideband *sideband, const struct sideband_mapping *mapping)
{
	if (sideband->files)
		module_files_note_jit(sideband->files, mapping->tgid, mapping->flags & MAPPING_INITIAL);
}

static uint32_t module_of(struct sideband *sideband, const struct sideband_mapping *mapping)
{
	enum module_kind kind = kind_of(mapping->path);
	struct module_identity identity = {
		.path = mapping->path,
		.device = mapping->device,
		.inode = mapping->inode,
		.generation = mapping->generation,
		.tgid = mapping->tgid,
		.deleted = mapping->deleted,
		.memory = is_memory(mapping->path),
	};
	uint32_t id;

	if (kind == MODULE_ANONYMOUS && is_made_by_process(mapping->path))
		note_jit(sideband, mapping);
	if (kind != MODULE_FILE)
		return module_table_special(sideband->recording->modules, kind);
	id = module_table_file(sideband->recording->modules, &identity);
	if (id && sideband->files && module_files_changed(sideband->files, id))
		id = module_table_file_anew(sideband->recording->modules, &identity);
	if (id && hits_is_made(sideband->recording->hits, id))
		note_jit(sideband, mapping);
	if (id && sideband->files && !identity.memory)
		module_files_ask(sideband->files, id, mapping->tgid, mapping->start, mapping->end);
	return id;
}

static bool is_known(struct sideband *sideband, uint32_t tgid, const struct mapping *range)
{
	struct mapping known;

	return address_spaces_find(spaces(sideband), tgid, range->start, &known) && known.start == range->start &&
	       known.end == range->end && known.file_offset == range->file_offset && known.module == range->module;
}

static void tell_mapping(struct sideband *sideband, const struct module_copy *mapping)
{
	struct recording *recording = sideband->recording;
	struct event event = {
		.kind = EVENT_MAPPING,
		.mapping = {.time = mapping->time,
			    .tgid = mapping->tgid,
			    .start = mapping->start,
			    .length = mapping->end - mapping->start,
			    .file_offset = mapping->file_offset,
			    .module = mapping->module,
			    .flags = mapping->flags},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static bool is_program(struct sideband *sideband, uint32_t module)
{
	const struct module_entry *entry = module_table_find(sideband->recording->modules, module);

	return entry && entry->kind == MODULE_FILE;
}

/*
 * Memory mapped over a file's code, and over nothing else. It may be a copy: a program that puts large pages
 * there copies the code into them first, or right afterwards. Or the file was unmapped, which no record tells.
 * Until they were compared, what points there needs the names of both.
 */
static bool find_covered(struct sideband *sideband, const struct sideband_mapping *mapping, struct mapping *range)
{
	struct mapping old;

	if (!hits_is_made(sideband->recording->hits, range->module) ||
	    !address_spaces_find(spaces(sideband), mapping->tgid, range->start, &old) ||
	    !is_program(sideband, old.module) || range->end > old.end)
		return false;
	range->module = old.module;
	range->file_offset = old.file_offset + (range->start - old.start);
	return true;
}

/* Written as memory until it is known to be a copy. */
static void compare(struct sideband *sideband, const struct module_copy *mapping, const struct mapping *range)
{
	struct module_copy copy = *mapping;

	copy.module = range->module;
	copy.file_offset = range->file_offset;
	copy.flags |= MAPPING_COPIED;
	if (sideband->files)
		module_files_compare(sideband->files, &copy);
}

void sideband_take_copies(struct sideband *sideband)
{
	struct module_copy copy;

	while (sideband->files && module_files_copied(sideband->files, &copy)) {
		const struct mapping range = {.start = copy.start, .end = copy.end, .file_offset = copy.file_offset,
					      .module = copy.module, .note = MAPPING_IS_COPY};

		tell_mapping(sideband, &copy);
		if (is_known(sideband, copy.tgid, &range))
			(void)address_spaces_map(spaces(sideband), copy.tgid, &range);
	}
}

void sideband_compare_copies(struct sideband *sideband)
{
	if (sideband->files)
		module_files_compare_now(sideband->files);
	sideband_take_copies(sideband);
}

void sideband_map(struct sideband *sideband, const struct sideband_mapping *mapping)
{
	struct mapping range = {.start = mapping->start,
				.end = mapping->end,
				.file_offset = mapping->file_offset,
				.module = module_of(sideband, mapping)};
	struct module_copy told = {mapping->time, range.start, range.end, range.file_offset, mapping->flags,
				   mapping->tgid, range.module};
	uint32_t sharer = 0;

	if (mapping->only_new && is_known(sideband, mapping->tgid, &range))
		return;
	if (mapping->copied)
		told.module = module_table_special(sideband->recording->modules, MODULE_ANONYMOUS);
	if (mapping->copied || find_covered(sideband, mapping, &range))
		range.note = MAPPING_MAY_BE_COPY;
	if (range.note)
		compare(sideband, &told, &range);
	do {
		tell_mapping(sideband, &told);
		(void)address_spaces_map(spaces(sideband), told.tgid, &range);
		told.tgid = sideband_next_sharer(sideband, mapping->tgid, &sharer);
	} while (told.tgid);
}

static void apply_mmap2(struct sideband *sideband, const struct perf_event_header *header)
{
	static const char DELETED[] = " (deleted)";
	const struct mmap2_record *record = (const void *)header;
	size_t length = strnlen(record->path, header->size - sizeof(*record));
	size_t suffix = sizeof(DELETED) - 1;
	char path[PATH_MAX + sizeof(DELETED)]; /* the kernel writes no longer ones */
	struct sideband_mapping mapping = {
		.time = sideband_record_time(header),
		.tgid = record->tgid,
		.start = record->start,
		.end = record->start + record->length,
		.file_offset = record->file_offset,
		.device = makedev(record->device_major, record->device_minor),
		.inode = record->inode,
		.generation = (uint32_t)record->generation,
		.path = record->path,
		.deleted = length > suffix && !memcmp(record->path + length - suffix, DELETED, suffix),
	};

	if (record->tgid == UINT32_MAX) /* kernel text */
		return;
	if (mapping.deleted || length == header->size - sizeof(*record)) { /* the usual path ends inside the record */
		length -= mapping.deleted ? suffix : 0;
		length = length < sizeof(path) ? length : sizeof(path) - 1;
		memcpy(path, record->path, length);
		path[length] = '\0';
		mapping.path = path;
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
		.comm = {.time = sideband_record_time(header),
			 .tgid = record->tgid,
			 .tid = record->tid,
			 .flags = exec ? COMM_EXEC : 0,
			 .comm = {record->comm, (uint32_t)strnlen(record->comm, COMM_BYTES - 1)}},
	};

	if (exec) {
		sideband_forget_unavailable(sideband, record->tgid);
		see(sideband, record->tgid, SIDEBAND_EXECED);
		sideband_unshare(sideband, record->tgid);
		ended_exec(&sideband->ended, spaces(sideband), record->tgid, event.comm.time);
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

/*
 * Threads share everything that this file records, so only forks of processes are recorded.
 */
static void apply_fork(struct sideband *sideband, const struct perf_event_header *header)
{
	struct recording *recording = sideband->recording;
	const struct task_record *record = (const void *)header;
	struct event event = {
		.kind = EVENT_FORK,
		.fork = {record->time, record->tgid, record->tid, record->parent_tgid},
	};

	if (record->tgid == record->parent_tgid) {
		grow_up(sideband, record->tgid);
		return;
	}
	*young_slot(sideband, record->tgid) = record->tgid;
	see(sideband, record->tgid, SIDEBAND_FORKED);
	ended_renew(&sideband->ended, spaces(sideband), record->tgid);
	(void)address_spaces_fork(spaces(sideband), record->parent_tgid, record->tgid);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void apply_exit(struct sideband *sideband, const struct perf_event_header *header)
{
	struct recording *recording = sideband->recording;
	const struct task_record *record = (const void *)header;
	struct event event = {.kind = EVENT_EXIT, .exit = {record->time, record->tgid, record->tid}};

	if (record->tgid != record->tid)
		return;
	sideband_forget_unavailable(sideband, record->tgid);
	sideband_unshare(sideband, record->tgid);
	ended_add(&sideband->ended, spaces(sideband), record->tgid,
		  *young_slot(sideband, record->tgid) == record->tgid, record->time);
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

/* Counts what the watch compares with BPF's counts. */
static void count(struct stream_cpu *totals, const struct perf_event_header *header)
{
	static const enum ring_life lives[] = {
		[PERF_RECORD_FORK] = RING_LIFE_FORK,
		[PERF_RECORD_COMM] = RING_LIFE_RENAME,
		[PERF_RECORD_EXIT] = RING_LIFE_EXIT,
	};

	totals->any++;
	if (header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_COMM || header->type == PERF_RECORD_EXIT)
		totals->records.counts[lives[header->type]]++;
}

void sideband_apply_record(struct sideband *sideband, uint32_t cpu, const struct perf_event_header *header)
{
	sideband_take_shares(sideband, sideband_record_time(header));
	count(&sideband->totals[cpu], header);
	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct lost_record))
		sideband->totals[cpu].lost += ((const struct lost_record *)(const void *)header)->lost;
	else if (header->type < sizeof(HANDLERS) / sizeof(HANDLERS[0]) && HANDLERS[header->type].apply &&
		 header->size >= HANDLERS[header->type].least)
		HANDLERS[header->type].apply(sideband, header);
}

bool sideband_knows(const struct sideband *sideband, uint32_t tgid)
{
	return address_spaces_generation(hits_spaces(sideband->recording->hits), tgid);
}

/* --- the rings --- */

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

void sideband_bury(struct sideband *sideband, uint64_t before)
{
	ended_bury(&sideband->ended, hits_spaces(sideband->recording->hits), before);
}
