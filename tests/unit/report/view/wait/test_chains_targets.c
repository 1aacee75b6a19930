/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which threads' waits --chains follows, and to which threads. */
#include "tests/unit/report/view/wait/three_hops.h"

/* Nobody holds a sleeper, unless it then waits longer for a CPU; a user who names a thread wants all of its waits. */
static void leaves_out_timers(struct test *t)
{
	static const struct {
		bool named, starved, followed;
	} cases[] = {{false, false, false}, {false, true, true}, {true, false, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = three_hops();
		struct view_settings settings = longest;
		char *text;

		settings.names_tasks = cases[i].named;
		p->waits[2].run_queue = cases[i].starved ? 161 * MS : 160 * MS;
		CHECK_INT(t, fake_view(p, chains_view, &settings, &text), 0);
		test_check(t, !!strstr(text, "# followed: 3 waits") == cases[i].followed, "case %zu: %s", i, text);
		test_check(t, !!strstr(text, "as a timer ended them: 1 wait,") != cases[i].followed, "case %zu: %s", i,
			   text);
		free(text);
		free(p);
	}
}

/* Waits that do not pass filters are no targets, but may be on the way; nor are those of kernel threads, set apart. */
static void follows_into_everyone(struct test *t)
{
	static const uint8_t beside[] = {PROFILE_WAIT_UNASKED, PROFILE_WAIT_APART};

	for (size_t i = 0; i < sizeof(beside); i++) {
		struct profile *p = three_hops();
		char *text;

		p->waits[1].flags = p->waits[2].flags = beside[i];
		for (size_t k = 1; k < 3; k++)
			p->tasks[p->waits[k].task].kernel_thread = beside[i] == PROFILE_WAIT_APART;
		CHECK_INT(t, fake_view(p, chains_view, &longest, &text), 0);
		CHECK(t, strstr(text, "# followed: 1 wait, 300.0 ms;") && !strstr(text, "not among them"));
		CHECK(t, strstr(text, "woken by C in pipe_write (produce), which was blocked in do_nanosleep "));
		free(text);
		free(p);
	}
}

TEST_MAIN(TEST(leaves_out_timers), TEST(follows_into_everyone))
