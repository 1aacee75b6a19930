/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mutexes N FILE: N waits for each kind of mutex, held by a known thread for a few milliseconds; as
 * many for futexes that are not mutexes, and for mutexes in all kinds of memory, FILE among them.
 * Prints
 *
 *	COMM PLACE WORDS OWNER MAPPING OFFSET INODE
 *		the waiter; address of the lock, in its process; number of words of the lock; the holder's tid in the
 *		pid namespace of the mount of /proc, or 0 if it is not a mutex, or its owner's process is another one,
 *		whose tids may be of another pid namespace; enum object_mapping, 0: chosen by the C
 *		library; the lock's offset in the shared memory; inode of FILE, or 0
 *
 * Threads meet at barriers, which are not mutexes either.
 */
#include "workload.h"

#include <linux/futex.h>
#include <semaphore.h>

enum { HOLD_US = 4000 };

static int rounds;

struct job { /* in memory that processes share */
	const char *name;
	void (*set_up)(struct job *job);
	void (*take)(struct job *job); /* for the holder, then for the waiter */
	void (*give)(struct job *job);
	void (*wait)(struct job *job); /* for the waiter, if that is another call */
	int type, protocol, robust, shared;
	bool is_mutex;
	int mapping;
	unsigned long begin, inode; /* of the shared memory */
	pid_t holder, waiter; /* ids as in /proc */
	pthread_barrier_t barrier;
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
		sem_t semaphore;
		struct {
			pthread_cond_t condition;
			pthread_mutex_t guard; /* it follows the condition variable in most programs */
			bool given;
		};
		unsigned int words[16];
		FILE *file;
	};
};

/* The caller's tid in the pid namespace of the mount of /proc. */
static pid_t own_tid(void)
{
	char link[64] = "";

	must(readlink("/proc/thread-self", link, sizeof(link) - 1) > 0, "/proc/thread-self");
	return atoi(strrchr(link, '/') + 1);
}

/* --- mutexes --- */

static void mutex_up(struct job *job)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, job->type);
	pthread_mutexattr_setprotocol(&attributes, job->protocol);
	pthread_mutexattr_setrobust(&attributes, job->robust);
	pthread_mutexattr_setpshared(&attributes, job->shared);
	must(!pthread_mutex_init(&job->mutex, &attributes), job->name);
}

static void mutex_take(struct job *job) { must(!pthread_mutex_lock(&job->mutex), "lock"); }
static void mutex_give(struct job *job) { must(!pthread_mutex_unlock(&job->mutex), "unlock"); }

static void mutex_timed(struct job *job)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	must(!pthread_mutex_timedlock(&job->mutex, &until), "timedlock");
}

/* --- others --- */

static void rwlock_up(struct job *job) { pthread_rwlock_init(&job->rwlock, NULL); }
static void write_take(struct job *job) { pthread_rwlock_wrlock(&job->rwlock); }
static void read_take(struct job *job) { pthread_rwlock_rdlock(&job->rwlock); }
static void rwlock_give(struct job *job) { pthread_rwlock_unlock(&job->rwlock); }
static void semaphore_up(struct job *job) { sem_init(&job->semaphore, 0, 1); }
static void semaphore_take(struct job *job) { must(!sem_wait(&job->semaphore), "sem_wait"); }
static void semaphore_give(struct job *job) { sem_post(&job->semaphore); }

static void condition_up(struct job *job)
{
	pthread_cond_init(&job->condition, NULL);
	pthread_mutex_init(&job->guard, NULL);
}

static void condition_take(struct job *job) { job->given = false; }

static void condition_wait(struct job *job)
{
	pthread_mutex_lock(&job->guard);
	while (!job->given)
		pthread_cond_wait(&job->condition, &job->guard);
	pthread_mutex_unlock(&job->guard);
}

static void condition_give(struct job *job)
{
	pthread_mutex_lock(&job->guard);
	job->given = true;
	pthread_cond_signal(&job->condition);
	pthread_mutex_unlock(&job->guard);
}

static void file_up(struct job *job)
{
	job->file = fopen("/dev/null", "w");
	must(job->file != NULL, "/dev/null");
}

static void file_take(struct job *job) { flockfile(job->file); }
static void file_give(struct job *job) { funlockfile(job->file); }

/* A lock of another library: contended, and followed by words as in a mutex, except for one. */
static void raw_take(struct job *job)
{
	memset(job->words, 0, sizeof(job->words));
	job->words[0] = 2;
	job->words[2] = (unsigned int)gettid();
	job->words[3] = job->name[0] == 'o' ? 1 : 0;
	job->words[4] = job->name[0] == 'o' ? 1 << 20 : 0;
}

static void raw_wait(struct job *job)
{
	while (__atomic_load_n(&job->words[0], __ATOMIC_ACQUIRE) == 2)
		syscall(SYS_futex, job->words, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void raw_give(struct job *job)
{
	__atomic_store_n(&job->words[0], 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, job->words, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* --- all of them --- */

#define MUTEX(called, ...)                                                                           \
	{                                                                                            \
		.name = called, mutex_up, mutex_take, mutex_give, .is_mutex = true __VA_OPT__(,) __VA_ARGS__ \
	}

static const struct job models[] = {
	MUTEX("plain"),
	MUTEX("timed", .wait = mutex_timed),
	MUTEX("recursive", .type = PTHREAD_MUTEX_RECURSIVE),
	MUTEX("errorcheck", .type = PTHREAD_MUTEX_ERRORCHECK),
	MUTEX("adaptive", .type = PTHREAD_MUTEX_ADAPTIVE_NP),
	MUTEX("robust", .robust = PTHREAD_MUTEX_ROBUST),
	MUTEX("inherit", .protocol = PTHREAD_PRIO_INHERIT),
	MUTEX("shared", .shared = PTHREAD_PROCESS_SHARED),
	MUTEX("shared-rob", .shared = PTHREAD_PROCESS_SHARED, .robust = PTHREAD_MUTEX_ROBUST),
	MUTEX("shared-pi", .shared = PTHREAD_PROCESS_SHARED, .protocol = PTHREAD_PRIO_INHERIT),
	{"rw-write", rwlock_up, write_take, rwlock_give},
	{"rw-read", rwlock_up, write_take, rwlock_give, read_take},
	{"semaphore", semaphore_up, semaphore_take, semaphore_give},
	{"condition", condition_up, condition_take, condition_give, condition_wait},
	{"stdio", file_up, file_take, file_give},
	{"odd-kind", NULL, raw_take, raw_give, raw_wait},
	{"no-users", NULL, raw_take, raw_give, raw_wait},
};
enum { JOBS = COUNT(models) };

/*
 * All holders meet here, with their memory set up, when all threads exist: while a process changes
 * its mappings, a futex cannot be looked up in them, and on a busy machine a thread may be
 * preempted in the middle of a change.
 */
static pthread_barrier_t all_there;

static void *hold_often(void *argument)
{
	struct job *job = argument;
	char name[16];

	snprintf(name, sizeof(name), "h-%s", job->name);
	prctl(PR_SET_NAME, name);
	job->holder = own_tid();
	(void)state_of(job->holder); /* allocates */
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < rounds; i++) {
		job->take(job);
		pthread_barrier_wait(&job->barrier);
		await_call(job->waiter, &job->barrier, sizeof(job->barrier));
		rest_us(HOLD_US);
		job->give(job);
		pthread_barrier_wait(&job->barrier);
	}
	return NULL;
}

static void *wait_often(void *argument)
{
	struct job *job = argument;
	char name[16];

	snprintf(name, sizeof(name), "w-%s", job->name);
	prctl(PR_SET_NAME, name);
	job->waiter = own_tid();
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&job->barrier);
		(job->wait ? job->wait : job->take)(job);
		if (!job->wait || job->is_mutex || job->wait == read_take)
			job->give(job);
		pthread_barrier_wait(&job->barrier);
	}
	return NULL;
}

static pid_t fork_waiter(struct job *job)
{
	pid_t child = fork();

	must(child >= 0, "fork");
	if (child)
		return child;
	wait_often(job);
	_exit(0);
}

static void begin(struct job *job)
{
	pthread_barrierattr_t attributes;

	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, job->shared);
	pthread_barrier_init(&job->barrier, &attributes, 2);
	if (job->set_up)
		job->set_up(job);
}

static void say_all(const struct job *job)
{
	const unsigned long place = (unsigned long)job->words;
	unsigned long words = sizeof(job->words) / sizeof(job->words[0]);
	const bool chosen = job->set_up != file_up;

	if (job->set_up == condition_up)
		words = sizeof(job->condition) / sizeof(job->words[0]);
	printf("w-%s 0x%lx %lu %d %d 0x%lx %lu\n", job->name, place, chosen ? words : 0,
	       job->is_mutex && (!job->shared || job->protocol) ? job->holder : 0, chosen ? job->mapping : 0,
	       job->begin ? place - job->begin : 0, job->inode);
}

/* --- where they are --- */

enum { IN_HEAP = 1, IN_STACK, IN_MEMORY, IN_FILE, IN_SHARED };

static struct job in_bss, in_data = {.name = "data"};

static struct job *place_at(struct job *job, const char *name, int mapping)
{
	*job = (struct job)MUTEX(name);
	job->mapping = mapping;
	return job;
}

static struct job *map(size_t size, int flags, int fd)
{
	struct job *job = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	must(job != MAP_FAILED, "mmap");
	return job;
}

static void place_shared(struct job *job, const char *name, const void *begin, unsigned long inode)
{
	if (name)
		place_at(job, name, IN_SHARED);
	job->mapping = IN_SHARED;
	job->begin = (unsigned long)begin;
	job->inode = inode;
}

static struct job *place_in_file(const char *path)
{
	enum { AT = 3 }; /* not at its beginning */
	const int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct stat status;
	struct job *jobs;

	must(fd >= 0 && !ftruncate(fd, 1 << 16) && !fstat(fd, &status), path);
	jobs = map(1 << 16, MAP_SHARED, fd);
	place_shared(&jobs[AT], "in-file", jobs, status.st_ino);
	return &jobs[AT];
}

enum { PLACES = 6, ALL = JOBS + PLACES };

static void place_all(struct job *jobs, struct job *on_stack, const char *path, struct job *all[ALL])
{
	memcpy(jobs, models, sizeof(models));
	for (int i = 0; i < JOBS; i++) {
		place_shared(&jobs[i], NULL, jobs, 0);
		all[i] = &jobs[i];
	}
	all[JOBS] = place_at(&in_bss, "bss", IN_FILE);
	all[JOBS + 1] = place_at(&in_data, "data", IN_FILE);
	all[JOBS + 2] = place_at(malloc(sizeof(struct job)), "heap", IN_HEAP);
	all[JOBS + 3] = place_at(on_stack, "stack", IN_STACK);
	all[JOBS + 4] = place_at(map(sizeof(struct job), MAP_PRIVATE | MAP_ANONYMOUS, -1), "memory", IN_MEMORY);
	all[JOBS + 5] = place_in_file(path);
}

static void run(struct job *const all[ALL])
{
	pthread_t holders[ALL], waiters[ALL];
	pid_t children[ALL] = {0};

	for (int i = 0; i < ALL; i++) {
		begin(all[i]);
		if (all[i]->shared)
			children[i] = fork_waiter(all[i]);
	}
	pthread_barrier_init(&all_there, NULL, ALL);
	for (int i = 0; i < ALL; i++)
		if (!children[i])
			must(!pthread_create(&waiters[i], NULL, wait_often, all[i]), "pthread_create");
	for (int i = 0; i < ALL; i++)
		must(!pthread_create(&holders[i], NULL, hold_often, all[i]), "pthread_create");
	for (int i = 0; i < ALL; i++) {
		pthread_join(holders[i], NULL);
		if (children[i])
			waitpid(children[i], NULL, 0);
		else
			pthread_join(waiters[i], NULL);
		say_all(all[i]);
	}
}

int main(int argc, char **argv)
{
	struct job *jobs = map(sizeof(models), MAP_SHARED | MAP_ANONYMOUS, -1), on_stack, *all[ALL];

	must(argc == 3 && (rounds = atoi(argv[1])) > 0, "usage: mutexes N FILE");
	place_all(jobs, &on_stack, argv[2], all);
	run(all);
	return 0;
}
