/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --functions against texts written by hand. */
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

/* f calls itself and g; two modules have an init. */
static struct profile *some_functions(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cycles", "cycles");

	fake_entry(p, cpu, "a", 1, "main@app;f@app;f@app;f@app", 40);
	fake_entry(p, cpu, "a", 1, "main@app;f@app;g@libg.so;f@app;?@libx.so+0x1", 30);
	fake_entry(p, cpu, "b", 2, "main@app;init@libg.so;?@libx.so+0x2", 20);
	fake_entry(p, cpu, "b", 2, "main@app;init@app", 6);
	fake_entry(p, cpu, "b", 2, "", 4);
	return p;
}

/* A chain counts once for f, however often f is in it; code without a symbol is one function of its module. */
static void counts_recursion_once(struct test *t)
{
	struct profile *p = some_functions();

	fake_check(t, p, VIEW_FUNCTIONS, &plain,
		   "# cpu cycles: 100 samples, 100 cycles in 5.00 s, kernel and user stacks\n"
		   "# samples of each function alone (self) and with all that it called (total), most self first\n"
		   "#   self   samples   total   samples  function\n"
		   "  50.00%        50  50.00%        50  [libx.so]\n"
		   "  40.00%        40  70.00%        70  f  [app]\n"
		   "   6.00%         6   6.00%         6  init  [app]\n"
		   "   4.00%         4   4.00%         4  [no call chain]\n"
		   "\n"
		   "# functions not shown: 3, 0.00% of self in all\n");
	free(p);
}

static void sorts(struct test *t)
{
	static const struct {
		enum view_order order;
		const char *words, *names;
	} rows[] = {
		{VIEW_BY_TOTAL, "most total first", "main f [libx.so] g init init [no "},
		{VIEW_BY_COUNT, "most often first", "main f [libx.so] g init init [no "},
		{VIEW_BY_NAME, "by name", "[libx.so] [no f g init init main "},
		{VIEW_BY_MODULE, "by module", "f init main g init [libx.so] [no "},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct view_settings settings = plain;
		struct profile *p = some_functions();
		char names[256] = "", *left, *text, *line;

		settings.function_order = rows[i].order;
		text = fake_print(p, &views[VIEW_FUNCTIONS], &settings);
		CHECK(t, strstr(text, rows[i].words));
		for (line = strtok_r(text, "\n", &left); line; line = strtok_r(NULL, "\n", &left))
			if (line[0] == ' ' && strlen(line) > 38)
				(void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%.*s ",
					       (int)strcspn(line + 38, " "), line + 38);
		if (!test_check(t, !strcmp(names, rows[i].names), "another order than expected"))
			printf("# got: %s\n# want: %s\n", names, rows[i].names);
		free(text);
		free(p);
	}
}

/* What was blocked, and what on run queues, are apart; the unit is that of the whole. */
static void divides_waits(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t offcpu = fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");

	fake_entry(p, offcpu, "a", 1, "main@app;read@app;pipe_read", 6000000);
	p->entries[0].run_queue = 1500000;
	p->entries[0].samples = 3;
	fake_entry(p, offcpu, "a", 1, "main@app;work@app", 2000000);
	p->entries[1].run_queue = 2000000;
	p->entries[1].samples = 1;
	fake_check(t, p, VIEW_FUNCTIONS, &plain,
		   "# offcpu: 8000000 waits, 8.0 ms in 5.00 s, kernel and user stacks\n"
		   "# 0.0 ms on run queues\n"
		   "# us of each function alone (self) and with all that it called (total), most self first\n"
		   "#   self   blocked run queue   total   blocked run queue     waits  function\n"
		   "  75.00%    4500.0    1500.0  75.00%    4500.0    1500.0         3  pipe_read  [kernel]\n"
		   "  25.00%       0.0    2000.0  25.00%       0.0    2000.0         1  work  [app]\n"
		   "\n"
		   "# functions not shown: 2, 0.00% of self in all\n");
	free(p);
}

static void limits_and_folds(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "ns");
	struct view_settings settings = plain;

	settings.max_groups = 1;
	settings.width = 68;
	settings.function_order = VIEW_BY_TOTAL;
	fake_entry(p, cpu, "a", 1, "std::map<int, std::string>::find@libx.so;b@b", 3000000000);
	p->entries[0].samples = 7000;
	fake_check(t, p, VIEW_FUNCTIONS, &settings,
		   "# cpu cpu-clock: 3000000000 samples, 3000.0 ms in 5.00 s, kernel and\n"
		   "  user stacks\n"
		   "# ms of each function alone (self) and with all that it called\n"
		   "  (total), most total first\n"
		   "#   self        ms   total        ms   samples  function\n"
		   " 100.00%    3000.0 100.00%    3000.0      7000  b  [b]\n"
		   "\n"
		   "# functions not shown: 1, 0.00% of self in all\n");
	settings.max_groups = 0;
	p->entries[0].samples = 2;
	fake_check(t, p, VIEW_FUNCTIONS, &settings,
		   "# cpu cpu-clock: 3000000000 samples, 3000.0 ms in 5.00 s, kernel and\n"
		   "  user stacks\n"
		   "# ms of each function alone (self) and with all that it called\n"
		   "  (total), most total first\n"
		   "#   self        ms   total        ms   samples  function\n"
		   " 100.00%    3000.0 100.00%    3000.0         2  b  [b]\n"
		   "   0.00%       0.0 100.00%    3000.0         2  std::map<int,\n"
		   "                                                std::string>::find\n"
		   "                                                [libx.so]\n"
		   "\n");
	free(p);
}

TEST_MAIN(TEST(counts_recursion_once), TEST(sorts), TEST(divides_waits), TEST(limits_and_folds))
