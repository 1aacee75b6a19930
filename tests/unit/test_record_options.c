/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's command line against DESIGN.md §4: which sources a line asks for, what goes together and what does not.
 */
#include "record/record_options.h"

#include "tests/test.h"

enum { MAX_WORDS = 16 };

struct line { /* what the config points into */
	char text[64];
	char *words[MAX_WORDS + 1];
};

static int parse(struct record_config *config, struct line *line, const char *text)
{
	char *rest = line->text, *word;
	int count = 1;

	memset(line, 0, sizeof(*line));
	(void)snprintf(line->text, sizeof(line->text), "%s", text);
	line->words[0] = "rwalker-record";
	while ((word = strsep(&rest, " ")) && count < MAX_WORDS)
		if (*word)
			line->words[count++] = word;
	return record_options_parse(config, count, line->words);
}

#define GOOD(text) struct line line; struct record_config config; REQUIRE(t, parse(&config, &line, text) == 0)

static void nothing_is_one_walk(struct test *t)
{
	GOOD("");
	CHECK(t, config.walk.wanted && !config.walk.all && !config.walk.running && !config.profile.wanted);
	CHECK_INT(t, config.walk.interval, 0);
	CHECK(t, !config.user_stacks && config.output.embed == EMBED_LEVEL_FULL);
}

static void profile_alone(struct test *t)
{
	GOOD("-p 5 -u");
	CHECK(t, config.profile.wanted && !config.walk.wanted && config.user_stacks);
	CHECK_INT(t, config.profile.seconds, 5);
	CHECK_INT(t, config.profile.frequency, 4000);
	CHECK(t, !config.profile.frequency_given);
}

static void profile_until_the_end(struct test *t)
{
	GOOD("--profile=0 -f 99");
	CHECK(t, config.profile.wanted);
	CHECK_INT(t, config.profile.seconds, 0);
	CHECK_INT(t, config.profile.frequency, 99);
	CHECK(t, config.profile.frequency_given);
}

static void profile_and_walks(struct test *t)
{
	GOOD("-p 5 -i 2 -a");
	CHECK(t, config.profile.wanted && config.walk.wanted && config.walk.all);
	CHECK_INT(t, config.walk.interval, 2);
}

static void stuck_has_its_rhythm(struct test *t)
{
	GOOD("-s");
	CHECK(t, config.walk.wanted && config.walk.stuck);
	CHECK_INT(t, config.walk.interval, 2);
	CHECK_INT(t, config.walk.count, 5);
	CHECK_INT(t, config.walk.waiting, 1);
}

static void stuck_with_another_wait(struct test *t)
{
	GOOD("-s -w 30");
	CHECK_INT(t, config.walk.waiting, 30);
}

static void waiting_is_a_walk(struct test *t)
{
	GOOD("-p 1 -w 0");
	CHECK(t, config.walk.wanted && config.profile.wanted);
}

static void command_is_profiled(struct test *t)
{
	GOOD("-u -- make -p 3");
	CHECK(t, config.profile.wanted && !config.walk.wanted);
	CHECK_INT(t, config.profile.seconds, 0);
	REQUIRE(t, config.command);
	CHECK(t, !strcmp(config.command[0], "make") && !strcmp(config.command[1], "-p"));
}

static void command_with_a_source(struct test *t)
{
	GOOD("-i 1 -- make");
	CHECK(t, !config.profile.wanted && config.walk.wanted);
}

static void lists_of_processes(struct test *t)
{
	GOOD("-p 1 --pid 12,345 --tid=7 --pid 9");
	REQUIRE(t, config.who.pids.count == 3 && config.who.tids.count == 1);
	CHECK_INT(t, config.who.pids.items[1], 345);
	CHECK_INT(t, config.who.pids.items[2], 9);
	CHECK_INT(t, config.who.tids.items[0], 7);
}

static void sizes(struct test *t)
{
	static const struct {
		const char *line;
		int64_t bytes;
	} good[] = {
		{"--max-size 1", 1048576},
		{"--max-size 500K", 512000},
		{"--max-size 3m", 3145728},
		{"--max-size 2G", INT64_C(2147483648)},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct record_config config;
		struct line line;

		REQUIRE(t, parse(&config, &line, good[i].line) == 0);
		CHECK_INT(t, config.output.max_size, good[i].bytes);
	}
}

static void refuses(struct test *t)
{
	static const char *const lines[] = {
		"-a -r", "-C 3", "-s -i 1", "-s -a", "--user-threads --kernel-threads", "--system-wide", "-p", "-p x",
		"-p -1", "-f 0", "--pid 0", "--pid 1,", "--pid 1,x", "--pid -4", "--tid 99999999999", "--embed some",
		"--max-size 0", "--max-size -1", "--max-size 1T", "--max-size 1KK", "--max-size 99999999999999999999G",
		"--max-size 17179869184G", "--finalize f -- ls", "--wakers", "-m 5", "--state D", "--offcpu 5 -m 10 -M 5", "--offcpu 5 --state Q", "stray", "--tree", "-U", "--no-such",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct record_config config;
		struct line line;

		test_check(t, parse(&config, &line, lines[i]) == -EINVAL, "\"%s\" was taken", lines[i]);
	}
}

TEST_MAIN(TEST(nothing_is_one_walk), TEST(profile_alone), TEST(profile_until_the_end), TEST(profile_and_walks),
	  TEST(stuck_has_its_rhythm), TEST(stuck_with_another_wait), TEST(waiting_is_a_walk), TEST(command_is_profiled),
	  TEST(command_with_a_source), TEST(lists_of_processes), TEST(sizes), TEST(refuses))
