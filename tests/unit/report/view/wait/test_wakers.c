/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --wakers and --folded --wakers, and what --folded prints for waits, compared with hand-written
 * text after bcc 0.26.
 */
#include "report/view/wait/wake_pairs.h"
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

#define LOCK "main@app+0x1;lock@app+0x2;futex_wait+0x3;schedule+0x4"
#define UNLOCK "main@app+0x5;unlock@app+0x6;futex_wake+0x7;try_to_wake_up+0x8"

/* Two waits for a lock, from different addresses; two for a disk, whose interrupts hit different tasks. */
static struct profile *some_waits(void)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = fake_wait(p, "app", 7, LOCK, 100 * MS, 103 * MS);
	fake_waker(p, wait, "other", 8, UNLOCK, 102 * MS);
	wait = fake_wait(p, "app", 7, "main@app+0x1;lock@app+0x9;futex_wait+0x3;schedule+0x4", 200 * MS, 204 * MS);
	fake_waker(p, wait, "other", 8, UNLOCK, 204 * MS);
	wait = fake_wait(p, "app", 7, "main@app;read@libc.so.6;io_schedule", 300 * MS, 301 * MS);
	fake_waker(p, wait, "swapper/0", 0, "do_idle;asm_common_interrupt;blk_done", 301 * MS);
	wait->waker_context = PROFILE_WAKER_IRQ;
	wait = fake_wait(p, "app", 7, "main@app;read@libc.so.6;io_schedule", 400 * MS, 402 * MS);
	fake_waker(p, wait, "dd", 9, "burn@dd;do_idle;asm_common_interrupt;blk_done", 402 * MS);
	wait->waker_context = PROFILE_WAKER_IRQ;
	return p;
}

static void shows_both_stacks(struct test *t)
{
	struct profile *p = some_waits();

	fake_check_printed(t, p, wakers_view, &plain,
			   "\n"
			   "    waker:           irq [interrupted dd, swapper/0]\n"
			   "    do_idle\n"
			   "    asm_common_interrupt\n"
			   "    blk_done\n"
			   "    --               --\n"
			   "    io_schedule\n"
			   "    read\n"
			   "    main\n"
			   "    target:          app\n"
			   "        3000\n"
			   "\n"
			   "    waker:           other\n"
			   "    main\n"
			   "    unlock\n"
			   "    futex_wake\n"
			   "    try_to_wake_up\n"
			   "    --               --\n"
			   "    schedule\n"
			   "    futex_wait\n"
			   "    lock\n"
			   "    main\n"
			   "    target:          app\n"
			   "        7000\n"
			   "\n");
	free(p);
}

static void shows_addresses_and_parts(struct test *t)
{
	struct profile *p = some_waits();
	struct view_settings settings = plain;

	settings.addresses = settings.delimited = settings.per_process = true;
	p->wait_count = 1;
	fake_check_printed(t, p, wakers_view, &settings,
			   "\n"
			   "    waker:           other 8\n"
			   "    0x0000000000001005 main+0x5 [app]\n"
			   "    0x0000000000001006 unlock+0x6 [app]\n"
			   "    -\n"
			   "    0x0000000000001007 futex_wake+0x7 [kernel]\n"
			   "    0x0000000000001008 try_to_wake_up+0x8 [kernel]\n"
			   "    --               --\n"
			   "    0x0000000000001004 schedule+0x4 [kernel]\n"
			   "    0x0000000000001003 futex_wait+0x3 [kernel]\n"
			   "    -\n"
			   "    0x0000000000001002 lock+0x2 [app]\n"
			   "    0x0000000000001001 main+0x1 [app]\n"
			   "    target:          app 7\n"
			   "        3000\n"
			   "\n");
	free(p);
}

static void keeps_offsets_apart(struct test *t)
{
	struct profile *p = some_waits();
	struct view_settings settings = plain;

	settings.offsets = true;
	/* The fake makes two frames of one, so equal offsets would be two stacks as well. */
	p->wait_count = 1;
	fake_check_printed(t, p, wakers_view, &settings,
			   "\n"
			   "    waker:           other\n"
			   "    main+0x5\n"
			   "    unlock+0x6\n"
			   "    futex_wake+0x7\n"
			   "    try_to_wake_up+0x8\n"
			   "    --               --\n"
			   "    schedule+0x4\n"
			   "    futex_wait+0x3\n"
			   "    lock+0x2\n"
			   "    main+0x1\n"
			   "    target:          app\n"
			   "        3000\n"
			   "\n");
	free(p);
}

static const char unknown_wakers[] =
	"\n"
	"    waker:           softirq\n"
	"    [no call chain]\n"
	"    --               --\n"
	"    [Missed User Stack]\n"
	"    target:          app\n"
	"        1000\n"
	"\n"
	"    waker:           other [context not known]\n"
	"    [no call chain]\n"
	"    --               --\n"
	"    schedule\n"
	"    target:          app\n"
	"        2000\n"
	"\n"
	"# no waker is known of 4 waits, 18.0 ms in all (blocked: 1, preempted: 2, not ended: 1)\n";

/* A softirq without a stack, a waker in an unknown context, and waits whose waker is unknown. */
static void says_what_is_not_known(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = fake_wait(p, "app", 7, "", 0, 1 * MS);
	wait->chain_flags = CHAIN_USER_MISSING;
	wait->waker_context = PROFILE_WAKER_SOFTIRQ; /* of an unknown task */
	wait = fake_wait(p, "app", 7, "schedule", 100 * MS, 102 * MS);
	fake_waker(p, wait, "other", 8, "", 102 * MS);
	wait->waker_context = PROFILE_WAKER_UNKNOWN;
	(void)fake_wait(p, "app", 7, "schedule", 200 * MS, 203 * MS);
	fake_wait(p, "app", 7, "schedule", 300 * MS, 304 * MS)->wait_class = PROFILE_PREEMPTED;
	fake_wait(p, "app", 7, "schedule", 400 * MS, 405 * MS)->wait_class = PROFILE_PREEMPTED;
	wait = fake_wait(p, "app", 7, "schedule", 500 * MS, 506 * MS);
	wait->flags = PROFILE_WAIT_NOT_ENDED;
	fake_check_printed(t, p, wakers_view, &plain, unknown_wakers);
	free(p);
}

/* The other source's waits are not this one's. */
static void shows_one_source(struct test *t)
{
	struct profile *p = some_waits();

	(void)fake_source(p, PROFILE_OFFCPU, "other", "ns");
	for (size_t i = 0; i < p->wait_count; i++)
		p->waits[i].source = 1;
	fake_check_printed(t, p, wakers_view, &plain, "");
	fake_check_printed(t, p, folded_wakers_view, &plain, "");
	free(p);
}

static void folds_pairs(struct test *t)
{
	struct profile *p = some_waits();

	fake_check_printed(t, p, folded_wakers_view, &plain,
			   "app;main;read;io_schedule;--;blk_done;asm_common_interrupt;do_idle;irq 3000\n"
			   "app;main;lock;futex_wait;schedule;--;try_to_wake_up;futex_wake;unlock;main;other 7000\n");
	free(p);
}

static void folds_pairs_with_all(struct test *t)
{
	struct profile *p = some_waits();
	struct view_settings settings = plain;

	settings.offsets = settings.delimited = settings.per_process = true;
	p->wait_count = 1;
	fake_check_printed(t, p, folded_wakers_view, &settings,
			   "app-7;main+0x1;lock+0x2;-;futex_wait+0x3;schedule+0x4;--;"
			   "try_to_wake_up+0x8;futex_wake+0x7;-;unlock+0x6;main+0x5;other-8 3000\n");
	free(p);
}

/* The filter has removed the frames: -U, -K. */
static void folds_parts(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;
	struct profile_wait *wait;

	settings.delimited = settings.user_only = true;
	wait = fake_wait(p, "app", 7, "main@app;lock@app", 100 * MS, 103 * MS);
	fake_waker(p, wait, "other", 8, "main@app;unlock@app", 102 * MS);
	wait = fake_wait(p, "kworker", 9, "", 100 * MS, 104 * MS);
	fake_waker(p, wait, "rcu", 10, "", 102 * MS);
	wait = fake_wait(p, "missed", 11, "", 100 * MS, 105 * MS);
	wait->chain_flags = CHAIN_USER_MISSING;
	fake_waker(p, wait, "other", 8, "", 102 * MS);
	fake_check_printed(t, p, folded_wakers_view, &settings,
			   "app;main;lock;--;unlock;main;other 3000\n"
			   "kworker;--;rcu 4000\n"
			   "missed;[Missed User Stack];--;other 5000\n");
	settings.user_only = false;
	settings.kernel_only = true;
	fake_check_printed(t, p, folded_wakers_view, &settings,
			   "app;main;lock;[Missed Kernel Stack];--;[Missed Kernel Stack];unlock;main;other 3000\n"
			   "kworker;[Missed Kernel Stack];--;[Missed Kernel Stack];rcu 4000\n"
			   "missed;[Missed Kernel Stack];--;[Missed Kernel Stack];other 5000\n");
	free(p);
}

/* As bcc prints it: the waker's part is empty. */
static void folds_what_nobody_ended(struct test *t)
{
	struct profile *p = fake_recorded();

	fake_wait(p, "app", 7, "main@app;preempt_schedule", 0, 2 * MS)->wait_class = PROFILE_PREEMPTED;
	fake_check_printed(t, p, folded_wakers_view, &plain, "app;main;preempt_schedule;--; 2000\n");
	free(p);
}

/* offcputime's lines: what is missing is reported, what cannot exist is left out, threads with one comm are one. */
static void folds_waits_as_offcputime(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;

	fake_entry(p, 0, "app", 1, "main@app;read@libc.so.6;do_read;schedule", 1000000);
	fake_entry(p, 0, "app", 2, "main@app;read@libc.so.6;do_read;schedule", 1000000);
	fake_entry(p, 0, "kworker", 3, "ret_from_fork;schedule", 3000000);
	fake_entry(p, 0, "lost", 4, "do_read;schedule", 4000000);
	p->entries[p->entry_count - 1].flags = CHAIN_USER_MISSING;
	fake_entry(p, 0, "lost", 4, "do_read;schedule", 5000000);
	fake_entry(p, 0, "void", 5, "", 6000000);
	settings.delimited = true;
	fake_check_printed(t, p, folded_view, &settings,
			   "app;main;read;-;do_read;schedule 2000\n"
			   "kworker;ret_from_fork;schedule 3000\n"
			   "lost;[Missed User Stack];do_read;schedule 4000\n"
			   "lost;do_read;schedule 5000\n"
			   "void;[Missed Kernel Stack] 6000\n");
	settings.kernel_only = true;
	p->entry_count = 5;
	fake_check_printed(t, p, folded_view, &settings,
			   "app;main;read;-;do_read;schedule 2000\n"
			   "kworker;ret_from_fork;schedule 3000\n"
			   "lost;do_read;schedule 9000\n");
	free(p);
}

/* -U leaves only the name of kernel threads. */
static void folds_user_parts_as_offcputime(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;

	settings.user_only = true;
	fake_entry(p, 0, "app", 1, "main@app;read@libc.so.6", 1000000);
	fake_entry(p, 0, "kworker", 3, "", 2000000);
	fake_check_printed(t, p, folded_view, &settings, "app;main;read 1000\nkworker 2000\n");
	free(p);
}

/* A line stays a line, and a word a word. */
static void folds_evil_names(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = fake_wait(p, "a;b\n", 1, "f@x;schedule", 0, 1 * MS);

	fake_waker(p, wait, "c\033[31m;", 2, "g@x;wake", 1 * MS);
	fake_check_printed(t, p, folded_wakers_view, &plain,
			   "a\\x3bb\\x0a;f;schedule;--;wake;g;c\\x1b[31m\\x3b 1000\n");
	fake_check_printed(t, p, wakers_view, &plain,
			   "\n"
			   "    waker:           c\\x1b[31m;\n"
			   "    g\n"
			   "    wake\n"
			   "    --               --\n"
			   "    schedule\n"
			   "    f\n"
			   "    target:          a;b\\x0a\n"
			   "        1000\n"
			   "\n");
	free(p);
}

static const char interrupted[] =
	"\n"
	"    waker:           irq [interrupted dd, sh, cat]\n"
	"    do_idle\n"
	"    asm_common_interrupt\n"
	"    blk_done\n"
	"    --               --\n"
	"    schedule\n"
	"    poll\n"
	"    target:          app\n"
	"        14000\n"
	"\n"
	"    waker:           irq [interrupted dd, cat, sh]\n"
	"    do_idle\n"
	"    asm_common_interrupt\n"
	"    net_rx\n"
	"    --               --\n"
	"    schedule\n"
	"    poll\n"
	"    target:          app\n"
	"        26000\n"
	"\n";

/* Pairs whose interrupts hit many tasks, in whatever order they occurred. */
static void lists_whom_interrupts_came_upon(struct test *t)
{
	static const char *const chains[] = {"do_idle;asm_common_interrupt;net_rx",
					     "do_idle;asm_common_interrupt;blk_done"};
	struct profile *p = fake_recorded();

	for (uint64_t i = 0; i < 40; i++) {
		struct profile_wait *wait = fake_wait(p, "app", 7, "poll;schedule", i * 10 * MS, (i * 10 + 1) * MS);

		fake_waker(p, wait, i % 4 < 2 ? "dd" : i % 4 == 2 ? "cat" : "sh",
			   (uint32_t)(8 + i % 4), chains[i % 3 == 0], wait->in);
		wait->waker_context = PROFILE_WAKER_IRQ;
	}
	fake_check_printed(t, p, wakers_view, &plain, interrupted);
	free(p);
}

/* A million pairs are held: each may cost at most this much. */
static void keeps_pairs_small(struct test *t)
{
	CHECK(t, sizeof(struct wake_pair) <= 16);
	CHECK(t, sizeof(struct wake_interrupted) <= 16);
}

static void refuses(struct test *t, struct profile *p, struct profile_wait spoilt, const char *what)
{
	fake_check_refused(t, p, wakers_view, &plain, spoilt, what);
	fake_check_refused(t, p, folded_wakers_view, &plain, spoilt, what);
	fake_check_refused(t, p, chains_view, &plain, spoilt, what);
}

static void refuses_contradictions(struct test *t)
{
	struct profile *p = some_waits();
	const struct profile_wait sound = p->waits[p->wait_count - 1];
	struct profile_wait wait = sound;

	wait.task = (uint32_t)p->task_count;
	refuses(t, p, wait, "a task that is not there");
	wait = sound;
	wait.waker = (uint32_t)p->task_count;
	refuses(t, p, wait, "a waker that is not there");
	wait = sound;
	wait.node = (uint32_t)p->node_count;
	refuses(t, p, wait, "a call chain that is not there");
	wait = sound;
	wait.waker_node = (uint32_t)p->node_count;
	refuses(t, p, wait, "a waker's call chain that is not there");
	wait = sound;
	wait.in = wait.out - 1;
	refuses(t, p, wait, "a wait that ends before it begins");
	p->nodes[sound.node].parent = sound.node;
	refuses(t, p, sound, "a call chain that bites its tail");
	free(p);
}

TEST_MAIN(TEST(shows_both_stacks), TEST(shows_addresses_and_parts), TEST(keeps_offsets_apart),
	  TEST(says_what_is_not_known), TEST(shows_one_source), TEST(folds_pairs),
	  TEST(folds_pairs_with_all), TEST(folds_parts), TEST(folds_what_nobody_ended),
	  TEST(folds_waits_as_offcputime), TEST(folds_user_parts_as_offcputime),
	  TEST(folds_evil_names), TEST(lists_whom_interrupts_came_upon), TEST(keeps_pairs_small),
	  TEST(refuses_contradictions))
