/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "format/event_decoder.h"
#include "format/event_layout.h"
#include "format/event_lines.h"
#include "format/limits.h"
#include "report/read/trace_file.h"

/*
 * FORMAT.md, appendix B: every chunk and every record, one line each; the same bytes as the output
 * of tests/rwk_dump.py.
 */

static const char *type_name(uint16_t type)
{
	static const char *const names[] = {
		[RWK_CHUNK_STATE] = "STATE", [RWK_CHUNK_EVENTS] = "EVENTS", [RWK_CHUNK_EMBED] = "EMBED",
		[RWK_CHUNK_END] = "END",
		[RWK_CHUNK_SNAPSHOTS] = "SNAPSHOTS",
		[RWK_CHUNK_NAMES] = "NAMES",
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
	(void)fprintf(out,
		      " codec %u flags 0x%x stored %" PRIu32 " raw %" PRIu32 " first %" PRIu64
		      " last %" PRIu64 "\n",
		      header->codec, header->flags, header->stored_size, header->raw_size,
		      header->first_time, header->last_time);
}

static void print_text(const struct event_text *text, FILE *out)
{
	(void)fputc('"', out);
	printable_write(out, text->bytes, text->length);
	(void)fputc('"', out);
}

static void print_bytes(const struct event_text *text, FILE *out)
{
	for (uint32_t i = 0; i < text->length; i++)
		(void)fprintf(out, "%02x", (unsigned char)text->bytes[i]);
}

static void print_field(const struct event_field *field, const void *record, FILE *out)
{
	(void)fprintf(out, " %s=", field->name);
	switch (field->type) {
	case FIELD_TEXT:
		print_text(event_field_text(field, record), out);
		return;
	case FIELD_BYTES:
		print_bytes(event_field_text(field, record), out);
		return;
	case FIELD_COMM:
		(void)fputc('"', out);
		printable_write(out, (const char *)record + field->offset,
				strnlen((const char *)record + field->offset, RWK_MAX_COMM));
		(void)fputc('"', out);
		return;
	case FIELD_HEX:
	case FIELD_PAGES:
	case FIELD_START:
		(void)fprintf(out, "0x%" PRIx64, event_field_value(field, record));
		return;
	default:
		(void)fprintf(out, "%" PRIu64, event_field_value(field, record));
	}
}

static void print_segments(const struct event_embed_module *module, FILE *out)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const struct event_segment *segment = &module->segments[i];

		(void)fprintf(out,
			      "    segment file_offset=0x%" PRIx64 " address=0x%" PRIx64 " file_size=0x%" PRIx64
			      " memory_size=0x%" PRIx64 " flags=0x%" PRIx64 "\n",
			      segment->file_offset, segment->address, segment->file_size, segment->memory_size,
			      segment->flags);
	}
}

static void print_symbols(struct event *event, FILE *out)
{
	struct event_symbol symbol;
	uint64_t address = 0;

	while (event_next_symbol(event, &address, &symbol) > 0) {
		(void)fprintf(out, "    symbol address=0x%" PRIx64 " size=0x%" PRIx64 " name=\"", symbol.address,
			      symbol.size);
		printable_write(out, symbol.name.bytes, symbol.name.length);
		(void)fputs("\"\n", out);
	}
}

static void print_lines(const struct event *event, FILE *out)
{
	_cleanup_(event_lines_deinit) struct event_lines lines = {0};
	struct event_line line;
	int r = event_lines_start(&lines, event);

	while (r >= 0 && (r = event_lines_next(&lines, &line)) > 0) {
		(void)fprintf(out, "    line address=0x%" PRIx64 " levels=%" PRIu32 "\n", line.address,
			      line.level_count);
		for (uint32_t i = 0; i < line.level_count; i++) {
			(void)fputs("      level function=", out);
			print_text(&line.levels[i].function, out);
			(void)fputs(" file=", out);
			print_text(&line.levels[i].file, out);
			(void)fprintf(out, " line=%" PRIu32 "\n", line.levels[i].line);
		}
	}
}

static void print_record(struct event *event, FILE *out)
{
	const struct event_layout *layout = event_layout_find(event->kind);

	(void)fprintf(out, "  %s", layout->name);
	for (const struct event_field *field = layout->fields; field->type != FIELD_END; field++)
		print_field(field, event_record(event), out);
	(void)fputc('\n', out);
	if (event->kind == EVENT_EMBED_MODULE)
		print_segments(&event->embed_module, out);
	else if (event->kind == EVENT_EMBED_SYMBOLS || event->kind == EVENT_PERF_MAP)
		print_symbols(event, out);
	else if (event->kind == EVENT_EMBED_LINES)
		print_lines(event, out);
}

/* Prints the stack nodes that the record added, in the order of the chunk, before the record itself. */
static void print_nodes(const struct event_decoder *decoder, size_t *known, FILE *out)
{
	size_t count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &count);

	for (; *known < count; (*known)++)
		(void)fprintf(out, "  node %zu parent=%" PRIu32 " address=0x%" PRIx64 "\n", *known,
			      nodes[*known].parent, nodes[*known].address);
}

static int print_records(struct event_decoder *decoder, const void *payload, size_t length, FILE *out)
{
	size_t nodes = STACK_FIRST_NODE;
	struct event event;
	int r;

	event_decoder_start(decoder, payload, length);
	while ((r = event_decoder_next(decoder, &event)) > 0) {
		print_nodes(decoder, &nodes, out);
		print_record(&event, out);
	}
	if (r == -EBADMSG)
		(void)fputs("  malformed\n", out);
	return r;
}

/* The lines below a chunk's line. -EBADMSG: malformed, which was printed. */
static int print_payload(struct event_decoder *decoder, const struct trace_chunk *chunk,
			 const void *payload, FILE *out)
{
	switch (chunk->header.type) {
	case RWK_CHUNK_STATE:
	case RWK_CHUNK_EVENTS:
	case RWK_CHUNK_EMBED:
	case RWK_CHUNK_END:
	case RWK_CHUNK_SNAPSHOTS:
	case RWK_CHUNK_NAMES:
		return print_records(decoder, payload, chunk->header.raw_size, out);
	default:
		return 0;
	}
}

static int dump_chunk(struct trace_file *file, uint32_t number, struct event_decoder *decoder, FILE *out)
{
	const void *payload;
	int r;

	print_chunk(&file->chunks[number], out);
	r = trace_file_load(file, number, &payload);
	if (!r)
		return print_payload(decoder, &file->chunks[number], payload, out);
	if (r == -EBADMSG)
		(void)fputs("  damaged\n", out);
	return r;
}

static void dump_begin(const struct trace_file *file, size_t number, FILE *out)
{
	const struct rwk_file_header *header = &file->sections[number].header;

	(void)fprintf(out, "section %zu offset %" PRIu64 " id ", number, file->sections[number].offset);
	for (size_t i = 0; i < sizeof(header->section_id); i++)
		(void)fprintf(out, "%02x", header->section_id[i]);
	(void)fprintf(out, " realtime %" PRIu64 "\n", header->realtime);
}

static void dump_ends(const struct trace_file *file, FILE *out)
{
	for (size_t i = 0; i < file->model_count; i++) {
		const struct trace_section *section = &file->sections[i];

		(void)fprintf(out, "section %zu closed %d reason %" PRIu32 "\n", i, section->closed,
			      section->closed ? section->end_reason : 0);
	}
}

static int dump_file(struct trace_file *file, FILE *out, bool *ret_damaged)
{
	struct event_decoder *decoder = NULL;
	struct trace_damage damage;
	size_t begun = 0;
	int r = event_decoder_create(&decoder);

	for (uint32_t i = 0; !r && i < file->chunk_count; i++) {
		while (begun < file->model_count && begun <= file->chunks[i].section)
			dump_begin(file, begun++, out);
		r = dump_chunk(file, i, decoder, out);
		if (r == -EBADMSG) {
			*ret_damaged = true;
			r = 0;
		}
	}
	while (begun < file->model_count)
		dump_begin(file, begun++, out);
	dump_ends(file, out);
	trace_reader_damage(file->reader, &damage);
	*ret_damaged |= damage.chunks || damage.bytes;
	*ret_damaged |= trace_file_report_cut(file);
	event_decoder_destroy(decoder);
	return r < 0 ? log_error(-r, "cannot read '%s': %s", file->path, strerror(-r)) : 0;
}

static int run(const struct tool_request *request, bool *ret_damaged)
{
	for (size_t i = 0; i < request->path_count; i++) {
		struct trace_file *file;
		int r = trace_file_open(request->paths[i], request->names->inputs, &file);

		if (r < 0)
			return r;
		r = dump_file(file, request->out, ret_damaged);
		trace_file_close(file);
		if (r < 0)
			return r;
	}
	return 0;
}

const struct tool dump_tool = {
	TOOL_OPTION("dump", .help = "every chunk and every record, one line each"),
	.run = run,
};
