/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/limits.h"
#include "format/section_id.h"
#include "format/trace_reader.h"

/* --- opening the inputs --- */

static const uint64_t SPOOL_MAX = (uint64_t)64 << 30;

static bool is_folder(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISDIR(status.st_mode);
}

static struct trace_input open_one(struct opener *opener, const char *path)
{
	struct trace_input input = {.path = path, .fd = -1};
	struct opened_file file;

	input.error = opener_open(opener, OPENER_NAMED, strcmp(path, "-") != 0 ? path : "/dev/stdin", &file);
	if (!input.error) {
		input.fd = file.fd;
		free(file.real);
	}
	if (input.fd >= 0 && is_folder(input.fd)) {
		cleanup_close(&input.fd);
		input.fd = -1;
		input.error = -EISDIR;
	}
	return input;
}

int trace_inputs_open(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count)
{
	*inputs = (struct trace_inputs){0};
	return trace_inputs_add(inputs, opener, paths, count);
}

static bool is_open(const struct trace_inputs *inputs, const char *path)
{
	for (size_t i = 0; i < inputs->items.count; i++)
		if (!strcmp(inputs->items.items[i].path, path))
			return true;
	return false;
}

int trace_inputs_add(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count)
{
	if (array_reserve(&inputs->items, inputs->items.count + count + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!is_open(inputs, paths[i]))
			inputs->items.items[inputs->items.count++] = open_one(opener, paths[i]);
	return 0;
}

void trace_inputs_close(struct trace_inputs *inputs)
{
	for (size_t i = 0; i < inputs->items.count; i++)
		cleanup_close(&inputs->items.items[i].fd);
	array_free(&inputs->items);
}

/* "-" is always copied: it may be a file whose offset is somewhere in the middle. */
static bool is_pipe(const struct trace_input *input)
{
	return !strcmp(input->path, "-") || (lseek(input->fd, 0, SEEK_CUR) < 0 && errno == ESPIPE);
}

static void spool(struct trace_input *input)
{
	int copy = -1;

	input->spooled = true;
	input->error = trace_reader_spool(&trace_io_system, input->fd, SPOOL_MAX, &copy);
	(void)close(input->fd);
	input->fd = copy;
}

void trace_inputs_spool(struct trace_inputs *inputs)
{
	for (size_t i = 0; i < inputs->items.count; i++)
		if (inputs->items.items[i].fd >= 0 && is_pipe(&inputs->items.items[i]))
			spool(&inputs->items.items[i]);
}

/* Gets the input with that path. 0: the caller closes *ret_fd; -errno of opening or copying it; -ENOENT: not found. */
static int trace_inputs_get(const struct trace_inputs *inputs, const char *path, int *ret_fd, bool *ret_spooled)
{
	for (size_t i = 0; i < inputs->items.count; i++) {
		const struct trace_input *input = &inputs->items.items[i];
		int fd;

		if (strcmp(input->path, path) != 0)
			continue;
		if (input->error)
			return input->error;
		fd = fcntl(input->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (fd < 0)
			return -errno;
		*ret_spooled = input->spooled;
		*ret_fd = fd;
		return 0;
	}
	return -ENOENT;
}

/* --- what a file is that is no trace, by its first bytes --- */

enum { LOOKED_AT = 4096, FOREIGN_FILE_TEXT = 512 };

struct head {
	char bytes[LOOKED_AT + 1]; /* NUL-terminated */
	size_t length;
};

static const struct magic {
	const char *bytes;
	size_t length;
	const char *what; /* "%s" stands for the path, once */
} magics[] = {
	{"PERFILE2", 8, "is a recording of perf, which perf report -i %s reads; rwalker-record makes those for us"},
	{"2ELIFREP", 8, "is a recording of perf from a machine of the other byte order, which perf report -i %s reads"},
	{"\x17\x08\x44tracing", 10, "is a recording of trace-cmd, which trace-cmd report -i %s reads"},
	{"\x7f" "ELF", 4, "is a program, a library or a core dump; a command is recorded by rwalker-record -u -- %s"},
	{"\x1f\x8b", 2, "is packed by gzip: gzip -dc %s | rwalker-report -"},
	{"\x28\xb5\x2f\xfd", 4, "is packed by zstd: zstd -dc %s | rwalker-report -"},
	{"\xfd" "7zXZ", 5, "is packed by xz: xz -dc %s | rwalker-report -"},
	{"BZh", 3, "is packed by bzip2: bzip2 -dc %s | rwalker-report -"},
	{"\x04\x22\x4d\x18", 4, "is packed by lz4: lz4 -dc %s | rwalker-report -"},
	{"PK\x03\x04", 4, "is packed by zip: unzip -p %s | rwalker-report -"},
	{"\x89RWK\r\n\x1a\n", 8, "is a trace whose first 64 bytes are damaged: it cannot be read"},
	{"SQLite format 3", 15, "is a database; a cache of names is given as --cache=%s"},
};

static const struct magic *find_magic(const struct head *head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (head->length >= magics[i].length && !memcmp(head->bytes, magics[i].bytes, magics[i].length))
			return &magics[i];
	return NULL;
}

static bool is_text(const struct head *head)
{
	for (size_t i = 0; i < head->length; i++) {
		unsigned char byte = (unsigned char)head->bytes[i];

		if (!byte || byte == 0x7f || (byte < ' ' && !strchr("\n\r\t\f\033", byte)))
			return false;
	}
	return true;
}

/* Whether the first line is of the form "comm;function;function 123". */
static bool is_folded(const char *text)
{
	const char *end = text + strcspn(text, "\n"), *number = end;

	while (number > text && isdigit((unsigned char)number[-1]))
		number--;
	return number > text && number < end && number[-1] == ' ' && memchr(text, ';', (size_t)(number - text));
}

static const char *text_kind(const char *text)
{
	if (is_folded(text))
		return "is folded text, which flamegraph.pl %s > out.svg draws";
	if (!strncmp(text, "# cpu ", 6) || !strncmp(text, "# offcpu ", 9) || !strncmp(text, "# tasks ", 8))
		return "is a report already: less %s";
	if (text[0] == '{' || text[0] == '[')
		return "is JSON, and no trace";
	return "is text, and no trace: rwalker-record -o FILE writes traces";
}

static void fill(const char *form, const char *path, char text[static FOREIGN_FILE_TEXT])
{
	const char *mark = strstr(form, "%s");

	if (mark)
		(void)snprintf(text, FOREIGN_FILE_TEXT, "%.*s%s%s", (int)(mark - form), form, path, mark + 2);
	else
		(void)snprintf(text, FOREIGN_FILE_TEXT, "%s", form);
}

static void foreign_file_describe(int fd, const char *path, char text[static FOREIGN_FILE_TEXT])
{
	struct head head = {.length = 0};
	ssize_t got = pread(fd, head.bytes, LOOKED_AT, 0);
	const struct magic *magic;

	if (got > 0)
		head.length = (size_t)got;
	magic = find_magic(&head);
	if (!head.length)
		fill("is empty: its recorder has not written anything yet, or failed", path, text);
	else if (magic)
		fill(magic->what, path, text);
	else if (is_text(&head))
		fill(text_kind(head.bytes), path, text);
	else
		fill("is not an rwalker trace", path, text);
}

/* --- traces --- */

/* Opens a trace without inputs that were opened before. */
static int open_alone(const char *path, int *ret_fd, bool *ret_spooled)
{
	struct trace_inputs inputs;
	int r = trace_inputs_open(&inputs, NULL, &path, 1);

	if (!r) {
		trace_inputs_spool(&inputs);
		r = trace_inputs_get(&inputs, path, ret_fd, ret_spooled);
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
	r = inputs ? trace_inputs_get(inputs, path, &file->fd, &file->spooled) :
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

static int read_chunk(struct trace_file *file, uint32_t chunk, struct event_decoder *decoder,
		      trace_read_record *take, void *data)
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
			   trace_read_record *take, void *data)
{
	_cleanup_(cleanup_decoder) struct event_decoder *decoder = NULL;
	int r = chunks->count ? event_decoder_create(&decoder) : 0;

	for (size_t i = 0; i < chunks->count && !r; i++)
		r = read_chunk(file, chunks->items[i], decoder, take, data);
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

bool trace_file_report_cut(const struct trace_file *file)
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
