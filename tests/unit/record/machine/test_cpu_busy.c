/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/cpu_busy.h"

#include "tests/test.h"

static void reads_rows_of_cpus(struct test *t)
{
	static const char text[] = "cpu  1 9 9 9 9 9 9 9 9 9\n"
				   "cpu0 10 20 30 400 5 6 7 8 9 10\n"
				   "cpu2 1 2 3 50 0 0 0 0 0 0\n"
				   "cpu9 1 2 3 4 5 6 7 8 9 10\n"
				   "intr 12 0 cpu1 1 1 1 1 1\n";
	struct cpu_account accounts[4] = {{7, 7}, {7, 7}, {7, 7}, {7, 7}};

	cpu_busy_parse(text, 100, accounts, 4);
	CHECK_INT(t, accounts[0].ran, 600000000);
	CHECK_INT(t, accounts[0].idle, 4050000000);
	CHECK_INT(t, accounts[1].idle, 0); /* it is offline */
	CHECK_INT(t, accounts[2].ran, 60000000);
	CHECK_INT(t, accounts[2].idle, 500000000);
	CHECK_INT(t, accounts[3].ran, 0);
	cpu_busy_parse("cpu0 1 2", 100, accounts, 1); /* truncated */
	CHECK_INT(t, accounts[0].idle, 0);
	cpu_busy_parse("", 100, accounts, 1);
	CHECK_INT(t, accounts[0].idle, 0);
}

static void knows_what_was_between_two_looks(struct test *t)
{
	struct cpu_account begin[] = {{10, 100}, {0, 0}, {50, 300}}, end[] = {{40, 250}, {10, 80}, {60, 200}};
	const struct cpu_busy busy = {.fd = -1, .count = 3, .begin = begin, .end = end};
	uint64_t ns = 0;

	CHECK(t, cpu_busy_time(&busy, 0, 200, &ns));
	CHECK_INT(t, ns, 30);			  /* 20 went to interrupts of the idle task, or were stolen */
	CHECK(t, cpu_busy_time(&busy, 0, 170, &ns));
	CHECK_INT(t, ns, 20);			  /* the tick counted more than there was */
	CHECK(t, cpu_busy_time(&busy, 0, 20, &ns));
	CHECK_INT(t, ns, 0);
	CHECK(t, !cpu_busy_time(&busy, 1, 100, &ns)); /* came online in between */
	CHECK(t, !cpu_busy_time(&busy, 2, 100, &ns)); /* was offline: the kernel started over */
	CHECK(t, !cpu_busy_time(&busy, 3, 100, &ns));
}

TEST_MAIN(TEST(reads_rows_of_cpus), TEST(knows_what_was_between_two_looks))
