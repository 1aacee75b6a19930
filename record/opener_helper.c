/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/opener_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/limits.h"
#include "record/packet.h"

struct request {
	struct opener_request head;
	char path[RWK_MAX_STRING + 1];
};

/* A path as the target sees it: resolved under its root, never out of it, never through /proc links. */
static int open_in_root(uint32_t tgid, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[32];
	int fd;

	(void)snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", tgid);
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

static int open_map_file(const struct opener_request *request)
{
	char path[96];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, request->tgid, request->start,
		       request->end);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Only regular files, and none on FUSE, whose server may be the very process that is stuck. */
static int file_check(int fd, const struct opener_request *request, struct opener_reply *reply)
{
	struct statfs fs;
	struct stat status;

	if (fstat(fd, &status) || fstatfs(fd, &fs))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (fs.f_type == FUSE_SUPER_MAGIC)
		return -EREMOTE;
	reply->device = status.st_dev;
	reply->inode = status.st_ino;
	/* btrfs and overlayfs show another device in stat than in maps: the inode number must do there. */
	return request->inode && request->inode != status.st_ino ? -ESTALE : 0;
}

/* By inode; else by path in the target's root; else, when the process is gone and its file can be told by inode or build-id, in ours. */
static int mapping_open(const struct request *request)
{
	bool known = request->head.inode || request->head.verified_later;
	int fd = open_map_file(&request->head);

	if (fd < 0 && request->path[0] == '/')
		fd = open_in_root(request->head.tgid, request->path);
	return fd == -ENOENT && known && request->path[0] == '/' ? open_in_root((uint32_t)getpid(), request->path) : fd;
}

/* The pid inside the target's own namespace, by which JIT compilers name their map: the last number of NSpid. */
static uint32_t namespace_pid(uint32_t tgid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], line[256];
	uint32_t pid = tgid;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *last;

		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		(void)sscanf(last ? last : "", "%" SCNu32, &pid);
		break;
	}
	return pid;
}

static int perf_map_open(const struct request *request)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", namespace_pid(request->head.tgid));
	return open_in_root(request->head.tgid, path);
}

static int request_serve(int socket, const struct request *request)
{
	struct opener_reply reply = {.token = request->head.token};
	int fd = request->head.what == OPENER_PERF_MAP ? perf_map_open(request) : mapping_open(request);
	int rc;

	reply.error = fd < 0 ? fd : file_check(fd, &request->head, &reply);
	rc = packet_send(socket, &reply, sizeof(reply), reply.error ? -1 : fd);
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

int opener_helper_run(int socket)
{
	struct request request;
	ssize_t got;
	int rc = 0;

	while (!rc) {
		got = packet_receive(socket, &request, sizeof(request) - 1, PACKET_FOREVER, NULL);
		if (got < (ssize_t)sizeof(request.head))
			break;
		((char *)&request)[got] = '\0';
		rc = request_serve(socket, &request);
	}
	return rc;
}
