/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "common/time_units.h"
#include "record/plan/filter.h"
#include "record/plan/record_option_file.h"
#include "record/plan/record_options.h"
#include "record/plan/trigger_rule.h"
#include "tests/random.h"
#include "tests/test.h"

/* --- the command line --- */

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

/* Those of which no other test says what the answer is. */
static void refuses(struct test *t)
{
	static const char *const lines[] = {
		"-a -r", "-s -i 1", "--pid 0", "--pid 1,", "--tid 99999999999", "--embed some", "--max-size -1", "--max-size 1KK",
		"--max-size 99999999999999999999G", "--max-size 17179869184G", "--finalize f -- ls", "--no-objects -p 1",
		"--offcpu 5 -m 10 -M 5", "--kfunc :5", "--trace a:99999999999999999999", "--trace a:1000000001",
		"--rate-limit 0 --trace a", "--max-probes 20001 --trace a", "--check-host -- ls",
		"--flight 60s", "--flight 60s,x -p 0", "--flight 2d -p 0", "--flight 60s -p 0 --force", "-p 0 --max-dumps 3",
		"-p 0 --post 1", "--flight 60s -p 0 -i 1 --trigger stuck>1s", "--flight 60s -p 0 --trigger wait",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct record_config config;
		struct line line;

		test_check(t, parse(&config, &line, lines[i]) == -EINVAL, "\"%s\" was taken", lines[i]);
	}
}

/* --- --config: files of options, written by hand, and the same options on the command line --- */

/* The config that `text` in a file makes, after the options before it on the command line. */
static int parse_file(struct record_config *config, const char *text, size_t length)
{
	static const char path[] = TEST_FOLDER "/test_record_option_file.conf";
	char name[] = "rwalker-record", freq[] = "--freq=77", option[] = "--config", value[sizeof(path)];
	char *words[] = {name, freq, option, value, NULL};
	FILE *file = fopen(path, "w");
	int r;

	(void)fwrite(text, 1, length, file);
	(void)fclose(file);
	memcpy(value, path, sizeof(path));
	r = record_options_parse(config, 4, words);
	(void)unlink(path);
	return r;
}

static int parse_file_text(struct record_config *config, const char *text)
{
	return parse_file(config, text, strlen(text));
}

static void one_to_a_line(struct test *t)
{
	static struct record_config config;

	REQUIRE(t, !parse_file_text(&config, "# what is kept\n\n--flight 60s,32M\n\t-p\t0 \n--offcpu=0\r\n  --wakers\n-u\n"
				   "--trigger exec:'test -e /tmp/x y'/10s\n--on-dump echo $RWALKER_DUMP  # now\n"));
	CHECK(t, config.flight.wanted && config.offcpu.wanted && config.offcpu.wakers && config.user_stacks);
	CHECK_INT(t, config.flight.window, 60 * SECOND);
	CHECK_INT(t, config.flight.bytes, 32 << 20);
	CHECK_INT(t, config.profile.frequency, 77);
	CHECK_INT(t, config.flight.rule_count, 1);
	CHECK_STR(t, config.flight.rules[0].name, "test -e /tmp/x y");
	CHECK_STR(t, config.flight.on_dump, "echo $RWALKER_DUMP  # now");
}

static void mistakes_are_refused(struct test *t)
{
	static struct record_config config;
	static const char *const wrong[] = {
		"--flight 60\n--no-such-option\n", "-p 0 -f 99\n", "--wakers yes\n", "flight 60s\n", "--\n",
		"-- make\n",
		"--config /etc/passwd\n", "--freq\n", "--wakers\n" /* without --offcpu */,
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_INT(t, parse_file_text(&config, wrong[i]), -EINVAL);
	CHECK_INT(t, parse_file(&config, "-p 2\n\0", 6), -EINVAL);
}

static void what_is_too_much(struct test *t)
{
	static struct record_config config;
	static char text[OPTION_FILE_BYTES + 1];

	memset(text, '\n', sizeof(text));
	CHECK_INT(t, parse_file(&config, text, OPTION_FILE_BYTES), -EINVAL);
	CHECK_INT(t, parse_file(&config, text, OPTION_FILE_BYTES - 1), 0);
	text[0] = '\0';
	for (int i = 0; i < OPTION_FILE_LINES - 1; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "-u\n");
	CHECK_INT(t, parse_file_text(&config, text), 0);
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "-u\n");
	CHECK_INT(t, parse_file_text(&config, text), -EINVAL);
}

/* --- rules of --trigger --- */

static void waits(struct test *t)
{
	struct trigger_rule rule;

	REQUIRE(t, trigger_rule_parse("wait:D>500ms", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_WAIT && rule.states == 2 && !*rule.name);
	CHECK_INT(t, rule.value, 500 * MILLISECOND);
	REQUIRE(t, trigger_rule_parse("wait:comm=/^a>b$/>2", &rule) == 0);
	CHECK_STR(t, rule.name, "^a>b$");
	CHECK_INT(t, rule.value, 2 * SECOND);
	REQUIRE(t, trigger_rule_parse("wait:DS,comm=/x/>1m", &rule) == 0);
	CHECK(t, rule.states == 3 && !strcmp(rule.name, "x") && rule.value == 60 * SECOND);
	REQUIRE(t, trigger_rule_parse("wait>1s", &rule) == 0);
	CHECK(t, !rule.states && !*rule.name);
	REQUIRE(t, trigger_rule_parse("runq:comm=/db/>50ms", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_RUNQ && rule.value == 50 * MILLISECOND);
	REQUIRE(t, trigger_rule_parse("stuck:D>5s", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_STUCK && rule.value == 5 * SECOND);
}

static void shares(struct test *t)
{
	struct trigger_rule rule;

	REQUIRE(t, trigger_rule_parse("psi:cpu.some>30%/2s", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_PSI && rule.pressure == PRESSURE_CPU && !rule.full && !*rule.name);
	CHECK_INT(t, rule.value, 3000);
	CHECK_INT(t, rule.window, 2 * SECOND);
	REQUIRE(t, trigger_rule_parse("psi:system.slice/db/io.full>0.5%/500ms", &rule) == 0);
	CHECK(t, rule.pressure == PRESSURE_IO && rule.full && rule.value == 50);
	CHECK_STR(t, rule.name, "system.slice/db");
	REQUIRE(t, trigger_rule_parse("cpu:/sys/fs/cgroup/a>b>180%/5s", &rule) == 0);
	CHECK_STR(t, rule.name, "/sys/fs/cgroup/a>b");
	CHECK(t, rule.kind == TRIGGER_CPU && rule.value == 18000 && rule.window == 5 * SECOND);
}

static void mistakes(struct test *t)
{
	static const char *const rules[] = {
		"", "x", "wait", "wait:", "wait:>1s", "wait:Q>1s", "wait:D1s", "wait:D>", "wait:D>1x", "wait:D>0",
		"wait:D>1s/2s", "wait:comm>1s", "wait:comm=x>1s", "wait:comm=/x>1s", "wait:comm=//>1s", "runq:D>1s",
		"stuck:S>1s", "psi", "psi:disk.some>1%/2s", "psi:cpu>1%/2s", "psi:cpu.some>1/2s", "psi:cpu.some>1%",
		"psi:cpu.some>101%/2s", "psi:cpu.some>1%/20s", "psi:cpu.some>1%/100ms", "cpu:>1%/2s", "cpu:a>1%",
		"cpu:a", "exec:", "exec:x", "exec:/10s", "exec:'x/10s", "exec:x/0.5", "exec:'x'y/1s",
	};
	struct trigger_rule rule;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!CHECK_INT(t, trigger_rule_parse(rules[i], &rule), -EINVAL))
			printf("# %s\n", rules[i]);
}

/* --- what BPF programs match: the oracle is regexec() --- */

static void random_text(struct random *random, char *text, size_t most)
{
	size_t length = random_below(random, most + 1);

	for (size_t i = 0; i < length; i++)
		text[i] = "aaaabbb/:- \303"[random_below(random, 12)];
	text[length] = '\0';
}

static void random_pattern(struct random *random, char text[static 256])
{
	bool group = !random_below(random, 3);
	size_t used = 0;

#define PUT(...) (used += (size_t)snprintf(text + used, 256 - used, __VA_ARGS__))
	PUT("%s", group ? random_below(random, 2) ? "^(" : "(" : "");
	for (uint64_t names = 1 + random_below(random, 4); names; names--) {
		char name[20];

		random_text(random, name, random_below(random, 12) ? 3 : 17);
		PUT("%s%s%s%s%s", random_below(random, 2) ? "^" : "", name, random_below(random, 8) ? "" : ".*",
		    random_below(random, 3) ? "" : "$", names > 1 ? "|" : "");
	}
	PUT("%s", group ? random_below(random, 2) ? ")$" : ")" : "");
}

static void agrees_with_the_c_library(struct test *t)
{
	const unsigned int patterns = test_rounds(4000);
	struct random random = random_make(10);
	unsigned long known = 0, pairs = 0, matches = 0;

	for (unsigned int i = 0; i < patterns; i++) {
		struct comm_names names;
		char pattern[256];
		regex_t regex;

		random_pattern(&random, pattern);
		REQUIRE(t, !comm_pattern_compile(pattern, &regex));
		if (comm_pattern_names(pattern, &names)) {
			known++;
			for (int n = 0; n < 40; n++, pairs++) {
				char comm[COMM_BYTES + 1];
				bool wanted;

				memset(comm, 'a', sizeof(comm)); /* garbage behind the end */
				random_text(&random, comm, random_below(&random, 2) ? 3 : COMM_BYTES - 1);
				wanted = !regexec(&regex, comm, 0, NULL, 0);
				matches += wanted;
				test_check(t, comm_names_match(&names, comm) == wanted, "-c '%s' on '%s': not %d",
					   pattern, comm, wanted);
			}
		}
		regfree(&regex);
	}
	CHECK(t, known > patterns / 2 && matches > pairs / 20 && matches < pairs - pairs / 20);
}

TEST_MAIN(TEST(points_with_durations), TEST(refuses), TEST(one_to_a_line),
	  TEST(mistakes_are_refused), TEST(what_is_too_much), TEST(waits), TEST(shares),
	  TEST(mistakes), TEST(agrees_with_the_c_library))
