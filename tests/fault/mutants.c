/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mutants FIRST COUNT TRACE...: passes mutants FIRST to FIRST + COUNT - 1 of made-up traces and of
 * these traces through the reporter. Their checksums are right, so that wrong data reaches the code
 * behind the checksums. A child does the work; if it crashes, or needs more than a minute for a
 * mutant, the mutant's number is printed and a new child goes on. mutants --write N FILE TRACE...:
 * writes that mutant to a file, to reproduce a finding.
 *
 * Each mutant is read whole into a profile, with a filter drawn at random: every record decoded,
 * every stack looked up, every snapshot unwound. Two of the views print it, in turn, so that each
 * prints more than 100,000 of a million; all of them print every hundredth. Each of the tools
 * --info, --needs, --dump, --condense and --scrub gets every tenth mutant; the output of the last
 * two is read completely, too. AddressSanitizer finds leaks every 5,000 mutants.
 */
#include <sys/wait.h>

#include "common/log.h"
#include "tests/fault/fixed_random.h"
#include "tests/fault/mutant_judge.h"
#include "tests/fault/mutant.h"
#include "tests/fault/mutant_seeds.h"

enum { SECONDS_EACH = 60, BATCH = 5000 };

struct mutants {
	struct mutant_scene scene;
	struct mutant_writer writer;
	struct mutant seeds[MUTANT_SEEDS];
	char path[32], condensed[64];
	int fd;
	uint64_t *at; /* the mutant that the child works on; shared memory */
	uint64_t failed;
};

static void init(struct mutants *m, char **traces, int count)
{
	m->scene.seeds = m->seeds;
	m->scene.scraps.bytes = malloc(MUTANT_SCRAPS);
	m->writer.bytes = malloc(MUTANT_BYTES);
	m->writer.scratch = malloc(lz4_block_scratch());
	m->at = mmap(NULL, sizeof(*m->at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	m->fd = memfd_create("mutant", MFD_CLOEXEC);
	if (!m->scene.scraps.bytes || !m->writer.bytes || !m->writer.scratch || m->at == MAP_FAILED || m->fd < 0)
		abort();
	seeds_add_made(&m->scene, m->seeds);
	for (int i = 0; i < count; i++)
		seeds_add_file(&m->scene, m->seeds, traces[i]);
}

static void save(int fd, const struct mutant_writer *writer)
{
	if (ftruncate(fd, 0) < 0 || pwrite(fd, writer->bytes, writer->length, 0) != (ssize_t)writer->length)
		abort();
}

/* Prints what is wrong with mutant `number`, and returns true, if anything is. */
static bool is_wrong(struct mutants *m, uint64_t number)
{
	struct mutant_run run = {.number = number, .random = random_make(~number), .path = m->path,
				 .condensed = m->condensed};

	mutant_make(&m->scene, number, &m->writer);
	save(m->fd, &m->writer);
	mutant_judge(&run);
	(void)unlink(m->condensed);
	if (run.wrong)
		printf("# mutant %llu: %s: %s\n", (unsigned long long)number, run.wrong, strerror(-run.result));
	return run.wrong;
}

/* Runs in the child. The reporter's messages about a mutant are discarded; the sanitizers write to the descriptor. */
static int work(struct mutants *m, uint64_t end)
{
	bool wrong = false;

	stderr = fopen("/dev/null", "we");
	snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", m->fd);
	snprintf(m->condensed, sizeof(m->condensed), "/dev/shm/mutant.%d", (int)getpid());
	for (; *m->at < end && !wrong; ++*m->at) {
		alarm(SECONDS_EACH);
		wrong = is_wrong(m, *m->at);
	}
	fflush(stdout);
	return wrong ? 3 : 0;
}

static void run_batch(struct mutants *m, uint64_t end)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(work(m, end));
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	if (!status)
		return;
	m->failed++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		return; /* the child has reported it, and is beyond it */
	printf("# mutant %llu: ended by %s %d\n", (unsigned long long)*m->at,
	       WIFSIGNALED(status) ? "signal" : "exit code",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	++*m->at;
}

static int run(struct mutants *m, uint64_t first, uint64_t count)
{
	for (*m->at = first; *m->at < first + count && m->failed < 20;) {
		uint64_t left = first + count - *m->at;

		run_batch(m, *m->at + (left < BATCH ? left : BATCH));
	}
	printf("%s mutants%s (%llu done, from %llu)\n", m->failed ? "not ok" : "ok", m->failed ? " - see above" : "",
	       (unsigned long long)(*m->at - first), (unsigned long long)first);
	return m->failed ? 1 : 0;
}

static int write_one(struct mutants *m, uint64_t number, const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	mutant_make(&m->scene, number, &m->writer);
	save(fd, &m->writer);
	return close(fd) < 0;
}

int main(int argc, char **argv)
{
	static struct mutants mutants; /* its memory is used until exit, so it is no leak */
	struct mutants *m = &mutants;
	bool writes = argc > 3 && !strcmp(argv[1], "--write");
	int result;

	if (argc < (writes ? 4 : 3)) {
		fprintf(stderr, "mutants: FIRST COUNT TRACE... | --write N FILE TRACE...\n");
		return 2;
	}
	init(m, argv + 3 + writes, argc - 3 - writes);
	result = writes ? write_one(m, strtoull(argv[2], NULL, 10), argv[3]) :
			  run(m, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	return result;
}
