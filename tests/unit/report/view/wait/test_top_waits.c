/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --top-waits against texts written by hand. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static const char *const dd_chain = "main@dd;read@libc.so.6;vfs_read;io_schedule;schedule";

/* Three waits of dd, the last of them long; one of cat. */
static struct profile *some_waits(void)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	(void)fake_wait(p, "dd", 7, dd_chain, BOOT + 100 * MS, BOOT + 100 * MS + 1500000);
	(void)fake_wait(p, "dd", 7, dd_chain, BOOT + 200 * MS, BOOT + 200 * MS + 2600000);
	wait = fake_wait(p, "dd", 7, dd_chain, BOOT + 2503 * MS + 123456, BOOT + 3006 * MS + 246456);
	fake_waker(p, wait, "kworker/0:1", 12, "", wait->in - 12345);
	wait->state = 2;
	wait->flags = PROFILE_WAIT_IOWAIT;
	wait->in_cpu = 1;
	p->tasks[0].tgid = 5;
	wait = fake_wait(p, "cat", 9, "nanosleep;schedule", BOOT + 1 * SECOND, BOOT + 1 * SECOND + 850);
	wait->wait_class = PROFILE_PREEMPTED;
	wait->state = 0;
	wait->run_queue = 850;
	return p;
}

/* 1 ms, 2 ms ... 100 ms, given in another order. */
static void takes_percentiles_by_nearest_rank(struct test *t)
{
	struct profile *p = fake_recorded();

	for (unsigned int i = 0; i < 100; i++) {
		uint64_t out = BOOT + i * SECOND / 10;

		(void)fake_wait(p, "a", 1, "f", out, out + ((uint64_t)i * 37 % 100 + 1) * MS);
	}
	fake_check_printed(t, p, top_waits_view, &plain,
			   "\n"
			   "    f\n"
			   "    -                a\n"
			   "        longest 100.000 ms, from 2026-11-21 12:00:02.700000 UTC, +2.700000 s\n"
			   "        tid 1 pid 1, CPU 0, S, blocked\n"
			   "        woken, by whom is not known, ran from +2.800000 s on\n"
			   "        100 waits, 5.050 s in all, p50 50.000 ms, p99 99.000 ms\n"
			   "        state S 100.00%; blocked 100.00%\n"
			   "     usecs               : count     distribution\n"
			   "       512 -> 1023       : 1        |*                                       |\n"
			   "      1024 -> 2047       : 1        |*                                       |\n"
			   "      2048 -> 4095       : 2        |**                                      |\n"
			   "      4096 -> 8191       : 4        |****                                    |\n"
			   "      8192 -> 16383      : 8        |*********                               |\n"
			   "     16384 -> 32767      : 16       |******************                      |\n"
			   "     32768 -> 65535      : 33       |*************************************   |\n"
			   "     65536 -> 131071     : 35       |****************************************|\n"
			   "\n");
	free(p);
}

static const char bounds[] =
	"\n    f\n    -                a\n%s        state S 100.00%%; blocked 100.00%%\n\n";

/* Lengths are whole, also where the wait began before the recording; the earlier of two equal ones is shown. */
static void marks_what_is_a_bound(struct test *t)
{
	static const struct {
		uint8_t flags;
		uint64_t out, in; /* from the recording's start + 10 s */
		const char *text;
	} cases[] = {
		{PROFILE_WAIT_BEGAN_BEFORE, 7 * SECOND, 12 * SECOND,
		 "        longest 5.000 s, from 2026-11-21 11:59:57.000000 UTC, -3.000000 s\n"
		 "        tid 1 pid 1, CPU 0, S, blocked\n"
		 "        woken, by whom is not known, ran from +2.000000 s on\n"
		 "        1 wait, 5.000 s in all (2.000 s of it within what was recorded and asked for), 1 open\n"},
		{PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_OUT_BOUND, 10 * SECOND, 12 * SECOND,
		 "        longest ≥2.000 s, from 2026-11-21 12:00:00.000000 UTC, +0.000000 s or before\n"
		 "        tid 1 pid 1, CPU 0, S, blocked\n"
		 "        woken, by whom is not known, ran from +2.000000 s on\n"
		 "        1 wait, ≥2.000 s in all, 1 open\n"},
		{PROFILE_WAIT_NOT_ENDED, 11 * SECOND, 15 * SECOND,
		 "        longest ≥4.000 s, from 2026-11-21 12:00:01.000000 UTC, +1.000000 s\n"
		 "        tid 1 pid 1, CPU 0, S, blocked\n"
		 "        had not ended by +5.000000 s, the end of the recording\n"
		 "        1 wait, ≥4.000 s in all, 1 open\n"},
		{PROFILE_WAIT_OUT_EARLIEST, 11 * SECOND, 12 * SECOND,
		 "        longest ≤1.000 s, from 2026-11-21 12:00:01.000000 UTC, +1.000000 s or after\n"
		 "        tid 1 pid 1, CPU 0, S, blocked\n"
		 "        woken, by whom is not known, ran from +2.000000 s on\n"
		 "        1 wait, ≤1.000 s in all\n"},
		{PROFILE_WAIT_OUT_EARLIEST | PROFILE_WAIT_NOT_ENDED, 11 * SECOND, 15 * SECOND,
		 "        longest ~4.000 s, from 2026-11-21 12:00:01.000000 UTC, +1.000000 s or after\n"
		 "        tid 1 pid 1, CPU 0, S, blocked\n"
		 "        had not ended by +5.000000 s, the end of the recording\n"
		 "        1 wait, ~4.000 s in all, 1 open\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t zero = BOOT - 10 * SECOND, out = zero + cases[i].out;
		struct profile *p = fake_recorded();
		struct profile_wait *wait = fake_wait(p, "a", 1, "f", out, zero + cases[i].in);
		char want[1024];

		wait->flags = cases[i].flags;
		if (out < BOOT)
			wait->weight = wait->in - BOOT;
		(void)snprintf(want, sizeof(want), bounds,
			       cases[i].text);
		fake_check_printed(t, p, top_waits_view, &plain, want);
		free(p);
	}
}

static void refuses_contradictions(struct test *t)
{
	struct profile *p = some_waits();
	struct profile_wait sound = p->waits[3], spoilt;

#define REFUSED(member, value) \
	(spoilt = sound, spoilt.member = (value), fake_check_refused(t, p, top_waits_view, &plain, spoilt, #member))
	REFUSED(in, sound.out - 1);
	REFUSED(run_queue, 851);
	REFUSED(node, 1000);
	REFUSED(task, 1000);
	REFUSED(task, PROFILE_NO_TASK);
	REFUSED(waker, 1000);
	REFUSED(waker_node, 1000);
	REFUSED(source, 1);
	REFUSED(recording, 1);
	REFUSED(wait_class, PROFILE_WAIT_CLASSES);
	REFUSED(waker_context, PROFILE_WAKER_UNKNOWN + 1);
	REFUSED(task, 0); /* not in the order of out */
#undef REFUSED
	p->nodes[1].parent = 1; /* a chain that leads to itself */
	fake_check_refused(t, p, top_waits_view, &plain, sound, "a cycle");
	free(p);
}

/* Numbers at their ends neither wrap nor are cut; sums stay at the largest number. */
static void survives_large_numbers(struct test *t)
{
	struct profile *p = fake_recorded();

	(void)fake_wait(p, "a", 1, "f", 0, UINT64_MAX);
	(void)fake_wait(p, "a", 2, "f", 1, UINT64_MAX);
	(void)fake_wait(p, "a", 3, "f", 5, 5);
	p->realtime = 0;
	fake_check_printed(t, p, top_waits_view, &plain,
			   "\n"
			   "    f\n"
			   "    -                a\n"
			   "        longest 18446744073.710 s, from wall clock unknown, -1000.000000 s\n"
			   "        tid 1 pid 1, CPU 0, S, blocked\n"
			   "        woken, by whom is not known, ran from +18446743073.709552 s on\n"
			   "        3 waits, 18446744073.710 s in all, p50 18446744073.710 s, p99 18446744073.710 s\n"
			   "        state S 100.00%; blocked 100.00%\n"
			   "               usecs                         : count     distribution\n"
			   "                   0 -> 1                    : "
			   "1        |********************                    |\n"
			   "                 ...\n"
			   "   18014398509481984 -> 36028797018963967    : "
			   "2        |****************************************|\n"
			   "\n");
	free(p);
}

TEST_MAIN(TEST(takes_percentiles_by_nearest_rank), TEST(marks_what_is_a_bound),
	  TEST(refuses_contradictions), TEST(survives_large_numbers))
