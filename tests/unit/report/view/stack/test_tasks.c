/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --tasks compared with hand-written text, in the form shown in rwalker's README. */
#include "common/time_units.h"
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static struct profile *one_walk(void)
{
	struct profile *p = fake_profile();
	struct profile_walk_task *row;

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .seen = 100, .kept = 4};
	row = fake_walked(p, 0, "kworker/0:1", 12345, "D",
			  "kthread;btrfs_commit_transaction;rwsem_down_write_slowpath+0x20");
	row->wait = 5230000000;
	row->bound = PROFILE_WAIT_EXACT;
	row->iowait = true;
	row = fake_walked(p, 0, "dd", 77, "D (killable)",
			  "kthread;btrfs_commit_transaction;rwsem_down_write_slowpath+0x30");
	row->wait = 125000000;
	row->bound = PROFILE_WAIT_AT_LEAST;
	row->cpu = 1;
	row = fake_walked(p, 0, "burn", 80, "R", "");
	row->on_cpu = true;
	row->cpu = 1;
	row = fake_walked(p, 0, "sh", 78, "S", "do_wait");
	row->wait = 9000000;
	row->bound = PROFILE_WAIT_AT_MOST;
	p->sources[0].samples = p->sources[0].weight = 4;
	return p;
}

static const char documented[] =
	"# tasks: 4 of 100 that were seen, walks: 1\n"
	"\n"
	"comm burn pid 80 state R wait - queue CPU 1\n"
	"    [running on CPU 1]\n"
	"\n"
	"comm sh pid 78 state S wait ≤0.01 queue CPU 0\n"
	"    do_wait\n"
	"\n"
	"comm dd pid 77 state D (killable) wait ≥0.13 queue CPU 1 tgid 70\n"
	"    rwsem_down_write_slowpath\n"
	"    btrfs_commit_transaction\n"
	"    kthread\n"
	"\n"
	"comm kworker/0:1 pid 12345 state D wait 5.23 queue CPU 0 iowait\n"
	"    rwsem_down_write_slowpath\n"
	"    btrfs_commit_transaction\n"
	"    kthread\n"
	"\n"
	"# common stacks\n"
	"\n"
	"2 hits state D comms dd, kworker/0:1\n"
	"    rwsem_down_write_slowpath\n"
	"    btrfs_commit_transaction\n"
	"    kthread\n"
	"\n"
	"1 hit state R comms burn\n"
	"    [no kernel stack]\n"
	"\n"
	"1 hit state S comms sh\n"
	"    do_wait\n"
	"\n";

static void prints_the_documented_form(struct test *t)
{
	struct profile *p = one_walk();

	p->tasks[1].tgid = 70;
	fake_check(t, p, VIEW_TASKS, &plain, documented);
	free(p);
}

static void dates_several_walks(struct test *t)
{
	struct profile *p = fake_profile();

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	/* 1763715542 is 2025-11-21 08:59:02 UTC: date -u -d @1763715542 */
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .realtime = 1763715542000000000, .seen = 12};
	p->walks[p->walk_count++] = (struct profile_walk){.number = 2, .realtime = 1763715544999999999, .seen = 13};
	(void)fake_walked(p, 1, "a", 5, "R", "schedule+0x3");
	p->sources[0].samples = p->sources[0].weight = 1;
	fake_check(t, p, VIEW_TASKS, &plain,
		   "# tasks: 1 of 25 that were seen, walks: 2\n"
		   "\n"
		   "=== 2025-11-21 08:59:02 ===\n"
		   "\n"
		   "no task was found in this walk; 12 were seen\n"
		   "\n"
		   "=== 2025-11-21 08:59:04 ===\n"
		   "\n"
		   "comm a pid 5 state R wait - queue CPU 0\n"
		   "    schedule\n"
		   "\n"
		   "# common stacks\n"
		   "\n"
		   "1 hit state R comms a\n"
		   "    schedule\n"
		   "\n");
	free(p);
}

/* Four walks of one recording, a second apart, and a later one of another; "a" is in the third, "b" in the last. */
static struct profile *several_walks(void)
{
	struct profile *p = fake_profile();

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	for (uint32_t i = 0; i < 5; i++) /* the first at 23:59:58 */
		p->walks[p->walk_count++] = (struct profile_walk){
			.number = i + 1, .time = (i + 5) * SECOND, .scope = i == 4,
			.realtime = 1763683198000000000 + i * SECOND, .seen = 12};
	(void)fake_walked(p, 2, "a", 5, "R", "schedule+0x3");
	(void)fake_walked(p, 4, "b", 6, "R", "schedule+0x3");
	p->sources[0].samples = p->sources[0].weight = 2;
	return p;
}

static void check_moment(struct test *t, struct profile *p, struct profile_moment at, uint64_t around, const char *want)
{
	const struct view_settings settings = {.min_share = 2500, .filters = "", .at = at, .at_around = around};

	fake_check(t, p, VIEW_AT, &settings, want);
}

#define ALL "# tasks: 2 of 60 that were seen, walks: 5\n"
#define THIRD "=== 2025-11-21 00:00:00 ===\n\ncomm a pid 5 state R wait - queue CPU 0\n    schedule\n"
#define OTHER "=== 2025-11-21 00:00:02 ===\n\ncomm b pid 6 state R wait - queue CPU 0\n    schedule\n\n"

static void finds_the_nearest_walk(struct test *t)
{
	struct profile *p = several_walks();

	check_moment(t, p, (struct profile_moment){PROFILE_MOMENT_OFFSET, 2400000000}, 0,
		     ALL "\n# walk 3 of 4, from +2.00 s on, 400.000 ms before that moment\n" THIRD
		     "\n# walk 1 of 1, from +0.00 s on, 2.400 s before that moment\n" OTHER);
	check_moment(t, p, (struct profile_moment){PROFILE_MOMENT_WALL, 1763683199700000000}, 0,
		     ALL "\n# walk 3 of 4, from +2.00 s on, 300.000 ms after that moment\n" THIRD
		     "\n# walk 1 of 1, from +0.00 s on, 2.300 s after that moment\n" OTHER);
	check_moment(t, p, (struct profile_moment){PROFILE_MOMENT_DAYTIME, 86399700000000}, 400000000,
		     ALL "\n# walk 3 of 4, from +2.00 s on, 300.000 ms after that moment\n" THIRD
		     "\n# walk 1 of 1, from +0.00 s on, 2.300 s after that moment\n" OTHER);
	free(p);
}

static void finds_walks_around(struct test *t)
{
	struct profile *p = several_walks();

	p->walk_count = 3;
	p->walk_task_count = 1;
	check_moment(t, p, (struct profile_moment){PROFILE_MOMENT_OFFSET, 1600000000}, 600000000,
		     "# tasks: 2 of 36 that were seen, walks: 3\n"
		     "\n# walk 2 of 3, from +1.00 s on, 600.000 ms before that moment\n"
		     "=== 2025-11-20 23:59:59 ===\n\nno task was found in this walk; 12 were seen\n"
		     "\n# walk 3 of 3, from +2.00 s on, 400.000 ms after that moment\n" THIRD "\n");
	for (size_t i = 0; i < 3; i++)
		p->walks[i].realtime = 0;
	check_moment(t, p, (struct profile_moment){PROFILE_MOMENT_WALL, 1763683199700000000}, 0,
		     "# tasks: 2 of 36 that were seen, walks: 3\n"
		     "\n# it is not known when that was: the walks have no dates\n\n");
	free(p);
}

static void check_head(struct test *t, struct profile *profile, const struct view_settings *settings, const char *want)
{
	char *got = fake_print(profile, &views[VIEW_TASKS], settings);

	if (!test_check(t, !strncmp(got, want, strlen(want)), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
	free(got);
}

static const char user_and_kernel[] =
	"# tasks: 3 of 9 that were seen, walks: 1\n"
	"\n"
	"comm both pid 1 state D wait - queue CPU 0\n"
	"    schedule\n"
	"    ksys_write\n"
	"    write\n"
	"    main\n"
	"\n"
	"comm locked pid 2 state D wait - queue CPU 0\n"
	"    down_read\n"
	"    [no user stack: its memory was locked]\n"
	"\n"
	"comm deep pid 3 state S wait - queue CPU 0\n"
	"    [no kernel stack]\n"
	"    f\n"
	"    f\n"
	"    [user stack cut]\n";

static const char user_only[] =
	"# tasks: 2 of 9 that were seen, walks: 1\n"
	"\n"
	"comm locked pid 2 state D wait - queue CPU 0\n"
	"    [no user frames]\n"
	"    [no user stack: its memory was locked]\n"
	"\n"
	"comm deep pid 3 state D wait - queue CPU 0\n"
	"    f\n"
	"    f\n"
	"    [user stack cut]\n";

/* User frames are below the kernel's; if they were requested and are missing, the view says so. */
static void prints_user_stacks(struct test *t)
{
	const struct view_settings user = {.min_share = 2500, .filters = "", .user_only = true};
	struct profile *p = fake_profile();
	struct profile_walk_task *row;

	(void)fake_source(p, PROFILE_TASKS, "tasks", "samples");
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .seen = 9};
	(void)fake_walked(p, 0, "both", 1, "D", "main@a;write@libc;ksys_write;schedule");
	row = fake_walked(p, 0, "locked", 2, "D", "down_read");
	row->no_user = "its memory was locked";
	row->flags = CHAIN_USER_MISSING;
	row = fake_walked(p, 0, "deep", 3, "S", "f@a;f@a");
	row->flags = CHAIN_USER_TRUNCATED;
	p->sources[0].samples = p->sources[0].weight = 3;
	check_head(t, p, &plain, user_and_kernel);
	p->walk_tasks[0] = p->walk_tasks[2];
	(void)memcpy(p->walk_tasks[0].state, "D", 2);
	p->walk_tasks[1].node = 0;
	p->walk_task_count = 2;
	p->sources[0].samples = p->sources[0].weight = 2;
	check_head(t, p, &user, user_only);
	free(p);
}

/* The default is the tree for samples and the list of tasks for walks. */
static void chooses_by_source(struct test *t)
{
	struct profile *p = one_walk();
	char *text;

	p->sources[1] = p->sources[0];
	p->sources[0] = (struct profile_source){.kind = PROFILE_CPU, .name = "cpu-clock", .weight_unit = "samples"};
	p->source_count = 2;
	fake_entry(p, 0, "a", 1, "f@x+0x1", 10);
	text = fake_print(p, NULL, &plain);
	CHECK(t, strstr(text, ">>> 100.00%  f  Comms: a\n"));
	CHECK(t, strstr(text, "comm burn pid 80 state R"));
	CHECK(t, strstr(text, ">>>") < strstr(text, "comm burn"));
	free(text);
	free(p);
}

TEST_MAIN(TEST(prints_the_documented_form), TEST(dates_several_walks),
	  TEST(finds_the_nearest_walk), TEST(finds_walks_around), TEST(prints_user_stacks),
	  TEST(chooses_by_source))
