/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * full_disk FILE: writes a recording until the disk is full. What is left must be a closed trace
 * with every chunk whose write returned or, if not even the first one fits, an error and an empty
 * file. Prints one line of results; exit code 0 or 1. test_writing.sh mounts the disks.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fault/steps.h"

enum { PER_CHUNK = 64 };

static const char *judge(const struct steps_written *o, int fd, struct steps_found *found)
{
	struct steps_whole whole = steps_whole_make(o->acknowledged + PER_CHUNK, PER_CHUNK);
	struct stat file;

	if (fstat(fd, &file) < 0)
		return "cannot be looked at";
	if (o->created)
		return o->created == -ENOSPC && file.st_size == 0 ? NULL : "no trace, and no clean error";
	*found = steps_check(&trace_io_system, fd, &whole);
	free(whole.chunks);
	if (o->added != -ENOSPC || o->closed != -ENOSPC)
		return "the error is not ENOSPC";
	if (!steps_is_faultless(found))
		return "wrong or without names";
	if (found->closed != 1 || found->end_reason != RWK_END_NO_SPACE)
		return "not closed";
	if (found->steps < o->acknowledged)
		return "steps are missing whose write returned";
	if (found->damage.chunks || found->damage.bytes || found->damage.torn_tail)
		return "damaged";
	if (file.st_blocks * 512 > file.st_size + 8192)
		return "preallocated blocks are left behind";
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_CREAT | O_EXCL | O_RDWR, 0600) : -1;
	struct steps_found found = {0};
	struct steps_written o;
	const char *why;

	if (fd < 0) {
		perror("full_disk");
		return 1;
	}
	o = steps_write(&trace_io_system, fd, &(struct trace_writer_settings){0}, UINT32_MAX, PER_CHUNK, true);
	why = judge(&o, fd, &found);
	printf("%s: %zu steps, %zu chunks, created %d, added %d, closed %d\n", why ? why : "good", found.steps,
	       found.chunks, o.created, o.added, o.closed);
	close(fd);
	return why ? 1 : 0;
}
