/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any text as a name: a short form is shorter, and what is short already is left alone. */
#include "report/symbol/symbol_index.h"
#include "tests/fuzz/fuzz.h"

static void check_short(const char *text)
{
	char *brief = shorten_name(text), *again;

	if (!brief)
		return;
	fuzz_require(strlen(brief) < strlen(text) && strstr(brief, "..."));
	again = shorten_name(brief);
	fuzz_require(!again || strlen(again) < strlen(brief));
	free(again);
	free(brief);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1), *full;

	fuzz_require(text != NULL);
	if (length)
		memcpy(text, bytes, length);
	text[length] = '\0';
	check_short(text);
	full = pretty_name(text, true);
	if (full)
		check_short(full);
	free(full);
	free(pretty_name(text, false));
	free(text);
	return 0;
}
