/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stuck SECONDS [BUSY]: burns BUSY seconds of CPU, then is in D for SECONDS: it lets the kernel read
 * a page of its own that does not come before. Before that it prints
 *
 *     stuck PID CLOCK_MONOTONIC_NS
 *
 * stuck vfork: in D, too, but as the parent of a vfork whose child sleeps until it is killed.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };

static struct uffdio_zeropage page = {.range.len = PAGE};
static int faults;
static uint64_t rest_ns;

static void *bring(void *unused)
{
	struct timespec rest = {(time_t)(rest_ns / NS_PER_S), (long)(rest_ns % NS_PER_S)};

	nanosleep(&rest, NULL);
	(void)ioctl(faults, UFFDIO_ZEROPAGE, &page);
	return unused;
}

static char *absent_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING, .range.len = PAGE};
	char *absent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = page.range.start = (unsigned long)absent;
	if (absent == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		exit(1);
	}
	return absent;
}

void stuck_parent(uint64_t sleep_ns)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {absent_page(), 1};
	pthread_t thread;

	rest_ns = sleep_ns;
	if (pthread_create(&thread, NULL, bring, NULL))
		exit(1);
	(void)process_vm_readv(getpid(), &to, 1, &from, 1, 0);
}

static void vfork_parent(void)
{
	prctl(PR_SET_NAME, "vfork_parent");
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

int main(int argc, char **argv)
{
	uint64_t x = 1, busy_until = clock_ns(CLOCK_MONOTONIC) + seconds_arg(argc, argv, 2, 0);

	if (argc == 2 && !strcmp(argv[1], "vfork"))
		vfork_parent();
	prctl(PR_SET_NAME, "stuck_parent");
	while (clock_ns(CLOCK_MONOTONIC) < busy_until)
		BURN_SLICE(x);
	printf("stuck %d %llu\n", (int)getpid(), (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	fflush(stdout);
	stuck_parent(seconds_arg(argc, argv, 1, 5));
	return 0;
}
