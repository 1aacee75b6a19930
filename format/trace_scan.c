/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/trace_scan.h"

#include <errno.h>
#include <string.h>

#include "format/chunk.h"
#include "format/limits.h"

enum {
	HOP_READ = 4 << 10,	/* bytes read around a header that is expected somewhere */
	LOOK_BEFORE = 16 << 20, /* if no section has begun by then, this is not a trace */
	FREE_BUDGET = 64 << 20,
};

enum thing { NOTHING, FILE_HEADER, CHUNK, TRAILER };

union fixed { /* the structs of trace.h; `length` bytes of it could be read */
	uint8_t bytes[sizeof(struct rwk_file_header)];
	struct rwk_file_header file;
	struct rwk_chunk_header chunk;
	struct rwk_trailer trailer;
};

int trace_scan_read(const struct trace_io *io, int fd, void *bytes, size_t length, uint64_t offset)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = io->pread(io->context, fd, (uint8_t *)bytes + done, length - done, offset + done);

		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

/* --- the window --------------------------------------------------------------------------------------- */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Up to `wanted` bytes at `offset`, fewer only at the end of the file; reads `ahead` bytes if it has to read. */
static int view(struct trace_scan *scan, uint64_t offset, size_t wanted, size_t ahead, const uint8_t **ret_bytes,
		size_t *ret_length)
{
	uint64_t left = scan->size - min_u64(offset, scan->size);
	size_t length = (size_t)min_u64(wanted, left);
	int r;

	if (offset < scan->window_offset || offset + length > scan->window_offset + scan->window_length) {
		size_t filled = (size_t)min_u64(ahead > length ? ahead : length, left);

		scan->window_length = 0;
		r = trace_scan_read(scan->io, scan->fd, scan->window, filled, offset);
		if (r < 0)
			return r == -ENODATA ? -EIO : r; /* the file has shrunk */
		scan->window_offset = offset;
		scan->window_length = filled;
	}
	*ret_bytes = scan->window + (offset - scan->window_offset);
	*ret_length = length;
	return 0;
}

/* --- what is at an offset ----------------------------------------------------------------------------- */

static const struct trace_section *open_section(const struct trace_scan *scan)
{
	return &scan->sections.items[scan->sections.count - 1];
}

static enum thing judge(const struct trace_scan *scan, const union fixed *fixed, size_t length)
{
	if (length >= sizeof(fixed->file) && rwk_file_header_check(&fixed->file) != -EBADMSG)
		return FILE_HEADER;
	if (scan->state != SCAN_INSIDE)
		return NOTHING;
	if (length >= sizeof(fixed->chunk) && rwk_chunk_header_valid(&fixed->chunk, scan->seed) &&
	    fixed->chunk.raw_size <= open_section(scan)->header.max_raw)
		return CHUNK;
	if (length >= sizeof(fixed->trailer) && rwk_trailer_valid(&fixed->trailer, scan->seed))
		return TRAILER;
	return NOTHING;
}

static int identify(struct trace_scan *scan, uint64_t offset, union fixed *ret_fixed, enum thing *ret_thing)
{
	const uint8_t *bytes;
	size_t length;
	int r = view(scan, offset, sizeof(*ret_fixed), HOP_READ, &bytes, &length);

	if (r < 0)
		return r;
	memset(ret_fixed, 0, sizeof(*ret_fixed));
	memcpy(ret_fixed, bytes, length);
	*ret_thing = judge(scan, ret_fixed, length);
	if (*ret_thing == CHUNK && rwk_chunk_length(&ret_fixed->chunk) > scan->size - offset)
		*ret_thing = NOTHING;
	return 0;
}

/* --- sections and chunks ------------------------------------------------------------------------------ */

static void end_section(struct trace_scan *scan, uint64_t offset)
{
	if (scan->state != SCAN_OUTSIDE) {
		struct trace_section *section = &scan->sections.items[scan->sections.count - 1];

		section->length = offset - section->offset;
	}
	scan->state = SCAN_OUTSIDE;
}

static int begin_section(struct trace_scan *scan, uint64_t offset, const struct rwk_file_header *header)
{
	struct trace_section section = {.offset = offset, .header = *header};

	end_section(scan, offset);
	section.unsupported = rwk_file_header_check(header) < 0;
	scan->state = section.unsupported ? SCAN_UNSUPPORTED : SCAN_INSIDE;
	scan->seed = header->crc;
	scan->sequence = 0;
	return array_push(&scan->sections, section);
}

static void count_missing(struct trace_scan *scan, uint64_t sequence)
{
	if (sequence <= scan->sequence)
		return;
	if (__builtin_add_overflow(scan->damage.chunks, sequence - scan->sequence, &scan->damage.chunks))
		scan->damage.chunks = UINT64_MAX;
}

static int add_chunk(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header)
{
	struct trace_chunk chunk = {
		.offset = offset, .section = (uint32_t)scan->sections.count - 1, .header = *header};

	count_missing(scan, header->sequence);
	scan->sequence = header->sequence + 1;
	return array_push(&scan->chunks, chunk);
}

static void close_section(struct trace_scan *scan, uint64_t offset, const struct rwk_trailer *trailer)
{
	struct trace_section *section = &scan->sections.items[scan->sections.count - 1];

	count_missing(scan, trailer->chunk_count);
	section->closed = true;
	section->end_reason = trailer->end_reason;
	end_section(scan, offset + sizeof(*trailer));
}

/* --- gaps --------------------------------------------------------------------------------------------- */

static int is_zero(struct trace_scan *scan, uint64_t offset, uint64_t end, bool *ret_zero)
{
	while (offset < end) {
		const uint8_t *bytes;
		size_t length;
		int r = view(scan, offset, (size_t)min_u64(end - offset, 4096), TRACE_SCAN_WINDOW, &bytes, &length);

		if (r < 0)
			return r;
		for (size_t i = 0; i < length; i++)
			if (bytes[i]) {
				*ret_zero = false;
				return 0;
			}
		offset += length;
	}
	*ret_zero = true;
	return 0;
}

static bool begins_like(const uint8_t *bytes, uint64_t length, const char *magic, size_t magic_length)
{
	return !memcmp(bytes, magic, (size_t)min_u64(length, magic_length));
}

/* Whether the bytes between a section's last chunk and `end` are a write that was cut short. */
static int is_unfinished(struct trace_scan *scan, uint64_t offset, uint64_t end, bool *ret_unfinished)
{
	uint64_t length = end - offset;
	union fixed fixed;
	enum thing thing;
	int r = identify(scan, offset, &fixed, &thing);

	if (r < 0)
		return r;
	*ret_unfinished = false;
	if (scan->state != SCAN_INSIDE)
		return 0;
	if ((length < sizeof(fixed.chunk) && begins_like(fixed.bytes, length, RWK_CHUNK_MAGIC, 4)) ||
	    (length < sizeof(fixed.trailer) && begins_like(fixed.bytes, length, RWK_TRAILER_MAGIC, 8)))
		*ret_unfinished = true;
	else if (length >= sizeof(fixed.chunk) && rwk_chunk_header_valid(&fixed.chunk, scan->seed)) {
		*ret_unfinished = rwk_chunk_length(&fixed.chunk) > length;
		scan->damage.chunks += !*ret_unfinished; /* complete, but damaged */
	} else
		return is_zero(scan, offset, end, ret_unfinished);
	return 0;
}

/* Accounts for bytes outside of chunks; `at_end`: no chunk of the same section follows. */
static int note_gap(struct trace_scan *scan, uint64_t offset, uint64_t end, bool at_end)
{
	bool unfinished = false;
	int r = at_end ? is_unfinished(scan, offset, end, &unfinished) : 0;

	if (r < 0)
		return r;
	if (scan->state == SCAN_UNSUPPORTED) /* not ours to judge */
		return 0;
	if (unfinished)
		scan->damage.torn_tail += end - offset;
	else
		scan->damage.bytes += end - offset;
	return 0;
}

/* --- recovery ----------------------------------------------------------------------------------------- */

struct find {
	uint64_t offset; /* offset of what was found; the file size if nothing was */
	enum thing thing;
};

/* Checks a place with the letters of a magic. 1: something valid is there. */
static int try_place(struct trace_scan *scan, uint64_t offset, struct find *find)
{
	union fixed fixed;
	int r = identify(scan, offset, &fixed, &find->thing);

	if (r < 0)
		return r;
	find->offset = offset;
	return find->thing != NOTHING;
}

/* The next occurrence of the letters "RWK" from `offset` on; the file size if there is none. */
static int find_letters(struct trace_scan *scan, uint64_t offset, uint64_t *ret_offset)
{
	while (offset < scan->size) {
		const uint8_t *bytes, *letters;
		size_t length;
		int r = view(scan, offset, 3, TRACE_SCAN_WINDOW, &bytes, &length);

		if (r < 0)
			return r;
		length = scan->window_length - (size_t)(offset - scan->window_offset);
		letters = memmem(bytes, length, "RWK", 3);
		if (letters) {
			*ret_offset = offset + (uint64_t)(letters - bytes);
			return 0;
		}
		offset += length > 2 ? length - 2 : length;
	}
	*ret_offset = scan->size;
	return 0;
}

/* The next valid struct, at any byte from `offset` on: after a torn section the next may begin anywhere. */
static int find_next(struct trace_scan *scan, uint64_t offset, struct find *find)
{
	uint64_t place = 0;
	int r;

	for (;;) {
		r = find_letters(scan, offset, &place);
		if (r < 0)
			return r;
		if (place >= scan->size || (!scan->sections.count && place > LOOK_BEFORE))
			break;
		r = place > offset ? try_place(scan, place - 1, find) : 0; /* a file header has one byte before them */
		if (!r)
			r = try_place(scan, place, find);
		if (r)
			return r < 0 ? r : 0;
		offset = place + 1;
	}
	*find = (struct find){.offset = scan->size};
	return 0;
}

/* 1: the chunk's stored bytes are intact, or the budget is used up; 0: no; -errno. */
static int check_payload(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header)
{
	size_t length = rwk_chunk_stored_length(header);
	int r;

	if (length > scan->budget)
		return 1;
	if (offset + sizeof(*header) + length > scan->size)
		return 0;
	scan->budget -= length;
	r = array_reserve(&scan->payload, length);
	if (r >= 0)
		r = trace_scan_read(scan->io, scan->fd, scan->payload.items, length, offset + sizeof(*header));
	return r < 0 ? r : rwk_chunk_whole(header, scan->payload.items);
}

/*
 * There is nothing valid at *position, or it is the end. If the chunk before it is damaged, too,
 * something else may be in its place (the file was truncated there, and another appended): then the
 * search begins after its header.
 */
static int take_back_chunk(struct trace_scan *scan, uint64_t *position)
{
	const struct trace_chunk *last;
	int r;

	if (!scan->chunks.count || scan->state != SCAN_INSIDE)
		return 0;
	last = &scan->chunks.items[scan->chunks.count - 1];
	if (last->offset + rwk_chunk_length(&last->header) != *position)
		return 0;
	r = check_payload(scan, last->offset, &last->header);
	if (r)
		return r < 0 ? r : 0;
	*position = last->offset;
	scan->sequence = last->header.sequence;
	scan->chunks.count--;
	return 0;
}

static int recover(struct trace_scan *scan, uint64_t *position)
{
	struct find find = {0};
	bool at_end;
	int r = find_next(scan, *position + 1, &find);

	if (r < 0)
		return r;
	at_end = find.offset == scan->size || find.thing == FILE_HEADER;
	r = note_gap(scan, *position, find.offset, at_end);
	*position = find.offset;
	return r;
}

static int step(struct trace_scan *scan, uint64_t *position)
{
	union fixed fixed;
	enum thing thing;
	int r = identify(scan, *position, &fixed, &thing);

	if (r < 0)
		return r;
	switch (thing) {
	case FILE_HEADER:
		r = begin_section(scan, *position, &fixed.file);
		*position += open_section(scan)->unsupported ? sizeof(fixed.file) : fixed.file.header_size;
		return r;
	case CHUNK:
		r = add_chunk(scan, *position, &fixed.chunk);
		*position += rwk_chunk_length(&fixed.chunk);
		return r;
	case TRAILER:
		close_section(scan, *position, &fixed.trailer);
		*position += sizeof(fixed.trailer);
		return 0;
	default:
		r = take_back_chunk(scan, position);
		return r < 0 ? r : recover(scan, position);
	}
}

/* The last chunk has no successor to confirm it. */
static int check_last(struct trace_scan *scan, uint64_t *position)
{
	int r = take_back_chunk(scan, position);

	return r >= 0 && *position < scan->size ? recover(scan, position) : r;
}

int trace_scan_run(struct trace_scan *scan)
{
	uint64_t position = 0;
	bool supported = false;
	int r = 0;

	scan->budget = FREE_BUDGET + 4 * min_u64(scan->size, UINT64_MAX / 8);
	while (r >= 0 && position < scan->size) {
		r = step(scan, &position);
		if (r >= 0 && position >= scan->size)
			r = check_last(scan, &position);
	}
	if (r < 0)
		return r;
	end_section(scan, scan->size);
	for (size_t i = 0; i < scan->sections.count; i++)
		supported |= !scan->sections.items[i].unsupported;
	if (!scan->sections.count)
		return -ENODATA;
	return supported ? 0 : rwk_file_header_check(&scan->sections.items[0].header);
}

void trace_scan_deinit(struct trace_scan *scan)
{
	array_free(&scan->sections);
	array_free(&scan->chunks);
	array_free(&scan->payload);
}
