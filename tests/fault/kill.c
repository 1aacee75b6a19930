/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A writer killed with SIGKILL at random moments: every chunk whose write returned is readable,
 * as it was written and named, and the file can be continued. The writer counts writes that returned in
 * memory that survives it.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/level.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

enum { PER_CHUNK = 4 };

static _Noreturn void write_until_killed(int fd, volatile uint32_t *acknowledged)
{
	struct trace_writer_settings settings = {0};
	struct trace_writer *writer;
	struct event_log *log;

	if (trace_writer_create(&trace_io_system, fd, &settings, &writer) < 0 ||
	    event_log_create(writer, STEP_CPUS, &log) < 0)
		_exit(1);
	for (uint32_t i = 0; i < STEPS_MAX; i++) {
		if (step_add(log, i, PER_CHUNK) < 0)
			_exit(2);
		if ((i + 1) % PER_CHUNK == 0)
			*acknowledged = i + 1;
	}
	(void)event_log_close(log, RWK_END_CLEAN, NULL, 0);
	*acknowledged = STEPS_MAX;
	for (;;)
		pause();
}

/* Appends a section, as --finalize does. */
static int append_section(int fd)
{
	struct trace_writer *writer = NULL;
	int r = lseek(fd, 0, SEEK_END) < 0 ? -errno : 0;

	if (!r)
		r = trace_writer_create(&trace_io_system, fd, &(struct trace_writer_settings){0}, &writer);
	if (!r)
		r = trace_writer_close(writer, RWK_END_CLEAN, NULL, 0);
	trace_writer_destroy(writer);
	return r;
}

static void check(struct test *t, int fd, const struct steps_whole *whole, uint32_t acknowledged, size_t sections)
{
	struct steps_found found = steps_check(&trace_io_system, fd, whole);

	if (!sections && !acknowledged && found.error == -ENODATA) /* killed before the first write returned */
		return;
	test_check(t, steps_is_faultless(&found), "error %d, %zu chunks wrong, %zu unnamed", found.error, found.wrong,
		   found.unnamed);
	test_check(t, found.steps >= acknowledged, "%zu steps of %u whose write returned", found.steps, acknowledged);
	test_check(t, !found.damage.chunks && !found.damage.bytes, "%llu chunks damaged",
		   (unsigned long long)found.damage.chunks);
	if (sections)
		test_check(t, found.closed >= 1 && found.end_reason == RWK_END_CLEAN, "it cannot be gone on with");
}

static bool has_ended(pid_t child)
{
	siginfo_t ended = {0};

	return waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid;
}

/* begun: the writer is killed after its first chunk was written, however long that takes. */
static void run(struct test *t, const struct steps_whole *whole, struct random *random, bool begun,
		volatile uint32_t *acknowledged, uint64_t *ret_total)
{
	struct timespec pause = {.tv_nsec = (long)random_below(random, 30000000)};
	char path[] = "/tmp/rwk-kill-XXXXXX";
	int fd = mkstemp(path), status;
	pid_t child;

	REQUIRE(t, fd >= 0 && unlink(path) == 0);
	*acknowledged = 0;
	child = fork();
	if (!child)
		write_until_killed(fd, acknowledged);
	REQUIRE(t, child > 0);
	while (begun && !*acknowledged && !has_ended(child))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	nanosleep(&pause, NULL);
	kill(child, SIGKILL);
	REQUIRE(t, waitpid(child, &status, 0) == child);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it neither ended by itself nor crashed */
	*ret_total += *acknowledged;
	check(t, fd, whole, *acknowledged, 0);
	CHECK_INT(t, append_section(fd), 0);
	check(t, fd, whole, *acknowledged, 2);
	close(fd);
}

static void killed_at_random_moments(struct test *t)
{
	unsigned long runs = level_choose(50, 500);
	struct random random = random_make((uint64_t)time(NULL));
	volatile uint32_t *acknowledged =
		mmap(NULL, sizeof(*acknowledged), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct steps_whole whole = steps_whole_make(STEPS_MAX, PER_CHUNK);
	uint64_t total = 0;

	REQUIRE(t, acknowledged != MAP_FAILED);
	for (unsigned long i = 0; i < runs; i++)
		run(t, &whole, &random, i % 2, acknowledged, &total);
	printf("# %lu kills, %llu steps in chunks whose write had returned\n", runs, (unsigned long long)total);
	CHECK(t, total > runs);
	free(whole.chunks);
}

TEST_MAIN(TEST(killed_at_random_moments))
