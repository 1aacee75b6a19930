/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_file.h"

#include <fcntl.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/limits.h"

static const uint64_t SPOOL_MAX = (uint64_t)64 << 30;

static int open_path(const char *path, int *ret_fd)
{
	int fd;

	if (!strcmp(path, "-"))
		return trace_reader_spool(&trace_io_system, STDIN_FILENO, SPOOL_MAX, ret_fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* A FIFO or a process substitution has a name and yet cannot be sought in. */
static int spool_pipe(struct trace_file *file)
{
	int spooled, r;

	if (lseek(file->fd, 0, SEEK_CUR) >= 0 || errno != ESPIPE)
		return 0;
	file->spooled = true;
	r = trace_reader_spool(&trace_io_system, file->fd, SPOOL_MAX, &spooled);
	if (r < 0)
		return r;
	close(file->fd);
	file->fd = spooled;
	return 0;
}

static bool holds_state(const struct trace_chunk *chunk)
{
	return chunk->header.type == RWK_CHUNK_STATE || chunk->header.type == RWK_CHUNK_EMBED ||
	       chunk->header.type == RWK_CHUNK_END;
}

/* Of an INDEX nothing is needed but that it is whole. */
static bool is_checked(const struct trace_chunk *chunk)
{
	return holds_state(chunk) || chunk->header.type == RWK_CHUNK_INDEX;
}

static int read_chunks(struct trace_file *file, struct event_decoder *decoder)
{
	for (uint32_t i = 0; i < file->chunk_count; i++) {
		const struct trace_chunk *chunk = &file->chunks[i];
		struct trace_model *model = &file->models[chunk->section];
		const void *payload = NULL;
		int r = is_checked(chunk) ? trace_file_load(file, i, &payload) : 0;

		if (r == -EBADMSG) {
			model->damaged_chunks++;
			continue;
		}
		if (r == 0)
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
	if (r == 0)
		r = make_models(file);
	return r < 0 ? r : read_chunks(file, decoder);
}

static int say_why(const char *path, int r)
{
	switch (r) {
	case -ENODATA:
		return log_error(ENODATA, "'%s' holds no rwalker trace", path);
	case -EPROTONOSUPPORT:
		return log_error(EPROTONOSUPPORT, "'%s' was written by a newer, incompatible rwalker-record", path);
	case -ENOMEM:
		return log_error(ENOMEM, "not enough memory to read '%s'", path);
	case -EFBIG:
		return log_error(EFBIG, "'%s' is larger than this program reads", path);
	default:
		return log_error(-r, "cannot read '%s': %s", path, strerror(-r));
	}
}

int trace_file_open(const char *path, struct trace_file **ret_file)
{
	struct trace_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return say_why(path, -ENOMEM);
	file->fd = -1;
	file->path = path;
	file->spooled = !strcmp(path, "-");
	r = open_path(path, &file->fd);
	if (r == 0)
		r = spool_pipe(file);
	if (r == 0)
		r = read_file(file);
	if (r < 0) {
		trace_file_close(file);
		return say_why(path, r);
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

	if (r == 0)
		*ret_payload = file->payload;
	return r;
}

static int take_chunk(struct trace_file *file, uint32_t chunk, struct event_decoder *decoder, trace_take_record *take,
		      void *data)
{
	const void *payload;
	struct event event;
	int r = trace_file_load(file, chunk, &payload);

	if (r == 0) {
		event_decoder_start(decoder, payload, file->chunks[chunk].header.raw_size);
		while ((r = event_decoder_next(decoder, &event)) > 0) {
			r = take(&event, data);
			if (r < 0)
				break;
		}
	}
	return r == -EBADMSG ? 0 : r;
}

int trace_file_each_record(struct trace_file *file, const chunk_list *chunks, trace_take_record *take, void *data)
{
	_cleanup_(cleanup_decoder) struct event_decoder *decoder = NULL;
	int r = chunks->count ? event_decoder_create(&decoder) : 0;

	for (size_t i = 0; i < chunks->count && r == 0; i++)
		r = take_chunk(file, chunks->items[i], decoder, take, data);
	return r;
}

bool trace_file_holds_snapshots(const struct trace_file *file)
{
	for (size_t i = 0; i < file->model_count; i++)
		if (file->models[i].statistics[RWK_CHUNK_SNAPSHOTS].chunks)
			return true;
	return false;
}
