/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which headings a report has. */
#include "tests/unit/report/view/fake_waits.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static struct profile *two_sources(void)
{
	struct profile *p = fake_profile();

	(void)fake_recording(p, 0, 5000000000);
	(void)fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");
	(void)fake_wait(p, "app", 7, "poll;schedule", 0, 3000000);
	(void)fake_source(p, PROFILE_WAKERS, "wakers", "ns");
	fake_entry(p, 1, "dd", 9, "pipe_write;try_to_wake_up", 2);
	return p;
}

/* Two sources of one trace: nothing is printed about the one that was not requested. */
static void shows_what_was_asked_for(struct test *t)
{
	static const char waits[] = "# offcpu: 1 wait, 3.0 ms in 5.00 s, kernel and user stacks\n"
				    "# blocked 3.0 ms (1); 0.0 ms on run queues\n",
			  wakers[] = "# wakers: 2 waits, 0.0 ms in 5.00 s, kernel and user stacks\n";
	struct profile *p = two_sources();
	struct view_settings settings = plain;
	char *text;

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
		   "# nothing to show: the filters or --tree have no use for what is here: "
		   "offcpu, wakers; filters: --source cpu\n");
	free(p);
}

static const char *notes_of(const char *text)
{
	const char *note = strstr(text, "# first");

	return note ? note : "";
}

/* The first three notes that concern what is shown; the rest is counted. */
static void notes_what_is_shown(struct test *t)
{
	static const struct {
		enum view_kind view;
		bool user_only, kernel_only;
		const char *want;
	} cases[] = {
		{VIEW_TREE, false, false,
		 "# first\n# kernel; do this\n# user\n# 2 more notes: rwalker-report --info\n"},
		{VIEW_TREE, true, false, "# first\n# user\n# stacks\n# 1 more note: rwalker-report --info\n"},
		{VIEW_TREE, false, true,
		 "# first\n# kernel; do this\n# stacks\n# 1 more note: rwalker-report --info\n"},
		{VIEW_SUMMARY, false, false, "# first\n# last\n"},
	};
	struct profile *p = two_sources();

	fake_note(p, "first", 0);
	fake_note(p, "sampling", ABOUT_SAMPLING);
	fake_note(p, "kernel; do this", ABOUT_KERNEL_STACKS);
	fake_note(p, "user", ABOUT_USER_STACKS);
	fake_note(p, "stacks", ABOUT_STACKS);
	fake_note(p, "last", 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct view_settings settings = plain;
		char *text;

		settings.user_only = cases[i].user_only;
		settings.kernel_only = cases[i].kernel_only;
		text = fake_print(p, &views[cases[i].view], &settings);
		if (!test_check(t, !strcmp(notes_of(text), cases[i].want), "case %zu has other notes", i))
			printf("# got:\n%s# want:\n%s", notes_of(text), cases[i].want);
		free(text);
	}
	free(p);
}

TEST_MAIN(TEST(shows_what_was_asked_for), TEST(notes_what_is_shown))
