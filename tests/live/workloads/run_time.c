/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Code in places where names are easily missed or mistaken; argv[1], which is also the comm:
 *	shared	made at run time, in shared memory without a file, with a perf-PID.map
 *	memfd	the same in a memfd
 *	gone	the same in a file in /dev/shm that was removed
 *	unmapped	the same in place of code of this program's file, which was unmapped
 *	twice	the same in memory without a name, and the map names it anew every 100 ms
 *	leader	this program's, in a thread of a process whose first one has ended
 *	sharer	mapped from this program's file by the parent of a process that shares its memory, and called by that
 *	program	this program's, run from a memfd
 *	moved	a copy of this program's was moved to its place, as programs do to get large pages
 *	told	the same, and the kernel reports a mapping there
 *	beside	the copy is somewhere else, and nothing shows what it is a copy of
 * Runs a fifth of the time, for argv[2] seconds. The last three say "ready" first.
 */
#include "workload.h"

#include <sys/sendfile.h>

typedef void function(volatile uint32_t *value);

enum { SIZE = 4096 };

static volatile uint32_t sink;
static double seconds;
static function *volatile late; /* for the sharer */

/* Calls nothing and contains no address, so that it runs anywhere. */
__attribute__((noinline, aligned(SIZE))) static void file_burns(volatile uint32_t *value)
{
	uint32_t x = *value;

	for (int i = 0; i < 300000; i++)
		x = x * 1664525 + (x >> 7);
	*value = x;
}

/* Keeps the rest of the page free of other functions. */
__attribute__((noinline, aligned(SIZE))) static double now(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) * 1e-9;
}

/* map: a name is appended every 100 ms. */
static void run(function *burn, FILE *map)
{
	double end = now() + seconds, next = now();

	for (unsigned int round = 0; now() < end;) {
		double from = now();

		if (map && from >= next) {
			(void)fprintf(map, "%lx %x twice_%c\n", (unsigned long)burn, SIZE, "ab"[round++ % 2]);
			(void)fflush(map);
			next = from + 0.1;
		}
		while (now() < from + 0.004)
			burn(&sink);
		(void)usleep(16000);
	}
}

static FILE *map_open(void)
{
	char path[64];
	FILE *map;

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "we");
	must(map != NULL, path);
	return map;
}

/* In memory, with a name in the map. The page of the file's function holds nothing else. */
static void run_made(char *memory, const char *name)
{
	FILE *map = map_open();

	must(memory != MAP_FAILED, "mmap");
	memcpy(memory, (const char *)(uintptr_t)file_burns, SIZE);
	memcpy(memory + SIZE / 2, memory, SIZE / 2);
	memset(memory, 0x5a, SIZE / 2); /* so that the page is no copy of the file's */
	(void)fprintf(map, "%lx %x made_%s\n", (unsigned long)memory + SIZE / 2, SIZE / 2, name);
	(void)fclose(map);
	run((function *)(uintptr_t)(memory + SIZE / 2), NULL);
}

static char *memory_of(int flags, int fd)
{
	must(fd < 0 || !ftruncate(fd, SIZE), "ftruncate");
	return mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);
}

static void shared(void) { run_made(memory_of(MAP_SHARED | MAP_ANONYMOUS, -1), "shared"); }
static void in_memfd(void) { run_made(memory_of(MAP_SHARED, memfd_create("made", MFD_CLOEXEC)), "memfd"); }

static void gone(void)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/dev/shm/made-%d", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	must(fd >= 0 && !unlink(path), path);
	run_made(memory_of(MAP_SHARED, fd), "gone");
}

/* Where the code of this program's file is mapped, and from where in the file. */
struct mapping {
	unsigned long start, end, offset;
};

static struct mapping own_mapping(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping found;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &found.start, &found.end, &found.offset) == 3 &&
		    (unsigned long)file_burns >= found.start && (unsigned long)file_burns < found.end)
			return found;
	must(false, "/proc/self/maps");
	return found;
}

static char *own_page(void)
{
	struct mapping own = own_mapping();
	char *page = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
			  (off_t)(own.offset + (unsigned long)file_burns - own.start));

	must(page != MAP_FAILED, "own page");
	return page;
}

static void unmapped(void)
{
	char *page = own_page();

	must(!munmap(page, SIZE), "munmap");
	run_made(mmap(page, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), "unmapped");
}

static void twice(void)
{
	char *memory = memory_of(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	must(memory != MAP_FAILED, "mmap");
	memcpy(memory, (const char *)(uintptr_t)file_burns, SIZE);
	run((function *)(uintptr_t)memory, map_open());
}

static void *second_thread(void *unused)
{
	(void)usleep(100000);
	run(file_burns, NULL);
	exit(0);
	return unused;
}

static void leader(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, second_thread, NULL), "pthread_create");
	pthread_exit(NULL);
}

static int child_of_sharer(void *unused)
{
	(void)unused;
	while (!late)
		(void)usleep(1000);
	run(late, NULL);
	_exit(0);
}

static void sharer(void)
{
	char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	must(stack != MAP_FAILED, "mmap");
	pid = clone(child_of_sharer, stack + (1 << 20), CLONE_VM | SIGCHLD, NULL);
	must(pid > 0, "clone");
	(void)usleep(100000);
	late = (function *)(uintptr_t)own_page();
	(void)waitpid(pid, NULL, 0);
}

static void program(void) { run(file_burns, NULL); }

/* --- copies --- */

static char *copy(const struct mapping *own)
{
	size_t size = own->end - own->start;
	char *copied = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(copied != MAP_FAILED, "mmap");
	return memcpy(copied, (const char *)own->start, size);
}

/*
 * Replaces the mapping in one system call, so that the code is never missing. Watchers of mappings do not see this call,
 * but they see mprotect().
 */
static void replace(bool tell)
{
	struct mapping own = own_mapping();
	size_t size = own.end - own.start;
	void *code = (void *)own.start;

	must(mremap(copy(&own), size, size, MREMAP_MAYMOVE | MREMAP_FIXED, code) != MAP_FAILED, "mremap");
	must(!tell || !mprotect(code, size, PROT_READ | PROT_EXEC), "mprotect");
	say("ready");
	run(file_burns, NULL);
}

static void moved(void) { replace(false); }
static void told(void) { replace(true); }

static void beside(void)
{
	struct mapping own = own_mapping();

	say("ready");
	run((function *)(uintptr_t)(copy(&own) + ((unsigned long)file_burns - own.start)), NULL);
}

/* Runs itself from a memfd. */
static void program_begin(char **argv, char **environment)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = memfd_create("program", MFD_CLOEXEC);
	struct stat status;

	if (!strcmp(argv[0], "memory"))
		return;
	must(!fstat(file, &status) && sendfile(fd, file, NULL, (size_t)status.st_size) == status.st_size, "copy");
	argv[0] = (char *)"memory";
	(void)fexecve(fd, argv, environment);
	must(0, "fexecve");
}

int main(int argc, char **argv, char **environment)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} MODES[] = {{"shared", shared}, {"memfd", in_memfd}, {"gone", gone}, {"unmapped", unmapped},
		     {"twice", twice}, {"leader", leader}, {"sharer", sharer}, {"program", program},
		     {"moved", moved}, {"told", told}, {"beside", beside}};

	if (argc < 3)
		return 1;
	if (!strcmp(argv[1], "program"))
		program_begin(argv, environment);
	seconds = strtod(argv[2], NULL);
	(void)prctl(PR_SET_NAME, argv[1]);
	for (size_t i = 0; i < COUNT(MODES); i++)
		if (!strcmp(argv[1], MODES[i].name))
			MODES[i].run();
	return 0;
}
