/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/account/partial.h"

#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "common/printable.h"
#include "report/profile/account/account_notes.h"
#include "report/resolve/file/debug_server.h"

enum { TEXT_BYTES = 256 };

bool profile_is_partial(const struct profile *profile)
{
	return profile->reading.cut || profile->modules.lines_cut || debug_server_unasked(profile->server);
}

static void describe(const struct profile *profile, char text[static TEXT_BYTES])
{
	const struct profile_reading *reading = &profile->reading;
	const struct modules *modules = &profile->modules;
	size_t files = debug_server_unasked(profile->server);
	int used = snprintf(text, TEXT_BYTES, "stopped by Ctrl-C, so this is incomplete");
	const char *between = ": ";

	if (reading->cut) {
		used += snprintf(text + used, TEXT_BYTES - (size_t)used, "%s%d%% of the events read", between,
				 reading->whole ? (int)((double)reading->done * 100 / (double)reading->whole) : 0);
		between = ", ";
	}
	if (modules->lines_cut) {
		used += snprintf(text + used, TEXT_BYTES - (size_t)used,
				 "%slines of %zu of %zu module%s not looked up", between,
				 modules->lines_cut, modules->lines_asked, plural(modules->lines_asked));
		between = ", ";
	}
	if (files)
		(void)snprintf(text + used, TEXT_BYTES - (size_t)used, "%s%zu server %s skipped", between,
			       files, files == 1 ? "query" : "queries");
}

void profile_say_partial(const struct profile *profile)
{
	char text[TEXT_BYTES];

	if (!profile_is_partial(profile))
		return;
	describe(profile, text);
	log_warning("%s", text);
}

int account_partial(struct profile *profile)
{
	char text[TEXT_BYTES];

	if (!profile_is_partial(profile))
		return 0;
	profile->lost = true;
	describe(profile, text);
	return account_note(profile, ACCOUNT_CUT_SHORT, 100, "%s", text);
}
