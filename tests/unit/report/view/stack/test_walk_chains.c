/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Walked tasks that hold up each other: --chains and the lines below --tasks, compared with hand-written text. */
#include "tests/unit/report/view/fake_view.h"

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

TEST_MAIN(TEST(ends_in_a_circle))
