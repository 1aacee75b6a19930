/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Who was idle: the decision, and what it is made of. */
#include "report/profile/seam/profile_idle.h"

#include "tests/unit/report/view/fake_view.h"

static void decides(struct test *t)
{
	static const struct {
		const char *what;
		struct profile_thread_facts facts;
		bool idle;
	} cases[] = {
		{"a pool's thread that never ran", {.waits = 1, .whole = 1, .asleep = SECOND}, true},
		{"one that ran", {.waits = 1, .whole = 1, .asleep = SECOND, .busy = 1}, false},
		{"one that woke up once", {.waits = 2, .asleep = SECOND}, false},
		{"one that had brief waits", {.waits = 1, .whole = 1, .briefs = 1, .asleep = SECOND}, false},
		{"one that ended meanwhile", {.waits = 1, .asleep = SECOND}, false},
		{"one that hangs in D", {.waits = 1, .whole = 1, .held = true}, false},
		{"one without waits", {.kernel_thread = true}, false},
		{"a kernel thread that hardly worked",
		 {.kernel_thread = true, .waits = 9, .briefs = 5, .asleep = SECOND, .busy = 10 * MILLISECOND}, true},
		{"a kernel thread that worked",
		 {.kernel_thread = true, .waits = 9, .asleep = SECOND, .busy = 11 * MILLISECOND}, false},
		{"a kernel thread for which somebody waited",
		 {.kernel_thread = true, .waits = 9, .waker = true, .asleep = SECOND}, false},
		{"a kernel thread in D", {.kernel_thread = true, .waits = 9, .held = true, .asleep = SECOND}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_check(t, profile_thread_is_idle(&cases[i].facts) == cases[i].idle, "%s is taken for %s",
			   cases[i].what, cases[i].idle ? "busy" : "idle");
}

static struct profile_wait *add_wait(struct profile *p, const char *comm, uint32_t tid, uint8_t flags)
{
	struct profile_wait *wait = fake_wait(p, comm, tid, "f", BOOT, BOOT + 5 * SECOND);

	wait->flags = flags;
	return wait;
}

static bool is_idle(struct test *t, struct profile *p, const char *comm)
{
	uint32_t *idle;
	bool found = false;
	int r = profile_idle_tasks(p, &idle);

	CHECK_INT(t, r, 0);
	for (size_t i = 0; i < p->task_count && !r; i++)
		found |= idle[i] != PROFILE_NO_TASK && !strcmp(p->tasks[i].comm, comm);
	if (!r)
		free(idle);
	return found;
}

enum { WHOLE = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED };

static void looks_at_waits(struct test *t)
{
	struct profile *p = fake_recorded();

	(void)add_wait(p, "pool", 1, WHOLE);
	(void)add_wait(p, "late", 2, PROFILE_WAIT_NOT_ENDED);
	add_wait(p, "hung", 3, WHOLE)->state = 2;
	add_wait(p, "stopped", 4, WHOLE)->state = 4;
	add_wait(p, "queued", 5, WHOLE)->run_queue = MS;
	CHECK(t, is_idle(t, p, "pool"));
	CHECK(t, !is_idle(t, p, "late"));
	CHECK(t, !is_idle(t, p, "hung"));
	CHECK(t, !is_idle(t, p, "stopped"));
	CHECK(t, !is_idle(t, p, "queued"));
	p->sums[p->sum_count++] = (struct profile_task_sums){.task = p->waits[0].task, .running = 1};
	CHECK(t, !is_idle(t, p, "pool"));
	free(p);
}

/* A worker of the kernel is idle until a program waits for it, or somebody in D; another worker does not count. */
static void looks_at_wakers(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	(void)add_wait(p, "worker", 1, 0);
	p->tasks[0].kernel_thread = true;
	wait = add_wait(p, "other", 2, 0);
	p->tasks[wait->task].kernel_thread = true;
	fake_waker(p, wait, "worker", 1, "wake", BOOT + 5 * SECOND);
	CHECK(t, is_idle(t, p, "worker"));
	wait->state = 2;
	CHECK(t, !is_idle(t, p, "worker"));
	wait->state = 1;
	p->tasks[wait->task].kernel_thread = false;
	CHECK(t, !is_idle(t, p, "worker"));
	wait->waker_context = PROFILE_WAKER_IRQ; /* it was only interrupted */
	CHECK(t, is_idle(t, p, "worker"));
	free(p);
}

/* A thread that changed its comm is one thread. */
static void knows_threads(struct test *t)
{
	struct profile *p = fake_recorded();

	(void)add_wait(p, "old", 1, WHOLE);
	(void)add_wait(p, "new", 1, 0);
	CHECK(t, !is_idle(t, p, "old"));
	CHECK(t, !is_idle(t, p, "new"));
	free(p);
}

/* All tasks of an idle thread have the number of the first. */
static void numbers_threads(struct test *t)
{
	struct profile *p = fake_recorded();
	uint32_t *idle;

	(void)add_wait(p, "busy", 1, 0);
	(void)add_wait(p, "old", 2, WHOLE);
	(void)add_wait(p, "new", 2, WHOLE);
	CHECK_INT(t, profile_idle_tasks(p, &idle), 0);
	CHECK(t, idle[0] == PROFILE_NO_TASK && idle[1] == 1 && idle[2] == 1);
	free(idle);
	free(p);
}

TEST_MAIN(TEST(decides), TEST(looks_at_waits), TEST(looks_at_wakers), TEST(knows_threads), TEST(numbers_threads))
