/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by the workloads: CPU time to burn, clocks to measure it with, calls that must succeed, threads of /proc, pages
 * that are missing until somebody provides them.
 *
 * A workload is the independent truth of a live test. If it burns, it measures its own CPU time per call path with
 * CLOCK_THREAD_CPUTIME_ID and prints lines
 *
 *     truth PATH SHARE        SHARE is a fraction of the process's own total
 *
 * which the scripts compare with what the recorder saw. Everything is static so that a workload stays one file and one
 * symbol table.
 */
#ifndef TESTS_LIVE_WORKLOAD_H
#define TESTS_LIVE_WORKLOAD_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PAGE = 4096 };

static inline void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static inline void say(const char *what) /* at once */
{
	(void)puts(what);
	(void)fflush(stdout);
}

/* --- time --------------------------------------------------------------------------------------- */

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

static inline void rest(uint64_t ns)
{
	struct timespec time = timespec_of(ns);

	nanosleep(&time, NULL);
}

static inline void rest_us(uint64_t us) { rest(us * 1000); }

static inline uint64_t seconds_arg(int argc, char **argv, int at, double fallback)
{
	return (uint64_t)((argc > at ? strtod(argv[at], NULL) : fallback) * 1e9);
}

/*
 * About a quarter of a millisecond of arithmetic that the compiler can neither fold
 * nor vectorise. It is a macro so that the loop is in the caller's own code. It asks for
 * the frame address because gcc otherwise gives a leaf function no frame, whatever
 * -fno-omit-frame-pointer says, and then its caller is missing from a walk.
 */
#define BURN_SLICE(seed)                                                           \
	do {                                                                       \
		for (unsigned int i_ = 0; i_ < 150000; i_++) {                     \
			(seed) ^= (seed) << 13;                                    \
			(seed) ^= (seed) >> 7;                                     \
			(seed) ^= (seed) << 17;                                    \
		}                                                                  \
		__asm__ volatile("" : "+r"(seed) : "r"(__builtin_frame_address(0))); \
	} while (0)

/* A function that burns that much of its thread's CPU time. */
#define BURNER(name)                                                               \
	void name(uint64_t cpu_ns)                                                 \
	{                                                                          \
		uint64_t x = cpu_ns | 1;                                           \
		uint64_t stop_at = clock_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;     \
									           \
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < stop_at)                \
			BURN_SLICE(x);                                             \
		__asm__ volatile("");                                              \
	}

/* The shares of paths, and the total. */
static inline void truth_print(const char *const *paths, const uint64_t *ns, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += ns[i];
	for (size_t i = 0; i < count; i++)
		printf("truth %s %.6f\n", paths[i], (double)ns[i] / (double)total);
	printf("total_ns %lu\n", total);
}

/* A thread that takes part of a CPU's time: it burns for a few milliseconds, and sleeps. */
struct pace {
	uint64_t percent, stop_at, rested_at; /* ns of CPU time */
};

static inline struct pace pace_begin(uint64_t cpu_ns, const char *percent)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	return (struct pace){.percent = strtoul(percent, NULL, 10), .stop_at = now + cpu_ns, .rested_at = now};
}

/* Whether to burn on. Sleeps after each slice, unless it may take all of the CPU. */
static inline bool pace_goes_on(struct pace *pace)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID), used = now - pace->rested_at;

	if (pace->percent < 100 && used >= 2 * NS_PER_MS) {
		rest(used * (100 - pace->percent) / pace->percent);
		pace->rested_at = now;
	}
	return now < pace->stop_at;
}

/* --- CPUs ----------------------------------------------------------------------------------------- */

/* The first or last CPU that this process may use. */
static inline int allowed_cpu(bool last)
{
	cpu_set_t allowed;
	int cpu = -1;

	must(!sched_getaffinity(0, sizeof(allowed), &allowed), "sched_getaffinity");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed) && (cpu < 0 || last))
			cpu = i;
	return cpu;
}

static inline void bind_to(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(!sched_setaffinity(tid, sizeof(set), &set), "sched_setaffinity");
}

/* How often this thread has slept. */
static inline long sleeps_so_far(void)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_THREAD, &usage), "getrusage");
	return usage.ru_nvcsw;
}

/* --- threads, by /proc ---------------------------------------------------------------------------- */

/* The first line of a file of that thread, by its tid there. */
static inline void proc_line(pid_t tid, const char *name, char *line, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	file = fopen(path, "re");
	must(file && fgets(line, (int)size, file), path);
	fclose(file);
}

/* The letter of the thread's state. */
static inline char state_of(pid_t tid)
{
	char line[256];

	proc_line(tid, "stat", line, sizeof(line));
	return strrchr(line, ')')[2];
}

/* The number of the system call in which it sleeps, and the call's first argument; -1 if it runs. */
static inline long call_of(pid_t tid, unsigned long *ret_first)
{
	char line[256];
	long call;

	proc_line(tid, "syscall", line, sizeof(line));
	return sscanf(line, "%ld %lx", &call, ret_first) == 2 ? call : -1;
}

/* Time on run queues so far, ns, and on CPUs. */
static inline unsigned long long queued_of(pid_t tid, unsigned long long *ret_ran)
{
	unsigned long long queued;
	char line[128];

	proc_line(tid, "schedstat", line, sizeof(line));
	must(sscanf(line, "%llu %llu", ret_ran, &queued) == 2, "schedstat");
	return queued;
}

/* Until the thread sleeps in that call. */
static inline void await_call_number(pid_t tid, long wanted)
{
	unsigned long first;

	while (call_of(tid, &first) != wanted)
		rest_us(1000);
}

/*
 * Until the thread sleeps in a system call, where it can be woken by anything: not in a page fault, nor preempted, nor on
 * a futex of the barrier at which it meets others.
 */
static inline void await_call(pid_t tid, const void *barrier, size_t size)
{
	unsigned long first;
	long call;

	do {
		rest_us(1000);
		call = call_of(tid, &first);
	} while (call < 0 || state_of(tid) != 'S' || (call == SYS_futex && first - (unsigned long)barrier < size));
}

/* Until it has slept for a while: it may sleep earlier for a moment, when one of its own pages is missing. */
static inline void await_state(pid_t tid, const char *states)
{
	enum { LOOKS = 20 };

	for (int looks = 0; looks < LOOKS; rest_us(2000))
		looks = strchr(states, state_of(tid)) ? looks + 1 : 0;
}

/* --- files ------------------------------------------------------------------------------------------ */

static inline unsigned long inode_of(int fd)
{
	struct stat status;

	must(!fstat(fd, &status), "fstat");
	return status.st_ino;
}

/* The ends of a TCP connection to ourselves, like those of a pipe. */
static inline void tcp_pair(int ends[2])
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(!bind(listener, (void *)&here, length) && !getsockname(listener, (void *)&here, &length), "bind");
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	must(!listen(listener, 1) && !connect(ends[1], (void *)&here, length), "connect");
	ends[0] = accept(listener, NULL, NULL);
	must(ends[0] >= 0, "accept");
	close(listener);
}

/* --- missing pages ------------------------------------------------------------------------------------ */

static inline int faults_open(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	must(faults >= 0 && !ioctl(faults, UFFDIO_API, &api), "userfaultfd");
	return faults;
}

/* Who touches them sleeps until they are provided. */
static inline char *missing_pages(int faults, size_t size)
{
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = {.range = {(unsigned long)pages, size}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	must(pages != MAP_FAILED && !ioctl(faults, UFFDIO_REGISTER, &range), "userfaultfd");
	return pages;
}

/* Until a thread touches a missing page: its address is read from the descriptor. */
static inline void await_fault(int faults)
{
	struct uffd_msg message;

	must(read(faults, &message, sizeof(message)) == sizeof(message), "userfaultfd");
}

static inline void provide_page(int faults, const char *page)
{
	struct uffdio_zeropage zero = {.range = {(unsigned long)page, PAGE}};

	must(!ioctl(faults, UFFDIO_ZEROPAGE, &zero), "UFFDIO_ZEROPAGE");
}

#endif
