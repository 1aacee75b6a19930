/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/name_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "common/cleanup.h"
#include "common/packet.h"

/* -1 if it does not exist, or a symbolic link leads to it. */
static int open_below(int root, const char *path)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* The size of a file that only root can have written; 0 if it is not one, or too large. */
static size_t size_of(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid || status.st_nlink != 1 ||
	    status.st_mode & (S_IWGRP | S_IWOTH) || status.st_size > CONTAINER_NAME_FILE)
		return 0;
	return (size_t)status.st_size;
}

static size_t read_all(int fd, char *bytes, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, bytes + used, size - used);
		used += got > 0 ? (size_t)got : 0;
	} while (used < size && (got > 0 || (got < 0 && errno == EINTR)));
	return used;
}

static bool read_name(int root, const char *path, const struct name_request *request, struct name_reply *reply)
{
	_cleanup_close_ int fd = open_below(root, path);
	const size_t size = fd < 0 ? 0 : size_of(fd);
	_cleanup_free_ char *bytes = size ? malloc(size) : NULL;

	return bytes && container_name_find((enum container_runtime)request->runtime, request->id, bytes,
					    read_all(fd, bytes, size), reply->name);
}

void name_helper_read(int root, const struct name_request *request, struct name_reply *ret_reply)
{
	char path[CONTAINER_NAME_PATH];

	*ret_reply = (struct name_reply){.cgroup = request->cgroup};
	if (!memchr(request->id, '\0', sizeof(request->id)) || request->runtime > CONTAINER_OTHER)
		return;
	for (unsigned int i = 0;
	     container_name_path((enum container_runtime)request->runtime, request->id, i, path); i++) {
		if (read_name(root, path, request, ret_reply))
			return;
		ret_reply->name[0] = '\0';
	}
}

int name_helper_run(int socket)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct name_request request;
	struct name_reply reply;
	int r = 0;

	while (!r) {
		if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, NULL) != sizeof(request))
			return 0;
		name_helper_read(root, &request, &reply);
		r = packet_send(socket, &reply, sizeof(reply), -1);
	}
	return r;
}
