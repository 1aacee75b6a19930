/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --top-down against texts written by hand. */
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

/* A function that calls itself is two lines; addresses of one function are one. */
static void adds_up(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "main@app+0x1;f@app;f@app;leaf@x", 40);
	fake_entry(p, cpu, "b", 2, "main@app+0x2;f@app", 20);
	fake_entry(p, cpu, "b", 2, "main@app+0x2;g@app;leaf@x", 25);
	fake_entry(p, cpu, "c", 3, "start@app;leaf@x", 10);
	fake_entry(p, cpu, "c", 3, "", 5);
	fake_check(t, p, VIEW_TOP_DOWN, &plain,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   "  85.00%        85   0.00%  |--main\n"
		   "  60.00%        60  20.00%  |  |--f\n"
		   "  40.00%        40   0.00%  |  |  f\n"
		   "  40.00%        40  40.00%  |  |  leaf\n"
		   "  25.00%        25   0.00%  |   --g\n"
		   "  25.00%        25  25.00%  |     leaf\n"
		   "  10.00%        10   0.00%  |--start\n"
		   "  10.00%        10  10.00%  |  leaf\n"
		   "   5.00%         5   5.00%   --[no call chain]\n"
		   "\n");
	free(p);
}

/* Also if there is nothing else. */
static void shows_empty_chains(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "c", 3, "", 5);
	fake_check(t, p, VIEW_TOP_DOWN, &plain,
		   "# cpu cpu-clock: 5 samples in 5.00 s, kernel and user stacks\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   " 100.00%         5 100.00%   --[no call chain]\n"
		   "\n");
	free(p);
}

static void counts_what_it_hides(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "top@x;big@x", 9900);
	fake_entry(p, cpu, "a", 1, "top@x;big@x;rest@x", 10);
	for (unsigned int i = 0; i < 4; i++)
		fake_entry(p, cpu, "a", 1, i % 2 ? "top@x;s1@x" : "top@x;s2@x", 11);
	fake_entry(p, cpu, "a", 1, "top@x;s3@x", 23);
	fake_entry(p, cpu, "a", 1, "top@x;s4@x", 23);
	fake_check(t, p, VIEW_TOP_DOWN, &plain,
		   "# cpu cpu-clock: 10000 samples in 5.00 s, kernel and user stacks\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   " 100.00%     10000   0.00%  top\n"
		   "  99.10%      9910  99.00%  |--big\n"
		   "   0.90%        90           --[4 more, each below the least share]\n"
		   "\n"
		   "# branches below 0.25% not shown: 1, 0.10% in all\n");
	free(p);
}

static void divides_waits_and_folds(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t offcpu = fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");
	struct view_settings settings = plain;

	fake_entry(p, offcpu, "a", 1, "main@app;std::map<int, std::string>::find@app;pipe_read", 60000000);
	p->entries[0].run_queue = 15000000;
	fake_entry(p, offcpu, "a", 1, "main@app;work@app", 20000000);
	p->entries[1].run_queue = 20000000;
	settings.width = 59;
	fake_check(t, p, VIEW_TOP_DOWN, &settings,
		   "# offcpu: 80000000 waits, 80.0 ms in 5.00 s, kernel and\n"
		   "  user stacks\n"
		   "# 0.0 ms on run queues\n"
		   "# ms of each function with all that it called (total) and\n"
		   "  alone (self), callers first\n"
		   "#  total   blocked run queue    self  function\n"
		   " 100.00%      45.0      35.0   0.00%  main\n"
		   "  75.00%      45.0      15.0   0.00%  |--std::map<int,\n"
		   "                                         std::string>::find\n"
		   "  75.00%      45.0      15.0  75.00%  |  pipe_read\n"
		   "  25.00%       0.0      20.0  25.00%   --work\n"
		   "\n");
	free(p);
}

/* With -s each line has the offset that weighs most. */
static void shows_offsets(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");
	struct view_settings settings = plain;

	settings.offsets = true;
	fake_entry(p, cpu, "a", 1, "main@app+0x1", 40);
	fake_entry(p, cpu, "b", 2, "main@app+0x2", 60);
	fake_check(t, p, VIEW_TOP_DOWN, &settings,
		   "# cpu cpu-clock: 100 samples in 5.00 s, kernel and user stacks\n"
		   "# samples of each function with all that it called (total) and alone (self), callers first\n"
		   "#  total   samples    self  function\n"
		   " 100.00%       100 100.00%  main+0x2\n"
		   "\n");
	free(p);
}

TEST_MAIN(TEST(adds_up), TEST(shows_empty_chains), TEST(counts_what_it_hides), TEST(divides_waits_and_folds),
	  TEST(shows_offsets))
