/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --by against texts written by hand: in parts under headings, and as the first word of folded lines. */
#include "tests/unit/report/view/fake_profile.h"

static struct view_settings by(const char *field)
{
	return (struct view_settings){.min_share = 2500, .filters = "", .by = group_field_find(field)};
}

/* Two processes of one comm, a thread that changes its comm, two hosts. */
static struct profile *some_tasks(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "sh", 7, "main@sh;fork@libc.so", 10);
	fake_entry(p, cpu, "dd", 7, "main@dd;copy@dd", 50);
	fake_entry(p, cpu, "dd", 8, "main@dd;copy@dd", 30);
	fake_entry(p, cpu, "dd", 9, "main@dd;copy@dd", 10);
	p->tasks[3].host = 1;
	p->tasks[3].tgid = 8;
	p->tasks[3].tid = 8;
	return p;
}

static void keeps_comms_apart(struct test *t)
{
	struct view_settings settings = by("comm");
	struct profile *p = some_tasks();

	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "=== 90.00%  comm dd\n"
		   "\n"
		   ">>> 90.00%  copy  Comms: dd\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    copy+0x0\n"
		   "\n"
		   "\n"
		   "=== 10.00%  comm sh\n"
		   "\n"
		   ">>> 10.00%  fork  Comms: sh\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    fork+0x0\n"
		   "\n");
	free(p);
}

/* What is left out is counted. */
static void keeps_threads_apart(struct test *t)
{
	struct view_settings settings = by("thread");
	struct profile *p = some_tasks();

	settings.min_share = 200000;
	fake_check(t, p, VIEW_FUNCTIONS, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "=== 60.00%  tid 7 host 0  Comms: dd, sh\n"
		   "# samples of each function alone (self) and with all that it called (total), most self first\n"
		   "#   self   samples   total   samples  function\n"
		   "  50.00%        50  50.00%        50  copy  [dd]\n"
		   "\n"
		   "# functions not shown: 3, 10.00% of self in all\n"
		   "\n"
		   "=== 30.00%  tid 8 host 0  Comms: dd\n"
		   "# samples of each function alone (self) and with all that it called (total), most self first\n"
		   "#   self   samples   total   samples  function\n"
		   "  30.00%        30  30.00%        30  copy  [dd]\n"
		   "\n"
		   "# functions not shown: 1, 0.00% of self in all\n"
		   "# threads not shown: 1, 10.00% in all\n");
	free(p);
}

static void keeps_cpus_apart(struct test *t)
{
	struct view_settings settings = by("cpu");
	struct profile *p = some_tasks();

	for (size_t i = 0; i < p->entry_count; i++)
		p->entries[i].cpu = i < 2 ? 3 : PROFILE_NO_CPU;
	fake_check(t, p, VIEW_TOP_DOWN, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "=== 60.00%  CPU 3  Comms: dd, sh\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   "  50.00%        50   0.00%  |--main [dd]\n"
		   "  50.00%        50  50.00%  |  copy\n"
		   "  10.00%        10   0.00%   --main [sh]\n"
		   "  10.00%        10  10.00%     fork\n"
		   "\n"
		   "\n"
		   "=== 40.00%  CPU not recorded  Comms: dd\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   "  40.00%        40   0.00%  main\n"
		   "  40.00%        40  40.00%  copy\n"
		   "\n");
	free(p);
}

static void says_what_is_not_recorded(struct test *t)
{
	struct view_settings settings = by("cpu");
	struct profile *p = some_tasks();

	for (size_t i = 0; i < p->entry_count; i++)
		p->entries[i].cpu = PROFILE_NO_CPU;
	fake_check(t, p, VIEW_TOP_DOWN, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "# --by cpu: the trace does not have it for cpu, so these are not divided\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   "  90.00%        90   0.00%  |--main [dd]\n"
		   "  90.00%        90  90.00%  |  copy\n"
		   "  10.00%        10   0.00%   --main [sh]\n"
		   "  10.00%        10  10.00%     fork\n"
		   "\n");
	free(p);
}

static void folds_with_a_word_in_front(struct test *t)
{
	static const struct {
		const char *field, *want;
	} rows[] = {
		{"comm", "sh;main;fork 10\ndd;main;copy 90\n"},
		{"process", "pid 7 host 0;sh;main;fork 10\npid 8 host 1;dd;main;copy 10\n"
			    "pid 8 host 0;dd;main;copy 30\npid 7 host 0;dd;main;copy 50\n"},
		{"host", "host 0;sh;main;fork 10\nhost 1;dd;main;copy 10\nhost 0;dd;main;copy 80\n"},
		{"cpu", "CPU 1;dd;main;copy 10\nCPU 9;sh;main;fork 10\nCPU 0;dd;main;copy 80\n"},
		/* Two CPUs are a node, and each host has its own; CPU 9 is of none (fake_seam_origin.h). */
		{"node", "node not recorded host 0;sh;main;fork 10\nnode 0 host 1;dd;main;copy 10\n"
			 "node 0 host 0;dd;main;copy 80\n"},
	};
	struct profile *p = some_tasks();

	p->entries[0].cpu = 9;
	p->entries[3].cpu = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct view_settings settings = by(rows[i].field);

		fake_check(t, p, VIEW_FOLDED, &settings, rows[i].want);
	}
	free(p);
}

/* Nothing is divided, and there is no heading. */
static void prints_nothing_of_nothing(struct test *t)
{
	struct view_settings settings = by("process");
	struct profile *p = fake_profile();

	(void)fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 0 samples in 5.00 s, kernel and user stacks\n"
		   "# nothing was recorded; what was lost is listed below\n");
	free(p);
}

TEST_MAIN(TEST(keeps_comms_apart), TEST(keeps_threads_apart), TEST(keeps_cpus_apart), TEST(says_what_is_not_recorded),
	  TEST(folds_with_a_word_in_front), TEST(prints_nothing_of_nothing))
