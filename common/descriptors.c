/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { CLOSED_AT_MOST = 1 << 16 }; /* one by one */

static void close_between(unsigned int first, unsigned int last)
{
	if (first > last || !syscall(SYS_close_range, first, last, 0) || errno != ENOSYS)
		return;
	for (unsigned int fd = first; fd <= last && fd < CLOSED_AT_MOST; fd++)
		(void)close((int)fd);
}

/* The lowest that is kept, from `least` on; ~0u: there is none. */
static unsigned int next_kept(const int *kept, size_t count, unsigned int least)
{
	unsigned int next = ~0u;

	for (size_t i = 0; i < count; i++)
		if (kept[i] >= 0 && (unsigned int)kept[i] >= least && (unsigned int)kept[i] < next)
			next = (unsigned int)kept[i];
	return next;
}

void descriptors_close_others(const int *kept, size_t count)
{
	unsigned int first = STDERR_FILENO + 1, next;

	while ((next = next_kept(kept, count, first)) != ~0u) {
		close_between(first, next - 1);
		first = next + 1;
	}
	close_between(first, ~0u);
}

int descriptors_open_nothing(int flags)
{
	int fd = open("/dev/null", flags);
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && S_ISCHR(status.st_mode))
		return fd;
	if (fd >= 0)
		(void)close(fd);
	fd = memfd_create("nothing", MFD_ALLOW_SEALING | (flags & O_CLOEXEC ? MFD_CLOEXEC : 0));
	if (fd >= 0)
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return fd < 0 ? -errno : fd;
}
