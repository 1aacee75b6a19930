/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which node a CPU belongs to, from the text of a trace, which may be anything. */
#include "report/profile/tables/profile_nodes.h"

#include <string.h>

#include "tests/test.h"

static struct cpu_nodes nodes;

static void knows_the_node_of_each_cpu(struct test *t)
{
	cpu_nodes_parse("0:0-1,4 1:2-3 1023:8191", &nodes);
	CHECK_INT(t, nodes.of_cpu[0], 0);
	CHECK_INT(t, nodes.of_cpu[1], 0);
	CHECK_INT(t, nodes.of_cpu[2], 1);
	CHECK_INT(t, nodes.of_cpu[4], 0);
	CHECK_INT(t, nodes.of_cpu[5], PROFILE_NO_NODE);
	CHECK_INT(t, nodes.of_cpu[8191], 1023);
}

/* A text that is wrong ends where it is wrong. */
static void takes_what_is_right_before_what_is_not(struct test *t)
{
	static const char *const rests[] = {"x",     "1",	"1:",	   ":2",       "1:2-",	  "1024:2",
					    "-1:2", "1:8192", "1:2x", "1:2  :2", "1 :2", "18446744073709551616:2"};

	for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "3:7 %s 5:2", rests[i]);
		cpu_nodes_parse(text, &nodes);
		CHECK_INT(t, nodes.of_cpu[7], 3);
		if (nodes.of_cpu[2] == 5)
			test_check(t, 0, "went on after '%s'", rests[i]);
	}
	cpu_nodes_parse("", &nodes);
	CHECK_INT(t, nodes.of_cpu[0], PROFILE_NO_NODE);
}

static void refuses_words_that_are_too_long(struct test *t)
{
	static char text[16384];

	memset(text, '1', sizeof(text) - 1);
	memcpy(text, "0:5 1:", 6);
	cpu_nodes_parse(text, &nodes);
	CHECK_INT(t, nodes.of_cpu[5], 0);
	CHECK_INT(t, nodes.of_cpu[1], PROFILE_NO_NODE);
}

TEST_MAIN(TEST(knows_the_node_of_each_cpu), TEST(takes_what_is_right_before_what_is_not),
	  TEST(refuses_words_that_are_too_long))
