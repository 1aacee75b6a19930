/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * callers N FOLDER DEVICE: N waits in each way that has no system call of its own, or an odd one: a
 * worker of io_uring opens a FIFO for a thread that waits for the ring, a thread reads from a pipe
 * by int 0x80, one reads the block device DEVICE bypassing the page cache, and one flushes it,
 * which a kworker does if it is a loop device. Prints what was waited for:
 *
 *	process PID
 *	COMM CONTEXT CALL KIND MEMBER=VALUE...	as in the records WAIT and OBJECT of a trace
 *
 * or "COMM missing" if this machine cannot do that.
 *
 * callers burn SECONDS: reads of /dev/zero that io_uring gives to its worker (iou-wrk-TID), which burns nearly all of the
 * CPU time. Then both sleep for as long. Exit 77: no io_uring.
 */
#include "workload.h"

#include <linux/io_uring.h>

enum { WAIT_US = 3000, PAGES = 256 };
enum { NATIVE = 1, COMPAT, IO_WORKER = 5 };
enum { PIPE_KIND = 3, ANONYMOUS = 13, BLOCK = 20 };

static int rounds;
static char fifo[300];
static const char *device;
static pthread_barrier_t both;

/* --- io_uring --- */

struct ring {
	int fd;
	struct io_uring_params params;
	char *rings;
	struct io_uring_sqe *entries;
};

static unsigned int *word_of(const struct ring *ring, unsigned int offset)
{
	return (unsigned int *)(ring->rings + offset);
}

static bool ring_up(struct ring *ring)
{
	const int both_ways = PROT_READ | PROT_WRITE;
	size_t size;

	ring->fd = (int)syscall(SYS_io_uring_setup, 4, &ring->params);
	if (ring->fd < 0 || !(ring->params.features & IORING_FEAT_SINGLE_MMAP))
		return false;
	size = ring->params.cq_off.cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe);
	ring->rings = mmap(NULL, size, both_ways, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->entries = mmap(NULL, PAGE, both_ways, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	must(ring->rings != MAP_FAILED && ring->entries != MAP_FAILED, "mmap");
	return true;
}

/* Runs it and returns its result. */
static int run_by_worker(struct ring *ring, struct io_uring_sqe entry)
{
	unsigned int *tail = word_of(ring, ring->params.sq_off.tail), *head = word_of(ring, ring->params.cq_off.head);
	struct io_uring_cqe *done = (void *)(ring->rings + ring->params.cq_off.cqes);

	entry.flags = IOSQE_ASYNC;
	ring->entries[0] = entry;
	word_of(ring, ring->params.sq_off.array)[*tail & (ring->params.sq_entries - 1)] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1, "io_uring_enter");
	done += *head & (ring->params.cq_entries - 1);
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return done->res;
}

/* Nobody has opened the other end of the FIFO yet, so opening it blocks, and a worker does it. */
static int open_by_worker(struct ring *ring)
{
	return run_by_worker(ring, (struct io_uring_sqe){.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD,
							 .addr = (uintptr_t)fifo, .open_flags = O_RDONLY});
}

static int burn(uint64_t length)
{
	static char buffer[4 << 20];
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + length;
	int zero = open("/dev/zero", O_RDONLY);
	struct ring ring = {0};

	if (!ring_up(&ring))
		return 77;
	prctl(PR_SET_NAME, "uring");
	while (clock_ns(CLOCK_MONOTONIC) < end)
		run_by_worker(&ring, (struct io_uring_sqe){.opcode = IORING_OP_READ, .fd = zero, .addr = (uintptr_t)buffer,
							   .len = sizeof(buffer)});
	rest(length);
	return 0;
}

static void *wait_for_worker(void *argument)
{
	struct ring *ring = argument;

	prctl(PR_SET_NAME, "c-ring");
	printf("c-ring %d %d %d descriptor=%d tgid=%d\n", NATIVE, SYS_io_uring_enter, ANONYMOUS, ring->fd + 1,
	       getpid());
	printf("iou-wrk-%ld %d 0 0\n", syscall(SYS_gettid), IO_WORKER);
	for (int i = 0; i < rounds; i++) {
		int fd;

		pthread_barrier_wait(&both);
		fd = open_by_worker(ring);
		must(fd >= 0, "open by a worker");
		close(fd);
		pthread_barrier_wait(&both);
	}
	return NULL;
}

static void *end_worker(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "ender");
	for (int i = 0; i < rounds; i++) {
		int fd;

		pthread_barrier_wait(&both);
		do /* until the worker waits for this end of it */
			rest_us(WAIT_US);
		while ((fd = open(fifo, O_WRONLY | O_NONBLOCK)) < 0 && errno == ENXIO);
		must(fd >= 0, fifo);
		pthread_barrier_wait(&both);
		close(fd);
	}
	return NULL;
}

/* --- calls of 32-bit programs --- */

static bool has_compat(void)
{
	pid_t child = fork();
	int status, number = 20; /* getpid */

	if (!child) {
		__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
		_exit(number != getpid());
	}
	must(waitpid(child, &status, 0) == child, "waitpid");
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void read_by_compat(int fd, char *low)
{
	long got = 3; /* read */

	__asm__ volatile("int $0x80"
			 : "+a"(got)
			 : "b"((long)fd), "c"(low), "d"(1l)
			 : "memory", "r8", "r9", "r10", "r11");
	must(got == 1, "read by int 0x80");
}

static int ends[2];

static void *wait_in_compat(void *argument)
{
	prctl(PR_SET_NAME, "c-compat");
	printf("c-compat %d 3 %d inode=%lu\n", COMPAT, PIPE_KIND, inode_of(ends[0]));
	for (int i = 0; i < rounds; i++)
		read_by_compat(ends[0], argument);
	return NULL;
}

static void *end_compat(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "ender");
	for (int i = 0; i < rounds; i++) {
		rest_us(WAIT_US);
		must(write(ends[1], "x", 1) == 1, "write");
	}
	return NULL;
}

/* --- a block device --- */

static void *read_directly(void *argument)
{
	int fd = open(device, O_RDONLY | O_DIRECT);
	struct stat status;
	void *page = NULL;

	(void)argument;
	prctl(PR_SET_NAME, "c-direct");
	must(fd >= 0 && !fstat(fd, &status) && !posix_memalign(&page, PAGE, PAGE), device);
	printf("c-direct %d %d %d device=%lu\n", NATIVE, SYS_pread64, BLOCK, (unsigned long)status.st_rdev);
	for (int i = 0; i < rounds; i++)
		must(pread(fd, page, PAGE, (off_t)(i % PAGES) * PAGE) == PAGE, device);
	return NULL;
}

static void *flush(void *argument)
{
	int fd = open(device, O_RDWR);
	char page[PAGE];

	(void)argument;
	prctl(PR_SET_NAME, "c-flush");
	must(fd >= 0, device);
	memset(page, 1, sizeof(page));
	for (int i = 0; i < rounds; i++)
		must(pwrite(fd, page, PAGE, (off_t)(i % PAGES) * PAGE) == PAGE && !fdatasync(fd), device);
	return NULL;
}

static void both_run(void *(*first)(void *), void *(*second)(void *), void *argument)
{
	pthread_t threads[2];

	must(!pthread_create(&threads[0], NULL, first, argument), "pthread_create");
	must(!pthread_create(&threads[1], NULL, second, argument), "pthread_create");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
	struct ring ring = {0};
	char *low;

	if (argc == 3 && !strcmp(argv[1], "burn"))
		return burn(seconds_arg(argc, argv, 2, 1));
	must(argc == 4 && (rounds = atoi(argv[1])) > 0, "usage: callers N FOLDER DEVICE");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("process %d\n", getpid());
	snprintf(fifo, sizeof(fifo), "%s/fifo", argv[2]);
	device = argv[3];
	(void)unlink(fifo);
	must(!mkfifo(fifo, 0600) && !pipe(ends) && !pthread_barrier_init(&both, NULL, 2), fifo);
	if (ring_up(&ring))
		both_run(wait_for_worker, end_worker, &ring);
	else
		printf("c-ring missing\n");
	low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		   MAP_32BIT | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (low != MAP_FAILED && has_compat())
		both_run(wait_in_compat, end_compat, low);
	else
		printf("c-compat missing\n");
	if (*device)
		both_run(read_directly, flush, NULL);
	else
		printf("c-direct missing\n");
	return 0;
}
