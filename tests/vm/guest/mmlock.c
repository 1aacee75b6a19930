/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mmlock DEVICE [FILE] : a process whose mm lock is held for as long as DEVICE is suspended, so
 * that everything that takes it (/proc/PID/maps, a VMA walk, copying its memory) blocks.
 *
 * A page fault drops the lock before it waits for I/O, but an access through /proc/PID/mem does not
 * (access_remote_vm gives get_user_pages no way to unlock). So one thread reads its own mapping of
 * the device that way and keeps the lock for reading, and the main thread requests it for writing
 * with mmap(2), as soon as there is such a FILE: no new reader can pass a waiting writer.
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#define PAGE 4096u

static void *hold_for_reading(void *page)
{
	char byte;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/proc/self/mem");
	tell_truth("mm-reader", 'D');
	if (pread(fd, &byte, 1, (off_t)(uintptr_t)page) != 1)
		die("mm-reader");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t reader;
	void *page;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		die("device");
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 16 * PAGE);
	if (page == MAP_FAILED)
		die("mmap");
	if (pthread_create(&reader, NULL, hold_for_reading, page))
		die("pthread_create");
	do
		usleep(300000);
	while (argc > 2 && access(argv[2], F_OK));
	tell_truth("mm-writer", 'D');
	if (mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		die("mm-writer");
	pthread_join(reader, NULL);
	return 0;
}
