/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sleepers KIND [ARGUMENT]...: threads that sleep on known call paths, until killed unless told otherwise.
 *
 *   paths, asleep     sl_framed   nap_outer > nap_middle > nap_inner > pause, with frame pointers (except libc's pause)
 *                     sl_plain    doze_outer > doze_middle > doze_inner > pause, without
 *                     sl_spinner  runs; only with "paths". Prints "ready" when all of them run
 *   threads N         N sleeping threads; prints "ready" when all sleep; ends at end of input
 *   stuck SECONDS [BUSY]
 *                     stuck_parent burns BUSY seconds of CPU, then is in D for SECONDS: it lets the kernel read a page of
 *                     its own that does not come before, and ends. Before that it prints "stuck PID CLOCK_MONOTONIC_NS"
 *   vfork             in D, too, but as the parent of a vfork whose child sleeps
 *   far FILE [SERVED] threads in pause() with their stack pointer in a private mapping of a file, whose page they
 *                     fs_copied   have written to, of FILE
 *                     fs_absent   have not touched, of FILE
 *                     fs_served, fs_dead   the same of SERVED
 *                     fs_mapper   maps and unmaps memory all the time
 */
#include "workload.h"

#include <sys/uio.h>

#define PLAIN __attribute__((noinline, noclone, optimize("omit-frame-pointer", "no-optimize-sibling-calls")))
/* Something is done after the call, so that it is not a tail call. */
#define CALLS(name, attributes, call)                       \
	attributes int name(void)                           \
	{                                                   \
		int result = call();                        \
		__asm__ volatile("" : "+r"(result));        \
		return result;                              \
	}

static atomic_int ready;

static int be_ready(void) { return atomic_fetch_add(&ready, 1); }

#define PAUSES(name, attributes)                            \
	attributes int name(void)                           \
	{                                                   \
		int result = (be_ready(), pause());          \
		__asm__ volatile("" : "+r"(result));        \
		return result;                              \
	}

PAUSES(nap_inner, )
CALLS(nap_middle, , nap_inner)
CALLS(nap_outer, , nap_middle)
PAUSES(doze_inner, PLAIN)
CALLS(doze_middle, PLAIN, doze_inner)
CALLS(doze_outer, PLAIN, doze_middle)

static void *framed(void *nothing)
{
	prctl(PR_SET_NAME, "sl_framed");
	(void)nap_outer();
	return nothing;
}

static void *plain(void *nothing)
{
	prctl(PR_SET_NAME, "sl_plain");
	(void)doze_outer();
	return nothing;
}

static void *spinner(void *nothing)
{
	uint64_t x = 1;

	prctl(PR_SET_NAME, "sl_spinner");
	be_ready();
	for (;;)
		BURN_SLICE(x);
	return nothing;
}

static void start(void *(*body)(void *), void *argument, size_t stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	must(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, stack), "pthread_attr_setstacksize");
	must(!pthread_create(&thread, &attributes, body, argument), "pthread_create");
}

static void paths(int argc, char **argv)
{
	void *(*const bodies[])(void *) = {framed, plain, spinner};
	int count = !strcmp(argv[-1], "asleep") ? 2 : 3;

	(void)argc;
	for (int i = 0; i < count; i++)
		start(bodies[i], NULL, 1 << 20);
	while (atomic_load(&ready) < count)
		rest_us(1000);
	say("ready");
	pause();
}

/* --- many --------------------------------------------------------------------------------------- */

static void *wait_long(void *gate)
{
	be_ready();
	pthread_mutex_lock(gate);
	return NULL;
}

static void threads(int argc, char **argv)
{
	static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	long count = argc ? strtol(argv[0], NULL, 10) : 5000;
	char byte;

	prctl(PR_SET_NAME, "threads");
	pthread_mutex_lock(&gate);
	for (long i = 0; i < count; i++)
		start(wait_long, &gate, PTHREAD_STACK_MIN);
	while (atomic_load(&ready) < count)
		rest_us(1000);
	say("ready");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	_exit(0);
}

/* --- in D ---------------------------------------------------------------------------------------- */

struct absent {
	int faults;
	char *page;
	uint64_t ns;
};

static void *bring(void *argument)
{
	struct absent *absent = argument;

	rest(absent->ns);
	provide_page(absent->faults, absent->page);
	return NULL;
}

void stuck_parent(struct absent *absent)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {absent->page, 1};

	start(bring, absent, 1 << 20);
	(void)process_vm_readv(getpid(), &to, 1, &from, 1, 0);
}

static void stuck(int argc, char **argv)
{
	uint64_t x = 1, busy_until = clock_ns(CLOCK_MONOTONIC) + seconds_arg(argc, argv, 1, 0);
	struct absent absent = {.faults = faults_open(), .ns = seconds_arg(argc, argv, 0, 5)};

	absent.page = missing_pages(absent.faults, PAGE);
	prctl(PR_SET_NAME, "stuck_parent");
	while (clock_ns(CLOCK_MONOTONIC) < busy_until)
		BURN_SLICE(x);
	printf("stuck %d %lu\n", (int)getpid(), clock_ns(CLOCK_MONOTONIC));
	fflush(stdout);
	stuck_parent(&absent);
}

static void vfork_parent(int argc, char **argv)
{
	(void)argc, (void)argv;
	prctl(PR_SET_NAME, "vfork_parent");
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

/* --- far away -------------------------------------------------------------------------------------- */

enum { SIZE = 1 << 20, FAR = SIZE / 4 /* farther than the kernel reads ahead */ };

struct far_stack {
	const char *comm;
	bool written;
	char *at;
};

/* pause() with another stack pointer; the system call itself does not touch the stack. */
static void *sleep_there(void *context)
{
	const struct far_stack *stack = context;

	(void)prctl(PR_SET_NAME, stack->comm);
	if (stack->written)
		*(volatile long *)stack->at = 1;
	for (;;) {
		long call = SYS_pause;

		__asm__ volatile("mov %%rsp, %%rbx; mov %1, %%rsp; syscall; mov %%rbx, %%rsp"
				 : "+a"(call)
				 : "r"(stack->at)
				 : "rbx", "rcx", "r11", "memory");
	}
	return NULL;
}

static void *map_and_unmap(void *context)
{
	(void)prctl(PR_SET_NAME, "fs_mapper");
	for (;;) {
		(void)munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
		rest_us(20000);
	}
	return context;
}

static void far(int argc, char **argv)
{
	static struct far_stack stacks[] = {{"fs_copied", true, NULL}, {"fs_absent", false, NULL}, {"fs_served", true, NULL},
					    {"fs_dead", false, NULL}};

	start(map_and_unmap, NULL, 1 << 20);
	for (int i = 0; i < 2 * argc; i++) {
		const char *path = argv[i / 2];
		char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, open(path, O_RDONLY | O_CLOEXEC), 0);

		must(memory != MAP_FAILED, path);
		stacks[i].at = memory + FAR + i % 2 * 2 * FAR;
		start(sleep_there, &stacks[i], 1 << 20);
	}
	pause();
}

int main(int argc, char **argv)
{
	static const struct kind {
		const char *name;
		void (*run)(int argc, char **argv);
	} kinds[] = {{"paths", paths}, {"asleep", paths}, {"threads", threads}, {"stuck", stuck}, {"vfork", vfork_parent}, {"far", far}};

	for (size_t i = 0; argc > 1 && i < COUNT(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(argc - 2, argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: sleepers KIND [ARGUMENT]...; the kinds are told in sleepers.c\n");
	return 2;
}
