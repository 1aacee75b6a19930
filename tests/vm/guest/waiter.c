/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * waiter NAME KIND [PATH] [NUMBER] : a task called NAME that reports its truth (guest.h) and then
 * waits.
 *
 *   read PATH OFFSET    direct read, D on a suspended device
 *   vfork               waits for its vfork child, D
 */
#include "guest.h"

#include <fcntl.h>

struct wait {
	const char *name;
	const char *path;
	uint64_t number;
};

static char block[4096] __attribute__((aligned(4096)));

static void wait_read(const struct wait *wait)
{
	int fd = open(wait->path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	tell_truth(wait->name, 'D');
	if (fd < 0 || pread(fd, block, sizeof(block), (off_t)wait->number) < 0)
		die(wait->path);
}

static void wait_vfork(const struct wait *wait)
{
	tell_truth(wait->name, 'D');
	if (vfork() == 0) {
		prctl(PR_SET_NAME, "vforked");
		sleep(3600);
		_exit(0);
	}
}

static const struct {
	const char *name;
	void (*run)(const struct wait *wait);
} kinds[] = {
	{"read", wait_read}, {"vfork", wait_vfork},
};

int main(int argc, char **argv)
{
	struct wait wait = {
		.name = argc > 1 ? argv[1] : "",
		.path = argc > 3 ? argv[3] : "",
		.number = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
	};

	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[2]) == 0) {
			kinds[i].run(&wait);
			return 0;
		}
	}
	fprintf(stderr, "usage: waiter NAME KIND [PATH] [NUMBER]\n");
	return 2;
}
