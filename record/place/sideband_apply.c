/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/sideband_internal.h"

#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/address_space.h"
#include "format/event_log.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband_records.h"
#include "record/plan/recording.h"

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
