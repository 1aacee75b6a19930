/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpacked.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int unpacked_open(struct unpacked *unpacked, uint64_t most)
{
	*unpacked = (struct unpacked){.fd = memfd_create("unpacked", MFD_CLOEXEC), .most = most};
	return unpacked->fd < 0 ? -errno : 0;
}

int unpacked_add(struct unpacked *unpacked, const void *bytes, size_t size)
{
	if (size > unpacked->most - unpacked->size)
		return -E2BIG;
	for (size_t done = 0; done < size;) {
		ssize_t n = write(unpacked->fd, (const char *)bytes + done, size - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	unpacked->size += size;
	return 0;
}
