/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "format/event_decoder.h"
#include "format/event_layout.h"
#include "report/read/trace_file.h"

/* Every chunk and every record, a line each, in file order; the same bytes as tests/rwk_dump.py prints. */

static const char *type_name(uint16_t type)
{
	static const char *const names[] = {
		[RWK_CHUNK_STATE] = "STATE", [RWK_CHUNK_EVENTS] = "EVENTS", [RWK_CHUNK_EMBED] = "EMBED",
		[RWK_CHUNK_INDEX] = "INDEX", [RWK_CHUNK_END] = "END",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

static void print_chunk(const struct trace_chunk *chunk, FILE *out)
{
	const struct rwk_chunk_header *header = &chunk->header;
	const char *type = type_name(header->type);

	(void)fprintf(out, "chunk %" PRIu64 " section %" PRIu32 " offset %" PRIu64 " type ", header->sequence,
		      chunk->section, chunk->offset);
	if (type)
		(void)fputs(type, out);
	else
		(void)fprintf(out, "%" PRIu16, header->type);
	(void)fprintf(out, " codec %u flags 0x%x stored %" PRIu32 " raw %" PRIu32 " first %" PRIu64 " last %" PRIu64 "\n",
		      header->codec, header->flags, header->stored_size, header->raw_size, header->first_time,
		      header->last_time);
}

static void print_bytes(const struct event_text *text, FILE *out)
{
	for (uint32_t i = 0; i < text->length; i++)
		(void)fprintf(out, "%02x", (unsigned char)text->bytes[i]);
}

static void print_field(const struct event_field *field, const void *record, FILE *out)
{
	const struct event_text *text;

	(void)fprintf(out, " %s=", field->name);
	switch (field->type) {
	case FIELD_TEXT:
		text = event_field_text(field, record);
		(void)fputc('"', out);
		printable_write(out, text->bytes, text->length);
		(void)fputc('"', out);
		return;
	case FIELD_BYTES:
		print_bytes(event_field_text(field, record), out);
		return;
	case FIELD_COMM:
		(void)fputc('"', out);
		printable_write(out, (const char *)record + field->offset,
				strnlen((const char *)record + field->offset, 16));
		(void)fputc('"', out);
		return;
	case FIELD_HEX:
	case FIELD_START:
	case FIELD_SPECIAL_HEX:
		(void)fprintf(out, "0x%" PRIx64, event_field_value(field, record));
		return;
	default:
		(void)fprintf(out, "%" PRIu64, event_field_value(field, record));
	}
}

static void print_record(struct event *event, FILE *out)
{
	const struct event_layout *layout = event_layout_find(event->kind);

	(void)fprintf(out, "  %s", layout->name);
	for (const struct event_field *field = layout->fields; field->type != FIELD_END; field++)
		print_field(field, event_record(event), out);
	(void)fputc('\n', out);
}

static int print_payload(struct event_decoder *decoder, const struct trace_chunk *chunk, const void *payload, FILE *out)
{
	struct event event;
	int r;

	event_decoder_start(decoder, payload, chunk->header.raw_size);
	while ((r = event_decoder_next(decoder, &event)) > 0)
		print_record(&event, out);
	if (r == -EBADMSG)
		(void)fputs("  malformed\n", out);
	return r == -EBADMSG ? 0 : r;
}

static int dump_file(struct trace_file *file, FILE *out, bool *ret_damaged)
{
	struct event_decoder *decoder = NULL;
	struct trace_damage damage;
	int r = event_decoder_create(&decoder);

	for (uint32_t i = 0; !r && i < file->chunk_count; i++) {
		const void *payload;

		print_chunk(&file->chunks[i], out);
		r = trace_file_load(file, i, &payload);
		if (!r)
			r = print_payload(decoder, &file->chunks[i], payload, out);
		else if (r == -EBADMSG) {
			(void)fputs("  damaged\n", out);
			r = 0;
		}
	}
	trace_reader_damage(file->reader, &damage);
	*ret_damaged |= damage.chunks || damage.bytes;
	event_decoder_destroy(decoder);
	return r < 0 ? log_error(-r, "cannot read \"%s\": %s", file->path, strerror(-r)) : 0;
}

int tool_dump(const struct tool_request *request, bool *ret_damaged)
{
	for (size_t i = 0; i < request->path_count; i++) {
		struct trace_file *file;
		int r = trace_file_open(request->paths[i], &file);

		if (r < 0)
			return r;
		r = dump_file(file, request->out, ret_damaged);
		trace_file_close(file);
		if (r < 0)
			return r;
	}
	return 0;
}
