/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The name that somebody meant: edits counted by hand, names that begin with the word, ties, and
 * comparison with a plain recursive distance over many short words.
 */
#include "common/nearest.h"

#include <stdlib.h>

#include "tests/random.h"
#include "tests/test.h"

enum { MAX_NAMES = 8 };

static const char *nearest_of(const char *word, const char *const *names)
{
	struct nearest nearest = nearest_begin(word, strlen(word));

	for (; *names; names++)
		nearest_try(&nearest, *names);
	return nearest.name;
}

static void names_it(struct test *t)
{
	static const struct {
		const char *word;
		const char *names[MAX_NAMES + 1];
		const char *best; /* NULL: none is near */
	} cases[] = {
		{"sched_swich", {"sched_wakeup", "sched_switch", "sched_waking"}, "sched_switch"},
		{"vfs_wrte", {"vfs_read", "vfs_write", "vfs_writev"}, "vfs_write"},
		{"sched_switch", {"sched_switch"}, "sched_switch"},
		{"abc", {"xyz", "uvw"}, NULL},		     /* 3 edits; less than 3 are near */
		{"abc", {"xbz"}, "xbz"},			     /* 2 */
		{"abcdef", {"abxxxf"}, "abxxxf"},		     /* 3; less than 4 */
		{"abcdef", {"axxxxf"}, NULL},			     /* 4 */
		{"a", {"b"}, "b"},
		{"a", {"bc"}, NULL},
		{"net_dev", {"net_deb", "net_dev_queue"}, "net_dev_queue"}, /* a name that begins with it is the best */
		{"cat", {"cut", "cot", "bat"}, "cut"},		     /* equally good: the first */
		{"cut", {"bat", "cot"}, "cot"},			     /* 2 edits, 1 edit */
		{"", {"a", "b"}, "a"},
		{"abc", {NULL}, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_str(t, nearest_of(cases[i].word, cases[i].names), cases[i].best, cases[i].word);
}

/* Only the length of a word counts, even without a NUL. */
static void the_word_has_a_length(struct test *t)
{
	struct nearest nearest = nearest_begin("sched_swich:5", 11);

	nearest_try(&nearest, "sched_switch");
	CHECK_STR(t, nearest.name, "sched_switch");
	CHECK_INT(t, nearest.least, 1);
}

static void long_names_are_no_harm(struct test *t)
{
	char word[300], name[300];
	struct nearest nearest;

	memset(word, 'a', sizeof(word));
	memset(name, 'a', sizeof(name));
	word[sizeof(word) - 1] = name[sizeof(name) - 1] = '\0';
	name[150] = 'b';
	nearest = nearest_begin(word, strlen(word));
	nearest_try(&nearest, name);
	nearest_try(&nearest, "a");
	CHECK(t, !nearest.name);
	nearest = nearest_begin("a", 1);
	nearest_try(&nearest, name);
	CHECK(t, !nearest.name);
	for (size_t length = 60; length <= 66; length++) { /* on both sides of the maximum length */
		name[length] = '\0';
		nearest = nearest_begin(word, length);
		nearest_try(&nearest, name);
		CHECK(t, !nearest.name || nearest.name == name);
		name[length] = 'a';
	}
}

static size_t plain_distance(const char *left, const char *right)
{
	size_t best, other;

	if (!*left || !*right)
		return strlen(left) + strlen(right);
	best = plain_distance(left + 1, right + 1) + (*left != *right);
	other = plain_distance(left + 1, right) + 1;
	best = other < best ? other : best;
	other = plain_distance(left, right + 1) + 1;
	return other < best ? other : best;
}

static void random_word(struct random *random, char word[8])
{
	size_t length = 1 + random_next(random) % 6;

	for (size_t i = 0; i < length; i++)
		word[i] = (char)('a' + random_next(random) % 3);
	word[length] = '\0';
}

static void finds_the_least_edits(struct test *t)
{
	struct random random = random_make(4);

	for (int round = 0; round < 2000; round++) {
		char word[8], names[4][8];
		size_t least;
		struct nearest nearest;
		const char *want = NULL;

		random_word(&random, word);
		nearest = nearest_begin(word, strlen(word));
		least = strlen(word) / 3 + 2;
		for (int i = 0; i < 4; i++) {
			size_t distance;

			random_word(&random, names[i]);
			distance = strncmp(names[i], word, strlen(word)) ? plain_distance(word, names[i]) : 0;
			if (distance < least) {
				least = distance;
				want = names[i];
			}
			nearest_try(&nearest, names[i]);
		}
		test_check(t, nearest.name == want, "\"%s\": \"%s\", not \"%s\"", word,
			   nearest.name ? nearest.name : "none",
			   want ? want : "none");
	}
}

TEST_MAIN(TEST(names_it), TEST(the_word_has_a_length), TEST(long_names_are_no_harm), TEST(finds_the_least_edits))
