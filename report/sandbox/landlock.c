/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/landlock.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

/* struct landlock_ruleset_attr of include/uapi/linux/landlock.h, of which older headers know only a part. */
struct ruleset {
	uint64_t files, net, scoped;
};

enum { GET_VERSION = 1, NET_ACCESS = 3 /* bind, connect */, SCOPED = 3 /* abstract sockets, signals */ };

/* How many access rights to files an ABI knows: each is one bit, from 0. */
static unsigned int file_rights(int abi)
{
	static const uint8_t count[] = {0, 13 /* files and folders */, 14 /* + refer */, 15 /* + truncate */, 15,
					16 /* + ioctl of devices */};
	const int last = (int)sizeof(count) - 1;

	return count[abi < last ? abi : last];
}

static size_t known_size(int abi)
{
	if (abi < 4)
		return offsetof(struct ruleset, net);
	return abi < 6 ? offsetof(struct ruleset, scoped) : sizeof(struct ruleset);
}

int landlock_deny_all(void)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, GET_VERSION), fd, r;
	struct ruleset ruleset = {.net = NET_ACCESS, .scoped = SCOPED};

	if (abi < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -errno;
	ruleset.files = (UINT64_C(1) << file_rights(abi)) - 1;
	fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, known_size(abi), 0);
	if (fd < 0)
		return -errno;
	r = syscall(SYS_landlock_restrict_self, fd, 0) ? -errno : abi;
	(void)close(fd);
	return r;
}
