/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/trace_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/process.h"
#include "format/io.h"
#include "report/read/progress.h"

static const char OPEN_FILES[] = "/proc/self/fd";

/*
 * Creates an unnamed file in the folder of `path`. It gets its name when it is complete, so nothing
 * is left if we are killed. False if the file system does not support that.
 */
static bool create_nameless(const char *path, int *ret_fd)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!folder || access(OPEN_FILES, X_OK) < 0)
		return false;
	*ret_fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return *ret_fd >= 0;
}

static int create_named(const char *path, int *ret_fd)
{
	*ret_fd = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_RDWR, 0600);
	return *ret_fd < 0 ? -errno : 0;
}

static int say_why(const char *path, int r)
{
	if (r == -EEXIST)
		return log_error(EEXIST, "'%s' already exists: choose another name with -o, or replace it with --force",
				 path);
	if (r == -EMEDIUMTYPE)
		return log_error(EEXIST, "'%s' is not a regular file, and is not replaced: choose another name with -o",
				 path);
	return log_error(-r, "cannot create '%s': %s", path, strerror(-r));
}

/* Whether a file may get this name. -EMEDIUMTYPE: something is there that --force does not replace. */
static int look(const struct trace_output *output)
{
	struct stat status;

	if (lstat(output->path, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!output->force)
		return -EEXIST;
	return S_ISREG(status.st_mode) ? 0 : -EMEDIUMTYPE;
}

/* The name that a file has until it replaces another. */
static int choose_part(struct trace_output *output)
{
	if (output->force && asprintf(&output->part, "%s.%d.part", output->path, (int)getpid()) < 0) {
		output->part = NULL;
		return -ENOMEM;
	}
	return 0;
}

static const char *name_so_far(const struct trace_output *output)
{
	return output->part ? output->part : output->path;
}

static int create(struct trace_output *output)
{
	int r = look(output);

	if (!r)
		r = choose_part(output);
	output->is_nameless = !r && create_nameless(output->path, &output->fd);
	if (!r && !output->is_nameless)
		r = create_named(name_so_far(output), &output->fd);
	return r < 0 ? say_why(output->path, r) : 0;
}

/* The process behind the service reports its own errors. */
static int ask(struct trace_output *output, enum trace_output_request number)
{
	_cleanup_(service_answer_deinit) struct service_answer answer;
	const uint8_t request = (uint8_t)number;
	int r = service_ask(output->service, &request, sizeof(request), &answer);

	if (!r)
		r = answer.result;
	else
		r = log_error(-r, "cannot write '%s': %s", trace_output_name(output), strerror(-r));
	if (!r && number == TRACE_OUTPUT_OPEN)
		output->fd = steal_fd(&answer.fd);
	return r;
}

int trace_output_open(const char *path, const struct service *service, struct trace_output *output)
{
	int r;

	output->path = path;
	output->service = service;
	output->is_stdout = !strcmp(path, "-");
	if (service)
		return ask(output, TRACE_OUTPUT_OPEN);
	output->is_nameless = output->is_stdout;
	if (!output->is_stdout)
		return create(output);
	if (isatty(STDOUT_FILENO))
		return log_error(ENOTTY, "cannot write a binary file to a terminal: redirect "
					 "stdout or use -o FILE");
	r = trace_io_open_unlinked(&output->fd);
	return r < 0 ? log_error(-r, "cannot create a temporary file: %s; TMPDIR chooses its directory",
				 strerror(-r)) : 0;
}

static int copy(struct progress *progress, int from, int to, uint64_t length)
{
	char bytes[8 << 10];
	uint64_t offset = 0;
	int r = 0;

	while (!r && offset < length) {
		size_t part = length - offset < sizeof(bytes) ? (size_t)(length - offset) : sizeof(bytes);
		ssize_t got = descriptor_read(from, bytes, part, offset);

		if (progress_step(progress, "copying", NULL, offset, length))
			return -ECANCELED;
		if (got <= 0)
			return got ? (int)got : -EIO;
		r = descriptor_write(to, bytes, (size_t)got);
		offset += (uint64_t)got;
	}
	return r;
}

int trace_output_copy(const struct trace_output *output, struct progress *progress, int from, uint64_t length)
{
	return copy(progress, from, output->fd, length);
}

static int give_name(const struct trace_output *output)
{
	char place[sizeof(OPEN_FILES) + 12];

	(void)snprintf(place, sizeof(place), "%s/%d", OPEN_FILES, output->fd);
	return linkat(AT_FDCWD, place, AT_FDCWD, name_so_far(output), AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int keep(struct trace_output *output)
{
	struct stat status;
	int r;

	if (fstat(output->fd, &status) < 0)
		return -errno;
	if (output->is_stdout)
		return copy(NULL, output->fd, STDOUT_FILENO, (uint64_t)status.st_size);
	if (ftruncate(output->fd, status.st_size) < 0) /* releases preallocated blocks */
		return -errno;
	r = output->is_nameless ? give_name(output) : 0;
	if (r < 0)
		return r;
	r = close(steal_fd(&output->fd)) < 0 ? -errno : 0;
	if (!r && output->part)
		r = rename(output->part, output->path) < 0 ? -errno : 0;
	if (r < 0)
		(void)unlink(name_so_far(output));
	return r;
}

int trace_output_keep(struct trace_output *output)
{
	int r;

	if (output->service && !output->is_stdout) {
		(void)close(steal_fd(&output->fd));
		return ask(output, TRACE_OUTPUT_KEEP);
	}
	r = keep(output);
	if (r == -EEXIST)
		return say_why(output->path, r);
	return r < 0 ? log_error(-r, "cannot write '%s': %s", trace_output_name(output), strerror(-r)) : 0;
}

void trace_output_close(struct trace_output *output)
{
	if (output->fd >= 0 && output->service)
		(void)ask(output, TRACE_OUTPUT_DISCARD);
	else if (output->fd >= 0 && !output->is_nameless && unlink(name_so_far(output)) < 0)
		log_warning("cannot remove the incomplete '%s': %s", name_so_far(output), strerror(errno));
	if (output->fd >= 0)
		(void)close(steal_fd(&output->fd));
	free(output->part);
	output->part = NULL;
}

const char *trace_output_name(const struct trace_output *output)
{
	return output->is_stdout ? "stdout" : output->path;
}

/* --- the parent's side --- */

void output_service_init(struct output_service *service, const char *path, bool force)
{
	*service = (struct output_service){.path = path, .output = {.fd = -1, .force = force}};
}

void output_service_deinit(struct output_service *service)
{
	trace_output_close(&service->output);
}

static int open_output(struct output_service *service, struct service_answer *answer)
{
	int r = trace_output_open(service->path, NULL, &service->output);

	service->used = true;
	if (r < 0)
		return r;
	answer->fd = fcntl(service->output.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return answer->fd < 0 ? -errno : 0;
}

static int serve(void *context, const void *request, size_t size, struct service_answer *answer)
{
	struct output_service *service = context;
	const uint8_t number = size == 1 ? *(const uint8_t *)request : 0;

	switch (number) {
	case TRACE_OUTPUT_OPEN:
		if (!service->path || service->used)
			return -EPROTO;
		answer->result = open_output(service, answer);
		return 0;
	case TRACE_OUTPUT_KEEP:
		if (service->output.fd < 0)
			return -EPROTO;
		answer->result = trace_output_keep(&service->output);
		return 0;
	case TRACE_OUTPUT_DISCARD:
		trace_output_close(&service->output);
		return 0;
	default:
		return -EPROTO;
	}
}

struct service output_service_of(struct output_service *service)
{
	return (struct service){.serve = serve, .context = service};
}
