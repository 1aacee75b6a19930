/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * waits KIND [ARGUMENT]...: threads that wait in known ways, and then report what really happened
 * (waits_truth.h).
 *
 *   sleeps SECONDS [STAY]  s10, s16, s40, s150: each sleeps that many ms, again and again, on a call path of its own;
 *                      the process stays for STAY seconds more; it begins with 20 sleeps of 100 us
 *   chain ROUNDS [tcp] chain-a waits for chain-b's mutex, chain-b for chain-c's pipe, chain-c for a timer of 50 ms;
 *                      with tcp, the pipe is a TCP connection to ourselves
 *   spin SECONDS       spin-a, spin-b on one CPU: preempted, never blocked
 *   yield SECONDS      yield-a, yield-b on one CPU: sched_yield, and nothing else, 200 times at least
 *   signal ROUNDS      sig-sleeper sleeps for 10 s each time; sig-sender interrupts it after 20 ms
 *   cancel SECONDS     cancelled tries to sleep with a signal pending, again and again, on the CPU of cancel-spin
 *   forever SECONDS    forever reads from a pipe that is never written, and says so at once; all end after SECONDS
 *   churn PROCESSES    churn-0 ... churn-3: processes, every other one with a thread, that sleep a few ms and exit
 *   several ROUNDS     pour writes 1 MiB into a pipe that is emptied in steps of 64 KiB every 10 ms:
 *                      many sleeps in one call
 *   faults FILE        touch sleeps in page faults on a file that is not in memory
 *   disk FILE COUNT    reader reads directly from a device
 *   states ROUNDS      state-d waits for a vfork child of 20 ms, state-s sleeps as long
 *   mixed SECONDS      CPU time, sleeps and pipes on crowded CPUs
 *   storm SECONDS      ping, pong: one byte back and forth on one CPU, as often as possible; SIGTERM ends it as well
 *
 * Without such a report:
 *
 *   ring THREADS PASSES  threads in a ring of pipes pass on a token that many times: each runs for a moment and sleeps until
 *                      all others have had their turn, so that per-thread data is never in a cache when it is needed
 *   steady RATE        for the benchmark, that many waits of more than 1 ms per second, half of them ended by a timer, the
 *                      other half by a task; stacks are a dozen frames deep. Prints "ready"; at the end of its input "waits N"
 *                      (of 1 ms or more), "cpu_ns NS", "wall_ns NS"
 */
#include "waiters.h"

#include <linux/futex.h>
#include <sys/uio.h>

enum { POUR = 1 << 20, STEP = 64 << 10, FAULT_STRIDE = 64 * PAGE };

/* --- several sleeps in one system call ---------------------------------------------------------- */

FRAMED static void pour(struct waiter *w)
{
	static char bytes[POUR];
	struct iovec part = {bytes, POUR};
	long before = 0, sleeps = 0;

	for (size_t i = 0; i < w->room; i++) {
		before = sleeps_so_far();
		waiter_begin(w);
		must(raw_call(SYS_writev, ((int *)w->shared)[1], (long)&part, 1, 0) == POUR, "writev");
		waiter_end(w);
		sleeps += sleeps_so_far() - before;
	}
	snprintf(w->more, sizeof(w->more), " sleeps=%ld", sleeps);
}

FRAMED static void empty(struct waiter *w)
{
	static char bytes[STEP];

	for (size_t done = 0; done < w->amount * POUR;) {
		nap(10 * MS);
		done += (size_t)pipe_read(((int *)w->shared)[0], bytes, STEP);
	}
}

static void several(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	int ends[2];
	struct waiter waiters[] = {
		{.comm = "pour", .path = "pour", .run = pour, .shared = ends, .room = rounds},
		{.comm = "empty", .path = "empty;nap", .run = empty, .shared = ends, .amount = rounds},
	};

	must(!pipe(ends), "pipe");
	waiters_run(waiters, 2);
}

/* --- files and devices ---------------------------------------------------------------------------- */

struct file {
	const char *path;
	size_t size;
};

/* Only what the kernel counts as a sleep is a wait: the disk may have been quick, or the page present. */
FRAMED static void touch(struct waiter *w)
{
	struct file *file = w->shared;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	const volatile char *page, *bytes;

	must(fd >= 0 && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), file->path);
	bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
	must(bytes != MAP_FAILED && !madvise((void *)bytes, file->size, MADV_RANDOM), "mmap");
	for (page = bytes; page < bytes + file->size && w->count < w->room; page += FAULT_STRIDE) {
		long before = sleeps_so_far();

		waiter_begin(w);
		(void)*page;
		waiter_end(w);
		if (sleeps_so_far() == before)
			w->count--;
	}
}

static void faults(char **argv)
{
	struct file file = {.path = argv[0]};
	int fd = open(file.path, O_RDONLY | O_CLOEXEC);
	struct waiter waiter = {.comm = "touch", .path = "touch", .run = touch, .shared = &file, .room = 1000};

	must(fd >= 0, file.path);
	file.size = (size_t)lseek(fd, 0, SEEK_END);
	close(fd);
	waiters_run(&waiter, 1);
}

FRAMED static void read_device(struct waiter *w)
{
	static char buffer[PAGE] __attribute__((aligned(PAGE)));
	int fd = open(w->shared, O_RDONLY | O_DIRECT | O_CLOEXEC);

	must(fd >= 0, w->shared);
	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		must(raw_call(SYS_pread64, fd, (long)buffer, PAGE, (long)i * PAGE) == PAGE, "pread");
		waiter_end(w);
	}
}

static void disk(char **argv)
{
	struct waiter waiter = {.comm = "reader", .path = "read_device", .run = read_device, .shared = argv[0],
				.room = strtoul(argv[1], NULL, 10)};

	waiters_run(&waiter, 1);
}

/* --- churn -------------------------------------------------------------------------------------- */

FRAMED static void sleep_once(struct waiter *w)
{
	waiter_begin(w);
	nap((3 + w->amount % 5) * MS);
	waiter_end(w);
}

/* One process: it, or one of its threads, sleeps a few ms and stores its truth where its parent finds it. */
static void churn_one(struct waiter *w, struct bracket *bracket)
{
	w->run = sleep_once;
	w->brackets = bracket;
	w->born = clock_ns(CLOCK_MONOTONIC);
	if (w->amount & 1) {
		pthread_create(&w->thread, NULL, waiter_main, w);
		pthread_join(w->thread, NULL);
	} else {
		waiter_main(w);
	}
	_exit(0);
}

static void churn(char **argv)
{
	static const char *const comms[] = {"churn-0", "churn-1", "churn-2", "churn-3"};
	size_t count = strtoul(argv[0], NULL, 10), size = count * (sizeof(struct waiter) + 2 * sizeof(struct bracket));
	struct waiter *waiters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct bracket *brackets = (struct bracket *)(waiters + count);

	must(waiters != MAP_FAILED, "mmap");
	for (size_t i = 0; i < count; i++) {
		waiters[i] = (struct waiter){.comm = comms[i % 4], .path = "sleep_once;nap", .room = 1, .amount = i};
		waiters[i].brackets = &brackets[2 * i];
		if (i >= 64)
			wait(NULL);
		if (fork() == 0)
			churn_one(&waiters[i], &brackets[2 * i]);
	}
	while (wait(NULL) > 0)
		;
	for (size_t i = 0; i < count; i++)
		waiter_print(&waiters[i]);
}

/* --- busy CPUs -------------------------------------------------------------------------------------- */

struct pipes {
	int there[2], back[2];
	int slices; /* to burn before each byte */
};

FRAMED static void burn_and_sleep(struct waiter *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), stop = now + w->amount, x = now | 1;

	while (clock_ns(CLOCK_MONOTONIC) < stop) {
		for (int i = 0; i < 20; i++)
			BURN_SLICE(x);
		nap(3 * MS);
	}
}

static volatile sig_atomic_t is_enough;

static void be_enough(int signal)
{
	(void)signal;
	is_enough = 1;
}

FRAMED static void ping(struct waiter *w)
{
	uint64_t stop = clock_ns(CLOCK_MONOTONIC) + w->amount;
	struct pipes *pipes = w->shared;
	uint64_t x = stop | 1;
	char byte = 'x';

	while (clock_ns(CLOCK_MONOTONIC) < stop && !is_enough) {
		for (int i = 0; i < pipes->slices; i++)
			BURN_SLICE(x);
		must(pipe_write(pipes->there[1], &byte, 1) == 1 && pipe_read(pipes->back[0], &byte, 1) == 1, "ping");
	}
	close(pipes->there[1]);
}

FRAMED static void pong(struct waiter *w)
{
	struct pipes *pipes = w->shared;
	char byte;

	while (pipe_read(pipes->there[0], &byte, 1) == 1)
		must(pipe_write(pipes->back[1], &byte, 1) == 1, "pong");
}

static void mixed(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct pipes pipes = {.slices = 1};
	struct waiter waiters[] = {
		{.comm = "mix-burn-0", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-1", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-2", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-3", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-ping", .path = "ping", .run = ping, .shared = &pipes, .amount = ns},
		{.comm = "mix-pong", .path = "pong", .run = pong, .shared = &pipes},
	};

	must(!pipe(pipes.there) && !pipe(pipes.back), "pipe");
	waiters_run(waiters, 6);
}

static void storm(char **argv)
{
	struct pipes pipes = {.slices = 0};
	struct waiter waiters[] = {
		{.comm = "ping", .path = "ping", .run = ping, .shared = &pipes,
		 .amount = (uint64_t)(strtod(argv[0], NULL) * 1e9)},
		{.comm = "pong", .path = "pong", .run = pong, .shared = &pipes},
	};

	must(!pipe(pipes.there) && !pipe(pipes.back), "pipe");
	signal(SIGTERM, be_enough);
	bind_to(0, allowed_cpu(true));
	waiters_run(waiters, 2);
}

/* --- sleeps ---------------------------------------------------------------------------------- */

#define SLEEP_PATH(name, ms)                                \
	FRAMED void name(struct waiter *w)                  \
	{                                                   \
		for (size_t i = 0; i < w->room; i++) {      \
			waiter_begin(w);                    \
			nap((ms) * MS);                     \
			waiter_end(w);                      \
		}                                           \
		__asm__ volatile("");                       \
	}
SLEEP_PATH(sleep_ten, 10)
SLEEP_PATH(sleep_sixteen, 16)
SLEEP_PATH(sleep_forty, 40)
SLEEP_PATH(sleep_long, 150)

static void sleeps(char **argv)
{
	size_t ms = (size_t)(strtod(argv[0], NULL) * 1000);
	struct waiter waiters[] = {
		{.comm = "s10", .path = "sleep_ten;nap", .run = sleep_ten, .room = ms / 10},
		{.comm = "s16", .path = "sleep_sixteen;nap", .run = sleep_sixteen, .room = ms / 16},
		{.comm = "s40", .path = "sleep_forty;nap", .run = sleep_forty, .room = ms / 40},
		{.comm = "s150", .path = "sleep_long;nap", .run = sleep_long, .room = ms / 150},
	};

	for (int i = 0; i < 20; i++)
		rest(MS / 10); /* shorter than -m */
	waiters_run(waiters, 4);
	fflush(stdout);
	if (argv[1])
		rest((uint64_t)(strtod(argv[1], NULL) * 1e9));
}

/* --- a chain --------------------------------------------------------------------------------- */

struct chain {
	atomic_int mutex;  /* 0 free, 1 taken, 2 taken and somebody may wait */
	atomic_int rounds; /* begun by chain-b, which holds the mutex then */
	pthread_barrier_t round;
	int pipe[2];
};

FRAMED void mutex_take(atomic_int *mutex)
{
	while (atomic_exchange(mutex, 2) != 0)
		raw_call(SYS_futex, (long)mutex, FUTEX_WAIT_PRIVATE, 2, 0);
}

FRAMED void mutex_give(atomic_int *mutex)
{
	atomic_store(mutex, 0);
	raw_call(SYS_futex, (long)mutex, FUTEX_WAKE_PRIVATE, 1, 0);
}

FRAMED void chain_a(struct waiter *w)
{
	struct chain *chain = w->shared;

	for (int i = 0; i < (int)w->room; i++) {
		pthread_barrier_wait(&chain->round);
		while (atomic_load(&chain->rounds) <= i)
			rest(100000);
		waiter_begin(w);
		mutex_take(&chain->mutex);
		waiter_end(w);
		mutex_give(&chain->mutex);
	}
}

FRAMED void chain_b(struct waiter *w)
{
	struct chain *chain = w->shared;
	char byte;

	for (size_t i = 0; i < w->room; i++) {
		pthread_barrier_wait(&chain->round);
		mutex_take(&chain->mutex);
		atomic_fetch_add(&chain->rounds, 1);
		waiter_begin(w);
		must(pipe_read(chain->pipe[0], &byte, 1) == 1, "read");
		waiter_end(w);
		mutex_give(&chain->mutex);
	}
}

FRAMED void chain_c(struct waiter *w)
{
	struct chain *chain = w->shared;

	for (size_t i = 0; i < w->room; i++) {
		pthread_barrier_wait(&chain->round);
		waiter_begin(w);
		nap(50 * MS);
		waiter_end(w);
		must(pipe_write(chain->pipe[1], "x", 1) == 1, "write");
	}
}

static void chain(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct chain chain = {0};
	struct waiter waiters[] = {
		{.comm = "chain-a", .path = "chain_a;mutex_take", .run = chain_a, .shared = &chain, .room = rounds},
		{.comm = "chain-b", .path = "chain_b;pipe_read", .run = chain_b, .shared = &chain, .room = rounds},
		{.comm = "chain-c", .path = "chain_c;nap", .run = chain_c, .shared = &chain, .room = rounds},
	};

	if (argv[1])
		tcp_pair(chain.pipe);
	else
		must(!pipe(chain.pipe), "pipe");
	pthread_barrier_init(&chain.round, NULL, 3);
	waiters_run(waiters, 3);
}

/* --- off the CPU, and not asleep --------------------------------------------------------------- */

/* The switches so far, and the time of that count: a switch between the two readings affects both. */
static uint64_t count_switches(struct rusage *usage, uint64_t now)
{
	for (;;) {
		uint64_t before = now;

		getrusage(RUSAGE_THREAD, usage);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - before < MS)
			return now;
	}
}

/* A millisecond between two clock readings is a wait if the kernel has counted a switch; else the host caused it. */
FRAMED void spin(struct waiter *w)
{
	uint64_t last, now = clock_ns(CLOCK_MONOTONIC), stop = now + w->amount;
	struct rusage usage;
	long switches = 0;

	while (now < stop) {
		last = now;
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - last < MS)
			continue;
		now = count_switches(&usage, now);
		if (usage.ru_nivcsw > switches && w->count < w->room) {
			w->brackets[w->count].begin = last;
			w->brackets[w->count++].end = now;
		}
		switches = usage.ru_nivcsw;
	}
}

static void spins(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct waiter waiters[] = {
		{.comm = "spin-a", .path = "spin", .run = spin, .amount = ns, .room = 100000},
		{.comm = "spin-b", .path = "spin", .run = spin, .amount = ns, .room = 100000},
	};

	bind_to(0, allowed_cpu(true));
	waiters_run(waiters, 2);
}

FRAMED void give_way(struct waiter *w)
{
	uint64_t stop = clock_ns(CLOCK_MONOTONIC) + w->amount;
	size_t yields = 0;

	for (; clock_ns(CLOCK_MONOTONIC) < stop || yields < 200; yields++)
		raw_call(SYS_sched_yield, 0, 0, 0, 0);
	snprintf(w->more, sizeof(w->more), " yields=%zu", yields);
}

static void yields(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct waiter waiters[] = {
		{.comm = "yield-a", .path = "give_way", .run = give_way, .amount = ns},
		{.comm = "yield-b", .path = "give_way", .run = give_way, .amount = ns},
	};

	bind_to(0, allowed_cpu(true));
	waiters_run(waiters, 2);
}

/* --- signals ------------------------------------------------------------------------------------ */

static void caught(int signal) { (void)signal; }

static void signals(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct signals signals = {.after = 20 * MS};
	struct waiter waiters[] = {
		{.comm = "sig-sleeper", .path = "sleep_until_signal;nap", .run = sleep_until_signal, .shared = &signals,
		 .room = rounds},
		{.comm = "sig-sender", .path = "send_signals", .run = send_signals,
		 .shared = &signals, .amount = rounds},
	};

	signal(SIGUSR1, caught);
	waiters_run(waiters, 2);
}

/*
 * A page that a userfaultfd withholds: a thread that touches it within a system call sleeps,
 * interruptibly, and with a signal pending tries again and again, each time to find that the
 * scheduler cancels a sleep with a pending signal.
 */
struct missing_page {
	char *page;
	int pipe[2];
	atomic_int over;
};

FRAMED void spin_until_over(struct waiter *w)
{
	struct missing_page *missing = w->shared;

	while (!atomic_load(&missing->over))
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

FRAMED void sleep_cancelled(struct waiter *w)
{
	struct missing_page *missing = w->shared;

	must(pipe_write(missing->pipe[1], missing->page, 1) == 1, "write");
	atomic_store(&missing->over, 1);
}

static void cancels(char **argv)
{
	int faults = faults_open();
	struct missing_page missing = {.page = missing_pages(faults, PAGE)};
	struct waiter waiters[] = {
		{.comm = "cancelled", .path = "sleep_cancelled;pipe_write", .run = sleep_cancelled, .shared = &missing},
		{.comm = "cancel-spin", .path = "spin_until_over", .run = spin_until_over, .shared = &missing},
	};

	must(!pipe(missing.pipe), "pipe");
	signal(SIGUSR1, caught);
	bind_to(0, allowed_cpu(true));
	waiters_start(waiters, 2);
	rest(100 * MS);
	pthread_kill(waiters[0].thread, SIGUSR1);
	rest((uint64_t)(strtod(argv[0], NULL) * 1e9));
	provide_page(faults, missing.page);
	waiters_end(waiters, 2);
}

struct never {
	int ends[2];
	atomic_int told;
};

FRAMED void read_forever(struct waiter *w)
{
	struct never *never = w->shared;
	char byte;

	waiter_begin(w);
	waiter_account(w);
	waiter_print(w);
	printf("wait tid=%d comm=%s path=%s begin=%lu\n", w->tid, w->comm, w->path, w->brackets->begin);
	fflush(stdout);
	atomic_store(&never->told, 1);
	pipe_read(never->ends[0], &byte, 1);
}

static void forever(char **argv)
{
	struct never never = {0};
	struct waiter waiter = {.comm = "forever", .path = "read_forever;pipe_read",
				.run = read_forever, .shared = &never, .room = 1};

	must(!pipe(never.ends), "pipe");
	waiters_start(&waiter, 1);
	while (!atomic_load(&never.told) || state_of(waiter.tid) != 'S')
		rest(100000);
	printf("asleep tid=%d time=%lu\n", waiter.tid, clock_ns(CLOCK_MONOTONIC));
	fflush(stdout);
	rest((uint64_t)(strtod(argv[0], NULL) * 1e9));
	_exit(0);
}

/* --- sleeps in D and in S ------------------------------------------------------------------------ */

FRAMED void wait_for_vfork(struct waiter *w)
{
	int status;

	for (size_t i = 0; i < w->room; i++) {
		pid_t pid;

		waiter_begin(w);
		pid = vfork();
		if (pid == 0) {
			raw_call(SYS_prctl, PR_SET_NAME, (long)"state-child", 0, 0);
			nap(20 * MS);
			_exit(0);
		}
		waiter_end(w);
		waitpid(pid, &status, 0);
	}
}

FRAMED void sleep_as_long(struct waiter *w)
{
	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		nap(20 * MS);
		waiter_end(w);
	}
}

static void states(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct waiter waiters[] = {
		{.comm = "state-d", .path = "wait_for_vfork", .run = wait_for_vfork, .room = rounds},
		{.comm = "state-s", .path = "sleep_as_long;nap", .run = sleep_as_long, .room = rounds},
	};

	waiters_run(waiters, 2);
}

/* --- a ring of pipes ----------------------------------------------------------------------------- */

/* The token is the number of remaining passes; at 0 it goes round once more, and every thread ends. */
static void *pass_token(void *pipe_ends)
{
	const int *ends = pipe_ends;
	uint64_t token = 1;

	while (token) {
		must(read(ends[0], &token, sizeof(token)) == sizeof(token), "read");
		token -= token != 0;
		must(write(ends[1], &token, sizeof(token)) == sizeof(token), "write");
	}
	return NULL;
}

static void ring(char **argv)
{
	size_t count = strtoul(argv[0], NULL, 10);
	uint64_t token = strtoull(argv[1], NULL, 10);
	pthread_t *threads = calloc(count, sizeof(*threads));
	int (*ends)[2] = calloc(count, sizeof(*ends)); /* to read from, and to write to */
	pthread_attr_t attr;
	struct rlimit files;

	must(threads && ends && !getrlimit(RLIMIT_NOFILE, &files), "ring");
	files.rlim_cur = files.rlim_max;
	must(!setrlimit(RLIMIT_NOFILE, &files) && !pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, 64 << 10), "ring");
	for (size_t i = 0; i < count; i++) {
		int made[2];

		must(!pipe(made), "pipe");
		ends[i][0] = made[0];
		ends[(i + count - 1) % count][1] = made[1];
	}
	for (size_t i = 0; i < count; i++)
		must(!pthread_create(&threads[i], &attr, pass_token, ends[i]), "pthread_create");
	must(write(ends[0][1], &token, sizeof(token)) == sizeof(token), "write");
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

/* --- a steady rate -------------------------------------------------------------------------------- */

enum { PERIOD_NS = 2000000, SHORTEST_NS = 1100000, WAITS_PER_PAIR = 1000, DEPTH = 10 };

/* Two threads with two waits every 2 ms. */
struct pair {
	pthread_t timer, reader;
	int pipe[2];
	uint64_t first; /* moment of the first wakeup */
	atomic_bool *over;
	size_t timer_waits, reader_waits;
};

/*
 * Sleeps until the next of these times, which are absolute, so that the rate holds however late it wakes up, and makes up
 * for that by shorter sleeps; then it writes a byte.
 */
FRAMED static void pass_on(struct pair *pair)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);

	for (uint64_t due = pair->first; !atomic_load(pair->over); due += PERIOD_NS) {
		struct timespec moment = timespec_of(due > begun + SHORTEST_NS ? due : begun + SHORTEST_NS);

		raw_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&moment, 0);
		pair->timer_waits++;
		must(pipe_write(pair->pipe[1], "x", 1) == 1, "write");
		begun = clock_ns(CLOCK_MONOTONIC);
	}
	close(pair->pipe[1]);
}

FRAMED static void receive(struct pair *pair)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now;
	char byte;

	while (pipe_read(pair->pipe[0], &byte, 1) == 1) {
		now = clock_ns(CLOCK_MONOTONIC);
		pair->reader_waits += now - begun >= NS_PER_MS;
		begun = now;
	}
}

/* The frames to be walked. */
FRAMED static void descend(struct pair *pair, void (*run)(struct pair *pair), int depth)
{
	if (depth)
		descend(pair, run, depth - 1);
	else
		run(pair);
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static void *timer_main(void *pair)
{
	prctl(PR_SET_NAME, "steady-timer");
	descend(pair, pass_on, DEPTH);
	return NULL;
}

static void *reader_main(void *pair)
{
	prctl(PR_SET_NAME, "steady-reader");
	descend(pair, receive, DEPTH);
	return NULL;
}

static void steady(char **argv)
{
	size_t count = (strtoul(argv[0], NULL, 10) + WAITS_PER_PAIR - 1) / WAITS_PER_PAIR, waits = 0;
	struct pair *pairs = calloc(count, sizeof(*pairs));
	uint64_t from = clock_ns(CLOCK_MONOTONIC);
	atomic_bool over = false;
	char byte;

	must(pairs && !prctl(PR_SET_TIMERSLACK, 1), "calloc");
	for (size_t i = 0; i < count; i++) { /* their times are spread evenly over the period */
		pairs[i] = (struct pair){.first = from + PERIOD_NS + PERIOD_NS * i / count, .over = &over};
		must(!pipe(pairs[i].pipe) && !pthread_create(&pairs[i].reader, NULL, reader_main, &pairs[i]) &&
			     !pthread_create(&pairs[i].timer, NULL, timer_main, &pairs[i]), "pthread_create");
	}
	say("ready");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	atomic_store(&over, true);
	for (size_t i = 0; i < count; i++) {
		pthread_join(pairs[i].timer, NULL);
		pthread_join(pairs[i].reader, NULL);
		waits += pairs[i].timer_waits + pairs[i].reader_waits;
	}
	printf("waits %zu\ncpu_ns %lu\nwall_ns %lu\n", waits, clock_ns(CLOCK_PROCESS_CPUTIME_ID), clock_ns(CLOCK_MONOTONIC) - from);
	exit(0);
}

/* --- the kinds --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(char **argv);
	int arguments;
} kinds[] = {
	{"sleeps", sleeps, 1},   {"chain", chain, 1},   {"spin", spins, 1},
	{"yield", yields, 1},    {"signal", signals, 1}, {"cancel", cancels, 1},
	{"forever", forever, 1},	{"churn", churn, 1},
	{"several", several, 1}, {"faults", faults, 1}, {"disk", disk, 2},
	{"states", states, 1},   {"mixed", mixed, 1},   {"storm", storm, 1},
	{"ring", ring, 2},       {"steady", steady, 1},
};

/* Time stolen by the host from all CPUs, which is in wall time and in no thread's account; in ticks of 10 ms. */
static uint64_t stolen_ns(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long ticks = 0;

	must(file && fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &ticks) == 1, "/proc/stat");
	fclose(file);
	return ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

int main(int argc, char **argv)
{
	uint64_t stolen = stolen_ns();

	for (size_t i = 0; argc > 1 && i < COUNT(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0 || argc < kinds[i].arguments + 2)
			continue;
		kinds[i].run(argv + 2);
		printf("machine stolen=%lu\n", stolen_ns() - stolen);
		return 0;
	}
	fprintf(stderr, "usage: waits KIND ARGUMENT...; the kinds are told in waits.c\n");
	return 2;
}
