/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * newborn N MS: N children, one after the other, each of which exists for MS ms before it is put on
 * a run queue: before that, the kernel writes the child's pid into a page of its parent, which
 * another thread provides only after that time. A child that runs prints
 *
 *	newborn PID NS		time that it has been on run queues so far, by the kernel's count
 *
 * Another child is never put on one. When it has existed for longer than all others, "ready" is
 * printed. The first line is "process PID".
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, OLDEST_MS = 600 };

static int children;
static long late_us;
static char *page;

static int watch_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(unsigned long)page, PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	must(fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range), "userfaultfd");
	return fd;
}

static void provide_page(int fd)
{
	struct uffdio_zeropage zero = {.range = {(unsigned long)page, PAGE}};

	must(!ioctl(fd, UFFDIO_ZEROPAGE, &zero), "UFFDIO_ZEROPAGE");
}

static void *provide_late(void *argument)
{
	const int fd = *(int *)argument;
	struct uffd_msg message;

	for (int i = 0; i <= children; i++) {
		must(read(fd, &message, sizeof(message)) == sizeof(message), "read of userfaultfd");
		if (i == children)
			break;
		rest_us(late_us);
		provide_page(fd);
	}
	rest_us(OLDEST_MS * 1000L);
	puts("ready");
	pause();
	return NULL;
}

static void live(void)
{
	unsigned long long ran, queued;
	char line[128];

	proc_line(getpid(), "schedstat", line, sizeof(line));
	must(sscanf(line, "%llu %llu", &ran, &queued) == 2, "schedstat");
	printf("newborn %d %llu\n", getpid(), queued);
	_exit(0);
}

static void make_child(void)
{
	pid_t child;

	must(!madvise(page, PAGE, MADV_DONTNEED), "madvise");
	child = (pid_t)syscall(SYS_clone, CLONE_PARENT_SETTID | SIGCHLD, 0, page, NULL, 0);
	must(child >= 0, "clone");
	if (!child)
		live();
	must(waitpid(child, NULL, 0) == child, "waitpid");
}

int main(int argc, char **argv)
{
	pthread_t provider;
	int fd;

	must(argc == 3 && (children = atoi(argv[1])) > 0 && (late_us = atol(argv[2]) * 1000) > 0,
	     "usage: newborn N MS");
	setvbuf(stdout, NULL, _IOLBF, 0);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(page != MAP_FAILED, "mmap");
	printf("process %d\n", getpid());
	fd = watch_page();
	must(!pthread_create(&provider, NULL, provide_late, &fd), "pthread_create");
	for (;;)
		make_child();
}
