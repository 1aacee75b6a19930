/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tree compared with hand-written text, in the form shown in rwalker's README. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static const char documented[] =
	"# cpu cycles: 10000 samples in 5.00 s, 4000 Hz per CPU, kernel and user stacks\n"
	"\n"
	">>> 77.02%  copy  Comms: dd\n"
	"    |\n"
	"    main+0x5\n"
	"    copy+0x10\n"
	"\n"
	">>> 22.98%  _raw_spin_lock_irqsave  Comms: some_process, some_other_process\n"
	"    |\n"
	"    entry_SYSCALL_64_after_hwframe+0x73\n"
	"    do_syscall_64+0x82\n"
	"    __x64_sys_futex+0x9a\n"
	"    futex_q_lock+0x42\n"
	"    |--15.21%--queued_spin_lock_slowpath+0x1a3\n"
	"    |          _raw_spin_lock_irqsave+0x30\n"
	"     --7.77%--_raw_spin_lock_irqsave+0x32\n"
	"\n";

/* The numbers of the README's example: 22.98 % = 15.21 % + 7.77 % of 10000. */
static void prints_the_documented_shape(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cycles", "samples");

	p->sources[cpu].frequency = 4000;
	fake_entry(p, cpu, "some_process", 1,
		   "entry_SYSCALL_64_after_hwframe+0x73;do_syscall_64+0x82;__x64_sys_futex+0x9a;futex_q_lock+0x42;"
		   "queued_spin_lock_slowpath+0x1a3;_raw_spin_lock_irqsave+0x30",
		   1521);
	fake_entry(p, cpu, "some_other_process", 2,
		   "entry_SYSCALL_64_after_hwframe+0x73;do_syscall_64+0x82;__x64_sys_futex+0x9a;futex_q_lock+0x42;"
		   "_raw_spin_lock_irqsave+0x32",
		   777);
	fake_entry(p, cpu, "dd", 3, "main@dd+0x5;copy@dd+0x10", 7702);
	fake_check(t, p, VIEW_TREE, &plain, documented);
	free(p);
}

/*
 * Three addresses of one caller are one node, shown with the offset that weighs most, in whatever
 * order they are added.
 */
static void shows_the_hottest_offset(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "f@x+0x9;g@x+0x1", 30);
	fake_entry(p, cpu, "a", 1, "f@x+0x4;g@x+0x2", 20);
	fake_entry(p, cpu, "a", 1, "f@x+0x4;g@x+0x3", 15);
	fake_entry(p, cpu, "a", 1, "f@x+0x2;g@x+0x1", 35);
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  g  Comms: a\n"
		   "    |\n"
		   "    f+0x2\n" /* 35 and 35: the lower one */
		   "    g+0x1\n"
		   "\n");
	free(p);
}

/* Nested branches keep the bars of the levels that continue. */
static void draws_nested_branches(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "top@x;mid@x;one@x;leaf@x", 40);
	fake_entry(p, cpu, "a", 1, "top@x;mid@x;two@x;leaf@x", 20);
	fake_entry(p, cpu, "a", 1, "top@x;side@x;three@x;leaf@x", 25);
	fake_entry(p, cpu, "a", 1, "top@x;side@x;four@x;leaf@x", 15);
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  leaf  Comms: a\n"
		   "    |\n"
		   "    top+0x0\n"
		   "    |--60.00%--mid+0x0\n"
		   "    |          |--40.00%--one+0x0\n"
		   "    |          |          leaf+0x0\n"
		   "    |           --20.00%--two+0x0\n"
		   "    |                     leaf+0x0\n"
		   "     --40.00%--side+0x0\n"
		   "               |--25.00%--three+0x0\n"
		   "               |          leaf+0x0\n"
		   "                --15.00%--four+0x0\n"
		   "                          leaf+0x0\n"
		   "\n");
	free(p);
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
	fake_check(t, p, VIEW_TREE, &plain,
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
	free(p);
}

/* A function that calls itself: part of its weight ends above the rest. */
static void shows_where_recursion_ends(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "main@x;f@x+0x1", 30);
	fake_entry(p, cpu, "a", 1, "main@x;f@x+0x2;f@x+0x1", 70);
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  f  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    f+0x2\n"
		   "    |--70.00%--f+0x1\n"
		   "     --30.00%--[ends here]\n"
		   "\n");
	free(p);
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
	fake_check(t, p, VIEW_TREE, &plain,
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
	free(p);
}

static void tells_modules_apart(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "b", 2, "main@app;init@liba.so+0x3", 50);
	fake_entry(p, cpu, "a", 1, "main@app;init@libb.so+0x4", 30);
	fake_entry(p, cpu, "a", 1, "main@app;?@libc.so+0x20", 20);
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 50.00%  init [liba.so]  Comms: b\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    init+0x3 [liba.so]\n"
		   "\n"
		   ">>> 30.00%  init [libb.so]  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    init+0x4 [libb.so]\n"
		   "\n"
		   ">>> 20.00%  [libc.so]  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    [libc.so]+0x1020\n"
		   "\n");
	free(p);
}

/*
 * Callers without a name are distinguished by their addresses; at the leaf those of a module are
 * one, with the hottest.
 */
static void keeps_nameless_callers_apart(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "?@libc.so+0x10;main@app;?@lib.so+0x1", 50);
	fake_entry(p, cpu, "a", 1, "?@libc.so+0x10;main@app;?@lib.so+0x2", 20);
	fake_entry(p, cpu, "a", 1, "?@libc.so+0x20;thread@app;?@lib.so+0x1", 30);
	for (size_t i = 0; i < p->frame_count; i++)
		p->frames[i].caller = i % 3 != 2;
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  [lib.so]  Comms: a\n"
		   "    |\n"
		   "    |--70.00%--[libc.so]+0x1010\n"
		   "    |          main+0x0\n"
		   "    |          [lib.so]+0x1001\n"
		   "     --30.00%--[libc.so]+0x1020\n"
		   "               thread+0x0\n"
		   "               [lib.so]+0x1001\n"
		   "\n");
	free(p);
}

/* Comms by weight, then by name; four, and how many more. */
static void orders_comms(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	static const struct {
		const char *comm;
		uint64_t weight;
	} rows[] = {{"zz", 10}, {"c", 5}, {"heavy", 50}, {"b", 10}, {"a", 10}, {"d", 5}, {"zz", 10}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fake_entry(p, cpu, rows[i].comm, (uint32_t)i + 1, "f@x", rows[i].weight);
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  f  Comms: heavy, zz, a, b (+2 more)\n"
		   "    |\n"
		   "    f+0x0\n"
		   "\n");
	free(p);
}

static void splits_processes(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	struct view_settings settings = plain;

	settings.per_process = true;
	fake_entry(p, cpu, "a", 11, "f@x", 60);
	fake_entry(p, cpu, "a", 22, "f@x", 40);
	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 60.00%  f  Comms: a  Pid: 11\n"
		   "    |\n"
		   "    f+0x0\n"
		   "\n"
		   ">>> 40.00%  f  Comms: a  Pid: 22\n"
		   "    |\n"
		   "    f+0x0\n"
		   "\n");
	free(p);
}

/* Chains of which a filter left nothing are part of the whole, and reported. */
static void keeps_the_denominator(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	struct view_settings settings = plain;

	settings.kernel_only = true;
	settings.max_groups = 2;
	settings.filters = "-K --comm a";
	fake_entry(p, cpu, "a", 1, "", 75);
	fake_entry(p, cpu, "a", 1, "vfs_read+0x7", 20);
	fake_entry(p, cpu, "a", 1, "vfs_write+0x7", 5);
	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "# filters: -K --comm a\n"
		   "\n"
		   ">>> 75.00%  [no kernel frames]  Comms: a\n"
		   "\n"
		   ">>> 20.00%  vfs_read  Comms: a\n"
		   "    |\n"
		   "    vfs_read+0x7\n"
		   "\n"
		   "# leaf functions not shown: 1, 5.00% in all\n");
	free(p);
}

static void says_why_it_is_empty(struct test *t)
{
	struct profile *p = fake_profile();
	struct view_settings settings = plain;

	settings.filters = "--pid 5";
	fake_note(p, "lost: 12 events", 0);
	fake_check(t, p, VIEW_TREE, &settings,
		   "# nothing to show: no source is left; filters: --pid 5\n"
		   "# lost: 12 events\n");
	(void)fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 0 samples in 5.00 s, kernel and user stacks\n"
		   "# filters: --pid 5\n"
		   "# nothing passed the filters\n"
		   "# lost: 12 events\n");
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 0 samples in 5.00 s, kernel and user stacks\n"
		   "# nothing was recorded; what was lost is listed below\n"
		   "# lost: 12 events\n");
	fake_check(t, p, VIEW_TASKS, &plain,
		   "# nothing to show: --tasks has no use for what is here: cpu\n"
		   "# lost: 12 events\n");
	free(p);
}

/* Off-CPU time is weighed in time, and waiting for a CPU is not being blocked. */
static void shows_milliseconds(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t offcpu = fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");

	fake_entry(p, offcpu, "a", 1, "schedule+0x1", 123456789);
	p->entries[0].run_queue = 23456789;
	fake_check(t, p, VIEW_TREE, &plain,
		   "# offcpu: 123456789 waits, 123.5 ms in 5.00 s, kernel and user stacks\n"
		   "# 0.0 ms on run queues\n"
		   "\n"
		   ">>> 100.00%  schedule  (123.5ms: blocked 100.0ms, run queue 23.5ms)  Comms: a\n"
		   "    |\n"
		   "    schedule+0x1\n"
		   "\n");
	free(p);
}

/* With addresses, below each stack what its waits were for: the three of most time, and how many others there were. */
static void says_what_stacks_waited_for(struct test *t)
{
	static const struct view_settings settings = {.filters = "", .addresses = true};
	static const uint64_t lengths[] = {100, 40, 30, 20, 10};
	struct profile *p = fake_recorded();

	for (uint32_t i = 1; i <= 6; i++)
		p->objects[i] = (struct profile_object){
			.kind = PROFILE_OBJECT_PIPE, .inode = i, .comm = "", .name = ""};
	p->object_count = 7;
	p->operations[0].name = "";
	p->operations[1] = (struct profile_operation){.kind = PROFILE_IN_CALL, .name = "read"};
	p->operation_count = 2;
	for (uint32_t i = 0; i < 5; i++) {
		struct profile_wait *wait = fake_wait(p, "app", i + 1, "main@app+0x2;pipe_read+0x8",
						      BOOT + i * 200 * MS, BOOT + (i * 200 + lengths[i]) * MS);

		wait->object = i + 1;
		wait->operation = 1;
	}
	fake_check_printed(t, p, tree_view, &settings,
			   "\n"
			   ">>> 100.00%  pipe_read  (200.0ms: blocked 200.0ms, run queue 0.0ms)  Comms: app\n"
			   "    |\n"
			   "    0x0000000000001002 main+0x2 [app]\n"
			   "    0x0000000000001008 pipe_read+0x8 [kernel]\n"
			   "    [in read of pipe:1  50.00%]\n"
			   "    [in read of pipe:2  20.00%]\n"
			   "    [in read of pipe:3  15.00%]\n"
			   "    [2 others  15.00%]\n"
			   "\n");
	free(p);
}

TEST_MAIN(TEST(prints_the_documented_shape), TEST(says_what_stacks_waited_for), TEST(shows_the_hottest_offset),
	  TEST(draws_nested_branches),
	  TEST(counts_what_it_hides), TEST(shows_where_recursion_ends), TEST(ends_where_enough_ends),
	  TEST(tells_modules_apart),
	  TEST(keeps_nameless_callers_apart), TEST(orders_comms),
	  TEST(splits_processes), TEST(keeps_the_denominator), TEST(says_why_it_is_empty), TEST(shows_milliseconds))
