/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * private ROOM LIBRARY SECONDS: everything to which a program may give names of its own: functions,
 * inlined ones, threads, libraries, a program that was deleted, a file in memory, code made at run
 * time, with a perf map. Each name is a macro, N_...; the test chooses them.
 * Every function sleeps, so that it is sure to be in the stack of a wait. All processes live on for
 * SECONDS, in which the recorder opens their files.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nap.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#include TEXT(N_HEADER)

void N_LIBRARY_FUNCTION(void); /* in a library that is linked */
void mangled(void) __asm__(N_MANGLED);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

__attribute__((noinline)) void mangled(void) { NAP(); }
static __attribute__((noinline)) void N_STATIC(void) { NAP(); }
static __attribute__((noinline)) void N_CALLS_INLINED(void) { N_INLINED(nap); NAP(); }
__attribute__((noinline)) void N_EXPORTED(void);
__attribute__((noinline)) void N_EXPORTED(void) { NAP(); }

static void N_HANDLER(int number)
{
	(void)number;
	NAP();
}

static __attribute__((noinline)) void N_WAITS(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine)
		pthread_cond_wait(&changed, &lock);
	turn = !mine;
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void N_WAKES(void)
{
	pthread_cond_signal(&changed);
	NAP();
}

static void *take_turns(void *data)
{
	const int mine = data != NULL;

	prctl(PR_SET_NAME, mine ? TEXT(N_THREAD_A) : TEXT(N_THREAD_B));
	for (int i = 0; i < 20; i++) {
		N_WAITS(mine);
		N_WAKES();
	}
	return NULL;
}

/* --- code made at run time: calls its argument --- */

static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3}; /* push; mov; call *%rdi; pop; ret */

static void make_map(uintptr_t address)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "wx");
	if (!file)
		exit(2);
	fprintf(file, "%lx %zx LazyCompile:~%s /srv/%s/%s.js:3:5\n", (unsigned long)address, sizeof(code),
		TEXT(N_MAPPED), TEXT(N_MAPPED_FOLDER), TEXT(N_MAPPED_FILE));
	fclose(file);
	puts(path);
	fflush(stdout);
}

static void *make_code(int fd)
{
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);

	if (memory == MAP_FAILED)
		exit(2);
	memcpy(memory, code, sizeof(code));
	return memory;
}

static void call_code(void *made)
{
	((void (*)(void (*)(void)))made)(nap);
}

static void call_all(const char *library)
{
	const int memory = memfd_create(TEXT(N_MEMORY), 0);
	void *loaded = dlopen(library, RTLD_NOW), *in_file;
	void (*function)(void);

	if (!loaded || memory < 0 || ftruncate(memory, 4096))
		exit(2);
	function = (void (*)(void))dlsym(loaded, TEXT(N_LOADED_FUNCTION));
	in_file = make_code(memory);
	signal(SIGUSR1, N_HANDLER);
	for (int i = 0; i < 20; i++) {
		N_STATIC();
		N_CALLS_INLINED();
		N_EXPORTED();
		N_LIBRARY_FUNCTION();
		function();
		mangled();
		call_code(in_file);
		raise(SIGUSR1);
	}
}

static pid_t call_mapped(unsigned int seconds)
{
	pid_t child = fork();
	void *mapped;

	if (!child) {
		prctl(PR_SET_NAME, TEXT(N_THREAD_C));
		mapped = make_code(-1);
		make_map((uintptr_t)mapped);
		for (int i = 0; i < 20; i++)
			call_code(mapped);
		sleep(seconds);
		_exit(0);
	}
	return child;
}

/* A program whose file is gone when the recording ends. */
static pid_t call_deleted(const char *self, const char *room, const char *seconds)
{
	char path[512], command[1200];
	pid_t child;

	snprintf(path, sizeof(path), "%s/%s", room, TEXT(N_DELETED));
	snprintf(command, sizeof(command), "cp '%s' '%s'", self, path);
	if (system(command))
		exit(2);
	child = fork();
	if (!child) {
		execl(path, path, seconds, (char *)NULL);
		_exit(2);
	}
	return child;
}

static int be_deleted(const char *path, unsigned int seconds)
{
	if (unlink(path))
		return 2;
	for (int i = 0; i < 20; i++)
		N_EXPORTED();
	prctl(PR_SET_NAME, TEXT(N_RENAMED));
	NAP();
	sleep(seconds);
	return 0;
}

int main(int argc, char **argv)
{
	volatile char memory[] = TEXT(N_ON_STACK);
	pthread_t threads[2];
	pid_t mapped, deleted;
	int status;

	if (argc == 2)
		return be_deleted(argv[0], (unsigned int)atoi(argv[1]));
	if (argc < 4)
		return 1;
	mapped = call_mapped((unsigned int)atoi(argv[3]));
	deleted = call_deleted(argv[0], argv[1], argv[3]);
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	call_all(argv[2]);
	sleep((unsigned int)atoi(argv[3]));
	if (waitpid(mapped, &status, 0) < 0 || status || waitpid(deleted, &status, 0) < 0 || status)
		return 2;
	return memory[0] == '\0';
}
