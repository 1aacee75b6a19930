/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Descriptors that a peer sends, and those that this process has. */
#ifndef RWALKER_TESTS_UNIT_DESCRIPTORS_H
#define RWALKER_TESTS_UNIT_DESCRIPTORS_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static inline unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (folder && readdir(folder))
		count++;
	if (!folder || closedir(folder))
		abort();
	return count;
}

/* Sends the bytes with `count` descriptors, at most 4, each of which is this process's stderr. */
static inline void send_with_descriptors(int socket, const void *bytes, size_t size, size_t count)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	char copy[64];
	struct iovec part = {memcpy(copy, bytes, size), size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
				 .msg_controllen = CMSG_LEN(count * sizeof(int))};

	control.align = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
					 .cmsg_len = CMSG_LEN(count * sizeof(int))};
	for (size_t i = 0; i < count; i++)
		memcpy(CMSG_DATA(&control.align) + i * sizeof(int), &(int){STDERR_FILENO}, sizeof(int));
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)size)
		abort();
}

#endif
