/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * locks N FILE: N waits for each of three kernel locks, the last one twice, each held by a known thread for a few
 * milliseconds. Prints
 *
 *	COMM CALL LOCK OWNER MMAP READS	the waiter's comm and system call; enum lock_kind; the holder's tid;
 *					bools: it is the mmap_lock; it is wanted for reading only
 *
 * A thread that writes to a pipe or a file holds the pipe's mutex or the inode's rwsem while the
 * page that it writes from is missing (userfaultfd), until another thread provides it. The
 * mmap_lock is held by a thread that changes the protection of many pages, on the same CPU, so that
 * the waiter does not spin. Whether it has the lock when the waiter comes is a matter of chance:
 * the waiter goes on until it has slept in a quarter of N calls.
 */
#include "workload.h"

enum { HOLD_US = 5000, LONG_NS = 500000, MUTEX = 1, RWSEM, MANY = 512 << 20 };

static int rounds, faults;

struct job {
	const char *holder, *waiter;
	void (*hold)(struct job *job);
	void (*wait)(struct job *job);
	int fd, other; /* of the holder, of the waiter */
	char *page; /* missing */
	int slept; /* calls in which the waiter of the mmap_lock slept for long */
	pid_t holder_tid, waiter_tid;
	volatile bool stop;
	pthread_barrier_t barrier;
};

static void await_sleep(pid_t tid)
{
	do
		rest_us(200);
	while (state_of(tid) != 'D');
}

/* --- the locks --- */

static void write_page(struct job *job) { must(write(job->fd, job->page, 1) == 1, "write"); }
static void write_byte(struct job *job) { must(write(job->fd, "x", 1) == 1, "write"); }

static void protect_many(struct job *job)
{
	static const int protections[] = {PROT_READ, PROT_READ | PROT_WRITE};

	for (int i = 0; !job->stop; i++)
		must(!mprotect(job->page, MANY, protections[i & 1]), "mprotect");
}

static void map_one(struct job *job)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)job;
	must(page != MAP_FAILED, "mmap");
	munmap(page, PAGE);
}

/* Takes the mmap_lock for reading, and may be killed meanwhile: the kernel does not mark who waits like that. */
static void read_own(struct job *job)
{
	char byte;

	must(pread(job->other, &byte, 1, (off_t)(unsigned long)&job->page) == 1, "/proc/self/mem");
}

/* --- threads --- */

static void *hold_often(void *argument)
{
	struct job *job = argument;

	prctl(PR_SET_NAME, job->holder);
	job->holder_tid = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < (job->hold == protect_many ? 1 : rounds); i++) {
		pthread_barrier_wait(&job->barrier);
		job->hold(job);
		pthread_barrier_wait(&job->barrier);
	}
	return NULL;
}

static void *wait_often(void *argument)
{
	struct job *job = argument;

	prctl(PR_SET_NAME, job->waiter);
	job->waiter_tid = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&job->barrier);
		job->wait(job);
		pthread_barrier_wait(&job->barrier);
	}
	return NULL;
}

static void want_mappings(struct job *job)
{
	long before = sleeps_so_far();
	uint64_t from = clock_ns(CLOCK_MONOTONIC);

	job->wait(job);
	job->slept += sleeps_so_far() > before && clock_ns(CLOCK_MONOTONIC) - from >= LONG_NS;
	rest_us(1000); /* then it preempts the holder, most likely while that has the lock */
}

static void *want_often(void *argument)
{
	struct job *job = argument;

	prctl(PR_SET_NAME, job->waiter);
	job->waiter_tid = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < rounds || job->slept < (rounds + 3) / 4; i++)
		want_mappings(job);
	return NULL;
}

/* One round of a lock that is held over a missing page: the holder first, then the waiter, then the page. */
static void one_round(struct job *held, struct job *waits)
{
	pthread_barrier_wait(&held->barrier);
	await_fault(faults);
	pthread_barrier_wait(&waits->barrier);
	await_sleep(waits->waiter_tid);
	rest_us(HOLD_US);
	provide_page(faults, held->page);
	pthread_barrier_wait(&held->barrier);
	pthread_barrier_wait(&waits->barrier);
	madvise(held->page, PAGE, MADV_DONTNEED);
}

static void run_over_page(struct job *job, const char *call, int lock)
{
	struct job waits = *job; /* with its own barrier and file: a file's position has a lock, too */
	pthread_t holder, waiter;
	char bytes[64];

	waits.fd = job->other;
	job->page = missing_pages(faults, PAGE);
	pthread_barrier_init(&job->barrier, NULL, 2);
	pthread_barrier_init(&waits.barrier, NULL, 2);
	must(!pthread_create(&holder, NULL, hold_often, job), "pthread_create");
	must(!pthread_create(&waiter, NULL, wait_often, &waits), "pthread_create");
	for (int i = 0; i < rounds; i++) {
		one_round(job, &waits);
		if (lock == MUTEX)
			must(read(job[1].fd, bytes, 2) == 2, "read");
	}
	pthread_join(holder, NULL);
	pthread_join(waiter, NULL);
	printf("%s %s %d %d 0 0\n", job->waiter, call, lock, job->holder_tid);
}

static void run_waiter(struct job *job, const char *comm, void (*wait)(struct job *job), const char *call, bool reads)
{
	pthread_t waiter;

	job->waiter = comm;
	job->wait = wait;
	job->slept = 0;
	must(!pthread_create(&waiter, NULL, want_often, job), "pthread_create");
	pthread_join(waiter, NULL);
	printf("%s %s %d %d 1 %d\n", comm, call, RWSEM, job->holder_tid, reads);
}

static void run_over_mappings(void)
{
	struct job job = {.holder = "h-mmap", .hold = protect_many, .other = open("/proc/self/mem", O_RDONLY)};
	pthread_t holder;

	job.page = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	must(job.other >= 0 && job.page != MAP_FAILED, "mmap");
	for (long at = 0; at < MANY; at += PAGE)
		(void)*(volatile char *)(job.page + at); /* the page of zeros: it takes no memory */
	pthread_barrier_init(&job.barrier, NULL, 2);
	bind_to(0, sched_getcpu()); /* and so do the threads */
	must(!pthread_create(&holder, NULL, hold_often, &job), "pthread_create");
	pthread_barrier_wait(&job.barrier);
	run_waiter(&job, "w-mmap", map_one, "mmap", false);
	run_waiter(&job, "w-self", read_own, "pread64", true);
	job.stop = true;
	pthread_barrier_wait(&job.barrier);
	pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
	struct job pipes[2] = {{.holder = "h-pipe", .waiter = "w-pipe", .hold = write_page, .wait = write_byte}};
	struct job file = {.holder = "h-file", .waiter = "w-file", .hold = write_page, .wait = write_byte};
	int ends[2];

	must(argc == 3 && (rounds = atoi(argv[1])) > 0, "usage: locks N FILE");
	faults = faults_open();
	must(!pipe(ends), "pipe");
	pipes[0].fd = pipes[0].other = ends[1];
	pipes[1].fd = ends[0];
	run_over_page(pipes, "write", MUTEX);
	file.fd = open(argv[2], O_CREAT | O_WRONLY | O_APPEND, 0600);
	file.other = open(argv[2], O_WRONLY | O_APPEND);
	must(file.fd >= 0 && file.other >= 0, argv[2]);
	run_over_page(&file, "write", RWSEM);
	run_over_mappings();
	return 0;
}
