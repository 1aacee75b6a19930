/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's command line compared with its manual: which sources a line requests, what can be
 * combined and what cannot.
 */
#include "record/plan/record_options.h"

#include "common/time_units.h"
#include "tests/test.h"

enum { MAX_WORDS = 80 };

struct line { /* what the config points into */
	char text[512];
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
	CHECK_INT(t, config.profile.lasts, 5 * SECOND);
	CHECK_INT(t, config.profile.frequency, 3989);
	CHECK(t, !config.profile.frequency_given);
}

static void profile_and_walks(struct test *t)
{
	GOOD("-p 5 -i 2 -a");
	CHECK(t, config.profile.wanted && config.walk.wanted && config.walk.all);
	CHECK_INT(t, config.walk.interval, 2 * SECOND);
}

static void stuck_has_its_rhythm(struct test *t)
{
	GOOD("-s");
	CHECK(t, config.walk.wanted && config.walk.stuck);
	CHECK_INT(t, config.walk.interval, 2 * SECOND);
	CHECK_INT(t, config.walk.count, 5);
	CHECK_INT(t, config.walk.waiting, SECOND);
}

static void command_is_profiled(struct test *t)
{
	GOOD("-u -- make -p 3");
	CHECK(t, config.profile.wanted && !config.walk.wanted);
	CHECK_INT(t, config.profile.lasts, 0);
	REQUIRE(t, config.command);
	CHECK(t, !strcmp(config.command[0], "make") && !strcmp(config.command[1], "-p"));
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

/* --- tracepoints and kernel functions --- */

static void check_point(struct test *t, const struct record_config *config, size_t number,
			const char *name, bool function, int64_t seconds)
{
	const struct record_point *point = &config->points.items[number];
	char text[128];

	REQUIRE(t, number < config->points.count);
	(void)snprintf(text, sizeof(text), "%.*s", point->length, point->text);
	CHECK_STR(t, text, name);
	CHECK(t, point->function == function);
	CHECK_INT(t, point->lasts, seconds * (int64_t)SECOND);
}

/* The last ":digits" is the duration, and nothing else is. */
static void points_with_durations(struct test *t)
{
	GOOD("--trace sched:sched_switch:5 --trace sys_enter:10 --kfunc vfs_*:3 --trace block:9p "
	     "--trace a:b:0 --kfunc /a:1/ --kfunc f:");
	CHECK_INT(t, config.points.count, 7);
	check_point(t, &config, 0, "sched:sched_switch", false, 5);
	check_point(t, &config, 1, "sys_enter", false, 10);
	check_point(t, &config, 2, "vfs_*", true, 3);
	check_point(t, &config, 3, "block:9p", false, 0);
	check_point(t, &config, 4, "a:b", false, 0);
	check_point(t, &config, 5, "/a:1/", true, 0);
	check_point(t, &config, 6, "f:", true, 0);
}

static void refuses(struct test *t)
{
	static const char *const lines[] = {
		"-a -r", "-C 3", "-s -i 1", "-s -a", "--user-threads --kernel-threads", "--system-wide", "-p", "-p x",
		"-p -1", "-f 0", "--pid 0", "--pid 1,", "--pid 1,x", "--pid -4", "--tid 99999999999", "--embed some",
		"--max-size 0", "--max-size -1", "--max-size 1T", "--max-size 1KK", "--max-size 99999999999999999999G",
		"--max-size 17179869184G", "--finalize f -- ls", "--wakers", "-m 5", "--state D",
		"--no-objects -p 1", "--no-objects -- ls",
		"--offcpu 5 -m 10 -M 5", "--offcpu 5 --state Q", "stray", "--tree", "-U",
		"--no-such", "--trace", "--kfunc", "--trace :5", "--kfunc :5",
		"--trace a:99999999999999999999", "--trace a:1000000001", "--rate-limit 5",
		"--rate-limit 0 --trace a", "--rate-limit x --trace a", "--max-probes 0 --trace a",
		"--max-probes 20001 --trace a", "--check-host -- ls", "--check-host --finalize f",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct record_config config;
		struct line line;

		test_check(t, parse(&config, &line, lines[i]) == -EINVAL, "\"%s\" was taken", lines[i]);
	}
}

static void the_last_minute(struct test *t)
{
	GOOD("--flight 60s,16M -p 0 --max-dumps 3 --max-kept 1G");
	CHECK(t, config.flight.wanted && config.output.embed == EMBED_LEVEL_MIN);
	CHECK_INT(t, config.flight.window, 60 * SECOND);
	CHECK_INT(t, config.flight.bytes, 16 << 20);
	CHECK_INT(t, config.flight.max_dumps, 3);
	CHECK_INT(t, config.flight.max_kept, 1 << 30);
	CHECK_INT(t, parse(&config, &line, "--flight 2m -p 0 --embed full"), 0);
	CHECK_INT(t, config.output.embed, EMBED_LEVEL_FULL);
	CHECK_INT(t, config.flight.bytes, 64 << 20);
	CHECK_INT(t, config.flight.max_dumps, 20);
}

static void the_last_minute_of_nothing(struct test *t)
{
	static const char *const lines[] = {
		"--flight 60s", "--flight x -p 0", "--flight 60s,1M -p 0", "--flight 60s,x -p 0", "--flight 0.1 -p 0",
		"--flight 2d -p 0", "--flight 60s -p 0 -o -", "--flight 60s -p 0 --force", "-p 0 --max-dumps 3",
		"-p 0 --max-kept 2G", "-p 0 --trigger wait>1s", "-p 0 --post 1", "-p 0 --cooldown 1",
		"-p 0 --on-dump x",
		"--flight 60s -p 0 -i 1 --trigger stuck>1s", "--flight 60s -p 0 --trigger wait",
	};
	struct record_config config;
	struct line line;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_INT(t, parse(&config, &line, lines[i]), -EINVAL);
}

TEST_MAIN(TEST(nothing_is_one_walk), TEST(profile_alone), TEST(profile_and_walks),
	  TEST(stuck_has_its_rhythm), TEST(command_is_profiled), TEST(sizes),
	  TEST(points_with_durations), TEST(refuses), TEST(the_last_minute),
	  TEST(the_last_minute_of_nothing))
