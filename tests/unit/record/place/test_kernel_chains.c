/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Kernel stacks found by their raw addresses, compared with looking up each frame in the kernel map. */
#include <linux/types.h>

#include "bpf/ring_event.h"
#include "record/place/kernel_chains.h"
#include "tests/test.h"
#include "tests/unit/record/place/heard_kernel.h"

static const char *const NAMES[] = {"vfs_read", "schedule", "do_exit", "kmem_cache_free", "vfs_write", "do_sys_poll"};

enum { FUNCTIONS = sizeof(NAMES) / sizeof(NAMES[0]), SEVERAL = 20 };

static const uint64_t MADE = 0xffffffffa0000000u - 0x20000000u; /* nothing is there: below the kernel */

struct host {
	struct heard heard;
	struct kernel_map *map;
	struct kernel_chains *chains;
	uint64_t functions[FUNCTIONS];
};

static bool host_open(struct host *host)
{
	*host = (struct host){0};
	for (size_t i = 0; i < FUNCTIONS; i++)
		host->functions[i] = address_of(NAMES[i]);
	return host->functions[0] && !map_open(&host->heard, &host->map) &&
	       !kernel_chains_create(host->map, &host->chains);
}

static void host_close(struct host *host)
{
	kernel_chains_destroy(host->chains);
	kernel_map_destroy(host->map);
}

/* The number of the callers, after checking that the frames are what the map says. */
static uint64_t check_chain(struct test *t, struct host *host, const uint64_t *addresses, uint32_t count)
{
	struct kernel_chain chain = kernel_chains_take(host->chains, addresses, count);

	for (uint32_t i = 0; i < count; i++)
		CHECK_INT(t, chain.frames[i], kernel_map_normalize(host->map, addresses[i]));
	return chain.callers;
}

static void make_chain(const struct host *host, uint64_t number, uint64_t *addresses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, number = number * 6364136223846793005 + 1442695040888963407)
		addresses[i] = host->functions[(number >> 33) % FUNCTIONS] + (number >> 40) % 8;
}

static void frames_are_those_of_the_map(struct test *t)
{
	uint64_t addresses[RING_MAX_FRAMES];
	struct host host;

	if (!host_open(&host))
		SKIP(t, "the kernel hides its addresses here");
	for (uint64_t i = 0; i < 20000 && !t->failures; i++) {
		uint32_t count = i % 7 ? (uint32_t)(i % 70) : (uint32_t)(i % RING_MAX_FRAMES);

		make_chain(&host, i % 3000, addresses, count);
		addresses[0] += i % 2;
		(void)check_chain(t, &host, addresses, count);
	}
	CHECK_INT(t, check_chain(t, &host, addresses, 0), 0);
	host_close(&host);
}

static void callers_have_a_number_of_their_own(struct test *t)
{
	uint64_t one[SEVERAL], other[SEVERAL], first;
	struct host host;

	if (!host_open(&host))
		SKIP(t, "the kernel hides its addresses here");
	make_chain(&host, 1, one, SEVERAL);
	make_chain(&host, 2, other, SEVERAL);
	first = check_chain(t, &host, one, SEVERAL);
	CHECK(t, first != 0);
	CHECK_INT(t, check_chain(t, &host, one, SEVERAL), first);
	one[0]++; /* another leaf */
	CHECK_INT(t, check_chain(t, &host, one, SEVERAL), first);
	CHECK(t, check_chain(t, &host, one, SEVERAL - 1) != first);
	CHECK(t, check_chain(t, &host, other, SEVERAL) != first);
	one[SEVERAL - 1]++; /* another root */
	CHECK(t, check_chain(t, &host, one, SEVERAL) != first);
	CHECK_INT(t, check_chain(t, &host, one, 1), 0); /* it has no callers */
	host_close(&host);
}

static void what_is_not_known_is_asked_for_again(struct test *t)
{
	uint64_t chain[SEVERAL], number;
	struct host host;

	if (!host_open(&host))
		SKIP(t, "the kernel hides its addresses here");
	make_chain(&host, 3, chain, SEVERAL);
	chain[0] = MADE + 8;
	number = check_chain(t, &host, chain, SEVERAL);
	CHECK(t, number != 0);
	CHECK_INT(t, kernel_map_unknown(host.map), 2); /* we looked it up, and check_chain() did */
	(void)kernel_chains_take(host.chains, chain, SEVERAL);
	CHECK_INT(t, kernel_map_unknown(host.map), 3);
	chain[4] = MADE + 16;
	CHECK_INT(t, check_chain(t, &host, chain, SEVERAL), 0); /* a caller that is not known */
	CHECK_INT(t, kernel_map_add(host.map, MADE, 64, true, "bpf_prog_1234_one"), 0);
	number = check_chain(t, &host, chain, SEVERAL);
	CHECK(t, number != 0 && kernel_chains_take(host.chains, chain, SEVERAL).frames[4]);
	kernel_map_remove(host.map, MADE);
	CHECK_INT(t, check_chain(t, &host, chain, SEVERAL), 0);
	CHECK_INT(t, kernel_map_add(host.map, MADE, 64, true, "bpf_prog_1234_two"), 0);
	CHECK(t, check_chain(t, &host, chain, SEVERAL) > number); /* the same addresses are different text now */
	host_close(&host);
}

TEST_MAIN(TEST(frames_are_those_of_the_map), TEST(callers_have_a_number_of_their_own),
	  TEST(what_is_not_known_is_asked_for_again))
