/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/tool/condense_parts.h"

static int create(const char *path, int *ret_fd)
{
	int fd = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_RDWR, 0600);

	if (fd < 0 && errno == EEXIST)
		return log_error(EEXIST, "'%s' exists already: choose another name with -o", path);
	if (fd < 0) {
		int error = errno;

		return log_error(error, "cannot create '%s': %s", path, strerror(error));
	}
	*ret_fd = fd;
	return 0;
}

int condense_output_open(const char *path, struct condense_output *output)
{
	int r;

	output->path = path;
	output->is_stdout = !strcmp(path, "-");
	if (!output->is_stdout)
		return create(path, &output->fd);
	if (isatty(STDOUT_FILENO))
		return log_error(ENOTTY, "stdout is a terminal, and a trace is no text: use -o FILE");
	r = trace_io_open_unlinked(&output->fd);
	return r < 0 ? log_error(-r, "cannot create a temporary file: %s; TMPDIR says where", strerror(-r)) : 0;
}

static int copy(int from, int to)
{
	char bytes[1 << 16];
	uint64_t at = 0;
	ssize_t got;

	while ((got = pread(from, bytes, sizeof(bytes), (off_t)at))) {
		if (got < 0 && errno != EINTR)
			return -errno;
		for (ssize_t done = 0, one; done < got; done += one) {
			one = write(to, bytes + done, (size_t)(got - done));
			if (one < 0 && errno != EINTR)
				return -errno;
			one = one < 0 ? 0 : one;
		}
		at += got < 0 ? 0 : (uint64_t)got;
	}
	return 0;
}

int condense_output_keep(struct condense_output *output)
{
	struct stat status;
	int r = 0;

	if (output->is_stdout)
		r = copy(output->fd, STDOUT_FILENO);
	else if (fstat(output->fd, &status) < 0 || ftruncate(output->fd, status.st_size) < 0 || /* gives room ahead back */
		 close(steal_fd(&output->fd)) < 0)
		r = -errno;
	if (r < 0) {
		(void)log_error(-r, "cannot write '%s': %s", output->is_stdout ? "stdout" : output->path, strerror(-r));
		if (!output->is_stdout)
			(void)unlink(output->path);
	}
	return r;
}

void condense_output_close(struct condense_output *output)
{
	if (output->fd < 0)
		return;
	if (!output->is_stdout && unlink(output->path) < 0)
		log_warning("'%s' is not whole and cannot be removed: %s", output->path, strerror(errno));
	(void)close(steal_fd(&output->fd));
}
