/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tree compared with hand-written text, in the form shown in rwalker's README. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static void check_view(struct test *t, struct profile *p, const struct view *view, const char *want)
{
	char *got = fake_print(p, view, &plain);

	fake_check_text(t, got, want);
	free(got);
}

/* What is left out is counted; if it is enough for a line, in the place where it would have been. */
static void counts_what_it_hides(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "top@x;big@x;leaf@x", 9900);
	fake_entry(p, cpu, "a", 1, "top@x;s1@x;leaf@x", 20);
	fake_entry(p, cpu, "a", 1, "top@x;s2@x;leaf@x", 20);
	fake_entry(p, cpu, "a", 1, "top@x;big@x;t1@x;leaf@x", 10);
	fake_entry(p, cpu, "a", 1, "h1@x;small@x", 24);
	fake_entry(p, cpu, "a", 1, "h2@x;tiny@x", 26);
	check_view(t, p, &tree_view,
		   "# cpu cpu-clock: 10000 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 99.50%  leaf  Comms: a\n"
		   "    |\n"
		   "    top+0x0\n"
		   "    |--99.10%--big+0x0\n"
		   "    |          leaf+0x0\n"
		   "     --0.40%--[2 more, each below the least share]\n"
		   "\n"
		   ">>> 0.26%  tiny  Comms: a\n"
		   "    |\n"
		   "    h2+0x0\n"
		   "    tiny+0x0\n"
		   "\n"
		   "# leaf functions not shown: 1, 0.24% in all\n"
		   "# branches below 0.25% not shown: 1, 0.10% in all\n");
	fake_free(p);
}

/* Where enough weight ends, the rest is hidden like any branch; where none ends, the chain is shown to its end. */
static void ends_where_enough_ends(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "main@x;f@x", 5970);
	fake_entry(p, cpu, "a", 1, "main@x;f@x;irq1@x;f@x", 14);
	fake_entry(p, cpu, "a", 1, "main@x;f@x;irq2@x;f@x", 16);
	fake_entry(p, cpu, "a", 1, "main@x;g@x", 2990);
	fake_entry(p, cpu, "a", 1, "main@x;g@x;irq1@x;g@x", 10);
	fake_entry(p, cpu, "a", 1, "main@x;f@x;way1@x;h@x", 12);
	fake_entry(p, cpu, "a", 1, "main@x;f@x;way2@x;h@x", 13);
	fake_entry(p, cpu, "a", 1, "main@x;idle@x", 975);
	check_view(t, p, &tree_view,
		   "# cpu cpu-clock: 10000 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 60.00%  f  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    f+0x0\n"
		   "    |--59.70%--[ends here]\n"
		   "     --0.30%--[2 more, each below the least share]\n"
		   "\n"
		   ">>> 30.00%  g  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    g+0x0\n"
		   "\n"
		   ">>> 9.75%  idle  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    idle+0x0\n"
		   "\n"
		   ">>> 0.25%  h  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    f+0x0\n"
		   "    way2+0x0\n"
		   "    h+0x0\n"
		   "\n"
		   "# branches below 0.25% not shown: 2, 0.22% in all\n");
	fake_free(p);
}

/* Chains of which a filter left nothing are part of the whole, and reported. */
static void keeps_the_denominator(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	struct view_settings settings = plain;
	char *text;

	settings.kernel_only = true;
	settings.max_groups = 2;
	settings.filters = "-K --comm a";
	fake_entry(p, cpu, "a", 1, "", 75);
	fake_entry(p, cpu, "a", 1, "vfs_read+0x7", 20);
	fake_entry(p, cpu, "a", 1, "vfs_write+0x7", 5);
	text = fake_print(p, &tree_view, &settings);
	CHECK(t, strstr(text, ">>> 75.00%  [no kernel frames]  Comms: a\n"));
	CHECK(t, strstr(text, ">>> 20.00%  vfs_read  Comms: a\n"));
	CHECK(t, strstr(text, "# leaf functions not shown: 1, 5.00% in all\n"));
	free(text);
	fake_free(p);
}

/* A chain of `depth` calls with a branch at each of them: everything is shown. */
static void prints_deep_trees_in_linear_space(struct test *t)
{
	enum { DEPTH = 150 };
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples"), node = 0;
	struct view_settings settings = {.filters = ""};
	char *text;

	fake_entry(p, cpu, "a", 1, "leaf@x", 1);
	for (uint32_t depth = 0; depth < DEPTH; depth++) {
		uint32_t frame = fake_frame(p, "step@x", 6);

		p->nodes.items[p->nodes.count] = (struct profile_node){.parent = node, .frame = frame};
		node = (uint32_t)p->nodes.count++;
		p->nodes.items[p->nodes.count] = (struct profile_node){.parent = node, .frame = 0};
		p->entries.items[p->entries.count++] = (struct profile_entry){
			.source = cpu, .node = (uint32_t)p->nodes.count++, .task = 0, .samples = 1, .weight = 1};
		p->sources.items[cpu].samples = ++p->sources.items[cpu].weight;
	}
	text = fake_print(p, &tree_view, &settings);
	CHECK(t, strstr(text, "[level 149] "));
	CHECK(t, strlen(text) < 3 * DEPTH * 600);
	free(text);
	fake_free(p);
}

/* --- walk chains --- */

/* Walked tasks that hold up each other: --chains and the lines below --tasks, compared with hand-written text. */

enum { IN_WRITE = 1, MUTEX = 1, RWSEM = 2 };

static struct profile *begin_walk(void)
{
	struct profile *p = fake_profile();

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	p->walks.items[p->walks.count++] = (struct profile_walk){.number = 1, .seen = 100};
	p->operations.items[p->operations.count++] = (struct profile_operation){.name = ""};
	p->operations.items[p->operations.count++] = (struct profile_operation){
		.kind = WAIT_IN_CALL, .name = "write", .direction = PROFILE_WRITES};
	for (int i = 0; i <= RWSEM; i++)
		p->objects.items[p->objects.count++] = (struct profile_object){
			.kind = i ? OBJECT_LOCK : 0, .address = (uint64_t)i, .comm = "", .name = "",
			.local = "", .peer = "", .lock = i == RWSEM ? LOCK_RWSEM : LOCK_MUTEX};
	return p;
}

/* A task that has waited for `ms`; its task's number is tid. */
static struct profile_walk_task *add_walked(struct profile *p, const char *comm, uint32_t tid, const char *state, uint64_t ms)
{
	struct profile_walk_task *row = fake_walked(p, 0, comm, tid, state, "schedule");

	row->wait = ms * 1000000;
	row->bound = WAIT_EXACT;
	p->sources.items[0].samples = p->sources.items[0].weight = p->walk_tasks.count;
	return row;
}

static void wait_for(struct profile_walk_task *row, uint32_t object, uint32_t owner)
{
	row->operation = IN_WRITE;
	row->object = object;
	row->owner = owner;
	row->held = HELD_BY_OWNER;
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
	struct profile *p = begin_walk();
	char *text;

	(void)add_walked(p, "a", 1, "D", 900);
	(void)add_walked(p, "b", 2, "D", 500);
	(void)add_walked(p, "c", 3, "D", 400);
	wait_for(&p->walk_tasks.items[0], MUTEX, p->walk_tasks.items[1].task);
	wait_for(&p->walk_tasks.items[1], RWSEM, p->walk_tasks.items[0].task);
	wait_for(&p->walk_tasks.items[2], MUTEX, p->walk_tasks.items[1].task);
	check_view(t, p, &chains_view, circle);
	text = fake_print(p, &tasks_view, &plain);
	CHECK(t, strstr(text, "    [held by b tid 2 pid 2, D for 500.000 ms, in write on rwsem #2]\n"
			      "    [held by a tid 1 pid 1, D for 900.000 ms, in write on mutex #1]\n"
			      "    [held by b tid 2 pid 2, D for 500.000 ms, in write on rwsem #2: a circle]\n"));
	free(text);
	fake_free(p);
}

TEST_MAIN(TEST(counts_what_it_hides), TEST(ends_where_enough_ends), TEST(keeps_the_denominator),
	  TEST(prints_deep_trees_in_linear_space), TEST(ends_in_a_circle))
