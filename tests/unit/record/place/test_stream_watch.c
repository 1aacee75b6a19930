/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/stream_watch.h"

#include <string.h>

#include "common/time_units.h"
#include "format/event.h"
#include "tests/test.h"

enum { CPUS = 3 };

struct host { /* what happens on it, and how much of it is reported */
	struct stream_watch watch;
	struct stream_cpu cpus[CPUS];
	bool deaf[CPUS];
	uint64_t now;
};

static bool host_begin(struct test *t, struct host *host)
{
	*host = (struct host){.now = 5000 * MILLISECOND};
	if (!test_check(t, stream_watch_init(&host->watch, CPUS) == 0, "memory"))
		return false;
	stream_watch_begin(&host->watch, host->now, host->cpus);
	return true;
}

static void come(struct host *host, uint32_t cpu, enum ring_life life, uint64_t count)
{
	if (host->deaf[cpu])
		return;
	host->cpus[cpu].records.counts[life] += count;
	host->cpus[cpu].any += count;
}

static void happen(struct host *host, uint32_t cpu, enum ring_life life, uint64_t count)
{
	host->cpus[cpu].counted.counts[life] += count;
	come(host, cpu, life, count);
}

/* When the watch requests it. */
static bool look(struct host *host)
{
	host->now = stream_watch_next(&host->watch, host->now);
	return stream_watch_look(&host->watch, host->now, host->cpus);
}

/* A task may be counted here and recorded there, its record may be late, and an exit very late. */
static void what_moves_or_is_late_is_not_missing(struct test *t)
{
	struct host host;

	if (!host_begin(t, &host))
		return;
	for (uint64_t i = 0; i < 100; i++) {
		host.cpus[i % CPUS].counted.counts[RING_LIFE_FORK] += 2;
		host.cpus[0].counted.counts[RING_LIFE_EXIT] += 1;
		CHECK(t, !look(&host));
		come(&host, (i + 1) % CPUS, RING_LIFE_FORK, 2);
		come(&host, 1, RING_LIFE_RENAME, i % 2);
	}
	stream_watch_deinit(&host.watch);
}

static void what_was_under_way_at_the_beginning_is_not_missing(struct test *t)
{
	struct host host;

	if (!host_begin(t, &host))
		return;
	host.cpus[0].counted.counts[RING_LIFE_FORK] += 40; /* recorded before */
	come(&host, 1, RING_LIFE_RENAME, 9);		   /* counted already */
	for (int i = 0; i < 5; i++)
		CHECK(t, !look(&host));
	stream_watch_deinit(&host.watch);
}

/* Until the watch reports it; how many looks and ms that took. */
static int looks_until_noticed(struct host *host, uint32_t cpu, uint64_t *ret_ms)
{
	uint64_t since = host->now;
	int looks = 0;

	do {
		happen(host, cpu, RING_LIFE_FORK, 1);
		happen(host, cpu, RING_LIFE_RENAME, 1);
	} while (!look(host) && looks++ < 10);
	*ret_ms = (host->now - since) / MILLISECOND;
	return looks;
}

static void a_ring_that_dies_is_noticed(struct test *t)
{
	struct host host;
	uint64_t ms;

	for (uint32_t busy = 0; busy < 2; busy++) { /* records of others do not hide it */
		if (!host_begin(t, &host))
			return;
		for (int i = 0; i < 6; i++) {
			happen(&host, 1, RING_LIFE_FORK, 2);
			happen(&host, 0, RING_LIFE_FORK, busy * 1000);
			CHECK(t, !look(&host));
		}
		look(&host); /* quiet: the surplus is known */
		look(&host);
		host.deaf[1] = true;
		happen(&host, 0, RING_LIFE_FORK, busy * 1000);
		CHECK(t, looks_until_noticed(&host, 1, &ms) < 3);
		CHECK(t, ms <= 2000);
		CHECK_INT(t, host.watch.verdicts[1].cause, UNSURE_SILENT);
		CHECK(t, host.watch.verdicts[1].missing >= 2);
		CHECK_INT(t, host.watch.verdicts[0].cause, 0);
		CHECK_INT(t, host.watch.verdicts[2].cause, 0);
		stream_watch_deinit(&host.watch);
	}
}

/* Although more arrived at the beginning than was counted, so that the sum does not show it. */
static void a_ring_without_a_record_is_dead(struct test *t)
{
	struct host host;
	bool told = false;

	if (!host_begin(t, &host))
		return;
	come(&host, 0, RING_LIFE_FORK, 1000);
	CHECK(t, !look(&host));
	host.deaf[1] = true;
	for (int i = 0; i < 4 && !told; i++) {
		happen(&host, 0, RING_LIFE_FORK, 3);
		happen(&host, 1, RING_LIFE_EXIT, 5);
		told = look(&host);
	}
	CHECK(t, told);
	CHECK_INT(t, host.watch.verdicts[1].cause, UNSURE_SILENT);
	CHECK_INT(t, host.watch.verdicts[0].cause, 0);
	stream_watch_deinit(&host.watch);
}

/* The ring reports losses only with the next record, which may take long. */
static void what_a_full_ring_lacks_is_lost(struct test *t)
{
	struct host host;
	bool told = false;

	if (!host_begin(t, &host))
		return;
	CHECK(t, !look(&host));
	host.cpus[0].full++;
	host.deaf[0] = true;
	happen(&host, 0, RING_LIFE_RENAME, 90);
	for (int i = 0; i < 4 && !told; i++)
		told = look(&host);
	CHECK(t, told);
	CHECK_INT(t, host.watch.verdicts[0].cause, UNSURE_LOST);
	CHECK_INT(t, host.watch.verdicts[0].missing, 0);
	stream_watch_deinit(&host.watch);
}

TEST_MAIN(TEST(what_moves_or_is_late_is_not_missing),
	  TEST(what_was_under_way_at_the_beginning_is_not_missing),
	  TEST(a_ring_that_dies_is_noticed), TEST(a_ring_without_a_record_is_dead),
	  TEST(what_a_full_ring_lacks_is_lost))
