/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Walked tasks that hold up each other: --chains and the lines below --tasks, compared with hand-written text. */
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

enum { WRITE = 1, MUTEX = 1, RWSEM = 2 };

static struct profile *begin(void)
{
	struct profile *p = fake_profile();

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .seen = 100};
	p->operations[p->operation_count++] = (struct profile_operation){.name = ""};
	p->operations[p->operation_count++] = (struct profile_operation){
		.kind = PROFILE_IN_CALL, .name = "write", .direction = PROFILE_WRITES};
	for (int i = 0; i <= RWSEM; i++)
		p->objects[p->object_count++] = (struct profile_object){
			.kind = i ? PROFILE_OBJECT_LOCK : 0, .address = (uint64_t)i, .comm = "", .name = "",
			.local = "", .peer = "", .lock = i == RWSEM ? PROFILE_LOCK_RWSEM : PROFILE_LOCK_MUTEX};
	return p;
}

/* A task that has waited for `ms`; its task's number is tid. */
static struct profile_walk_task *add(struct profile *p, const char *comm, uint32_t tid, const char *state, uint64_t ms)
{
	struct profile_walk_task *row = fake_walked(p, 0, comm, tid, state, "schedule");

	row->wait = ms * 1000000;
	row->bound = PROFILE_WAIT_EXACT;
	p->sources[0].samples = p->sources[0].weight = p->walk_task_count;
	return row;
}

static void wait_for(struct profile_walk_task *row, uint32_t object, uint32_t owner)
{
	row->operation = WRITE;
	row->object = object;
	row->owner = owner;
	row->held = PROFILE_HELD_BY_OWNER;
}

static const char two_hops[] =
	"# tasks: 5 of 100 that were seen, walks: 1\n"
	"# held up by a task that is known: 3 tasks\n"
	"# in D for other reasons: 1 task; --tasks --state D shows them\n"
	"\n"
	">>> a tid 1 pid 1, S for 900.000 ms: holds up 2 tasks\n"
	"    b tid 2 pid 2, D for 500.000 ms, in write on mutex #1: holds up 1 task\n"
	"        c tid 3 pid 3, D for 400.000 ms, in write on rwsem #2\n"
	"\n"
	">>> gone tid 9 pid 9: holds up 1 task\n"
	"    d tid 4 pid 4, D for 300.000 ms, in write on mutex #1\n"
	"\n";

static const char only_d[] =
	"# tasks: 5 of 100 that were seen, walks: 1\n"
	"# held up by a task that is known: 3 tasks\n"
	"# in D for other reasons: 1 task; --tasks --state D shows them\n"
	"\n"
	">>> gone tid 9 pid 9: holds up 1 task\n"
	"    d tid 4 pid 4, D for 300.000 ms, in write on mutex #1\n"
	"\n";

/* A target in the middle: the one that holds it up, and the one that it holds up. */
static const char only_b[] =
	"# tasks: 5 of 100 that were seen, walks: 1\n"
	"# held up by a task that is known: 3 tasks\n"
	"# in D for other reasons: 1 task; --tasks --state D shows them\n"
	"\n"
	">>> a tid 1 pid 1, S for 900.000 ms: holds up 2 tasks\n"
	"    b tid 2 pid 2, D for 500.000 ms, in write on mutex #1: holds up 1 task\n"
	"        c tid 3 pid 3, D for 400.000 ms, in write on rwsem #2\n"
	"\n";

static void check_target(struct test *t, struct profile *p, uint32_t tid, const char *expected)
{
	struct view_settings settings = plain;

	settings.chain_target = "a tid";
	settings.chain_tid = tid;
	fake_check(t, p, VIEW_CHAINS, &settings, expected);
}

/* One holder was walked, one was not; a task that held a lock for reading is no holder. */
static void leads_to_the_holders(struct test *t)
{
	struct profile *p = begin();
	uint32_t a, b;
	char *text;

	a = add(p, "a", 1, "S", 900)->task;
	wait_for(add(p, "b", 2, "D", 500), MUTEX, a);
	b = p->walk_tasks[1].task;
	wait_for(add(p, "c", 3, "D", 400), RWSEM, b);
	wait_for(add(p, "d", 4, "D", 300), MUTEX, fake_task(p, "gone", 9, 9));
	wait_for(add(p, "reader", 5, "D", 200), RWSEM, a);
	p->walk_tasks[4].held |= PROFILE_HELD_FOR_READING;
	fake_check(t, p, VIEW_CHAINS, &plain, two_hops);
	check_target(t, p, 4, only_d);
	check_target(t, p, 9, only_d); /* the holder that was not walked */
	check_target(t, p, 2, only_b);
	check_target(t, p, 1, only_b);
	text = fake_print(p, &views[VIEW_TASKS], &plain);
	CHECK(t, strstr(text, "comm c pid 3 state D wait 0.40 queue CPU 0, in write on rwsem #2 (held by b 2)\n"
			      "    [held by b tid 2 pid 2, D for 500.000 ms, in write on mutex #1]\n"
			      "    [held by a tid 1 pid 1, S for 900.000 ms]\n"
			      "    schedule\n"));
	CHECK(t, strstr(text, "comm d pid 4 state D wait 0.30 queue CPU 0, in write on mutex #1 (held by gone 9)\n"
			      "    schedule\n"));
	CHECK(t, strstr(text, "in write on rwsem #2 (last read by a 1)\n    schedule\n"));
	free(text);
	free(p);
}

static const char circle[] =
	"# tasks: 3 of 100 that were seen, walks: 1\n"
	"# held up by a task that is known: 3 tasks\n"
	"\n"
	">>> a circle: a tid 1 pid 1, D for 900.000 ms, in write on mutex #1: holds up 2 tasks\n"
	"    b tid 2 pid 2, D for 500.000 ms, in write on rwsem #2: holds up 2 tasks\n"
	"        c tid 3 pid 3, D for 400.000 ms, in write on mutex #1\n"
	"\n";

static void ends_in_a_circle(struct test *t)
{
	struct profile *p = begin();
	char *text;

	(void)add(p, "a", 1, "D", 900);
	(void)add(p, "b", 2, "D", 500);
	(void)add(p, "c", 3, "D", 400);
	wait_for(&p->walk_tasks[0], MUTEX, p->walk_tasks[1].task);
	wait_for(&p->walk_tasks[1], RWSEM, p->walk_tasks[0].task);
	wait_for(&p->walk_tasks[2], MUTEX, p->walk_tasks[1].task);
	fake_check(t, p, VIEW_CHAINS, &plain, circle);
	text = fake_print(p, &views[VIEW_TASKS], &plain);
	CHECK(t, strstr(text, "    [held by b tid 2 pid 2, D for 500.000 ms, in write on rwsem #2]\n"
			      "    [held by a tid 1 pid 1, D for 900.000 ms, in write on mutex #1]\n"
			      "    [held by b tid 2 pid 2, D for 500.000 ms, in write on rwsem #2: a circle]\n"));
	free(text);
	free(p);
}

/* If many wait for the same, those that have waited longest are listed. */
static void counts_those_that_are_not_listed(struct test *t)
{
	struct profile *p = begin();
	uint32_t a = add(p, "a", 1, "S", 900)->task;
	char *text;

	for (uint32_t i = 0; i < 12; i++)
		wait_for(add(p, "w", 10 + i, "D", 100 + i), MUTEX, a);
	text = fake_print(p, &views[VIEW_CHAINS], &plain);
	CHECK(t, strstr(text, ">>> a tid 1 pid 1, S for 900.000 ms: holds up 12 tasks\n"
			      "    w tid 21 pid 21, D for 111.000 ms, in write on mutex #1\n"));
	CHECK(t, strstr(text, "    w tid 12 pid 12, D for 102.000 ms, in write on mutex #1\n    2 others\n\n"));
	CHECK(t, !strstr(text, "w tid 11 pid 11"));
	free(text);
	free(p);
}

TEST_MAIN(TEST(leads_to_the_holders), TEST(ends_in_a_circle), TEST(counts_those_that_are_not_listed))
