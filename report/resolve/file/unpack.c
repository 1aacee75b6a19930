/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

static int read_whole(int fd, uint8_t **ret_bytes, size_t *ret_size)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct stat status;
	size_t size = 0;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size < 0 || status.st_size > UNPACK_MAX_INPUT)
		return -E2BIG;
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	while (size < (size_t)status.st_size) {
		ssize_t n = pread(fd, bytes + size, (size_t)status.st_size - size, (off_t)size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EBADMSG; /* it shrank */
		size += n > 0 ? (size_t)n : 0;
	}
	*ret_bytes = steal_ptr(bytes);
	*ret_size = size;
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

int unpack_file(int fd, const char *path, int *ret_fd)
{
	bool xz = ends_with(path, ".xz"), zstd = ends_with(path, ".zst");
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size = 0;
	int r;

	if (!xz && !zstd) {
		*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return *ret_fd < 0 ? -errno : 0;
	}
	r = read_whole(fd, &bytes, &size);
	if (r < 0)
		return r;
	return xz ? unpack_xz(bytes, size, UNPACK_MAX_BYTES, ret_fd) :
		    unpack_zstd(bytes, size, UNPACK_MAX_BYTES, ret_fd);
}
