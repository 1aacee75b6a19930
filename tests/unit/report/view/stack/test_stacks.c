/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --stacks, --folded and --histogram against texts written by hand. */
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static struct profile *some_stacks(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "dd", 7, "main@dd+0x5;read@libc.so.6+0x1;vfs_read+0x7", 3);
	fake_entry(p, cpu, "dd", 7, "main@dd+0x6;read@libc.so.6+0x1;vfs_read+0x8", 4);
	fake_entry(p, cpu, "dd", 8, "main@dd+0x6;read@libc.so.6+0x1;vfs_read+0x9", 10);
	fake_entry(p, cpu, "cat", 9, "main@cat;?@libc.so.6+0x20", 2);
	fake_entry(p, cpu, "cat", 9, "", 1);
	return p;
}

static void folds(struct test *t)
{
	struct profile *p = some_stacks();

	fake_check(t, p, VIEW_FOLDED, &plain,
		   "cat;[no call chain] 1\n"
		   "cat;main;[libc.so.6] 2\n"
		   "dd;main;read;vfs_read 17\n");
	free(p);
}

static void folds_with_offsets_and_delimiter(struct test *t)
{
	struct profile *p = some_stacks();
	struct view_settings settings = plain;

	settings.offsets = settings.delimited = settings.per_process = true;
	fake_check(t, p, VIEW_FOLDED, &settings,
		   "cat-9;[no call chain] 1\n"
		   "cat-9;main+0x0;[libc.so.6]+0x1020 2\n"
		   "dd-7;main+0x5;read+0x1;-;vfs_read+0x7 3\n"
		   "dd-7;main+0x6;read+0x1;-;vfs_read+0x8 4\n"
		   "dd-8;main+0x6;read+0x1;-;vfs_read+0x9 10\n");
	free(p);
}

/* A ';' in a name is no separator. */
static void keeps_folded_lines_whole(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a;b", 1, "f@x", 1);
	fake_entry(p, cpu, "a\nb", 2, "f@x", 2);
	p->symbols[1].name = "operator;";
	fake_check(t, p, VIEW_FOLDED, &plain,
		   "a\\x3bb;f 1\n"
		   "a\\x0ab;operator\\x3b 2\n");
	free(p);
}

/* Times are folded in microseconds, as bcc does. */
static void folds_waits(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t offcpu = fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");

	fake_entry(p, offcpu, "a", 1, "schedule", 123456789);
	fake_check(t, p, VIEW_FOLDED, &plain, "a;schedule 123456\n");
	free(p);
}

static void lists_stacks_least_first(struct test *t)
{
	struct profile *p = some_stacks();

	fake_check(t, p, VIEW_STACKS, &plain,
		   "# cpu cpu-clock: 20 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "    [no call chain]\n"
		   "    -                cat\n"
		   "        1\n"
		   "\n"
		   "    [libc.so.6]+0x1020\n"
		   "    main [cat]\n"
		   "    -                cat\n"
		   "        2\n"
		   "\n"
		   "    vfs_read\n"
		   "    read\n"
		   "    main [dd]\n"
		   "    -                dd\n"
		   "        17\n"
		   "\n");
	free(p);
}

static void splits_stacks(struct test *t)
{
	struct profile *p = some_stacks();
	struct view_settings settings = plain;

	settings.delimited = settings.per_process = settings.addresses = true;
	p->entry_count = 2;
	p->frames[0].run_time_address = 0x55d000001005;
	fake_check(t, p, VIEW_STACKS, &settings,
		   "# cpu cpu-clock: 20 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "    0x0000000000001007 vfs_read+0x7 [kernel]\n"
		   "    --\n"
		   "    0x0000000000001001 read+0x1 [libc.so.6]\n"
		   "    0x000055d000001005 main+0x5 [dd]\n"
		   "    -                dd (7)\n"
		   "        3\n"
		   "\n"
		   "    0x0000000000001008 vfs_read+0x8 [kernel]\n"
		   "    --\n"
		   "    0x0000000000001001 read+0x1 [libc.so.6]\n"
		   "    0x0000000000001006 main+0x6 [dd]\n"
		   "    -                dd (7)\n"
		   "        4\n"
		   "\n");
	free(p);
}

static void counts_common_stacks(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 1, "g@x;f7@x;f6@x;f5@x;f4@x;f3@x;f2@x;f1@x", 600);
	fake_entry(p, cpu, "b", 2, "h@x;f7@x;f6@x;f5@x;f4@x;f3@x;f2@x;f1@x", 300);
	fake_entry(p, cpu, "b", 2, "short@x", 98);
	fake_entry(p, cpu, "b", 2, "rare@x", 2);
	fake_check(t, p, VIEW_HISTOGRAM, &plain,
		   "# cpu cpu-clock: 1000 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "900 hits 90.00% comms a, b\n"
		   "    f1\n"
		   "    f2\n"
		   "    f3\n"
		   "    f4\n"
		   "    f5\n"
		   "    f6\n"
		   "    ...\n"
		   "\n"
		   "98 hits 9.80% comms b\n"
		   "    short\n"
		   "\n"
		   "# stacks not shown: 1, 0.20% in all\n"
		   "\n");
	free(p);
}

static void refuses_to_fold_two_sources(struct test *t)
{
	struct profile *p = fake_profile();
	struct view_context context = {.profile = p, .settings = &plain, .out = stdout};
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples"), offcpu;

	fake_entry(p, cpu, "a", 1, "f@x", 1);
	offcpu = fake_source(p, PROFILE_OFFCPU, "offcpu", "ns");
	fake_check(t, p, VIEW_FOLDED, &plain, "a;f 1\n"); /* the other one is empty */
	fake_entry(p, offcpu, "a", 1, "f@x", 1000);
	CHECK_INT(t, views_print(&context, &views[VIEW_FOLDED]), -EINVAL);
	free(p);
}

TEST_MAIN(TEST(folds), TEST(folds_with_offsets_and_delimiter), TEST(keeps_folded_lines_whole), TEST(folds_waits),
	  TEST(lists_stacks_least_first), TEST(splits_stacks), TEST(counts_common_stacks),
	  TEST(refuses_to_fold_two_sources))
