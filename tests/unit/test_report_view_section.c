/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which sections a report has. */
#include "tests/unit/fake_waits.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

/* Two sources of one trace: of the one that was not asked for not a word. */
static void shows_what_was_asked_for(struct test *t)
{
	static const char waits[] = "# offcpu: 1 waits, 3.0 ms in 5.00 s, kernel and user stacks\n"
				    "# blocked 3.0 ms (1); 0.0 ms on run queues\n",
			  wakers[] = "# wakers: 2 waits, 0.0 ms in 5.00 s, kernel and user stacks\n";
	struct profile *p = fake_profile();
	struct view_settings settings = plain;
	char *text;

	(void)fake_recording(p, 0, 5000000000);
	(void)fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");
	(void)fake_wait(p, "app", 7, "poll;schedule", 0, 3000000);
	(void)fake_source(p, PROFILE_WAKERS, "wakers", "ns");
	fake_entry(p, 1, "dd", 9, "pipe_write;try_to_wake_up", 2);
	text = fake_print(p, &views[VIEW_TREE], &settings);
	CHECK(t, strstr(text, waits) && strstr(text, wakers));
	free(text);
	p->sources[1].left_out = true;
	text = fake_print(p, NULL, &settings);
	CHECK(t, strstr(text, waits) && !strstr(text, "# wakers"));
	free(text);
	p->sources[0].left_out = true;
	p->sources[1].left_out = false;
	text = fake_print(p, &views[VIEW_TREE], &settings);
	CHECK(t, !strstr(text, "# offcpu") && strstr(text, wakers));
	free(text);
	p->sources[1].left_out = true;
	settings.filters = "--source cpu";
	fake_check(t, p, VIEW_TREE, &settings,
		   "# nothing to show: the filters or --tree have no use for what is here: offcpu, wakers; filters: --source cpu\n");
	free(p);
}

TEST_MAIN(TEST(shows_what_was_asked_for))
