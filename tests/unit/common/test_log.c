/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/log.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

struct capture {
	FILE *file;
	int saved;
	char text[32768];
};

static void capture_start(struct capture *capture)
{
	capture->file = tmpfile();
	capture->saved = dup(STDERR_FILENO);
	(void)dup2(fileno(capture->file), STDERR_FILENO);
}

static const char *capture_stop(struct capture *capture)
{
	ssize_t length;

	(void)dup2(capture->saved, STDERR_FILENO);
	(void)close(capture->saved);
	length = pread(fileno(capture->file), capture->text, sizeof(capture->text) - 1, 0);
	capture->text[length > 0 ? length : 0] = '\0';
	(void)fclose(capture->file);
	return capture->text;
}

/* The journal takes the level from the line, and has the name already. But it must really be the journal's end. */
static void levels_for_the_journal(struct test *t)
{
	struct capture capture;
	struct stat status;
	char stream[64];

	capture_start(&capture);
	(void)fstat(STDERR_FILENO, &status);
	(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		       (unsigned long long)status.st_ino);
	(void)setenv("JOURNAL_STREAM", stream, 1);
	(void)log_error(ENOENT, "no file '%s'", "x");
	log_warning("three");
	log_info("done");
	(void)setenv("JOURNAL_STREAM", "1:1", 1);
	log_info("elsewhere");
	(void)unsetenv("JOURNAL_STREAM");
	CHECK_STR(t, capture_stop(&capture),
		  "<3>error: no file 'x'\n<4>warning: three\n<6>done\ntest_log: elsewhere\n");
}

static void escapes_arguments(struct test *t)
{
	struct capture capture;

	capture_start(&capture);
	log_warning("comm '%s'", "\033[2J\nfake: error");
	CHECK_STR(t, capture_stop(&capture), "test_log: warning: comm '\\x1b[2J\\x0afake: error'\n");
}

/* Whatever its length, it is one line, and a truncated one says so. */
static void cuts_long_lines(struct test *t)
{
	static char argument[10000];
	static struct capture capture;

	for (size_t length = 4000; length < sizeof(argument); length += 100) {
		const char *text;

		memset(argument, '\033', length); /* each takes four bytes when escaped */
		argument[length] = '\0';
		capture_start(&capture);
		log_info("%s", argument);
		text = capture_stop(&capture);
		CHECK(t, strchr(text, '\n') == text + strlen(text) - 1);
		CHECK_INT(t, strstr(text, "...\n") != NULL, length + strlen("test_log: ") > 4607);
		CHECK(t, strlen(text) >= 4000);
	}
}

int main(void)
{
	static const struct test_case cases[] = {TEST(levels_for_the_journal),
						 TEST(escapes_arguments), TEST(cuts_long_lines)};
	static char name[] = "test_log"; /* whatever the program is called */

	program_invocation_short_name = name;
	return test_main(cases, sizeof(cases) / sizeof(*cases));
}
