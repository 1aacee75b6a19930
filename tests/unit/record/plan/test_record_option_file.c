/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --config: files of options, written by hand, and the same options on the command line. */
#include "record/plan/record_option_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/time_units.h"
#include "record/plan/record_options.h"
#include "tests/test.h"

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

static int parse(struct record_config *config, const char *text)
{
	return parse_file(config, text, strlen(text));
}

static void one_to_a_line(struct test *t)
{
	static struct record_config config;

	REQUIRE(t, !parse(&config, "# what is kept\n\n--flight 60s,32M\n\t-p\t0 \n--offcpu=0\r\n  --wakers\n-u\n"
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
		CHECK_INT(t, parse(&config, wrong[i]), -EINVAL);
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
	CHECK_INT(t, parse(&config, text), 0);
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "-u\n");
	CHECK_INT(t, parse(&config, text), -EINVAL);
}

TEST_MAIN(TEST(one_to_a_line), TEST(mistakes_are_refused), TEST(what_is_too_much))
