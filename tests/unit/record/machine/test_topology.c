/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Groups of CPUs as text; what --node is refused for. */
#include "record/machine/topology.h"

#include <errno.h>
#include <string.h>

#include "common/options/options.h"
#include "tests/test.h"

static struct cpu_set set_of(const char *list)
{
	struct cpu_set set = {0};

	if (options_parse_list(list, set.words, RWK_MAX_CPUS) < 0)
		abort();
	return set;
}

static void writes_lists_as_the_kernel_does(struct test *t)
{
	static const char *const lists[] = {"0", "0-3,8", "7,9,11-12", "0-8191", "63-64,8191"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cpu_set set = set_of(lists[i]);
		char text[TOPOLOGY_TEXT] = "";

		CHECK(t, topology_add_list(text, &set));
		CHECK_STR(t, text, lists[i]);
	}
}

static void separates_groups(struct test *t)
{
	struct cpu_set first = set_of("0-1,4"), second = set_of("2-3");
	char text[TOPOLOGY_TEXT] = "";

	CHECK(t, topology_add_group(text, 0, &first));
	CHECK(t, topology_add_group(text, 4294967295U, &second));
	CHECK_STR(t, text, "0:0-1,4 4294967295:2-3");
}

/* Every second CPU of 8,192 has 20,000 bytes: the record is left out, nothing is cut. */
static void says_that_there_is_no_room(struct test *t)
{
	char text[TOPOLOGY_TEXT] = "";
	struct cpu_set set = {0};

	for (uint32_t cpu = 0; cpu < RWK_MAX_CPUS; cpu += 2)
		cpu_set_add(&set, cpu);
	CHECK(t, !topology_add_group(text, 0, &set));
	CHECK(t, strlen(text) < TOPOLOGY_TEXT);
}

static void refuses_nodes_that_do_not_exist(struct test *t)
{
	static const char *const lists[] = {"", "x", "0,", "1023", "1024", "-1"};
	struct cpu_set set;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		CHECK_INT(t, topology_cpus_of_nodes(lists[i], &set), -EINVAL);
}

TEST_MAIN(TEST(writes_lists_as_the_kernel_does), TEST(separates_groups), TEST(says_that_there_is_no_room),
	  TEST(refuses_nodes_that_do_not_exist))
