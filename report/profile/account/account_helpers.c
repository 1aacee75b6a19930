/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Helper processes of the recorder that were gone before it ended, and what is missing because of that. */
#include <string.h>

#include "common/array.h"
#include "report/profile/account/account_notes.h"
#include "report/profile/account/account_parts.h"
#include "report/read/trace_model.h"

static const struct {
	const char *word, *missing;
} words[] = {
	{"recording", "files that were mapped later were not opened, stacks of sleeping threads not copied"},
	{"files", "files that were mapped later were not opened"},
	{"dumps", "no files were read for this dump"},
};

/* Whether `word` is one of the words of `text`, which are separated by spaces. */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; *at; at += strspn(at, " ")) {
		if (strcspn(at, " ") == length && !memcmp(at, word, length))
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

static int tell_ended(struct profile *profile, const char *text)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !r; i++)
		if (has_word(text, words[i].word))
			r = account_note(profile, ACCOUNT_HELPERS, 100,
					 "a helper process of the recorder had been killed or given up: %s, and names "
					 "may be missing",
					 words[i].missing);
	return r;
}

int account_helpers(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->scopes.count && !r; i++) {
		const char *text = trace_model_meta(profile->scopes.items[i].model, "helpers_ended");

		r = text ? tell_ended(profile, text) : 0;
	}
	return r;
}
