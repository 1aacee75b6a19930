/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_inputs.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "format/limits.h"
#include "format/trace_reader.h"

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

int trace_inputs_take(const struct trace_inputs *inputs, const char *path, int *ret_fd, bool *ret_spooled)
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
