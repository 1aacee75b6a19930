/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which threads were idle: the decision, and what it is based on. */
#include "report/profile/seam/profile_idle.h"
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
		{"one that ran", {.waits = 1, .whole = 1, .otherwise = true, .asleep = SECOND, .busy = 1}, false},
		{"one that woke up once", {.waits = 2, .otherwise = true, .asleep = SECOND}, false},
		{"one that had brief waits",
		 {.waits = 1, .whole = 1, .briefs = 1, .otherwise = true, .asleep = SECOND}, false},
		{"one that ended meanwhile", {.waits = 1, .otherwise = true, .asleep = SECOND}, false},
		{"one that hangs in D", {.waits = 1, .whole = 1, .held = true}, false},
		{"one without waits", {.kernel_thread = true}, false},
		{"a kernel thread that hardly worked",
		 {.kernel_thread = true, .waits = 9, .briefs = 5, .asleep = SECOND, .busy = 10 * MILLISECOND}, true},
		{"a kernel thread that worked",
		 {.kernel_thread = true, .waits = 9, .asleep = SECOND, .busy = 11 * MILLISECOND}, false},
		{"a kernel thread for which somebody waited",
		 {.kernel_thread = true, .waits = 9, .waker = true, .asleep = SECOND}, false},
		{"one that hardly ran and waited for what may come",
		 {.waits = 6, .asleep = 5 * SECOND, .busy = 30 * MILLISECOND, .brief = 20 * MILLISECOND}, true},
		{"one that waited for something else as well",
		 {.waits = 6, .otherwise = true, .asleep = 5 * SECOND, .busy = 30 * MILLISECOND}, false},
		{"one that was woken by a timer once a second, a little early",
		 {.waits = 17, .asleep = 14968 * MILLISECOND}, true},
		{"one that was woken more often than once a second", {.waits = 8, .asleep = 5 * SECOND}, false},
		{"one that was on run queues for more than 1 %",
		 {.waits = 6, .asleep = 5 * SECOND, .busy = 30 * MILLISECOND, .queued = 21 * MILLISECOND}, false},
		{"one that ran for more than 1 %",
		 {.waits = 6, .asleep = 5 * SECOND, .busy = 30 * MILLISECOND, .brief = 21 * MILLISECOND}, false},
		{"one that holds somebody up", {.waits = 1, .whole = 1, .waker = true, .asleep = SECOND}, false},
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

/* A kernel worker is idle until a program waits for it, or a thread in D does; other workers do not count. */
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

static uint32_t add_object(struct profile *p, uint8_t kind, uint8_t flags)
{
	p->object_count += !p->object_count; /* 0 is for what is not known */
	p->objects[p->object_count] = (struct profile_object){.kind = kind, .flags = flags, .name = "", .comm = "",
							      .variable = "", .local = "", .peer = ""};
	return (uint32_t)p->object_count++;
}

/* One that ended, of a thread that ran for a moment. */
static struct profile_wait *add_ended(struct profile *p, const char *comm, uint32_t tid, uint32_t object, uint8_t held)
{
	struct profile_wait *wait = add_wait(p, comm, tid, PROFILE_WAIT_BEGAN_BEFORE);

	wait->object = object;
	wait->held = held;
	p->sums[p->sum_count++] = (struct profile_task_sums){.task = wait->task, .running = 10 * MS};
	return wait;
}

enum { POLL = 1 };

static void knows_what_may_come(struct test *t)
{
	static const struct {
		const char *comm;
		uint8_t kind, flags, held;
		bool idle;
		uint32_t operation;
	} cases[] = {
		{"accepts", PROFILE_OBJECT_TCP, PROFILE_OBJECT_LISTENS, 0, true, 0},
		{"receives", PROFILE_OBJECT_TCP, 0, 0, false, 0},
		{"loop", PROFILE_OBJECT_EPOLL, 0, PROFILE_ENDLESS, true, 0},
		{"ticks", PROFILE_OBJECT_EPOLL, 0, 0, false, 0},
		{"polls", PROFILE_OBJECT_NONE, 0, PROFILE_ENDLESS, true, 0},
		{"polls one", PROFILE_OBJECT_UNIX, 0, PROFILE_ENDLESS, true, POLL},
		{"polls at times", PROFILE_OBJECT_UNIX, 0, 0, false, POLL},
		{"polls door", PROFILE_OBJECT_UNIX, PROFILE_OBJECT_LISTENS, 0, true, POLL},
		{"unknown", PROFILE_OBJECT_NONE, 0, 0, false, 0},
		{"reads", PROFILE_OBJECT_PIPE, 0, 0, false, 0},
		{"parent", PROFILE_OBJECT_CHILD, 0, 0, false, 0},
		{"sleeps", PROFILE_OBJECT_SLEEP, 0, 0, false, 0},
	};
	struct profile *p = fake_recorded();

	p->operations[POLL].many = true;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		add_ended(p, cases[i].comm, 10 + i, cases[i].kind ? add_object(p, cases[i].kind, cases[i].flags) : 0,
			  cases[i].held)->operation = cases[i].operation;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_check(t, is_idle(t, p, cases[i].comm) == cases[i].idle, "'%s' is taken for %s", cases[i].comm,
			   cases[i].idle ? "busy" : "idle");
	free(p);
}

/* A thread that went from one epoll to another has got work, and waits for that there. later: its comm by then. */
static void check_two_epolls(struct test *t, const char *later)
{
	struct profile *p = fake_recorded();
	const uint32_t first = add_object(p, PROFILE_OBJECT_EPOLL, 0), again = add_object(p, PROFILE_OBJECT_EPOLL, 0);
	struct profile_wait *wait;

	p->objects[first].descriptor = p->objects[again].descriptor = 5;
	(void)add_ended(p, "backend", 1, first, PROFILE_ENDLESS);
	wait = add_wait(p, later, 1, PROFILE_WAIT_NOT_ENDED);
	wait->object = again;
	wait->held = PROFILE_ENDLESS;
	CHECK(t, is_idle(t, p, "backend"));
	p->objects[again].descriptor = 10;
	CHECK(t, !is_idle(t, p, "backend"));
	p->objects[again].descriptor = 0; /* not known */
	CHECK(t, is_idle(t, p, "backend"));
	free(p);
}

static void knows_two_epolls(struct test *t)
{
	check_two_epolls(t, "backend");
	check_two_epolls(t, "in a row"); /* the same thread has another name */
}

/* Threads of a process that wait for a futex that is no lock are a pool; a single one may wait for another's result. */
static void knows_pools(struct test *t)
{
	struct profile *p = fake_recorded();
	const uint32_t futex = add_object(p, PROFILE_OBJECT_FUTEX, 0);

	(void)add_ended(p, "first", 1, futex, PROFILE_ENDLESS);
	CHECK(t, !is_idle(t, p, "first"));
	(void)add_ended(p, "second", 2, futex, 0);
	CHECK(t, !is_idle(t, p, "first")); /* of another process */
	p->tasks[1].tgid = p->tasks[0].tgid;
	CHECK(t, is_idle(t, p, "first"));
	CHECK(t, is_idle(t, p, "second"));
	p->waits[1].held = PROFILE_HELD_LOCKED;
	CHECK(t, !is_idle(t, p, "first"));
	CHECK(t, !is_idle(t, p, "second"));
	free(p);
}

/* A thread that never ran may be held up, too: by the holder of the lock that it waits for, which is not idle then. */
static void knows_locks(struct test *t)
{
	struct profile *p = fake_recorded();
	const uint32_t futex = add_object(p, PROFILE_OBJECT_FUTEX, 0), work = add_object(p, PROFILE_OBJECT_WORK, 0);
	struct profile_wait *held = add_wait(p, "held", 1, WHOLE), *holder = add_wait(p, "holder", 2, WHOLE);
	struct profile_wait *worker = add_wait(p, "kworker", 3, WHOLE);

	held->object = futex;
	p->tasks[worker->task].kernel_thread = true;
	CHECK(t, is_idle(t, p, "held") && is_idle(t, p, "holder") && is_idle(t, p, "kworker"));
	held->held = PROFILE_HELD_BY_OWNER;
	held->owner = holder->task;
	CHECK(t, !is_idle(t, p, "held"));
	CHECK(t, !is_idle(t, p, "holder"));
	held->held = PROFILE_HELD_LOCKED;
	CHECK(t, !is_idle(t, p, "held"));
	CHECK(t, is_idle(t, p, "holder"));
	worker->object = work; /* it is within a work */
	CHECK(t, !is_idle(t, p, "kworker"));
	free(p);
}

/* A loop that waits for the result of a thread that hangs in D looks like one that waits for work. */
static void looks_at_who_woke(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *loop, *other;

	loop = add_ended(p, "loop", 1, 0, PROFILE_ENDLESS);
	other = add_wait(p, "helper", 2, 0);
	fake_waker(p, loop, "helper", 2, "wake", BOOT + 5 * SECOND);
	CHECK(t, is_idle(t, p, "loop"));
	CHECK(t, !is_idle(t, p, "helper"));
	other->state = 2;
	CHECK(t, !is_idle(t, p, "loop"));
	other->state = 1;
	CHECK(t, is_idle(t, p, "loop"));
	p->sums[p->sum_count++] = (struct profile_task_sums){.task = other->task, .running = SECOND};
	CHECK(t, !is_idle(t, p, "loop"));
	p->sums[p->sum_count - 1].running = 0;
	p->sums[p->sum_count - 1].kinds[PROFILE_SUM_PREEMPTED].run_queue = SECOND / 4;
	CHECK(t, is_idle(t, p, "loop"));
	p->sums[p->sum_count - 1].kinds[PROFILE_SUM_PREEMPTED].run_queue = SECOND / 3;
	CHECK(t, !is_idle(t, p, "loop"));
	p->sum_count--;
	fake_waker(p, add_ended(p, "loop", 1, 0, PROFILE_ENDLESS), "third", 3, "wake", BOOT + 5 * SECOND);
	CHECK(t, !is_idle(t, p, "loop"));
	free(p);
}

/* The server of a connection within the host is the thread that was interrupted by what it had sent. */
static void knows_servers(struct test *t)
{
	struct profile *p = fake_recorded();
	const uint32_t socket = add_object(p, PROFILE_OBJECT_TCP, 0);
	struct profile_wait *client;

	(void)add_ended(p, "server", 1, 0, PROFILE_ENDLESS);
	client = add_ended(p, "client", 2, socket, 0);
	fake_waker(p, client, "server", 1, "wake", BOOT + 5 * SECOND);
	client->waker_context = PROFILE_WAKER_SOFTIRQ;
	CHECK(t, !is_idle(t, p, "server"));
	client->object = add_object(p, PROFILE_OBJECT_SLEEP, 0);
	CHECK(t, is_idle(t, p, "server"));
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

TEST_MAIN(TEST(decides), TEST(looks_at_waits), TEST(looks_at_wakers), TEST(knows_what_may_come), TEST(knows_two_epolls),
	  TEST(knows_pools), TEST(knows_locks), TEST(looks_at_who_woke), TEST(knows_servers),
	  TEST(knows_threads), TEST(numbers_threads))
