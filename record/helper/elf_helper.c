/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/elf_helper.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/elf/elf_file.h"
#include "common/gate/packet.h"
#include "common/hash_map.h"
#include "format/event.h"
#include "format/limits.h"
#include "record/helper/pick.h"
#include "record/plan/deadlines.h"

enum { MAX_HITS = 1 << 20,
       CPU_SECONDS = 5 };

/* --- unwind information ------------------------------------------------------------------------------ */

/*
 * Reads the sections of a file, picks what is wanted (unwind_pick.h), and sends it. .debug_frame counts if it covers a hit
 * that .eh_frame does not. Sections packed by zlib are unpacked; those packed otherwise count as missing.
 *
 * The .debug_frame of a separate debug file is not looked for: distributions compress it, and the reader of the trace finds
 * the debug file by its build-id. Also sent: the packed symbols of a stripped file (.gnu_debugdata), as they are: the reader
 * unpacks them.
 */
struct unwind_choice_part {
	struct unwind_section_view section;
	struct unwind_pieces all, hit;
};

struct unwind_choice_blob { /* sent whole or not at all */
	uint32_t section;	/* enum unwind_section */
	bool with_hits;		/* also if only what was hit is sent */
	struct elf_section_bytes bytes;
};

enum { UNWIND_CHOICE_BLOBS = 2 };

struct unwind_choice {
	struct elf_unwind sections;
	struct unwind_choice_part parts[2];
	struct unwind_choice_blob blobs[UNWIND_CHOICE_BLOBS];
	size_t blob_count;
	bool only_hit; /* set before it is made: without the rest */
	uint64_t all, hit; /* bytes of either; UINT64_MAX: does not fit into any trace */
	uint32_t left_out; /* entries of hit functions that no trace can hold */
};

enum { PIECE_MOST = PACKET_MAX - sizeof(struct elf_unwind_reply) };

_Static_assert(PIECE_MOST <= (int)RWK_MAX_UNWIND_PIECE, "a packet becomes a record");

/* Takes ownership of the bytes. If no trace can hold them, "all of it" becomes impossible. */
static void add_blob(struct unwind_choice *choice, uint32_t section, bool with_hits, struct elf_section_bytes *bytes)
{
	choice->blobs[choice->blob_count++] =
		(struct unwind_choice_blob){.section = section, .with_hits = with_hits, .bytes = *bytes};
	choice->hit += with_hits ? bytes->size : 0;
	if (__builtin_add_overflow(choice->all, bytes->size, &choice->all))
		choice->all = UINT64_MAX;
	*bytes = (struct elf_section_bytes){0};
}

/* 1 if the section can be picked from now, else 0; -ENOMEM. A section that cannot be unpacked counts as missing. */
static int make_readable(struct elf_section_bytes *section, bool wanted)
{
	int r;

	if (!section->bytes || !section->compressed || !wanted)
		return section->bytes && !section->compressed;
	r = elf_section_unpack(section, RWK_MAX_UNWIND_SECTION);
	return r < 0 ? r == -ENOMEM ? r : 0 : 1;
}

/* Picks what was hit in one section, and all of the section, but .debug_frame only if anything was hit in it. */
static int part_pick(struct unwind_choice *choice, struct unwind_choice_part *part, uint64_t *hits, size_t *count)
{
	int r;

	part->hit.most = part->all.most = PIECE_MOST;
	r = unwind_pick_hit(&part->section, hits, count, &part->hit);
	choice->hit += part->hit.bytes;
	choice->left_out += part->hit.left_out;
	if (choice->only_hit)
		choice->all += part->hit.bytes;
	if (r || choice->only_hit || (!part->hit.bytes && part->section.kind == CFI_DEBUG_FRAME))
		return r;
	r = unwind_pick_all(&part->section, &part->all);
	if (r == -E2BIG)
		choice->all = UINT64_MAX;
	else if (!r && choice->all != UINT64_MAX)
		choice->all += part->all.bytes;
	return r == -E2BIG ? 0 : r;
}

/* hits: link-time addresses, ascending; they are consumed. 0, -errno of reading the file, -ENOMEM. */
static int unwind_choice_make(const struct elf_file *file, uint64_t *hits, size_t count, struct unwind_choice *choice)
{
	struct elf_section_bytes *sections[] = {&choice->sections.eh_frame, &choice->sections.debug_frame};
	int r;

	if (elf_file_is_narrow(file)) /* the reader unwinds 64-bit programs only */
		return 0;
	r = elf_file_unwind(file, &choice->sections);
	for (size_t i = 0; !r && i < sizeof(sections) / sizeof(*sections); i++) {
		struct unwind_choice_part *part = &choice->parts[i];

		r = make_readable(sections[i], count);
		if (r <= 0)
			continue;
		part->section.kind = i ? CFI_DEBUG_FRAME : CFI_EH_FRAME;
		part->section.bytes = (struct cfi_bytes){sections[i]->bytes, sections[i]->size, sections[i]->address};
		part->section.text = elf_file_text_address(file);
		r = part_pick(choice, part, hits, &count);
	}
	return r;
}

/* Adds the packed symbols of a file that has no others. If that fails, there are none. */
static void unwind_choice_add_mini(const struct elf_file *file, struct unwind_choice *choice)
{
	struct elf_section_bytes mini;
	int r = -ENOENT;

	if (!elf_file_has_symtab(file))
		r = elf_file_section(file, ".gnu_debugdata", RWK_MAX_UNWIND_SECTION, &mini);
	if (r == -E2BIG)
		choice->all = UINT64_MAX;
	if (!r)
		add_blob(choice, UNWIND_MINI_DEBUG_INFO, false, &mini);
}

static void unwind_choice_deinit(struct unwind_choice *choice)
{
	for (size_t i = 0; i < choice->blob_count; i++)
		free(choice->blobs[i].bytes.bytes);
	for (size_t i = 0; i < sizeof(choice->parts) / sizeof(*choice->parts); i++) {
		unwind_pieces_deinit(&choice->parts[i].all);
		unwind_pieces_deinit(&choice->parts[i].hit);
	}
	elf_unwind_deinit(&choice->sections);
}

/* One piece; `packet` has room for PACKET_MAX bytes. */
static int piece_send(struct elf_unwind_reply *reply, const uint8_t *section, size_t offset, size_t size, int socket,
		      uint8_t *packet)
{
	reply->offset = (uint32_t)offset;
	reply->length = (uint32_t)size;
	memcpy(packet, reply, sizeof(*reply));
	memcpy(packet + sizeof(*reply), section + offset, size);
	return packet_send(socket, packet, sizeof(*reply) + size, -1);
}

static int part_send(const struct unwind_choice_part *part, bool all, int socket, uint32_t token, uint8_t *packet)
{
	const struct unwind_section_view *section = &part->section;
	const struct unwind_pieces *pieces = all ? &part->all : &part->hit;
	struct elf_unwind_reply reply = {
		.token = token,
		.section = section->kind == CFI_EH_FRAME ? UNWIND_EH_FRAME : UNWIND_DEBUG_FRAME,
		.address = section->bytes.address,
		.text = section->text,
		.size = (uint32_t)(section->bytes.size < RWK_MAX_UNWIND_SECTION ? section->bytes.size :
										  RWK_MAX_UNWIND_SECTION),
	};
	int r = 0;

	for (size_t i = 0; !r && i < pieces->list.count; i++)
		r = piece_send(&reply, section->bytes.bytes, pieces->list.items[i].offset,
			       pieces->list.items[i].size, socket, packet);
	return r;
}

static int blob_send(const struct unwind_choice_blob *blob, int socket, uint32_t token, uint8_t *packet)
{
	const struct elf_section_bytes *bytes = &blob->bytes;
	struct elf_unwind_reply reply = {
		.token = token, .section = blob->section, .address = bytes->address, .size = (uint32_t)bytes->size};
	int r = 0;

	for (size_t at = 0, size; !r && at < bytes->size; at += size) {
		size = bytes->size - at < PIECE_MOST ? bytes->size - at : PIECE_MOST;
		r = piece_send(&reply, bytes->bytes, at, size, socket, packet);
	}
	return r;
}

/* Sends all of it, or what was hit, and then the end of the answer. */
static int unwind_choice_send(const struct unwind_choice *choice, bool all, int socket, uint32_t token)
{
	const struct elf_unwind_reply end = {.token = token, .last = 1};
	_cleanup_free_ uint8_t *packet = malloc(PACKET_MAX);
	int r = packet ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < sizeof(choice->parts) / sizeof(*choice->parts); i++)
		r = part_send(&choice->parts[i], all && !choice->only_hit, socket, token, packet);
	for (size_t i = 0; !r && i < choice->blob_count; i++)
		if (all || choice->blobs[i].with_hits)
			r = blob_send(&choice->blobs[i], socket, token, packet);
	return r ? r : packet_send(socket, &end, sizeof(end), -1);
}

/* --- symbols ----------------------------------------------------------------------------------------- */

static int hits_receive(int socket, uint32_t count, uint64_t **ret_hits)
{
	_cleanup_free_ uint64_t *hits = count <= MAX_HITS ? malloc((count + 1) * sizeof(*hits)) : NULL;
	int r = hits ? packet_receive_bytes(socket, hits, count * sizeof(*hits), DEADLINE_FILE) : -ENOMEM;

	if (!r)
		*ret_hits = steal_ptr(hits);
	return r;
}

/*
 * File offsets to link-time addresses; an offset outside all segments becomes UINT64_MAX. This may
 * change their order.
 */
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

struct answer {
	const struct elf_request *request;
	struct elf_reply reply;
	struct elf_symbols symbols;
	bool *keep; /* which of them hold a hit */
	struct unwind_choice unwind;
	uint64_t all, hit; /* bytes of all symbols, and of those to keep */
	int debug; /* descriptor of the file's possible debug file; -1: none */
};

static void answer_deinit(struct answer *answer)
{
	if (answer->debug >= 0)
		(void)close(answer->debug);
	elf_symbols_deinit(&answer->symbols);
	unwind_choice_deinit(&answer->unwind);
	free(answer->keep);
}

/*
 * Hits are return addresses minus one, but a signal handler returns to the first byte of its
 * function, which is known by its name. Other words that a walk by frame pointers took for return
 * addresses may also be the first byte of a function. If nothing precedes it, the reader uses that
 * function's name, and must find it here as it would in the whole table.
 */
static void symbols_mark_behind(struct answer *answer, const uint64_t *hits)
{
	const struct elf_symbols *symbols = &answer->symbols;

	for (uint32_t i = 0; i < answer->request->hit_count; i++)
		if (hits[i] != UINT64_MAX)
			symbol_pick_mark(symbols->items, symbols->count, &(uint64_t){hits[i] + 1}, 1, answer->keep);
}

static uint64_t symbol_bytes(const struct elf_symbols *symbols, size_t i)
{
	return sizeof(struct elf_symbol_record) + strlen(symbols->names + symbols->items[i].name);
}

static int symbols_mark(struct answer *answer, const uint64_t *hits)
{
	const struct elf_symbols *symbols = &answer->symbols;

	answer->keep = calloc(symbols->count + 1, sizeof(*answer->keep));
	if (!answer->keep)
		return -ENOMEM;
	symbol_pick_prepare(symbols->items, symbols->count);
	symbol_pick_mark(symbols->items, symbols->count, hits, answer->request->hit_count, answer->keep);
	symbols_mark_behind(answer, hits);
	for (size_t i = 0; i < symbols->count; i++) {
		uint64_t bytes = symbol_bytes(symbols, i);

		answer->all += bytes;
		answer->hit += answer->keep[i] ? bytes : 0;
	}
	return 0;
}

/* Even without unwind information, a module is worth embedding for its names. */
static void unwind_mark(struct answer *answer, const struct elf_file *file, uint64_t *hits)
{
	struct elf_reply *reply = &answer->reply;

	answer->unwind.only_hit = answer->request->unwind == ELF_UNWIND_HIT;
	reply->unwind_error = unwind_choice_make(file, hits, answer->request->hit_count, &answer->unwind);
	if (reply->unwind_error) {
		unwind_choice_deinit(&answer->unwind);
		answer->unwind = (struct unwind_choice){0};
	}
}

/* Chooses all, only what was hit, or nothing: the same for symbols and unwind information. */
static void choose(struct answer *answer)
{
	const struct elf_request *request = answer->request;
	struct elf_reply *reply = &answer->reply;
	uint64_t all;

	reply->full = !__builtin_add_overflow(answer->all, answer->unwind.all, &all) && all <= request->full_room;
	reply->bytes = reply->full ? all : answer->hit + answer->unwind.hit;
	if (reply->full)
		memset(answer->keep, true, answer->symbols.count);
	else
		reply->unwind_left_out = answer->unwind.left_out;
	if (reply->bytes > request->room)
		reply->error = -ENOSPC;
}

static int symbols_send(struct symbol_stream *stream, const struct elf_symbols *symbols, const bool *keep)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < symbols->count; i++)
		if (keep[i])
			rc = stream_add(stream, &symbols->items[i], symbols->names + symbols->items[i].name);
	return rc ? rc : stream_flush(stream, true);
}

static int symbols_answer(const struct answer *answer, int socket)
{
	_cleanup_free_ struct symbol_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	stream->socket = socket;
	stream->reply.token = answer->request->token;
	stream->used = sizeof(stream->reply);
	return symbols_send(stream, &answer->symbols, answer->keep);
}

static bool has_symbols(const struct elf_request *request)
{
	return request->what != ELF_BUILD_ID && request->what != ELF_EVIDENCE;
}

/* The reply, followed by what was requested. */
static int answer_send(struct answer *answer, int socket)
{
	const struct elf_request *request = answer->request;
	int rc;

	if (!answer->reply.error && has_symbols(request))
		choose(answer);
	rc = packet_send(socket, &answer->reply, sizeof(answer->reply), -1);
	if (rc || answer->reply.error || !has_symbols(request))
		return rc;
	rc = symbols_answer(answer, socket);
	if (!rc && (request->unwind || request->mini))
		rc = unwind_choice_send(&answer->unwind, answer->reply.full, socket, request->token);
	return rc;
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

/* A stripped Go program still has names. A table that makes no sense counts as missing. */
static int go_symbols_add(const struct elf_file *file, struct elf_symbols *symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};

	if (elf_file_has_symtab(file) || elf_file_go_symbols(file, &more))
		return 0;
	return elf_symbols_append(symbols, &more);
}

/* Adds the stubs through which functions of other modules are called: no symbol table has them. */
static int plt_symbols_add(const struct elf_file *file, struct elf_symbols *symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};

	if (elf_file_plt_symbols(file, &more))
		return 0;
	return elf_symbols_append(symbols, &more);
}

static int symbols_read(const struct elf_file *file, struct elf_symbols *ret_symbols)
{
	int rc = elf_file_symbols(file, ret_symbols);

	if (!rc)
		rc = go_symbols_add(file, ret_symbols);
	return rc ? rc : plt_symbols_add(file, ret_symbols);
}

/*
 * Names what the file itself does not, by its debug file. Functions that have no name then are sent
 * without one. Hits ascending.
 */
static int symbols_complete(struct answer *answer, const struct elf_file *file, const uint64_t *hits)
{
	uint32_t count = answer->request->hit_count;
	int rc = 0;

	if (answer->debug >= 0 && !elf_file_has_symtab(file))
		rc = debug_pick_add(answer->debug, &answer->reply.build_id, hits, count, &answer->symbols);
	symbol_pick_drop_lesser(&answer->symbols);
	return rc ? rc : function_pick_add(file, hits, count, &answer->symbols);
}

static uint64_t add_evidence(uint64_t evidence, uint64_t value)
{
	return hash_mix(evidence ^ value) + 1;
}

/* Two files of one build-id are told apart by accident, not by an attacker: both are the same user's, or root's. */
static int evidence_read(const struct elf_file *file, uint64_t *ret_evidence)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);
	uint64_t evidence = add_evidence(elf_file_layout(file), elf_file_entry(file));
	int rc = symbols_read(file, &symbols);

	for (size_t i = 0; i < count; i++) {
		evidence = add_evidence(evidence, segments[i].address);
		evidence = add_evidence(evidence, segments[i].file_offset);
		evidence = add_evidence(evidence, segments[i].file_size);
	}
	for (size_t i = 0; i < symbols.count; i++) {
		evidence = add_evidence(evidence, symbols.items[i].address);
		for (const char *c = symbols.names + symbols.items[i].name; *c; c++)
			evidence = (evidence ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	}
	*ret_evidence = evidence ? evidence : 1;
	return rc == -ENOMEM ? rc : 0;
}

static int elf_read(struct answer *answer, int fd, uint64_t *hits)
{
	_cleanup_(elf_file_cleanup) struct elf_file *file = NULL;
	const struct elf_request *request = answer->request;
	const struct elf_segment *segments;
	size_t segment_count;
	int rc = elf_file_create(fd, &file);

	if (!rc && request->what == ELF_SYMBOLS)
		rc = symbols_read(file, &answer->symbols);
	if (rc)
		return rc;
	identity_fill(file, &answer->reply);
	if (request->what == ELF_EVIDENCE)
		return evidence_read(file, &answer->reply.evidence);
	if (request->what != ELF_SYMBOLS)
		return 0;
	segment_count = elf_file_segments(file, &segments);
	hits_to_addresses(hits, request->hit_count, segments, segment_count);
	qsort(hits, request->hit_count, sizeof(*hits), uint64_compare);
	rc = symbols_complete(answer, file, hits);
	if (!rc)
		rc = symbols_mark(answer, hits);
	if (!rc && request->unwind)
		unwind_mark(answer, file, hits);
	if (!rc && request->mini)
		unwind_choice_add_mini(file, &answer->unwind);
	return rc;
}

static int perf_map_serve(struct answer *answer, int fd, const uint64_t *hits)
{
	const struct elf_request *request = answer->request;
	int rc = perf_map_read(fd, &answer->symbols);

	if (!rc)
		rc = perf_map_pick(&answer->symbols, hits, request->hit_count, request->settled);
	return rc ? rc : symbols_mark(answer, hits);
}

static int debug_receive(int socket, int *ret_fd)
{
	char byte;

	return packet_receive(socket, &byte, sizeof(byte), DEADLINE_FILE, ret_fd) == sizeof(byte) ? 0 : -EPROTO;
}

/* For the next piece of work. If it needs more, the kernel kills this process. */
static int cpu_seconds_grant(void)
{
	struct rusage used;
	struct rlimit limit = {.rlim_max = RLIM_INFINITY};

	if (getrusage(RUSAGE_SELF, &used))
		return -errno;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + CPU_SECONDS;
	return setrlimit(RLIMIT_CPU, &limit) ? -errno : 0;
}

static int request_serve(int socket, const struct elf_request *request, int fd)
{
	_cleanup_(answer_deinit) struct answer answer = {
		.request = request, .reply = {.token = request->token}, .debug = -1};
	_cleanup_free_ uint64_t *hits = NULL;
	int rc = request->debug ? debug_receive(socket, &answer.debug) : 0;

	if (!request->soon)
		(void)setpriority(PRIO_PROCESS, 0, 0);
	if (!rc)
		rc = hits_receive(socket, request->hit_count, &hits);
	if (!rc)
		rc = cpu_seconds_grant();
	if (rc)
		return rc;
	if (request->what == ELF_PERF_MAP)
		answer.reply.error = perf_map_serve(&answer, fd, hits);
	else
		answer.reply.error = elf_read(&answer, fd, hits);
	return answer_send(&answer, socket);
}

int elf_helper_run(int socket, const void *context)
{
	struct elf_request request;
	int rc = 0;

	(void)context;
	while (!rc) {
		_cleanup_close_ int fd = -1;

		if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, &fd) != sizeof(request))
			break;
		rc = request_serve(socket, &request, fd);
	}
	return rc;
}
