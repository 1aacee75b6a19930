/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * full_disk FILE: writes a recording until the disk is full. What is left must be a closed trace
 * with every chunk whose write returned or, if not even the first one fits, an error and an empty
 * file. Prints one line of results; exit code 0 or 1. test_full_disk.sh mounts the disks.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fault/synthetic_check.h"

enum { PER_CHUNK = 64 };

struct outcome {
	int created, added, closed;
	uint32_t acknowledged;
};

static struct outcome record(int fd)
{
	struct trace_writer *writer = NULL;
	struct event_log *log = NULL;
	struct outcome o = {0};

	o.created = trace_writer_create(&trace_io_system, fd, &(struct trace_writer_settings){0}, &writer);
	if (o.created || event_log_create(writer, SYN_CPUS, &log) < 0)
		return o;
	for (uint32_t i = 0; !o.added; i++) { /* the numbers wrap around, the disk does not */
		o.added = syn_add(log, i % SYN_MAX, PER_CHUNK);
		if (!o.added && (i + 1) % PER_CHUNK == 0)
			o.acknowledged = i + 1;
	}
	o.closed = event_log_close(log, RWK_END_CLEAN, NULL, 0);
	event_log_destroy(log);
	trace_writer_destroy(writer);
	return o;
}

static const char *judge(const struct outcome *o, int fd, struct syn_found *found)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return "cannot be looked at";
	if (o->created)
		return o->created == -ENOSPC && file.st_size == 0 ? NULL : "no trace, and no clean error";
	syn_check(&trace_io_system, fd, found);
	if (o->added != -ENOSPC || o->closed != -ENOSPC)
		return "the error is not ENOSPC";
	if (found->error || found->malformed || found->unnamed || found->wrong || found->split)
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
	struct syn_found found = {0};
	struct outcome o;
	const char *why;

	if (fd < 0) {
		perror("full_disk");
		return 1;
	}
	o = record(fd);
	why = judge(&o, fd, &found);
	printf("%s: %zu steps, %zu chunks, created %d, added %d, closed %d\n", why ? why : "good", found.steps,
	       found.chunks, o.created, o.added, o.closed);
	close(fd);
	return why ? 1 : 0;
}
