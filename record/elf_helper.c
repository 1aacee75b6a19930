/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/elf_helper.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/limits.h"
#include "record/jail.h"
#include "record/jit_log.h"
#include "record/packet.h"
#include "record/perf_map.h"
#include "record/symbol_pick.h"

enum { MAX_HITS = 1 << 20,
       CPU_SECONDS = 5,
       HITS_TIMEOUT_MS = 5000 };

static void elf_file_cleanup(struct elf_file **file)
{
	elf_file_destroy(*file);
}

static int hits_receive(int socket, uint32_t count, uint64_t **ret_hits)
{
	_cleanup_free_ uint64_t *hits = count <= MAX_HITS ? malloc((count + 1) * sizeof(*hits)) : NULL;
	size_t got = 0;

	if (!hits)
		return -ENOMEM;
	while (got < count) {
		ssize_t length = packet_receive(socket, hits + got, (count - got) * sizeof(*hits), HITS_TIMEOUT_MS, NULL);

		if (length <= 0 || (size_t)length % sizeof(*hits))
			return -EPROTO;
		got += (size_t)length / sizeof(*hits);
	}
	*ret_hits = steal_ptr(hits);
	return 0;
}

/* File offsets to link-time addresses; an offset in no segment becomes UINT64_MAX. Their order may change. */
static void hits_to_addresses(uint64_t *hits, size_t count, const struct elf_segment *segments, size_t segment_count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t address = UINT64_MAX;

		for (size_t s = 0; s < segment_count && address == UINT64_MAX; s++)
			if (segments[s].flags & 1 /* PF_X */ && hits[i] >= segments[s].file_offset &&
			    hits[i] - segments[s].file_offset < segments[s].file_size)
				address = hits[i] - segments[s].file_offset + segments[s].address;
		hits[i] = address;
	}
}

struct symbol_stream {
	int socket;
	struct elf_symbols_reply reply;
	uint8_t bytes[PACKET_MAX];
	size_t used;
};

static int stream_flush(struct symbol_stream *stream, bool last)
{
	int rc;

	stream->reply.last = last;
	memcpy(stream->bytes, &stream->reply, sizeof(stream->reply));
	rc = packet_send(stream->socket, stream->bytes, stream->used, -1);
	stream->used = sizeof(stream->reply);
	stream->reply.count = 0;
	return rc;
}

static int stream_add(struct symbol_stream *stream, const struct elf_symbol *symbol, const char *name)
{
	size_t length = strnlen(name, RWK_MAX_STRING);
	struct elf_symbol_record record = {symbol->address, symbol->size, (uint32_t)length};
	int rc = 0;

	if (sizeof(record) + length > sizeof(stream->bytes) - stream->used)
		rc = stream_flush(stream, false);
	memcpy(stream->bytes + stream->used, &record, sizeof(record));
	memcpy(stream->bytes + stream->used + sizeof(record), name, length);
	stream->used += sizeof(record) + length;
	stream->reply.count++;
	return rc;
}

/* Which symbols go out: keep[i]; returns their bytes. */
static uint64_t symbols_choose(const struct elf_request *request, struct elf_symbols *symbols, const uint64_t *hits,
			       bool *keep, bool *ret_full)
{
	uint64_t all = 0, some = 0;

	symbol_pick_prepare(symbols->items, symbols->count);
	symbol_pick_mark(symbols->items, symbols->count, hits, request->hit_count, keep);
	for (size_t i = 0; i < symbols->count; i++) {
		uint64_t bytes = sizeof(struct elf_symbol_record) + strlen(symbols->names + symbols->items[i].name);

		all += bytes;
		some += keep[i] ? bytes : 0;
	}
	*ret_full = all <= request->full_room;
	if (*ret_full)
		memset(keep, true, symbols->count);
	return *ret_full ? all : some;
}

static int symbols_send(struct symbol_stream *stream, const struct elf_symbols *symbols, const bool *keep)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < symbols->count; i++)
		if (keep[i])
			rc = stream_add(stream, &symbols->items[i], symbols->names + symbols->items[i].name);
	return rc ? rc : stream_flush(stream, true);
}

/* The reply, and behind it the symbols that were asked for. */
static int answer(int socket, const struct elf_request *request, struct elf_reply *reply, struct elf_symbols *symbols,
		  const uint64_t *hits)
{
	_cleanup_free_ struct symbol_stream *stream = calloc(1, sizeof(*stream));
	_cleanup_free_ bool *keep = calloc(symbols->count + 1, sizeof(*keep));
	bool full = false;
	int rc;

	if (!reply->error && (!stream || !keep))
		reply->error = -ENOMEM;
	if (!reply->error && request->what != ELF_BUILD_ID)
		reply->bytes = symbols_choose(request, symbols, hits, keep, &full);
	reply->full = full;
	rc = packet_send(socket, reply, sizeof(*reply), -1);
	if (rc || reply->error || request->what == ELF_BUILD_ID)
		return rc;
	stream->socket = socket;
	stream->reply.token = request->token;
	stream->used = sizeof(stream->reply);
	return symbols_send(stream, symbols, keep);
}

static void identity_fill(const struct elf_file *file, struct elf_reply *reply)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	reply->machine = elf_file_machine(file);
	elf_file_build_id(file, &reply->build_id);
	reply->segment_count = (uint32_t)(count < ELF_REPLY_SEGMENTS ? count : ELF_REPLY_SEGMENTS);
	memcpy(reply->segments, segments, reply->segment_count * sizeof(*segments));
}

static int uint64_compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int elf_serve(int socket, const struct elf_request *request, int fd, uint64_t *hits)
{
	_cleanup_(elf_file_cleanup) struct elf_file *file = NULL;
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	struct elf_reply reply = {.token = request->token};
	const struct elf_segment *segments;
	size_t segment_count;

	reply.error = elf_file_create(fd, &file);
	if (!reply.error && request->what == ELF_SYMBOLS)
		reply.error = elf_file_symbols(file, &symbols);
	if (!reply.error) {
		identity_fill(file, &reply);
		segment_count = elf_file_segments(file, &segments);
		hits_to_addresses(hits, request->hit_count, segments, segment_count);
		qsort(hits, request->hit_count, sizeof(*hits), uint64_compare);
	}
	return answer(socket, request, &reply, &symbols, hits);
}

static int jit_serve(int socket, const struct elf_request *request, int fd, const uint64_t *hits)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	struct elf_reply reply = {.token = request->token};

	reply.error = request->what == ELF_JIT_LOG ? jit_log_read(fd, &symbols) : perf_map_read(fd, &symbols);
	return answer(socket, request, &reply, &symbols, hits);
}

static int request_serve(int socket, const struct elf_request *request, int fd)
{
	_cleanup_free_ uint64_t *hits = NULL;
	int rc = hits_receive(socket, request->hit_count, &hits);

	if (!rc)
		rc = jail_grant_cpu_seconds(CPU_SECONDS);
	if (rc)
		return rc;
	if (request->what == ELF_PERF_MAP || request->what == ELF_JIT_LOG)
		return jit_serve(socket, request, fd, hits);
	return elf_serve(socket, request, fd, hits);
}

int elf_helper_run(int socket)
{
	struct elf_request request;
	int rc = jail_enter();

	while (!rc) {
		_cleanup_close_ int fd = -1;

		if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, &fd) != sizeof(request))
			break;
		rc = request_serve(socket, &request, fd);
	}
	return rc;
}
