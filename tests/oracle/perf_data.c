/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/unconst.h"

enum { REGISTERS_64_BIT = 2, REGISTERS_PERF = 24, PROT_EXECUTE = 4 };

struct file_header { /* struct perf_file_header, its beginning */
	char magic[8];
	uint64_t size, attr_size, attrs_offset, attrs_size, data_offset, data_size;
};

struct record {
	uint64_t time, offset;
};

struct process {
	uint32_t pid;
	ARRAY(struct oracle_mapping) maps; /* ascending */
	struct oracle_space *space;	   /* NULL: something has changed */
};

struct replay {
	struct perf_data *data;
	uint64_t sample_type, registers_mask;
	bool ids_everywhere;
	ARRAY(struct record) records;
	ARRAY(struct process) processes;
};

/* --- address spaces --- */

static struct process *process_of(struct replay *replay, uint32_t pid)
{
	for (size_t i = replay->processes.count; i-- > 0;)
		if (replay->processes.items[i].pid == pid)
			return &replay->processes.items[i];
	if (array_push(&replay->processes, (struct process){.pid = pid}) < 0)
		abort();
	return &replay->processes.items[replay->processes.count - 1];
}

static void forget_maps(struct process *process)
{
	process->maps.count = 0;
	process->space = NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct oracle_mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Mappings that overlap the new one are cut, or removed. */
static void add_map(struct process *process, const struct oracle_mapping *added)
{
	size_t count = process->maps.count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct oracle_mapping map = process->maps.items[i], rest = map;

		if (map.start < added->end && map.end > added->start) {
			rest.start = added->end;
			if (map.end > added->end && array_push(&process->maps, rest) < 0)
				abort();
			map.end = added->start;
		}
		if (map.start < map.end)
			process->maps.items[kept++] = map;
	}
	memmove(process->maps.items + kept, process->maps.items + count,
		(process->maps.count - count) * sizeof(*process->maps.items));
	process->maps.count -= count - kept;
	if (array_push(&process->maps, *added) < 0)
		abort();
	qsort(process->maps.items, process->maps.count, sizeof(*process->maps.items), by_start);
	process->space = NULL;
}

static struct oracle_space *space_of(struct replay *replay, struct process *process)
{
	struct oracle_modules *modules = &replay->data->modules;
	struct oracle_space *space;

	if (process->space)
		return process->space;
	space = calloc(1, sizeof(*space));
	space->modules = modules;
	for (size_t i = 0; i < process->maps.count; i++)
		if (array_push(&space->maps, process->maps.items[i]) < 0)
			abort();
	if (array_push(&modules->spaces, space) < 0)
		abort();
	space->generation = modules->spaces.count;
	process->space = space;
	return space;
}

/* --- records --- */

static void replay_map(struct replay *replay, struct byte_cursor *cursor, bool second)
{
	uint32_t pid = byte_cursor_u32(cursor), protection = PROT_EXECUTE;
	struct oracle_mapping map = {0};
	char path[4200] = "";

	(void)byte_cursor_u32(cursor);
	map.start = byte_cursor_u64(cursor);
	map.end = map.start + byte_cursor_u64(cursor);
	map.file_offset = byte_cursor_u64(cursor);
	if (second) {
		(void)byte_cursor_bytes(cursor, 24); /* device, inode, generation; or a build-id */
		protection = byte_cursor_u32(cursor);
		(void)byte_cursor_u32(cursor);
	}
	for (size_t i = 0; i < sizeof(path) - 1 && byte_cursor_left(cursor); i++)
		path[i] = (char)byte_cursor_u8(cursor);
	if (cursor->bad || !(protection & PROT_EXECUTE) || pid == UINT32_MAX)
		return;
	map.module = oracle_module_find(&replay->data->modules, getpid(), path, map.start, map.end);
	map.bias = map.module == UINT32_MAX ? 0 : oracle_bias(replay->data->modules.items.items[map.module], &map);
	add_map(process_of(replay, pid), &map);
}

static void replay_fork(struct replay *replay, struct byte_cursor *cursor)
{
	uint32_t pid = byte_cursor_u32(cursor), parent = byte_cursor_u32(cursor);
	struct process *child;

	if (cursor->bad || pid == parent)
		return;
	child = process_of(replay, pid);
	forget_maps(child);
	for (size_t i = 0; i < process_of(replay, parent)->maps.count; i++)
		if (array_push(&process_of(replay, pid)->maps, process_of(replay, parent)->maps.items[i]) < 0)
			abort();
}

/*
 * perf's order of registers (asm/perf_regs.h): ax bx cx dx si di bp sp ip flags and segments,
 * r8-r15; ours is DWARF's.
 */
static bool take_registers(const struct replay *replay, struct byte_cursor *cursor, struct oracle_snapshot *snapshot)
{
	static const int8_t dwarf[REGISTERS_PERF] = {0,	 3,  2,	 1,  4,	 5,  6, 7, 16, -1, -1, -1,
						     -1, -1, -1, -1, 8,	 9,  10, 11, 12, 13, 14, 15};
	uint64_t abi = byte_cursor_u64(cursor);

	for (int i = 0; abi && i < 64; i++) {
		uint64_t value = replay->registers_mask >> i & 1 ? byte_cursor_u64(cursor) : 0;

		if (!(replay->registers_mask >> i & 1) || i >= REGISTERS_PERF || dwarf[i] < 0)
			continue;
		snapshot->registers[dwarf[i]] = value;
		snapshot->known |= UINT64_C(1) << dwarf[i];
	}
	return abi == REGISTERS_64_BIT;
}

static void take_stack(struct byte_cursor *cursor, struct oracle_snapshot *snapshot)
{
	uint64_t size = byte_cursor_u64(cursor), filled;
	const uint8_t *bytes = byte_cursor_bytes(cursor, size);

	filled = size ? byte_cursor_u64(cursor) : 0;
	snapshot->stack = unconst(bytes);
	snapshot->stack_size = filled < size ? filled : size;
	snapshot->stack_address = snapshot->registers[7];
}

static void replay_sample(struct replay *replay, struct byte_cursor *cursor)
{
	uint64_t type = replay->sample_type, chain = 0;
	struct perf_sample sample = {0};
	bool usable;

	if (type & PERF_SAMPLE_IDENTIFIER)
		(void)byte_cursor_u64(cursor);
	if (type & PERF_SAMPLE_IP)
		(void)byte_cursor_u64(cursor);
	sample.pid = byte_cursor_u32(cursor);
	sample.tid = byte_cursor_u32(cursor);
	sample.time = byte_cursor_u64(cursor);
	for (uint64_t bit = PERF_SAMPLE_ADDR; bit <= PERF_SAMPLE_PERIOD; bit <<= 1)
		if (type & bit & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD))
			(void)byte_cursor_u64(cursor);
	if (type & PERF_SAMPLE_CALLCHAIN)
		chain = byte_cursor_u64(cursor);
	(void)byte_cursor_bytes(cursor, chain * sizeof(uint64_t));
	usable = take_registers(replay, cursor, &sample.snapshot);
	take_stack(cursor, &sample.snapshot);
	if (!usable || cursor->bad) {
		replay->data->without++;
		return;
	}
	sample.snapshot.space = space_of(replay, process_of(replay, sample.pid));
	if (array_push(&replay->data->samples, sample) < 0)
		abort();
}

static void replay_record(struct replay *replay, const struct record *record)
{
	struct perf_event_header header;
	struct byte_cursor cursor;

	memcpy(&header, replay->data->bytes + record->offset, sizeof(header));
	cursor = byte_cursor_make(replay->data->bytes + record->offset + sizeof(header), header.size - sizeof(header));
	switch (header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		replay_map(replay, &cursor, header.type == PERF_RECORD_MMAP2);
		break;
	case PERF_RECORD_COMM:
		if (header.misc & PERF_RECORD_MISC_COMM_EXEC)
			forget_maps(process_of(replay, byte_cursor_u32(&cursor)));
		break;
	case PERF_RECORD_FORK:
		replay_fork(replay, &cursor);
		break;
	case PERF_RECORD_SAMPLE:
		replay_sample(replay, &cursor);
		break;
	default:
		break;
	}
}

/* --- the file --- */

/* The time of a record: in samples near the start, in other records the nth word from the end. */
static uint64_t time_of(const struct replay *replay, const struct perf_event_header *header, const uint8_t *record)
{
	uint64_t type = replay->sample_type, time;
	size_t at = sizeof(*header) + 8 * (!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) + 1), behind;

	if (header->type != PERF_RECORD_SAMPLE) {
		behind = !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU) +
			 !!(type & PERF_SAMPLE_IDENTIFIER);
		at = header->size - 8 * (behind + 1);
	}
	if (at > header->size - sizeof(time) || header->size < sizeof(*header) + sizeof(time))
		return 0;
	memcpy(&time, record + at, sizeof(time));
	return time;
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int collect(struct replay *replay, uint64_t start, uint64_t end)
{
	const uint8_t *bytes = replay->data->bytes;

	for (uint64_t offset = start; offset + sizeof(struct perf_event_header) <= end;) {
		struct perf_event_header header;

		memcpy(&header, bytes + offset, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - offset)
			return -EBADMSG;
		if (header.type < 64 && /* those above are perf's own */
		    array_push(&replay->records, (struct record){time_of(replay, &header, bytes + offset), offset}) < 0)
			return -ENOMEM;
		offset += header.size;
	}
	qsort(replay->records.items, replay->records.count, sizeof(*replay->records.items), by_time);
	return 0;
}

/* All events must have the same attributes: more is not needed here. */
static int read_attributes(struct replay *replay, const struct file_header *header)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	const uint64_t unknown = PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	struct perf_event_attr attr = {0};
	size_t size = header->attr_size < sizeof(attr) ? header->attr_size : sizeof(attr);

	if (header->attrs_size != header->attr_size || header->attrs_offset > replay->data->size - header->attr_size)
		return -ENOTSUP;
	memcpy(&attr, replay->data->bytes + header->attrs_offset, size);
	replay->sample_type = attr.sample_type;
	replay->registers_mask = attr.sample_regs_user;
	if (!attr.sample_id_all || (attr.sample_type & needed) != needed || attr.sample_type & unknown)
		return -ENOTSUP;
	return 0;
}

static int map_file(const char *path, struct perf_data *data)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -errno;
	data->bytes = bytes;
	data->size = (size_t)status.st_size;
	return 0;
}

int perf_data_open(const char *path, struct perf_data *ret_data)
{
	struct replay replay = {.data = ret_data};
	struct file_header header = {0};
	int r = map_file(path, ret_data);

	if (!r && ret_data->size >= sizeof(header))
		memcpy(&header, ret_data->bytes, sizeof(header));
	if (!r && (memcmp(header.magic, "PERFILE2", 8) || header.data_offset > ret_data->size ||
		   header.data_size > ret_data->size - header.data_offset))
		r = -EBADMSG;
	if (!r)
		r = read_attributes(&replay, &header);
	if (!r)
		r = collect(&replay, header.data_offset, header.data_offset + header.data_size);
	if (r < 0) {
		(void)fprintf(stderr, "'%s' cannot be read as perf's: %s\n", path, strerror(-r));
		return r;
	}
	for (size_t i = 0; i < replay.records.count; i++)
		replay_record(&replay, &replay.records.items[i]);
	array_free(&replay.records);
	array_free(&replay.processes);
	return 0;
}
