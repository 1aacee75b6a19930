/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/options/options.h"

#include <stdbool.h>
#include <unistd.h>

#include "common/time_units.h"
#include "common/unconst.h"
#include "tests/test.h"

struct config {
	bool user, force;
	int64_t seconds, top, wait;
	const char *output, *parsed;
	struct option_list pids;
};

static int parse_state(void *config, const char *value)
{
	struct config *c = config;

	c->parsed = value ? value : "(none)";
	return value && !strcmp(value, "bad") ? -EINVAL : 0;
}

#define AT(member) offsetof(struct config, member)

static const struct option_row rows[] = {
	{"What", "profile", 'p', TAKES_NUMBER("N", AT(seconds), 0, 1000), .help = "sample the CPUs for N seconds"},
	{"What", "user", 'u', TAKES_NOTHING(AT(user)), .help = "user stacks too, by frame pointer, which needs \
programs that keep it and gives one frame where they do not"},
	{"Output", "output", 'o', TAKES_TEXT("FILE", AT(output)), .help = "write to FILE\nor to stdout", .often = true},
	{"Output", "force", 0, TAKES_NOTHING(AT(force)), .help = "overwrite"},
	{"What", "pid", 0, TAKES_LIST("LIST", AT(pids)), .help = "these processes"},
	{"What", "state", 's', IS_PARSED("[STATE]", parse_state), .help = "those in a state"},
	{"What", "top-waits", 't', TAKES_NUMBER("[=N]", AT(top), 20, 100), .help = "the longest"},
	{NULL, "sum", 0, TAKES_NUMBER("N", AT(top), -50, 50), .help = "an alias nobody sees"},
	{NULL, "wait", 'w', TAKES_TIME("TIME", AT(wait), SECOND, MILLISECOND, 100 * SECOND), .help = "a time"},
	{NULL, "least", 'm', TAKES_TIME("US", AT(wait), MICROSECOND, 0, SECOND), .help = "a short time"},
	{0},
};

static const struct option_habit habits[] = {
	{"--tree", "belongs to rwalker-report"},
	{"-g", "here is -u"},
	{"--state STATE", "here is --pid"},
	{"record", "is not needed"},
	{NULL, NULL},
};

static const char *const examples[] = {"program -p 5", NULL};
static const struct option_set set = {.usage = "program [options]", .examples = examples, .rows = rows,
				      .habits = habits};

enum { WORDS = 8 };

static const struct {
	const char *argv[WORDS];
	int r;
	struct config config;
	const char *words[3];
	int rest; /* how many words are left */
} table[] = {
	{.argv = {NULL}},
	{.argv = {"-p", "5"}, .config = {.seconds = 5}},
	{.argv = {"-p5"}, .config = {.seconds = 5}},
	{.argv = {"-up5"}, .config = {.seconds = 5, .user = true}},
	{.argv = {"-pu"}, .r = -EINVAL},
	{.argv = {"--profile", "5"}, .config = {.seconds = 5}},
	{.argv = {"--profile=5"}, .config = {.seconds = 5}},
	{.argv = {"--profile=0", "-p", "1000"}, .config = {.seconds = 1000}},
	{.argv = {"-p", "1001"}, .r = -EINVAL},
	{.argv = {"-p", "-1"}, .r = -EINVAL},
	{.argv = {"-p", "5x"}, .r = -EINVAL},
	{.argv = {"-p", ""}, .r = -EINVAL},
	{.argv = {"-p", " 5"}, .r = -EINVAL},
	{.argv = {"-p", "+5"}, .r = -EINVAL},
	{.argv = {"-p", "0x5"}, .r = -EINVAL},
	{.argv = {"-p", "99999999999999999999999"}, .r = -EINVAL},
	{.argv = {"-p"}, .r = -EINVAL},
	{.argv = {"--profile"}, .r = -EINVAL},
	{.argv = {"--profile="}, .r = -EINVAL},
	{.argv = {"-p", "--user"}, .r = -EINVAL},
	{.argv = {"--sum=-50"}, .config = {.top = -50}},
	{.argv = {"--user=1"}, .r = -EINVAL},
	{.argv = {"--prof", "5"}, .r = -EINVAL}, /* no abbreviations */
	{.argv = {"--profiles=5"}, .r = -EINVAL},
	{.argv = {"--"}},
	{.argv = {"-x"}, .r = -EINVAL},
	{.argv = {"-ux"}, .r = -EINVAL},
	{.argv = {"--=5"}, .r = -EINVAL},
	{.argv = {"---"}, .r = -EINVAL},
	{.argv = {"--tree"}, .r = -EINVAL},
	{.argv = {"-w", "5"}, .config = {.wait = 5 * SECOND}},
	{.argv = {"-w0.5"}, .config = {.wait = SECOND / 2}},
	{.argv = {"--wait=1.5m"}, .config = {.wait = 90 * SECOND}},
	{.argv = {"-w", "500ms"}, .config = {.wait = SECOND / 2}},
	{.argv = {"-m", "2ms"}, .config = {.wait = 2 * MILLISECOND}},
	{.argv = {"-m", "7"}, .config = {.wait = 7 * MICROSECOND}},
	{.argv = {"-w", "999us"}, .r = -EINVAL},
	{.argv = {"-w", "101"}, .r = -EINVAL},
	{.argv = {"-w", "5 s"}, .r = -EINVAL},
	{.argv = {"-force"}, .r = -EINVAL}, /* one dash, but no bundle */
	{.argv = {"-tree"}, .r = -EINVAL},
	{.argv = {"-o", "-", "-u"}, .config = {.output = "-", .user = true}},
	{.argv = {"-o-u"}, .config = {.output = "-u"}},
	{.argv = {"--output=a=b"}, .config = {.output = "a=b"}},
	{.argv = {"--output="}, .config = {.output = ""}},
	{.argv = {"a", "-u", "-", "b"}, .config = {.user = true}, .words = {"a", "-", "b"}},
	{.argv = {"a", "--", "-u", "b"}, .words = {"a"}, .rest = 2},
	{.argv = {"--", "--"}, .rest = 1},
	{.argv = {"-o", "--", "-u"}, .config = {.output = "--", .user = true}},
	{.argv = {"--pid", "1", "--pid=2-4"}, .config = {.pids = {{"1", "2-4"}, 2}}},
	{.argv = {"--state"}, .config = {.parsed = "(none)"}},
	{.argv = {"--state", "D"}, .config = {.parsed = "(none)"}, .words = {"D"}},
	{.argv = {"--state=D"}, .config = {.parsed = "D"}},
	{.argv = {"--state=bad"}, .r = -EINVAL, .config = {.parsed = "bad"}},
	{.argv = {"-su"}, .config = {.parsed = "(none)", .user = true}},
	{.argv = {"--top-waits"}, .config = {.top = 20}},
	{.argv = {"--top-waits=30"}, .config = {.top = 30}},
	{.argv = {"--top-waits=3"}, .r = -EINVAL},
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_list(const struct option_list *a, const struct option_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_text(a->items[i], b->items[i]))
			return false;
	return true;
}

static bool same_config(const struct config *a, const struct config *b)
{
	return a->user == b->user && a->force == b->force && a->seconds == b->seconds && a->top == b->top &&
	       a->wait == b->wait &&
	       same_text(a->output, b->output) && same_text(a->parsed, b->parsed) && same_list(&a->pids, &b->pids);
}

/* Runs options_parse with stderr in `text`. */
static int parse(const char *const *words_in, struct config *config, struct option_list *words, int *ret_left,
		 char *text, size_t room)
{
	char *argv[2 * OPTION_LIST_MAX + WORDS] = {(char *)"program"};
	int argc = 1, rest = -1, r, saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	ssize_t length;

	while (*words_in)
		argv[argc++] = unconst(*words_in++);
	(void)dup2(fileno(file), STDERR_FILENO);
	r = options_parse(&set, config, words, argc, argv, &rest);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	length = pread(fileno(file), text, room - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	(void)fclose(file);
	*ret_left = r ? 0 : argc - rest;
	return r;
}

static void parses_the_table(struct test *t)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct option_list words = {0}, wanted = {0};
		struct config config = {0};
		char text[512];
		int left, r = parse(table[i].argv, &config, &words, &left, text, sizeof(text));

		while (wanted.count < 3 && table[i].words[wanted.count]) {
			wanted.items[wanted.count] = table[i].words[wanted.count];
			wanted.count++;
		}
		test_check(t, r == table[i].r, "row %zu (%s): %d, not %d", i, table[i].argv[0], r, table[i].r);
		test_check(t, left == table[i].rest, "row %zu (%s): %d words left", i, table[i].argv[0], left);
		if (!r)
			test_check(t, same_config(&config, &table[i].config) && same_list(&words, &wanted),
				   "row %zu (%s): another config", i, table[i].argv[0]);
		if (strcmp("bad", config.parsed ? config.parsed : ""))
			test_check(t, !r == !text[0], "row %zu (%s): says \"%s\"", i, table[i].argv[0], text);
	}
}

/* The error is named, with what to do about it. */
static void says_what_is_wrong(struct test *t)
{
	static const struct {
		const char *argv[3], *wanted;
	} cases[] = {
		{{"--proflie"}, "'--proflie'; did you mean '--profile'?"},
		{{"--pro=5"}, "'--pro'; did you mean '--profile'?"},
		{{"--outptu"}, "did you mean '--output'?"},
		{{"--zzzzzz"}, "unknown option '--zzzzzz'; see --help"},
		{{"-x"}, "unknown option '-x'"},
		{{"-p", "many"}, "-p expects a number, not 'many'"},
		{{"--profile=2000"}, "--profile must be from 0 to 1000, not 2000"},
		{{"-o"}, "-o requires a value: FILE"},
		{{"--tree"}, "'--tree' belongs to rwalker-report"},
		{{"-g"}, "'-g' here is -u"},
		{{"-ug5"}, "'-g' here is -u"},
		{{"-output"}, "'-output' has one dash: did you mean '--output'?"},
		{{"-tree=5"}, "'-tree=5' has one dash: did you mean '--tree'?"},
		{{"-w", "soon"}, "-w expects a time such as 5, 0.5, 500ms or 2m, not 'soon'"},
		{{"-m", "soon"}, "-m expects a time such as 1000 (microseconds), 50us or 2ms, not 'soon'"},
		{{"-w", "0"}, "-w must be from 0.001s to 100s, not 0"},
		{{"--user=yes"}, "--user takes no value"},
		{{"--\033[31m"}, "'--\\x1b[31m'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct option_list words = {0};
		struct config config = {0};
		char text[512];
		int left;

		CHECK_INT(t, parse(cases[i].argv, &config, &words, &left, text, sizeof(text)), -EINVAL);
		test_check(t, strstr(text, cases[i].wanted) != NULL, "\"%s\" lacks \"%s\"", text, cases[i].wanted);
		CHECK(t, strchr(text, '\n') == text + strlen(text) - 1); /* one line */
	}
}

static void lists_are_bounded(struct test *t)
{
	const char *argv[OPTION_LIST_MAX + 2] = {0};
	struct option_list words = {0};
	struct config config = {0};
	char text[512];
	int left;

	for (int i = 0; i < OPTION_LIST_MAX; i++)
		argv[i] = "--pid=1";
	CHECK_INT(t, parse(argv, &config, &words, &left, text, sizeof(text)), 0);
	CHECK_INT(t, config.pids.count, OPTION_LIST_MAX);
	argv[OPTION_LIST_MAX] = "--pid=1";
	config.pids.count = 0;
	CHECK_INT(t, parse(argv, &config, &words, &left, text, sizeof(text)), -EINVAL);
	for (int i = 0; i <= OPTION_LIST_MAX; i++)
		argv[i] = "word";
	CHECK_INT(t, parse(argv, &config, &words, &left, text, sizeof(text)), -EINVAL);
	argv[1] = NULL; /* a program that takes no words */
	CHECK_INT(t, parse(argv, &config, NULL, &left, text, sizeof(text)), -EINVAL);
}

static void parses_lists(struct test *t)
{
	static const struct {
		const char *text;
		int r;
		uint64_t low, high;
	} cases[] = {
		{"0", 0, 1, 0},		  {"1,4-7", 0, 0xf2, 0},       {"7,1,1-2", 0, 0x86, 0},
		{"63-64", 0, UINT64_C(1) << 63, 1},
		{"0-99", 0, UINT64_MAX, 0xfffffffff},
		{"099", 0, 0, UINT64_C(1) << 35},
		{"", -EINVAL, 0, 0},	  {",", -EINVAL, 0, 0},	       {"1,", -EINVAL, 0, 0},
		{",1", -EINVAL, 0, 0},	  {"1,,2", -EINVAL, 0, 0},     {"4-1", -EINVAL, 0, 0},
		{"-1", -EINVAL, 0, 0},	  {"1-", -EINVAL, 0, 0},       {"1-2-3", -EINVAL, 0, 0},
		{" 1", -EINVAL, 0, 0},	  {"1 ", -EINVAL, 0, 0},       {"1, 2", -EINVAL, 0, 0},
		{"+1", -EINVAL, 0, 0},	  {"0x1", -EINVAL, 0, 0},      {"a", -EINVAL, 0, 0},
		{"100", -ERANGE, 0, 0},	  {"5-100", -ERANGE, 0, 0},    {"99999999999999999999999", -ERANGE, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t bitmap[3] = {42, 42, 42};
		int r = options_parse_list(cases[i].text, bitmap, 100);

		test_check(t, r == cases[i].r, "\"%s\": %d, not %d", cases[i].text, r, cases[i].r);
		if (!r)
			test_check(t, bitmap[0] == cases[i].low && bitmap[1] == cases[i].high, "\"%s\": %llx %llx",
				   cases[i].text, (unsigned long long)bitmap[1], (unsigned long long)bitmap[0]);
		CHECK_INT(t, bitmap[2], 42); /* nothing beyond the end */
	}
}

TEST_MAIN(TEST(parses_the_table), TEST(says_what_is_wrong), TEST(lists_are_bounded),
	  TEST(parses_lists))
