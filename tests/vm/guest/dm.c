/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dm create NAME SECTORS TARGET PARAMS | suspend NAME | resume NAME : the part of dmsetup that the
 * tests need.
 *
 * create prints the node, /dev/dm-N. suspend neither flushes nor freezes the file system on top:
 * later requests wait in D until resume. (Interface: linux/dm-ioctl.h.)
 */
#include "guest.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

struct request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char params[512];
};

static void request_send(struct request *request, unsigned long command, const char *name, unsigned int flags)
{
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("/dev/mapper/control");
	request->head.version[0] = 4;
	request->head.data_size = sizeof(*request);
	request->head.data_start = offsetof(struct request, target);
	request->head.flags = flags;
	snprintf(request->head.name, sizeof(request->head.name), "%s", name);
	if (ioctl(fd, command, request))
		die(name);
	close(fd);
}

static void create(char **argv)
{
	struct request request = {0};

	request_send(&request, DM_DEV_CREATE, argv[0], 0);
	request = (struct request){.head.target_count = 1};
	request.target.length = strtoull(argv[1], NULL, 10);
	request.target.next = sizeof(request) - offsetof(struct request, target);
	snprintf(request.target.target_type, sizeof(request.target.target_type), "%s", argv[2]);
	snprintf(request.params, sizeof(request.params), "%s", argv[3]);
	request_send(&request, DM_TABLE_LOAD, argv[0], 0);
	request = (struct request){0};
	request_send(&request, DM_DEV_SUSPEND, argv[0], 0);
	printf("/dev/dm-%u\n", minor(request.head.dev));
}

static void suspend(char **argv)
{
	struct request request = {0};

	request_send(&request, DM_DEV_SUSPEND, argv[0], DM_SUSPEND_FLAG | DM_NOFLUSH_FLAG | DM_SKIP_LOCKFS_FLAG);
}

static void resume(char **argv)
{
	struct request request = {0};

	request_send(&request, DM_DEV_SUSPEND, argv[0], 0);
}

static const struct {
	const char *name;
	int argc;
	void (*run)(char **argv);
} verbs[] = {{"create", 6, create}, {"suspend", 3, suspend}, {"resume", 3, resume}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(verbs[i].name, argv[1]) == 0 && verbs[i].argc == argc) {
			verbs[i].run(argv + 2);
			return 0;
		}
	}
	fprintf(stderr, "usage: dm create NAME SECTORS TARGET PARAMS | suspend NAME | resume NAME\n");
	return 2;
}
