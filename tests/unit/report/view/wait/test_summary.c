/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --summary compared with hand-written text. */
#include "tests/unit/report/view/fake_chains.h"

/* A dump has the sums of a thread as of its last report, and its open wait up to the dump's end. */
static void a_wait_after_the_last_sums_is_in_the_wall_time(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "A", 1, LOCK, 100, 400);

	wait->flags = PROFILE_WAIT_NOT_ENDED;
	p->recordings[0].stop = BOOT + 400 * MS;
	p->sums[p->sum_count++] = (struct profile_task_sums){.recording = wait->recording,
							     .task = wait->task,
							     .from = BOOT,
							     .to = BOOT + 90 * MS,
							     .running = 90 * MS};
	fake_check_printed(
		t, p, summary_view, &(struct view_settings){.filters = ""},
		"# ms of each thread; who waited longest for a CPU, for a quota, or in D stands last; iowait is part of "
		"blocked\n"
		"#        wall      running    run queue    throttled    blocked S    blocked D        other       iowait      "
		"unknown     waits  thread\n"
		"      400.000       90.000        0.000        0.000      300.000        0.000        0.000        0.000       "
		"10.000         1  A tid 1 pid 1\n");
	free(p);
}

TEST_MAIN(TEST(a_wait_after_the_last_sums_is_in_the_wall_time))
