/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the BPF programs match, run here: the oracle is the C library's regexec(). */
#include "record/plan/comm_pattern.h"

#include "record/plan/filter.h"
#include "tests/random.h"
#include "tests/test.h"

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

static void what_is_no_pattern_is_refused(struct test *t)
{
	static const char *const refused[] = {"(a", "[a", "a{2,1}", "a\\", "*a", "a{99999}", "[[:foo:]]"};
	regex_t regex;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		test_check(t, comm_pattern_compile(refused[i], &regex) < 0, "'%s' is taken", refused[i]);
}

TEST_MAIN(TEST(agrees_with_the_c_library), TEST(what_is_no_pattern_is_refused))
