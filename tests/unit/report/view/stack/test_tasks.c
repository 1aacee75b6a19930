/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --tasks compared with hand-written text, in the form shown in rwalker's README. */
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

/* User frames below the kernel's; what is not there is said where it was asked for. */
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

/* The default is the tree for what was sampled and the tasks for what was walked. */
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

TEST_MAIN(TEST(prints_the_documented_form), TEST(dates_several_walks), TEST(prints_user_stacks),
	  TEST(chooses_by_source))
