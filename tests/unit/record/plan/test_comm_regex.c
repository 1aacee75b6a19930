/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The oracle is glibc's regcomp and regexec in the C locale. It is never given a newline:
 * after one it takes "^" for the beginning although REG_NEWLINE is not set (2.36), which
 * POSIX does not allow.
 */
#include "record/plan/comm_regex.h"

#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/plan/comm_regex_internal.h"
#include "tests/random.h"
#include "tests/test.h"

enum { PATTERN_ROOM = 1200 };

static bool glibc_matches(const regex_t *regex, const char *comm)
{
	return !regexec(regex, comm, 0, NULL, 0);
}

/* Both of our engines; the comm is in a buffer of its own size, with garbage after the NUL. */
static void compare_one(struct test *t, const struct comm_regex *ours, const regex_t *theirs, const char *pattern,
			const char *comm)
{
	struct comm_regex nfa_only = {.nfa = ours->nfa};
	bool wanted = glibc_matches(theirs, comm);
	char buffer[COMM_REGEX_BYTES];

	memset(buffer, 'a', sizeof(buffer));
	memcpy(buffer, comm, strlen(comm) + 1);
	test_check(t, comm_regex_match(ours, buffer) == wanted, "-c '%s' on '%s': not %d", pattern, comm, wanted);
	test_check(t, comm_regex_match(&nfa_only, buffer) == wanted,
		   "-c '%s' on '%s' by nfa: not %d", pattern, comm, wanted);
}

/* Refusals are frequent here, and each prints its reason on stderr. */
static int init_quietly(struct comm_regex *regex, const char *pattern)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), saved = dup(STDERR_FILENO), r;

	(void)dup2(null, STDERR_FILENO);
	r = comm_regex_init(regex, pattern);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	(void)close(null);
	return r;
}

/* --- random regular expressions within what POSIX defines --- */

struct writer {
	struct random random;
	char text[PATTERN_ROOM];
	size_t used;
	unsigned int repeats; /* left to use; glibc's compiler is exponential in nested ones */
};

static unsigned int pick(struct writer *writer, unsigned int bound)
{
	return (unsigned int)random_below(&writer->random, bound);
}

static void put(struct writer *writer, const char *text)
{
	size_t length = strlen(text);

	if (length < sizeof(writer->text) - writer->used)
		memcpy(writer->text + writer->used, text, length + 1);
	writer->used += length < sizeof(writer->text) - writer->used ? length : 0;
}

#define PUT_ONE_OF(writer, ...)                                                       \
	do {                                                                          \
		static const char *const choices[] = {__VA_ARGS__};                   \
		put(writer, choices[pick(writer, sizeof(choices) / sizeof(*choices))]); \
	} while (0)

static void put_alternatives(struct writer *writer, unsigned int depth);

static void put_atom(struct writer *writer, unsigned int depth)
{
	switch (pick(writer, depth ? 9 : 7)) {
	case 0:
		PUT_ONE_OF(writer, ".", "[ab]", "[^a]", "[a-c/]", "[[:digit:]:]", "[^[:alpha:]]",
			   "[]a]", "[^]-]", "[-k]", "[k-]", "[[.a.]-c[=/=]]", "[\\w]", "[+--]",
			   "[[:space:][:punct:]]", "[\200-\377]", "[^\303]", "[.]", "[[]");
		break;
	case 1:
		PUT_ONE_OF(writer, "\\.", "\\*", "\\[", "\\(", "\\)", "\\{", "\\|", "\\\\", "\\^",
			   "\\$", "\\+", "\\?", "]", "}", "\303", "/", ":", "-", "=");
		break;
	case 7:
	case 8:
		put(writer, "(");
		put_alternatives(writer, depth - 1);
		put(writer, ")");
		break;
	default:
		PUT_ONE_OF(writer, "a", "b", "c", "k", "0", "1");
	}
}

static void put_piece(struct writer *writer, unsigned int depth)
{
	size_t start = writer->used;

	if (!pick(writer, 10)) {
		PUT_ONE_OF(writer, "^", "$");
		return;
	}
	put_atom(writer, depth);
	if (writer->text[start] != '(' && !pick(writer, 8)) {
		PUT_ONE_OF(writer, "{17}", "{3,20}", "{2,3}", "{5}");
		return;
	}
	for (; writer->repeats && !pick(writer, 3); writer->repeats--)
		PUT_ONE_OF(writer, "*", "+", "?", "{0}", "{1,}", "{0,2}", "{,1}", "{2}", "{0,}");
}

static void put_alternatives(struct writer *writer, unsigned int depth)
{
	unsigned int branches = 1 + (pick(writer, 3) == 0) + (pick(writer, 9) == 0);

	for (unsigned int i = 0; i < branches; i++) {
		put(writer, i ? "|" : "");
		for (unsigned int pieces = pick(writer, 20) ? 1 + pick(writer, 4) : 0; pieces; pieces--)
			put_piece(writer, depth);
	}
}

static void random_comm(struct random *random, char comm[static COMM_REGEX_BYTES])
{
	static const char bytes[] = "aaaaabbbbbccckk001/:-. \\]\303\200\377*A_";
	size_t length = random_below(random, COMM_REGEX_BYTES),
	       kinds = random_below(random, 3) ? 10 : sizeof(bytes) - 1;

	for (size_t i = 0; i < length; i++)
		comm[i] = bytes[random_below(random, kinds)];
	comm[length] = '\0';
}

static void agrees_with_glibc(struct test *t)
{
	enum { COMMS = 40 };
	const unsigned int patterns = test_rounds(4000);
	struct writer writer = {.random = random_make(10)};
	unsigned long pairs = 0, matches = 0, fitting = 0;

	for (unsigned int i = 0; i < patterns; i++) {
		struct comm_regex ours;
		regex_t theirs;

		writer.used = 0;
		writer.text[0] = '\0';
		writer.repeats = 5;
		put_alternatives(&writer, 3);
		if (init_quietly(&ours, writer.text) == -E2BIG)
			continue;
		if (!test_check(t, !regcomp(&theirs, writer.text, REG_EXTENDED | REG_NOSUB),
				"glibc refuses '%s'", writer.text))
			continue;
		if (!test_check(t, ours.nfa != NULL, "we refuse '%s'", writer.text))
			continue;
		fitting += ours.fits;
		for (int n = 0; n < COMMS; n++, pairs++) {
			char comm[COMM_REGEX_BYTES];

			random_comm(&writer.random, comm);
			compare_one(t, &ours, &theirs, writer.text, comm);
			matches += comm_regex_match(&ours, comm);
		}
		regfree(&theirs);
		comm_regex_deinit(&ours);
	}
	printf("# %lu pairs, %lu match, %lu of %u patterns fit the table\n", pairs, matches, fitting, patterns);
	CHECK(t, pairs >= 25 * patterns && matches > pairs / 20 && matches < pairs - pairs / 20);
	CHECK(t, fitting > patterns * 8 / 10);
}

/* Text that is often no regex at all: whatever we accept, glibc accepts and matches alike. */
static void takes_no_nonsense(struct test *t)
{
	static const char bytes[] = "aab.*+?{},12()()[]^-|$[:alpha:]=\\";
	struct random random = random_make(11);
	const unsigned int texts = test_rounds(30000);
	unsigned int taken = 0, refused = 0;

	for (unsigned int i = 0; i < texts; i++) {
		char pattern[12] = "", comm[COMM_REGEX_BYTES];
		struct comm_regex ours;
		regex_t theirs;

		for (size_t n = 0, length = random_below(&random, sizeof(pattern)); n < length; n++)
			pattern[n] = bytes[random_below(&random, sizeof(bytes) - 1)];
		if (init_quietly(&ours, pattern)) {
			refused++;
			continue;
		}
		taken++;
		if (test_check(t, !regcomp(&theirs, pattern, REG_EXTENDED | REG_NOSUB),
			       "glibc refuses '%s'", pattern)) {
			for (int n = 0; n < 5; n++) {
				random_comm(&random, comm);
				compare_one(t, &ours, &theirs, pattern, comm);
			}
			regfree(&theirs);
		}
		comm_regex_deinit(&ours);
	}
	printf("# %u taken, %u refused\n", taken, refused);
	CHECK(t, taken > texts / 30 && refused > texts / 30);
}

static void agrees_on_what_people_write(struct test *t)
{
	static const char *const patterns[] = {
		"kworker/.*", "^kworker/[0-9]+:[0-9]+H?$", "^(a|b)*$", "java|node", "", "()",
		"a||b", "|a", "a|", "(|a)b", "^", "$", "^$", "$^",
		"a^b", "a$b", "(^a)", "(a$)", "(^|/)k", "x*", "^x*$", "[[:upper:]]", "^[^k]", "[]]",
		"[^]]", "[a-]", "a{0}", "^a{3}$", "a{15}", "a{16}", "a{15,}", "^.{15}$", "^.{0,3}$",
		"(ab){2,}", "((a*)*)*b", "(a|ab)(c|bcd)", "^(ab|a)(bc|c)?$", "\\.so", "C2 Compiler",
		"\303\244", "^.\303", "(((((((((a)))))))))", "(^|a){20}b", "(a?){20}$",
	};
	static const char *const comms[] = {
		"", "a", "b", "ab", "abc", "abcd", "kworker/0:1", "kworker/u8:2H", "xkworker/",
		"java", "node", "nodejs", "c", "aaa", "aaaaaaaaaaaaaaa",
		"aaaaaaaaaaaaaab", "x", "]", "-", "lib.so", "C2 CompilerThre", "\303\244", "/k",
		"k", "bcd", "abab", "(sd-pam)", "a\nb", "\n", "swapper/0",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct comm_regex ours;
		regex_t theirs;

		if (!test_check(t, !comm_regex_init(&ours, patterns[i]), "we refuse '%s'", patterns[i]) ||
		    !test_check(t, !regcomp(&theirs, patterns[i], REG_EXTENDED | REG_NOSUB),
				"glibc refuses '%s'", patterns[i]))
			continue;
		test_check(t, ours.fits, "'%s' does not fit", patterns[i]);
		for (size_t n = 0; n < sizeof(comms) / sizeof(*comms); n++)
			compare_one(t, &ours, &theirs, patterns[i], comms[n]);
		regfree(&theirs);
		comm_regex_deinit(&ours);
	}
}

/* Every byte with every class, and a comm that fills its sixteen bytes without a NUL. */
static void knows_every_byte(struct test *t)
{
	static const char *const patterns[] = {
		"^[[:alnum:]]", "^[[:alpha:]]", "^[[:blank:]]", "^[[:cntrl:]]", "^[[:digit:]]",
		"^[[:graph:]]", "^[[:lower:]]", "^[[:print:]]", "^[[:punct:]]", "^[[:space:]]",
		"^[[:upper:]]", "^[[:xdigit:]]", "^.$", "^[^a]$", "^[\001-\377]$",
	};
	char full[COMM_REGEX_BYTES]; /* without a NUL */
	struct comm_regex ours;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		regex_t theirs;

		REQUIRE(t, !comm_regex_init(&ours, patterns[i]));
		REQUIRE(t, !regcomp(&theirs, patterns[i], REG_EXTENDED | REG_NOSUB));
		for (int byte = 1; byte < 256; byte++)
			compare_one(t, &ours, &theirs, patterns[i], (char[]){(char)byte, '\0'});
		regfree(&theirs);
		comm_regex_deinit(&ours);
	}
	REQUIRE(t, !comm_regex_init(&ours, "^a{15}$"));
	memset(full, 'a', sizeof(full));
	CHECK(t, comm_regex_match(&ours, full));
	CHECK(t, comm_regex_match(&(struct comm_regex){.nfa = ours.nfa}, full));
	comm_regex_deinit(&ours);
}

/* POSIX regcomp(), for patterns without REG_NEWLINE: a newline is a byte like any other. */
static void a_newline_is_a_byte(struct test *t)
{
	static const struct {
		const char *pattern, *comm;
		bool wanted;
	} cases[] = {
		{"a.b", "a\nb", true}, {"a[^x]b", "a\nb", true}, {"^b", "a\nb", false}, {"[^x]^b", "a\nb", false},
		{"a$", "a\nb", false}, {"b$", "a\nb", true},	  {"^\n$", "\n", true},  {"^$", "\n", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char comm[COMM_REGEX_BYTES] = "";
		struct comm_regex regex;

		memcpy(comm, cases[i].comm, strlen(cases[i].comm));
		REQUIRE(t, !comm_regex_init(&regex, cases[i].pattern));
		test_check(t, comm_regex_match(&regex, comm) == cases[i].wanted, "row %zu", i);
		test_check(t, comm_regex_match(&(struct comm_regex){.nfa = regex.nfa},
					       comm) == cases[i].wanted, "row %zu", i);
		comm_regex_deinit(&regex);
	}
}

static const struct {
	const char *pattern, *why;
} refused[] = {
	{"(a)\\1", "back-reference"},	{"\\d+", "undefined"},
	{"\\bin", "undefined"},		{"\\<in", "anchor"},
	{"(a", "unmatched '('"},	{"a)", "unmatched ')'"},
	{"*a", "nothing to repeat"},	{"a|+", "nothing to repeat"},
	{"(?:a)", "nothing to repeat"},	{"^*", "nothing to repeat"},
	{"{1}", "nothing to repeat"},	{"a{1", "interval"},
	{"a{2,1}", "before it begins"},	{"a{99999}", "too large a count"},
	{"a{x}", "interval"},		{"[a", "unmatched '['"},
	{"[b-a]", "before it begins"},	{"[[:foo:]]", "unknown"},
	{"[[:alpha:]-z]", "range"},	{"[a-[:alpha:]]", "range"},
	{"[[.ab.]]", "collating"},	{"[[:alpha", "unmatched '[:'"},
	{"[a-b-c]", "'-'"},		{"a\\", "trailing"},
	{"[", "unmatched '['"},		{"[^", "unmatched '['"},
	{"[[.", "'[.'"},		{"[a-", "unmatched '['"},
};

static void refuses_and_says_why(struct test *t)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		FILE *file = tmpfile();
		int saved = dup(STDERR_FILENO);
		struct comm_regex regex;
		char text[512] = "";

		REQUIRE(t, file && saved >= 0);
		(void)dup2(fileno(file), STDERR_FILENO);
		CHECK_INT(t, comm_regex_init(&regex, refused[i].pattern), -EINVAL);
		(void)dup2(saved, STDERR_FILENO);
		(void)close(saved);
		CHECK(t, pread(fileno(file), text, sizeof(text) - 1, 0) > 0);
		(void)fclose(file);
		test_check(t, strstr(text, refused[i].pattern) && strstr(text, refused[i].why), "'%s' gives: %s",
			   refused[i].pattern, text);
	}
}

/* A pattern that needs more states than the table has still matches, by the other engine. */
static void what_does_not_fit_matches(struct test *t)
{
	static const char pattern[] = "(a|b)*a(a|b){10}c|^[0-9a-f]{3}x";
	struct random random = random_make(12);
	struct comm_regex ours;
	regex_t theirs;

	REQUIRE(t, !comm_regex_init(&ours, pattern) && !regcomp(&theirs, pattern, REG_EXTENDED | REG_NOSUB));
	CHECK(t, !ours.fits);
	for (int i = 0; i < 5000; i++) {
		char comm[COMM_REGEX_BYTES];

		random_comm(&random, comm);
		if (strlen(comm) > 12) /* else few match */
			comm[12] = i % 2 ? 'c' : comm[12];
		compare_one(t, &ours, &theirs, pattern, comm);
	}
	compare_one(t, &ours, &theirs, pattern, "abababababac");
	regfree(&theirs);
	comm_regex_deinit(&ours);
}

static void is_bounded(struct test *t)
{
	static const char *const patterns[] = {
		"(((((((x{9}){9}){9}){9}){9}){9}){9}){9}",
		"(){16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}",
		"(x{0}){16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}{16}",
	};
	static char deep[2 * REGEX_MAX_DEPTH + 8], large[REGEX_MAX_PATTERN + 2];
	struct comm_regex regex;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		CHECK_INT(t, init_quietly(&regex, patterns[i]), -E2BIG);
	memset(deep, '(', REGEX_MAX_DEPTH);
	memset(deep + REGEX_MAX_DEPTH, ')', REGEX_MAX_DEPTH);
	REQUIRE(t, !init_quietly(&regex, deep));
	comm_regex_deinit(&regex);
	memset(deep, '(', REGEX_MAX_DEPTH + 1);
	CHECK_INT(t, init_quietly(&regex, deep), -E2BIG);
	memset(large, 'a', REGEX_MAX_PATTERN);
	REQUIRE(t, !init_quietly(&regex, large));
	CHECK(t, !comm_regex_match(&regex, "aaaaaaaaaaaaaaa"));
	comm_regex_deinit(&regex);
	large[REGEX_MAX_PATTERN] = 'a';
	CHECK_INT(t, init_quietly(&regex, large), -E2BIG);
}

/* What the mask tells the verifier also holds by construction. */
static void an_empty_table_matches_nothing(struct test *t)
{
	static const struct comm_regex_table none;

	CHECK(t, !comm_regex_table_match(&none, "aaaaaaaaaaaaaaa"));
	CHECK(t, sizeof(none) <= 16384);
}

TEST_MAIN(TEST(agrees_with_glibc), TEST(takes_no_nonsense), TEST(agrees_on_what_people_write), TEST(knows_every_byte),
	  TEST(a_newline_is_a_byte), TEST(refuses_and_says_why),
	  TEST(what_does_not_fit_matches), TEST(is_bounded), TEST(an_empty_table_matches_nothing))
