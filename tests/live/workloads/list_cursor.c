/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * list_cursor SECONDS: walks a list, and sleeps, with its list pointer in the frame pointer
 * register, as code without frame pointers may do. To a walk by frame pointers, each node is a
 * frame whose return address is the node's payload, a random number. A second thread, "lc_sleeper",
 * sleeps until the end. Meanwhile the program's arguments, environment and heap, the stacks of both
 * threads and some registers hold random bytes. Prints the payloads and these bytes in the format
 * of tests/canaries.py, a line each, then "ready".
 */
#include "workload.h"

#include <sys/random.h>

enum { NODES = 128, STEPS = 1000000, SECRETS = 64, SECRET = 16 };

struct secrets {
	char bytes[SECRETS][SECRET];
};

struct node {
	struct node *next;
	uint64_t payload;
};

/* The list ends in a node that points to itself. */
static struct node list[NODES + 1];

/* Follows `steps` links, with some secrets in registers. */
static void follow(const struct node *first, uint64_t steps, const struct secrets *secrets)
{
	uint64_t held[4];

	memcpy(held, secrets->bytes[0], sizeof(held));
	__asm__ volatile("xchg %%rbp, %[node]\n"
			 "1: mov (%%rbp), %%rax\n"
			 "dec %[steps]\n"
			 "jnz 1b\n"
			 "xchg %%rbp, %[node]"
			 : [node] "+&r"(first), [steps] "+&r"(steps)
			 : "r"(held[0]), "r"(held[1]), "r"(held[2]), "r"(held[3])
			 : "rax", "cc", "memory");
}

static void nap_there(const struct node *first, const struct timespec *time)
{
	long number = SYS_nanosleep;

	__asm__ volatile("xchg %%rbp, %[node]\n"
			 "syscall\n"
			 "xchg %%rbp, %[node]"
			 : [node] "+&r"(first), "+&a"(number)
			 : "D"(time), "S"(0L)
			 : "rcx", "r11", "cc", "memory");
}

/* Payloads that look like addresses of user code to the kernel. */
static bool fill(void)
{
	for (size_t i = 0; i < NODES; i++) {
		if (getrandom(&list[i].payload, sizeof(list[i].payload), 0) != sizeof(list[i].payload))
			return false;
		list[i].payload = list[i].payload >> 17 | 1ull << 46;
		list[i].next = &list[i + 1];
		printf("word %llx\n", (unsigned long long)list[i].payload);
	}
	list[NODES].next = &list[NODES];
	return true;
}

/* Keeps the secrets on the caller's stack: the compiler cannot remove them. */
static void hold(struct secrets *held, const struct secrets *secrets)
{
	memcpy(held, secrets, sizeof(*held));
	__asm__ volatile("" : : "r"(held) : "memory");
}

static void *sleep_long(void *argument)
{
	static const struct timespec hour = {3600, 0};
	struct secrets held;

	hold(&held, argument);
	(void)prctl(PR_SET_NAME, "lc_sleeper");
	for (;;) {
		nap_there(list, &hour);
		__asm__ volatile("" : : "r"(&held) : "memory");
	}
	return NULL;
}

/* Makes secrets without zero bytes, so that they can be arguments. */
static bool make_secrets(char texts[SECRETS][SECRET + 1])
{
	for (size_t i = 0; i < SECRETS; i++) {
		if (getrandom(texts[i], SECRET, 0) != SECRET)
			return false;
		for (size_t k = 0; k < SECRET; k++)
			texts[i][k] |= texts[i][k] ? 0 : 1;
		texts[i][SECRET] = 0;
	}
	return true;
}

/* Executes itself with the secrets as arguments and in the environment. */
static int start_with_secrets(char *program, char *seconds)
{
	static char texts[SECRETS][SECRET + 1], names[SECRETS][SECRET + 32];
	char *arguments[SECRETS + 3] = {program, seconds}, *environment[SECRETS + 1] = {NULL};

	if (!make_secrets(texts))
		return 1;
	for (size_t i = 0; i < SECRETS; i++) {
		arguments[i + 2] = texts[i];
		(void)snprintf(names[i], sizeof(names[i]), "SECRET_%zu=%.*s", i, SECRET, texts[i]);
		environment[i] = names[i];
	}
	(void)execve("/proc/self/exe", arguments, environment);
	return 1;
}

static struct secrets *take_secrets(char **arguments)
{
	struct secrets *secrets = malloc(sizeof(*secrets));

	for (size_t i = 0; secrets && i < SECRETS; i++) {
		memcpy(secrets->bytes[i], arguments[i], SECRET);
		printf("bytes ");
		for (size_t k = 0; k < SECRET; k++)
			printf("%02x", (unsigned char)arguments[i][k]);
		printf("\n");
	}
	return secrets;
}

static void run(const struct secrets *secrets, uint64_t end)
{
	static const struct timespec nap = {0, 3 * NS_PER_MS};
	struct secrets held;

	hold(&held, secrets);
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		for (int i = 0; i < 10; i++)
			follow(list, STEPS, &held);
		nap_there(list, &nap);
	}
}

int main(int argc, char **argv)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds_arg(argc, argv, 1, 1);
	struct secrets *secrets;
	pthread_t sleeper;

	if (argc < SECRETS + 2)
		return start_with_secrets(argv[0], argc > 1 ? argv[1] : "1");
	(void)prctl(PR_SET_NAME, "list_cursor");
	secrets = take_secrets(argv + 2);
	if (!secrets || !fill() || pthread_create(&sleeper, NULL, sleep_long, secrets) != 0)
		return 1;
	printf("ready\n");
	(void)fflush(stdout);
	run(secrets, end);
	_exit(0); /* the sleeper goes on to the end */
}
