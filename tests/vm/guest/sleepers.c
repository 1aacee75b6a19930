/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sleepers NAME KIND DEVICE OFFSET : a task called NAME that is in D on a suspended DEVICE,
 * in a direct write:
 *
 *   framed    main > keep_journal > commit_batch > write_block, all with frame pointers, and with the
 *             system call in place
 *   plain     main > keep_ledger > commit_entry > post_entry > write of libc, without
 */
#include "guest.h"

#include <fcntl.h>

#define APART noinline, noclone
#define FRAMED __attribute__((APART, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
#define PLAIN __attribute__((APART, optimize("omit-frame-pointer", "no-optimize-sibling-calls")))
/* Something is done after the call, so that it is not a tail call. */
#define AFTERWARDS(result) __asm__ volatile("" : "+r"(result))

static char block[4096] __attribute__((aligned(4096)));

FRAMED long write_block(long fd)
{
	long written = SYS_write;

	__asm__ volatile("syscall" : "+a"(written) : "D"(fd), "S"(block), "d"(sizeof(block)),
			 "r"(__builtin_frame_address(0)) : "rcx", "r11", "memory");
	return written;
}

FRAMED long commit_batch(long fd)
{
	long written = write_block(fd);

	AFTERWARDS(written);
	return written;
}

FRAMED long keep_journal(long fd)
{
	long written = commit_batch(fd);

	AFTERWARDS(written);
	return written;
}

PLAIN long post_entry(long fd)
{
	long written = write((int)fd, block, sizeof(block));

	AFTERWARDS(written);
	return written;
}

PLAIN long commit_entry(long fd)
{
	long written = post_entry(fd);

	AFTERWARDS(written);
	return written;
}

PLAIN long keep_ledger(long fd)
{
	long written = commit_entry(fd);

	AFTERWARDS(written);
	return written;
}

FRAMED int main(int argc, char **argv)
{
	int fd = argc > 4 ? open(argv[3], O_WRONLY | O_DIRECT | O_CLOEXEC) : -1;

	if (fd < 0 || lseek(fd, (off_t)strtoull(argv[4], NULL, 10), SEEK_SET) < 0)
		die("device");
	tell_truth(argv[1], 'D');
	return (strcmp(argv[2], "framed") ? keep_ledger(fd) : keep_journal(fd)) < 0;
}
