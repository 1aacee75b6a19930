/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel says of its sampling events, by hand: counts over all events of a CPU, and how
 * long it throttled them. Defines what opens events: none can be opened.
 */
#include "record/perf/perf_event.h"

#include <errno.h>

#include "record/helper/perf_open.h"
#include "tests/test.h"
#include "tests/unit/record/made_perf_ring.h"

enum { CPUS = 3, CPU = 1, READINGS = 16 };

static struct perf_event_attr asked; /* of the latest event that was to be opened */

int perf_open(struct nursery *nursery, const struct perf_event_attr *attr, uint32_t cpu)
{
	(void)nursery, (void)cpu;
	asked = *attr;
	return -ENODEV;
}

struct bench {
	struct cpus cpus;
	struct perf_cpu each[CPUS];
	struct perf_events events;
	int opened; /* the event of CPU */
};

/* A file that says the same with each look: counted, and ns. */
static void set_reading(struct bench *b, uint64_t counted, uint64_t enabled, uint64_t running)
{
	const uint64_t reading[3] = {counted, enabled, running};

	if (lseek(b->opened, 0, SEEK_SET) < 0)
		abort();
	for (int i = 0; i < READINGS; i++)
		if (pwrite(b->opened, reading, sizeof(reading), (off_t)(i * sizeof(reading))) != sizeof(reading))
			abort();
}

static void set_online(struct bench *b, const char *list)
{
	if (ftruncate(b->cpus.online_fd, 0) < 0 ||
	    pwrite(b->cpus.online_fd, list, strlen(list), 0) != (ssize_t)strlen(list))
		abort();
}

static void bench_open(struct bench *b)
{
	*b = (struct bench){.cpus = {.possible = CPUS, .online_fd = memfd_create("online", MFD_CLOEXEC)},
			    .opened = memfd_create("event", MFD_CLOEXEC)};
	memset(b->cpus.wanted.words, 0xff, sizeof(b->cpus.wanted.words));
	b->events = (struct perf_events){.cpus = &b->cpus, .each = b->each, .count = CPUS,
					 .software = true, .program_fd = -1};
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		b->each[cpu].fd = b->each[cpu].ring.fd = -1;
	b->each[CPU].fd = b->opened;
	made_perf_ring_open(&b->each[CPU].ring, 4096);
	set_online(b, "1\n");
	set_reading(b, 0, 0, 0);
}

static void bench_close(struct bench *b)
{
	perf_ring_close(&b->each[CPU].ring);
	(void)close(b->opened);
	(void)close(b->cpus.online_fd);
}

static void put(struct bench *b, uint32_t type, uint64_t first, uint64_t second)
{
	const struct perf_event_header header = {.type = type, .size = 32};
	uint64_t words[4] = {0, first, second, 0};

	memcpy(words, &header, sizeof(header));
	made_perf_ring_put(&b->each[CPU].ring, words, 4);
}

static struct perf_account account(struct bench *b)
{
	struct perf_account account;

	perf_events_account(&b->events, CPU, &account);
	return account;
}

static void throttling_is_from_its_record_to_its_end(struct test *t)
{
	struct bench b;

	bench_open(&b);
	put(&b, PERF_RECORD_UNTHROTTLE, 90, 0); /* whose beginning was not heard */
	put(&b, PERF_RECORD_THROTTLE, 100, 0);
	put(&b, PERF_RECORD_UNTHROTTLE, 160, 0);
	put(&b, PERF_RECORD_SAMPLE, 200, 0); /* of no concern */
	put(&b, PERF_RECORD_THROTTLE, 300, 0);
	CHECK(t, account(&b).throttles == 2 && account(&b).throttled == 60);
	put(&b, PERF_RECORD_UNTHROTTLE, 310, 0);
	CHECK(t, account(&b).throttles == 2 && account(&b).throttled == 70);
	put(&b, PERF_RECORD_THROTTLE, 400, 0);
	put(&b, PERF_RECORD_UNTHROTTLE, 390, 0); /* no time passes backwards */
	CHECK(t, account(&b).throttles == 3 && account(&b).throttled == 70);
	bench_close(&b);
}

static void counts_go_on_when_a_cpu_comes_and_goes(struct test *t)
{
	struct bench b;

	bench_open(&b);
	set_reading(&b, 70, 500, 400);
	CHECK(t, account(&b).counted == 70 && account(&b).enabled == 500 && account(&b).running == 400);
	perf_events_follow_cpus(&b.events);
	CHECK_INT(t, b.each[CPU].fd, b.opened); /* it counts */
	set_reading(&b, 90, 800, 600);
	perf_events_follow_cpus(&b.events);
	CHECK_INT(t, b.each[CPU].fd, b.opened);
	put(&b, PERF_RECORD_THROTTLE, 100, 0);
	set_online(&b, "2\n");
	perf_events_follow_cpus(&b.events);
	CHECK_INT(t, b.each[CPU].fd, -1);
	CHECK(t, account(&b).counted == 90 && account(&b).enabled == 800 && account(&b).running == 600);
	CHECK_INT(t, account(&b).throttles, 1);
	bench_close(&b);
}

/* An event whose time stands still is of a CPU that was away: it is dead, and what it counted stays. */
static void an_event_that_stands_still_is_given_up(struct test *t)
{
	struct bench b;

	bench_open(&b);
	set_reading(&b, 70, 500, 400);
	perf_events_follow_cpus(&b.events);
	CHECK_INT(t, b.each[CPU].fd, b.opened);
	perf_events_follow_cpus(&b.events); /* there is no program to attach to a new one */
	CHECK_INT(t, b.each[CPU].fd, -1);
	CHECK_INT(t, b.events.missed, 1);
	CHECK(t, account(&b).counted == 70 && account(&b).enabled == 500);
	bench_close(&b);
}

TEST_MAIN(TEST(throttling_is_from_its_record_to_its_end),
	  TEST(counts_go_on_when_a_cpu_comes_and_goes),
	  TEST(an_event_that_stands_still_is_given_up))
