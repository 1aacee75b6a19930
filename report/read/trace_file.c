/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_file.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/limits.h"
#include "format/section_id.h"
#include "report/read/foreign_file.h"

/* Opens a trace without inputs that were opened before. */
static int open_alone(const char *path, int *ret_fd, bool *ret_spooled)
{
	struct trace_inputs inputs;
	int r = trace_inputs_open(&inputs, NULL, &path, 1);

	if (!r) {
		trace_inputs_spool(&inputs);
		r = trace_inputs_take(&inputs, path, ret_fd, ret_spooled);
	}
	trace_inputs_close(&inputs);
	return r;
}

static bool holds_state(const struct trace_chunk *chunk)
{
	return chunk->header.type == RWK_CHUNK_STATE || chunk->header.type == RWK_CHUNK_EMBED ||
	       chunk->header.type == RWK_CHUNK_END || chunk->header.type == RWK_CHUNK_NAMES;
}

static int read_chunks(struct trace_file *file, struct event_decoder *decoder)
{
	for (uint32_t i = 0; i < file->chunk_count; i++) {
		const struct trace_chunk *chunk = &file->chunks[i];
		struct trace_model *model = &file->models[chunk->section];
		const void *payload = NULL;
		int r = holds_state(chunk) ? trace_file_load(file, i, &payload) : 0;

		if (r == -EBADMSG)
			continue;
		if (!r)
			r = trace_model_add_chunk(model, i, holds_state(chunk) ? payload : NULL, decoder);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < file->model_count; i++) {
		int r = trace_model_finish(&file->models[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int make_models(struct trace_file *file)
{
	size_t count = trace_reader_sections(file->reader, &file->sections);

	file->models = calloc(count ? count : 1, sizeof(*file->models));
	if (!file->models)
		return -ENOMEM;
	for (; file->model_count < count; file->model_count++) {
		int r = trace_model_init(&file->models[file->model_count], file, (uint32_t)file->model_count);

		if (r < 0) {
			trace_model_deinit(&file->models[file->model_count]);
			return r;
		}
	}
	return 0;
}

static void cleanup_decoder(struct event_decoder **decoder)
{
	event_decoder_destroy(*decoder);
}

static int read_file(struct trace_file *file)
{
	_cleanup_(cleanup_decoder) struct event_decoder *decoder = NULL;
	int r = trace_reader_create(&trace_io_system, file->fd, &file->reader);

	if (r < 0)
		return r;
	file->chunk_count = trace_reader_chunks(file->reader, &file->chunks);
	if (file->chunk_count >= UINT32_MAX)
		return -EFBIG;
	file->payload = malloc(RWK_MAX_RAW_CHUNK);
	if (!file->payload)
		return -ENOMEM;
	r = event_decoder_create(&decoder);
	if (!r)
		r = make_models(file);
	return r < 0 ? r : read_chunks(file, decoder);
}

static int say_what_else(const char *path, int fd)
{
	char what[FOREIGN_FILE_TEXT];

	foreign_file_describe(fd, path, what);
	return log_error(ENODATA, "'%s' %s", path, what);
}

static int say_why(const char *path, int fd, int r)
{
	switch (r) {
	case -ENODATA:
		return say_what_else(path, fd);
	case -EISDIR:
		return log_error(EISDIR, "'%s' is a folder: name a trace, as in '%s/trace.rwk'", path, path);
	case -ENOENT:
		return log_error(ENOENT, "there is no file '%s'", path);
	case -EPROTONOSUPPORT:
		return log_error(EPROTONOSUPPORT,
				 "'%s' was written by a newer, incompatible rwalker-record", path);
	case -ESTALE:
		return log_error(ESTALE, "'%s' is of a pre-release version of rwalker; record again", path);
	case -ENOMEM:
		return log_error(ENOMEM, "not enough memory to read '%s'", path);
	case -ETIMEDOUT:
		return log_error(ETIMEDOUT, "cannot read '%s': its file system does not answer", path);
	case -EFBIG:
		return log_error(EFBIG, "'%s' is too large for this program", path);
	default:
		return log_error(-r, "cannot read '%s': %s", path, strerror(-r));
	}
}

int trace_file_open(const char *path, const struct trace_inputs *inputs, struct trace_file **ret_file)
{
	struct trace_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return say_why(path, -1, -ENOMEM);
	file->fd = -1;
	file->path = path;
	r = inputs ? trace_inputs_take(inputs, path, &file->fd, &file->spooled) :
		     open_alone(path, &file->fd, &file->spooled);
	if (!r)
		r = read_file(file);
	if (r < 0) {
		r = say_why(path, file->fd, r);
		trace_file_close(file);
		return r;
	}
	*ret_file = file;
	return 0;
}

void trace_file_close(struct trace_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->model_count; i++)
		trace_model_deinit(&file->models[i]);
	free(file->models);
	free(file->payload);
	trace_reader_destroy(file->reader);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

uint64_t trace_file_event_bytes(const struct trace_file *file)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < file->model_count; i++)
		bytes += file->models[i].statistics[RWK_CHUNK_EVENTS].raw_bytes;
	return bytes;
}

int trace_file_load(struct trace_file *file, uint32_t chunk, const void **ret_payload)
{
	int r = trace_reader_load(file->reader, &file->chunks[chunk], file->payload);

	if (!r)
		*ret_payload = file->payload;
	return r;
}

static int take_chunk(struct trace_file *file, uint32_t chunk, struct event_decoder *decoder,
		      trace_take_record *take, void *data)
{
	const void *payload;
	struct event event;
	int r = trace_file_load(file, chunk, &payload);

	if (!r) {
		event_decoder_start(decoder, payload, file->chunks[chunk].header.raw_size);
		while ((r = event_decoder_next(decoder, &event)) > 0) {
			r = take(&event, data);
			if (r < 0)
				break;
		}
	}
	return r == -EBADMSG ? 0 : r;
}

int trace_file_each_record(struct trace_file *file, const chunk_list *chunks,
			   trace_take_record *take, void *data)
{
	_cleanup_(cleanup_decoder) struct event_decoder *decoder = NULL;
	int r = chunks->count ? event_decoder_create(&decoder) : 0;

	for (size_t i = 0; i < chunks->count && !r; i++)
		r = take_chunk(file, chunks->items[i], decoder, take, data);
	return r;
}

const char *trace_section_cut(const struct trace_section *section)
{
	static const char *const reasons[] = {
		[RWK_END_NO_SPACE] = "ended early: the disk was full",
		[RWK_END_IO_ERROR] = "ended early: writing it failed",
		[RWK_END_PIPE] = "ended early: the reader of the pipe was gone",
	};

	if (section->unsupported)
		return NULL;
	if (!section->closed)
		return "has no end: its recorder was killed or is still writing";
	return section->end_reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[section->end_reason] : NULL;
}

bool trace_file_tell_cut(const struct trace_file *file)
{
	bool any = false;

	for (size_t i = 0; i < file->model_count; i++) {
		const char *cut = trace_section_cut(&file->sections[i]);

		any |= cut != NULL;
		if (cut)
			log_warning("'%s' %s; what is missing is unknown", file->path, cut);
	}
	return any;
}

bool trace_file_holds_snapshots(const struct trace_file *file)
{
	for (size_t i = 0; i < file->model_count; i++)
		if (file->models[i].statistics[RWK_CHUNK_SNAPSHOTS].chunks)
			return true;
	return false;
}

int trace_file_adds_to(const struct trace_file *file, size_t addition, size_t number)
{
	const char *listed = trace_model_meta(&file->models[addition], SECTION_ADDS_TO);
	char id[SECTION_ID_TEXT];

	if (!listed)
		return -ENOENT;
	section_id_text(&file->sections[file->models[number].section].header, id);
	return strstr(listed, id) != NULL;
}
